"""Abalone as a `Picture`: the board, its names, the score in the corners, and clicks.

Clicks that make a move: a single marble and its target; a group by its tail,
its front and the cell after the front; a group that steps sideways by one
end, the other end, and the target next to that end, from either end. The
second click is an own marble for groups only, and the last cell lies in line
with an in-line group only, so no clicks fit two moves.
"""

from collections.abc import Iterable
from types import MappingProxyType

from boardgames.draw.lattice import hexagonal
from boardgames.kernels import Words
from boardgames.picture import Caption, Cell, Label, Picture, Piece
from boardgames_abalone.board import CELL_NAMES, DIAGONAL_OF, NEIGHBOURS, ROW_LENGTHS, ROW_OF, ROWS
from boardgames_abalone.notation import SIDES, cells_of, format_action, lost, marbles, split

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
        Its legal actions, for the clicks.
    """
    black_lost, white_lost = lost(words)
    return Picture(
        cells=_CELLS,
        pieces=tuple(
            Piece(CELL_NAMES[cell], side, SIDES[side])
            for side, cells in enumerate(cells_of(words))
            for cell in cells
        ),
        labels=_LABELS,
        captions=(
            Caption("top-left", f"{SIDE_NAMES[1]} {black_lost}"),
            Caption("bottom-left", f"{SIDE_NAMES[0]} {white_lost}"),
        ),
        sides=SIDE_NAMES,
        colours=COLOURS,
        clicks=MappingProxyType({format_action(words, action): clicks(words, action) for action in actions}),
        title="Abalone",
        surface="wood",
    )


def clicks(words: Words, action: int) -> tuple[tuple[str, ...], ...]:
    """Return the sequences of cell names that make a legal action, the one to show first."""
    kind, direction, _ = split(action)
    group = marbles(words, action)
    first, last = group[0], group[-1]
    if kind > 1:
        first, last = sorted((first, last), key=lambda end: CELL_NAMES[end])
    ways = [(first, last, int(NEIGHBOURS[last, direction]))]
    if kind > 1:
        ways.append((last, first, int(NEIGHBOURS[first, direction])))
    # a single marble is clicked once
    return tuple(tuple(CELL_NAMES[cell] for cell in dict.fromkeys(way)) for way in ways)


def _labels() -> tuple[Label, ...]:
    """Return row letters on the left and diagonal digits at the lower right."""
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
