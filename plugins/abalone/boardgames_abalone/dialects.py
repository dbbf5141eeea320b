"""Notations of other programs and servers: reading and writing their positions and moves.

Positions:

- `fen`, PlayStrategy: the rows I to A with `S` for black, `s` for white and digits for
  empty cells, then the marbles pushed off by black and by white, the side to move, and
  two counts, the plies since the last push-off and the number of the move, which are ignored.
- `apgn`, the tag Position of Abalone Portable Game Notation: rows with `b`, `w` and digits,
  `-5b4w` if marbles have been lost, and the side to move.
- `course`, the input files of a course on artificial intelligence: the side to move on the
  first line and a list such as `A3b,B2b,G7w` on the second. The marbles lost are those
  missing from 14, or none if more than six are missing; otherwise the first line is extended
  to `b:0:0`.
- `line` and `line-from-a`: the 61 cells without separators, starting with row I and followed by
  `:SIDE:LOST:LOST`, or starting with row A and preceded by `SIDE:LOST:LOST:`.

Moves, besides those of Aba-Pro and Nacre:

- `playstrategy`: the tail marble and the cell at which the row of moving marbles ends, the
  opponent's included, or the cell from which a marble is pushed off. For a
  side-step, the end of the group that is farther from the target of the other end, and that target.
- `direction`: the tail marble of an in-line move, or all marbles of a group or its ends, and a
  compass direction.
- `code`: type, direction and cell of an action.
- `course-moves`, from programs for that course: `3:d5g8*` has the number of marbles and Nacre's
  text, with `*` for a push, and `2:b2-c2>NW` the ends of a group and its direction.
- `before-after`, from other programs for that course: the cells of the marbles that move, before
  and after the move, as in `a1,b2->b2,c3` or `'I', ['B2', 'A1'] => ['C3', 'B2']`.

Sources: the source code of PlayStrategy's rules (strategygames), the specification of APGN, and
public programs by students of the course COMP 3981 at BCIT.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from boardgames.errors import AmbiguousMoveError, IllegalMoveError, MalformedMoveError, PositionError, quote
from boardgames.game import Position
from boardgames.kernels import Words
from boardgames_abalone import notation as aba_pro
from boardgames_abalone.board import (
    CELL_NAMES,
    CELL_OF_NAME,
    CELLS,
    DISTANCES,
    MARBLES,
    MARBLES_TO_WIN,
    NEIGHBOURS,
    ROW_LENGTHS,
)
from boardgames_abalone.notation import (
    ABA_PRO,
    BOARD,
    NACRE,
    SIDES,
    action_from_cells,
    board_rows,
    cells_of,
    check_row,
    direction_between,
    lost,
    moved_cells,
    pack_board,
    pack_marbles,
    parse_cells,
    parse_count,
    parse_side,
    split_action,
    split_rows,
    split_status,
)
from boardgames_abalone.rules import STATUS, TYPE_STRIDE

FEN = "fen"
APGN = "apgn"
COURSE = "course"
LINE = "line"
LINE_FROM_A = "line-from-a"
POSITION_NOTATIONS = (BOARD, FEN, APGN, COURSE, LINE, LINE_FROM_A)

PLAYSTRATEGY = "playstrategy"
DIRECTION = "direction"
CODE = "code"
COURSE_MOVES = "course-moves"
BEFORE_AFTER = "before-after"
MOVE_NOTATIONS = (ABA_PRO, NACRE, PLAYSTRATEGY, DIRECTION, CODE, COURSE_MOVES, BEFORE_AFTER)

COMPASS = ("W", "NW", "NE", "E", "SE", "SW")
"""Names of the directions, in the order of their numbers."""
ALPHABETS = (".bw", "012", "+@O", "*$!")
"""Alphabets of `line` and `line-from-a`: the symbols for an empty cell, black and white."""

_FEN_MARBLES = "Ss"
_MARBLE = re.compile(r"([a-i][1-9])([bw])")
_LIST_OF_MARBLES = re.compile(r"(?:([bw](?::[0-9]:[0-9])?)[\s,;]*)?[a-i][1-9][bw](?:[\s,;]|$)")
_EJECTED = re.compile(r"([0-9])b([0-9])w")
_COURSE_DIRECTIONS = tuple(COMPASS.index(name) for name in ("NE", "E", "SE", "SW", "W", "NW"))
_COURSE_AXES = tuple(COMPASS.index(name) for name in ("E", "NW", "NE"))

_ANY_CASE = re.IGNORECASE | re.ASCII
_COMPASS_TEXT = "(NE|NW|SE|SW|E|W)"
_DIRECTION = re.compile(f"([a-i][1-9](?:[ \t,;&+-]*[a-i][1-9]){{0,2}})[ \t,;:>-]*{_COMPASS_TEXT}", _ANY_CASE)
_DIRECTION_IN_LINE = "|".join(  # one kind of separator within a move; another one may end the move before it
    f"[a-i][1-9](?:{gap}[a-i][1-9]){{0,2}}[ \t:>-]*{_COMPASS_TEXT}"
    for gap in ("", "[ \t]*[,;][ \t]*", "[ \t]*-[ \t]*", "[ \t]*[&+][ \t]*", "[ \t]+")
)
_CODE = re.compile(r"[(\[]?[ \t]*([0-9]{1,4})[ \t,;]+([0-9]{1,4})[ \t,;]+([0-9]{1,4})[ \t]*[)\]]?")
_COURSE_MOVE = re.compile(
    f"([1-3]):(?:([a-i][1-9])([a-i][1-9])[*]?|([a-i][1-9])-([a-i][1-9])>{_COMPASS_TEXT})", _ANY_CASE
)
_LISTS_OF_CELLS = tuple(  # equally many cells before and after, so that a match ends before the next move
    rf"[(\[]?[ \t]*{cells}[ \t]*[)\]]?[ \t]*(?:[-=]?>|[\u2192\u21d2])[ \t]*[(\[]?[ \t]*{cells}[ \t]*[)\]]?"
    for cells in (r"[ \t]*[,&+][ \t]*".join(["['\"]?[a-i][1-9]['\"]?"] * count) for count in (3, 2, 1))
)
_BEFORE_AFTER = re.compile(
    rf"(?:['\"]?(?:I|SS)['\"]?[ \t]*,[ \t]*)?(?:{'|'.join(_LISTS_OF_CELLS)})"
    r"(?:[ \t]+(?:SINGLE|INLINE|SIDE_?STEP)\b)?(?:[ \t]+(?:BLACK|WHITE)\b)?",
    _ANY_CASE,
)
_JOINED = "[a-i][1-9](?:(?: +[\u2010-\u2015\u2212-] +|[\u2010-\u2015\u2212-])?[a-i][1-9]){1,2}"
_TOKEN = re.compile(
    f"(?P<lists>{_BEFORE_AFTER.pattern})|(?P<code>{_CODE.pattern})|(?P<course>{_COURSE_MOVE.pattern})"
    f"|(?P<direction>{_DIRECTION_IN_LINE})(?![a-z0-9])"
    f"|(?P<joined>{_JOINED})(?![a-z0-9])|(?P<cell>[a-i][1-9])(?![a-z0-9])|(?P<other>[^\\s,;]+)",
    _ANY_CASE,
)
_GAP = re.compile(r"[,;\n]")
"""Separators that end a move whose cells are separated by spaces."""
_Way = tuple["_Way | None", str] | None
"""Moves as a linked list: the list of all moves but the last, and the last move; None is an empty list."""
_PLAIN = re.compile(r"(?:[a-i][1-9]){2,3}(?:[\s,;]+(?:[a-i][1-9]){2,3})*", _ANY_CASE)


# --- positions ---


def parse_words(text: str, notation: str | None = None) -> Words:
    """Return the packed position that a text describes.

    Parameters
    ----------
    notation : str, optional
        One of `POSITION_NOTATIONS`; by default it is inferred from the text.

    Raises
    ------
    PositionError
        If the text is not a position in this notation, or if `notation` is None and the text is ambiguous.

    Examples
    --------
    >>> print(format_words(parse_words("ww3/www3/2www2/8/9/8/2bbb2/3bbb/3bb-5b4w b")))
    ww.../www.../..www../......../........./......../..bbb../...bbb/...bb:b:5:4
    """
    return _POSITION_READERS[notation or _position_notation(text)](text)


def format_words(words: Words, notation: str | None = None) -> str:
    """Return the text of a packed position in one of `POSITION_NOTATIONS`, by default as a board text."""
    if notation in (None, BOARD):
        return aba_pro.format_words(words)
    rows, side, (black, white) = board_rows(words), SIDES[int(words[STATUS]) & 1], lost(words)
    if notation == COURSE:
        is_implied = _implied_losses(cells_of(words)) == (black, white)
        return f"{side if is_implied else f'{side}:{black}:{white}'}\n{_marble_list(words)}"
    if notation in (LINE, LINE_FROM_A):
        status = f"{side}:{black}:{white}"
        return f"{''.join(rows)}:{status}" if notation == LINE else f"{status}:{''.join(reversed(rows))}"
    board = re.sub(r"\.+", lambda gap: str(len(gap[0])), "/".join(rows))
    if notation == FEN:
        return f"{board.translate(str.maketrans(SIDES, _FEN_MARBLES))} {white} {black} {side} 0 1"
    ejected = f"-{black}b{white}w" if black or white else ""
    return f"{board}{ejected} {side}"


def successors(position: Position) -> list[str]:
    """Return the positions after each legal move as lines of marbles, as in the output files of the course.

    A line has black's marbles and then white's, each sorted by their cells. First come the in-line
    moves, sorted by the cell of the tail and clockwise by direction, starting in the north-east; then
    the side-steps, sorted by the lowest cell of the group, its axis, its size and the direction.

    Examples
    --------
    >>> import boardgames
    >>> lines = successors(boardgames.load("abalone", layout="standard").start())
    >>> len(lines), lines[0][:39]
    (44, 'A2b,A3b,A4b,A5b,B1b,B2b,B3b,B4b,B5b,B6b')
    """
    words = position.words
    ordered = sorted(position.legal_moves, key=lambda move: _course_order(words, move.action))
    return [_marble_list(position.apply(move).words) for move in ordered]


def _position_notation(text: str) -> str | None:
    """Return the notation that a text seems to have, or None for 61 characters without a status."""
    fields = text.replace("_", " ").split()
    if "/" in text:
        if len(fields) == 1:
            return BOARD
        return APGN if len(fields) == 2 and not set(_FEN_MARBLES) & set(fields[0]) else FEN
    if _LIST_OF_MARBLES.match(text.lower()):
        return COURSE
    first, colon, rest = "".join(fields).partition(":")
    if len(first) == CELLS and _alphabet(first):
        return LINE if colon else None
    return LINE_FROM_A if len(rest.rpartition(":")[2]) == CELLS else BOARD


def _parse_fen(text: str) -> Words:
    fields = text.replace("_", " ").split()  # URLs of PlayStrategy have underscores instead of spaces
    if len(fields) not in (4, 5, 6):
        raise PositionError(
            "a FEN has the fields board, two scores, side to move, and optionally plies and move number, "
            f"unlike {quote(text)}"
        )
    board = _expanded(fields[0], _FEN_MARBLES).translate(str.maketrans(_FEN_MARBLES, SIDES))
    white_lost, black_lost = (parse_count(field, "marbles pushed off") for field in fields[1:3])
    for field in fields[4:]:
        if not (field.isascii() and field.isdigit()):
            raise PositionError(f"{quote(field)} is not a count of plies or a move number")
    return pack_board(board, parse_side(fields[3]), (black_lost, white_lost))


def _parse_apgn(text: str) -> Words:
    fields = text.split()
    if len(fields) != 2:
        raise PositionError(
            f"a position of APGN has rows and the side to move, as in '.../3bb b', unlike {quote(text)}"
        )
    rows, hyphen, ejected = fields[0].partition("-")
    counts = _EJECTED.fullmatch(ejected)
    if hyphen and not counts:
        raise PositionError(f"marbles lost are written as in '-5b4w', not {quote(hyphen + ejected)}")
    black, white = (parse_count(count, "marbles lost") for count in (counts.groups() if counts else "00"))
    return pack_board(_expanded(rows, SIDES), parse_side(fields[1]), (black, white))


def _expanded(rows: str, symbols: str) -> str:
    """Return the 61 cells of rows in which digits count empty cells."""
    expanded = []
    for index, row in enumerate(split_rows(rows)):
        filled = re.sub(r"[1-9]", lambda digit: "." * int(digit[0]), row)
        expanded.append(check_row(filled, index, symbols))
    return "".join(expanded)


def _parse_course(text: str) -> Words:
    text = text.strip(" \t\r\n,;").lower()
    start = _LIST_OF_MARBLES.match(text)
    if start and start[1]:  # on a single line, the list may follow the side without a separator
        text = f"{start[1]} {text[start.end(1) :]}"
    status, *marbles = re.split(r"[\s,;]+", text)
    if _MARBLE.fullmatch(status):
        raise PositionError("a list of marbles does not say who is to move; write 'b' or 'w' before it")
    groups: tuple[list[int], list[int]] = ([], [])
    for marble in marbles:
        match = _MARBLE.fullmatch(marble)
        if match is None or match[1] not in CELL_OF_NAME:
            raise PositionError(
                f"{quote(marble)} is not a marble such as 'C5b', which has a cell and 'b' or 'w'"
            )
        cell = CELL_OF_NAME[match[1]]
        if cell in groups[0] or cell in groups[1]:
            raise PositionError(f"there are two marbles on {match[1]}")
        groups[SIDES.index(match[2])].append(cell)
    if ":" in status:
        _, side, lost_marbles = split_status(f":{status}")
        return pack_marbles(*groups, side, lost_marbles)
    return pack_marbles(*groups, parse_side(status), _implied_losses(groups))


def _implied_losses(groups: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Return the marbles lost by both sides, given the cells of those on the board.

    Marbles missing from 14 count as lost. If no match can have such losses, the position was set up by
    hand, and none count.
    """
    black, white = (MARBLES - len(group) for group in groups)
    is_possible = all(0 <= number <= MARBLES_TO_WIN for number in (black, white))
    return (black, white) if is_possible and black + white < 2 * MARBLES_TO_WIN else (0, 0)


