"""Notation of Connect Four: parse and format positions and moves.

A position is written as its rows from the top, separated by `/`: `.` is an empty cell, `r`
a red stone and `b` a blue one. A move is written as its column, counted from 1. The README
describes the other notations, which are those of solvers, data sets and competitions.

Boards of other programs may have other symbols. The side with more stones moved first. If both
sides have the same number, `x`, `r` or `1` moved first, unless that order cannot occur in a
match.

Sources: J. Tromp, "Connect-4" in the UCI Machine Learning Repository, for the data set;
P. Pons, "Solving Connect 4", for sequences of moves; the environment ConnectX of Kaggle, for the
board of 0, 1 and 2 and for columns from 0.
"""

import re
from collections.abc import Sequence

import numpy as np

from boardgames.errors import IllegalMoveError, MalformedMoveError, PositionError, quote
from boardgames.kernels import Words
from boardgames_connect4.board import MAX_SIZE, MIN_SIZE, Board
from boardgames_connect4.rules import (
    DRAW,
    OUTCOME_SHIFT,
    POSITION_WORDS,
    STATUS,
    has_line,
    outcome,
    side_to_move,
    sized_rules,
)

ROWS, MOVES, ZERO_BASED_MOVES = "rows", "moves", "zero-based-moves"
FEN, CELLS, DATA_SET = "fen", "cells", "data-set"
POSITION_NOTATIONS = (ROWS, MOVES, ZERO_BASED_MOVES, FEN, CELLS, DATA_SET)
"""Names of the notations for positions."""
COLUMN, LETTER, CELL, ZERO_BASED = "column", "letter", "cell", "zero-based"
MOVE_NOTATIONS = (COLUMN, LETTER, CELL, ZERO_BASED)
"""Names of the notations for moves."""
MAX_DEAD_ENDS = 20_000
"""Maximum number of dead ends in the search of `format_moves` for a sequence of moves."""
SYMBOLS = "rb"
EMPTY_SEQUENCE = "-"
LETTERS = "abcdefgh"
DIGITS = "12345678"
ZERO_BASED_DIGITS = "01234567"

STONES = ("rb", "ry", "xo", "12")
"""Symbols of the stones on boards of other programs; the side that usually moves first comes first."""
EMPTY_CELLS = "._-0"
"""Symbols of an empty cell, besides a space."""
CLASSES = ("win", "loss", "draw")
"""Results of positions with perfect play, which follow the cells in the data set."""

_SEQUENCE = re.compile(r"[0-9][0-9\s,;]*|[a-h][a-h0-9\s,;]*", re.IGNORECASE | re.ASCII)
_CELLS = re.compile(r"(?:[a-h][0-9])+", re.IGNORECASE | re.ASCII)
_GLUED = re.compile(r"[0-9]+|[a-h]+", re.IGNORECASE | re.ASCII)
_CELL = re.compile(r"([a-h])([0-9])", re.ASCII)
_FRAMED = re.compile(r"\s*[0-9]?\s*\|(.*)\|\s*[0-9]?\s*", re.ASCII)
_RULE = re.compile(r"[-+=_\s|]+")
_BRACKETS = str.maketrans("[](){},;", " " * 8)
_LINES = str.maketrans("│┃║─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬", "|||---" + "+" * 18)
"""Box-drawing characters, which are read like `|`, `-` and `+`."""


