"""The root: sequential halving, improved and pruned policies, and the distribution of noise."""

import math

import numpy as np
import numpy.typing as npt
import pytest

import boardgames
from boardgames.kernels import JIT
from boardgames.search.batched import BatchSearch, BatchSearchOptions, Found
from boardgames.search.batched.roots import random_gamma, visits_in_turn

pytestmark = pytest.mark.plain

PRIORS = np.array([0.05, 0.1, 0.4, 0.2, 0.15, 0.06, 0.04])
VALUES = np.array([0.3, -0.2, -0.1, 0.25, 0.0, 0.1, -0.3])
"""What moves from an empty board are worth to the side that makes them."""


def search_first_move(options: BatchSearchOptions, simulations: int, *, trees: int, seed: int = 0) -> Found:
    """Search the empty board of Connect Four when the values of the first moves are known."""
    game = boardgames.load("connect4")

    def evaluate(
        observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]
    ) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        policies, values = np.tile(PRIORS, (len(masks), 1)), np.zeros(len(masks))
        for number, planes in enumerate(observations):
            stones = planes.sum(axis=(0, 1))
            if stones.any():  # the sides go on in the column of the first move
                first = int(stones.argmax())
                policies[number] = np.eye(7)[first] + 1e-6
                values[number] = VALUES[first] * (1 if stones.sum() % 2 == 0 else -1)
        return policies, values

    search = BatchSearch(game, trees, options=options, seed=seed)
    return search.run([game.start()] * trees, evaluate, simulations=simulations)


@pytest.mark.parametrize("moves", [1, 2, 3, 4, 7, 16])
@pytest.mark.parametrize("simulations", [1, 5, 16, 50, 200])
def test_sequential_halving_drops_half_of_the_moves_again_and_again(moves: int, simulations: int) -> None:
    expected: list[int] = []
    considered, visits = moves, 0
    while len(expected) < simulations:
        each = max(1, int(simulations / (math.ceil(math.log2(max(moves, 2))) * considered)))
        for _ in range(each):
            expected += [visits] * considered
            visits += 1
        considered = 1 if moves == 1 else max(2, considered // 2)
    numbers = [visits_in_turn(moves, simulations, number) for number in range(simulations)]
    assert numbers == expected[:simulations]


def test_a_gumbel_root_divides_its_simulations_by_sequential_halving() -> None:
    found = search_first_move(BatchSearchOptions(considered=4, value_scale=0.0), 16, trees=3)
    for visits in found.visits.tolist():
        assert sorted(visits) == [0, 0, 0, 2, 2, 6, 6]  # four moves twice, then two of them four more times


def test_a_gumbel_root_samples_moves_as_often_as_their_priors_say() -> None:
    trees = 4000 if JIT else 300
    found = search_first_move(BatchSearchOptions(considered=2, value_scale=0.0), 1, trees=trees)
    shares = np.bincount(found.actions, minlength=7) / trees
    assert shares == pytest.approx(PRIORS, abs=4 * math.sqrt(0.25 / trees))


def test_the_improved_policy_prefers_moves_with_larger_values() -> None:
    found = search_first_move(BatchSearchOptions(considered=7, value_scale=0.2), 70, trees=1)
    policy = found.policies[0]
    gains = policy / PRIORS
    assert gains.argsort().tolist() == VALUES.argsort().tolist()
    logits = np.log(PRIORS) + 0.2 * (50 + found.visits.max()) * VALUES / 2
    assert policy == pytest.approx(np.exp(logits) / np.exp(logits).sum(), rel=1e-3)
    assert found.values[0] == pytest.approx((policy * VALUES).sum(), abs=1e-3)


def test_moves_without_visits_keep_their_relative_priors() -> None:
    found = search_first_move(BatchSearchOptions(considered=2), 2, trees=5)
    for visits, policy in zip(found.visits, found.policies, strict=True):
        unvisited = np.flatnonzero(visits == 0)
        assert len(unvisited) == 5
        shares = policy[unvisited] / PRIORS[unvisited]
        assert shares == pytest.approx(np.full(5, shares[0]), rel=1e-3)


def test_noise_changes_the_search_and_pruning_takes_forced_visits_back() -> None:
    noisy = BatchSearchOptions(root="noise", noise_share=0.5)
    trees = 50 if JIT else 10
    found = search_first_move(noisy, 60, trees=trees)
    assert len({tuple(visits) for visits in found.visits.tolist()}) > 0.7 * trees
    for visits, policy in zip(found.visits, found.policies, strict=True):
        best = visits.argmax()
        assert policy.sum() == pytest.approx(1, abs=1e-5)
        assert policy.argmax() == best
        kept = policy / policy[best] * visits[best]
        assert (kept <= visits + 1e-3).all()
    forced = search_first_move(BatchSearchOptions(root="noise", noise_share=0.0, forced=8.0), 60, trees=1)
    free = search_first_move(BatchSearchOptions(root="plain"), 60, trees=1)
    assert forced.visits[0, 1] > free.visits[0, 1]  # a bad move is tried more often,
    assert forced.policies[0, 1] == 0  # but is no part of the policy


@pytest.mark.parametrize("shape", [0.05, 0.7, 1.0, 6.0])
def test_gamma_numbers_have_the_right_mean_and_variance(shape: float) -> None:
    state = np.array([5], dtype=np.uint64)
    count = 20_000 if JIT else 2000
    numbers = np.array([random_gamma(state, shape) for _ in range(count)])
    assert numbers.min() > 0
    assert numbers.mean() == pytest.approx(shape, abs=5 * math.sqrt(shape / count))
    # the fourth central moment of a gamma distribution is 3 shape^2 + 6 shape
    assert numbers.var() == pytest.approx(shape, abs=5 * math.sqrt((2 * shape**2 + 6 * shape) / count))