def _marble_list(words: Words) -> str:
    marbles = []
    for symbol, cells in zip(SIDES, cells_of(words), strict=True):
        marbles += [name.upper() + symbol for name in sorted(CELL_NAMES[cell] for cell in cells)]
    return ",".join(marbles)


def _course_order(words: Words, action: int) -> tuple[object, ...]:
    """Return the key by which the course's output files sort moves."""
    kind, direction, tail = split_action(action)
    turn = _COURSE_DIRECTIONS.index(direction)
    if kind == 1:
        return 0, CELL_NAMES[tail], turn
    group = sorted(moved_cells(words, action), key=lambda cell: CELL_NAMES[cell])
    along = direction_between(group[0], group[1])
    assert along is not None
    return 1, CELL_NAMES[group[0]], _COURSE_AXES.index(along), kind, turn


def _parse_line(text: str, notation: str) -> Words:
    board, side, lost_marbles = _split_line(text)
    return pack_board(board if notation == LINE else _upside_down(board), side, lost_marbles)


def _parse_undeclared_line(text: str) -> Words:
    """Return the position of 61 characters if it is the same read from row I and from row A."""
    board, side, lost_marbles = _split_line(text)
    if board != _upside_down(board):
        raise PositionError(
            f"61 characters start with row I in the notation {LINE!r}, and with row A in {LINE_FROM_A!r}; "
            "name one of them"
        )
    return pack_board(board, side, lost_marbles)


