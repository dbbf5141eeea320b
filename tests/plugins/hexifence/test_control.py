"""The feature set `control`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.hexifence import play

from boardgames.kernels import JIT
from boardgames_hexifence.control import CAPTURES, FINAL_MARGIN, MARGIN, RESULT, TURN, control
from boardgames_hexifence.features import takeable_cells
from boardgames_hexifence.game import Hexifence

pytestmark = pytest.mark.plain
EXAMPLES = 40 if JIT else 8  # plain Python is slow, and few positions cover its lines

GAMES = {dimension: Hexifence(dimension=dimension) for dimension in (2, 3)}
orders = st.sampled_from([2, 3]).flatmap(
    lambda dimension: st.tuples(
        st.just(dimension), st.permutations(range(3 * dimension * (3 * dimension - 1)))
    )
)


def features(dimension: int, text: str, side: int) -> list[float]:
    out = np.full(11, np.nan)
    control(GAMES[dimension]).kernel(GAMES[dimension].parse(text).words, side, out)
    return out.tolist()


def squashed(cells: int) -> float:
    return cells / (3 + abs(cells))


@settings(max_examples=EXAMPLES)
@given(orders, st.floats(0, 1))
def test_features_are_in_range_and_change_their_sign_with_the_side(
    order: tuple[int, list[int]], share: float
) -> None:
    dimension, moves = order
    text = play(dimension, moves[: round(share * len(moves))]).text()
    first, second = (features(dimension, text, side) for side in (0, 1))
    assert all(-1 <= value <= 1 for value in first)
    assert first == [-value for value in second]


@settings(max_examples=EXAMPLES)
@given(orders, st.floats(0, 0.95))
def test_captures_are_those_of_one_turn(order: tuple[int, list[int]], share: float) -> None:
    dimension, moves = order
    position = GAMES[dimension].parse(play(dimension, moves[: round(share * len(moves))]).text())
    out = features(dimension, str(position), position.side_to_move)
    assert out[TURN] == 1
    assert out[CAPTURES] == squashed(int(takeable_cells(position.words)))
    own, other = position.score
    assert out[MARGIN] == squashed((own - other) * (1 if position.side_to_move == 0 else -1))


@pytest.mark.parametrize(
    ("moves", "margin"),
    [
        ("", -3),  # red has to open one of two long chains
        ("1", 3),  # blue takes one cell and hands out two
        ("1 5 12", -3),  # red takes them and has to open the other chain
        ("1 5 12 11", -3),
    ],
    ids=["two chains", "captures", "hand-out", "last chain"],
)
def test_the_forecast_of_separate_chains_is_the_final_margin(moves: str, margin: int) -> None:
    position = GAMES[2].parse("2:B.BBR.RBBRR..R.RBB.B.RRRBR.BB.:.......:R").apply_moves(moves)
    out = features(2, str(position), position.side_to_move)
    assert out[FINAL_MARGIN] == squashed(margin)
    assert out[RESULT] == np.sign(margin)


def test_forecasts_do_not_differ_from_call_to_call() -> None:
    text = str(GAMES[3].start().apply_moves("1 17 30 45 60"))
    assert features(3, text, 0) == features(3, text, 0)
