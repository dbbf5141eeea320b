"""The picture of a Connect Four position: stones, labels and clicks."""

import pytest

import boardgames
from boardgames.game import Game

SIZES = [(7, 6), (4, 4), (8, 7), (8, 8)]


def connect4(columns: int = 7, rows: int = 6) -> Game:
    return boardgames.load("connect4", columns=columns, rows=rows)


def test_stones_are_drawn_where_the_text_has_them() -> None:
    position = connect4().parse("4453")
    picture = position.picture()
    places = {cell.id: (int(cell.x), int(cell.y)) for cell in picture.cells}
    rows = [["."] * 7 for _ in range(6)]
    for piece in picture.pieces:
        column, row = places[piece.cell]
        rows[row][column] = piece.symbol
        assert piece.symbol == "rb"[piece.side]
    assert "/".join("".join(row) for row in rows) == str(position)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_click_on_any_cell_of_a_column_plays_it(size: tuple[int, int]) -> None:
    picture = connect4(*size).start().picture()
    assert list(picture.clicks) == [str(column + 1) for column in range(size[0])]
    columns = {cell.id: str(int(cell.x) + 1) for cell in picture.cells}
    for move, sequences in picture.clicks.items():
        assert {ids[0] for ids in sequences} == {cell for cell, column in columns.items() if column == move}


def test_the_first_click_of_a_move_is_where_the_stone_lands() -> None:
    position = connect4().parse("4453")
    for move, sequences in position.picture().clicks.items():
        changed = position.apply(move).picture().since(position.picture()).changed
        assert set(sequences[0]) == changed


def test_full_columns_and_finished_matches_have_no_clicks() -> None:
    assert "4" not in connect4().parse("444444").picture().clicks
    assert not connect4().parse("1212121").picture().clicks


@pytest.mark.parametrize(
    ("moves", "winning"),
    [
        ("112233", ""),
        ("1122334", "c1r1 c2r1 c3r1 c4r1"),
        ("121212", ""),
        ("1212121", "c1r1 c1r2 c1r3 c1r4"),
        ("12233434464", "c1r1 c2r2 c3r3 c4r4"),
        ("43322121161", "c4r1 c3r2 c2r3 c1r4"),
    ],
)
def test_the_cells_of_four_in_a_line_have_won(moves: str, winning: str) -> None:
    position = connect4().parse(moves)
    assert position.picture().winning == set(winning.split())
    assert bool(winning) == (position.outcome is not None)


def test_columns_are_labelled_from_1_below_the_board() -> None:
    picture = connect4(8, 7).start().picture()
    lowest = max(cell.y for cell in picture.cells)
    assert [(label.x, label.text) for label in picture.labels] == [(x, str(x + 1)) for x in range(8)]
    assert all(label.y > lowest for label in picture.labels)
