"""The base class of experiments: running tasks, and loading by name."""

import sys
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest
from joining import Joining
from learning.helpers import small

import boardgames
from boardgames.errors import OptionError, PluginError, UnknownNameError
from boardgames.executors import InProcess
from boardgames.experiments import (
    Experiment,
    Findings,
    Listener,
    ResumableExecutor,
    StageProgress,
    load_experiment,
    run_tasks,
)
from boardgames.hookspecs import PROJECT, Entry, hookimpl
from boardgames.options import Option
from boardgames.plugins import Registry


def test_workers_that_join_during_an_experiment_are_used(tmp_path: Path) -> None:
    joining = Joining()
    executor = ResumableExecutor(joining, tmp_path, "v1")
    run_tasks(executor, [partial(pow, number, 2) for number in range(40)], None, "squares")
    assert joining.have_met


class Squares(Experiment):
    """An experiment of a plug-in."""

    name = "squares"
    declared_options = (Option("count", int, 3, "number of tasks"),)

    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Findings:
        tasks = [partial(pow, number, 2) for number in range(self.integer("count"))]
        return Findings((), str(run_tasks(executor, tasks, listener, "squares")))


class Broken(Squares):
    def __init__(self, game: boardgames.Game, **options: object) -> None:
        raise RuntimeError("no")


not_an_experiment = 3


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that offers an object of this module as the experiment `squares`."""

    def add(target: str) -> None:
        module = ModuleType("experiments_under_test")

        def bg_experiments() -> list[Entry]:
            return [Entry("squares", "made for a test", f"experiments_under_test:{target}")]

        monkeypatch.setattr(module, "bg_experiments", hookimpl(bg_experiments), raising=False)
        monkeypatch.setattr(module, target, globals()[target], raising=False)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        points = [("connect4", "boardgames_connect4.plugin"), ("under-test", module.__name__)]
        registry = Registry([EntryPoint(name, target, PROJECT) for name, target in points])
        for place in ("boardgames.plugins.registry", "boardgames.experiments.experiment.registry"):
            monkeypatch.setattr(place, lambda: registry)

    return add


def test_experiment_is_loaded_by_name_and_reports_progress(offer: Callable[[str], None]) -> None:
    offer("Squares")
    experiment = load_experiment("squares", small(), count="2")
    reports: list[StageProgress] = []
    assert experiment.run(InProcess(), 1, reports.append).conclusion == "[0, 1]"
    assert reports == [StageProgress("squares", done, 2) for done in range(3)]
    assert experiment.settings == {"count": 2}


def test_unknown_names_and_options_are_rejected(offer: Callable[[str], None]) -> None:
    offer("Squares")
    with pytest.raises(UnknownNameError, match="did you mean 'squares'"):
        load_experiment("square", small())
    with pytest.raises(OptionError, match="did you mean 'count'"):
        load_experiment("squares", small(), counts=4)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("Broken", "experiment 'squares' is broken: RuntimeError: no"),
        ("not_an_experiment", "experiment 'squares' is not a subclass of Experiment: 3"),
    ],
)
def test_broken_experiment_is_named(target: str, words: str, offer: Callable[[str], None]) -> None:
    offer(target)
    with pytest.raises(PluginError, match=words):
        load_experiment("squares", small())
