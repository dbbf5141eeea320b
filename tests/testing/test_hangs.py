"""Python methods of a game that do not return: interrupted, and reported with method and position."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faulty import Noughts

from boardgames.game import Position
from boardgames.kernels import Words
from boardgames.picture import Picture
from boardgames.testing import CheckReport, check_game
from boardgames.testing.hangs import PATIENCE_S, interrupt_hangs
from boardgames.testing.probe import SamplePlan, run_kernels

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no such timer")

START = ".../.../...:x"


def loop() -> None:
    """Loop for ever, even if an exception is raised. The timer need not be waited for."""
    while True:
        try:
            signal.raise_signal(signal.SIGALRM)
        except Exception:  # noqa: BLE001 - as badly written plug-ins do
            continue


class HangingDraw(Noughts):
    def draw(self, position: Position) -> Picture:
        loop()
        return super().draw(position)


class HangingParser(Noughts):
    def parse_words(self, text: str, notation: str | None = None) -> Words:
        if text == "nonsense":
            loop()
        return super().parse_words(text, notation)


class HangingText(Noughts):
    def format_words(self, words: Words, notation: str | None = None) -> str:
        loop()
        return super().format_words(words, notation)


class HangingStart(Noughts):
    def parse_words(self, text: str, notation: str | None = None) -> Words:
        loop()
        return super().parse_words(text, notation)


class Slow(Noughts):
    def draw(self, position: Position) -> Picture:
        signal.raise_signal(signal.SIGALRM)
        return super().draw(position)


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Callable[..., CheckReport]:
    """Return `check_game` without the process for the kernels, which cannot import these games."""

    def checked(game: Noughts, **settings: Any) -> CheckReport:
        monkeypatch.setattr("boardgames.testing.conformance._Run.probe", lambda run: True)
        return check_game(game, matches=2, positions=5, isolated=True, **settings)

    return checked


def test_a_method_that_hangs_is_named_with_the_position(check: Callable[..., CheckReport]) -> None:
    report = check(HangingDraw())
    (finding,) = report.findings
    assert finding.check == "pictures"
    assert finding.message.startswith("draw() does not return within 10 s (test_hangs.py:")
    assert finding.position == START
    assert finding.command == f"boardgames check noughts --position {START} --only pictures"
    assert "the other checks did not run" in report.notes[0]


def test_a_parser_that_hangs_is_named_with_the_text(check: Callable[..., CheckReport]) -> None:
    (finding,) = check(HangingParser()).findings
    assert finding.message.startswith("parse_words('nonsense') does not return")
    assert finding.check == "bad-input"


def test_a_position_without_a_text_is_named_by_its_words(
    check: Callable[..., CheckReport],
) -> None:
    (finding,) = check(HangingText(), only=["position-notation"]).findings
    assert finding.message.startswith("format_words() does not return")
    assert finding.message.endswith(" in words [0, 0, 0]")


def test_a_start_that_cannot_be_read_in_time_is_found(check: Callable[..., CheckReport]) -> None:
    (finding,) = check(HangingStart()).findings
    assert finding.message.startswith(f"parse_words({START!r}) does not return")


def test_a_hang_in_the_process_of_the_kernels_is_found_there(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    (fault,) = run_kernels(HangingStart(), SamplePlan(2, 5, 0), str(log), []).faults
    assert fault.message.startswith(f"parse_words({START!r}) does not return")


def test_slow_calls_that_return_are_not_interrupted(check: Callable[..., CheckReport]) -> None:
    assert check(Slow()).ok


def test_code_outside_the_game_is_not_interrupted() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with interrupt_hangs(Noughts()):
        assert signal.getitimer(signal.ITIMER_REAL)[1] == PATIENCE_S
        signal.raise_signal(signal.SIGALRM)
        signal.raise_signal(signal.SIGALRM)
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