def parse_words(text: str, board: Board, notation: str | None = None) -> Words:
    """Return the packed position, `uint64[3]`, of a board or of a sequence of moves.

    Parameters
    ----------
    notation : str, optional
        One of `POSITION_NOTATIONS`; by default it is inferred from the text.

    Raises
    ------
    PositionError
        If the text is not a position, does not fit the size of the board, or contains an illegal move.

    Examples
    --------
    >>> board = Board(7, 6)
    >>> format_words(parse_words("4453", board), board)
    '......./......./......./......./...b.../..brr..'
    >>> format_words(parse_words("7/7/7/7/3o3/2oxx2", board), board)
    '......./......./......./......./...b.../..brr..'
    """
    stripped = text.strip()
    notation = _notation_of(stripped, board) if notation is None else notation
    if notation in (MOVES, ZERO_BASED_MOVES) and stripped == EMPTY_SEQUENCE:
        return pack(0, 0, board)
    if notation in (ROWS, FEN) and "/" in stripped:
        return _parse_slashes(stripped, board, notation)
    if notation == ROWS and ("\n" in stripped or "|" in stripped):
        return _parse_lines(text, board)
    if notation in (MOVES, ZERO_BASED_MOVES) and _SEQUENCE.fullmatch(stripped):
        return _parse_sequence(stripped, board, ZERO_BASED if notation == ZERO_BASED_MOVES else None)
    if notation == CELLS and stripped:
        return _parse_cells(stripped, board)
    if notation == DATA_SET and stripped:
        return _parse_data_set(stripped, board)
    raise PositionError(f"{quote(stripped)} is not a position; write {_expected(notation, board)}")


def options_for_position(text: str) -> dict[str, int]:
    """Return the size of a board whose rows are separated by `/`, or {} for any other text.

    Examples
    --------
    >>> options_for_position("5/5/5/2r2"), options_for_position("4453")
    ({'columns': 5, 'rows': 4}, {})
    """
    rows, _ = _split_slashes(text)
    if len(rows) == 1:
        return {}
    lengths = {len(row) for row in rows}
    if len(lengths) != 1 or _is_fen(rows):
        lengths = {len(_expanded(row)) for row in rows}
    columns = min(lengths)
    is_size = len(lengths) == 1 and all(MIN_SIZE <= size <= MAX_SIZE for size in (columns, len(rows)))
    return {"columns": columns, "rows": len(rows)} if is_size else {}


def format_words(words: Words, board: Board, notation: str | None = None) -> str:
    """Return the text of a packed position; by default its rows from the top.

    Raises
    ------
    PositionError
        If a sequence of moves is requested and none is found.

    Examples
    --------
    >>> format_words(parse_words("4453", Board(7, 6)), Board(7, 6), FEN)
    '7/7/7/7/3y3/2yrr2 r 3'
    """
    if notation == MOVES:
        return format_moves(words, board)
    if notation == ZERO_BASED_MOVES:
        return format_moves(words, board).translate(str.maketrans(DIGITS, ZERO_BASED_DIGITS))
    if notation == CELLS:
        return "".join(_rows(words, board, "012"))
    if notation == DATA_SET:
        columns = zip(*reversed(_rows(words, board, "bxo")), strict=True)
        return ",".join(cell for column in columns for cell in column)
    rows = _rows(words, board, ".ry" if notation == FEN else f".{SYMBOLS}")
    if notation != FEN:
        return "/".join(rows)
    counted = [re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows]
    stones = int(words[0]).bit_count() + int(words[1]).bit_count()
    return f"{'/'.join(counted)} {'ry'[stones % 2]} {stones // 2 + 1}"


def format_moves(words: Words, board: Board) -> str:
    """Return a sequence of moves that leads to a packed position; there may be others.

    Raises
    ------
    PositionError
        If none is found.

    Examples
    --------
    >>> format_moves(parse_words("4453", Board(7, 6)), Board(7, 6))
    '4354'
    """
    moves = _moves_to(int(words[0]), int(words[1]), board)
    if moves is None:
        raise PositionError(f"no sequence of moves was found that leads to {format_words(words, board)}")
    return "".join(DIGITS[move] for move in moves) or EMPTY_SEQUENCE


def pack(red: int, blue: int, board: Board) -> Words:
    """Return the packed position of two bitboards, with the status word that follows from them."""
    side = (red.bit_count() - blue.bit_count()) & 1
    if _has_four(red, board):
        result = 0
    elif _has_four(blue, board):
        result = 1
    else:
        result = DRAW if red | blue == board.full else -1
    return np.array([red, blue, side | (result + 1) << OUTCOME_SHIFT], dtype=np.uint64)


