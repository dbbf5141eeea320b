"""All learners: pure steps, resuming from any state, and the same result with any number of workers."""

import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learning.helpers import QUICK, make, same, states_of, train
from nim import Nim

import boardgames
from boardgames import plugins
from boardgames.errors import FileError, OptionError, UnknownNameError, WeightsError
from boardgames.executors import InProcess, ProcessPool
from boardgames.learner import LearnerState
from boardgames.learning.base import WeightsLearner, mean_points
from boardgames.learning.config import Config
from boardgames.learning.runs import Run
from boardgames.learning.td import TemporalDifference
from boardgames.learning.trainer import Trainer
from boardgames.selfplay import Contestant
from boardgames.weights import find_weights

pytest.importorskip("cma")
LEARNERS = pytest.mark.parametrize("name", QUICK)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPool]:
    with ProcessPool(2) as pool:
        yield pool


def test_all_learners_are_tested() -> None:
    offers = plugins.registry().offers("learners", "connect4")
    assert {offer.entry.name for offer in offers} == set(QUICK)


@LEARNERS
def test_new_learner_resumes_from_any_state(name: str) -> None:
    states = states_of(name)
    assert len(states) == make(name).length + 1
    for before, after in pairwise(states):
        copy = LearnerState({key: array.copy() for key, array in before.arrays.items()}, dict(before.scalars))
        assert same(make(name).step(copy, InProcess())[0], after)
        assert same(copy, before)  # a step does not change its input


@LEARNERS
def test_interrupted_step_leaves_no_trace(name: str) -> None:
    class Interrupted(InProcess):
        def submit(self, fn: Any, /, *_: Any, **__: Any) -> Any:  # any task
            raise KeyboardInterrupt

    learner, states = make(name), states_of(name)
    learner.step(states[0], InProcess())
    with pytest.raises(KeyboardInterrupt):
        learner.step(states[1], Interrupted())
    assert same(learner.step(states[1], InProcess())[0], states[2])


def trained_run(folder: Path, name: str, **settings: object) -> LearnerState:
    """Train a run with quick settings, or resume it if it exists, and return its last state."""
    if folder.exists():
        opened = Run.open(folder, settings=settings)
    else:
        options = {"columns": 5, "rows": 4}
        config = Config(
            "connect4", name, seed=3, options=options, settings={**make(name).settings, **settings}
        )
        opened = Run.create(folder, config)
    with opened as run:
        trainer = Trainer(run)
        trainer.train(InProcess())
        return trainer.state


@pytest.mark.parametrize("name", [name for name in QUICK if name != "alphazero"])  # its steps set the rate
def test_an_extended_run_ends_like_one_that_was_that_long_from_the_start(name: str, tmp_path: Path) -> None:
    length = make(name).extensible[0]
    more = int(str(QUICK[name][length])) + 1
    trained_run(tmp_path / "short", name)
    extended = trained_run(tmp_path / "short", name, **{length: more})
    assert same(extended, trained_run(tmp_path / "long", name, **{length: more}))
    with pytest.raises(OptionError, match=f"{length}='1' is too few: the run has already done [0-9] steps"):
        Run.open(tmp_path / "short", settings={length: "1"})
    with pytest.raises(OptionError, match=f"--resume can change only {length}, not test_matches; --from"):
        Run.open(tmp_path / "short", settings={"test_matches": 2})


@LEARNERS
def test_a_run_starts_with_the_weights_of_another_and_resumes_without_it(name: str, tmp_path: Path) -> None:
    length = make(name).extensible[0]
    trained_run(tmp_path / "first", name)
    best = make(name, start=str(tmp_path / "first"))
    first = states_of(name)
    given = best.start(9)
    assert not same(given, make(name).start(9))
    if name == "value-iteration":
        assert same(given, LearnerState(first[-1].arrays, given.scalars))
    elif name in ("tune", "alphazero"):
        assert best.weights(given) == pytest.approx(best.weights(first[-1]))
    else:
        known, _ = find_weights(str(tmp_path / "first"), best.game)
        assert known.values == pytest.approx(best.result(given).values, abs=1e-6)
    trained_run(tmp_path / "second", name, start=str(tmp_path / "first"))
    shutil.rmtree(tmp_path / "first")
    more = int(str(QUICK[name][length])) + 1
    trained_run(tmp_path / "second", name, **{length: more})
    with pytest.raises((UnknownNameError, FileError, WeightsError)):
        make(name, start=str(tmp_path / "first")).start(9)


@LEARNERS
def test_seeds_decide_the_result(name: str) -> None:
    learner, states = make(name), states_of(name)
    assert same(train(make(name), 3)[-1], states[-1])
    assert not np.array_equal(make(name).weights(train(make(name), 4)[-1]), learner.weights(states[-1]))


@LEARNERS
def test_score_needs_test_matches(name: str) -> None:
    for matches in (0, 2):
        always = {"test_every": 1} if name == "alphazero" else {}
        learner = make(name, test_matches=matches, **always)
        state, _ = learner.step(learner.start(1), InProcess())
        _, metrics = learner.step(state, InProcess())
        assert ("score" in metrics) == (matches > 0)
        assert all(isinstance(value, int | float) for value in metrics.values())


@pytest.mark.slow
@LEARNERS
def test_workers_do_not_change_the_result(name: str, pool: ProcessPool) -> None:
    assert same(train(make(name), 3, pool)[-1], states_of(name)[-1])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["td", "genetic", "cem", "cmaes", "spsa"])
def test_example_game_is_learned(name: str) -> None:
    td = {"steps": 20, "matches": 200}
    fitness = {"depth": 1, "pairs": 20, "steps": 8, "opponent": "random"}
    game = boardgames.load("tictactoe")
    options = td if name == "td" else fitness
    learner = plugins.load_learner(name, game, opening=1, test_matches=0, **options)
    trained = Contestant(learner.weights(train(learner, seed=3)[-1]))
    assert isinstance(learner, WeightsLearner)
    results = learner.play(trained, Contestant(is_random=True), 400, InProcess(), seed=9)
    assert mean_points(results) > (0.93 if name == "td" else 0.8)


def test_game_without_features_is_rejected() -> None:
    with pytest.raises(OptionError, match="nim has no features to learn with"):
        TemporalDifference(Nim())


def test_unknown_feature_set_is_rejected() -> None:
    with pytest.raises(UnknownNameError, match=r"'rows'.*; available: lines"):
        make("td", features="rows")