def _split_line(text: str) -> tuple[str, int, tuple[int, int]]:
    """Return the board as 61 characters `.`, `b` or `w`, the side to move, and the marbles lost."""
    text = "".join(text.split())
    status, colon, last = text.rpartition(":")
    if colon and len(last) == CELLS:
        text = f"{last}:{status}"
    board, side, lost_marbles = split_status(text)
    alphabet = _alphabet(board)
    if len(board) != CELLS or alphabet is None:
        known = ", ".join(repr(symbols) for symbols in ALPHABETS)
        raise PositionError(f"61 characters, all from one of {known}, are expected, not {quote(board)}")
    cells = board.lower() if alphabet.islower() else board
    return cells.translate(str.maketrans(alphabet, ALPHABETS[0])), side, lost_marbles


def _alphabet(board: str) -> str | None:
    """Return the first of `ALPHABETS` that contains all symbols of a board."""
    for alphabet in ALPHABETS:
        if set(board.lower() if alphabet.islower() else board) <= set(alphabet):
            return alphabet
    return None


def _upside_down(board: str) -> str:
    """Return the 61 cells with the rows in reverse order."""
    rows, start = [], 0
    for length in ROW_LENGTHS:
        rows.append(board[start : start + length])
        start += length
    return "".join(reversed(rows))


