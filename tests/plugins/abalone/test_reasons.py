"""Why a move of Abalone is not legal."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardgames
from boardgames.errors import IllegalMoveError, MoveError
from boardgames.game import Position
from boardgames.testing import positions
from boardgames_abalone.board import CELL_NAMES, CELLS, NEIGHBOURS
from boardgames_abalone.notation import action_from_cells

GAME = boardgames.load("abalone", layout="standard")
START = GAME.start()


def row_f(row: str) -> Position:
    """Return a position with these marbles on f2 to f9, black to move."""
    return GAME.parse(f"...../....../......./{row}/........./......../......./....../.....")


@pytest.mark.parametrize(
    ("position", "text", "reason"),
    [
        pytest.param(START, "e5e6", "e5 is empty", id="no marble"),
        pytest.param(START, "i5h4", "the marble on i5 is white, and black is to move", id="other side's"),
        pytest.param(START, "a1a2", "five marbles would move, and at most three can", id="long row"),
        pytest.param(row_f("bb......"), "f3f2", "black cannot push its own marble off the board", id="edge"),
        pytest.param(row_f(".bbbwww."), "f3f4", "three white marbles cannot be pushed by three", id="3:3"),
        pytest.param(row_f(".bbbwww."), "f5f6", "three white marbles cannot be pushed by one", id="1:3"),
        pytest.param(row_f("...bw..."), "f5f6", "one white marble cannot be pushed by one", id="1:1"),
        pytest.param(
            row_f("..bbbwb."), "f4f5", "the black marble on f8 is in the way", id="behind the pushed"
        ),
        pytest.param(START, "b1b3c1", "c3 is occupied", id="occupied target of a side-step"),
        pytest.param(START, "a1a2b1", "b1 is occupied", id="occupied first target"),
        pytest.param(START, "c2c3d2", "c2 is empty", id="group with a gap"),
    ],
)
def test_an_illegal_move_is_rejected_with_its_reason(position: Position, text: str, reason: str) -> None:
    with pytest.raises(IllegalMoveError) as raised:
        GAME.parse_move(position, text)
    assert str(raised.value) == f"illegal move '{text}': {reason}"


def test_side_steps_are_not_allowed_without_broadside_moves() -> None:
    game = boardgames.load("abalone", layout="standard", broadside=False)
    with pytest.raises(IllegalMoveError, match="'c3c5d3': side-steps are not allowed in this variant"):
        game.parse_move(game.start(), "c3c5d3")


@pytest.mark.parametrize(
    ("position", "ids", "reason"),
    [
        pytest.param(START, "e5", "e5 is empty", id="nothing to select"),
        pytest.param(START, "i5", "the marble on i5 is white, and black is to move", id="other side's"),
        pytest.param(START, "a3", "the marble on a3 cannot move", id="cannot move"),
        pytest.param(START, "c3 b2 b1", "b1 is your own marble", id="own marble"),
        pytest.param(START, "c3 i5", "marbles move to the next cell", id="far away"),
        pytest.param(row_f("..bbww.."), "f4 f5 f6", "two white marbles cannot be pushed by two", id="2:2"),
        pytest.param(row_f("..bbww.."), "f5 f4 f6", "two white marbles cannot be pushed by two", id="front"),
        pytest.param(row_f("...bw..."), "f5 f6", "one white marble cannot be pushed by one", id="1:1"),
        pytest.param(START, "b1 b3 c1", "c3 is occupied", id="side-step"),
        pytest.param(START, "b1 b2 b3 c4", "c4 is your own marble", id="side-step, far end"),
        pytest.param(START, "i5 h5", "the marble on i5 is white, and black is to move", id="dragged"),
    ],
)
def test_clicks_that_make_no_move_have_a_reason(position: Position, ids: str, reason: str) -> None:
    assert GAME.explain_clicks(position, ids.split()) == reason


def texts() -> list[str]:
    """Return all in-line moves and side-steps that are well-formed on some board."""
    found = []
    for first, last, direction in product(range(CELLS), range(CELLS), range(6)):
        target = int(NEIGHBOURS[first, direction])
        if target < 0:
            continue
        cells = [first, target] if first == last else [first, last, target]
        try:
            action_from_cells(cells)
        except MoveError:
            continue
        found.append("".join(CELL_NAMES[cell] for cell in cells))
    return found


@settings(max_examples=20)
@given(positions(GAME), st.lists(st.sampled_from(texts()), min_size=20, max_size=20))
def test_exactly_the_illegal_moves_have_a_reason(position: Position, moves: list[str]) -> None:
    if position.outcome is None:
        for text in moves:
            assert (GAME.explain_illegal_move(position, text) == "") == position.is_legal(text)