def check_words(words: Words, board: Board) -> None:
    """Reject positions that cannot occur in a match, as far as that can be seen from the stones.

    Raises
    ------
    PositionError
        If stones are off the board, share a cell or are above an empty cell, if red has neither as
        many stones as blue nor one more, or if no last stone can have completed all lines of four.
    """
    red, blue, status = (int(word) for word in words)
    if (red | blue) & ~board.full or red & blue:
        raise PositionError(f"stones are off the board or share a cell: {words.tolist()}")
    for column in range(board.columns):
        stones = ((red | blue) & board.column(column)) >> board.bit(column, 0)
        if stones & (stones + 1):
            raise PositionError(f"a stone is above an empty cell in column {column + 1}")
    reds, blues = red.bit_count(), blue.bit_count()
    if reds - blues not in (0, 1):
        raise PositionError(f"red must have as many stones as blue or one more, not {reds} against {blues}")
    _check_end(red, blue, board)
    if status != int(pack(red, blue, board)[STATUS]):
        raise PositionError(f"the status word does not match the stones: {words.tolist()}")


def split_moves(text: str) -> list[str]:
    """Return the texts of the moves in a line, which need no separators.

    Examples
    --------
    >>> split_moves("4453"), split_moves("ddec"), split_moves("d1d2 e1, c1")
    (['4', '4', '5', '3'], ['d', 'd', 'e', 'c'], ['d1', 'd2', 'e1', 'c1'])
    """
    moves = []
    for word in re.split(r"[\s,;]+", text):
        if _CELLS.fullmatch(word):
            moves += [word[place : place + 2] for place in range(0, len(word), 2)]
        elif _GLUED.fullmatch(word):
            moves += word
        elif word:
            moves.append(word)
    return moves


def parse_action(
    words: Words, actions: Sequence[int], text: str, board: Board, notation: str | None = None
) -> int:
    """Return the action of a column given as text, `1` for the leftmost.

    Parameters
    ----------
    notation : str, optional
        One of `MOVE_NOTATIONS`; by default any except `ZERO_BASED`, whose digits mean other columns.

    Raises
    ------
    MalformedMoveError, IllegalMoveError
        If the text is not a column of this board, or the move is not legal.

    Examples
    --------
    >>> empty = parse_words("-", Board(7, 6))
    >>> [parse_action(empty, range(7), text, Board(7, 6)) for text in ("4", "d", "d1")]
    [3, 3, 3]
    """
    action, row = _place_of(text, board, notation)
    if action not in actions or (row is not None and row != _height(words, action, board)):
        reason = "the match is over"
        if outcome(words) < 0:
            reason = explain_illegal_move(words, actions, text, board, notation)
        raise IllegalMoveError(f"illegal move {text!r}: {reason}")
    return action


def explain_illegal_move(
    words: Words, actions: Sequence[int], text: str, board: Board, notation: str | None = None
) -> str:
    """Return why a move is illegal, given the legal actions."""
    action, row = _place_of(text, board, notation)
    if action in actions:
        return f"the stone lands in row {_height(words, action, board) + 1}, not in row {(row or 0) + 1}"
    return (
        f"the column is full; open columns: {', '.join(format_action(words, one, board) for one in actions)}"
    )


def format_action(words: Words, action: int, board: Board, notation: str | None = None) -> str:
    """Return the column of an action as text, `1` for the leftmost.

    Examples
    --------
    >>> words = parse_words("4", Board(7, 6))
    >>> [format_action(words, 3, Board(7, 6), notation) for notation in MOVE_NOTATIONS]
    ['4', 'd', 'd2', '3']
    """
    if notation == LETTER:
        return LETTERS[action]
    if notation == CELL:
        return f"{LETTERS[action]}{_height(words, action, board) + 1}"
    return str(action if notation == ZERO_BASED else action + 1)


