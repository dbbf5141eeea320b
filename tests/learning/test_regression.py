"""The learner `regression`: the fit against slow gradient descent, leaves of searches, and that it learns."""

from pathlib import Path

import numpy as np
import pytest
from learning.helpers import make, small, train

import boardgames
from boardgames import plugins
from boardgames.errors import OptionError
from boardgames.executors import InProcess
from boardgames.kernels import Reals
from boardgames.learner import LearnerState
from boardgames.learning.base import mean_points
from boardgames.learning.regression import fit, loss, self_play
from boardgames.selfplay import Contestant, SelfPlaySetup

# --- the fit ------------------------------------------------------------------

TRUE = np.array([2.0, -1.0, 0.5])
NO_EVIDENCE = np.zeros((3, 3))


def sample(count: int, weights: Reals, seed: int) -> tuple[Reals, Reals]:
    """Return random features, and results drawn with the probabilities that the weights predict."""
    random = np.random.default_rng(seed)
    features = random.uniform(-1, 1, (count, weights.size))
    chances = 1 / (1 + np.exp(-features @ weights))
    return features, (random.random(count) < chances).astype(float)


def fit_by_descent(features: Reals, points: Reals) -> Reals:
    """Minimise the loss by many small steps: slow, but independent of the tested code."""
    weights = np.zeros(features.shape[1])
    for _ in range(5_000):
        chances = 1 / (1 + np.exp(-features @ weights))
        weights -= 2.0 * features.T @ (chances - points) / len(points)
    return weights


def test_fit_recovers_the_true_weights() -> None:
    weights, _ = fit(*sample(40_000, TRUE, 1), np.zeros(3), NO_EVIDENCE)
    assert weights == pytest.approx(TRUE, abs=0.1)


def test_fit_minimises_the_loss() -> None:
    features, points = sample(400, TRUE, 2)
    weights, _ = fit(features, points, np.zeros(3), NO_EVIDENCE)
    assert weights == pytest.approx(fit_by_descent(features, points), abs=2e-3)


def test_earlier_evidence_counts_as_much_as_new() -> None:
    features, points = sample(2_000, TRUE, 3)
    at_once, _ = fit(features, points, np.zeros(3), NO_EVIDENCE)
    half, precision = fit(features[:1000], points[:1000], np.zeros(3), NO_EVIDENCE)
    both, _ = fit(features[1000:], points[1000:], half, precision)
    forgotten, _ = fit(features[1000:], points[1000:], half, NO_EVIDENCE)
    assert np.abs(both - at_once).max() < 0.1 * np.abs(forgotten - at_once).max() + 0.02


def test_separable_results_give_finite_weights() -> None:
    features = np.array([[1.0], [-1.0]] * 20)
    weights, _ = fit(features, np.array([1.0, 0.0] * 20), np.zeros(1), np.zeros((1, 1)))
    assert 3 < weights[0] < 100


def test_fit_without_positions_changes_nothing() -> None:
    mean = np.array([1.0, 2.0])
    weights, precision = fit(np.zeros((0, 2)), np.zeros(0), mean, np.eye(2))
    assert (weights.tolist(), precision.tolist()) == ([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]])


def test_loss_of_predicting_one_half_is_log_2() -> None:
    assert loss(np.ones((4, 1)), np.array([1.0, 0.0, 1.0, 0.0]), np.zeros(1)) == pytest.approx(np.log(2))


# --- the learner --------------------------------------------------------------


@pytest.mark.slow
def test_connect_four_is_learned() -> None:
    learner = make("regression", steps=3, matches=50, nodes=50, test_matches=0)
    states = train(learner, 1)
    before, after = (
        mean_points(
            learner.play(Contestant(learner.weights(state)), Contestant(is_random=True), 200, InProcess(), 5)
        )
        for state in (states[0], states[-1])
    )
    assert after > max(0.8, before + 0.1)


def test_initial_weights_may_be_given(tmp_path: Path) -> None:
    learner = make("regression")
    values = np.linspace(-1, 1, learner.size)
    weights = learner.result(LearnerState({"mean": values}, {"step": 0, "seed": 1}))
    weights.write(tmp_path / "mine.safetensors")
    resumed = make("regression", start=str(tmp_path / "mine.safetensors"))
    assert resumed.weights(resumed.start(9)).tolist() == values.tolist()


def test_initial_weights_of_other_features_are_rejected() -> None:
    abalone = boardgames.load("abalone")
    with pytest.raises(OptionError, match="are for features 'engine', not 'classic14'"):
        plugins.load_learner("regression", abalone, features="classic14", start="engine-by-hand").start(1)


# --- self-play ----------------------------------------------------------------

SETUP = SelfPlaySetup.of(small(), "lines", opening=2, ply_limit=100)
ZERO = np.zeros(11)


def test_leaves_have_the_points_of_their_match() -> None:
    for seed in range(4):
        matches = self_play(SETUP, ZERO, nodes=40, epsilon=0.0, matches=1, seed=seed)
        assert len(matches.features) == len(matches.points) <= matches.plies[0]
        assert set(matches.points) <= ({0.0, 1.0} if matches.decided else {0.5})


def test_features_of_leaves_are_normalised() -> None:
    matches = self_play(SETUP, ZERO, nodes=40, epsilon=0.5, matches=3, seed=1)
    assert np.abs(matches.features).max() <= 1.0


def test_ply_limit_ends_a_match_for_the_side_that_is_ahead() -> None:
    setup = SelfPlaySetup.of(boardgames.load("abalone"), "classic14", opening=0, ply_limit=3)
    matches = self_play(setup, np.zeros(14), nodes=60, epsilon=0.0, matches=2, seed=1)
    assert (matches.plies, matches.decided, set(matches.points)) == ((3, 3), 0, {0.5})


def test_seed_decides_the_matches() -> None:
    weights = np.linspace(-1, 1, 11)
    first, again, other = (
        self_play(SETUP, weights, nodes=50, epsilon=0.2, matches=3, seed=seed) for seed in (7, 7, 8)
    )
    assert np.array_equal(first.features, again.features)
    assert first.features.shape != other.features.shape or not np.array_equal(first.features, other.features)
