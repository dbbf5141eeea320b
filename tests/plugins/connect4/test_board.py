"""Bitboard layout of Connect Four boards of several sizes."""

import pytest

from boardgames_connect4.board import Board

SIZES = [Board(columns, rows) for columns in range(4, 9) for rows in range(4, 9)]


def test_every_cell_has_its_own_bit() -> None:
    for board in SIZES:
        bits = {board.bit(column, row) for column in range(board.columns) for row in range(board.rows)}
        assert len(bits) == board.columns * board.rows
        assert board.full == sum(1 << bit for bit in bits)


def test_all_boards_but_the_largest_have_guard_bits() -> None:
    for board in SIZES:
        guards = [board.column(column) + (1 << board.bit(column, 0)) for column in range(board.columns)]
        assert board.has_guards == (sum(guards) & board.full == 0) == (board != Board(8, 8))
        assert (board.full + sum(guards)).bit_length() <= 64 or not board.has_guards


@pytest.mark.parametrize(
    ("board", "lines"),
    # horizontal, vertical, rising and falling lines
    [(Board(7, 6), 24 + 21 + 12 + 12), (Board(4, 4), 4 + 4 + 1 + 1), (Board(8, 8), 40 + 40 + 25 + 25)],
    ids=str,
)
def test_lines_are_counted_in_all_directions(board: Board, lines: int) -> None:
    assert board.lines() == lines


@pytest.mark.parametrize(
    ("columns", "centre"), [(7, [3]), (8, [3, 4]), (4, [1, 2])], ids=["odd", "even", "four"]
)
def test_the_centre_is_the_middle_column_or_the_two_middle_columns(columns: int, centre: list[int]) -> None:
    board = Board(columns, 6)
    assert board.centre == sum(board.column(column) for column in centre)
