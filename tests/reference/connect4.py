"""Slow rules of Connect Four, written from the rules alone: a list of stones per column."""

from collections.abc import Iterator
from dataclasses import dataclass

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


@dataclass(frozen=True)
class SlowPosition:
    """The columns from the left, each with its stones from the bottom: `r` and `b`."""

    stones: tuple[str, ...]
    rows: int

    @classmethod
    def start(cls, columns: int = 7, rows: int = 6) -> "SlowPosition":
        """Return the empty board."""
        return cls(("",) * columns, rows)

    @property
    def side_to_move(self) -> str:
        """Return `r` or `b`: red begins and the sides take turns."""
        return "rb"[sum(len(column) for column in self.stones) % 2]

    def at(self, column: int, row: int) -> str:
        """Return the stone on a cell, `.` on an empty one, nothing off the board."""
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

    def held(self) -> Iterator[str]:
        """Yield the four cells' content of every line."""
        for line in self.lines():
            yield "".join(self.at(*cell) for cell in line)

    @property
    def outcome(self) -> str | None:
        """Return the winner, `draw` for a full board without one, or None."""
        held = set(self.held())
        for stone in "rb":
            if stone * 4 in held:
                return stone
        return "draw" if all(len(column) == self.rows for column in self.stones) else None

    def legal_moves(self) -> list[int]:
        """Return the columns, from 1, that take a stone."""
        if self.outcome is not None:
            return []
        return [index for index, column in enumerate(self.stones, 1) if len(column) < self.rows]

    def apply(self, column: int) -> "SlowPosition":
        """Return the position after a stone in a column, from 1."""
        stones = list(self.stones)
        stones[column - 1] += self.side_to_move
        return SlowPosition(tuple(stones), self.rows)

    def text(self) -> str:
        """Return the rows from the top with `/` between them."""
        return "/".join(
            "".join(self.at(column, row) for column in range(len(self.stones)))
            for row in range(self.rows - 1, -1, -1)
        )

    def perft(self, depth: int) -> int:
        """Count the positions after `depth` plies, each way to them counted."""
        if depth == 0:
            return 1
        return sum(self.apply(move).perft(depth - 1) for move in self.legal_moves())

    def open_lines(self, stone: str, count: int) -> int:
        """Count the lines with `count` stones of one side and none of the other."""
        return sum(held.count(stone) == count and held.count(".") == 4 - count for held in self.held())

    def threats(self, stone: str) -> set[tuple[int, int]]:
        """Return the empty cells (column, row) that would complete four, reachable now or not."""
        return {
            cell
            for line in self.lines()
            if [self.at(*place) for place in line].count(stone) == 3
            for cell in line
            if self.at(*cell) == "."
        }


class Reference:
    """The slow rules as `boardgames.testing.Reference` asks for them."""

    def __init__(self, columns: int = 7, rows: int = 6) -> None:
        self.columns = columns
        self.rows = rows

    def start(self, text: str) -> SlowPosition:
        """Return the position of a text of rows."""
        columns = zip(*reversed(text.split("/")), strict=True)
        return SlowPosition(tuple("".join(column).rstrip(".") for column in columns), self.rows)

    def legal(self, state: SlowPosition) -> list[str]:
        """Return the columns that take a stone."""
        return [str(column) for column in state.legal_moves()]

    def play(self, state: SlowPosition, move: str) -> SlowPosition:
        """Return the position after a stone in a column."""
        return state.apply(int(move))

    def outcome(self, state: SlowPosition) -> int:
        """Return -1 if the match goes on, the winning side, or 2 for a draw."""
        return {None: -1, "r": 0, "b": 1, "draw": 2}[state.outcome]

    def text(self, state: SlowPosition) -> str:
        """Return the rows."""
        return state.text()
