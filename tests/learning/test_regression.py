"""The learner `regression`: leaves of searched matches, and the weights that explain how those ended."""

from pathlib import Path

import numpy as np
import pytest

import boardgames
from boardgames import plugins
from boardgames.errors import OptionError
from boardgames.executors import InProcess, open_executor
from boardgames.learner import LearnerState
from boardgames.learning.leaves import gather
from boardgames.learning.regression import Regression, fitted, loss
from boardgames.selfplay import Contestant, MatchSetup, play_matches

CONNECT4 = boardgames.load("connect4", columns=5, rows=4)
QUICK = {"steps": 2, "matches": 20, "nodes": 60, "test_matches": 0, "opening": 4}


def learner(**options: object) -> Regression:
    made = plugins.load_learner("regression", CONNECT4, **{**QUICK, **options})
    assert isinstance(made, Regression)
    return made


def trained(made: Regression, seed: int = 1) -> LearnerState:
    state = made.start(seed)
    while not made.is_done(state):
        state, _ = made.step(state, InProcess())
    return state


def points(made: Regression, weights: np.ndarray) -> float:
    """Return the share of points against any moves."""
    ended = play_matches(made.setup, Contestant(weights), Contestant(is_random=True), matches=200, seed=5)
    return float(np.mean([match.points for match in ended]))


def known(count: int, weights: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return random features, and ends that come out as often as the weights say."""
    random = np.random.default_rng(seed)
    features = random.uniform(-1, 1, (count, weights.size))
    chances = 1 / (1 + np.exp(-features @ weights))
    return features, (random.random(count) < chances).astype(float)


def by_descent(features: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the weights of least loss by many small steps downhill: slow, and shares nothing."""
    weights = np.zeros(features.shape[1])
    for _ in range(20_000):
        chances = 1 / (1 + np.exp(-features @ weights))
        weights -= 0.5 * features.T @ (chances - points) / len(points)
    return weights


TRUE = np.array([2.0, -1.0, 0.5])
NOTHING = np.zeros((3, 3))


def test_the_weights_that_made_the_ends_are_found() -> None:
    weights, _ = fitted(*known(40_000, TRUE, 1), np.zeros(3), NOTHING)
    assert weights == pytest.approx(TRUE, abs=0.1)


def test_no_other_weights_explain_the_ends_better() -> None:
    features, points = known(400, TRUE, 2)
    weights, _ = fitted(features, points, np.zeros(3), NOTHING)
    assert weights == pytest.approx(by_descent(features, points), abs=2e-3)


def test_what_was_known_counts_as_much_as_what_is_new() -> None:
    features, points = known(2_000, TRUE, 3)
    at_once, _ = fitted(features, points, np.zeros(3), NOTHING)
    half, precision = fitted(features[:1000], points[:1000], np.zeros(3), NOTHING)
    both, _ = fitted(features[1000:], points[1000:], half, precision)
    forgotten, _ = fitted(features[1000:], points[1000:], half, NOTHING)
    assert np.abs(both - at_once).max() < 0.1 * np.abs(forgotten - at_once).max() + 0.02


def test_ends_that_features_tell_for_certain_leave_weights_finite() -> None:
    features = np.array([[1.0], [-1.0]] * 20)
    weights, _ = fitted(features, np.array([1.0, 0.0] * 20), np.zeros(1), np.zeros((1, 1)))
    assert 3 < weights[0] < 100


def test_without_matches_nothing_is_learned() -> None:
    mean = np.array([1.0, 2.0])
    weights, precision = fitted(np.zeros((0, 2)), np.zeros(0), mean, np.eye(2))
    assert (weights.tolist(), precision.tolist()) == ([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]])


def test_the_loss_of_a_coin_is_log_2() -> None:
    assert loss(np.ones((4, 1)), np.array([1.0, 0.0, 1.0, 0.0]), np.zeros(1)) == pytest.approx(np.log(2))


def test_connect_four_is_learned() -> None:
    made = learner(steps=3, matches=60)
    state = made.start(1)
    before, after = (points(made, weights) for weights in (made.weights(state), made.weights(trained(made))))
    assert after > max(0.8, before + 0.1)


def test_the_same_weights_come_out_of_one_worker_and_of_two() -> None:
    made = learner()
    with open_executor(2) as executor:
        state, _ = made.step(made.start(3), executor)
    alone, _ = made.step(made.start(3), InProcess())
    for name, array in alone.arrays.items():
        assert np.array_equal(array, state.arrays[name])


def test_it_begins_with_the_weights_that_it_is_given(tmp_path: Path) -> None:
    made = learner()
    values = np.linspace(-1, 1, made.size)
    given = made.result(LearnerState({"mean": values}, {"step": 0, "seed": 1}))
    given.write(tmp_path / "mine.safetensors")
    begun = learner(start=str(tmp_path / "mine.safetensors"))
    assert begun.weights(begun.start(9)).tolist() == values.tolist()


def test_weights_of_other_features_are_refused(tmp_path: Path) -> None:
    abalone = boardgames.load("abalone")
    with pytest.raises(OptionError, match="expected weights of classic14 to start with: engine"):
        plugins.load_learner("regression", abalone, features="classic14", start="engine-by-hand")


# --- leaves ----------------------------------------------------------------


def setting(**limits: int) -> MatchSetup:
    return MatchSetup.of(CONNECT4, "lines", **{"opening": 2, "ply_limit": 100, **limits})


def test_a_match_counts_for_who_won_it_at_each_of_its_leaves() -> None:
    weights = np.zeros(learner().size)
    for seed in range(4):
        found = gather(setting(), weights, nodes=40, epsilon=0.0, matches=1, seed=seed)
        assert len(found.features) == len(found.points) <= found.plies[0]
        assert set(found.points) <= ({0.0, 1.0} if found.decided else {0.5})


def test_features_are_on_the_scale_of_weights() -> None:
    found = gather(setting(), np.zeros(learner().size), nodes=40, epsilon=0.5, matches=3, seed=1)
    assert np.abs(found.features).max() <= 1.0


def test_a_limit_of_plies_ends_a_match_for_who_is_ahead() -> None:
    abalone = boardgames.load("abalone")
    short = MatchSetup.of(abalone, "classic14", opening=0, ply_limit=3)
    found = gather(short, np.zeros(14), nodes=60, epsilon=0.0, matches=2, seed=1)
    assert (found.plies, found.decided, set(found.points)) == ((3, 3), 0, {0.5})


def test_the_same_seed_gives_the_same_leaves() -> None:
    weights = np.linspace(-1, 1, learner().size)
    once, again, other = (
        gather(setting(), weights, nodes=50, epsilon=0.2, matches=3, seed=seed) for seed in (7, 7, 8)
    )
    assert np.array_equal(once.features, again.features)
    assert once.features.shape != other.features.shape or not np.array_equal(once.features, other.features)