def _place_of(text: str, board: Board, notation: str | None) -> tuple[int, int | None]:
    """Return the column of a move and, if the text has it, the row in which the stone should land, from 0."""
    small = text.lower()
    digits = ZERO_BASED_DIGITS if notation == ZERO_BASED else DIGITS
    if notation in (None, COLUMN, ZERO_BASED) and len(text) == 1 and text in digits[: board.columns]:
        return digits.index(text), None
    if notation in (None, LETTER) and len(text) == 1 and small in LETTERS[: board.columns]:
        return LETTERS.index(small), None
    if (
        notation in (None, CELL)
        and (match := _CELL.fullmatch(small))
        and int(match[2]) in range(1, board.rows + 1)
    ):
        column = LETTERS.index(match[1])
        if column < board.columns:
            return column, int(match[2]) - 1
    last, last_letter = board.columns, LETTERS[board.columns - 1]
    expected = {
        LETTER: f"columns are a to {last_letter}",
        CELL: f"cells are a1 to {last_letter}{board.rows}",
        ZERO_BASED: f"columns are 0 to {last - 1}",
    }.get(notation or "", f"columns are 1 to {last}")
    if notation is None and text == "0":
        expected += f"; the notation {ZERO_BASED!r} counts them from 0"
    what = "cell" if notation == CELL else "column"
    raise MalformedMoveError(f"{quote(text)} is not a {what}; {expected}")


def _height(words: Words, column: int, board: Board) -> int:
    return ((int(words[0]) | int(words[1])) & board.column(column)).bit_count()


# --- boards of other programs ------------------------------------------------


def _notation_of(text: str, board: Board) -> str | None:
    """Return the notation that a text seems to have, or None."""
    if text == EMPTY_SEQUENCE:
        return MOVES
    values = [value.strip().lower() for value in text.split(",")]
    if set(values) <= {*"xob", *CLASSES} and (
        len(values) >= _cells(board) or not {"x", "o"}.isdisjoint(values)
    ):
        return DATA_SET
    if "/" in text:
        rows, rest = _split_slashes(text)
        return FEN if rest or _is_fen(rows) or any(len(row) != board.columns for row in rows) else ROWS
    lines = text.splitlines()
    if "|" in text.translate(_LINES) or (len(lines) > 1 and not _SEQUENCE.fullmatch(text)):
        return ROWS
    cells = _bare(text)
    if len(lines) > 1 and len(cells) >= _cells(board):
        return ROWS
    if set(cells) <= set("012") and len(cells) > 3 * board.rows:
        return CELLS
    if len(cells) == _cells(board) and not _SEQUENCE.fullmatch(text):
        return CELLS
    return MOVES if _SEQUENCE.fullmatch(text) else None


def _expected(notation: str | None, board: Board) -> str:
    rows, sequence = f"{board.rows} rows separated by '/'", "a sequence of moves, or '-'"
    return {
        ROWS: rows,
        MOVES: sequence,
        ZERO_BASED_MOVES: f"{sequence}, with columns from 0",
        FEN: f"{rows}, with numbers for empty cells",
        CELLS: f"{_cells(board)} cells, each 0, 1 or 2",
        DATA_SET: f"{_cells(board)} cells separated by commas, each x, o or b",
    }.get(notation or "", f"{rows}, {sequence}")


def _parse_slashes(text: str, board: Board, notation: str) -> Words:
    """Return the position of rows separated by `/`; those of a FEN may be followed by the side to move."""
    rows, rest = _split_slashes(text)
    side = rest.pop(0).lower() if rest and not rest[0].isdigit() else ""
    if any(not word.isdigit() for word in rest) or len(side) > 1:
        raise PositionError(f"{quote(' '.join([side, *rest]))} after the rows is not a side and a number")
    if len(rows) != board.rows:
        raise PositionError(f"a board has {board.rows} rows separated by '/', not {len(rows)}: {quote(text)}")
    is_own = notation == ROWS and set(text) <= set(f"./{SYMBOLS}")
    if notation == FEN:
        rows = [_expanded(row) for row in rows]
    return _pack_rows(rows, board, side=side, first=SYMBOLS[0] if is_own else "")


def _expanded(row: str) -> str:
    """Return a row of a FEN with empty cells in place of the digits that count them."""
    return re.sub("[1-8]", lambda digit: "." * int(digit[0]), row)


def _split_slashes(text: str) -> tuple[list[str], list[str]]:
    """Return the rows between slashes, with spaces removed, and the words that follow them."""
    words = text.split()
    if words and words[0].count("/") == text.count("/"):
        return words[0].split("/"), words[1:]
    return ["".join(row.split()) for row in text.split("/")], []


