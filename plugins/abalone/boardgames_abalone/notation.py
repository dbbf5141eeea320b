"""Canonical notation of Abalone: parse and format positions, and moves in Aba-Pro's and Nacre's notation.

A position is `BOARD:SIDE:LOST:LOST`, for instance `.../...:b:0:0`: the rows I to A
from the top, separated by `/`, with `b`, `w` and `.` for empty cells; the side to
move; the marbles lost by black and by white. If only the board is given, `:b:0:0` is
assumed.

Moves are written as on the server Aba-Pro: `a1b2` is the tail marble and the cell ahead of it;
`c3c5d4` is the first marble of a side-step, the last one, and the target of the
first. Nacre's notation, `a1d4`, gives the first marble and the target of the last; it
must be requested by name. The module `dialects` has the notations of other programs.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from boardgames.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    MalformedMoveError,
    PositionError,
    quote,
    suggest,
)
from boardgames.kernels import Words
from boardgames_abalone.board import (
    CELL_NAMES,
    CELL_OF_NAME,
    CELLS,
    DISTANCES,
    MARBLES_TO_WIN,
    MASK_OF_CELL,
    NEIGHBOURS_OF,
    ROW_LENGTHS,
    ROWS,
)
from boardgames_abalone.rules import LOST_SHIFTS, STATUS, TYPE_STRIDE

ABA_PRO = "aba-pro"
NACRE = "nacre"
BOARD = "board"
SIDES = "bw"

LONGEST_CACHED_TEXT = 20
"""Maximum length of move texts whose actions are cached."""

_CELL = re.compile(r"[a-i][1-9]")
_SEPARATORS = re.compile("[ \t,;\u2010-\u2015\u2212-]*")
"""What may stand between the cells of a move: spaces, commas, and hyphens and dashes of any kind."""


def parse_words(text: str) -> Words:
    """Return the packed position of a board text.

    Raises
    ------
    PositionError
        If the text is not a board text.

    Examples
    --------
    >>> format_words(parse_words("wwwww/wwwwww/2www2/8/9/8/2bbb2/bbbbbb/bbbbb"))
    Traceback (most recent call last):
    boardgames.errors.PositionError: row G contains '2'; cells are '.', 'b' or 'w'
    """
    board, side, lost_marbles = split_status(text)
    rows = [check_row(row, index) for index, row in enumerate(split_rows(board))]
    return pack_board("".join(rows), side, lost_marbles)


def format_words(words: Words) -> str:
    """Return the board text of a packed position."""
    side = SIDES[int(words[STATUS]) & 1]
    black, white = lost(words)
    return f"{'/'.join(board_rows(words))}:{side}:{black}:{white}"


def board_rows(words: Words) -> list[str]:
    """Return the rows I to A of a packed position."""
    symbols = ["."] * CELLS
    for symbol, cells in zip(SIDES, cells_of(words), strict=True):
        for cell in cells:
            symbols[cell] = symbol
    symbol_of = iter(symbols)
    return ["".join(next(symbol_of) for _ in range(length)) for length in ROW_LENGTHS]


def split_status(text: str) -> tuple[str, int, tuple[int, int]]:
    """Split `BOARD:SIDE:LOST:LOST` into the board, the side to move, and the marbles lost.

    Raises
    ------
    PositionError
        If the number of parts or one of the values is wrong; the board is not checked.
    """
    board, *status = text.split(":")
    if len(status) not in (0, 3):
        raise PositionError(f"{quote(text)} is not a position; write BOARD or BOARD:SIDE:LOST:LOST")
    side, black, white = status or ("b", "0", "0")
    return board, parse_side(side), (parse_count(black, "marbles lost"), parse_count(white, "marbles lost"))


def lost(words: Words) -> tuple[int, int]:
    """Return the marbles that black and white have lost."""
    status = int(words[STATUS])
    return status >> LOST_SHIFTS[0] & 0xFF, status >> LOST_SHIFTS[1] & 0xFF


def pack_marbles(
    black: Iterable[int], white: Iterable[int], side: int, lost_marbles: tuple[int, int]
) -> Words:
    """Return the packed position with marbles on the given cells."""
    boards = [sum(MASK_OF_CELL[cell] for cell in cells) for cells in (black, white)]
    low = (1 << 64) - 1
    status = side | lost_marbles[0] << LOST_SHIFTS[0] | lost_marbles[1] << LOST_SHIFTS[1]
    halves = [half for board in boards for half in (board & low, board >> 64)]
    return np.array([*halves, status], dtype=np.uint64)


def cells_of(words: Words) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the cells of black's and of white's marbles in ascending order."""
    boards = [marbles_of(words, side) for side in (0, 1)]
    black, white = (tuple(cell for cell, mask in enumerate(MASK_OF_CELL) if board & mask) for board in boards)
    return black, white


def marbles_of(words: Words, side: int) -> int:
    """Return the marbles of a side as a bitboard of 128 bits."""
    return int(words[2 * side]) | int(words[2 * side + 1]) << 64


