"""Reasons why a move in Abalone is not legal, in a few words."""

from collections.abc import Iterable, Sequence

from boardgames.kernels import Words
from boardgames_abalone.board import CELL_NAMES, CELL_OF_NAME, DISTANCES, NEIGHBOURS
from boardgames_abalone.notation import cells_of, direction_between, parse_cells
from boardgames_abalone.rules import STATUS

SIDES = ("black", "white")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LARGEST_GROUP = 3


def explain_illegal_move(words: Words, text: str, *, broadside: bool) -> str:
    """Return why a well-formed move is not legal; empty for a side-step in Nacre's notation.

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


def explain_clicks(words: Words, ids: Sequence[str], *, broadside: bool) -> str:
    """Return why the marbles on the first cells of `ids` cannot move to the last one.

    Of a group, only the ends are needed. If there is only one cell, return why it cannot be selected.

    Examples
    --------
    >>> from boardgames_abalone.notation import parse_words
    >>> words = parse_words("wwwww/wwwwww/..www../......../..bbww.../......../......./....../.....")
    >>> explain_clicks(words, ["e3", "e4", "e5"], broadside=True)
    'two white marbles cannot be pushed by two'
    """
    board = _Board(words)
    *chosen, target = (CELL_OF_NAME[name] for name in ids)
    if not chosen:
        return board.not_own(target) or f"the marble on {CELL_NAMES[target]} cannot move"
    for cell in chosen:
        if reason := board.not_own(cell):
            return reason
    if board.owner.get(target) == board.side:
        return f"{CELL_NAMES[target]} is your own marble"
    group = _row_between(min(chosen), max(chosen))
    for cell in group:
        if target not in NEIGHBOURS[cell]:
            continue
        direction = NEIGHBOURS[cell].tolist().index(target)
        tails = [one for one in group if direction_between(one, target) == direction]
        if len(tails) == len(group):
            tail = max(tails, key=lambda one: int(DISTANCES[one, target]))
            return board.in_line(tail, direction)
        if not broadside:
            return "side-steps are not allowed in this variant"
        if reason := board.sideways(group, direction):
            return reason
    return "marbles move to the next cell"


def _row_between(start: int, end: int) -> list[int]:
    """Return the cells from one end of a group to the other, or only both ends if they are not in line."""
    along, row = direction_between(start, end), [start]
    while along is not None and row[-1] != end:
        row.append(int(NEIGHBOURS[row[-1], along]))
    return row if along is not None or start == end else [start, end]


class _Board:
    """The marbles of a position."""

    def __init__(self, words: Words) -> None:
        self.side = int(words[STATUS]) & 1
        self.owner = {cell: side for side, cells in enumerate(cells_of(words)) for cell in cells}

    def in_line(self, tail: int, direction: int) -> str:
        """Return what prevents the marbles that start at `tail` from moving ahead."""
        if problem := self.not_own(tail):
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
            if problem := self.not_own(cell):
                return problem
        return self.sideways(group, direction)

    def sideways(self, group: Iterable[int], direction: int) -> str:
        """Return what prevents marbles of the side to move from stepping sideways."""
        for cell in group:
            place = int(NEIGHBOURS[cell, direction])
            if place < 0:
                return f"the marble on {CELL_NAMES[cell]} would leave the board"
            if place in self.owner:
                return f"{CELL_NAMES[place]} is occupied"
        return ""

    def not_own(self, cell: int) -> str:
        """Return why the side to move has no marble on a cell, or an empty text if it has one."""
        owner = self.owner.get(cell)
        if owner is None:
            return f"{CELL_NAMES[cell]} is empty"
        if owner != self.side:
            return f"the marble on {CELL_NAMES[cell]} is {SIDES[owner]}, and {SIDES[self.side]} is to move"
        return ""

    def _row(self, start: int, direction: int) -> list[int]:
        """Return the cells of adjacent marbles of one colour from `start` on, or none if it is empty."""
        row, cell, side = [], start, self.owner.get(start)
        while cell >= 0 and side is not None and self.owner.get(cell) == side:
            row.append(cell)
            cell = int(NEIGHBOURS[cell, direction])
        return row
