"""The evaluation of Hexifence: cells for the side to move, exact at the end."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import hexifence as reference

from boardgames_hexifence.evaluation import move_order
from boardgames_hexifence.game import Hexifence

pytestmark = pytest.mark.plain

GAME = Hexifence(dimension=2)
EVALUATION = GAME.evaluation


def value_of(text: str) -> float:
    return EVALUATION.value(GAME.parse(text).words)


def takeable(position: reference.ReferencePosition) -> int:
    """Return the number of cells that can be captured in a row, by capturing them."""
    for edge in position.legal_moves():
        after = position.apply(edge)
        if after.side == position.side:
            return sum(after.score()) - sum(position.score()) + takeable(after)
    return 0


@pytest.mark.parametrize(("side", "margin"), [("B", -3.0), ("R", 3.0)])
def test_the_value_at_the_end_is_the_margin_for_the_side_to_move(side: str, margin: float) -> None:
    assert value_of("2:" + "B" * 30 + f":BBRRRRR:{side}") == margin


def test_every_cell_of_a_chain_on_offer_counts_for_the_side_to_move() -> None:
    around_a_chain_of_three = [0, 1, 4, 8, 2, 3, 6, 10, 12, 16, 22, 21]
    assert value_of(reference.play(2, around_a_chain_of_three).text()) == 0.0
    assert value_of(reference.play(2, [*around_a_chain_of_three, 9]).text()) == 3.0


@settings(max_examples=60)
@given(st.permutations(range(30)), st.floats(0, 1))
def test_the_value_counts_the_cells_that_can_be_captured_in_a_row(order: list[int], share: float) -> None:
    position = reference.play(2, order[: round(share * 30)])
    own, other = position.score()[:: 1 - 2 * position.side]
    assert value_of(position.text()) == own - other + takeable(position)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 29), unique=True))
def test_values_stay_within_the_bound(moves: list[int]) -> None:
    assert abs(value_of(reference.play(2, moves).text())) < EVALUATION.bound


def test_the_value_uses_the_given_weights() -> None:
    words = GAME.parse("2:" + "B" * 30 + ":BBRRRRR:R").words
    assert EVALUATION.kernel(words, np.array([2.0, 0.0])) == 6.0


@pytest.mark.parametrize(
    ("moves", "edge", "order"),
    [([], 0, 0), ([0, 1, 4, 8], 9, -1), ([0, 1, 4, 8, 9], 5, 2), ([0, 1, 4, 8, 9, 2, 3, 6, 10], 5, 1)],
    ids=["safe", "sacrifice", "free", "capturing"],
)
def test_closing_moves_come_first_and_sacrifices_last(moves: list[int], edge: int, order: int) -> None:
    assert move_order(GAME.parse(reference.play(2, moves).text()).words, edge) == order