def moved_cells(words: Words, action: int) -> tuple[int, ...]:
    """Return the cells of the mover's marbles that a legal action moves, the tail or leftmost one first."""
    kind, direction, cell = split_action(action)
    own, group = marbles_of(words, int(words[STATUS]) & 1), [cell]
    if kind == 1:
        while (ahead := NEIGHBOURS_OF[group[-1]][direction]) >= 0 and own & MASK_OF_CELL[ahead]:
            group.append(ahead)
        return tuple(group)
    along = (direction + 1) % 6
    beside = NEIGHBOURS_OF[cell][along]
    if beside < 0 or not own & MASK_OF_CELL[beside]:
        along = (direction + 2) % 6
    for _ in range(kind - 1):
        group.append(NEIGHBOURS_OF[group[-1]][along])
    return tuple(group)


def split_action(action: int) -> tuple[int, int, int]:
    """Return the type (1 to 3), direction (0 to 5) and cell (0 to 60) of an action.

    Examples
    --------
    >>> split_action(366 + 61 * 2 + 56)
    (2, 2, 56)
    """
    return action // TYPE_STRIDE + 1, action % TYPE_STRIDE // CELLS, action % CELLS


def format_action(words: Words, action: int, notation: str | None = None) -> str:
    """Return the Aba-Pro text of a legal action, or its Nacre text."""
    kind, direction, cell = split_action(action)
    if kind == 1 and notation != NACRE:
        return CELL_NAMES[cell] + _name_ahead(cell, direction)
    group = moved_cells(words, action)
    if kind == 1:
        return CELL_NAMES[cell] + _name_ahead(group[-1], direction)
    first, last = sorted((group[0], group[-1]), key=lambda end: CELL_NAMES[end])
    if notation == NACRE:
        return CELL_NAMES[first] + _name_ahead(last, direction)
    return CELL_NAMES[first] + CELL_NAMES[last] + _name_ahead(first, direction)


def parse_action(words: Words, legal: Iterable[int], text: str, notation: str | None = None) -> int:
    """Return the legal action that a move text names.

    Parameters
    ----------
    words : uint64[5]
        Packed position.
    legal : iterable of int
        Its legal actions.
    text : str
        A move in Aba-Pro's notation, or Nacre's if `notation` is `NACRE`, in lower or
        upper case.

    Raises
    ------
    MalformedMoveError, IllegalMoveError, AmbiguousMoveError
        If the text is not a move, the move is not legal, or the text fits two moves, which
        only happens in Nacre's notation.
    """
    if notation == NACRE:
        return _parse_nacre(words, legal, parse_cells(text), text)
    cells, action = (_remembered if len(text) <= LONGEST_CACHED_TEXT else _cells_and_action)(text)
    actions = tuple(legal)
    if action not in actions or not _moves_group(words, action, cells):
        texts = [format_action(words, other) for other in actions]
        same = [other for other in texts if other.startswith(CELL_NAMES[cells[0]])]
        raise IllegalMoveError(f"illegal move {quote(text)}{suggest(text.lower(), same or texts)}")
    return action


def _cells_and_action(text: str) -> tuple[tuple[int, ...], int]:
    """Return the cells of a move text, and its action."""
    cells = parse_cells(text)
    return tuple(cells), action_from_cells(cells, text)


_remembered = lru_cache(maxsize=10_000)(_cells_and_action)  # a file with many matches has few different texts


def action_from_cells(cells: list[int], text: str = "") -> int:
    """Return the action given by two cells (tail and next cell) or three (first, last and target).

    The action need not be legal.

    Raises
    ------
    MalformedMoveError
        If the cells do not form a move; the message quotes `text`.
    """
    return _side_step(cells, text) if len(cells) == 3 else _in_line(cells, text)


def action_cells(words: Words, action: int) -> list[int]:
    """Return the two or three cells of a legal action, in the form that `action_from_cells` takes."""
    kind, direction, cell = split_action(action)
    if kind == 1:
        return [cell, NEIGHBOURS_OF[cell][direction]]
    group = moved_cells(words, action)
    return [group[0], group[-1], NEIGHBOURS_OF[group[0]][direction]]


def _moves_group(words: Words, action: int, cells: Sequence[int]) -> bool:
    """Return True if a legal action moves the group whose ends were given.

    If the leftmost marble has marbles of its side both right-forward and
    right-backward, the action always moves the right-forward group, even if the text
    names the other one.
    """
    if len(cells) == 2:
        return True
    group = moved_cells(words, action)
    return {group[0], group[-1]} == set(cells[:2])


def _in_line(cells: list[int], text: str) -> int:
    tail, target = cells
    if target not in NEIGHBOURS_OF[tail]:
        raise MalformedMoveError(
            f"{quote(text)} is not a move: {CELL_NAMES[tail]} and {CELL_NAMES[target]} are not neighbours"
        )
    return NEIGHBOURS_OF[tail].index(target) * CELLS + tail


