"""Notation of Connect Four: parse and format positions and moves.

A position is written as its rows from the top, separated by `/`: `.` is an empty cell, `r`
a red stone and `b` a blue one. A sequence of moves from the empty board, such as `4453`,
is accepted as well; `-` is the empty sequence. A move is written as its column, counted
from 1.
"""

from collections.abc import Sequence

import numpy as np

from boardgames.errors import IllegalMoveError, MalformedMoveError, PositionError, quote
from boardgames.kernels import Words
from boardgames_connect4.board import Board
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

ROWS = "rows"
SYMBOLS = "rb"
EMPTY_SEQUENCE = "-"


def parse_words(text: str, board: Board) -> Words:
    """Return the packed position, `uint64[3]`, of rows or of a sequence of moves.

    Raises
    ------
    PositionError
        If the text is neither, does not fit the size of the board, or contains an illegal move.

    Examples
    --------
    >>> format_words(parse_words("4453", Board(7, 6)), Board(7, 6))
    '......./......./......./......./...b.../..brr..'
    """
    if text == EMPTY_SEQUENCE:
        return pack(0, 0, board)
    if "/" in text:
        return _parse_rows(text, board)
    if text.isascii() and text.isdigit():
        return _parse_sequence(text, board)
    raise PositionError(
        f"{quote(text)} is not a position; write {board.rows} rows separated by '/', "
        "a sequence of moves, or '-'"
    )


def format_words(words: Words, board: Board) -> str:
    """Return the rows, from the top, of a packed position."""
    red, blue = int(words[0]), int(words[1])
    rows = []
    for row in range(board.rows - 1, -1, -1):
        bits = [board.bit(column, row) for column in range(board.columns)]
        rows.append("".join("r" if red >> bit & 1 else "b" if blue >> bit & 1 else "." for bit in bits))
    return "/".join(rows)


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
        If stones are off the board, share a cell or are above an empty one, if red does not
        have as many stones as blue or one more, or if there are lines of four that the last
        stone cannot have completed.
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


def parse_action(words: Words, actions: Sequence[int], text: str, board: Board) -> int:
    """Return the action of a column text, `1` for the leftmost.

    Raises
    ------
    MalformedMoveError, IllegalMoveError
        If the text is not a column of this board, or the move is not legal.

    Examples
    --------
    >>> parse_action(parse_words("-", Board(7, 6)), range(7), "4", Board(7, 6))
    3
    """
    if text not in {format_action(action) for action in range(board.columns)}:
        raise MalformedMoveError(f"{quote(text)} is not a column; columns are 1 to {board.columns}")
    action = int(text) - 1
    if action not in actions:
        reason = "the match is over" if outcome(words) >= 0 else explain_illegal_move(actions)
        raise IllegalMoveError(f"illegal move {text!r}: {reason}")
    return action


def explain_illegal_move(actions: Sequence[int]) -> str:
    """Return why a column cannot be played, given the columns that can."""
    return f"the column is full; open columns: {', '.join(map(format_action, actions))}"


def format_action(action: int) -> str:
    """Return the column of an action as text, `1` for the leftmost."""
    return str(action + 1)


def _parse_rows(text: str, board: Board) -> Words:
    rows = text.split("/")
    if len(rows) != board.rows:
        raise PositionError(f"a board has {board.rows} rows separated by '/', not {len(rows)}: {quote(text)}")
    stones = dict.fromkeys(SYMBOLS, 0)
    for index, line in enumerate(rows):
        if len(line) != board.columns:
            raise PositionError(
                f"row {index + 1} from the top must have {board.columns} cells, not {len(line)}"
            )
        for column, symbol in enumerate(line):
            if symbol in stones:
                stones[symbol] |= 1 << board.bit(column, board.rows - 1 - index)
            elif symbol != ".":
                raise PositionError(
                    f"row {index + 1} from the top contains {symbol!r}; cells are '.', 'r' or 'b'"
                )
    return pack(stones["r"], stones["b"], board)


def _parse_sequence(text: str, board: Board) -> Words:
    """Return the position after a sequence of moves; raise PositionError at the first illegal one."""
    rules = sized_rules(board)
    position, moves = pack(0, 0, board), np.zeros(board.columns, dtype=np.int64)
    for ply, column in enumerate(text, start=1):
        actions = moves[: rules.legal_moves(position, moves)].tolist()
        try:
            action = parse_action(position, actions, column, board)
        except (MalformedMoveError, IllegalMoveError) as error:
            raise PositionError(f"{error} (ply {ply} of {quote(text)})") from None
        successor = np.zeros(POSITION_WORDS, dtype=np.uint64)
        rules.apply(position, action, successor)
        position = successor
    return position


def _check_end(red: int, blue: int, board: Board) -> None:
    """Reject fours of both sides, of the side to move, or which no single last stone can have completed."""
    winners = [side for side in (0, 1) if _has_four((red, blue)[side], board)]
    if not winners:
        return
    if len(winners) == 2:
        raise PositionError("both sides have four in a line")
    winner, stones = winners[0], (red, blue)[winners[0]]
    if winner == int(side_to_move(pack(red, blue, board))):
        raise PositionError(f"{('red', 'blue')[winner]} has four in a line, but is to move")
    for column in range(board.columns):
        occupied = (red | blue) & board.column(column)
        last = 1 << occupied.bit_length() >> 1
        if stones & last and not _has_four(stones ^ last, board):
            return
    raise PositionError("no single last stone completes all fours in a line")


def _has_four(stones: int, board: Board) -> bool:
    return bool(has_line(np.uint64(stones), board.height, np.uint64(board.line_starts)))
