"""Slow rules of Hexifence, written from the rules alone: sets of edges between places.

A place is (row, column) of an endless hexagonal lattice whose columns run
down to the right; places on the board are cells. An edge is the pair of
places on its two sides, one of which may be off the board.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

Place = tuple[int, int]
Edge = frozenset[Place]

KINDS = {(True, False): 0, (True, True): 1, (False, False): 2, (False, True): 3}
"""Place of an open edge's kind among the features: does it close a cell, does it offer one."""
NEIGHBOURS = ((0, -1), (-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1))


@cache
def cells(dimension: int) -> tuple[Place, ...]:
    """Return the cells in reading order: those within `dimension` - 1 steps of the middle."""
    near = range(1 - dimension, dimension)
    return tuple((row, column) for row in near for column in near if abs(row + column) < dimension)


def around(cell: Place) -> tuple[Edge, ...]:
    """Return the six edges of a cell."""
    row, column = cell
    return tuple(frozenset({cell, (row + down, column + right)}) for down, right in NEIGHBOURS)


@cache
def edges(dimension: int) -> tuple[Edge, ...]:
    """Return the edges by height of the midpoint, then from left to right."""
    found = {edge for cell in cells(dimension) for edge in around(cell)}
    return tuple(sorted(found, key=lambda edge: (_height(edge), _breadth(edge))))


def _height(edge: Edge) -> int:
    return sum(row for row, _ in edge)


def _breadth(edge: Edge) -> int:
    return sum(2 * column + row for row, column in edge)


@dataclass(frozen=True)
class SlowPosition:
    """Who drew each drawn edge, who owns each closed cell, and whose turn it is."""

    dimension: int
    drawn: tuple[tuple[Edge, int], ...] = ()
    owners: tuple[tuple[Place, int], ...] = ()
    side: int = 0

    def legal_moves(self) -> list[int]:
        """Return the numbers of the open edges, ascending."""
        taken = {edge for edge, _ in self.drawn}
        return [number for number, edge in enumerate(edges(self.dimension)) if edge not in taken]

    def apply(self, number: int) -> "SlowPosition":
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
        """Return the cells of both sides."""
        owners = [side for _, side in self.owners]
        return owners.count(0), owners.count(1)

    def winner(self) -> int | None:
        """Return the side with more cells once no edge is open, or None."""
        if self.legal_moves():
            return None
        blue, red = self.score()
        return 0 if blue > red else 1

    def text(self) -> str:
        """Return the position as `DIMENSION:EDGES:CELLS:SIDE`."""
        drawn, owners = dict(self.drawn), dict(self.owners)
        signs = {None: ".", 0: "B", 1: "R"}
        edge_signs = "".join(signs[drawn.get(edge)] for edge in edges(self.dimension))
        cell_signs = "".join(signs[owners.get(cell)] for cell in cells(self.dimension))
        return f"{self.dimension}:{edge_signs}:{cell_signs}:{signs[self.side]}"

    def features(self, side: int) -> list[int]:
        """Return what the feature set `simple` says, counted from sets."""
        taken = {edge for edge, _ in self.drawn}
        board = set(cells(self.dimension))
        open_around = {cell: [e for e in around(cell) if e not in taken] for cell in board}
        kinds = [0, 0, 0, 0]
        for number in self.legal_moves():
            touched = [open_around[cell] for cell in edges(self.dimension)[number] & board]
            closes = any(len(left) == 1 for left in touched)
            offers = any(len(left) == 2 for left in touched)
            kinds[KINDS[closes, offers]] += 1
        left = [len(found) for found in open_around.values()]
        score = self.score()
        to_move = int(self.side == side)
        return [score[side], score[1 - side], to_move, *kinds, left.count(1), left.count(2)]


class HexifenceReference:
    """The slow rules in the form that `boardgames.testing` compares a game with."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension

    def start(self, text: str) -> SlowPosition:
        """Return the position that a text describes."""
        _, edge_signs, cell_signs, side = text.split(":")
        return SlowPosition(
            self.dimension,
            tuple(_marked(edges(self.dimension), edge_signs)),
            tuple(_marked(cells(self.dimension), cell_signs)),
            "BR".index(side),
        )

    def legal(self, position: SlowPosition) -> list[str]:
        """Return the numbers of the open edges."""
        return [str(number) for number in position.legal_moves()]

    def play(self, position: SlowPosition, move: str) -> SlowPosition:
        """Return the position after drawing an open edge."""
        return position.apply(int(move))

    def outcome(self, position: SlowPosition) -> int:
        """Return the winner, or -1 while an edge is open."""
        winner = position.winner()
        return -1 if winner is None else winner

    def text(self, position: SlowPosition) -> str:
        """Return the text of a position."""
        return position.text()


def _marked(places: tuple[Any, ...], signs: str) -> Iterator[tuple[Any, int]]:  # edges or cells
    for place, sign in zip(places, signs, strict=True):
        if sign != ".":
            yield place, "BR".index(sign)


def line(dimension: int, moves: Iterator[int] | list[int]) -> SlowPosition:
    """Return the position after moves from the empty board."""
    position = SlowPosition(dimension)
    for move in moves:
        position = position.apply(move)
    return position


def perft(position: SlowPosition, depth: int) -> int:
    """Count the leaves `depth` plies below, making every position."""
    if depth == 0:
        return 1
    return sum(perft(position.apply(move), depth - 1) for move in position.legal_moves())
