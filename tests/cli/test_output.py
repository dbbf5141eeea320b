import os
import sys
from collections.abc import Callable, Iterator

import pytest
from rich.cells import cell_len

from boardgames.cli.output import (
    NARROWEST_NAME,
    outcome_text,
    print_table,
    shorten_names,
    table_lines,
    wrapped_moves,
)
from boardgames.game import Outcome, Termination
from boardgames.plugins import load

ROWS = [("7", "a long text that may be cut", "kept"), ("123", "short", "kept too")]
BESIDE = 46
OPENINGS = [f'engine:command="python bot.py --opening {number} --time 3"' for number in range(12)]

Terminal = Callable[[int], None]


@pytest.fixture
def terminal_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Return a function that makes standard output a terminal with a given number of columns."""
    pty = pytest.importorskip("pty", reason="the system has no pseudo-terminals")
    end, other = pty.openpty()
    with os.fdopen(other, "w") as stream, monkeypatch.context() as patched:

        def use(columns: int) -> None:
            patched.setenv("COLUMNS", str(columns))
            patched.setattr(sys, "stdout", stream)

        yield use
    os.close(end)


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (80, ["  7 a long text that may be cut kept", "123 short                       kept too"]),
        (24, ["  7 a long tex… kept", "123 short       kept too"]),
    ],
)
def test_columns_are_aligned_and_fit_the_line(columns: int, lines: list[str], terminal_of: Terminal) -> None:
    terminal_of(columns)
    assert table_lines(ROWS, right=(0,), cut=(1,)) == lines


def test_control_characters_are_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    print_table([("a\x1b[2Jb\nc", "[red]d")], right=(), cut=())
    assert capsys.readouterr().out == "a?[2Jb?c [red]d\n"


def test_nothing_is_truncated_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    rows = [("1", "x" * 300, "名前" * 100, "end"), ("2", "y", "", "z" * 500)]
    lines = table_lines(rows, right=(0,), cut=(1, 2))
    assert [line.split() for line in lines] == [list(filter(None, row)) for row in rows]
    assert shorten_names(OPENINGS, other_columns=BESIDE) == OPENINGS


@pytest.mark.parametrize("columns", [20, 64, 80, 110])
def test_shortened_names_stay_distinct(columns: int, terminal_of: Terminal) -> None:
    terminal_of(columns)
    names = shorten_names([*OPENINGS, "名前" * 40, "random"], other_columns=BESIDE)
    assert len(set(names)) == len(names)
    assert max(map(cell_len, names)) <= max(columns - BESIDE, NARROWEST_NAME)
    assert names[-1] == "random"


def test_moves_are_sorted_naturally_and_never_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    assert wrapped_moves(["a10", "a9", "b1-b2"]) == "a9 a10\nb1-b2"


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Outcome(0, Termination.RULES), "red wins"),
        (Outcome(1, Termination.TIME), "blue wins on time"),
        (Outcome(None, Termination.RULES), "draw"),
        (Outcome(None, Termination.AGREEMENT), "draw by agreement"),
    ],
)
def test_an_outcome_has_a_reason_unless_the_rules_decided(outcome: Outcome, text: str) -> None:
    assert outcome_text(outcome, load("connect4")) == text
