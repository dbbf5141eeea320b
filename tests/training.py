"""Helpers for tests of training: a learner without features, small runs, and the files of a run."""

import json
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from boardgames import plugins
from boardgames.executors import InProcess
from boardgames.hookspecs import Entry, hookimpl
from boardgames.learner import Learner, LearnerState
from boardgames.learning.config import Config
from boardgames.learning.runs import Run
from boardgames.learning.trainer import Trainer
from boardgames.options import Option
from boardgames.plugins import Registry

SMALL = {"steps": 6, "matches": 4, "test_matches": 4, "groups": 2}
"""Settings of `td` with which a step of Connect Four takes milliseconds."""

EVOLVE = {
    "population": 3,
    "survivors": 1,
    "generations": 2,
    "training_matches": 1,
    "tournament_matches": 2,
    "test_matches": 2,
}
"""Settings of `evolve` with which a run of Connect Four takes a moment."""


class Walker(Learner):
    """A random walk whose state includes the state of its generator, so tests notice if any of it is lost."""

    name: ClassVar[str] = "walker"
    declared_options = (
        Option("steps", int, 5, "number of steps", minimum=1),
        Option("measured", bool, True, "report a score"),
        Option("fails", int, None, "step that raises"),
        Option("grows", int, None, "step from which weights are infinite"),
        Option("note", str, "plain", "any text"),
    )
    interrupt: ClassVar[int | None] = None
    """The step in which Ctrl-C is pressed."""

    def start(self, seed: int) -> LearnerState:
        return LearnerState(
            {"place": np.zeros((2, 1)), "generator": np.array([seed], np.uint64)}, {"done": 0, "text": "ä"}
        )

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        done = int(state.scalars["done"] or 0) + 1
        if done == Walker.interrupt:
            raise KeyboardInterrupt
        if done == self.options["fails"]:
            raise ValueError("out of luck")
        generator = np.random.default_rng(int(state.arrays["generator"][0]))
        place = state.arrays["place"] + executor.submit(generator.normal, size=(2, 1)).result()
        if self.options["grows"] is not None and done >= int(self.options["grows"]):
            place = place * np.inf
        metrics = {"score": float(place[0, 0]), "odd": float("nan")} if self.options["measured"] else {}
        drawn = np.array([generator.integers(2**63)], np.uint64)
        return LearnerState({"place": place, "generator": drawn}, {"done": done, "text": "ä"}), metrics

    def is_done(self, state: LearnerState) -> bool:
        return state.scalars["done"] == self.options["steps"]

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        return np.array(state.arrays["place"][:, 0])


class WalkerPlugin:
    @hookimpl
    def bg_learners(self) -> list[Entry]:
        return [Entry("walker", "random walk", "training:Walker")]


@pytest.fixture
def walker(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Config]:
    """Register the walker and return a function that makes configs for it."""
    add_plugin(monkeypatch, WalkerPlugin())
    monkeypatch.setattr(Walker, "interrupt", None)
    return lambda **settings: Config("connect4", "walker", seed=3, settings=settings)


def add_plugin(monkeypatch: pytest.MonkeyPatch, plugin: Any) -> Registry:
    """Replace the registry with one that has an additional plug-in, named after its class."""
    registry, name = Registry(), type(plugin).__name__
    before = plugins.registry()._manager.list_name_plugin()
    for other, module in [*before, (name, plugin)]:
        if not registry._manager.has_plugin(other):
            registry._manager.register(module, name=other)
            offered = module.bg_learners() if hasattr(module, "bg_learners") else []
            registry._offers["learners"] += [plugins.Offer(entry, other) for entry in offered]
    monkeypatch.setattr(plugins, "registry", lambda: registry)
    return registry


def small(**settings: object) -> Config:
    """Return a config of `td` that trains in a moment."""
    return Config("connect4", seed=7, settings={**SMALL, **settings})


def train(folder: Path, config: Config, executor: Executor | None = None) -> Trainer:
    """Train a new run to its end."""
    with Run.create(folder, config) as run:
        trainer = Trainer(run)
        trainer.train(executor or InProcess())
    return trainer


def resume(folder: Path) -> Trainer:
    """Train an existing run to its end."""
    with Run.open(folder) as run:
        trainer = Trainer(run)
        trainer.train(InProcess())
    return trainer


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Return a function that copies the folder of a finished run of `small()`."""
    original = tmp_path_factory.mktemp("finished") / "run"
    train(original, small())
    return lambda folder: Path(shutil.copytree(original, folder))


def content(folder: Path) -> dict[str, bytes]:
    """Return the contents of a run's files, without measured times."""
    files = {path.name: path.read_bytes() for path in (folder / "checkpoints").iterdir()}
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text("utf-8").splitlines()]
    for line in lines:
        del line["seconds"]
    return {
        **files,
        "config": (folder / "config.toml").read_bytes(),
        "metrics": json.dumps(lines).encode(),
    }
