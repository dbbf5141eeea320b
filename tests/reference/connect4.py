"""Reference rules of Connect Four, slow but simple: a string of stones per column."""

from collections.abc import Iterator
from dataclasses import dataclass

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
VALUES = {
    (4, 4): "=", (5, 4): "=", (6, 4): "-", (7, 4): "=", (8, 4): "-",
    (4, 5): "=", (5, 5): "=", (6, 5): "=", (7, 5): "=", (8, 5): "+",
    (4, 6): "=", (5, 6): "=", (6, 6): "-", (7, 6): "+", (8, 6): "-",
    (4, 7): "=", (5, 7): "=", (6, 7): "+", (7, 7): "=", (8, 7): "+",
}  # fmt: skip
"""Whether the first player wins, draws or loses, by columns and rows of the board; source: J. Tromp."""
FIRST_MOVE_SCORES = (-2, -1, 0, 1, 0, -1, -2)
"""The score of each first move on 7 x 6."""


@dataclass(frozen=True)
class ReferencePosition:
    """The columns from the left, each with its stones from the bottom, `r` or `b`."""

    stones: tuple[str, ...]
    rows: int

    @classmethod
    def start(cls, columns: int = 7, rows: int = 6) -> "ReferencePosition":
        """Return the empty board."""
        return cls(("",) * columns, rows)

    @property
    def side_to_move(self) -> str:
        """Return `r` or `b`; red starts and the sides alternate."""
        return "rb"[sum(len(column) for column in self.stones) % 2]

    def at(self, column: int, row: int) -> str:
        """Return the stone on a cell, `.` if it is empty, or an empty string off the board."""
        if not (0 <= column < len(self.stones) and 0 <= row < self.rows):
            return ""
        return self.stones[column][row] if row < len(self.stones[column]) else "."

    def lines(self) -> Iterator[tuple[tuple[int, int], ...]]:
        """Yield every line of four cells of the board."""
        for column in range(len(self.stones)):
            for row in range(self.rows):
                for right, up in DIRECTIONS:
                    line = tuple((column + right * index, row + up * index) for index in range(4))
                    if self.at(*line[3]):
                        yield line

    def line_contents(self) -> Iterator[str]:
        """Yield the contents of the four cells of every line."""
        for line in self.lines():
            yield "".join(self.at(*cell) for cell in line)

    @property
    def outcome(self) -> str | None:
        """Return the winner, `draw` if the board is full, or None if the match is ongoing."""
        contents = set(self.line_contents())
        for stone in "rb":
            if stone * 4 in contents:
                return stone
        return "draw" if all(len(column) == self.rows for column in self.stones) else None

    def legal_moves(self) -> list[int]:
        """Return the columns that are not full, counted from 1."""
        if self.outcome is not None:
            return []
        return [index for index, column in enumerate(self.stones, 1) if len(column) < self.rows]

    def apply(self, column: int) -> "ReferencePosition":
        """Return the position after dropping a stone into a column, counted from 1."""
        stones = list(self.stones)
        stones[column - 1] += self.side_to_move
        return ReferencePosition(tuple(stones), self.rows)

    def text(self) -> str:
        """Return the rows from the top, separated by `/`."""
        return "/".join(
            "".join(self.at(column, row) for column in range(len(self.stones)))
            for row in range(self.rows - 1, -1, -1)
        )

    def perft(self, depth: int) -> int:
        """Return the number of lines of play of `depth` plies."""
        if depth == 0:
            return 1
        return sum(self.apply(move).perft(depth - 1) for move in self.legal_moves())

    def open_lines(self, stone: str, count: int) -> int:
        """Return the number of lines with `count` stones of one side and none of the other."""
        contents = self.line_contents()
        return sum(line.count(stone) == count and line.count(".") == 4 - count for line in contents)

    def threats(self, stone: str) -> set[tuple[int, int]]:
        """Return the empty cells (column, row) that would complete four in a line."""
        return {
            cell
            for line in self.lines()
            if [self.at(*place) for place in line].count(stone) == 3
            for cell in line
            if self.at(*cell) == "."
        }


class Reference:
    """The reference rules in the form of `boardgames.testing.Reference`."""

    def __init__(self, columns: int = 7, rows: int = 6) -> None:
        self.columns = columns
        self.rows = rows

    def start(self, text: str) -> ReferencePosition:
        """Return the position that a text of rows describes."""
        columns = zip(*reversed(text.split("/")), strict=True)
        return ReferencePosition(tuple("".join(column).rstrip(".") for column in columns), self.rows)

    def legal(self, state: ReferencePosition) -> list[str]:
        """Return the columns that are not full."""
        return [str(column) for column in state.legal_moves()]

    def play(self, state: ReferencePosition, move: str) -> ReferencePosition:
        """Return the position after dropping a stone into a column."""
        return state.apply(int(move))

    def outcome(self, state: ReferencePosition) -> int:
        """Return the winning side, 2 for a draw, or -1 if the match is ongoing."""
        return {None: -1, "r": 0, "b": 1, "draw": 2}[state.outcome]

    def text(self, state: ReferencePosition) -> str:
        """Return the rows."""
        return state.text()


class ReferenceSolver:
    """Computes exact scores by plain negamax with a dictionary, for positions with few empty cells."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        empty = ReferencePosition.start(columns, rows)
        self.lines = [sum(1 << row * columns + column for column, row in line) for line in empty.lines()]
        self.known: dict[tuple[int, int], int] = {}

    def score(self, position: ReferencePosition) -> int:
        """Return (cells + 1 - discs before the winning disc) // 2, negative if the side to move loses."""
        sides = {"r": 0, "b": 0}
        for column, stones in enumerate(position.stones):
            for row, stone in enumerate(stones):
                sides[stone] |= 1 << row * self.columns + column
        own = sides.pop(position.side_to_move)
        return self._score(own, *sides.values())

    def _score(self, own: int, other: int) -> int:
        if (own, other) not in self.known:
            left = self.columns * self.rows - (own | other).bit_count()
            scores = [
                (left + 1) // 2 if self._has_four(own | cell) else -self._score(other, own | cell)
                for cell in self._cells(own | other)
            ]
            self.known[own, other] = max(scores, default=0)
        return self.known[own, other]

    def _has_four(self, stones: int) -> bool:
        return any(stones & line == line for line in self.lines)

    def _cells(self, stones: int) -> Iterator[int]:
        for column in range(self.columns):
            for row in range(self.rows):
                cell = 1 << row * self.columns + column
                if not stones & cell:
                    yield cell
                    break
