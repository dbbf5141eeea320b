"""Progress on a terminal: what a spinner says while something is compiled."""

import pytest

from boardgames.cli.progress import Spinner

COMPILING = "compiling boardgames_hexifence.solver.search, kernel 55, 30 s"


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (200, f"looking for puzzles, 1 found, 65 positions tried; {COMPILING}"),
        (90, f"looking for puzzles; {COMPILING}"),
        (80, COMPILING),
        (20, COMPILING),
    ],
)
def test_a_spinner_says_what_is_compiled_however_narrow_the_terminal_is(width: int, line: str) -> None:
    spinner = Spinner("looking for puzzles", lambda: "1 found, 65 positions tried")
    spinner.compiling = COMPILING
    assert spinner.line(width) == line


def test_a_spinner_says_what_has_been_done_when_nothing_is_compiled() -> None:
    spinner = Spinner("looking for puzzles", lambda: "1 found")
    assert spinner.line(20) == "looking for puzzles, 1 found"
