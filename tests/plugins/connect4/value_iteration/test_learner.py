"""The learner `value-iteration`: what a step adds, its metrics, and that its policy is strong."""

from pathlib import Path

import numpy as np
import pytest
from learning.helpers import Recording, make, small, states_of

import boardgames
from boardgames.errors import LearnerStateError, OptionError
from boardgames.executors import InProcess
from boardgames.learner import LearnerState
from boardgames.learning.config import Config
from boardgames.learning.runs import Run
from boardgames.learning.trainer import Trainer
from boardgames_connect4.value_iteration.learner import TASK, ValueIteration
from boardgames_connect4.value_iteration.policy import Policy, TablePlayer


def test_step_adds_what_its_matches_have_shown() -> None:
    learner, recording = make("value-iteration", matches=2 * TASK + 1, test_matches=0), Recording()
    state = states_of("value-iteration")[1]
    after, metrics = learner.step(state, recording)
    assert [len(played.matches) for played in recording.results] == [TASK, TASK, 1]
    expected = learner.experience(state).merged([played.experience for played in recording.results])
    assert learner.experience(after).visits.tolist() == expected.visits.tolist()
    assert metrics["states"] == expected.visited
    assert (metrics["moves"], metrics["transitions"]) == (len(expected.pairs), len(expected.links))


def test_step_reports_metrics() -> None:
    learner = make("value-iteration")
    _, metrics = learner.step(learner.start(1), InProcess())
    assert set(metrics) == {
        "score", "decided", "plies", "states", "moves", "transitions", "sweeps",
    }  # fmt: skip
    assert 0 < metrics["states"] <= 3**5


def test_default_is_a_thousand_matches_with_a_tenth_of_random_moves() -> None:
    options = ValueIteration(small()).options
    assert (options["steps"], options["matches"]) == (20, 50)
    assert (options["epsilon"], options["opening"], options["gamma"]) == (0.1, 1, 0.1)


def test_matches_without_random_moves_begin_with_a_random_one() -> None:
    learner, recording = make("value-iteration", epsilon=0, matches=30, test_matches=0), Recording()
    learner.step(learner.start(1), recording)
    first = np.concatenate([played.experience.pairs for played in recording.results])
    assert set(first[first < learner.game.facts.actions]) == set(range(5))  # all actions in state 0


def test_discount_changes_values_but_not_what_is_counted() -> None:
    state = states_of("value-iteration")[-1]
    near, far = make("value-iteration", gamma=0.05), make("value-iteration", gamma=0.9)
    assert near.experience(state).visits.tolist() == far.experience(state).visits.tolist()
    assert not np.allclose(near.weights(state), far.weights(state))


def test_trained_policy_beats_random_moves_on_both_usual_boards() -> None:
    for layout in ("7x6", "8x7"):
        learner = ValueIteration(boardgames.load("connect4", layout=layout), steps=2, test_matches=0)
        state = learner.start(1)
        while not learner.is_done(state):
            state, _ = learner.step(state, InProcess())
        player = learner.player(learner.experience(state))
        (played,) = learner.play(player, TablePlayer(depth=0), InProcess(), matches=100, task=100, seed=7)
        assert sum(match.points for match in played.matches) >= 95


def test_policy_is_read_from_the_checkpoint_of_a_run(tmp_path: Path) -> None:
    settings = {"steps": 2, "matches": 6, "test_matches": 0, "gamma": 0.4}
    config = Config("connect4", "value-iteration", seed=1, layout="4x4", settings=settings)
    with Run.create(tmp_path / "run", config) as run:
        trainer = Trainer(run)
        trainer.train(InProcess())
    policy = Policy.read(run.best_path)
    learner = run.learner
    assert isinstance(learner, ValueIteration)
    assert policy.experience.visits.tolist() == learner.experience(trainer.state).visits.tolist()
    assert (policy.gamma, policy.provenance["settings"]["abstraction"]) == (0.4, "tops")
    policy.check(learner.game, learner.abstraction)


def test_state_with_damaged_tables_is_rejected() -> None:
    learner, state = make("value-iteration"), states_of("value-iteration")[-1]
    broken = LearnerState({**state.arrays, "pairs": state.arrays["pairs"][::-1].copy()}, state.scalars)
    with pytest.raises(LearnerStateError, match="out of order"):
        learner.step(broken, InProcess())


@pytest.mark.parametrize(
    ("option", "value"), [("gamma", 1), ("epsilon", -1), ("matches", 0), ("guards", "none+gap")]
)
def test_options_out_of_range_are_rejected(option: str, value: object) -> None:
    with pytest.raises(OptionError, match=r"gamma|epsilon|matches|guard 'none'"):
        make("value-iteration", **{option: value})
