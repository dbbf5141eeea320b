"""Trainer: runs any learner, saves every step, and goes on where it stopped.

A step that is interrupted is dropped. What is on disk then is what it would
be if training had ended after the step before, so that an interrupted run
that is gone on with has the same bytes as one that was not.
"""

import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from boardgames import plugins
from boardgames.arena.identity import code_stamp
from boardgames.errors import BoardgamesError, LearnerStateError, PluginError, WeightsError
from boardgames.learner import LearnerState
from boardgames.learning.base import FeatureLearner
from boardgames.learning.checkpoint import Progress
from boardgames.learning.metrics import Stepped, finite
from boardgames.learning.run import Run
from boardgames.weights.weights import LARGEST_WEIGHT

HOOK = "bg_training_stepped"
LONGEST_REASON = 160
"""Compilers tell stories."""


class Trainer:
    """Training of one run, from its newest checkpoint if it has one.

    Parameters
    ----------
    run : Run
        Written by nobody else.
    clock : callable
        Returns seconds that never go back.

    Attributes
    ----------
    state : LearnerState
        After the last step.
    progress : Progress
        How far it is.
    steps : list of Stepped
        All steps so far.

    Raises
    ------
    WeightsError, FileError
        If the run has checkpoints and none can be read, or its files cannot be.
    LearnerStateError
        If they are of another run, or the learner cannot go on from them.

    Examples
    --------
    >>> import tempfile
    >>> from boardgames.executors import InProcess
    >>> from boardgames.learning.config import Config
    >>> config = Config("connect4", seed=1, settings={"steps": 2, "matches": 2, "test_matches": 0})
    >>> with tempfile.TemporaryDirectory() as folder, Run.create(Path(folder), config) as run:
    ...     trainer = Trainer(run)
    ...     trainer.train(InProcess())
    >>> trainer.progress.step, trainer.progress.is_done
    (2, True)
    """

    def __init__(self, run: Run, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.run, self.learner, self._clock = run, run.learner, clock
        self._hooks = _Hooks()
        self._code = code_stamp([type(self.learner.game), type(self.learner)])
        self.steps: list[Stepped] = []
        self._is_proven = False
        with self._blaming():
            found = run.load()
        self.is_new = self._is_proven = found is None
        if found is None:
            assert run.config.seed is not None
            with self._blaming():
                self.state = self.learner.start(run.config.seed)
            self.progress = Progress()
        else:
            self.state, self.progress, self.steps = found
            self._warn_of_changes()
        with self._blaming():
            self.learner.weights(self.state)
            self.progress = self._judged(self.progress, self.state)

    @property
    def is_done(self) -> bool:
        """Say whether training is complete."""
        return self.progress.is_done

    def standings(self) -> Sequence[tuple[str, float]]:
        """Return names and points of those who compete in training, best first."""
        with self._blaming():
            return self.learner.standings(self.state)

    def train(self, executor: Executor, listener: "Callable[[Trainer], None] | None" = None) -> None:
        """Do the steps that are left, each saved when it is done.

        Parameters
        ----------
        executor : Executor
            Who does the work; the result does not depend on it.
        listener : callable, optional
            Called with the trainer after every step.

        Raises
        ------
        FileError
            If a file cannot be written; the last checkpoint is there.
        WeightsError
            If weights grew without bounds.
        KeyboardInterrupt
            If a person stops it: the step under way is dropped.
        """
        if self.is_new:
            with self._blaming():
                self.run.save(self.state, self.progress)
            self.is_new = False
        self.steps = self.run.cut(self.progress.step)  # it may have been stopped before a step was saved
        try:
            while not self.is_done:
                self._step(executor)
                if listener is not None:
                    listener(self)
        except KeyboardInterrupt:
            self._look_again()
            raise

    def _step(self, executor: Executor) -> None:
        """Do a step; only when it is saved, it is done."""
        begun = self._clock()
        with self._blaming():
            state, told = self.learner.step(self.state, executor)
            self._is_proven = True
            metrics = finite(told)
            progress = self._judged(self._progress_after(metrics), state)
            weights = tuple(self.learner.weights(state).ravel().tolist())
        stepped = Stepped(progress.step, self._clock() - begun, metrics, weights)
        _check_bounded(stepped, LARGEST_WEIGHT if isinstance(self.learner, FeatureLearner) else math.inf)
        self.run.append(stepped)
        with self._blaming():
            self.run.save(state, progress)
        self.state, self.progress = state, progress
        self.steps.append(stepped)
        self._hooks.tell(run=self.run.name, step=progress.step, metrics=metrics, folder=self.run.folder)

    def _look_again(self) -> None:
        """Take what is on disk: an interrupt may come when a step is saved and not yet counted."""
        found = self.run.load()
        if found is not None:
            self.state, self.progress, self.steps = found

    def _progress_after(self, metrics: Mapping[str, float | None]) -> Progress:
        learner = self.learner
        return self.progress.after(metrics, learner.curve, follows_curve=learner.follows_curve)

    @contextmanager
    def _blaming(self) -> Iterator[None]:
        """Blame the learner for what is raised, or the state, if that is a file's and no step has worked."""
        try:
            yield
        except BoardgamesError:
            raise
        except Exception as error:
            if type(error).__module__.partition(".")[0] == "distributed":
                raise  # the executor's own, which knows what it means
            name, reason = self.run.config.learner, plugins.told(error)
            if len(reason) > LONGEST_REASON:
                reason = f"{reason[:LONGEST_REASON]}..."
            if self._is_proven:
                raise PluginError(f"learner {name!r} is broken: {reason}") from error
            raise LearnerStateError(
                f"expected a state that learner {name!r} goes on from: {self.run.folder} ({reason})"
            ) from error

    def _judged(self, progress: Progress, state: LearnerState) -> Progress:
        """Return progress with what the learner says of it."""
        is_done = self.learner.is_done(state)
        return replace(progress, length=self.learner.length, is_done=is_done, code=self._code)

    def _warn_of_changes(self) -> None:
        if self.progress.code != self._code:
            warnings.warn(
                f"the code has changed since {self.run.name} was begun; it goes on, but what comes "
                "out may not come out again",
                RuntimeWarning,
                stacklevel=3,
            )


def _check_bounded(stepped: Stepped, largest: float) -> None:
    if not all(math.isfinite(weight) and abs(weight) <= largest for weight in stepped.weights):
        raise WeightsError(
            f"expected finite weights from step {stepped.step}: they grew without bounds "
            "(a smaller learning rate may help)"
        )


class _Hooks:
    """The plug-ins that want to know of steps; one that raises is reported once and told on."""

    def __init__(self) -> None:
        self._reported: set[str] = set()

    def tell(self, *, run: str, step: int, metrics: Mapping[str, float | None], folder: Path) -> None:
        """Tell every plug-in of a step, whatever they raise."""
        numbers = {name: value for name, value in metrics.items() if value is not None}
        for implementation in getattr(plugins.registry().hook, HOOK).get_hookimpls():
            told = {"run": run, "step": step, "metrics": dict(numbers), "folder": folder}
            try:
                implementation.function(**{name: told[name] for name in implementation.argnames})
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code may raise anything
                self._report(implementation.plugin_name, error)

    def _report(self, name: str, error: BaseException) -> None:
        if name not in self._reported:
            self._reported.add(name)
            told = plugins.told(error)
            warnings.warn(f"{HOOK} of {name} raised {told}; training goes on", RuntimeWarning, stacklevel=2)
