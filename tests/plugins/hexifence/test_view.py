"""The picture of a Hexifence position: cells, edges, clicks, captions."""

import math

import pytest

from boardgames_hexifence.board import board
from boardgames_hexifence.game import Hexifence

CLOSED = "2:BR..BR..RB....................:R......:R"


@pytest.mark.parametrize("dimension", range(2, 9))
def test_every_edge_is_a_line_between_two_corners_of_its_cells(dimension: int) -> None:
    picture = Hexifence(dimension=dimension).start().picture()
    reach = 1 / math.sqrt(3)
    for edge, line in enumerate(picture.lines):
        assert math.isclose(math.dist((line.x1, line.y1), (line.x2, line.y2)), reach, abs_tol=1e-5)
        for cell in board(dimension).cells_of_edge[edge]:
            centre = picture.cells[cell].x, picture.cells[cell].y
            for end in ((line.x1, line.y1), (line.x2, line.y2)):
                assert math.isclose(math.dist(centre, end), reach, abs_tol=1e-5)


def test_every_open_edge_is_played_with_one_click() -> None:
    game = Hexifence(dimension=2)
    position = game.start().apply("7")
    clicks = position.picture().clicks
    assert {move: ((f"e{move}",),) for move in map(str, position.legal_moves)} == clicks


def test_lines_have_their_number_and_the_side_that_drew_them() -> None:
    lines = Hexifence(dimension=2).parse(CLOSED).picture().lines
    assert [(line.id, line.label, line.side) for line in lines[4:7]] == [
        ("e4", "4", 0),
        ("e5", "5", 1),
        ("e6", "6", None),
    ]


def test_a_closed_cell_shows_its_owner() -> None:
    picture = Hexifence(dimension=2).parse(CLOSED).picture()
    assert [cell.owner for cell in picture.cells] == [1] + [None] * 6


def test_trays_count_the_cells_of_both_sides() -> None:
    picture = Hexifence(dimension=2).parse(CLOSED).picture()
    assert picture.caption_lines("bottom") == [("blue cells 0", "")]
    assert picture.caption_lines("top") == [("red cells 1", "")]


def test_the_last_edge_and_the_cell_it_closed_are_marked_as_changed() -> None:
    game = Hexifence(dimension=2)
    before = game.start()
    for move in ("0", "1", "4", "8", "9"):
        before = before.apply(move)
    assert before.apply("5").picture().since(before.picture()).changed == {"e5", "c0"}
