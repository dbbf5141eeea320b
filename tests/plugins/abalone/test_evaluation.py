"""Evaluation of Abalone: its terms, and that no side and no corner is preferred."""

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
    REACH,
    TD_WEIGHTS,
    engine_evaluation,
    evaluate_engine,
)
from boardgames_abalone.strategy import ENGINE, TERMS

pytestmark = pytest.mark.plain

GAME = boardgames.load("abalone")


def worth(position: Position) -> float:
    """Return the evaluation for the side to move."""
    return float(CLASSIC.kernel(position.words, CLASSIC.weights))


def with_turn(position: Position, side: str) -> Position:
    """Return the same board with a side to move."""
    board, _, *lost = str(position).split(":")
    return position.game.parse(":".join([board, side, *lost]))


@settings(max_examples=30)
@given(positions(GAME, max_plies=80))
def test_value_is_the_weighted_sum_of_the_features(position: Position) -> None:
    features = np.zeros(6)
    boardgames.load_features("simple", GAME).kernel(position.words, position.side_to_move, features)
    assert worth(position) == pytest.approx(float(features @ np.array(CLASSIC_WEIGHTS)), abs=1e-9)


@settings(max_examples=30)
@given(positions(GAME, max_plies=80))
def test_what_is_good_for_one_side_is_as_bad_for_the_other(position: Position) -> None:
    assert worth(with_turn(position, "b")) == -worth(with_turn(position, "w"))


@settings(max_examples=20)
@given(positions(GAME, max_plies=80))
def test_turned_mirrored_and_swapped_boards_are_worth_the_same(position: Position) -> None:
    for symmetry in GAME.symmetries():
        mapped = GAME.unpack(symmetry.words(position.words))
        assert worth(mapped) == pytest.approx(worth(position), abs=1e-9), symmetry.name


@pytest.mark.parametrize("layout", ["standard", "belgian-daisy", "german-daisy", "snakes"])
def test_equal_sides_are_worth_nothing(layout: str) -> None:
    assert worth(boardgames.load("abalone", layout=layout).start()) == 0.0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (":b:0:1", ":b:0:0"),
        (":b:0:0", ":b:1:0"),
        (":w:1:0", ":w:0:0"),
    ],
)
def test_a_marble_is_worth_a_hundred(better: str, worse: str) -> None:
    board = str(GAME.start()).removesuffix(":b:0:0")
    assert worth(GAME.parse(board + better)) - worth(GAME.parse(board + worse)) == pytest.approx(100)


def test_marbles_near_the_centre_are_worth_more() -> None:
    near = "...../....../......./......../....b..../......../......./....../w...."
    far = "b..../....../......./......../........./......../......./....../w...."
    assert worth(GAME.parse(near)) - worth(GAME.parse(far)) == pytest.approx(400)


def test_marbles_close_together_are_worth_more() -> None:
    # all on the edge, so that only the distances between them differ
    close = "bb.../....../......./......../........./......../......./....../....w"
    loose = "b...b/....../......./......../........./......../......./....../....w"
    assert worth(GAME.parse(close)) - worth(GAME.parse(loose)) == pytest.approx(50 * (4 - 1) / 2)


def test_it_counts_hundredths_of_a_marble() -> None:
    assert (CLASSIC.unit, CLASSIC.exact_at_end) == ("centimarble", False)


def test_weights_are_as_the_name_classic_promises() -> None:
    # later strength is measured against agents with these
    assert CLASSIC.weights.tolist() == [-100, -50, -100, 100, 50, 100]
    assert not CLASSIC.weights.flags.writeable


# --- the evaluation `engine` ---------------------------------------------------------------------

ENGINE_SIZE = len(ENGINE.features)
TERMS_TWICE = len(TERMS)
WEIGHTS = arrays(np.float64, ENGINE_SIZE, elements=st.floats(-20, 20, width=32))


