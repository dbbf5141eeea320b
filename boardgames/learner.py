"""Learner: state in, state and metrics out; never prints, never saves.

The trainer owns files, progress and interruption; a learner is a pure
machine, so that training stops and resumes bit for bit on any number of
workers.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from boardgames.errors import LearnerStateError
from boardgames.game import Game
from boardgames.options import Option, OptionValue, read_options

Scalar = bool | int | float | str | None
Array = npt.NDArray[Any]  # any dtype: float64 weights, uint64 generator states, ...


@dataclass(frozen=True, slots=True)
class LearnerState:
    """All that a learner needs to go on: named arrays and JSON-able scalars.

    The states of random generators are among them. Arrays are C-contiguous.
    """

    arrays: Mapping[str, Array]
    scalars: Mapping[str, Scalar] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, array in self.arrays.items():
            if not array.flags.c_contiguous:
                raise LearnerStateError(f"expected a C-contiguous array: {name!r}")


class Learner(ABC):
    """A way of learning weights; base class of what `bg_learners` registers.

    It holds what does not change in a run, the game and the settings; what
    changes is in the state, so that a learner made anew with equal arguments
    goes on from any saved state.

    Parameters
    ----------
    game : Game
        What is learned.
    options : keywords
        As `declared_options` has them.

    Raises
    ------
    OptionError
        If an option is unknown or has a bad value.
    """

    name: ClassVar[str]
    declared_options: ClassVar[tuple[Option, ...]] = ()
    curve: ClassVar[str] = "score"
    """The metric that shows how good the weights are, where a step has it: larger is better."""
    follows_curve: ClassVar[bool] = True
    """False where the weights of the last step are the result, whatever the curve says."""

    def __init__(self, game: Game, **options: object) -> None:
        self.game = game
        of = f"learner {self.name!r}"
        self.options: dict[str, OptionValue] = read_options(self.declared_options, options, of)

    @abstractmethod
    def start(self, seed: int) -> LearnerState:
        """Return the state before the first step; equal seeds give equal states."""

    @abstractmethod
    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Return the state after one more step, and named metrics of that step.

        `state` is not changed. Work that fans out goes to `executor` in tasks
        seeded by their content, so that the result does not depend on who
        runs them.
        """

    @abstractmethod
    def is_done(self, state: LearnerState) -> bool:
        """Say whether training, as configured, is complete."""

    @property
    def length(self) -> int | None:
        """Return the number of steps of complete training, None if it is not known before."""
        return None

    def standings(self, state: LearnerState) -> Sequence[tuple[str, float]]:
        """Return names and points of those who compete in training, best first; by default nobody."""
        return ()

    @abstractmethod
    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return the best weights so far, `float64[n]`."""
