"""Puzzles: tactics that win or save a marble or the match."""

from pathlib import Path

import numpy as np

from boardgames.declarations import Exercise
from boardgames.errors import OptionError
from boardgames.game import Game

TACTICS = Path(__file__).parent / "data" / "tactics.txt"


def tactics(game: Game, generator: np.random.Generator) -> tuple[Exercise, ...]:
    """Return the tactical puzzles, the shortest first.

    Raises
    ------
    OptionError
        If side-steps are not allowed, which some of the solutions need.
    """
    if not game.options["broadside"]:
        raise OptionError("the puzzles of Abalone need side-steps: leave out broadside=false")
    lines = (line.partition("#")[0].strip() for line in TACTICS.read_text("utf-8").splitlines())
    return tuple(_exercise(line) for line in lines if line)


def _exercise(line: str) -> Exercise:
    """Return the puzzle of a line: position, title, task and lines, separated by `;`."""
    position, title, task, *lines = (part.strip() for part in line.split(";"))
    return Exercise(title, position, task, tuple(lines))
