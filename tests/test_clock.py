"""Time controls: what is allowed, and their text."""

from typing import Any

import pytest

from boardgames.clock import TimeControl
from boardgames.errors import LimitError


@pytest.mark.parametrize(
    "control",
    [
        {"move": 0},
        {"match": -1},
        {"match": float("inf")},
        {"increment": 1},
        {"margin": -1},
        {"move": float("nan")},
    ],
    ids=str,
)
def test_a_time_control_that_makes_no_sense_is_refused(control: dict[str, float]) -> None:
    with pytest.raises(LimitError):
        TimeControl(**control)


@pytest.mark.parametrize(
    "control",
    [
        {},
        {"move": 0.1},
        {"match": 300},
        {"match": 1e22, "increment": 1e-07},
        {"match": 60, "increment": 2.5, "move": 5},
    ],
    ids=str,
)
def test_a_time_control_is_read_back_from_its_text(control: dict[str, float]) -> None:
    assert TimeControl.parse(str(TimeControl(**control))) == TimeControl(**control)


@pytest.mark.parametrize("text", ["", "x", "300", "1+2+3", "1/move 2/move", "40/9000", "1+1 2+2"])
def test_a_text_that_is_no_time_control_is_refused(text: str) -> None:
    with pytest.raises(LimitError, match="time control"):
        TimeControl.parse(text)


@pytest.mark.parametrize(
    "value", [10**400, "1", True, [], 1j], ids=["huge", "text", "truth", "list", "complex"]
)
@pytest.mark.parametrize("name", ["move", "match", "increment", "margin"])
def test_a_time_that_is_no_number_of_seconds_is_a_limit_error(name: str, value: Any) -> None:
    with pytest.raises(LimitError, match="seconds"):
        TimeControl(**{"match": 60, name: value})


@pytest.mark.parametrize(
    "text", ["1_0+0", "\N{ARABIC-INDIC DIGIT THREE}+2", "300", "300+2+3", "nan+0", "1+1 2+2"]
)
def test_a_text_that_is_no_time_control_is_a_limit_error(text: str) -> None:
    with pytest.raises(LimitError):
        TimeControl.parse(text)
