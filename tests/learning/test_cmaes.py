"""The learner `cmaes`: optimisation of a quadratic, replay of the strategy, and no side effects."""

import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learning.helpers import TARGET, QuadraticCmaes, make, same, small, states_of, train

import boardgames
from boardgames import plugins
from boardgames.errors import LearnerStateError, MissingExtraError, OptionError
from boardgames.executors import InProcess
from boardgames.learner import LearnerState
from boardgames.learning import cmaes

pytest.importorskip("cma")


def test_optimum_of_a_quadratic_is_found() -> None:
    last = train(QuadraticCmaes(small(), steps=80), seed=1)[-1]
    assert np.abs(last.arrays["mean"] - TARGET).max() < 0.01


def test_strategy_stays_within_bounds_where_larger_is_always_fitter() -> None:
    strategy = cmaes.Strategy(np.zeros(3), 6, 0.5, seed=1)
    for _ in range(300):
        individuals = strategy.ask()
        strategy.tell(individuals, individuals.sum(axis=1))
    assert 100 < np.abs(strategy.mean).max() < 1e6


# --- replay -------------------------------------------------------------------


def test_strategy_is_replayed_only_if_necessary(monkeypatch: pytest.MonkeyPatch) -> None:
    replayed = []
    replay = cmaes.CovarianceAdaptation._replay

    def noted(learner: cmaes.CovarianceAdaptation, state: LearnerState) -> Any:  # cma has no types
        replayed.append(len(state.arrays["fitness"]))
        return replay(learner, state)

    monkeypatch.setattr(cmaes.CovarianceAdaptation, "_replay", noted)
    learner = QuadraticCmaes(small(), steps=5)
    states = train(learner, seed=1)
    assert replayed == [0]
    assert same(learner.step(states[2], InProcess())[0], states[3])
    assert replayed == [0, 2]


def test_strategy_of_another_run_is_not_reused() -> None:
    learner = QuadraticCmaes(small(), steps=3)
    first, _ = learner.step(learner.start(1), InProcess())
    other = learner.start(2)
    for state in (other, first):
        expected, _ = QuadraticCmaes(small()).step(state, InProcess())
        assert same(learner.step(state, InProcess())[0], expected)


def test_replay_with_another_result_is_rejected() -> None:
    learner = QuadraticCmaes(small(), steps=3)
    state = train(learner, seed=1)[2]
    moved = LearnerState({**state.arrays, "mean": state.arrays["mean"] + 0.01}, state.scalars)
    with pytest.raises(LearnerStateError, match="started with another version of cma"):
        QuadraticCmaes(small(), steps=3).step(moved, InProcess())


def test_state_of_another_population_is_rejected() -> None:
    with pytest.raises(LearnerStateError, match="the population was 6, and is now 8"):
        make("cmaes", population=8).step(states_of("cmaes")[1], InProcess())


# --- side effects -------------------------------------------------------------


def test_global_random_state_is_neither_read_nor_changed() -> None:
    np.random.seed(5)  # noqa: NPY002 - the global state is the subject
    before = np.random.get_state(legacy=False)["state"]["key"].tobytes()  # noqa: NPY002
    first = train(QuadraticCmaes(small(), steps=10), seed=1)[-1]
    assert np.random.get_state(legacy=False)["state"]["key"].tobytes() == before  # noqa: NPY002
    np.random.seed(6)  # noqa: NPY002
    assert same(train(QuadraticCmaes(small(), steps=10), seed=1)[-1], first)


def test_no_file_is_written_and_nothing_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train(QuadraticCmaes(small(), steps=20), seed=1)
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


# --- errors -------------------------------------------------------------------


def test_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'boardgames-core\[train\]'"):
        make("cmaes")


def test_single_weight_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = plugins.load_features("lines", small())
    alone = replace(lines, features=(lines.features[0], lines.features[5]))
    monkeypatch.setattr("boardgames.learning.base.load_features", lambda *_: alone)
    with pytest.raises(OptionError, match="at least two weights"):
        boardgames.plugins.load_learner("cmaes", small())
