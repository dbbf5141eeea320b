"""Names in little room: they fit, they can be printed, and no two become one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.draw.names import fitting, shortened

NAMES = st.lists(st.text(max_size=40) | st.text("ab…~ 2", max_size=16), max_size=12)


@given(names=NAMES, room=st.integers(10, 30))
def test_names_fit_and_differ_as_before(names: list[str], room: int) -> None:
    found = fitting(names, room, measure=len)
    assert all(len(name) <= room and name.isprintable() for name in found)
    assert len(dict(zip(names, found, strict=True))) == len(set(found))


@given(names=NAMES)
def test_a_name_that_fits_stays_as_it_is(names: list[str]) -> None:
    found = fitting(names, 40, measure=len)
    assert [new for old, new in zip(names, found, strict=True) if old.isprintable()] == [
        name for name in names if name.isprintable()
    ]


def test_the_ends_survive() -> None:
    names = [f"alphabeta:depth=4,evaluation=marbles, {time} s a move #ab1f" for time in ("0.1", "0.2")]
    first, second = fitting(names, 24, measure=len)
    assert first.startswith("alphabeta:")
    assert first.endswith("e #ab1f")
    assert second.endswith(" #ab1f ~2")


def test_equal_names_stay_equal() -> None:
    first, other, second = fitting(["a" * 30, "b" * 30, "a" * 30], 12, measure=len)
    assert first == second != other


def test_signs_that_cannot_be_printed_make_no_names_equal() -> None:
    assert fitting(["a\x1b", "a\x07", "a?"], 12, measure=len) == ["a? ~2", "a? ~3", "a?"]


@pytest.mark.parametrize("room", [0, 1, 2])
def test_no_room_leaves_a_sign(room: int) -> None:
    assert shortened("abcdef", room, measure=len).startswith(("…", "a…"))
