"""Notation of Hexifence: parse and format positions and moves.

A position is `DIMENSION:EDGES:CELLS:SIDE`: one character `.`, `B` or `R` for each edge and
for each cell, in the order of their numbers (see `board`), and the side to move, `B` or
`R`. The second notation is the board as the original program prints it, followed by the
side to move, which the original does not print. The third is the original's board file,
which has the dimension in its first line. A move is the number of its edge, or
the place of the edge on the printed board, `ROW,COLUMN`.

Source of the printed board: J. Tran and M. Farrugia's Hexifence agent (COMP30024, University
of Melbourne, 2016).
"""

import re
from collections.abc import Sequence

import numpy as np

from boardgames.errors import MalformedMoveError, PositionError, quote
from boardgames.kernels import Words
from boardgames_hexifence.board import (
    CELL_WORDS,
    EDGE_WORDS,
    MAX_DIMENSION,
    MIN_DIMENSION,
    WORD_BITS,
    board,
    cells_of,
    edges_of,
    grid_places,
)
from boardgames_hexifence.rules import (
    CELLS_SHIFTS,
    DIMENSION_SHIFT,
    FIRST,
    STATUS,
    dimension_of,
    side_to_move,
)

CANONICAL, GRID, BOARD_FILE, PLACE = "canonical", "grid", "board-file", "place"
POSITION_NOTATIONS = (CANONICAL, GRID, BOARD_FILE)
"""Names of the notations for positions."""
MOVE_NOTATIONS = (CANONICAL, PLACE)
"""Names of the notations for moves."""
EMPTY = "."
SIDES = "BR"
GRID_FREE, GRID_CELLS, GRID_REST = "+", "br", "-"
"""Symbols of the printed board: an open edge, captured cells of both sides, and everything else."""

_WORD_MASK = (1 << WORD_BITS) - 1
_NUMBER = re.compile(r"0|[1-9][0-9]{0,2}")
_PAIR = r"([0-9]{1,2})(?:\s*[,:]\s*|\s+)([0-9]{1,2})"
_PLACE = re.compile(rf"{_PAIR}|\(\s*{_PAIR}\s*\)", re.ASCII)
_MOVE = re.compile(r"\([^()]*\)|[0-9]+\s*:\s*[0-9]+|[^\s;]+", re.ASCII)
_DIMENSION = re.compile(r"([0-9]+):")
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", GRID_REST))
"""Dashes and minus signs that editors may put in place of a hyphen."""


def start_text(dimension: int) -> str:
    """Return the text of the empty board with B to move.

    Examples
    --------
    >>> start_text(2)
    '2:..............................:.......:B'
    """
    return f"{dimension}:{EMPTY * edges_of(dimension)}:{EMPTY * cells_of(dimension)}:{SIDES[0]}"


def parse_words(text: str, dimension: int, notation: str | None = None) -> Words:
    """Return the packed position that a text describes.

    Parameters
    ----------
    notation : str, optional
        One of `POSITION_NOTATIONS`; by default it is inferred from the text.

    Raises
    ------
    PositionError
        If the text is malformed or has another dimension.

    Examples
    --------
    >>> format_words(parse_words("2:B.............................:.......:R", 2))
    '2:B.............................:.......:R'
    """
    if notation in (GRID, BOARD_FILE) or (notation is None and ("/" in text or len(text.split()) > 1)):
        return _parse_grid(text, dimension, notation)
    parts = text.split(":")
    if len(parts) != 4:
        expected = "DIMENSION:EDGES:CELLS:SIDE"
        if notation is None:
            expected += f", or {_expected_grid(dimension)}"
        raise PositionError(f"{quote(text)} is not a position; write {expected}")
    _check_dimension(parts[0], dimension)
    if parts[3] not in tuple(SIDES):
        raise PositionError(f"the side to move must be 'B' or 'R', not {quote(parts[3])}")
    edges = _parse_sides(parts[1], edges_of(dimension), "edges")
    cells = _parse_sides(parts[2], cells_of(dimension), "cells")
    return pack_sides(dimension, edges, cells, SIDES.index(parts[3]))


