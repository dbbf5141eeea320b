"""Time controls and their text."""

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
def test_invalid_time_control_raises(control: dict[str, float]) -> None:
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
def test_text_of_a_time_control_round_trips(control: dict[str, float]) -> None:
    assert TimeControl.parse(str(TimeControl(**control))) == TimeControl(**control)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "300",
        "1+2+3",
        "1/move 2/move",
        "40/9000",
        "1+1 2+2",
        "1_0+0",
        "\N{ARABIC-INDIC DIGIT THREE}+2",
    ],
)
def test_malformed_time_control_raises(text: str) -> None:
    with pytest.raises(LimitError, match="time control"):
        TimeControl.parse(text)


@pytest.mark.parametrize(
    "value", [10**400, "1", True, [], 1j], ids=["huge", "text", "bool", "list", "complex"]
)
@pytest.mark.parametrize("name", ["move", "match", "increment", "margin"])
def test_seconds_must_be_numbers(name: str, value: Any) -> None:
    with pytest.raises(LimitError, match="seconds"):
        TimeControl(**{"match": 60, name: value})


def test_time_control_of_nan_raises() -> None:
    with pytest.raises(LimitError, match="must be more than 0"):
        TimeControl.parse("nan+0")