_POSITION_READERS: dict[str | None, Callable[[str], Words]] = {
    BOARD: aba_pro.parse_words,
    FEN: _parse_fen,
    APGN: _parse_apgn,
    COURSE: _parse_course,
    LINE: lambda text: _parse_line(text, LINE),
    LINE_FROM_A: lambda text: _parse_line(text, LINE_FROM_A),
    None: _parse_undeclared_line,
}


# --- moves ---


def parse_action(words: Words, legal: Sequence[int], text: str, notation: str | None = None) -> int:
    """Return the legal action of a move text.

    Parameters
    ----------
    words : uint64[5]
        Packed position.
    legal : sequence of int
        Its legal actions.
    notation : str, optional
        One of `MOVE_NOTATIONS`. By default Aba-Pro's, or another one that cannot be mistaken for it.

    Raises
    ------
    MalformedMoveError, IllegalMoveError, AmbiguousMoveError
        If the text is not a move, the move is not legal, or the text fits two moves.
    """
    form = notation or _move_notation(text)
    if form == DIRECTION:
        return _parse_direction(words, legal, text)
    if form == CODE:
        return _parse_code(legal, text)
    if form == PLAYSTRATEGY:
        return _parse_playstrategy(words, legal, text)
    if form == COURSE_MOVES:
        return _parse_course_move(words, legal, text)
    if form == BEFORE_AFTER:
        return _parse_before_after(words, legal, text)
    try:
        return aba_pro.parse_action(words, legal, text, form)
    except MalformedMoveError as error:
        if notation is None and (hint := _other_reading(words, legal, text)):
            raise MalformedMoveError(f"{error}; {hint}") from None
        raise


