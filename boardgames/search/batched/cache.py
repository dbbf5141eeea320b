"""`EvaluationCache`: an evaluator that remembers positions.

Each search starts with an empty tree, but most positions near its root were already in the tree of the
previous move. In self-play in Connect Four, two in five evaluations would be repeated without the cache.
"""

from itertools import count

import numpy as np
import numpy.typing as npt

from boardgames.errors import LimitError, quote
from boardgames.kernels.abi import Floats
from boardgames.search.batched.searcher import Evaluator, answer_of, checked_evaluations

OVERHEAD = 200
"""Approximate overhead of a remembered position's Python objects, in bytes."""


class EvaluationCache:
    """An evaluator that remembers the results of another evaluator.

    The other evaluator must give a position the same policy and value in every batch. When there is no
    room left, the oldest position is forgotten.

    Parameters
    ----------
    evaluator : callable
        The other evaluator; see `Evaluator`.
    memory : int
        Megabytes (2^20 bytes) that remembered positions may use.

    Attributes
    ----------
    evaluated : int
        Number of positions that the other evaluator has evaluated.

    Raises
    ------
    LimitError
        If the memory is less than 1, or the evaluator does not return finite numbers of the right shapes.

    Examples
    --------
    >>> cache = EvaluationCache(lambda observations, masks: (masks, np.zeros(len(masks))))
    >>> observations, masks = np.zeros((1, 2, 6, 7), dtype=np.int8), np.ones((1, 7), dtype=np.bool_)
    >>> for _ in range(3):
    ...     policies, values = cache(observations, masks)
    >>> cache.evaluated
    1
    """

    def __init__(self, evaluator: Evaluator, *, memory: int = 64) -> None:
        if not (type(memory) is int and memory >= 1):
            raise LimitError(f"memory must be at least 1 megabyte, not {quote(memory)}")
        self.evaluated = 0
        self._evaluator, self._most_bytes = evaluator, memory << 20
        self._slots: dict[bytes, int] = {}
        self._keys: list[bytes | None] = []
        self._next = count()
        self._policies = np.zeros((0, 0), dtype=np.float32)
        self._values = np.zeros(0, dtype=np.float32)

    def __call__(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """Return policies, `float32[m, actions]`, and values, `float32[m]`."""
        actions = masks.shape[1]
        seen = np.concatenate([observations.reshape(len(masks), -1), masks.view(np.int8)], axis=1)
        keys = [row.tobytes() for row in seen]
        if not self._keys:
            capacity = max(1, self._most_bytes // (seen.shape[1] + 4 * (actions + 1) + OVERHEAD))
            self._keys = [None] * capacity
            self._policies = np.zeros((capacity, actions), dtype=np.float32)
            self._values = np.zeros(capacity, dtype=np.float32)
        slots = np.array([self._slots.get(key, -1) for key in keys], dtype=np.intp)
        policies, values = self._policies[slots], self._values[slots]
        missing = np.flatnonzero(slots < 0)
        if len(missing):
            answer = answer_of(self._evaluator, observations[missing], masks[missing])
            policies[missing], values[missing] = checked_evaluations(*answer, (len(missing), actions))
            self.evaluated += len(missing)
            for index in missing.tolist():
                self._remember(keys[index], policies[index], float(values[index]))
        return policies, values

    def _remember(self, key: bytes, policy: Floats, value: float) -> None:
        slot = next(self._next) % len(self._keys)
        oldest = self._keys[slot]
        if oldest is not None and self._slots[oldest] == slot:
            del self._slots[oldest]
        self._keys[slot], self._slots[key] = key, slot
        self._policies[slot], self._values[slot] = policy, value
