"""Bitboard layout of Connect Four boards of several sizes."""

import pytest

from boardgames_connect4.board import Board

SIZES = [Board(7, 6), Board(2, 2), Board(8, 7), Board(7, 8), Board(4, 5)]


@pytest.mark.parametrize("board", SIZES, ids=str)
def test_every_cell_has_its_own_bit(board: Board) -> None:
    bits = {board.bit(column, row) for column in range(board.columns) for row in range(board.rows)}
    assert len(bits) == board.columns * board.rows
    assert board.full == sum(1 << bit for bit in bits)


@pytest.mark.parametrize("board", SIZES, ids=str)
def test_guard_bits_are_not_cells(board: Board) -> None:
    for column in range(board.columns):
        assert not board.full >> board.bit(column, board.rows) & 1


@pytest.mark.parametrize(
    ("board", "lines"),
    # horizontal, vertical, rising and falling lines
    [(Board(7, 6), 24 + 21 + 12 + 12), (Board(3, 3), 0), (Board(4, 4), 4 + 4 + 1 + 1), (Board(4, 3), 3)],
    ids=str,
)
def test_lines_are_counted_in_all_directions(board: Board, lines: int) -> None:
    assert board.lines() == lines


@pytest.mark.parametrize(
    ("columns", "centre"), [(7, [3]), (8, [3, 4]), (2, [0, 1])], ids=["odd", "even", "two"]
)
def test_the_centre_is_the_middle_column_or_the_two_middle_columns(columns: int, centre: list[int]) -> None:
    board = Board(columns, 6)
    assert board.centre == sum(board.column(column) for column in centre)


def test_boards_larger_than_a_word_with_guard_bits_do_not_fit() -> None:
    assert Board(8, 7).fits
    assert Board(7, 8).fits
    assert not Board(8, 8).fits
