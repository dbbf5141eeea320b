"""The evaluations of Abalone: what they count, and that they favour neither side nor any direction."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import boardgames
from boardgames.declarations import Evaluation
from boardgames.errors import WeightsError
from boardgames.game import Position
from boardgames.kernels import Reals
from boardgames.testing import positions
from boardgames.weights import Weights
from boardgames_abalone.evaluation import (
    BOUND,
    CLASSIC,
    CLASSIC_WEIGHTS,
    HAND_WEIGHTS,
    MARBLE,
    POSITIONAL_LIMIT,
    TD_WEIGHTS,
    engine_evaluation,
    evaluate_engine,
)
from boardgames_abalone.terms import ENGINE, TERM_COUNT

pytestmark = pytest.mark.plain

GAME = boardgames.load("abalone")
ENGINE_SIZE = len(ENGINE.features)
MATERIAL = [0, 1, TERM_COUNT, TERM_COUNT + 1]
"""Indices of the terms material and lead, early and late."""
WEIGHTS = arrays(np.float64, ENGINE_SIZE, elements=st.floats(-20, 20, width=32))


def classic(position: Position) -> float:
    """Return the evaluation `classic` of a position for the side to move."""
    return CLASSIC.value(position.words)


def with_side(position: Position, side: str) -> Position:
    """Return the same board with another side to move."""
    board, _, *lost = str(position).split(":")
    return position.game.parse(":".join([board, side, *lost]))


@settings(max_examples=20)
@given(positions(GAME, max_plies=60))
def test_classic_is_the_weighted_sum_of_the_simple_features(position: Position) -> None:
    features = np.zeros(6)
    boardgames.load_features("simple", GAME).kernel(position.words, position.side_to_move, features)
    assert classic(position) == pytest.approx(float(features @ np.array(CLASSIC_WEIGHTS)), abs=1e-9)


@settings(max_examples=15)
@given(positions(GAME, max_plies=60))
def test_classic_values_have_opposite_signs_for_the_two_sides(position: Position) -> None:
    assert classic(with_side(position, "b")) == -classic(with_side(position, "w"))


@settings(max_examples=10)
@given(positions(GAME, max_plies=60))
def test_classic_values_symmetric_positions_equally(position: Position) -> None:
    for symmetry in GAME.symmetries():
        image = GAME.unpack(symmetry.words(position.words))
        assert classic(image) == pytest.approx(classic(position), abs=1e-9), symmetry.name


@pytest.mark.parametrize("layout", ["standard", "belgian-daisy", "german-daisy", "snakes"])
def test_classic_values_symmetric_starts_at_0(layout: str) -> None:
    assert classic(boardgames.load("abalone", layout=layout).start()) == 0.0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (":b:0:1", ":b:0:0"),
        (":b:0:0", ":b:1:0"),
        (":w:1:0", ":w:0:0"),
    ],
)
def test_classic_values_a_marble_at_100(better: str, worse: str) -> None:
    board = str(GAME.start()).removesuffix(":b:0:0")
    assert classic(GAME.parse(board + better)) - classic(GAME.parse(board + worse)) == pytest.approx(100)


def test_classic_prefers_marbles_near_the_centre() -> None:
    near = "...../....../......./......../....b..../......../......./....../w...."
    far = "b..../....../......./......../........./......../......./....../w...."
    assert classic(GAME.parse(near)) - classic(GAME.parse(far)) == pytest.approx(400)


def test_classic_prefers_compact_formations() -> None:
    # all marbles are on the edge, so the positions differ only in the distances between marbles
    compact = "bb.../....../......./......../........./......../......./....../....w"
    spread = "b...b/....../......./......../........./......../......./....../....w"
    assert classic(GAME.parse(compact)) - classic(GAME.parse(spread)) == pytest.approx(50 * (4 - 1) / 2)


def test_classic_is_in_hundredths_of_a_marble() -> None:
    assert str(CLASSIC.score(142.0)) == "+1.42"
    assert (CLASSIC.unit, CLASSIC.exact_at_end) == (MARBLE, False)


def test_classic_keeps_its_weights() -> None:
    # progress is measured against agents that use them
    assert CLASSIC.weights.tolist() == [-100, -50, -100, 100, 50, 100]
    assert not CLASSIC.weights.flags.writeable


@settings(max_examples=30)
@given(positions(GAME, max_plies=60), WEIGHTS, st.tuples(st.integers(0, 5), st.integers(0, 5)))
def test_engine_is_the_weighted_sum_of_its_features_with_a_limited_positional_score(
    position: Position, weights: Reals, lost: tuple[int, int]
) -> None:
    board, side, *_ = str(position).split(":")
    words = GAME.parse(f"{board}:{side}:{lost[0]}:{lost[1]}").words
    numbers = np.zeros(ENGINE_SIZE)
    for point_of_view in (0, 1):
        ENGINE.kernel(words, point_of_view, numbers)
        sign = 1 if point_of_view == "bw".index(side) else -1
        weighted = sign * numbers * weights
        positional = float(np.delete(weighted, MATERIAL).sum())
        limited = positional / (1 + abs(positional) / POSITIONAL_LIMIT)
        expected = np.clip(weighted[MATERIAL].sum() + limited, -BOUND, BOUND)
        assert evaluate_engine(words, weights) == pytest.approx(float(expected), abs=1e-9)


def test_the_positional_score_stays_below_its_limit() -> None:
    board = "...../....../......./...bbb../...bbb.../...bbb../w...w../w....w/w...w"
    weights = np.full(ENGINE_SIZE, 1e6)
    weights[MATERIAL] = 0
    value = evaluate_engine(GAME.parse(f"{board}:b:0:0").words, weights)
    assert 0.99 * POSITIONAL_LIMIT < value < POSITIONAL_LIMIT
    weights[0] = weights[TERM_COUNT] = 2 * POSITIONAL_LIMIT
    value = evaluate_engine(GAME.parse(f"{board}:b:1:0").words, weights)
    assert -1.01 * POSITIONAL_LIMIT < value < -0.99 * POSITIONAL_LIMIT


def test_engine_stays_within_its_bound() -> None:
    words = GAME.parse(str(GAME.start()).removesuffix("0:0") + "0:5").words
    assert evaluate_engine(words, np.full(ENGINE_SIZE, 1e6)) == BOUND
    assert evaluate_engine(words, np.full(ENGINE_SIZE, -1e6)) == -BOUND


def test_engine_by_hand_values_a_marble_at_100_and_a_little_for_the_lead() -> None:
    evaluation = Evaluation("by hand", evaluate_engine, np.array(HAND_WEIGHTS), MARBLE, BOUND)
    start = str(GAME.start()).removesuffix("0:0")
    ahead, even = (GAME.parse(start + lost).words for lost in ("0:1", "0:0"))
    gain = float(evaluation.value(ahead) - evaluation.value(even))
    assert 100 <= gain <= 130


def write_weights(path: Path, **weights: float) -> Path:
    """Write weights of `engine` given by feature name; the others are 0."""
    values = [weights.get(feature.name.replace(" ", "_"), 0.0) for feature in ENGINE.features]
    Weights.of(GAME, ENGINE, np.array(values), tanh=True).write(path)
    return path


def test_learned_weights_are_scaled_to_100_for_a_marble_early(tmp_path: Path) -> None:
    # learned weights apply to features scaled to -1 to 1: material from -6 to 6, pairs from -25 to 25
    path = write_weights(tmp_path / "w.safetensors", early_material=0.3, early_pairs=0.5, late_material=0.6)
    weights = engine_evaluation(path).weights
    assert (weights[0], weights[6], weights[17]) == pytest.approx((100, 0.02 / 0.05 * 100, 200))


def test_learned_weights_rank_positions_as_the_learner_does(tmp_path: Path) -> None:
    path = write_weights(tmp_path / "w.safetensors", early_material=0.3, early_border=0.4, early_tempo=-0.1)
    engine, weights = engine_evaluation(path), Weights.read(path).evaluation(GAME, ENGINE)
    words = [
        GAME.parse(str(GAME.start()).removesuffix("b:0:0") + end).words for end in ("b:0:0", "w:0:1", "b:0:1")
    ]
    by_engine = [engine.value(word) for word in words]
    by_learner = [weights.value(word) for word in words]
    assert np.argsort(by_engine).tolist() == np.argsort(by_learner).tolist()
    assert np.sign(by_engine).tolist() == np.sign(by_learner).tolist()


@pytest.mark.parametrize("value", [0.0, -0.1])
def test_weights_that_do_not_value_marbles_are_rejected(tmp_path: Path, value: float) -> None:
    path = write_weights(tmp_path / "w.safetensors", early_material=value, early_pairs=1.0)
    with pytest.raises(WeightsError, match="it must be above 0"):
        engine_evaluation(path)


def test_weights_of_other_features_are_rejected() -> None:
    with pytest.raises(WeightsError, match="the features 'extended' of 'abalone', not for 'engine'"):
        engine_evaluation(TD_WEIGHTS)
