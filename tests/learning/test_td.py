"""The learner `td`: groups, schedules, shared and separate weights, and that it learns."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from learning.helpers import Recording, make, states_of, train

from boardgames.errors import OptionError
from boardgames.executors import InProcess
from boardgames.learner import LearnerState
from boardgames.learning.base import gather_results, mean_points
from boardgames.learning.td import TemporalDifference, initial_weights
from boardgames.selfplay import Contestant


def score_against_random(learner: TemporalDifference, state: LearnerState) -> float:
    weights, random = Contestant(learner.weights(state)), Contestant(is_random=True)
    return mean_points(gather_results(learner.submit(weights, random, 200, InProcess(), seed=5)))


def test_connect_four_is_learned() -> None:
    learner = make("td", steps=20, matches=100, groups=4, test_matches=0, opening=2)
    states = train(learner, 1)
    assert score_against_random(learner, states[0]) < 0.7
    assert score_against_random(learner, states[-1]) > 0.9


def test_result_can_be_used_as_an_evaluation() -> None:
    learner = make("td")
    weights = learner.result(states_of("td")[-1])
    assert (weights.game, weights.features, weights.tanh) == ("connect4", "lines", True)
    evaluation = weights.evaluation(learner.game, learner.features)
    assert -1 <= evaluation.value(learner.game.start().words) <= 1


# --- a step -------------------------------------------------------------------


def test_step_averages_its_groups() -> None:
    learner, recording = make("td", shared=False, groups=3, matches=7, test_matches=0), Recording()
    after, metrics = learner.step(learner.start(1), recording)
    assert [len(group.matches) for group in recording.results] == [3, 2, 2]
    weights = [group.weights for group in recording.results]
    assert not np.array_equal(weights[0], weights[1])
    assert after.arrays["players"] == pytest.approx((weights[0] + weights[1] + weights[2]) / 3, abs=1e-15)
    plies = [match.plies for group in recording.results for match in group.matches]
    assert metrics["plies"] == pytest.approx(sum(plies) / 7)


def test_temporal_coherence_adds_the_errors_of_all_groups_and_carries_them_on() -> None:
    learner, recording = make("td", beta=2.7, groups=2, matches=6, test_matches=0), Recording()
    start = learner.start(1)
    first, _ = learner.step(start, recording)
    groups = [group.errors for group in recording.results]
    assert first.arrays["errors"] == pytest.approx(groups[0] + groups[1], abs=1e-15)
    second, _ = learner.step(first, InProcess())
    assert (second.arrays["errors"][0, 1] > first.arrays["errors"][0, 1]).all()
    forgetful = replace(first, arrays={**first.arrays, "errors": np.zeros_like(first.arrays["errors"])})
    other, _ = learner.step(forgetful, InProcess())
    assert not np.array_equal(second.arrays["players"], other.arrays["players"])


def test_step_with_fewer_matches_than_groups_learns() -> None:
    learner = make("td", matches=2, groups=4)
    state = learner.start(1)
    after, _ = learner.step(state, InProcess())
    assert not np.array_equal(after.arrays["players"], state.arrays["players"])


def test_step_reports_metrics() -> None:
    learner = make("td", test_matches=8)
    _, metrics = learner.step(learner.start(1), InProcess())
    assert set(metrics) >= {"score", "decided", "plies", "epsilon", "alpha", "change"}
    assert 0 <= metrics["score"] <= 1
    assert 0 < metrics["plies"] <= 20
    assert metrics["change"] > 0


@pytest.mark.parametrize(("scores", "leader"), [((0.25, 0.75), 1), ((0.75, 0.25), 0)])
def test_result_is_the_side_with_the_better_score(
    scores: tuple[float, float], leader: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    remaining = iter(scores)
    monkeypatch.setattr(TemporalDifference, "score", lambda *_, **__: next(remaining))
    learner = make("td", shared=False)
    state, metrics = learner.step(learner.start(1), InProcess())
    assert np.array_equal(learner.weights(state), state.arrays["players"][leader])
    assert not np.array_equal(learner.weights(state), state.arrays["players"][1 - leader])
    assert metrics["score"] == 0.75


@pytest.mark.parametrize("shared", [True, False])
def test_result_is_side_0_without_scores(shared: bool) -> None:
    learner = make("td", shared=shared, test_matches=0)
    state, _ = learner.step(learner.start(1), InProcess())
    assert np.array_equal(learner.weights(state), state.arrays["players"][0])
    assert np.array_equal(state.arrays["players"][0], state.arrays["players"][1]) == shared


@pytest.mark.parametrize(
    "options", [{"shared": False}, {"tanh": False, "alpha": 0.01}, {"beta": 2.7}], ids=str
)
def test_equal_seeds_give_equal_weights_with_any_options(options: dict[str, Any]) -> None:
    first, again, other = (train(make("td", **options), seed)[-1].arrays["players"] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


# --- options ------------------------------------------------------------------


def test_exploration_decays_to_its_floor_and_the_learning_rate_decays() -> None:
    learner = make("td", epsilon=0.5, epsilon_decay=0.5, epsilon_floor=0.1, alpha=0.2, alpha_decay=0.5)
    assert [learner.parameters(step).epsilon for step in range(4)] == [0.5, 0.25, 0.125, 0.1]
    assert [learner.parameters(step).alpha for step in range(3)] == [0.2, 0.1, 0.05]
    assert make("td", epsilon=0.05).parameters(9).epsilon <= 0.05


def test_initial_weights_are_random_within_their_spread() -> None:
    weights = initial_weights(16, 14, 0.1, seed=1)
    assert weights.shape == (16, 14)
    assert 0.09 < np.abs(weights).max() <= 0.1
    assert not np.array_equal(weights, initial_weights(16, 14, 0.1, seed=2))


@pytest.mark.parametrize("option", ["alpha", "epsilon", "gamma", "lambda", "matches", "groups", "ply_limit"])
def test_options_out_of_range_are_rejected(option: str) -> None:
    with pytest.raises(OptionError, match=f"{option}.*-1"):
        make("td", **{option: -1})
