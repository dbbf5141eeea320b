"""Drawings of ratings: well-formed, to scale, readable without colour."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.draw.intervals import FAINT, LABEL_SIZE, MARGIN, TEXT, WIDTH, Row, intervals_svg, width_of

NUMBERS = st.floats(-3000, 3000)
SPACE = "{http://www.w3.org/2000/svg}"


LONG = 'engine:command="<a & b>"' * 10
DEJAVU = {"alphabeta:depth=4": 126.7, "WWWW": 51.4, "illij": 18.1, "engine #abcd": 91.0, "0123456789": 82.7}
"""Widths at 13 pixels, from the advance widths in DejaVuSans.ttf 2.37."""


def drawn(*rows: Row, remarks: Sequence[str] = ()) -> ET.Element:
    return ET.fromstring(intervals_svg(rows, title="A <ladder>", unit="Elo", remarks=remarks))


def texts(root: ET.Element, anchor: str, colour: str) -> list[str]:
    found = [text for text in root.iter(f"{SPACE}text") if text.get("text-anchor") == anchor]
    return [text.text or "" for text in found if text.get("fill") == colour]


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


def test_long_names_are_cut_in_the_middle_and_stay_different() -> None:
    labels = [f"{LONG}{number} middle {LONG} #ab1f" for number in range(3)]
    found = texts(drawn(*(Row(label, 1.0, 0.0, 2.0) for label in labels)), "start", TEXT)
    assert all(label.startswith("engine:") and " #ab1f" in label for label in found)
    assert len(set(found)) == len(labels)


@pytest.mark.parametrize("label", [LONG, "W" * 90, "名前" * 40, "Ж" * 90, "short"], ids=str)
def test_labels_end_before_the_plot(label: str) -> None:
    root = drawn(Row(label, 1.0, 0.0, 2.0), Row("other", -400.0, None, 2.0))
    plot = min(float(line.get("x1")) for line in root.iter(f"{SPACE}line"))
    assert MARGIN + max(width_of(text, LABEL_SIZE) for text in texts(root, "start", TEXT)) < plot < WIDTH / 2


@pytest.mark.parametrize(("text", "pixels"), DEJAVU.items())
def test_a_wide_font_is_reckoned_with(text: str, pixels: float) -> None:
    assert pixels <= width_of(text, LABEL_SIZE) <= 1.25 * pixels


def test_remarks_stand_below_the_scale_within_the_drawing() -> None:
    remarks = ["not comparable: " + ", ".join(f"agent{number}" for number in range(60)), "second"]
    root = drawn(Row("a", 1.0, 0.0, 2.0), remarks=remarks)
    lines = texts(root, "start", FAINT)
    assert " ".join(lines) == " ".join(remarks)
    assert len(lines) > 3
    assert all(width_of(line, 11) <= WIDTH - 2 * MARGIN for line in lines)
    lowest = max(float(text.get("y")) for text in root.iter(f"{SPACE}text"))
    assert lowest < float(root.get("height"))
    assert root.get("aria-label").endswith(". ".join(["", *remarks]))


def test_no_text_breaks_the_markup() -> None:
    root = drawn(Row("<a & \x1b\ud800>", 1.0, 0.0, 2.0, note="\x00"), remarks=["<\x07>"])
    assert texts(root, "start", TEXT) == ["<a & ??>"]
    assert texts(root, "start", FAINT) == ["<?>"]


def test_no_rows_are_drawn_too() -> None:
    assert circles(drawn()) == []
