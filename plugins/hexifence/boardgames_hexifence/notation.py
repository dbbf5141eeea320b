"""Notation of Hexifence: parse and format positions and moves.

A position is `DIMENSION:EDGES:CELLS:SIDE`: one character `.`, `B` or `R` for
each edge and each cell in the order of their numbers (see `board`), and the
side to move, `B` or `R`. A move is the number of its edge.
"""

import re
from collections.abc import Sequence

import numpy as np

from boardgames.errors import MalformedMoveError, PositionError, shown
from boardgames.kernels import Words
from boardgames_hexifence.board import CELL_WORDS, EDGE_WORDS, WORD_BITS, cells_of, edges_of
from boardgames_hexifence.rules import CELLS_SHIFTS, DIMENSION_SHIFT, FACTS, FIRST, dimension_of, side_to_move

EMPTY = "."
SIDES = "BR"

_WORD_MASK = (1 << WORD_BITS) - 1
_NUMBER = re.compile(r"0|[1-9][0-9]{0,2}")


def start_text(dimension: int) -> str:
    """Return the text of the empty board with B to move.

    Examples
    --------
    >>> start_text(2)
    '2:..............................:.......:B'
    """
    return f"{dimension}:{EMPTY * edges_of(dimension)}:{EMPTY * cells_of(dimension)}:{SIDES[0]}"


def parse_words(text: str, dimension: int) -> Words:
    """Return the packed words, `uint64[words]`, of a position text.

    Raises
    ------
    PositionError
        If it is not of the form, or of another dimension.

    Examples
    --------
    >>> format_words(parse_words("2:B.............................:.......:R", 2))
    '2:B.............................:.......:R'
    """
    parts = text.split(":")
    if len(parts) != 4:
        raise PositionError(f"expected DIMENSION:EDGES:CELLS:SIDE: {shown(text)}")
    if parts[0] != str(dimension):
        raise PositionError(f"expected dimension {dimension}, as the option says: {shown(parts[0])}")
    if parts[3] not in tuple(SIDES):
        raise PositionError(f"expected the side to move, 'B' or 'R': {shown(parts[3])}")
    edges = _sides(parts[1], edges_of(dimension), "edges")
    cells = _sides(parts[2], cells_of(dimension), "cells")
    return pack_sides(dimension, edges, cells, SIDES.index(parts[3]))


def format_words(words: Words) -> str:
    """Return the text of a packed position."""
    dimension = int(dimension_of(words))
    edges, cells = unpack_sides(words)
    signs = ["".join(SIDES[side] if side >= 0 else EMPTY for side in group) for group in (edges, cells)]
    return f"{dimension}:{signs[0]}:{signs[1]}:{SIDES[side_to_move(words)]}"


def parse_edge(text: str, dimension: int) -> int:
    """Return the number of the edge that a move text names.

    Raises
    ------
    MalformedMoveError
        If it is not the number of an edge.

    Examples
    --------
    >>> parse_edge("29", 2)
    29
    """
    last = edges_of(dimension) - 1
    if not _NUMBER.fullmatch(text) or int(text) > last:
        raise MalformedMoveError(f"expected an edge 0 to {last}: {shown(text)}")
    return int(text)


def unpack_sides(words: Words) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return which side drew each edge and which one owns each cell, -1 for none."""
    dimension = int(dimension_of(words))
    groups = _groups(words, dimension)
    edges = tuple(_holder(groups[0], groups[1], edge) for edge in range(edges_of(dimension)))
    cells = tuple(_holder(groups[2], groups[3], cell) for cell in range(cells_of(dimension)))
    return edges, cells


def pack_sides(dimension: int, edges: Sequence[int], cells: Sequence[int], side: int) -> Words:
    """Return the packed words: who drew each edge and owns each cell (-1 none), side to move."""
    groups = (edges, edges, cells, cells)
    words = [side | dimension << DIMENSION_SHIFT]
    for index, (group, count) in enumerate(zip(groups, _word_counts(dimension), strict=True)):
        bits = sum(1 << place for place, holder in enumerate(group) if holder == index % 2)
        words += [bits >> WORD_BITS * word & _WORD_MASK for word in range(count)]
    for holder, shift in enumerate(CELLS_SHIFTS):
        words[FACTS] |= sum(owner == holder for owner in cells) << shift
    return np.array(words, dtype=np.uint64)


def has_unused_bits(words: Words, dimension: int) -> bool:
    """Say whether a bit is set that belongs to no edge and no cell."""
    sizes = (edges_of(dimension), edges_of(dimension), cells_of(dimension), cells_of(dimension))
    return any(group >> size for group, size in zip(_groups(words, dimension), sizes, strict=True))


def has_shared_bits(words: Words, dimension: int) -> bool:
    """Say whether an edge is drawn, or a cell owned, by both sides."""
    groups = _groups(words, dimension)
    return bool(groups[0] & groups[1] or groups[2] & groups[3])


def _groups(words: Words, dimension: int) -> tuple[int, int, int, int]:
    """Return edges of side 0 and 1 and cells of side 0 and 1 as one long integer each."""
    place, numbers = FIRST, []
    for count in _word_counts(dimension):
        part = words[place : place + count].tolist()
        numbers.append(sum(word << WORD_BITS * index for index, word in enumerate(part)))
        place += count
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _word_counts(dimension: int) -> tuple[int, int, int, int]:
    edges, cells = int(EDGE_WORDS[dimension]), int(CELL_WORDS[dimension])
    return edges, edges, cells, cells


def _holder(first: int, second: int, place: int) -> int:
    return 0 if first >> place & 1 else 1 if second >> place & 1 else -1


def _sides(text: str, count: int, what: str) -> tuple[int, ...]:
    """Read one sign for each edge or cell: the side, or -1 for none."""
    foreign = [sign for sign in text if sign not in EMPTY + SIDES]
    if foreign:
        raise PositionError(f"expected '.', 'B' or 'R' for {what}: {foreign[0]!r}")
    if len(text) != count:
        raise PositionError(f"expected {count} {what}: {len(text)} in {shown(text)}")
    return tuple(SIDES.find(sign) for sign in text)
