"""The cache gives what its evaluator gives, and asks it only once for a position that it remembers."""

import numpy as np
import numpy.typing as npt
import pytest

from boardgames.errors import LimitError
from boardgames.search.batched import EvaluationCache

ACTIONS = 5
Evaluations = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]


def evaluate(observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]) -> Evaluations:
    """Return numbers that depend on everything that is seen of a position."""
    sums = observations.reshape(len(masks), -1).sum(axis=1, dtype=np.float32)
    return masks * sums[:, None], sums / (200 + masks.sum(axis=1, dtype=np.float32))


def positions(count: int, seed: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.bool_]]:
    generator = np.random.default_rng(seed)
    observations = generator.integers(10, size=(count, 2, 3, 3)).astype(np.int8)
    return observations, generator.random((count, ACTIONS)) < 0.5


def test_a_position_is_evaluated_once_whatever_batch_it_is_in() -> None:
    asked: list[int] = []

    def noting(observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]) -> Evaluations:
        asked.append(len(masks))
        return evaluate(observations, masks)

    cache, seen = EvaluationCache(noting), positions(50, seed=1)
    first, later = np.arange(30), np.arange(49, 9, -1)
    for chosen, expected in ((first, [30]), (later, [30, 20]), (later, [30, 20])):
        batch = (seen[0][chosen], seen[1][chosen])
        for given, right in zip(cache(*batch), evaluate(*batch), strict=True):
            np.testing.assert_array_equal(given, right)
        assert asked == expected
    assert cache.evaluated == 50


def test_positions_that_differ_only_in_their_legal_actions_are_different() -> None:
    cache, observations = EvaluationCache(evaluate), np.ones((2, 2, 3, 3), dtype=np.int8)
    masks = np.array([[True] * ACTIONS, [True] + [False] * (ACTIONS - 1)])
    np.testing.assert_array_equal(cache(observations, masks)[0], evaluate(observations, masks)[0])


def test_a_full_cache_forgets_the_oldest_positions_and_stays_right() -> None:
    cache, old = EvaluationCache(evaluate, memory=1), positions(10, seed=1)
    cache(*old)
    for seed in range(2, 12):
        batch = positions(1000, seed)
        twice = tuple(np.concatenate([part, part]) for part in batch)
        for given, right in zip(cache(*twice), evaluate(*twice), strict=True):
            np.testing.assert_array_equal(given, right)
        before = cache.evaluated
        cache(*batch)
        assert cache.evaluated == before  # the newest ones are remembered
    before = cache.evaluated
    np.testing.assert_array_equal(cache(*old)[0], evaluate(*old)[0])
    assert cache.evaluated == before + 10


@pytest.mark.parametrize(
    "given",
    [
        (np.ones((1, ACTIONS)), np.zeros(3)),
        (np.ones((3, ACTIONS)), np.zeros((3, 1))),
        (np.ones((3, ACTIONS)), np.full(3, np.nan)),
        ("no numbers", np.zeros(3)),
        (np.ones((3, ACTIONS)), np.full(3, 1.5)),
        None,
    ],
)
def test_what_are_no_evaluations_is_refused(given: tuple[npt.ArrayLike, npt.ArrayLike]) -> None:
    cache = EvaluationCache(lambda _observations, _masks: given)
    with pytest.raises(LimitError, match=r"the evaluator (must return|returned)"):
        cache(*positions(3, seed=1))


@pytest.mark.parametrize("memory", [0, 1.5, "64"])
def test_memory_is_a_number_of_megabytes(memory: int) -> None:
    with pytest.raises(LimitError, match="memory must be at least 1 megabyte, not"):
        EvaluationCache(evaluate, memory=memory)