def options_for_position(text: str) -> dict[str, int]:
    """Return the dimension that a position or printed board needs, or {} if the text is neither.

    Examples
    --------
    >>> options_for_position("2:..."), options_for_position("4 ...")
    ({'dimension': 2}, {})
    """
    rows = _grid_rows(text)
    if match := _DIMENSION.match(text.strip()):
        number = match[1]
    elif len(rows) > 1 and rows[0].isdigit():
        number = rows[0]
    else:
        is_grid = bool(rows) and len(rows) - len(rows[0]) in (0, 1) and len(rows[0]) % 4 == 3
        number = str((len(rows[0]) + 1) // 4) if is_grid else ""
    dimensions = range(MIN_DIMENSION, MAX_DIMENSION + 1)
    return {"dimension": int(number)} if number in map(str, dimensions) else {}


def format_words(words: Words) -> str:
    """Return the text of a packed position."""
    dimension = int(dimension_of(words))
    edges, cells = unpack_sides(words)
    symbols = ["".join(SIDES[side] if side >= 0 else EMPTY for side in group) for group in (edges, cells)]
    return f"{dimension}:{symbols[0]}:{symbols[1]}:{SIDES[side_to_move(words)]}"


def format_grid(words: Words) -> str:
    """Return the board as the original program prints it, followed by a line with the side to move.

    Examples
    --------
    >>> print(format_grid(parse_words(start_text(2), 2)))
    + + + + - - -
    + - + - + - -
    + + + + + + -
    + - + - + - +
    - + + + + + +
    - - + - + - +
    - - - + + + +
    B
    """
    return "\n".join([*_format_rows(words), SIDES[side_to_move(words)]])


def format_board_file(words: Words) -> str:
    """Return the dimension, the printed board, and the side to move unless the board implies it.

    Examples
    --------
    >>> format_board_file(parse_words(start_text(2), 2)).splitlines()[:2]
    ['2', '+ + + + - - -']
    """
    dimension = int(dimension_of(words))
    side = int(side_to_move(words))
    found = _side_to_move(*unpack_sides(words), dimension)
    last = [SIDES[side]] if (found or 0) != side else []
    return "\n".join([str(dimension), *_format_rows(words), *last])


def _format_rows(words: Words) -> list[str]:
    dimension = int(dimension_of(words))
    size = 4 * dimension - 1
    rows = [[GRID_REST] * size for _ in range(size)]
    symbols = ((*SIDES, GRID_FREE), (*GRID_CELLS, GRID_REST))  # the last of each stands for -1, no side
    groups = zip(grid_places(dimension), unpack_sides(words), symbols, strict=True)
    for places, owners, symbols_of_group in groups:
        for (row, column), owner in zip(places, owners, strict=True):
            rows[row][column] = symbols_of_group[owner]
    return list(map(" ".join, rows))


def split_moves(text: str, notation: str | None = None) -> list[str]:
    """Return the texts of the moves in a line, which are numbers of edges or places.

    Two numbers with only a space between them are two edges, unless the notation is `PLACE`.

    Examples
    --------
    >>> split_moves("12 3,0 (1, 0) 4:1"), split_moves("1 0 2 2"), split_moves("1 0 2 2", PLACE)
    (['12', '3,0', '(1, 0)', '4:1'], ['1', '0', '2', '2'], ['1,0', '2,2'])
    """
    if notation == PLACE and not set(text) - set("0123456789,:;() \t\r\n"):
        numbers = re.findall("[0-9]+", text)
        return [",".join(numbers[index : index + 2]) for index in range(0, len(numbers), 2)]
    if notation == CANONICAL:
        return text.replace(",", " ").split()
    return [word for move in _MOVE.findall(text) if (word := move.strip(","))]


def parse_edge(text: str, dimension: int, notation: str | None = None) -> int:
    """Return the number of the edge that a move text names.

    Parameters
    ----------
    notation : str, optional
        One of `MOVE_NOTATIONS`; by default both are accepted.

    Raises
    ------
    MalformedMoveError
        If the text is neither the number of an edge nor its place on the printed board.

    Examples
    --------
    >>> [parse_edge(text, 2) for text in ("29", "6,6", "(6, 6)", "6:6", "6 6")]
    [29, 29, 29, 29, 29]
    """
    edges, _ = grid_places(dimension)
    last = len(edges) - 1
    if notation != PLACE and _NUMBER.fullmatch(text) and int(text) <= last:
        return int(text)
    if notation != CANONICAL and (match := _PLACE.fullmatch(text)):
        row, column = (number for number in match.groups() if number is not None)
        place = int(row), int(column)
        if place in edges:
            return edges.index(place)
        raise MalformedMoveError(
            f"the printed board has no edge at {quote(text)}; 'show --notation grid' marks open edges by +"
        )
    expected = {PLACE: "write ROW,COLUMN", CANONICAL: f"edges are 0 to {last}"}.get(
        notation or "", f"edges are 0 to {last}, or ROW,COLUMN"
    )
    raise MalformedMoveError(f"{quote(text)} is not an edge; {expected}")


def format_edge(edge: int, dimension: int, notation: str | None = None) -> str:
    """Return the number of an edge or, in the notation `PLACE`, its place on the printed board.

    Examples
    --------
    >>> format_edge(29, 2), format_edge(29, 2, PLACE)
    ('29', '6,6')
    """
    if notation != PLACE:
        return str(edge)
    edges, _ = grid_places(dimension)
    return "{},{}".format(*edges[edge])


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
    """Return True if a bit is set that stands for neither an edge nor a cell."""
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


def _expected_grid(dimension: int) -> str:
    return f"{4 * dimension - 1} rows of the printed board and the side to move, 'B' or 'R'"


def _check_dimension(number: str, dimension: int) -> None:
    if number == str(dimension):
        return
    dimensions = map(str, range(MIN_DIMENSION, MAX_DIMENSION + 1))
    advice = f"; set the option dimension={number}" if number in dimensions else ""
    raise PositionError(f"the position has dimension {quote(number)}, but the game has {dimension}{advice}")


def _grid_rows(text: str) -> list[str]:
    """Return the lines of a printed board, without spaces and with hyphens instead of other dashes."""
    lines = re.split(r"[/\n]", text.translate(_DASHES))
    return [row for line in lines if (row := "".join(line.split()))]


def _parse_grid(text: str, dimension: int, notation: str | None) -> Words:
    """Return the packed position of a printed board, which may be a board file.

    The side to move may be missing if the edges and cells imply it. If they do not, a board file has blue
    to move. A closed cell without an owner belongs to the side that has drawn more of its edges, or to blue
    if both have drawn three.
    """
    size = 4 * dimension - 1
    rows = _grid_rows(text)
    is_file = bool(rows) and rows[0].isdigit()
    if is_file and notation != GRID:
        _check_dimension(rows.pop(0), dimension)
    elif notation == BOARD_FILE:
        raise PositionError(f"{quote(text)} is not a board file; write the dimension in the first line")
    if len(rows) not in (size, size + 1):
        raise PositionError(
            f"{quote(text)} is not a board of dimension {dimension}; write {_expected_grid(dimension)}"
        )
    side = rows.pop() if len(rows) > size else ""
    if side not in ("", *SIDES):
        raise PositionError(f"the side to move, after the rows, must be 'B' or 'R', not {quote(side)}")
    for number, row in enumerate(rows):
        if len(row) != size:
            raise PositionError(f"row {number} must have {size} symbols, not {len(row)}: {quote(row)}")
    edges, cells = grid_places(dimension)
    drawn = [_grid_side(rows, place, SIDES + GRID_FREE, "edge") for place in edges]
    owned = [_grid_side(rows, place, GRID_CELLS + GRID_REST, "cell") for place in cells]
    used = {*edges, *cells}
    for place in ((row, column) for row in range(size) for column in range(size)):
        symbol = rows[place[0]][place[1]]
        if place not in used and symbol != GRID_REST:
            where = f"{place[0]},{place[1]}"
            raise PositionError(f"there is no edge or cell at {where}; write '-', not {symbol!r}")
    owned = [
        _majority([drawn[edge] for edge in around]) if owner < 0 else owner
        for owner, around in zip(owned, board(dimension).edges_of_cell, strict=True)
    ]
    to_move = SIDES.index(side) if side else _side_to_move(drawn, owned, dimension)
    if to_move is None and not is_file:
        raise PositionError("the side to move is missing; write 'B' or 'R' after the rows")
    return pack_sides(dimension, drawn, owned, to_move or 0)


def _majority(owners: Sequence[int]) -> int:
    """Return the side that drew more edges of a closed cell, side 0 if both drew three; -1 if it is open."""
    return -1 if -1 in owners else int(owners.count(1) > owners.count(0))


def _side_to_move(drawn: Sequence[int], owned: Sequence[int], dimension: int) -> int | None:
    """Return the side to move if the owners of edges and cells imply it, otherwise None.

    A side moves until it draws an edge that captures nothing. So both sides have drawn equally many such
    edges if side 0 is to move, and side 0 has drawn one more if side 1 is to move. An edge captures at most
    two cells, and two only if it is between them and all three belong to the same side.
    """
    if all(owner < 0 for owner in owned):
        return sum(owner >= 0 for owner in drawn) % 2
    ranges = []
    for side in (0, 1):
        least = drawn.count(side) - owned.count(side)
        shared = sum(
            drawn[edge] == side and len(cells) > 1 and all(owned[cell] == side for cell in cells)
            for edge, cells in enumerate(board(dimension).cells_of_edge)
        )
        ranges.append(range(least, least + min(shared, owned.count(side) // 2) + 1))
    leads = {first - second for first in ranges[0] for second in ranges[1]} & {0, 1}
    return leads.pop() if len(leads) == 1 else None


def _grid_side(rows: Sequence[str], place: tuple[int, int], symbols: str, what: str) -> int:
    """Return the side at a place of a printed board, -1 for neither, which the last symbol stands for."""
    row, column = place
    index = symbols.find(rows[row][column])
    if index < 0:
        expected = f"{symbols[0]!r}, {symbols[1]!r} or {symbols[2]!r}"
        raise PositionError(f"the {what} at {row},{column} must be {expected}, not {rows[row][column]!r}")
    return -1 if index == len(SIDES) else index


def _parse_sides(text: str, count: int, what: str) -> tuple[int, ...]:
    """Return the side that each character stands for, or -1 for neither side."""
    unknown = [symbol for symbol in text if symbol not in EMPTY + SIDES]
    if unknown:
        raise PositionError(f"the {what} contain {unknown[0]!r}; write '.', 'B' or 'R'")
    if len(text) != count:
        raise PositionError(f"the position must have {count} {what}, not {len(text)}: {quote(text)}")
    return tuple(SIDES.find(symbol) for symbol in text)
