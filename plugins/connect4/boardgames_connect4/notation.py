"""Notation of Connect Four: parse and format positions and moves.

A position is written as its rows from the top, separated by `/`: `.` is an empty cell, `r`
a red stone and `b` a blue one. The second notation is a sequence of moves from the empty
board, such as `4453`; `-` is the empty sequence. A move is written as its column, counted
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

ROWS, MOVES = "rows", "moves"
"""Names of the notations for positions."""
MAX_DEAD_ENDS = 20_000
"""Positions that `format_moves` gives up at most on its way to a sequence of moves."""
SYMBOLS = "rb"
EMPTY_SEQUENCE = "-"


def parse_words(text: str, board: Board, notation: str | None = None) -> Words:
    """Return the packed position, `uint64[3]`, of rows or of a sequence of moves.

    Parameters
    ----------
    notation : str, optional
        `ROWS` or `MOVES` if only one of them is accepted.

    Raises
    ------
    PositionError
        If the text is neither, does not fit the size of the board, or contains an illegal move.

    Examples
    --------
    >>> format_words(parse_words("4453", Board(7, 6)), Board(7, 6))
    '......./......./......./......./...b.../..brr..'
    """
    if notation != ROWS and text == EMPTY_SEQUENCE:
        return pack(0, 0, board)
    if notation != MOVES and "/" in text:
        return _parse_rows(text, board)
    if notation != ROWS and text.isascii() and text.isdigit():
        return _parse_sequence(text, board)
    rows, sequence = f"{board.rows} rows separated by '/'", "a sequence of moves, or '-'"
    expected = {ROWS: rows, MOVES: sequence}.get(notation or "", f"{rows}, {sequence}")
    raise PositionError(f"{quote(text)} is not a position; write {expected}")


def format_words(words: Words, board: Board) -> str:
    """Return the rows, from the top, of a packed position."""
    red, blue = int(words[0]), int(words[1])
    rows = []
    for row in range(board.rows - 1, -1, -1):
        bits = [board.bit(column, row) for column in range(board.columns)]
        rows.append("".join("r" if red >> bit & 1 else "b" if blue >> bit & 1 else "." for bit in bits))
    return "/".join(rows)


def format_moves(words: Words, board: Board) -> str:
    """Return a sequence of moves that leads to a packed position; several sequences may.

    Raises
    ------
    PositionError
        If none is found.

    Examples
    --------
    >>> format_moves(parse_words("4453", Board(7, 6)), Board(7, 6))
    '4354'
    """
    red, blue = int(words[0]), int(words[1])
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
            if last:
                moves.append((last.bit_length() - 1) // board.height)
            return "".join(map(format_action, moves)) or EMPTY_SEQUENCE
    raise PositionError(f"no sequence of moves was found that leads to {format_words(words, board)}")


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
    if winners[0] == int(side_to_move(pack(red, blue, board))):
        raise PositionError(f"{('red', 'blue')[winners[0]]} has four in a line, but is to move")
    if not _possible_last_stones(red, blue, board):
        raise PositionError("no single last stone completes all fours in a line")


def _possible_last_stones(red: int, blue: int, board: Board) -> list[int]:
    """Return the stones, as bits, that can have ended the match; [0] if nobody has four in a line."""
    stones = next((stones for stones in (red, blue) if _has_four(stones, board)), None)
    if stones is None:
        return [0]
    tops = [(red | blue) & board.column(column) for column in range(board.columns)]
    lasts = [1 << top.bit_length() >> 1 for top in tops]
    return [last for last in lasts if stones & last and not _has_four(stones ^ last, board)]


def _sequence(columns: Sequence[str]) -> list[int] | None:
    """Return alternating moves that fill the columns from the bottom, or None if none are found.

    Columns in which most stones are missing come first, which rarely leads into a dead end.
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