def _side_step(cells: list[int], text: str) -> int:
    first, last, target = cells
    length = int(DISTANCES[first, last]) + 1
    along = direction_between(first, last)
    direction = direction_between(first, target)
    if along is None or direction is None or length > 3 or DISTANCES[first, target] != 1:
        raise MalformedMoveError(
            f"{quote(text)} is not a move; for a side-step write the ends of a group of two or three marbles "
            "and the target of the first"
        )
    if along in (direction, (direction + 3) % 6):
        raise MalformedMoveError(
            f"{quote(text)} is not a move; for an in-line move write the tail marble and the cell ahead of it"
        )
    leftmost = first if (along - direction) % 6 in (1, 2) else last
    return (length - 1) * TYPE_STRIDE + direction * CELLS + leftmost


def direction_between(start: int, end: int) -> int | None:
    """Return the direction from one cell to another, or None if they are not in line."""
    for direction in range(6):
        cell = NEIGHBOURS_OF[start][direction]
        while cell >= 0:
            if cell == end:
                return direction
            cell = NEIGHBOURS_OF[cell][direction]
    return None


def _name_ahead(cell: int, direction: int) -> str:
    """Return the name of the cell ahead."""
    return CELL_NAMES[NEIGHBOURS_OF[cell][direction]]


def _parse_nacre(words: Words, legal: Iterable[int], cells: list[int], text: str) -> int:
    if len(cells) != 2:
        raise MalformedMoveError(
            f"{quote(text)} is not a move in Nacre's notation; "
            "write the first marble and the target of the last"
        )
    matching, actions = [], tuple(legal)
    for action in actions:
        kind, direction, _ = split_action(action)
        group = moved_cells(words, action)
        ends = [(group[0], group[-1])] if kind == 1 else [(group[0], group[-1]), (group[-1], group[0])]
        if any(cells == [first, NEIGHBOURS_OF[last][direction]] for first, last in ends):
            matching.append(action)
    if len(matching) == 1:
        return matching[0]
    if matching:
        texts = [format_action(words, action) for action in matching]
        raise AmbiguousMoveError(f"{quote(text)} is ambiguous: {' or '.join(map(repr, texts))}", texts)
    texts = [format_action(words, action, NACRE) for action in actions]
    raise IllegalMoveError(f"illegal move {quote(text)}{suggest(text.lower(), texts)}")


def parse_cells(text: str) -> list[int]:
    """Return the two or three cells that a move text names, which may be separated by spaces or hyphens.

    Raises
    ------
    MalformedMoveError
        If the text is anything else.

    Examples
    --------
    >>> parse_cells("a1b2") == parse_cells("A1-B2") == parse_cells("a1 b2")
    True
    """
    lower = text.lower()
    names = _CELL.findall(lower)
    is_plain = "".join(names) == lower or _SEPARATORS.fullmatch(_CELL.sub("", lower))
    if not is_plain or len(names) not in (2, 3):
        raise MalformedMoveError(f"{quote(text)} is not a move; write moves like a1b2 or c3c5d4")
    for name in names:
        if name not in CELL_OF_NAME:
            raise MalformedMoveError(f"{quote(text)} is not a move: there is no cell {name!r}")
    return [CELL_OF_NAME[name] for name in names]


def split_rows(board: str) -> list[str]:
    """Return the nine rows of a board, which are separated by `/`."""
    rows = board.split("/")
    if len(rows) != len(ROW_LENGTHS):
        raise PositionError(f"a board has 9 rows, I to A, separated by '/', not {len(rows)}: {quote(board)}")
    return rows


def check_row(row: str, index: int, symbols: str = SIDES) -> str:
    """Return a row after checking its length and its cells, `.` or in `symbols`; may raise PositionError."""
    unknown = [symbol for symbol in row if symbol not in symbols and symbol != "."]
    if unknown:
        raise PositionError(
            f"row {ROWS[index]} contains {unknown[0]!r}; cells are '.', {symbols[0]!r} or {symbols[1]!r}"
        )
    if len(row) != ROW_LENGTHS[index]:
        raise PositionError(
            f"row {ROWS[index]} must have {ROW_LENGTHS[index]} cells, not {len(row)}: {quote(row)}"
        )
    return row


def parse_side(text: str) -> int:
    """Return 0 for `b` and 1 for `w`; raise PositionError for any other text."""
    if text not in ("b", "w"):
        raise PositionError(f"the side to move must be 'b' or 'w', not {quote(text)}")
    return SIDES.index(text)


def parse_count(text: str, what: str) -> int:
    """Return a number of marbles from 0 to 6; raise PositionError for any other text."""
    if len(text) != 1 or text not in "0123456":
        raise PositionError(f"{what} must be 0 to {MARBLES_TO_WIN}, not {quote(text)}")
    return int(text)


def pack_board(board: str, side: int, lost_marbles: tuple[int, int]) -> Words:
    """Return the packed position of 61 symbols from row I to row A."""
    black, white = ([cell for cell, symbol in enumerate(board) if symbol == own] for own in SIDES)
    return pack_marbles(black, white, side, lost_marbles)
