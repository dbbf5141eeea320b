"""Drawings of ratings: well-formed, to scale, readable without colour."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.draw.intervals import WIDTH, Row, intervals_svg

NUMBERS = st.floats(-3000, 3000)
SPACE = "{http://www.w3.org/2000/svg}"


def drawn(*rows: Row) -> ET.Element:
    return ET.fromstring(intervals_svg(rows, title="A <ladder>", unit="Elo"))


def circles(root: ET.Element) -> list[float]:
    return [float(circle.get("cx")) for circle in root.iter(f"{SPACE}circle")]


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS).map(sorted), max_size=8))
def test_every_mark_is_inside_and_in_order(values: list[list[float]]) -> None:
    root = drawn(*(Row(f"agent {place}", v[1], v[0], v[2]) for place, v in enumerate(values)))
    for line in root.iter(f"{SPACE}line"):
        assert 0 <= float(line.get("x1")) <= float(line.get("x2")) <= WIDTH
    places = [
        place for _, place in sorted(zip(values, circles(root), strict=True), key=lambda row: row[0][1])
    ]
    assert places == sorted(places)


def test_the_scale_is_even() -> None:
    low, middle, high = circles(
        drawn(Row("a", -100, None, None), Row("b", 0, None, None), Row("c", 100, None, None))
    )
    assert middle - low == pytest.approx(high - middle, abs=0.2)


def test_an_end_that_is_not_known_is_an_arrow_and_an_open_dot() -> None:
    text = intervals_svg([Row("a", 10.0, 10.0, None), Row("b", -10.0, -20.0, 0.0)], title="t", unit="Elo")
    assert text.count("<path ") == 1
    fills = re.findall(r'<circle [^>]*fill="([^"]+)"', text)
    assert fills[0] != fills[1]


def test_a_reader_without_sight_hears_the_numbers() -> None:
    label = drawn(Row("strong", 120.4, 90.0, None)).get("aria-label")
    assert label == "A <ladder>: strong +120 (90 to ?)"


def test_a_long_name_is_cut_and_nothing_breaks_the_markup() -> None:
    root = drawn(Row('engine:command="<a & b>"' * 10, 1.0, 0.0, 2.0))
    texts = [text.text for text in root.iter(f"{SPACE}text")]
    assert any(text.endswith("…") and len(text) < 60 for text in texts)


def test_no_rows_are_drawn_too() -> None:
    assert circles(drawn()) == []
