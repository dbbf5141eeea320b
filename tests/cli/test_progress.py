"""Progress on a terminal: what spinners and bars say, and that it fits the line."""

import io

import pytest
from rich.console import Console

from boardgames.cli.progress import Spinner, new_bars

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


def test_bars_are_shortened_before_the_rate_of_a_cluster_is() -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None)
    bars = new_bars(console, lambda: "2 workers, 0.19 tasks/s")
    bars.add_task("steps", total=15)
    with console.capture() as captured:
        console.print(bars)
    assert captured.get().rstrip().endswith("2 workers, 0.19 tasks/s")
