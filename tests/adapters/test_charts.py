"""Charts: positions of lines and marks, labels, accessibility, equal text for equal input."""

import math
import sys
from collections.abc import Sequence
from xml.etree import ElementTree as ET

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from boardgames.adapters.charts import (
    DECIDED_AT,
    MARKS_LEGEND,
    MAX_LABEL_WIDTH,
    Interval,
    Mark,
    _interval_figure,
    _score_figure,
    _style,
    _width,
    interval_chart,
    score_chart,
)
from boardgames.errors import MissingExtraError

SVG = "{http://www.w3.org/2000/svg}"
LONG = 'engine:command="<a & b>"' * 10


def texts(svg: str) -> list[str]:
    return [text.text or "" for text in ET.fromstring(svg).iter(f"{SVG}text")]


def label(svg: str) -> str | None:
    return ET.fromstring(svg).get("aria-label")


def test_missing_extra_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match="drawing charts needs the extra 'plot'"):
        interval_chart([], title="t", unit="Elo")


def test_style_does_not_depend_on_the_users_configuration() -> None:
    import matplotlib as mpl

    charts = [interval_chart([], title="t", unit="Elo")]
    with mpl.rc_context({"axes.grid": True, "figure.facecolor": "black", "text.color": "red"}):
        charts.append(interval_chart([], title="t", unit="Elo"))
    assert charts[0] == charts[1]


# --- scores of a match ---------------------------------------------------------


def chart(*scores: float, marks: Sequence[Mark] = ()) -> str:
    return score_chart(scores, title="A <match>", unit="in cells", sides=("black", "white"), marks=marks)


def drawn_scores(*scores: float, bound: float = math.inf) -> list[float]:
    with _style():
        colours = ("#222222", "#eeeeee")
        figure = _score_figure(scores, "t", "in cells", ("black", "white"), bound, colours, (), str)
    (line,) = (line for line in figure.axes[0].lines if line.get_gid() == "scores")
    low, high = figure.axes[0].get_ylim()
    drawn = [float(y) for y in np.asarray(line.get_ydata())]
    assert all(low < y < high for y in drawn)
    return drawn


def test_scores_are_drawn_to_scale() -> None:
    assert drawn_scores(3.0, 0.0, -3.0, 1e6) == [3.0, 0.0, -3.0, 1e6]


def test_scores_beyond_the_bound_are_drawn_at_the_bound() -> None:
    assert drawn_scores(9000.0, 10.0, -11.0, bound=10.0) == [10.0, 10.0, -10.0]


def test_decided_positions_are_drawn_beyond_all_scores_and_labelled() -> None:
    assert drawn_scores(5.0, math.inf, -math.inf, -5.0) == [5.0, 5 * DECIDED_AT, -5 * DECIDED_AT, -5.0]
    assert drawn_scores(math.inf, bound=10.0) == [DECIDED_AT]
    assert {"won", "lost"} <= set(texts(chart(5.0, math.inf, -math.inf)))
    assert not {"won", "lost"} & set(texts(chart(5.0)))


def only(root: ET.Element, path: str) -> ET.Element:
    """Return the element at a path."""
    found = root.find(path)
    assert found is not None
    return found


def test_mark_is_at_the_position_after_its_move_and_has_a_tooltip() -> None:
    root = ET.fromstring(chart(0.0, -4.0, 0.0, marks=[Mark(1, 0, "??", "ply 1, black a1??, better b2")]))
    path = only(root, f".//{SVG}g[@id='scores']/{SVG}path").attrib["d"].split()
    mark = only(root, f".//{SVG}g[@id='mark-1']")
    dot = only(mark, f".//{SVG}use").attrib
    numbers = [float(word) for word in path if word not in "ML"]
    assert (float(dot["x"]), float(dot["y"])) == pytest.approx(tuple(numbers[2:4]), abs=0.01)
    assert only(mark, f"{SVG}title").text == "ply 1, black a1??, better b2"
    assert {"??", f"ply ({MARKS_LEGEND})"} <= {text.text for text in root.iter(f"{SVG}text")}


def test_labels_of_neighbouring_marks_do_not_overlap() -> None:
    svg = chart(*[0.0] * 200, marks=[Mark(ply, 0, "??", f"ply {ply}") for ply in range(1, 200)])
    assert svg.count('id="mark-') == 199
    assert texts(svg).count("??") < 60


def test_score_chart_describes_itself() -> None:
    svg = chart(0.0, 1.0, marks=[Mark(1, 1, "?", "ply 1, white a1?")])
    assert label(svg) == "A <match>: scores in cells. ply 1, white a1?"


