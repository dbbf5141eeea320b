"""Notation of Hexifence: parse and format positions and moves.

A position is `DIMENSION:EDGES:CELLS:SIDE`: one character `.`, `B` or `R` for each edge and
for each cell, in the order of their numbers (see `board`), and the side to move, `B` or
`R`. A move is the number of its edge.
"""

import re
from collections.abc import Sequence

import numpy as np

from boardgames.errors import MalformedMoveError, PositionError, quote
from boardgames.kernels import Words
from boardgames_hexifence.board import CELL_WORDS, EDGE_WORDS, WORD_BITS, cells_of, edges_of
from boardgames_hexifence.rules import (
    CELLS_SHIFTS,
    DIMENSION_SHIFT,
    FIRST,
    STATUS,
    dimension_of,
    side_to_move,
)

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
    """Return the packed position of a text.

    Raises
    ------
    PositionError
        If the text is malformed or has another dimension.

    Examples
    --------
    >>> format_words(parse_words("2:B.............................:.......:R", 2))
    '2:B.............................:.......:R'
    """
    parts = text.split(":")
    if len(parts) != 4:
        raise PositionError(f"{quote(text)} is not a position; write DIMENSION:EDGES:CELLS:SIDE")
    if parts[0] != str(dimension):
        raise PositionError(f"the position has dimension {quote(parts[0])}, but the game has {dimension}")
    if parts[3] not in tuple(SIDES):
        raise PositionError(f"the side to move must be 'B' or 'R', not {quote(parts[3])}")
    edges = _parse_sides(parts[1], edges_of(dimension), "edges")
    cells = _parse_sides(parts[2], cells_of(dimension), "cells")
    return pack_sides(dimension, edges, cells, SIDES.index(parts[3]))


def format_words(words: Words) -> str:
    """Return the text of a packed position."""
    dimension = int(dimension_of(words))
    edges, cells = unpack_sides(words)
    symbols = ["".join(SIDES[side] if side >= 0 else EMPTY for side in group) for group in (edges, cells)]
    return f"{dimension}:{symbols[0]}:{symbols[1]}:{SIDES[side_to_move(words)]}"


def parse_edge(text: str, dimension: int) -> int:
    """Return the edge of a move text.

    Raises
    ------
    MalformedMoveError
        If the text is not the number of an edge.

    Examples
    --------
    >>> parse_edge("29", 2)
    29
    """
    last = edges_of(dimension) - 1
    if not _NUMBER.fullmatch(text) or int(text) > last:
        raise MalformedMoveError(f"{quote(text)} is not an edge; edges are 0 to {last}")
    return int(text)


def unpack_sides(words: Words) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the side that drew each edge and the side that owns each cell; -1 stands for neither."""
    dimension = int(dimension_of(words))
    groups = _groups(words, dimension)
    edges = tuple(_owner_of(groups[0], groups[1], edge) for edge in range(edges_of(dimension)))
    cells = tuple(_owner_of(groups[2], groups[3], cell) for cell in range(cells_of(dimension)))
    return edges, cells


def pack_sides(dimension: int, edges: Sequence[int], cells: Sequence[int], side: int) -> Words:
    """Return the packed position, given who drew each edge and owns each cell (-1 for none)."""
    groups = (edges, edges, cells, cells)
    words = [side | dimension << DIMENSION_SHIFT]
    for index, (group, count) in enumerate(zip(groups, _word_counts(dimension), strict=True)):
        bits = sum(1 << number for number, owner in enumerate(group) if owner == index % 2)
        words += [bits >> WORD_BITS * word & _WORD_MASK for word in range(count)]
    for owner, shift in enumerate(CELLS_SHIFTS):
        words[STATUS] |= sum(cell_owner == owner for cell_owner in cells) << shift
    return np.array(words, dtype=np.uint64)


def has_unused_bits(words: Words, dimension: int) -> bool:
    """Return True if any bit is set that does not belong to an edge or a cell."""
    sizes = (edges_of(dimension), edges_of(dimension), cells_of(dimension), cells_of(dimension))
    return any(group >> size for group, size in zip(_groups(words, dimension), sizes, strict=True))


def has_shared_bits(words: Words, dimension: int) -> bool:
    """Return True if both sides have drawn the same edge or own the same cell."""
    groups = _groups(words, dimension)
    return bool(groups[0] & groups[1] or groups[2] & groups[3])


def _groups(words: Words, dimension: int) -> tuple[int, int, int, int]:
    """Return the edges of both sides and the cells of both sides as four integers."""
    start, numbers = FIRST, []
    for count in _word_counts(dimension):
        part = words[start : start + count].tolist()
        numbers.append(sum(word << WORD_BITS * index for index, word in enumerate(part)))
        start += count
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _word_counts(dimension: int) -> tuple[int, int, int, int]:
    edges, cells = int(EDGE_WORDS[dimension]), int(CELL_WORDS[dimension])
    return edges, edges, cells, cells


def _owner_of(first: int, second: int, bit: int) -> int:
    return 0 if first >> bit & 1 else 1 if second >> bit & 1 else -1


def _parse_sides(text: str, count: int, what: str) -> tuple[int, ...]:
    """Return the side that each character stands for; -1 stands for neither."""
    unknown = [symbol for symbol in text if symbol not in EMPTY + SIDES]
    if unknown:
        raise PositionError(f"the {what} contain {unknown[0]!r}; write '.', 'B' or 'R'")
    if len(text) != count:
        raise PositionError(f"the position must have {count} {what}, not {len(text)}: {quote(text)}")
    return tuple(SIDES.find(symbol) for symbol in text)
