"""Bits of a word against Python's integers, and random numbers against their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.kernels import bit, has_bit, kernel, lowest_bit, next_random, popcount, random_below, types

pytestmark = pytest.mark.plain

WORD = st.integers(min_value=0, max_value=2**64 - 1)
EDGES = [1, 2, 3, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1]
MASK = 2**64 - 1


@kernel(types.int64(types.uint64))
def count_bits(word: np.uint64) -> int:
    return popcount(word)


@kernel(types.int64(types.uint64))
def find_lowest(word: np.uint64) -> int:
    return lowest_bit(word)


def split_mix(state: int) -> tuple[int, int]:
    """Return the next state and 64 bits: the Java code of the paper, with Python integers."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return state, word ^ (word >> 31)


@given(WORD)
def test_popcount_agrees_with_python(word: int) -> None:
    assert count_bits(np.uint64(word)) == word.bit_count()


@pytest.mark.parametrize("word", [0, *EDGES])
def test_popcount_of_edge_words(word: int) -> None:
    assert count_bits(np.uint64(word)) == word.bit_count()


@given(WORD.filter(bool))
def test_lowest_bit_agrees_with_python(word: int) -> None:
    assert find_lowest(np.uint64(word)) == (word & -word).bit_length() - 1


def test_lowest_bit_finds_each_single_bit() -> None:
    assert [find_lowest(np.uint64(1 << index)) for index in range(64)] == list(range(64))


def test_bit_sets_only_that_bit() -> None:
    assert [int(bit(index)) for index in range(64)] == [1 << index for index in range(64)]


@given(WORD, st.integers(min_value=0, max_value=63))
def test_has_bit_agrees_with_python(word: int, index: int) -> None:
    assert has_bit(np.uint64(word), index) == bool(word >> index & 1)


@given(WORD)
def test_next_random_is_splitmix64(seed: int) -> None:
    state = np.array([seed], dtype=np.uint64)
    expected_state, expected = split_mix(seed)
    assert int(next_random(state)) == expected
    assert int(state[0]) == expected_state


def test_next_random_from_zero_is_the_published_sequence() -> None:
    # first values of SplitMix64 with seed 0, as in the reference implementations
    state = np.zeros(1, dtype=np.uint64)
    assert [int(next_random(state)) for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


@given(WORD, st.integers(min_value=1, max_value=2**32))
def test_random_below_stays_below(seed: int, bound: int) -> None:
    assert 0 <= random_below(np.array([seed], dtype=np.uint64), bound) < bound


def test_random_below_reaches_every_number_about_equally_often() -> None:
    state = np.array([1], dtype=np.uint64)
    counts = np.bincount([random_below(state, 7) for _ in range(7000)], minlength=7)
    # 7000 draws over 7 numbers: the standard deviation of a count is 29
    assert counts.min() > 850
    assert counts.max() < 1150


def test_equal_seeds_give_equal_numbers() -> None:
    states = [np.array([5], dtype=np.uint64) for _ in range(2)]
    first, second = ([random_below(state, 1000) for _ in range(20)] for state in states)
    assert first == second