def _is_fen(rows: Sequence[str]) -> bool:
    """Return True if the digits in the rows count empty cells; otherwise `1` and `2` are stones."""
    symbols = set("".join(rows))
    return bool(symbols & set(DIGITS)) and (bool(symbols & set(DIGITS[2:])) or any(map(str.isalpha, symbols)))


def _parse_lines(text: str, board: Board) -> Words:
    """Return the position of a board drawn line by line, with or without borders and column labels."""
    lines = text.translate(_LINES).translate(_BRACKETS).splitlines()
    labels = [line for line in lines if _is_label(line, board)]
    lines = [line for line in lines if not _is_label(line, board)]
    filled = [line for line in lines if line.strip()]
    if len(filled) != board.rows:
        unruled = [line for line in filled if not _RULE.fullmatch(line) or _is_framed_row(line, board)]
        filled = unruled if len(unruled) == board.rows else _trimmed(lines, board)
    if len(filled) != board.rows:
        raise PositionError(f"a board has {board.rows} rows, not {len(filled)}: {quote(text)}")
    numbers = range(board.rows, 0, -1)
    if all(line.split()[:1] == [str(number)] for line, number in zip(filled, numbers, strict=True)):
        bare = [line.replace(str(number), " ", 1) for line, number in zip(filled, numbers, strict=True)]
        if all(len("".join(line.split())) == board.columns for line in bare):
            filled = bare
    offsets = _offsets(labels[0]) if labels else []
    return _pack_rows([_cells_of_line(line, board, offsets) for line in filled], board)


def _is_label(line: str, board: Board) -> bool:
    """Return True for a line with the numbers or letters of all columns."""
    compact = "".join(line.replace("|", " ").split()).lower()
    return compact in {symbols[: board.columns] for symbols in (DIGITS, ZERO_BASED_DIGITS, LETTERS)}


def _offsets(label: str) -> list[int]:
    return [place for place, symbol in enumerate(label) if symbol not in " |"]


def _is_framed_row(line: str, board: Board) -> bool:
    """Return True for `| | | |`, a row of empty cells between borders."""
    return line.count("|") > 1 and not set(line.strip()) & set("+=-") and set(line.strip()) != {"|"}


def _trimmed(lines: Sequence[str], board: Board) -> list[str]:
    """Return the lines without horizontal rules and without surplus blank lines at the top and bottom."""
    kept = [
        line for line in lines if not line.strip() or not _RULE.fullmatch(line) or _is_framed_row(line, board)
    ]
    while len(kept) > board.rows and not kept[0].strip():
        kept.pop(0)
    while len(kept) > board.rows and not kept[-1].strip():
        kept.pop()
    return kept


def _cells_of_line(line: str, board: Board, offsets: Sequence[int]) -> str:
    """Return the symbols of a row; empty cells may be spaces, which become `.`."""
    columns = board.columns
    framed = _FRAMED.fullmatch(line)
    inner = framed[1] if framed else line.rstrip()
    parts = inner.split("|")
    if len(parts) == columns and len(parts) > 1:
        return "".join(part.strip() or "." for part in parts)
    compact = "".join(inner.split())
    if len(compact) == columns:
        return compact
    if framed and len(inner) in (2 * columns - 1, 2 * columns + 1):
        places = list(range(len(inner) > 2 * columns, len(inner), 2))
    elif offsets and not framed and offsets[-1] >= columns:
        places = list(offsets)
    else:
        places = list(range(columns)) if len(inner) <= columns else []
    padded = inner.ljust(2 * columns + 1)
    taken = "".join(padded[place] if place < len(padded) else " " for place in places)
    is_whole = len(taken.replace(" ", "")) == len(compact)
    return taken.replace(" ", ".") if is_whole and places else compact


