"""Sums of rows and of what they look up, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boardgames.kernels import Words, kernel, types
from boardgames.kernels.abi import SHORTS, WORDS, Shorts
from boardgames.kernels.lanes import (
    LANES,
    LANES_TYPE,
    Chunk,
    Lanes,
    row_adder,
    sum_of_shorts,
)

pytestmark = pytest.mark.plain

BOARDS = ((0, 3), (2, 1))
CHUNKS = (Chunk(0, 0, 3), Chunk(0, 62, 2), Chunk(1, 5, 6))
add = row_adder(BOARDS, CHUNKS)


@kernel(LANES_TYPE(WORDS, types.int64, WORDS, types.int64))
def add_rows(position: Words, side: int, rows: Words, place: int) -> Lanes:
    return add(position, side, rows, place)


@kernel(types.int64(SHORTS, types.int64, LANES_TYPE))
def total(shorts: Shorts, first: int, lanes: Lanes) -> int:
    return sum_of_shorts(shorts, first, lanes)


ROWS = np.random.default_rng(1).integers(0, 2000, (1 + 8 + 4 + 64, LANES))
WORDS_OF_ROWS = np.concatenate(
    [np.zeros(5, dtype=np.uint64), ROWS.astype(np.uint16).reshape(-1).view(np.uint64)]
)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 2**64 - 1), min_size=5, max_size=5), st.sampled_from([0, 1]))
def test_a_row_of_every_chunk_is_added_as_often_as_its_bitboard_counts(words: list[int], side: int) -> None:
    expected = ROWS[0].copy()
    for times, starts in enumerate(BOARDS, start=1):
        row = 1
        for word, first, size in CHUNKS:
            bits = words[starts[side] + word] >> first & (1 << size) - 1
            expected += times * ROWS[row + bits]
            row += 1 << size
    lanes = np.array(add_rows(np.array(words, dtype=np.uint64), side, WORDS_OF_ROWS, 5), dtype=np.uint64)
    assert lanes.view(np.uint16).tolist() == expected.tolist()


TABLE = np.random.default_rng(2).integers(-(2**15), 2**15, (1 << 16) + 4).astype(np.int16)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 2**16 - 1), min_size=LANES, max_size=LANES), st.integers(0, 4))
def test_every_lane_looks_up_one_number(lanes: list[int], first: int) -> None:
    words = tuple(np.array(lanes, dtype=np.uint16).view(np.uint64))
    assert total(TABLE, first, words) == sum(int(TABLE[first + lane]) for lane in lanes)
