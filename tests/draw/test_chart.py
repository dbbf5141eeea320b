"""Charts of a match: well-formed, to scale, decided matches at the edge, mistakes where they were made."""

import math
from collections.abc import Sequence
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.draw.chart import HEIGHT, LEGEND, WIDTH, Mark, values_svg

SPACE = "{http://www.w3.org/2000/svg}"
VALUES = st.lists(st.floats(-1e6, 1e6) | st.sampled_from([math.inf, -math.inf]), min_size=1, max_size=40)


def drawn(*values: float, marks: Sequence[Mark] = (), bound: float | None = None) -> ET.Element:
    sides = ("black", "white")
    return ET.fromstring(
        values_svg(values, title="A <match>", unit="cells", sides=sides, bound=bound, marks=marks)
    )


def points(root: ET.Element) -> list[tuple[float, float]]:
    line = root.find(f"{SPACE}polyline")
    assert line is not None
    pairs = [pair.split(",") for pair in line.get("points", "").split()]
    return [(float(x), float(y)) for x, y in pairs]


def texts(root: ET.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SPACE}text")]


@given(VALUES)
def test_every_point_is_inside_and_higher_for_larger_values(values: list[float]) -> None:
    found = points(drawn(*values))
    assert len(found) == len(values)
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in found)
    assert [x for x, _ in found] == sorted(x for x, _ in found)
    heights = [y for _, (_, y) in sorted(zip(values, found, strict=True), key=lambda pair: pair[0])]
    assert heights == sorted(heights, reverse=True)


def test_equal_leads_are_equally_far_from_the_middle() -> None:
    (_, up), (_, middle), (_, down) = points(drawn(3.0, 0.0, -3.0))
    assert middle - up == pytest.approx(down - middle, abs=0.2)


def test_a_decided_match_runs_beyond_every_value_and_says_so() -> None:
    root = drawn(5.0, math.inf, -math.inf, -5.0)
    (_, five), (_, won), (_, lost), (_, less) = points(root)
    assert won < five < less < lost
    assert {"won", "lost"} <= set(texts(root))
    assert "won" not in texts(drawn(5.0))


def test_values_beyond_the_bound_are_drawn_there() -> None:
    (_, huge), (_, bound) = points(drawn(9000.0, 10.0, bound=10.0))
    assert huge == bound


def test_a_mark_stands_at_the_position_after_its_move() -> None:
    root = drawn(0.0, -4.0, 0.0, marks=[Mark(1, 0, "??", "ply 1, black a1??, better b2")])
    circle = root.find(f"{SPACE}circle")
    assert circle is not None
    assert (float(circle.get("cx", "")), float(circle.get("cy", ""))) == points(root)[1]
    assert "".join(circle.itertext()) == "ply 1, black a1??, better b2"
    assert {"??", LEGEND} <= set(texts(root))


def test_texts_of_marks_never_run_into_each_other() -> None:
    marks = [Mark(ply, 0, "??", f"ply {ply}") for ply in range(1, 200)]
    root = drawn(*[0.0] * 200, marks=marks)
    assert len(list(root.iter(f"{SPACE}circle"))) == 199
    assert texts(root).count("??") < 60


def test_a_reader_without_sight_hears_the_mistakes() -> None:
    label = drawn(0.0, 1.0, marks=[Mark(1, 1, "?", "ply 1, white a1?")]).get("aria-label")
    assert label == "A <match>: values in cells. ply 1, white a1?"


@pytest.mark.parametrize("value", [0.0, 1e-9, 1.0, 123456.0], ids=str)
def test_labels_of_the_scale_are_few_and_reach_the_values(value: float) -> None:
    numbers = [float(text) for text in texts(drawn(value)) if text.startswith("+")]
    assert len(numbers) <= 3
    assert max(numbers) >= value * (1 - 1e-6)


def test_no_text_breaks_the_markup() -> None:
    text = values_svg([0.0], title="<\x1b\ud800&", unit="<u>", sides=("<a>", "b"), colours=("<", '"'))
    assert "<??&" in texts(ET.fromstring(text))