def format_action(words: Words, action: int, notation: str | None = None) -> str:
    """Return the text of a legal action in one of `MOVE_NOTATIONS`, by default that of Aba-Pro."""
    if notation is None:
        return aba_pro.format_action(words, action)
    kind, direction, cell = split_action(action)
    if notation == CODE:
        return f"{kind},{direction},{cell}"
    if notation == PLAYSTRATEGY:
        return _playstrategy_text(words, action)
    if notation not in (DIRECTION, COURSE_MOVES, BEFORE_AFTER):
        return aba_pro.format_action(words, action, notation)
    group = moved_cells(words, action)
    if notation == BEFORE_AFTER:
        before = sorted(CELL_NAMES[one] for one in group)
        after = sorted(CELL_NAMES[int(NEIGHBOURS[one, direction])] for one in group)
        return f"{','.join(before)}->{','.join(after)}"
    ends = sorted((CELL_NAMES[group[0]], CELL_NAMES[group[-1]]))
    if notation == DIRECTION:
        return (CELL_NAMES[cell] if kind == 1 else "".join(ends)) + COMPASS[direction]
    if kind != 1:
        return f"{kind}:{ends[0]}-{ends[1]}>{COMPASS[direction]}"
    target = int(NEIGHBOURS[group[-1], direction])
    is_push = target in cells_of(words)[1 - (int(words[STATUS]) & 1)]
    return f"{len(group)}:{CELL_NAMES[cell]}{CELL_NAMES[target]}{'*' if is_push else ''}"


def aba_pro_text(text: str, notation: str | None = None) -> str:
    """Translate a move text into Aba-Pro's notation; return an empty string if that is not possible.

    The move need not be legal, or even possible, but the text must be well-formed. The two cells of a move in
    Nacre's or PlayStrategy's notation are returned as they are: without a position, the marbles that move are
    unknown.
    """
    form = notation or _move_notation(text)
    if form == CODE and (match := _CODE.fullmatch(text)):
        kind, direction, cell = map(int, match.groups())
        cells = [cell, int(NEIGHBOURS[cell, direction])] if kind == 1 else []
    elif form == DIRECTION and (match := _DIRECTION.fullmatch(text)):
        cells = _cells_in_direction(_group(match[1], text), _direction_named(match[2]))
    elif form == COURSE_MOVES and (match := _COURSE_MOVE.fullmatch(text.lower())):
        if match[2]:
            cells = parse_cells(match[2] + match[3])
        else:
            cells = _cells_in_direction(_group(match[4] + match[5], text), _direction_named(match[6]))
    elif form == BEFORE_AFTER and _BEFORE_AFTER.fullmatch(text):
        cells = _cells_in_direction(*_moved_group(text))
    else:
        cells = parse_cells(text)
    return "".join(CELL_NAMES[cell] for cell in cells) if min(cells, default=-1) >= 0 else ""


