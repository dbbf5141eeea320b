"""Notation of Abalone: parse and format positions and moves.

Positions are `BOARD:b:0:0` (rows I to A from the top with `/` between, `b`,
`w` and `.`; the side to move; marbles lost by black and by white), a bare
board, which means `:b:0:0`, or PlayStrategy's FEN: `S` black and `s` white,
digits for empty cells, then the marbles pushed off by black and by white, the
side to move, plies since a push-off and the number of the move; the last two
belong to the match and are read but not kept.

Moves are Aba-Pro texts, `a1b2` the tail marble and its own next cell, `c3c5d4`
the first marble, the last, and the first one's target; or, when asked for by
name, Nacre: first marble and last marble's target, `a1d4`.
"""

import re
from collections.abc import Iterable

import numpy as np

from boardgames.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    MalformedMoveError,
    PositionError,
    near,
    shown,
)
from boardgames.kernels import Words
from boardgames_abalone.board import (
    BIT_OF_CELL,
    CELL_NAMES,
    CELL_OF_NAME,
    CELLS,
    DISTANCES,
    MARBLES_TO_WIN,
    NEIGHBOURS,
    ROW_LENGTHS,
    ROWS,
)
from boardgames_abalone.rules import LOST_SHIFTS, STATUS, TYPE_STRIDE

ABA_PRO = "aba-pro"
NACRE = "nacre"
BOARD = "board"
FEN = "fen"
SIDES = "bw"
FEN_MARBLES = "Ss"

_CELL = re.compile(r"[a-i][1-9]")


def parse_words(text: str, notation: str | None = None) -> Words:
    """Return the packed words of a position text.

    Raises
    ------
    PositionError
        If it is neither a board text nor a FEN, or not the one asked for.

    Examples
    --------
    >>> format_words(parse_words("wwwww/wwwwww/2www2/8/9/8/2bbb2/bbbbbb/bbbbb"))
    Traceback (most recent call last):
    boardgames.errors.PositionError: expected '.', 'b' or 'w' in row G: '2'
    """
    fields = text.split()
    if notation == FEN or (notation is None and len(fields) > 1):
        return _parse_fen(fields, text)
    parts = text.split(":")
    if len(parts) not in (1, 4):
        raise PositionError(f"expected BOARD or BOARD:SIDE:LOST:LOST: {shown(text)}")
    side, *lost = parts[1:] or ("b", "0", "0")
    rows = [_row(row, index, SIDES) for index, row in enumerate(_rows(parts[0]))]
    return _pack("".join(rows), _side(side), [_count(count, "marbles lost") for count in lost])


def format_words(words: Words, notation: str | None = None) -> str:
    """Return the board text of a packed position, or its FEN."""
    signs = ["."] * CELLS
    for sign, cells in zip(SIDES, cells_of(words), strict=True):
        for cell in cells:
            signs[cell] = sign
    line = iter(signs)
    rows = ["".join(next(line) for _ in range(length)) for length in ROW_LENGTHS]
    side = SIDES[int(words[STATUS]) & 1]
    black, white = lost(words)
    if notation != FEN:
        return f"{'/'.join(rows)}:{side}:{black}:{white}"
    table = str.maketrans(SIDES, FEN_MARBLES)
    short = [re.sub(r"\.+", lambda gap: str(len(gap[0])), row.translate(table)) for row in rows]
    return f"{'/'.join(short)} {white} {black} {side} 0 1"


def lost(words: Words) -> tuple[int, int]:
    """Return the marbles that black and white have lost."""
    facts = int(words[STATUS])
    return facts >> LOST_SHIFTS[0] & 0xFF, facts >> LOST_SHIFTS[1] & 0xFF


def pack_marbles(
    black: Iterable[int], white: Iterable[int], side: int, lost_marbles: tuple[int, int]
) -> Words:
    """Return the packed words of marbles on cells, the side to move and the marbles lost."""
    boards = [sum(1 << int(BIT_OF_CELL[cell]) for cell in cells) for cells in (black, white)]
    low = (1 << 64) - 1
    facts = side | lost_marbles[0] << LOST_SHIFTS[0] | lost_marbles[1] << LOST_SHIFTS[1]
    halves = [half for board in boards for half in (board & low, board >> 64)]
    return np.array([*halves, facts], dtype=np.uint64)


