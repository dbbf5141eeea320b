"""Reasons why a move in Abalone is not legal, in a few words."""

from boardgames.kernels import Words
from boardgames_abalone.board import CELL_NAMES, NEIGHBOURS
from boardgames_abalone.notation import cells_of, direction_between, parse_cells
from boardgames_abalone.rules import STATUS

SIDES = ("black", "white")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LARGEST_GROUP = 3


def explain_illegal_move(words: Words, text: str, *, broadside: bool) -> str:
    """Return the reason why a well-formed move is not legal; empty for a side-step in Nacre's notation.

    Examples
    --------
    >>> from boardgames_abalone.notation import parse_words
    >>> words = parse_words("wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb")
    >>> explain_illegal_move(words, "d4d5", broadside=True)
    'd4 is empty'
    """
    cells = parse_cells(text)
    board = _Board(words)
    if len(cells) == 3:
        return board.side_step(*cells) if broadside else "side-steps are not allowed in this variant"
    direction = direction_between(*cells)
    if direction is None:
        return ""
    return board.in_line(cells[0], direction)


class _Board:
    """The marbles of a position."""

    def __init__(self, words: Words) -> None:
        self.side = int(words[STATUS]) & 1
        self.owner = {cell: side for side, cells in enumerate(cells_of(words)) for cell in cells}

    def in_line(self, tail: int, direction: int) -> str:
        """Return what prevents the marbles from `tail` on from moving ahead."""
        if problem := self._not_own(tail):
            return problem
        group = self._row(tail, direction)
        if len(group) > LARGEST_GROUP:
            return f"{NUMBERS[len(group)]} marbles would move, and at most three can"
        own, other = SIDES[self.side], SIDES[1 - self.side]
        ahead = int(NEIGHBOURS[group[-1], direction])
        if ahead < 0:
            return f"{own} cannot push its own marble off the board"
        pushed = self._row(ahead, direction)
        if len(pushed) >= len(group):
            marbles = f"{NUMBERS[len(pushed)]} {other} marble{'s' if len(pushed) > 1 else ''}"
            return f"{marbles} cannot be pushed by {NUMBERS[len(group)]}"
        beyond = int(NEIGHBOURS[pushed[-1], direction]) if pushed else ahead
        if self.owner.get(beyond) == self.side:
            return f"the {own} marble on {CELL_NAMES[beyond]} is in the way"
        return ""

    def side_step(self, first: int, last: int, target: int) -> str:
        """Return what prevents the marbles from `first` to `last` from moving sideways."""
        direction, along = direction_between(first, target), direction_between(first, last)
        assert direction is not None
        assert along is not None
        group = [first]
        while group[-1] != last:
            group.append(int(NEIGHBOURS[group[-1], along]))
        for cell in group:
            if problem := self._not_own(cell):
                return problem
        for cell in group:
            place = int(NEIGHBOURS[cell, direction])
            if place < 0:
                return f"the marble on {CELL_NAMES[cell]} would leave the board"
            if place in self.owner:
                return f"{CELL_NAMES[place]} is occupied"
        return ""

    def _not_own(self, cell: int) -> str:
        owner = self.owner.get(cell)
        if owner is None:
            return f"{CELL_NAMES[cell]} is empty"
        if owner != self.side:
            return f"the marble on {CELL_NAMES[cell]} is {SIDES[owner]}, and {SIDES[self.side]} is to move"
        return ""

    def _row(self, start: int, direction: int) -> list[int]:
        """Return the marbles of one colour in a row from `start` on, or none if that cell is empty."""
        row, cell, side = [], start, self.owner.get(start)
        while cell >= 0 and side is not None and self.owner.get(cell) == side:
            row.append(cell)
            cell = int(NEIGHBOURS[cell, direction])
        return row