def split_moves(text: str, notation: str | None = None) -> list[str]:
    """Return the texts of the moves in a line of moves, without numbers and results.

    Moves may contain spaces, commas and hyphens. Cells separated by spaces are joined if they form a move:
    two neighbours, or the three cells of a side-step.

    Raises
    ------
    MalformedMoveError
        If cells separated by spaces can be joined in two ways.

    Examples
    --------
    >>> split_moves("a1b2 i5-h5, c3 c5 d4 (1,2,56) a1,b2,c3 NE")
    ['a1b2', 'i5-h5', 'c3 c5 d4', '(1,2,56)', 'a1,b2,c3 NE']
    """
    if _PLAIN.fullmatch(text):
        return re.split(r"[\s,;]+", text)
    return list(_split(text, notation in (NACRE, PLAYSTRATEGY)))


@lru_cache(maxsize=4)  # a text is split for each notation that is tried
def _split(text: str, has_two_cells: bool) -> tuple[str, ...]:
    """Return the texts of the moves in a text; with `has_two_cells`, single cells are joined in pairs."""
    moves: list[str] = []
    cells: list[str] = []
    commas: list[int] = []
    end = 0
    for token in _TOKEN.finditer(text):
        if token["cell"]:
            if cells and _GAP.search(text, end, token.start()):
                commas.append(len(cells))
            cells.append(token[0])
        else:
            moves += _joined_cells(cells, commas, has_two_cells)
            cells, commas = [], []
            if words := token[0].split():  # empty if the token is a space that is not ASCII
                moves.append(" ".join(words))
        end = token.end()
    return (*moves, *_joined_cells(cells, commas, has_two_cells))


def _move_notation(text: str) -> str:
    """Return the notation that the form of a text shows, or Aba-Pro's if the form fits several."""
    if _PLAIN.fullmatch(text):
        return ABA_PRO
    for notation, form in (
        (CODE, _CODE),
        (COURSE_MOVES, _COURSE_MOVE),
        (DIRECTION, _DIRECTION),
        (BEFORE_AFTER, _BEFORE_AFTER),
    ):
        if form.fullmatch(text):
            return notation
    return ABA_PRO


def _direction_named(name: str) -> int:
    return COMPASS.index(name.upper())


def _group(names: str, text: str) -> list[int]:
    """Return the cells of one to three marbles in a line, from one end to the other.

    For three marbles, the ends are enough.
    """
    cells = []
    for name in re.findall("[a-i][1-9]", names.lower()):
        if name not in CELL_OF_NAME:
            raise MalformedMoveError(f"{quote(text)} is not a move: there is no cell {name!r}")
        cells.append(CELL_OF_NAME[name])
    if len(cells) == 1:
        return cells
    first, last = max(
        ((one, other) for one in cells for other in cells), key=lambda ends: int(DISTANCES[ends[0], ends[1]])
    )
    along = direction_between(first, last)
    group = [first]
    while along is not None and group[-1] != last:
        group.append(int(NEIGHBOURS[group[-1], along]))
    if along is None or len(group) > 3 or len(set(cells)) < len(cells) or not set(cells) <= set(group):
        raise MalformedMoveError(f"{quote(text)} is not a move: a group is two or three marbles in a line")
    return group


def _cells_in_direction(group: Sequence[int], direction: int) -> list[int]:
    """Return the cells that a group's move has in Aba-Pro's notation, -1 for a target off the board."""
    along = direction_between(group[0], group[-1]) if len(group) > 1 else direction
    if along == direction:
        return [group[0], int(NEIGHBOURS[group[0], direction])]
    if along == (direction + 3) % 6:
        return [group[-1], int(NEIGHBOURS[group[-1], direction])]
    return [group[0], group[-1], int(NEIGHBOURS[group[0], direction])]


def _parse_direction(words: Words, legal: Sequence[int], text: str) -> int:
    match = _DIRECTION.fullmatch(text)
    if match is None:
        raise MalformedMoveError(
            f"{quote(text)} is not a move; write marbles and a direction, as in 'a1 NE' or 'c3,c4,c5 NW'"
        )
    return _action_of_group(words, legal, _group(match[1], text), _direction_named(match[2]), text)


def _action_of_group(
    words: Words, legal: Sequence[int], group: Sequence[int], direction: int, text: str
) -> int:
    """Return the legal action that moves a group; if it has one marble, those ahead of it move, too."""
    cells = _cells_in_direction(group, direction)
    if cells[-1] < 0:
        raise IllegalMoveError(f"illegal move {quote(text)}: marbles cannot leave the board")
    action = action_from_cells(cells, text)
    if action not in legal:
        raise IllegalMoveError(f"illegal move {quote(text)}")
    moved = moved_cells(words, action)
    if len(group) > 1 and set(moved) != set(group):
        names = ", ".join(CELL_NAMES[cell] for cell in moved)
        raise IllegalMoveError(f"illegal move {quote(text)}: the marbles {names} would move")
    return action