@settings(max_examples=60)
@given(positions(GAME, max_plies=120), WEIGHTS, st.tuples(st.integers(0, 5), st.integers(0, 5)))
def test_engine_is_the_weighted_sum_of_its_features_with_an_end_to_what_a_stand_is_worth(
    position: Position, weights: Reals, lost: tuple[int, int]
) -> None:
    board, side, *_ = str(position).split(":")
    words = GAME.parse(f"{board}:{side}:{lost[0]}:{lost[1]}").words
    numbers = np.zeros(ENGINE_SIZE)
    for seat in (0, 1):
        ENGINE.kernel(words, seat, numbers)
        sign = 1 if seat == "bw".index(side) else -1
        weighted = sign * numbers * weights
        marbles = [0, 1, TERMS_TWICE, TERMS_TWICE + 1]  # material and lead, early and late
        stand = float(np.delete(weighted, marbles).sum())
        expected = np.clip(weighted[marbles].sum() + stand / (1 + abs(stand) / REACH), -BOUND, BOUND)
        assert evaluate_engine(words, weights) == pytest.approx(float(expected), abs=1e-9)


def test_a_stand_is_never_worth_more_than_its_reach() -> None:
    board = "...../....../......./...bbb../...bbb.../...bbb../w...w../w....w/w...w"
    weights = np.zeros(ENGINE_SIZE)
    weights[2:TERMS_TWICE] = weights[TERMS_TWICE + 2 :] = 1e6  # all but marbles pushed off
    assert 0.99 * REACH < evaluate_engine(GAME.parse(f"{board}:b:0:0").words, weights) < REACH
    weights[0] = weights[TERMS_TWICE] = 2 * REACH
    assert -1.01 * REACH < evaluate_engine(GAME.parse(f"{board}:b:1:0").words, weights) < -0.99 * REACH


def test_engine_stays_within_its_bound() -> None:
    words = GAME.parse(str(GAME.start()).removesuffix("0:0") + "0:5").words
    assert evaluate_engine(words, np.full(ENGINE_SIZE, 1e6)) == BOUND
    assert evaluate_engine(words, np.full(ENGINE_SIZE, -1e6)) == -BOUND


def test_engine_by_hand_gives_a_hundred_for_a_marble() -> None:
    evaluation = Evaluation("by hand", evaluate_engine, np.array(HAND_WEIGHTS), "centimarble", BOUND)
    start = str(GAME.start()).removesuffix("0:0")
    ahead, even = (GAME.parse(start + lost).words for lost in ("0:1", "0:0"))
    gain = float(evaluation.kernel(ahead, evaluation.weights) - evaluation.kernel(even, evaluation.weights))
    assert 100 <= gain <= 130  # the lead counts besides


def learned(path: Path, **weights: float) -> Path:
    """Write weights of `engine`, by name, the others 0."""
    values = [weights.get(feature.name.replace(" ", "_"), 0.0) for feature in ENGINE.features]
    Weights.of(GAME, ENGINE, np.array(values), squashes=True).write(path)
    return path


def test_learned_weights_count_a_marble_as_a_hundred_early(tmp_path: Path) -> None:
    # learners have features on a scale of their ranges: material's is -6 to 6, pairs' -25 to 25
    path = learned(tmp_path / "w.safetensors", early_material=0.3, early_pairs=0.5, late_material=0.6)
    weights = engine_evaluation(path).weights
    assert (weights[0], weights[6], weights[17]) == pytest.approx((100, 0.02 / 0.05 * 100, 200))


def test_learned_weights_rank_positions_as_the_learner_did(tmp_path: Path) -> None:
    path = learned(tmp_path / "w.safetensors", early_material=0.3, early_border=0.4, early_tempo=-0.1)
    engine, weights = engine_evaluation(path), Weights.read(path).evaluation(GAME, ENGINE)
    words = [
        GAME.parse(str(GAME.start()).removesuffix("b:0:0") + end).words for end in ("b:0:0", "w:0:1", "b:0:1")
    ]
    by_engine = [float(engine.kernel(word, engine.weights)) for word in words]
    by_learner = [float(weights.kernel(word, weights.weights)) for word in words]
    assert np.argsort(by_engine).tolist() == np.argsort(by_learner).tolist()
    assert np.sign(by_engine).tolist() == np.sign(by_learner).tolist()


@pytest.mark.parametrize("worth", [0.0, -0.1])
def test_weights_that_value_no_marble_are_refused(tmp_path: Path, worth: float) -> None:
    path = learned(tmp_path / "w.safetensors", early_material=worth, early_pairs=1.0)
    with pytest.raises(WeightsError, match="value a marble above 0"):
        engine_evaluation(path)


def test_weights_of_other_features_are_refused() -> None:
    with pytest.raises(WeightsError, match="expected weights of the features engine"):
        engine_evaluation(TD_WEIGHTS)