@pytest.mark.parametrize("scores", [[0.0], [1e-9], [123456.0], [math.inf]], ids=str)
def test_any_scores_can_be_drawn(scores: list[float]) -> None:
    svg = chart(*scores)
    assert svg == chart(*scores)
    assert {"black ahead", "white ahead", "ply"} <= set(texts(svg))


def test_control_characters_and_markup_are_escaped() -> None:
    sides, marks = ("<a>", "b"), [Mark(0, 0, "?", "<\x07>")]
    svg = score_chart([0.0], title="<\x1b\ud800$&$", unit="in <u>", sides=sides, marks=marks)
    assert "<??$&$" in texts(svg)
    assert "<a> ahead" in texts(svg)


# --- intervals -------------------------------------------------------------------


def test_intervals_are_drawn_to_scale_within_the_axes() -> None:
    rows = [Interval("a", -100, -200, None), Interval("b", 20, None, 30), Interval("c", 1500, None, None)]
    with _style():
        axes = _interval_figure(rows, "t", "Elo", ()).axes[0]
    low, high = axes.get_xlim()
    dots = {line.get_gid(): line for line in axes.lines if (line.get_gid() or "").startswith("value")}
    assert [np.asarray(dots[f"value-{place}"].get_xdata())[0] for place in range(3)] == [-100, 20, 1500]
    drawn = [tuple(np.asarray(line.get_xdata(), dtype=float).tolist()) for line in axes.lines]
    assert all(low <= x <= high for line in drawn for x in line)
    bars = [line for line in drawn if len(line) == 2][:3]
    assert bars == [(-200, high), (low, 30), (low, high)]


def test_open_end_has_an_arrow_and_a_hollow_dot() -> None:
    with _style():
        rows = [Interval("a", 10.0, 10.0, None), Interval("b", -10.0, -20.0, 0.0)]
        axes = _interval_figure(rows, "t", "Elo", ()).axes[0]
    markers = [line.get_marker() for line in axes.lines]
    assert (markers.count(">"), markers.count("<")) == (1, 0)
    hollow, full = (line for line in axes.lines if (line.get_gid() or "").startswith("value"))
    assert (hollow.get_markerfacecolor(), full.get_markerfacecolor()) == ("white", full.get_color())


def test_interval_chart_describes_itself() -> None:
    rows = [Interval("strong", 120.4, 90.0, None), Interval("weak", -10.0, None, 3.0)]
    svg = interval_chart(rows, title="A <ladder>", unit="Elo", remarks=["first", "second"])
    assert label(svg) == "A <ladder>: strong +120 (90 to ?); weak -10 (? to 3). first. second"


def test_long_labels_are_shortened_but_stay_different() -> None:
    labels = [f"{LONG}{number} middle {LONG} #ab1f" for number in range(3)]
    svg = interval_chart([Interval(label, 1.0, 0.0, 2.0) for label in labels], title="t", unit="Elo")
    shown = [text for text in texts(svg) if text.startswith("engine:")]
    assert len(set(shown)) == 3
    assert all(" #ab1f" in text and _width(text) <= MAX_LABEL_WIDTH for text in shown)


@pytest.mark.parametrize("name", [LONG, "W" * 90, "名前" * 40, "Ж" * 90, "short"], ids=str)
def test_labels_end_before_the_axes(name: str) -> None:
    with _style():
        rows = [Interval(name, 1.0, 0.0, 2.0, "12 matches"), Interval("other", -400.0, None, 2.0)]
        figure = _interval_figure(rows, "t", "Elo", ())
        shown = {text.get_text(): text.get_position()[0] for text in figure.texts}
        width = figure.get_figwidth()
        box = figure.axes[0].get_position()
        left = [text for text, x in shown.items() if 0 < x < 0.1 and text != "t"]
        assert len(left) == 2
        assert all(shown[text] + _width(text) / width < box.x0 < 0.5 for text in left)
        assert box.x1 < shown["12 matches"] < 1 - _width("12 matches") / width


def test_remarks_are_wrapped_below_the_axes() -> None:
    remarks = ["not comparable: " + ", ".join(f"agent{number}" for number in range(60)), "second"]
    lines = texts(interval_chart([Interval("a", 1.0, 0.0, 2.0)], title="t", unit="Elo", remarks=remarks))
    assert " ".join(lines).endswith(" ".join(remarks))
    assert max(map(len, lines)) <= 100


def test_no_rows_and_odd_characters_can_be_drawn() -> None:
    assert "Elo" in texts(interval_chart([], title="t", unit="Elo"))
    odd = [Interval("<a & \x1b\ud800>", 1.0, 0.0, 2.0, note="\x00")]
    shown = texts(interval_chart(odd, title="t", unit="Elo", remarks=["<\x07>"]))
    assert {"<a & ??>", "?", "<?>"} <= set(shown)
