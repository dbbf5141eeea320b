"""The base class of learners, and their state."""

import pickle
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from nim import Nim

from boardgames.errors import LearnerStateError, OptionError
from boardgames.learner import Learner, LearnerState
from boardgames.options import Option


class Counter(Learner):
    """Adds its rate to one weight for a number of steps."""

    name: ClassVar[str] = "counter"
    declared_options = (
        Option("rate", float, 0.5, "added in every step"),
        Option("steps", int, 2, "number of steps", minimum=1),
    )

    def start(self, seed: int) -> LearnerState:
        return LearnerState({"weights": np.zeros(1)}, {"step": 0, "seed": seed})

    def step(
        self, state: LearnerState, executor: Executor | None
    ) -> tuple[LearnerState, Mapping[str, float]]:
        weights = state.arrays["weights"] + self.options["rate"]
        step = state.scalars["step"]
        assert isinstance(step, int)
        made = LearnerState({"weights": weights}, {**state.scalars, "step": step + 1})
        return made, {"weight": float(weights[0])}

    def is_done(self, state: LearnerState) -> bool:
        return state.scalars["step"] == self.options["steps"]

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        return state.arrays["weights"]


def test_new_learner_continues_from_a_saved_state() -> None:
    first = Counter(Nim(), rate="0.25")
    state, _ = first.step(first.start(seed=1), None)
    second = Counter(Nim(), rate=0.25)
    state, metrics = second.step(state, None)
    assert second.is_done(state)
    assert (second.weights(state).tolist(), metrics) == ([0.5], {"weight": 0.5})


def test_unknown_option_raises_with_suggestions() -> None:
    with pytest.raises(OptionError, match="learner 'counter' has no option 'rat'; did you mean 'rate'"):
        Counter(Nim(), rat=1)


def test_arrays_must_be_contiguous() -> None:
    with pytest.raises(LearnerStateError, match="the array 'weights' is not C-contiguous"):
        LearnerState({"weights": np.zeros((2, 3)).T})


def test_state_can_be_pickled() -> None:
    state = Counter(Nim()).start(seed=7)
    assert pickle.loads(pickle.dumps(state)).scalars == {"step": 0, "seed": 7}


@pytest.mark.parametrize("scalars", [{}, {"step": 2.5}, {"step": None}], ids=["none", "fraction", "null"])
def test_a_step_that_is_not_an_integer_is_an_error(scalars: dict[str, float | None]) -> None:
    with pytest.raises(LearnerStateError, match="the scalar 'step' must be an integer, not "):
        LearnerState({}, scalars).integer("step")