def _parse_cells(text: str, board: Board) -> Words:
    """Return the position of all cells in one line, row by row from the top."""
    cells = _bare(text)
    if len(cells) != _cells(board):
        raise PositionError(f"{board.name} has {_cells(board)} cells, not {len(cells)}: {quote(text)}")
    rows = [cells[start : start + board.columns] for start in range(0, len(cells), board.columns)]
    return _pack_rows(rows, board)


def _bare(text: str) -> str:
    return "".join(text.translate(_BRACKETS).split())


def _parse_data_set(text: str, board: Board) -> Words:
    """Return the position of cells given column by column from the bottom; a class after them is ignored."""
    values = [value.strip().lower() for value in text.split(",")]
    if len(values) == _cells(board) + 1 and values[-1] in (*CLASSES, "0", "1", "2", "-1"):
        values.pop()
    if len(values) != _cells(board):
        raise PositionError(f"{board.name} has {_cells(board)} cells, not {len(values)}: {quote(text)}")
    for value in values:
        if value not in ("x", "o", "b", "0", "1", "2"):
            raise PositionError(f"{quote(value)} is not a cell of a data set; cells are x, o or b")
    cells = "".join(values).translate(str.maketrans("b012", "..xo"))
    columns = [cells[start : start + board.rows] for start in range(0, len(cells), board.rows)]
    return _pack_rows(["".join(row) for row in zip(*columns, strict=True)][::-1], board, first="x")


def _cells(board: Board) -> int:
    return board.columns * board.rows


def _pack_rows(rows: Sequence[str], board: Board, *, side: str = "", first: str = "") -> Words:
    """Return the packed position of a board given as rows, top row first.

    Parameters
    ----------
    side : str
        Symbol of the side to move, if it is known.
    first : str
        Symbol of the side that moved first if both have the same number of stones; empty if unknown.
    """
    places: dict[str, int] = {}
    for index, row in enumerate(rows):
        if len(row) != board.columns:
            raise PositionError(
                f"row {index + 1} from the top must have {board.columns} cells, not {len(row)}"
            )
        for column, symbol in enumerate(row.lower()):
            if symbol not in _ALL_SYMBOLS:
                raise PositionError(
                    f"row {index + 1} from the top contains {row[column]!r}; cells are '.', 'r' or 'b'"
                )
            places[symbol] = places.get(symbol, 0) | 1 << board.bit(column, board.rows - 1 - index)
    stones = {symbol for symbol in places if symbol not in EMPTY_CELLS}
    pair = next((pair for pair in STONES if stones | set(side) <= set(pair)), None)
    if pair is None or len(places) > len(stones) + 1:
        symbols = ", ".join(map(repr, sorted({*places, *side})))
        raise PositionError(f"a board has two kinds of stones and one of empty cells, not {symbols}")
    if first == SYMBOLS[0]:
        return pack(places.get("r", 0), places.get("b", 0), board)
    readings = [(pair[0], pair[1]), (pair[1], pair[0])]
    bits = {symbol: places.get(symbol, 0) for symbol in pair}
    numbers = {symbol: bits[symbol].bit_count() for symbol in pair}
    possible = [
        reading
        for reading in readings
        if numbers[reading[0]] - numbers[reading[1]] in (0, 1)
        and side in ("", reading[numbers[reading[0]] - numbers[reading[1]]])
    ]
    if not possible:
        counts = f"{numbers[pair[0]]} {pair[0]!r} against {numbers[pair[1]]} {pair[1]!r}"
        turn = f" with {side!r} to move" if side else ""
        raise PositionError(
            f"the sides must have equally many stones, or one side one more, not {counts}{turn}"
        )
    one, other = possible[0]
    is_open = len(possible) > 1 and pair != "12" and not first
    if (
        is_open
        and _moves_to(bits[one], bits[other], board) is None
        and _moves_to(bits[other], bits[one], board)
    ):
        one, other = other, one
    return pack(bits[one], bits[other], board)


_ALL_SYMBOLS = frozenset("".join(STONES) + EMPTY_CELLS)


def _rows(words: Words, board: Board, symbols: str) -> list[str]:
    """Return the rows from the top with the symbols of an empty cell and of both sides."""
    red, blue = int(words[0]), int(words[1])
    return [
        "".join(
            symbols[1 if red >> bit & 1 else 2 if blue >> bit & 1 else 0]
            for bit in (board.bit(column, row) for column in range(board.columns))
        )
        for row in range(board.rows - 1, -1, -1)
    ]


