"""Lines out of bytes: the same whatever the pieces, bounded whatever comes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.ugi.lines import Lines


@given(data=st.binary(max_size=200), cuts=st.lists(st.integers(0, 200), max_size=10))
def test_lines_do_not_depend_on_how_the_bytes_are_cut(data: bytes, cuts: list[int]) -> None:
    whole, pieces = Lines(), Lines()
    places = [0, *sorted(cuts), len(data)]
    found = [line for start, end in pairwise(places) for line in pieces.feed(data[start:end])]
    assert found == whole.feed(data)


def test_bytes_that_are_no_text_are_read_all_the_same() -> None:
    assert Lines().feed(b"\xff\xfe quit\n") == ["\ufffd\ufffd quit"]


@pytest.mark.parametrize("piece", [1, 7, 64, 1000])
def test_a_line_that_is_too_long_is_dropped_alone_and_counted(piece: int) -> None:
    lines, found = Lines(longest=10), []
    data = b"first\n" + b"x" * 990 + b"\nsecond\n"
    for start in range(0, len(data), piece):
        found += lines.feed(data[start : start + piece])
    assert found == ["first", "second"]
    assert lines.dropped == 1


def test_an_endless_line_takes_no_memory() -> None:
    lines = Lines(longest=100)
    for _ in range(1000):
        assert lines.feed(b"x" * 90) == []
        assert len(lines._rest) <= 190
