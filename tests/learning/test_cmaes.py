"""The strategy of `cma`: told again it is the same, and it leaves the rest of the program alone."""

import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from learning.searching import TARGET, QuadraticCmaes, made, same, small, trained

import boardgames
from boardgames import plugins
from boardgames.errors import LearnerStateError, MissingExtraError, OptionError
from boardgames.executors import InProcess
from boardgames.learner import LearnerState
from boardgames.learning import cmaes

pytest.importorskip("cma")


def test_it_finds_the_top_of_a_hill() -> None:
    last = trained(QuadraticCmaes(small(), steps=80), seed=1)[-1]
    assert np.abs(last.arrays["mean"] - TARGET).max() < 0.01


def test_it_is_told_everything_again_only_when_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    replayed = []
    replay = cmaes.CovarianceAdaptation._replayed
    monkeypatch.setattr(
        cmaes.CovarianceAdaptation,
        "_replayed",
        lambda self, state: replayed.append(len(state.arrays["fitness"])) or replay(self, state),
    )
    learner = QuadraticCmaes(small(), steps=5)
    states = trained(learner, seed=1)
    assert replayed == [0]
    assert same(learner.step(states[2], InProcess())[0], states[3])
    assert replayed == [0, 2]


def test_another_run_of_the_same_learner_does_not_get_its_strategy() -> None:
    learner = QuadraticCmaes(small(), steps=3)
    first, _ = learner.step(learner.start(1), InProcess())
    other = learner.start(2)
    assert same(learner.step(other, InProcess())[0], QuadraticCmaes(small()).step(other, InProcess())[0])
    assert same(learner.step(first, InProcess())[0], QuadraticCmaes(small()).step(first, InProcess())[0])


def test_it_neither_reads_nor_changes_the_global_random_state() -> None:
    np.random.seed(5)  # noqa: NPY002 - the global state is what this is about
    before = np.random.get_state()[1].tobytes()  # noqa: NPY002
    first = trained(QuadraticCmaes(small(), steps=10), seed=1)[-1]
    assert np.random.get_state()[1].tobytes() == before  # noqa: NPY002
    np.random.seed(6)  # noqa: NPY002
    assert same(trained(QuadraticCmaes(small(), steps=10), seed=1)[-1], first)


def test_it_writes_no_file_and_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trained(QuadraticCmaes(small(), steps=20), seed=1)
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_it_stays_within_bounds_where_further_is_always_better() -> None:
    strategy = cmaes.Strategy(3, 6, 0.5, seed=1)
    for _ in range(300):
        individuals = strategy.ask()
        strategy.tell(individuals, individuals.sum(axis=1))
    assert 100 < np.abs(strategy.mean).max() < 1e6


def test_a_replay_that_comes_out_elsewhere_is_refused() -> None:
    learner = QuadraticCmaes(small(), steps=3)
    state = trained(learner, seed=1)[2]
    moved = LearnerState({**state.arrays, "mean": state.arrays["mean"] + 0.01}, state.scalars)
    with pytest.raises(LearnerStateError, match="expected the version of cma that the run began with"):
        QuadraticCmaes(small(), steps=3).step(moved, InProcess())


def test_a_state_of_another_population_is_refused() -> None:
    state = made("cmaes").step(made("cmaes").start(1), InProcess())[0]
    with pytest.raises(LearnerStateError, match="expected fitness of 8 individuals"):
        made("cmaes", population=8).step(state, InProcess())


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'boardgames-core\[train\]'"):
        made("cmaes")


def test_one_weight_alone_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = plugins.load_features("lines", small())
    alone = replace(lines, features=(lines.features[0], lines.features[5]))
    monkeypatch.setattr("boardgames.learning.base.load_features", lambda *_: alone)
    with pytest.raises(OptionError, match="expected at least two weights to look for: 1"):
        boardgames.plugins.load_learner("cmaes", small())
