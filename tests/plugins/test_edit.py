"""Setting up positions piece by piece in every game that supports it."""

import random

import pytest

import boardgames
from boardgames.errors import PositionError


@pytest.mark.parametrize("name", ["abalone", "connect4", "hexifence"])
def test_edited_positions_are_valid_and_can_be_written_and_read(name: str) -> None:
    game, choice = boardgames.load(name), random.Random(3)
    position, edits = game.start(), 0
    for _ in range(120):
        target = choice.choice(position.picture().ids)
        piece = choice.choice([*game.edit_pieces, *game.edit_pieces, None])
        try:
            position = game.edit(position, target, piece)
        except PositionError:
            continue
        edits += 1
        assert game.parse(str(position)) == position
    assert edits > 20


def test_a_marble_is_put_replaced_and_taken_and_either_side_moves() -> None:
    game = boardgames.load("abalone")
    position = game.edit(game.start(), "e5", "white")
    assert str(position).split("/")[4] == "....w...."
    position = game.edit(position, "e5", "black")
    assert str(position).split("/")[4] == "....b...."
    assert game.edit(position, "e5", None) == game.start()
    assert game.edit_turn(position, 1).side_to_move == 1


def test_stones_fall_and_alternate() -> None:
    game = boardgames.load("connect4")
    position = game.edit(game.edit(game.start(), "c4r6", "red"), "c4r6", "blue")
    assert position == game.parse("44")
    with pytest.raises(PositionError, match="the stones alternate, so the next one is red"):
        game.edit(position, "c1r1", "blue")
    with pytest.raises(PositionError, match="so take away a blue one first"):
        game.edit(game.parse("4435"), "c3r1", None)
    assert game.edit(game.parse("445"), "c5r1", None) == game.parse("44")
    with pytest.raises(PositionError, match="there is no stone in column 1"):
        game.edit(position, "c1r1", None)
    with pytest.raises(PositionError, match="the side to move cannot be chosen in Connect Four"):
        game.edit_turn(position, 1)


def test_the_last_edge_of_a_cell_gives_it_an_owner_who_can_be_changed() -> None:
    game = boardgames.load("hexifence", dimension=2)
    first = game.start().picture().lines[0]
    position = game.start()
    for line in position.picture().lines:
        position = game.edit(position, line.id, "blue")
    assert position.score == (7, 0)
    assert game.edit(position, "c3", "red").score == (6, 1)
    assert game.edit(position, first.id, None).score[0] < 7
    with pytest.raises(PositionError, match="if and only if all six of its edges are drawn"):
        game.edit(game.start(), "c3", "red")


@pytest.mark.parametrize(
    ("target", "piece", "message"),
    [("z9", "black", "not a place"), ("e5", "green", "no such piece"), ("", None, "not a place")],
)
def test_a_wrong_place_or_piece_is_named(target: str, piece: str | None, message: str) -> None:
    game = boardgames.load("abalone")
    with pytest.raises(PositionError, match=message):
        game.edit(game.start(), target, piece)
