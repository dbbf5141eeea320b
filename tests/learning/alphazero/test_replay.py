"""The replay buffer keeps the most recent samples and survives being saved."""

import numpy as np
import pytest

from boardgames.errors import LearnerStateError
from boardgames.learning.alphazero.replay import ReplayBuffer, Samples, Window, draw


def samples(numbers: range, width: int = 3) -> Samples:
    """Return samples whose positions are numbers, with one to `width` actions each."""
    generator = np.random.default_rng(numbers.start)
    actions = np.full((len(numbers), width), -1, dtype=np.int32)
    shares = np.zeros((len(numbers), width), dtype=np.float32)
    for sample, number in enumerate(numbers):
        count = 1 + number % width
        actions[sample, :count] = np.sort(generator.permutation(40)[:count])
        shares[sample, :count] = generator.dirichlet(np.ones(count))
    positions = np.array([[number, 7] for number in numbers], dtype=np.uint64)
    results = generator.dirichlet(np.ones(3), size=len(numbers)).astype(np.float32)
    leads = np.array(numbers, dtype=np.float32) - 20
    return Samples(positions, actions, shares, results, leads)


def buffer(least: int = 50, most: int = 100) -> ReplayBuffer:
    return ReplayBuffer(words=2, actions=40, width=3, window=Window(least=least, most=most))


@pytest.mark.parametrize("size", [1, 7, 30, 250])
def test_the_buffer_has_the_most_recent_samples_of_the_window(size: int) -> None:
    replay = buffer()
    for first in range(0, 1000, size):
        replay.add(samples(range(first, first + size)))
        kept = replay.take(np.arange(replay.size)).positions[:, 0].tolist()
        assert kept == list(range(replay.made - replay.size, replay.made))
        assert replay.size == Window(least=50, most=100).size(replay.made)


def test_samples_come_back_as_they_were_added() -> None:
    replay, added = buffer(), samples(range(40))
    replay.add(added)
    given = replay.take(np.arange(40))
    assert (given.positions == added.positions).all()
    assert (given.actions == added.actions).all()
    assert np.abs(given.shares - added.shares).max() < 1e-4
    assert np.abs(given.results - added.results).max() < 1e-4
    assert (given.leads == added.leads).all()
    assert np.allclose(given.shares.sum(axis=1), 1)
    assert np.allclose(given.results.sum(axis=1), 1)


def test_a_restored_buffer_continues_with_the_same_samples() -> None:
    one, other = buffer(), buffer()
    one.add(samples(range(80)))
    other.restore(one.arrays())
    for replay in (one, other):
        replay.add(samples(range(80, 130)))
    kept, same = one.take(np.arange(one.size)), other.take(np.arange(other.size))
    assert all(np.array_equal(getattr(kept, name), getattr(same, name)) for name in Samples._fields)
    assert one.made == other.made == 130


def test_a_saved_buffer_leaves_out_the_unused_places_of_policies() -> None:
    replay = ReplayBuffer(words=2, actions=1098, width=200)
    replay.add(samples(range(100)))
    assert sum(array.nbytes for array in replay.arrays().values()) < 100 * 40


def test_a_damaged_buffer_is_refused() -> None:
    replay = buffer()
    replay.add(samples(range(10)))
    arrays = replay.arrays()
    for name in ("shares", "lengths", "positions"):
        with pytest.raises(LearnerStateError, match="is damaged or belongs to another game"):
            replay.restore({**arrays, name: arrays[name][:-1]})
    with pytest.raises(LearnerStateError, match="is damaged or belongs to another game"):
        ReplayBuffer(words=3, actions=40, width=3).restore(arrays)


def test_too_many_actions_of_a_sample_are_refused() -> None:
    with pytest.raises(LearnerStateError, match="stores at most 2 actions per sample"):
        ReplayBuffer(words=2, actions=40, width=2).add(samples(range(3)))


def test_no_sample_is_drawn_twice_in_a_pass() -> None:
    drawn = draw(100, 250, seed=1)
    assert sorted(drawn[:100]) == sorted(drawn[100:200]) == list(range(100))
    assert len(set(drawn[200:].tolist())) == 50
    assert (drawn == draw(100, 250, seed=1)).all()
    assert (drawn != draw(100, 250, seed=2)).any()
