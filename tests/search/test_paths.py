"""Where searches are: what was there before, and where another thread is."""

import numpy as np
import pytest
from boardgames.search.paths import is_repeated, is_taken
from boardgames.search.tree import FIRST, PRINCIPAL_SETTINGS, STRIDE

from boardgames.kernels import Words

pytestmark = pytest.mark.plain

LONG = 6


def of_thread(number: int, threads: int) -> np.ndarray:
    settings = np.zeros(PRINCIPAL_SETTINGS, dtype=np.int64)
    settings[FIRST], settings[STRIDE] = number * LONG, LONG if threads > 1 else 0
    return settings


def keys(*parts: str) -> Words:
    """Return the keys of threads, a letter each."""
    return np.array([ord(letter) for part in parts for letter in part.ljust(LONG, ".")], dtype=np.uint64)


@pytest.mark.parametrize(
    ("path", "place", "repeated"),
    [("abcad", 3, True), ("abcad", 4, False), ("aab", 1, False), ("abab", 3, True), ("a", 0, False)],
)
def test_a_position_is_repeated_if_it_was_there_two_plies_ago_or_earlier(
    path: str, place: int, repeated: bool
) -> None:
    assert is_repeated(keys(path), place, of_thread(0, 1)) is repeated
    assert is_repeated(keys("xy", path), LONG + place, of_thread(1, 2)) is repeated


def test_what_another_thread_went_through_is_no_repetition() -> None:
    assert not is_repeated(keys("abc", "dea"), LONG + 2, of_thread(1, 2))


@pytest.mark.parametrize(
    ("others", "letter", "taken"),
    [(("abc", "ab"), "c", True), (("acb", "ab"), "c", False), (("ab", "abx", "abc"), "c", True)],
)
def test_a_move_is_taken_while_another_thread_is_at_it_at_the_same_ply(
    others: tuple[str, ...], letter: str, taken: bool
) -> None:
    mine = keys(*others)
    place = LONG + 2
    mine[place] = ord("z")
    assert is_taken(mine, place, np.uint64(ord(letter)), of_thread(1, len(others))) is taken


def test_no_move_is_taken_by_the_thread_itself() -> None:
    assert not is_taken(keys("abc", "xyz"), 2, np.uint64(ord("c")), of_thread(0, 2))


def test_one_thread_has_all_moves_for_itself() -> None:
    assert not is_taken(keys("abc", "abc"), 2, np.uint64(ord("c")), of_thread(0, 1))
