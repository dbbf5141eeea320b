"""Abalone as a `Picture`: the board, the names of cells, the lost marbles in their trays, and clicks.

A single marble is moved by clicking on it and on its target. A group is moved in line by
clicking on its tail, its front and the cell ahead of the front, and sideways by clicking
on its marbles and on the target of the one that was clicked last; for three marbles, the
ends are enough. This is never ambiguous: the second click is on a marble of the same side
only for a group, and the last cell is in line with the group only for an in-line move.
"""

from collections.abc import Iterable
from types import MappingProxyType

from boardgames.draw.lattice import hexagonal
from boardgames.kernels import Words
from boardgames.picture import Cell, Label, Palette, Picture, Piece, Tray
from boardgames_abalone.board import (
    CELL_NAMES,
    DIAGONAL_OF,
    MARBLES_TO_WIN,
    NEIGHBOURS,
    ROW_LENGTHS,
    ROW_OF,
    ROWS,
)
from boardgames_abalone.notation import SIDES, cells_of, format_action, lost, moved_cells, split_action

COLOURS = ("#2a2a30", "#f4efe4")
SIDE_NAMES = ("black", "white")

_PLACES = tuple(hexagonal(row, diagonal) for row, diagonal in zip(ROW_OF, DIAGONAL_OF, strict=True))
_CELLS = tuple(Cell(name, x, y, "circle") for name, (x, y) in zip(CELL_NAMES, _PLACES, strict=True))


def draw(words: Words, actions: Iterable[int]) -> Picture:
    """Return the picture of a position.

    Parameters
    ----------
    words : uint64[5]
        Packed position.
    actions : iterable of int
        Its legal actions, which get clicks.
    """
    trays = tuple(_tray(side, count) for side, count in enumerate(lost(words)))
    return Picture(
        cells=_CELLS,
        pieces=tuple(
            Piece(CELL_NAMES[cell], side, SIDES[side])
            for side, cells in enumerate(cells_of(words))
            for cell in cells
        ),
        labels=_LABELS,
        trays=trays,
        winning=frozenset(
            piece.cell for tray in trays for piece in tray.pieces[MARBLES_TO_WIN - 1 : MARBLES_TO_WIN]
        ),
        sides=SIDE_NAMES,
        colours=COLOURS,
        clicks=MappingProxyType({format_action(words, action): clicks(words, action) for action in actions}),
        title="Abalone",
        frame="board",
        palette=Palette(board="#8f6139", cell="#553821", edge="#3a2616"),
    )


def _tray(side: int, count: int) -> Tray:
    """Return the tray with the marbles that a side has lost."""
    name = SIDE_NAMES[side]
    marbles = tuple(Piece(f"{name}-lost-{number + 1}", side, SIDES[side]) for number in range(count))
    return Tray(side, "lost", pieces=marbles, places=MARBLES_TO_WIN)


def clicks(words: Words, action: int) -> tuple[tuple[str, ...], ...]:
    """Return the sequences of clicks that make a legal move; the first one is the one to suggest.

    They select all marbles, or only the two ends, and then the cell that the last one moves to. The last
    sequences of a side-step of three marbles end with the middle one, so that its cell is a target too.
    """
    kind, direction, _ = split_action(action)
    group = moved_cells(words, action)
    if kind > 1:
        group = tuple(sorted(group, key=lambda cell: CELL_NAMES[cell]))
    orders = [group, group[::-1]] if kind > 1 else [group]
    sequences = []
    for order in orders:
        target = int(NEIGHBOURS[order[-1], direction])
        sequences += (
            [(*order, target), (order[0], order[-1], target)] if len(order) > 2 else [(*order, target)]
        )
    if kind > 1 and len(group) > 2:
        first, middle, last = group
        target = int(NEIGHBOURS[middle, direction])
        sequences += [(first, last, middle, target), (last, first, middle, target)]
    return tuple(tuple(CELL_NAMES[cell] for cell in cells) for cells in sequences)


def _labels() -> tuple[Label, ...]:
    """Return the letters of rows, on the left, and the digits of diagonals, at the lower right."""
    labels = []
    for row, letter in enumerate(ROWS):
        x, y = _PLACES[sum(ROW_LENGTHS[:row])]
        labels.append(Label(x - 1.25, y, letter))
    for diagonal in range(1, 10):
        lowest = max(cell for cell, other in enumerate(DIAGONAL_OF) if other == diagonal)
        x, y = hexagonal(ROW_OF[lowest] + 1, diagonal)
        labels.append(Label(x + 0.15, y + 0.1, str(diagonal)))
    return tuple(labels)


_LABELS = _labels()
