"""Shortened names fit, are printable and stay distinct."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.draw.names import shorten, shorten_uniquely

NAMES = st.lists(st.text(max_size=40) | st.text("ab…~ 2", max_size=16), max_size=12)


@given(names=NAMES, width=st.integers(10, 30))
def test_short_names_fit_and_stay_distinct(names: list[str], width: int) -> None:
    short = shorten_uniquely(names, width, measure=len)
    assert all(len(name) <= width and name.isprintable() for name in short)
    assert len(dict(zip(names, short, strict=True))) == len(set(short))


@given(names=NAMES)
def test_name_that_fits_is_not_changed(names: list[str]) -> None:
    short = shorten_uniquely(names, 40, measure=len)
    assert [new for old, new in zip(names, short, strict=True) if old.isprintable()] == [
        name for name in names if name.isprintable()
    ]


def test_a_shortened_name_keeps_both_of_its_ends() -> None:
    names = [f"alphabeta:depth=4,evaluation=marbles, {time} s a move #ab1f" for time in ("0.1", "0.2")]
    first, second = shorten_uniquely(names, 24, measure=len)
    assert first.startswith("alphabeta:")
    assert first.endswith("e #ab1f")
    assert second.endswith(" #ab1f ~2")


def test_equal_names_are_shortened_to_equal_ones() -> None:
    first, other, second = shorten_uniquely(["a" * 30, "b" * 30, "a" * 30], 12, measure=len)
    assert first == second != other


def test_unprintable_characters_do_not_make_names_equal() -> None:
    assert shorten_uniquely(["a\x1b", "a\x07", "a?"], 12, measure=len) == ["a? ~2", "a? ~3", "a?"]


@pytest.mark.parametrize("width", [0, 1, 2])
def test_very_small_widths_leave_the_ellipsis(width: int) -> None:
    assert shorten("abcdef", width, measure=len).startswith(("…", "a…"))
