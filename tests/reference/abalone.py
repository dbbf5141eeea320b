"""Reference rules of Abalone, slow but simple, on cube coordinates.

A cell is (x, y, z) with x + y + z = 0 and no coordinate beyond 4. Rows A to I run from
the bottom and diagonals 1 to 9 from the left; x is the diagonal and -y the row, both
counted from the centre.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

Cell = tuple[int, int, int]

RADIUS = 4
DIRECTIONS = ((1, -1, 0), (1, 0, -1), (0, 1, -1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1))
SIDES = "bw"


def is_on_board(cell: Cell) -> bool:
    """Return whether coordinates are those of one of the 61 cells."""
    return max(map(abs, cell)) <= RADIUS


def beside(cell: Cell, direction: Cell, steps: int = 1) -> Cell:
    """Return the coordinates of the cell that is a number of steps away in a direction."""
    x, y, z = (here + steps * there for here, there in zip(cell, direction, strict=True))
    return x, y, z


def cell_named(name: str) -> Cell:
    """Return the cell with a name; `e5` is the centre."""
    row, diagonal = ord(name[0]) - ord("e"), int(name[1]) - 5
    return diagonal, -row, row - diagonal


def name_of(cell: Cell) -> str:
    """Return the name of a cell."""
    return f"{chr(ord('e') - cell[1])}{cell[0] + 5}"


def rows() -> list[list[Cell]]:
    """Return the rows from I to A, each from left to right."""
    return [
        [(x, y, -x - y) for x in range(-RADIUS, RADIUS + 1) if is_on_board((x, y, -x - y))]
        for y in range(-RADIUS, RADIUS + 1)
    ]


CELLS = tuple(cell for row in rows() for cell in row)


@dataclass(frozen=True)
class Board:
    """The marbles of black and white, the side to move, and the number of marbles that each has lost."""

    marbles: tuple[frozenset[Cell], frozenset[Cell]]
    side: int
    lost: tuple[int, int]

    @property
    def own(self) -> frozenset[Cell]:
        """Return the marbles of the side to move."""
        return self.marbles[self.side]

    @property
    def other(self) -> frozenset[Cell]:
        """Return the marbles of the side not to move."""
        return self.marbles[1 - self.side]

    def is_empty(self, cell: Cell) -> bool:
        """Return whether a cell is on the board and empty."""
        return is_on_board(cell) and cell not in self.own and cell not in self.other

    def moved(self, own: frozenset[Cell], other: frozenset[Cell], pushed_off: int) -> "Board":
        """Return the board after a move, with the other side to move."""
        marbles = (own, other) if self.side == 0 else (other, own)
        black, white = self.lost
        lost = (black, white + pushed_off) if self.side == 0 else (black + pushed_off, white)
        return replace(self, marbles=marbles, side=1 - self.side, lost=lost)


def groups(marbles: frozenset[Cell]) -> Iterator[tuple[Cell, ...]]:
    """Yield every group of one to three neighbouring marbles in a line once."""
    for count in (1, 2, 3):
        for marble in marbles:
            for axis in DIRECTIONS[:3] if count > 1 else DIRECTIONS[:1]:
                group = tuple(beside(marble, axis, step) for step in range(count))
                if marbles.issuperset(group):
                    yield group


def in_line(board: Board, group: tuple[Cell, ...], direction: Cell) -> Board | None:
    """Return the board after an in-line move of a group, or None if it is not possible."""
    tail = next(marble for marble in group if beside(marble, direction, -1) not in group)
    front = beside(tail, direction, len(group) - 1)
    ahead = beside(front, direction)
    pushed = []
    while ahead in board.other:
        pushed.append(ahead)
        ahead = beside(ahead, direction)
    if len(pushed) >= len(group) or ahead in board.own:
        return None
    if not is_on_board(ahead) and not pushed:
        return None
    own = frozenset(beside(marble, direction) if marble in group else marble for marble in board.own)
    moved = (beside(marble, direction) if marble in pushed else marble for marble in board.other)
    other = frozenset(marble for marble in moved if is_on_board(marble))
    return board.moved(own, other, len(board.other) - len(other))


def broadside(board: Board, group: tuple[Cell, ...], direction: Cell) -> Board | None:
    """Return the board after a side-step of a group, or None if it is not possible."""
    if not all(board.is_empty(beside(marble, direction)) for marble in group):
        return None
    own = frozenset(beside(marble, direction) if marble in group else marble for marble in board.own)
    return board.moved(own, board.other, 0)


def is_along(group: tuple[Cell, ...], direction: Cell) -> bool:
    """Return whether a group is in line with a direction."""
    return any(beside(first, direction) == second for first in group for second in group)


@lru_cache(maxsize=1000)
def successors(board: Board, with_broadside: bool) -> dict[str, Board]:
    """Return the board after each legal move; the keys are the moves in Aba-Pro notation."""
    if 6 in board.lost:
        return {}
    positions = {}
    for group in groups(board.own):
        for direction in DIRECTIONS:
            is_broadside = len(group) > 1 and not is_along(group, direction)
            if is_broadside and not with_broadside:
                continue
            after = (broadside if is_broadside else in_line)(board, group, direction)
            if after is not None:
                text = move_text(group, direction, is_broadside)
                assert text not in positions
                positions[text] = after
    return positions


class Abalone:
    """The reference rules in the form of `boardgames.testing.Reference`."""

    def __init__(self, broadside: bool = True, limit: str = "draw") -> None:
        self.broadside = broadside

    def start(self, text: str) -> Board:
        """Return the board that a text `BOARD:b:0:0` describes."""
        board, side, *lost = text.split(":")
        symbols = dict(zip(CELLS, board.replace("/", ""), strict=True))
        black, white = (
            frozenset(cell for cell in CELLS if symbols[cell] == side_symbol) for side_symbol in SIDES
        )
        return Board((black, white), SIDES.index(side), (int(lost[0]), int(lost[1])))

    def text(self, state: Board) -> str:
        """Return the text of a board."""
        black, white = state.marbles
        lines = ["".join("b" if c in black else "w" if c in white else "." for c in row) for row in rows()]
        return f"{'/'.join(lines)}:{SIDES[state.side]}:{state.lost[0]}:{state.lost[1]}"

    def legal(self, state: Board) -> set[str]:
        """Return the Aba-Pro texts of the legal moves."""
        return set(successors(state, self.broadside))

    def play(self, state: Board, move: str) -> Board:
        """Return the board after a legal move."""
        return successors(state, self.broadside)[move]

    def outcome(self, state: Board) -> int:
        """Return the side that has pushed off six marbles or left its opponent without a move, or -1."""
        if 6 in state.lost:
            return 1 - state.lost.index(6)
        return -1 if successors(state, self.broadside) else 1 - state.side


def move_text(group: tuple[Cell, ...], direction: Cell, is_broadside: bool) -> str:
    """Return the Aba-Pro text of a move."""
    if is_broadside:
        first, *_, last = sorted(group, key=name_of)  # by row, then by diagonal
        return name_of(first) + name_of(last) + name_of(beside(first, direction))
    tail = next(marble for marble in group if beside(marble, direction, -1) not in group)
    return name_of(tail) + name_of(beside(tail, direction))
