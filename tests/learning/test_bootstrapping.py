"""The learners `treestrap` and `td-leaf`: groups, schedules, restarts, and that they learn."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from learning.helpers import Recording, make, states_of, train

import boardgames
from boardgames import plugins
from boardgames.errors import OptionError, WeightsError
from boardgames.executors import InProcess
from boardgames.learning.base import WeightsLearner, mean_points
from boardgames.selfplay import Contestant

NAMES = pytest.mark.parametrize("name", ["treestrap", "td-leaf"])


@NAMES
def test_connect_four_is_learned(name: str) -> None:
    learner = make(name, steps=15, matches=40, test_matches=0, opening=2)
    states = train(learner, 1)
    before, after = (
        mean_points(
            learner.play(Contestant(learner.weights(state)), Contestant(is_random=True), 200, InProcess(), 5)
        )
        for state in (states[0], states[-1])
    )
    assert before < 0.8
    assert after > 0.9


@pytest.mark.slow
@NAMES
def test_example_game_is_learned(name: str) -> None:
    game = boardgames.load("tictactoe")
    learner = plugins.load_learner(name, game, opening=1, steps=10, matches=40, test_matches=0)
    trained = Contestant(learner.weights(train(learner, seed=3)[-1]))
    assert isinstance(learner, WeightsLearner)
    results = learner.play(trained, Contestant(is_random=True), 400, InProcess(), seed=9)
    assert mean_points(results) > 0.9


@NAMES
def test_step_averages_its_groups(name: str) -> None:
    learner, recording = make(name, groups=3, matches=7, test_matches=0), Recording()
    after, metrics = learner.step(learner.start(1), recording)
    assert [len(group.matches) for group in recording.results] == [3, 2, 2]
    weights = [group.weights for group in recording.results]
    assert not np.array_equal(weights[0], weights[1])
    assert learner.weights(after) == pytest.approx(sum(weights) / 3, abs=1e-15)
    assert metrics["plies"] == pytest.approx(
        np.mean([match.plies for group in recording.results for match in group.matches])
    )


@NAMES
def test_error_is_the_root_mean_square_of_all_deltas(name: str) -> None:
    learner, recording = make(name, test_matches=0), Recording()
    _, metrics = learner.step(learner.start(1), recording)
    squares = sum(group.squares for group in recording.results)
    deltas = sum(group.deltas for group in recording.results)
    assert deltas > 0
    assert metrics["error"] == pytest.approx(np.sqrt(squares / deltas))


def test_treestrap_learns_from_many_more_positions_than_are_searched() -> None:
    deltas = {}
    for name in ("treestrap", "td-leaf"):
        recording = Recording()
        learner = make(name, test_matches=0, depth=3, epsilon=0.0)
        learner.step(learner.start(1), recording)
        plies = sum(match.plies for group in recording.results for match in group.matches)
        deltas[name] = sum(group.deltas for group in recording.results) / plies
    assert deltas["td-leaf"] <= 1
    assert deltas["treestrap"] > 5


@NAMES
def test_step_submits_as_many_tasks_as_it_says(name: str) -> None:
    for matches, groups in ((7, 3), (2, 4)):
        learner, recording = make(name, groups=groups, matches=matches), Recording()
        learner.step(learner.start(1), recording)
        assert len(recording.results) == learner.task_count(0)


@NAMES
def test_result_can_be_used_as_an_evaluation(name: str) -> None:
    learner = make(name)
    weights = learner.result(states_of(name)[-1])
    assert (weights.features, weights.tanh) == ("lines", True)
    assert make(name, tanh=False).result(states_of(name)[-1]).tanh is False
    evaluation = weights.evaluation(learner.game, learner.features)
    assert -1 <= evaluation.value(learner.game.start().words) <= 1


@NAMES
def test_exploration_and_the_learning_rate_decay(name: str) -> None:
    learner = make(name, epsilon=0.5, epsilon_decay=0.5, epsilon_floor=0.1, alpha=0.2, alpha_decay=0.5)
    assert [learner.parameters(step).epsilon for step in range(4)] == [0.5, 0.25, 0.125, 0.1]
    assert [learner.parameters(step).alpha for step in range(3)] == [0.2, 0.1, 0.05]


@NAMES
@pytest.mark.parametrize(
    ("settings", "changes"),
    [
        ({"restart_below": 0.1}, [True, True, False, False]),
        ({"restart_below": 0.0}, [False] * 4),
        ({"restart_below": 0.1, "start": "first"}, [False] * 4),
    ],
    ids=["undecided", "by default", "given weights"],
)
def test_undecided_training_begins_again_with_new_random_weights(
    name: str, settings: dict[str, object], changes: list[bool], tmp_path: Path
) -> None:
    if "start" in settings:
        settings = {**settings, "start": str(tmp_path / "first.safetensors")}
        make(name).result(states_of(name)[0]).write(tmp_path / "first.safetensors")
    # no match is decided in five plies, and weights do not change with a learning rate of 0
    learner = make(name, steps=4, ply_limit=5, alpha=0.0, test_matches=0, **settings)
    weights = [learner.weights(state) for state in train(learner, 1)]
    assert [not np.array_equal(before, after) for before, after in pairwise(weights)] == changes


def test_learning_rate_that_is_too_large_is_reported() -> None:
    learner = make("treestrap", tanh=False, alpha=100.0, alpha_decay=1.0, steps=50, test_matches=0)
    with pytest.raises(WeightsError, match="the weights diverged with alpha=100; choose a smaller alpha"):
        train(learner, 1)


@NAMES
@pytest.mark.parametrize(("option", "value"), [("alpha", -1), ("epsilon", 2), ("depth", 0), ("depth", 9)])
def test_options_out_of_range_are_rejected(name: str, option: str, value: float) -> None:
    with pytest.raises(OptionError, match=f"{option}.*{value}"):
        make(name, **{option: value})


def test_only_td_leaf_has_a_lambda() -> None:
    assert make("td-leaf", **{"lambda": 0.3}).parameters(0).trace_decay == 0.3
    with pytest.raises(OptionError, match="lambda"):
        make("treestrap", **{"lambda": 0.3})
