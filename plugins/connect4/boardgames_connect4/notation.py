"""Notation of Connect Four: parse and format positions and moves.

A position is its rows from the top with `/` between them: `.` an empty cell,
`r` a red stone, `b` a blue one. The sequence of moves from the empty board is
read too, `4453`; `-` is the empty sequence. A move is its column, from 1.
"""

from collections.abc import Sequence

import numpy as np

from boardgames.errors import IllegalMoveError, MalformedMoveError, PositionError, shown
from boardgames.kernels import Words
from boardgames_connect4.board import Board
from boardgames_connect4.rules import (
    DRAW,
    FACTS,
    OUTCOME_SHIFT,
    POSITION_WORDS,
    has_four,
    outcome,
    side_to_move,
    sized_rules,
)

ROWS = "rows"
SYMBOLS = "rb"
EMPTY_SEQUENCE = "-"


def parse_words(text: str, board: Board) -> Words:
    """Return the packed words, `uint64[3]`, of rows or of a sequence of moves.

    Raises
    ------
    PositionError
        If the text is neither, has another shape, or a move is not legal.

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
        f"expected {board.rows} rows with '/' between them, a sequence of moves, or '-': {shown(text)}"
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
    """Return the packed words of two sets of stones, the facts worked out from them."""
    side = (red.bit_count() - blue.bit_count()) & 1
    if has_four(np.uint64(red), board.height):
        end = 0
    elif has_four(np.uint64(blue), board.height):
        end = 1
    else:
        end = DRAW if red | blue == board.full else -1
    return np.array([red, blue, side | (end + 1) << OUTCOME_SHIFT], dtype=np.uint64)


def check_words(words: Words, board: Board) -> None:
    """Refuse words that no match can have come to, as far as stones alone can tell.

    Raises
    ------
    PositionError
        If stones are off the board, on each other or above an empty cell, if
        their numbers are not equal or one more for red, or if there are fours
        that the last stone cannot have made.
    """
    red, blue, facts = (int(word) for word in words)
    if (red | blue) & ~board.full or red & blue:
        raise PositionError(f"expected stones on cells of their own: {words.tolist()}")
    for column in range(board.columns):
        stones = ((red | blue) & board.column(column)) >> board.bit(column, 0)
        if stones & (stones + 1):
            raise PositionError(f"expected no stone above an empty cell: column {column + 1}")
    reds, blues = red.bit_count(), blue.bit_count()
    if reds - blues not in (0, 1):
        raise PositionError(f"expected as many red stones as blue or one more: {reds} and {blues}")
    _check_end(red, blue, board)
    if facts != int(pack(red, blue, board)[FACTS]):
        raise PositionError(f"expected the facts that the stones give: {words.tolist()}")


def parse_action(words: Words, actions: Sequence[int], text: str, board: Board) -> int:
    """Return the action of a column, `1` from the left.

    Raises
    ------
    MalformedMoveError, IllegalMoveError
        If the text is no column of this board, or the column takes no stone.

    Examples
    --------
    >>> parse_action(parse_words("-", Board(7, 6)), range(7), "4", Board(7, 6))
    3
    """
    if text not in {format_action(action) for action in range(board.columns)}:
        raise MalformedMoveError(f"expected a column 1 to {board.columns}: {shown(text)}")
    action = int(text) - 1
    if action not in actions:
        if outcome(words) >= 0:
            raise IllegalMoveError(f"expected no move after the end of the match: {text!r}")
        room = ", ".join(format_action(action) for action in actions)
        raise IllegalMoveError(f"expected a column with room ({room}): {text!r}")
    return action


def format_action(action: int) -> str:
    """Return the column of an action, `1` from the left."""
    return str(action + 1)


def _parse_rows(text: str, board: Board) -> Words:
    rows = text.split("/")
    if len(rows) != board.rows:
        raise PositionError(f"expected {board.rows} rows: {len(rows)} in {shown(text)}")
    stones = dict.fromkeys(SYMBOLS, 0)
    for index, line in enumerate(rows):
        if len(line) != board.columns:
            raise PositionError(
                f"expected {board.columns} cells in each row: {shown(line)} (row {index + 1} from the top)"
            )
        for column, symbol in enumerate(line):
            if symbol in stones:
                stones[symbol] |= 1 << board.bit(column, board.rows - 1 - index)
            elif symbol != ".":
                raise PositionError(
                    f"expected '.', 'r' or 'b' in a cell: {symbol!r} (row {index + 1} from the top)"
                )
    return pack(stones["r"], stones["b"], board)


def _parse_sequence(text: str, board: Board) -> Words:
    """Play the moves; a long text ends at the first illegal one."""
    rules = sized_rules(board)
    position, moves = pack(0, 0, board), np.zeros(board.columns, dtype=np.int64)
    for ply, column in enumerate(text, start=1):
        actions = moves[: rules.legal_moves(position, moves)].tolist()
        try:
            action = parse_action(position, actions, column, board)
        except (MalformedMoveError, IllegalMoveError) as error:
            raise PositionError(f"{error} (ply {ply} of {shown(text)})") from None
        successor = np.zeros(POSITION_WORDS, dtype=np.uint64)
        rules.apply(position, action, successor)
        position = successor
    return position


def _check_end(red: int, blue: int, board: Board) -> None:
    """Refuse fours of both sides, of the side to move, or that no one last stone completes."""
    winners = [side for side in (0, 1) if has_four(np.uint64((red, blue)[side]), board.height)]
    if not winners:
        return
    if len(winners) == 2:
        raise PositionError("expected four in a line of one side at most: both have it")
    winner, stones = winners[0], (red, blue)[winners[0]]
    if winner == int(side_to_move(pack(red, blue, board))):
        raise PositionError(f"expected the winner to have moved last: {('red', 'blue')[winner]} is to move")
    for column in range(board.columns):
        taken = (red | blue) & board.column(column)
        last = 1 << taken.bit_length() >> 1
        if stones & last and not has_four(np.uint64(stones ^ last), board.height):
            return
    raise PositionError("expected fours that share their last stone: no one stone completes them")
