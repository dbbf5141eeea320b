"""Trainer: runs any learner, saves every step, and resumes from the newest checkpoint.

An interrupted step is dropped. The files are then the same as if training had
ended after the previous step, so a resumed run ends with the same bytes as one
that was never interrupted.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import accumulate
from types import MappingProxyType

import numpy as np

from boardgames.errors import BoardgamesError, LearnerStateError, PluginError, WeightsError, describe_error
from boardgames.executors.counting import CountingExecutor
from boardgames.faults import translated_errors
from boardgames.installation import code_stamp
from boardgames.kernels import Reals
from boardgames.learner import LearnerState
from boardgames.learning.metrics import Progress, StepRecord, finite_metrics
from boardgames.learning.runs import Run
from boardgames.plugins import notify

RATES = ("alpha", "rate")
"""Names of learning-rate options; too large a value makes weights diverge."""
MAX_REASON = 160
"""Maximum number of characters of a reason in a message; compiler errors are long."""


class Trainer:
    """Trains one run, from its newest checkpoint if it has one.

    Parameters
    ----------
    run : Run
        A run whose folder this process has locked.
    clock : callable
        Returns monotonic time in seconds.

    Attributes
    ----------
    state : LearnerState
        State after the last completed step.
    progress : Progress
        Progress of training.
    steps : list of StepRecord
        All completed steps.

    Raises
    ------
    WeightsError, FileError
        If the run has checkpoints and none can be read, or its files cannot be read.
    LearnerStateError
        If the checkpoints belong to another run, or the learner cannot resume from them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
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
        self._code = code_stamp([type(self.learner.game), type(self.learner)])
        self.steps: list[StepRecord] = []
        self._has_stepped = False
        self._tasks: CountingExecutor | None = None
        """Counts the tasks of the current step."""
        self._last_task_count = 0
        self._ends = [0.0]
        """When each step starts, and when the last one ends, in units of `Learner.relative_time`."""
        with self._blaming_learner():
            restored = run.restore()
        self.is_new = self._has_stepped = restored is None
        if restored is None:
            assert run.config.seed is not None
            with self._blaming_learner():
                self.state = self.learner.start(run.config.seed)
            self.progress = Progress()
        else:
            self.state, self.progress, self.steps = restored
            self._warn_if_code_changed()
        with self._blaming_learner():
            self.learner.weights(self.state)
            self.progress = self._completed(self.progress, self.state)

    @property
    def is_done(self) -> bool:
        """Return whether training is complete."""
        return self.progress.is_done

    def standings(self) -> Sequence[tuple[str, float]]:
        """Return names and points of the learner's competitors, best first."""
        with self._blaming_learner():
            return self.learner.standings(self.state)

    def summary(self) -> str:
        """Return the learner's one-line summary of its result."""
        with self._blaming_learner():
            return self.learner.summary(self.state)

    def train(self, executor: Executor, listener: "Callable[[Trainer], None] | None" = None) -> None:
        """Do the remaining steps and save each one.

        Parameters
        ----------
        executor : Executor
            Runs the tasks; the result does not depend on it.
        listener : callable, optional
            Called with the trainer after every step.

        Raises
        ------
        FileError
            If a file cannot be written; the last checkpoint is kept.
        WeightsError
            If the weights diverge.
        KeyboardInterrupt
            If the user interrupts; the current step is dropped.
        """
        if self.is_new:
            with self._blaming_learner():
                self.run.save_checkpoint(self.state, self.progress)
            self.is_new = False
        # an interrupt may have come between the metrics of a step and its checkpoint
        self.steps = self.run.truncate_metrics(self.progress.step)
        try:
            while not self.is_done:
                self._step(executor)
                if listener is not None:
                    listener(self)
        except KeyboardInterrupt:
            self._reload()
            raise

    def time_share(self) -> float | None:
        """Estimate the share of the training time that has passed; None if the number of steps is unknown.

        Another thread may call this during a step.
        """
        length, step, tasks = self.learner.length, self.progress.step, self._tasks
        if length is None:
            return None
        if len(self._ends) != length + 1:
            times = (self.learner.relative_time(number) for number in range(length))
            self._ends = [*accumulate(times, initial=0.0)]
        passed = self._ends[min(step, length)]
        count = self.learner.task_count(step) or self._last_task_count
        if tasks is not None and step < length and count:
            passed += (self._ends[step + 1] - passed) * min(tasks.done / count, 1.0)
        return passed / self._ends[-1] if length else 1.0

    def _step(self, executor: Executor) -> None:
        """Do one step, which counts only when its checkpoint has been saved."""
        begun = self._clock()
        self._tasks = tasks = CountingExecutor(executor)
        with self._blaming_learner():
            state, reported = self.learner.step(self.state, tasks)
            self._has_stepped = True
            metrics = finite_metrics(reported)
            progress = self.progress.after(
                metrics, self.learner.curve, follows_curve=self.learner.follows_curve
            )
            progress = self._completed(progress, state)
            weights = self.learner.weights(state).ravel()
            standings = tuple((name, float(points)) for name, points in self.learner.standings(state))
        self._check_bounded(weights, progress.step)
        record = StepRecord.of(progress.step, self._clock() - begun, metrics, weights, standings)
        self.run.append_metrics(record)
        with self._blaming_learner():
            self.run.save_checkpoint(state, progress)
        self.state, self.progress = state, progress
        self._tasks, self._last_task_count = None, tasks.done
        self.steps.append(record)
        numbers = {name: value for name, value in metrics.items() if value is not None}
        notify(
            "bg_training_stepped",
            run=self.run.name,
            step=progress.step,
            metrics=MappingProxyType(numbers),
            folder=self.run.folder,
        )

    def _check_bounded(self, weights: Reals, step: int) -> None:
        """Raise WeightsError if weights are not finite or larger than the learner allows."""
        if (np.isfinite(weights) & (np.abs(weights) <= self.learner.max_weight)).all():
            return
        rates = [name for name in RATES if name in self.learner.options]
        advice = f"choose a smaller {rates[0]}" if rates else "a smaller learning rate may help"
        setting = f" with {rates[0]}={self.learner.options[rates[0]]}" if rates else ""
        raise WeightsError(f"the weights diverged in step {step}{setting}; {advice}")

    def _reload(self) -> None:
        """Reload the state on disk, since an interrupt may come after a step is saved but not yet counted."""
        restored = self.run.restore()
        if restored is not None:
            self.state, self.progress, self.steps = restored

    def _blaming_learner(self) -> AbstractContextManager[None]:
        """Return a context that turns an unexpected error into one that names the learner.

        Before the first step after resuming, the error says that the learner cannot resume.
        """

        def blame(error: BaseException) -> BoardgamesError:
            name, reason = self.run.config.learner, describe_error(error)
            if len(reason) > MAX_REASON:
                reason = f"{reason[:MAX_REASON]}..."
            if self._has_stepped:
                return PluginError(f"learner {name!r} is broken: {reason}")
            return LearnerStateError(f"learner {name!r} cannot resume from {self.run.folder}: {reason}")

        return translated_errors(blame)

    def _completed(self, progress: Progress, state: LearnerState) -> Progress:
        """Return the progress with its length, its end and the hash of the code filled in."""
        target = self.run.config.target
        is_done = self.learner.is_done(state) or (
            target is not None and progress.best is not None and progress.best >= target
        )
        return replace(progress, length=self.learner.length, is_done=is_done, code=self._code)

    def _warn_if_code_changed(self) -> None:
        if self.progress.code != self._code:
            warnings.warn(
                f"the code has changed since the last checkpoint of {self.run.name}; training resumes, "
                "but the result may not be reproducible",
                RuntimeWarning,
                stacklevel=3,
            )
