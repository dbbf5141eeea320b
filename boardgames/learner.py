"""The interface of learners: a step takes the state of training and returns the next state and metrics.

A learner neither prints nor saves anything: the trainer takes care of files,
progress and interrupts. Therefore training can stop and resume with
bit-identical results, on any number of workers.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from boardgames.errors import LearnerStateError, WeightsError, quote
from boardgames.game import Game
from boardgames.options import Option, OptionValue, check_option_names, read_options

Scalar = bool | int | float | str | None
Array = npt.NDArray[Any]  # any dtype: float64 weights, uint64 generator states, ...

STATE_PREFIX = "state."
"""Prefix of the names of a state's arrays in a checkpoint."""


@dataclass(frozen=True, slots=True)
class LearnerState:
    """Everything that changes during training, as named arrays and JSON-compatible scalars.

    This includes the states of random generators. Arrays must be C-contiguous.
    """

    arrays: Mapping[str, Array]
    scalars: Mapping[str, Scalar] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, array in self.arrays.items():
            if not array.flags.c_contiguous:
                raise LearnerStateError(f"the array {name!r} is not C-contiguous")

    def integer(self, name: str) -> int:
        """Return an integer scalar, such as the number of steps so far.

        Raises
        ------
        LearnerStateError
            If there is no such scalar, or it is not an integer.

        Examples
        --------
        >>> LearnerState({}, {"step": 3}).integer("step")
        3
        """
        value = self.scalars.get(name)
        if not isinstance(value, int):
            raise LearnerStateError(f"the scalar {name!r} must be an integer, not {quote(value)}")
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """The content of a checkpoint file: a state of training, and the data that players need.

    Attributes
    ----------
    path : Path
        The file.
    arrays, header : mapping
        The content of the file: all arrays by name, and JSON values.
    """

    path: Path
    arrays: Mapping[str, Array]
    header: Mapping[str, Any]  # JSON values

    @property
    def state(self) -> LearnerState:
        """Return the state of training.

        Raises
        ------
        WeightsError
            If the file contains no state of training.
        """
        scalars = self.header.get("state")
        if not isinstance(scalars, dict):
            raise WeightsError(f"{self.path} is not a checkpoint")
        # copies, so that the arrays are aligned like a learner's own arrays
        arrays: dict[str, Array] = {
            name.removeprefix(STATE_PREFIX): np.array(array, order="C")
            for name, array in self.arrays.items()
            if name.startswith(STATE_PREFIX)
        }
        return LearnerState(arrays, scalars)


class Result(Protocol):
    """The result of training if it is something other than weights; see `Learner.result_in`."""

    kind: ClassVar[str]
    """The kind of result, such as `policy`."""

    def describe(self) -> str:
        """Return what `boardgames runs show` prints about the result."""

    def write(self, path: Path) -> None:
        """Write the result to a file that players can use."""


class Learner(ABC):
    """A method of learning weights; base class of the learners that `bg_learners` registers.

    A learner holds the game and the settings. Everything that changes is in the
    state, so a new learner with the same arguments can continue from any saved
    state.

    Parameters
    ----------
    game : Game
        The game to learn.
    options : keywords
        As declared in `declared_options`.

    Raises
    ------
    OptionError
        If an option is unknown or invalid.
    """

    name: ClassVar[str]
    declared_options: ClassVar[tuple[Option, ...]] = ()
    curve: ClassVar[str] = "score"
    """The metric of the learning curve; larger values are better, and steps may leave it out."""
    follows_curve: ClassVar[bool] = True
    """True if the result of training is the step with the best value of `curve`, False if the last step."""
    extensible: ClassVar[tuple[str, ...]] = ("steps",)
    """Options that may change when a run is resumed, because they only determine its length."""
    max_weight: ClassVar[float] = math.inf
    """Training stops with an error when a weight is larger than this or smaller than its negative."""

    def __init_subclass__(cls, **arguments: Any) -> None:  # arguments of other base classes
        super().__init_subclass__(**arguments)
        check_option_names(cls, {"self", "game"})

    def __init__(self, game: Game, **options: object) -> None:
        self.game = game
        self.options: dict[str, OptionValue] = read_options(
            self.declared_options, options, f"learner {self.name!r}"
        )

    @abstractmethod
    def start(self, seed: int) -> LearnerState:
        """Return the state before the first step, which depends only on the seed."""

    @abstractmethod
    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Return the state after one more step, and the metrics of the step.

        `state` is not changed. Parallel work is submitted to `executor` as tasks
        with their own seeds, so the result does not depend on the workers.
        """

    @abstractmethod
    def is_done(self, state: LearnerState) -> bool:
        """Return True if training is complete."""

    @property
    def settings(self) -> dict[str, OptionValue]:
        """Return all options, with defaults that depend on the game, such as its features, filled in."""
        return dict(self.options)

    @property
    def length(self) -> int | None:
        """Return the number of steps of the whole training, or None if it is not known in advance."""
        return None

    def task_count(self, step: int) -> int | None:
        """Return how many tasks a step submits, or None if that is unknown; steps are counted from 0.

        Like `relative_time`, this is only used to show progress.
        """
        return None

    def relative_time(self, step: int) -> float:
        """Estimate how long step `step` takes, in any unit; by default all steps take equally long."""
        return 1.0

    @property
    def weight_names(self) -> Sequence[str]:
        """Return the names of the weights, in their order; by default none."""
        return ()

    @property
    def searches(self) -> bool:
        """Return True if weights are learned from searches of several plies, and so play best in a search."""
        return False

    def standings(self, state: LearnerState) -> Sequence[tuple[str, float]]:
        """Return names and points of the players that compete in training, best first; by default none."""
        return ()

    def agent_with(self, result: str) -> str:
        """Return the agent that plays with the result of training, or an empty string if there is none.

        `result` is the name or path of the run, written as the value of an option.
        """
        return ""

    def matchups(self, result: str) -> Sequence[tuple[str, str]]:
        """Return the agents that play with the result, each with the opponent against which it is measured.

        The opponents never change, so that results of different versions can be compared; see
        `Facts.baseline`.
        """
        return ()

    def summary(self, state: LearnerState) -> str:
        """Return a text about the result that adds to its metrics; by default it is empty."""
        return ""

    def header(self, state: LearnerState) -> Mapping[str, object]:
        """Return the data that players need to use a checkpoint, as JSON values; by default none."""
        return {}

    def saved(self, state: LearnerState) -> tuple[Mapping[str, Array], Mapping[str, object]]:
        """Return what players read from a checkpoint: arrays, by default the weights, and `header`."""
        return {"weights": np.asarray(self.weights(state), dtype=np.float64)}, self.header(state)

    def check(self, checkpoint: Checkpoint, seed: int) -> None:  # noqa: B027 - there may be nothing to check
        """Raise an error if training with this seed cannot continue from a checkpoint; by default it can.

        Raises
        ------
        LearnerStateError, WeightsError
            If the state has another structure than the learner's states, or players could not use the
            checkpoint.
        """

    def result_in(self, checkpoint: Checkpoint) -> Result | None:
        """Return the result in a checkpoint if it is something other than weights; by default None.

        Raises
        ------
        WeightsError
            If the result is damaged.
        """
        return None

    @abstractmethod
    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return the weights that training has learned so far, `float64[n]`."""
