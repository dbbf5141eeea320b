"""Reference rules of Hexifence, slow but simple: sets of edges between places.

A place is (row, column) of an infinite hexagonal lattice whose columns run down to the
right. Places on the board are cells. An edge is the pair of places on its two sides; one
of them may be off the board.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

Place = tuple[int, int]
Edge = frozenset[Place]

KINDS = {(True, False): 0, (True, True): 1, (False, False): 2, (False, True): 3}
"""Index of the kind of an open edge, given whether it closes a cell and whether it offers one."""
NEIGHBOURS = ((0, -1), (-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1))


@cache
def cells(dimension: int) -> tuple[Place, ...]:
    """Return the cells in reading order: those less than `dimension` steps from the centre."""
    near = range(1 - dimension, dimension)
    return tuple((row, column) for row in near for column in near if abs(row + column) < dimension)


def around(cell: Place) -> tuple[Edge, ...]:
    """Return the six edges of a cell."""
    row, column = cell
    return tuple(frozenset({cell, (row + down, column + right)}) for down, right in NEIGHBOURS)


@cache
def edges(dimension: int) -> tuple[Edge, ...]:
    """Return the edges, sorted by the height of their midpoints and then from left to right."""
    unique = {edge for cell in cells(dimension) for edge in around(cell)}
    return tuple(sorted(unique, key=lambda edge: (_height(edge), _breadth(edge))))


def _height(edge: Edge) -> int:
    return sum(row for row, _ in edge)


def _breadth(edge: Edge) -> int:
    return sum(2 * column + row for row, column in edge)


@dataclass(frozen=True)
class ReferencePosition:
    """Who drew each drawn edge, who owns each closed cell, and the side to move."""

    dimension: int
    drawn: tuple[tuple[Edge, int], ...] = ()
    owners: tuple[tuple[Place, int], ...] = ()
    side: int = 0

    def legal_moves(self) -> list[int]:
        """Return the numbers of the open edges in ascending order."""
        taken = {edge for edge, _ in self.drawn}
        return [number for number, edge in enumerate(edges(self.dimension)) if edge not in taken]

    def apply(self, number: int) -> "ReferencePosition":
        """Return the position after drawing an open edge."""
        edge = edges(self.dimension)[number]
        drawn = (*self.drawn, (edge, self.side))
        taken = {other for other, _ in drawn}
        closed = [
            (cell, self.side)
            for cell in cells(self.dimension)
            if edge in around(cell) and all(other in taken for other in around(cell))
        ]
        side = self.side if closed else 1 - self.side
        return replace(self, drawn=drawn, owners=(*self.owners, *closed), side=side)

    def score(self) -> tuple[int, int]:
        """Return the number of cells of each side."""
        owners = [side for _, side in self.owners]
        return owners.count(0), owners.count(1)

    def winner(self) -> int | None:
        """Return the side with more cells once all edges are drawn, or None before that."""
        if self.legal_moves():
            return None
        blue, red = self.score()
        return 0 if blue > red else 1

    def text(self) -> str:
        """Return the position as `DIMENSION:EDGES:CELLS:SIDE`."""
        drawn, owners = dict(self.drawn), dict(self.owners)
        symbols = {None: ".", 0: "B", 1: "R"}
        edge_symbols = "".join(symbols[drawn.get(edge)] for edge in edges(self.dimension))
        cell_symbols = "".join(symbols[owners.get(cell)] for cell in cells(self.dimension))
        return f"{self.dimension}:{edge_symbols}:{cell_symbols}:{symbols[self.side]}"

    def features(self, side: int) -> list[int]:
        """Return the numbers of the feature set `simple`."""
        taken = {edge for edge, _ in self.drawn}
        board = set(cells(self.dimension))
        open_around = {cell: [e for e in around(cell) if e not in taken] for cell in board}
        kinds = [0, 0, 0, 0]
        for number in self.legal_moves():
            touched = [open_around[cell] for cell in edges(self.dimension)[number] & board]
            closes = any(len(left) == 1 for left in touched)
            offers = any(len(left) == 2 for left in touched)
            kinds[KINDS[closes, offers]] += 1
        left = [len(lines) for lines in open_around.values()]
        score = self.score()
        to_move = int(self.side == side)
        return [score[side], score[1 - side], to_move, *kinds, left.count(1), left.count(2)]


class Reference:
    """The reference rules in the form of `boardgames.testing.Reference`."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension

    def start(self, text: str) -> ReferencePosition:
        """Return the position that a text describes."""
        _, edge_symbols, cell_symbols, side = text.split(":")
        return ReferencePosition(
            self.dimension,
            tuple(_with_sides(edges(self.dimension), edge_symbols)),
            tuple(_with_sides(cells(self.dimension), cell_symbols)),
            "BR".index(side),
        )

    def legal(self, position: ReferencePosition) -> list[str]:
        """Return the numbers of the open edges."""
        return [str(number) for number in position.legal_moves()]

    def play(self, position: ReferencePosition, move: str) -> ReferencePosition:
        """Return the position after drawing an open edge."""
        return position.apply(int(move))

    def outcome(self, position: ReferencePosition) -> int:
        """Return the winner, or -1 while edges are open."""
        winner = position.winner()
        return -1 if winner is None else winner

    def text(self, position: ReferencePosition) -> str:
        """Return the text of a position."""
        return position.text()


def _with_sides(items: tuple[Any, ...], symbols: str) -> Iterator[tuple[Any, int]]:  # edges or cells
    for item, symbol in zip(items, symbols, strict=True):
        if symbol != ".":
            yield item, "BR".index(symbol)


def play(dimension: int, moves: list[int]) -> ReferencePosition:
    """Return the position after a sequence of moves from the empty board."""
    position = ReferencePosition(dimension)
    for move in moves:
        position = position.apply(move)
    return position


def perft(position: ReferencePosition, depth: int) -> int:
    """Return the number of leaves at a depth, visiting every position."""
    if depth == 0:
        return 1
    return sum(perft(position.apply(move), depth - 1) for move in position.legal_moves())