def cells_of(words: Words) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the cells of black's and of white's marbles, ascending."""
    boards = [int(words[2 * side]) | int(words[2 * side + 1]) << 64 for side in (0, 1)]
    black, white = (
        tuple(cell for cell in range(CELLS) if board >> int(BIT_OF_CELL[cell]) & 1) for board in boards
    )
    return black, white


def marbles(words: Words, action: int) -> tuple[int, ...]:
    """Return the own cells that a legal action moves, from the tail or leftmost marble on."""
    kind, direction, cell = split(action)
    own = set(cells_of(words)[int(words[STATUS]) & 1])
    if kind == 1:
        group = [cell]
        while int(NEIGHBOURS[group[-1], direction]) in own:
            group.append(int(NEIGHBOURS[group[-1], direction]))
        return tuple(group)
    along = (direction + 1) % 6
    if int(NEIGHBOURS[cell, along]) not in own:
        along = (direction + 2) % 6
    group = [cell]
    for _ in range(kind - 1):
        group.append(int(NEIGHBOURS[group[-1], along]))
    return tuple(group)


def split(action: int) -> tuple[int, int, int]:
    """Return type (1 to 3), direction (0 to 5) and cell (0 to 60) of an action.

    Examples
    --------
    >>> split(366 + 61 * 2 + 56)
    (2, 2, 56)
    """
    return action // TYPE_STRIDE + 1, action % TYPE_STRIDE // CELLS, action % CELLS


def format_action(words: Words, action: int, notation: str | None = None) -> str:
    """Return the Aba-Pro text of a legal action, or its Nacre text."""
    kind, direction, cell = split(action)
    if kind == 1 and notation != NACRE:
        return CELL_NAMES[cell] + _ahead(cell, direction)
    group = marbles(words, action)
    if kind == 1:
        return CELL_NAMES[cell] + _ahead(group[-1], direction)
    first, last = sorted((group[0], group[-1]), key=lambda end: CELL_NAMES[end])
    if notation == NACRE:
        return CELL_NAMES[first] + _ahead(last, direction)
    return CELL_NAMES[first] + CELL_NAMES[last] + _ahead(first, direction)


def parse_action(words: Words, legal: Iterable[int], text: str, notation: str | None = None) -> int:
    """Return the legal action that a move text names.

    Parameters
    ----------
    words : uint64[5]
        Packed position.
    legal : iterable of int
        Its legal actions.
    text : str
        Aba-Pro, or Nacre if `notation` says so; upper case is read too.

    Raises
    ------
    MalformedMoveError, IllegalMoveError, AmbiguousMoveError
        If the text is no move, not legal, or Nacre that fits two legal moves.
    """
    cells = _cells(text)
    if notation == NACRE:
        return _parse_nacre(words, legal, cells, text)
    action = action_of(cells, text)
    actions = tuple(legal)
    if action not in actions or not _is_named(words, action, cells):
        texts = [format_action(words, other) for other in actions]
        same = [other for other in texts if other.startswith(CELL_NAMES[cells[0]])]
        raise IllegalMoveError(f"expected a legal move: {text!r}{near(text.lower(), same or texts)}")
    return action


def action_of(cells: list[int], text: str = "") -> int:
    """Return the action, legal or not, of tail and next cell or of first, last and target.

    Raises
    ------
    MalformedMoveError
        If the cells make no move; the message quotes `text`.
    """
    return _side_step(cells, text) if len(cells) == 3 else _in_line(cells, text)


def action_cells(words: Words, action: int) -> list[int]:
    """Return the cells that name a legal action: those that `action_of` takes."""
    kind, direction, cell = split(action)
    if kind == 1:
        return [cell, int(NEIGHBOURS[cell, direction])]
    group = marbles(words, action)
    return [group[0], group[-1], int(NEIGHBOURS[group[0], direction])]


def _is_named(words: Words, action: int, cells: list[int]) -> bool:
    """Say whether the group that a legal action moves is the one whose ends were given.

    Where own marbles lie on both sides of the leftmost one, the action is the
    right-forward group's, whichever of the two was named.
    """
    group = marbles(words, action)
    return len(cells) == 2 or {group[0], group[-1]} == set(cells[:2])


def _in_line(cells: list[int], text: str) -> int:
    tail, target = cells
    if target not in NEIGHBOURS[tail]:
        raise MalformedMoveError(f"expected the tail marble and its own next cell: {text!r}")
    return int(np.flatnonzero(NEIGHBOURS[tail] == target)[0]) * CELLS + tail


def _side_step(cells: list[int], text: str) -> int:
    first, last, target = cells
    length = int(DISTANCES[first, last]) + 1
    along = _direction(first, last)
    direction = _direction(first, target)
    if along is None or direction is None or length > 3 or DISTANCES[first, target] != 1:
        raise MalformedMoveError(f"expected two or three marbles in line and a next cell: {text!r}")
    if along in (direction, (direction + 3) % 6):
        raise MalformedMoveError(f"expected an in-line move as tail and next cell: {text!r}")
    leftmost = first if (along - direction) % 6 in (1, 2) else last
    return (length - 1) * TYPE_STRIDE + direction * CELLS + leftmost


def _direction(start: int, end: int) -> int | None:
    """Return the direction in which `end` lies straight from `start`, if it does."""
    for direction in range(6):
        cell = int(NEIGHBOURS[start, direction])
        while cell >= 0:
            if cell == end:
                return direction
            cell = int(NEIGHBOURS[cell, direction])
    return None


def _ahead(cell: int, direction: int) -> str:
    """Return the name of the next cell."""
    return CELL_NAMES[int(NEIGHBOURS[cell, direction])]


def _parse_nacre(words: Words, legal: Iterable[int], cells: list[int], text: str) -> int:
    if len(cells) != 2:
        raise MalformedMoveError(f"expected first marble and last marble's target: {text!r}")
    found, actions = [], tuple(legal)
    for action in actions:
        kind, direction, _ = split(action)
        group = marbles(words, action)
        ends = [(group[0], group[-1])] if kind == 1 else [(group[0], group[-1]), (group[-1], group[0])]
        if any(cells == [first, int(NEIGHBOURS[last, direction])] for first, last in ends):
            found.append(action)
    if len(found) == 1:
        return found[0]
    if found:
        both = " and ".join(repr(format_action(words, action)) for action in found)
        raise AmbiguousMoveError(f"expected a move that fits once: {text!r} fits {both}")
    texts = [format_action(words, action, NACRE) for action in actions]
    raise IllegalMoveError(f"expected a legal move: {text!r}{near(text.lower(), texts)}")


def _cells(text: str) -> list[int]:
    names = _CELL.findall(text.lower())
    if "".join(names) != text.lower() or len(names) not in (2, 3):
        raise MalformedMoveError(f"expected a move such as a1b2 or c3c5d4: {shown(text)}")
    for name in names:
        if name not in CELL_OF_NAME:
            raise MalformedMoveError(f"expected cells of the board: {name!r} in {text!r}")
    return [CELL_OF_NAME[name] for name in names]


def _parse_fen(fields: list[str], text: str) -> Words:
    if len(fields) not in (4, 5, 6):
        raise PositionError(f"expected BOARD, two scores, side and two counts: {shown(text)}")
    rows = []
    for index, row in enumerate(_rows(fields[0])):
        spread = re.sub(r"[1-9]", lambda digit: "." * int(digit[0]), row)
        rows.append(_row(spread, index, FEN_MARBLES))
    white_lost, black_lost = (_count(field, "marbles pushed off") for field in fields[1:3])
    for field in fields[4:]:
        if not (field.isascii() and field.isdigit()):
            raise PositionError(f"expected a count of plies or moves: {shown(field)}")
    board = "".join(rows).translate(str.maketrans(FEN_MARBLES, SIDES))
    return _pack(board, _side(fields[3]), [black_lost, white_lost])


def _rows(board: str) -> list[str]:
    rows = board.split("/")
    if len(rows) != len(ROW_LENGTHS):
        raise PositionError(f"expected 9 rows with '/' between, I to A: {len(rows)} in {shown(board)}")
    return rows


def _row(row: str, index: int, signs: str) -> str:
    foreign = [sign for sign in row if sign not in signs and sign != "."]
    if foreign:
        raise PositionError(
            f"expected '.', {signs[0]!r} or {signs[1]!r} in row {ROWS[index]}: {foreign[0]!r}"
        )
    if len(row) != ROW_LENGTHS[index]:
        raise PositionError(
            f"expected {ROW_LENGTHS[index]} cells in row {ROWS[index]}: {len(row)} in {shown(row)}"
        )
    return row


def _side(text: str) -> int:
    if text not in ("b", "w"):
        raise PositionError(f"expected the side to move, 'b' or 'w': {shown(text)}")
    return SIDES.index(text)


def _count(text: str, what: str) -> int:
    if len(text) != 1 or text not in "0123456":
        raise PositionError(f"expected 0 to {MARBLES_TO_WIN} {what}: {shown(text)}")
    return int(text)


def _pack(board: str, side: int, lost_marbles: list[int]) -> Words:
    black, white = ([cell for cell, sign in enumerate(board) if sign == own] for own in SIDES)
    return pack_marbles(black, white, side, (lost_marbles[0], lost_marbles[1]))