def _parse_before_after(words: Words, legal: Sequence[int], text: str) -> int:
    if not _BEFORE_AFTER.fullmatch(text):
        raise MalformedMoveError(
            f"{quote(text)} is not a move; write the cells of the marbles before and after it, as in "
            "'a1,b2->b2,c3'"
        )
    group, direction = _moved_group(text)
    action = _action_of_group(words, legal, group, direction, text)
    if len(moved := moved_cells(words, action)) != len(group):
        names = ", ".join(CELL_NAMES[cell] for cell in moved)
        raise IllegalMoveError(f"illegal move {quote(text)}: the marbles {names} would move")
    return action


def _moved_group(text: str) -> tuple[list[int], int]:
    """Return the group that moves, and its direction, from a text with its cells before and after the move.

    For three marbles, the ends are enough. A single marble may be named twice, as both ends.
    """
    names = re.findall("[a-i][1-9]", text.lower())
    middle = len(names) // 2
    for name in names:
        if name not in CELL_OF_NAME:
            raise MalformedMoveError(f"{quote(text)} is not a move: there is no cell {name!r}")
    steps = sorted(set(zip(sorted(names[:middle]), sorted(names[middle:]), strict=True)))
    cells = [(CELL_OF_NAME[before], CELL_OF_NAME[after]) for before, after in steps]
    direction = direction_between(*cells[0])
    if direction is None or any(NEIGHBOURS[before, direction] != after for before, after in cells):
        raise MalformedMoveError(
            f"{quote(text)} is not a move: all marbles must move by one cell in the same direction"
        )
    return _group("".join(before for before, _ in steps), text), direction


def _parse_code(legal: Sequence[int], text: str) -> int:
    match = _CODE.fullmatch(text)
    if match is None:
        raise MalformedMoveError(f"{quote(text)} is not a move; write TYPE,DIRECTION,CELL, as in '1,2,56'")
    kind, direction, cell = map(int, match.groups())
    for what, number, least, most in (
        ("type", kind, 1, 3),
        ("direction", direction, 0, 5),
        ("cell", cell, 0, CELLS - 1),
    ):
        if not least <= number <= most:
            raise MalformedMoveError(
                f"{quote(text)} is not a move: the {what} must be {least} to {most}, not {number}"
            )
    action = (kind - 1) * TYPE_STRIDE + direction * CELLS + cell
    if action not in legal:
        raise IllegalMoveError(f"illegal move {quote(text)}")
    return action


def _parse_course_move(words: Words, legal: Sequence[int], text: str) -> int:
    match = _COURSE_MOVE.fullmatch(text)
    if match is None:
        raise MalformedMoveError(
            f"{quote(text)} is not a move; write moves like 1:c5c6, 3:d5g8 or 2:b2-c2>NW"
        )
    count, tail, target, first, last, compass = match.groups()
    if tail:
        cells = parse_cells(tail + target)
        direction = direction_between(cells[0], cells[1])
        actions = [] if direction is None else [direction * CELLS + cells[0]]
    else:
        cells = _cells_in_direction(_group(first + last, text), _direction_named(compass))
        actions = [action_from_cells(cells, text)] if len(cells) == 3 and cells[-1] >= 0 else []
        first, last = sorted((first.lower(), last.lower()))
    wanted = f"{count}:{tail}{target}" if tail else f"{count}:{first}-{last}>{compass}"
    for action in actions:
        written = format_action(words, action, COURSE_MOVES) if action in legal else ""
        if written.rstrip("*").lower() == wanted.lower():
            return action
    raise IllegalMoveError(f"illegal move {quote(text)}")


def _parse_playstrategy(words: Words, legal: Sequence[int], text: str) -> int:
    cells = parse_cells(text.lower().replace("x", "-"))
    if len(cells) != 2:
        raise MalformedMoveError(f"{quote(text)} is not a move of PlayStrategy; write two cells")
    first, target = cells
    along = direction_between(first, target)
    actions = [along * CELLS + first] if along is not None else _side_steps_to(first, target)
    wanted = CELL_NAMES[first] + CELL_NAMES[target]
    matching = [one for one in actions if one in legal and wanted in _playstrategy_texts(words, one)]
    if not matching:
        raise IllegalMoveError(f"illegal move {quote(text)}")
    if len(matching) > 1:
        texts = [aba_pro.format_action(words, action) for action in matching]
        raise AmbiguousMoveError(f"{quote(text)} is ambiguous: {' or '.join(map(repr, texts))}", texts)
    return matching[0]