def _moves_to(red: int, blue: int, board: Board) -> list[int] | None:
    """Return a sequence of columns that leads to a position, or None if none is found."""
    for last in _possible_last_stones(red, blue, board):
        columns = [
            "".join(
                SYMBOLS[0] if red >> bit & 1 else SYMBOLS[1]
                for bit in range(board.bit(column, 0), board.bit(column, board.rows))
                if (red | blue) >> bit & 1 and 1 << bit != last
            )
            for column in range(board.columns)
        ]
        moves = _sequence(columns)
        if moves is not None:
            return [*moves, (last.bit_length() - 1) // board.height] if last else moves
    return None


def _parse_sequence(text: str, board: Board, notation: str | None) -> Words:
    """Return the position after a sequence of moves; raise PositionError at the first illegal one."""
    rules = sized_rules(board)
    position, legal = pack(0, 0, board), np.zeros(board.columns, dtype=np.int64)
    moves = split_moves(text)
    if notation is None and "0" in moves:
        raise PositionError(
            f"{quote(text)} has a column 0, but columns are counted from 1; "
            f"the notation {ZERO_BASED_MOVES!r} counts them from 0"
        )
    for ply, move in enumerate(moves, start=1):
        actions = legal[: rules.legal_moves(position, legal)].tolist()
        try:
            action = parse_action(position, actions, move, board, notation)
        except (MalformedMoveError, IllegalMoveError) as error:
            raise PositionError(f"{error} (ply {ply} of {quote(text)})") from None
        successor = np.zeros(POSITION_WORDS, dtype=np.uint64)
        rules.apply(position, action, successor)
        position = successor
    return position


def _check_end(red: int, blue: int, board: Board) -> None:
    """Reject lines of four of both sides, of the side to move, or not completed by a single last stone."""
    winners = [side for side in (0, 1) if _has_four((red, blue)[side], board)]
    if not winners:
        return
    if len(winners) == 2:
        raise PositionError("both sides have four in a line")
    if winners[0] == int(side_to_move(pack(red, blue, board))):
        raise PositionError(f"{('red', 'blue')[winners[0]]} has four in a line, but is to move")
    if not _possible_last_stones(red, blue, board):
        raise PositionError("no single last stone completes all fours in a line")


def _possible_last_stones(red: int, blue: int, board: Board) -> list[int]:
    """Return the stones, as bitboards, that can have been the last one; [0] if nobody has four in a line."""
    stones = next((stones for stones in (red, blue) if _has_four(stones, board)), None)
    if stones is None:
        return [0]
    tops = [(red | blue) & board.column(column) for column in range(board.columns)]
    lasts = [1 << top.bit_length() >> 1 for top in tops]
    return [last for last in lasts if stones & last and not _has_four(stones ^ last, board)]


def _sequence(columns: Sequence[str]) -> list[int] | None:
    """Return alternating moves that fill the columns from the bottom, or None if no sequence is found.

    Columns in which most stones are missing are tried first, since this rarely leads to a dead end.
    """
    heights, moves, dead_ends = [0] * len(columns), list[int](), set[tuple[int, ...]]()
    total = sum(map(len, columns))

    def extend() -> bool:
        if len(moves) == total:
            return True
        if tuple(heights) in dead_ends or len(dead_ends) > MAX_DEAD_ENDS:
            return False
        symbol = SYMBOLS[len(moves) % 2]
        for column in sorted(range(len(columns)), key=lambda column: heights[column] - len(columns[column])):
            if columns[column][heights[column] : heights[column] + 1] == symbol:
                heights[column] += 1
                moves.append(column)
                if extend():
                    return True
                heights[column] -= 1
                moves.pop()
        dead_ends.add(tuple(heights))
        return False

    return moves if extend() else None


def _has_four(stones: int, board: Board) -> bool:
    return bool(has_line(np.uint64(stones), board.height, np.uint64(board.line_starts)))