def _side_steps_to(first: int, target: int) -> list[int]:
    """Return the side-steps of groups that start at a cell and whose other end goes to the target."""
    actions = []
    for along in range(6):
        last = first
        for _ in range(int(DISTANCES[first, target]) - 1):
            last = int(NEIGHBOURS[last, along]) if last >= 0 else last
        for direction in ((along + 1) % 6, (along + 5) % 6):
            beside = int(NEIGHBOURS[first, direction])
            if (
                last >= 0
                and 1 <= DISTANCES[first, last] <= 2
                and beside >= 0
                and NEIGHBOURS[last, direction] == target
            ):
                actions.append(action_from_cells([first, last, beside]))
    return actions


def _playstrategy_texts(words: Words, action: int) -> Iterator[str]:
    """Yield PlayStrategy's text of a move; for an in-line move also Nacre's, which older matches have."""
    yield _playstrategy_text(words, action)
    if action < TYPE_STRIDE:
        yield aba_pro.format_action(words, action, NACRE)


def _playstrategy_text(words: Words, action: int) -> str:
    kind, direction, tail = split_action(action)
    group = moved_cells(words, action)
    if kind == 1:
        occupied = set().union(*cells_of(words))
        target = int(NEIGHBOURS[group[-1], direction])
        while target in occupied and NEIGHBOURS[target, direction] >= 0:
            target = int(NEIGHBOURS[target, direction])
        return CELL_NAMES[tail] + CELL_NAMES[target]
    first, last = group[0], group[-1]
    along = direction_between(first, last)
    assert along is not None
    if (along - direction) % 6 not in (1, 5):
        first, last = last, first
    return CELL_NAMES[first] + CELL_NAMES[int(NEIGHBOURS[last, direction])]


def _other_reading(words: Words, legal: Sequence[int], text: str) -> str:
    """Return what a text means in notations that are only read by name, as a hint for an error message."""
    meanings: dict[str, list[str]] = {}
    for notation in (NACRE, PLAYSTRATEGY):
        try:
            action = parse_action(words, legal, text, notation)
        except (MalformedMoveError, IllegalMoveError, AmbiguousMoveError):
            continue
        meanings.setdefault(aba_pro.format_action(words, action), []).append(repr(notation))
    return ", ".join(f"in the notation {' or '.join(names)} it is {move}" for move, names in meanings.items())


def _joined_cells(names: list[str], commas: list[int], has_two_cells: bool) -> list[str]:
    """Join single cells into moves; `commas` has the indices of the cells that follow a comma or line end."""
    ends = [0, *commas, len(names)]
    segments = [names[start:end] for start, end in pairwise(ends)]
    is_move = _is_two_cells if has_two_cells else _is_move
    if commas and all(is_move(segment) for segment in segments):
        return [" ".join(segment) for segment in segments]
    ways: list[list[_Way]] = [[None]]  # for 0, 1, 2, … cells, at most two ways to join them
    for end in range(1, len(names) + 1):
        found: list[_Way] = []
        for size in (2, 3):
            if size <= end and is_move(names[end - size : end]):
                move = " ".join(names[end - size : end])
                found += [(way, move) for way in ways[end - size]]
        ways.append(found[:2])
    texts = [_moves_of(way) for way in ways[-1]]
    if len(texts) > 1:
        one, other = (", ".join(way) for way in texts)
        raise MalformedMoveError(
            f"{quote(' '.join(names))} is ambiguous: {one} or {other}; write moves without spaces inside"
        )
    return texts[0] if texts else names


def _moves_of(way: _Way) -> list[str]:
    """Return the moves of a linked list, in the order in which they are made."""
    moves = []
    while way is not None:
        way, move = way
        moves.append(move)
    return moves[::-1]


def _is_two_cells(names: Sequence[str]) -> bool:
    return len(names) == 2


def _is_move(names: Sequence[str]) -> bool:
    """Return True if cells can be a move in Aba-Pro's notation."""
    return _can_be_move("".join(names))


@lru_cache(maxsize=10_000)  # a long file repeats the same few texts
def _can_be_move(text: str) -> bool:
    try:
        action_from_cells(parse_cells(text))
    except MalformedMoveError:
        return False
    return True
