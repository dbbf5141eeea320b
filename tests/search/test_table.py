"""Transposition table: what is found again, what gives way to what, and sizes that are refused."""

import numpy as np
import pytest
from boardgames.search.table import (
    EXACT,
    LOWER,
    UPPER,
    WORDS_PER_BUCKET,
    action_of,
    bound_of,
    bucket,
    depth_of,
    is_proven,
    look_up,
    new_table,
    store,
)

from boardgames.errors import OptionError
from boardgames.kernels import Actions, mix
from boardgames.search import table as tables

pytestmark = pytest.mark.plain

KEY = np.uint64(0xFEDC_BA98_7654_3210)
OF_THE_SAME_BUCKET = [KEY ^ (np.uint64(number) << np.uint64(40)) for number in range(4)]


def bits_of(value: float) -> int:
    """Return the bits of a value as an integer."""
    return int(np.float64(value).view(np.int64))


def real_of(bits: int) -> float:
    """Return the value of these bits."""
    return float(np.int64(bits).view(np.float64))


@pytest.fixture
def table() -> Actions:
    """Return a table of 16 buckets."""
    return np.zeros(16 * WORDS_PER_BUCKET, dtype=np.int64)


def keep(
    table: Actions,
    key: np.uint64 = KEY,
    *,
    value: float = 0.5,
    action: int = 7,
    depth: int = 3,
    generation: int = 1,
) -> None:
    """Store an entry of which little matters."""
    store(table, key, bits_of(value), bits_of(-value), action, depth, EXACT, False, generation)


def is_found(table: Actions, key: np.uint64) -> bool:
    """Say whether the table knows a key."""
    return look_up(table, key)[1] != 0


@pytest.mark.parametrize("proven", [False, True])
@pytest.mark.parametrize("bound", [UPPER, LOWER, EXACT])
@pytest.mark.parametrize("depth", [0, 1, 100, 255])
@pytest.mark.parametrize("action", [-1, 0, 1097, 2**32 - 2])
def test_what_is_stored_is_found(table: Actions, action: int, depth: int, bound: int, proven: bool) -> None:
    store(table, KEY, bits_of(-999_997.25), bits_of(1e-300), action, depth, bound, proven, 255)
    value, facts, static = look_up(table, KEY)
    assert (real_of(value), real_of(static)) == (-999_997.25, 1e-300)
    assert (action_of(facts), depth_of(facts), bound_of(facts)) == (action, depth, bound)
    assert is_proven(facts) == proven


def test_random_entries_are_found_or_forgotten_but_never_mixed_up(table: Actions) -> None:
    found = 0
    for number in range(500):
        keep(table, mix(np.uint64(number)), value=float(number), action=number, depth=number % 9)
    for number in range(500):
        value, facts, _ = look_up(table, mix(np.uint64(number)))
        if facts != 0:
            found += 1
            assert (real_of(value), action_of(facts), depth_of(facts)) == (number, number, number % 9)
    assert 16 < found <= 32


def test_an_empty_table_knows_nothing(table: Actions) -> None:
    assert not is_found(table, KEY)
    assert not is_found(table, np.uint64(0))


@pytest.mark.parametrize("word", range(4))
@pytest.mark.parametrize("flipped", [0, 17, 40, 63])
def test_an_entry_of_which_two_threads_wrote_parts_is_not_found(
    table: Actions, word: int, flipped: int
) -> None:
    keep(table)
    bits = table.view(np.uint64)
    place = int(np.flatnonzero(table)[0]) // 4 * 4 + word
    bits[place] ^= np.uint64(1) << np.uint64(flipped)
    assert not is_found(table, KEY)


def test_the_same_position_is_kept_once_and_as_it_was_last_seen(table: Actions) -> None:
    for depth in (5, 2):
        keep(table, depth=depth, value=depth)
    assert real_of(look_up(table, KEY)[0]) == 2
    assert np.count_nonzero(table[2::4]) == 1


def test_a_best_move_outlives_a_search_that_found_none(table: Actions) -> None:
    keep(table, action=7)
    keep(table, action=-1, depth=9)
    facts = look_up(table, KEY)[1]
    assert (action_of(facts), depth_of(facts)) == (7, 9)


def test_a_deep_entry_stays_while_shallow_ones_come_and_go(table: Actions) -> None:
    deep, *others = OF_THE_SAME_BUCKET
    keep(table, deep, depth=9)
    for key in others:
        keep(table, key, depth=1)
    assert [is_found(table, key) for key in (deep, *others)] == [True, False, False, True]


def test_a_deeper_entry_takes_the_place_of_a_deep_one(table: Actions) -> None:
    first, second, *_ = OF_THE_SAME_BUCKET
    keep(table, first, depth=4)
    keep(table, second, depth=5)
    assert (is_found(table, first), is_found(table, second)) == (False, True)


def test_an_entry_of_an_earlier_search_gives_way_to_a_shallow_one(table: Actions) -> None:
    first, second, third, _ = OF_THE_SAME_BUCKET
    keep(table, first, depth=9, generation=1)
    keep(table, second, depth=1, generation=2)
    keep(table, third, depth=0, generation=2)
    assert [is_found(table, key) for key in (first, second, third)] == [False, True, True]


def test_keys_go_to_every_bucket(table: Actions) -> None:
    places = {int(bucket(table, mix(np.uint64(number)))) for number in range(500)}
    assert places == set(range(0, table.size, WORDS_PER_BUCKET))


@pytest.mark.parametrize(("megabytes", "taken"), [(1, 1), (2, 2), (3, 2), (5, 4)])
def test_a_table_is_the_largest_power_of_two_that_fits(megabytes: int, taken: int) -> None:
    made = new_table(megabytes)
    assert made.nbytes == taken << 20
    assert not made.any()
    assert made.ctypes.data % 64 == 0  # a bucket is one line of the cache


@pytest.mark.parametrize("megabytes", [0, -1, 2**20 + 1, 10**40, 1.5, "64", None, True])
def test_a_size_that_is_none_is_refused_by_value(megabytes: object) -> None:
    with pytest.raises(OptionError, match=r"^expected a table of 1 to 1048576 MB: "):
        new_table(megabytes)  # type: ignore[arg-type]  # what a caller may do


def test_a_table_larger_than_memory_is_refused_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "free_memory", lambda: 100 << 20)
    monkeypatch.setattr(tables.mmap, "mmap", lambda *_, **__: pytest.fail("taken"))
    message = r"^expected a table that fits into the 100 MB that are free: 128 MB$"
    with pytest.raises(OptionError, match=message):
        new_table(128)


def test_a_table_that_the_system_refuses_is_an_option_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(tables.mmap, "mmap", refuse)
    with pytest.raises(OptionError, match=r"^expected a table that the system has memory for: 1 MB$"):
        new_table(1)


def test_a_system_that_tells_nothing_of_its_memory_is_asked_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "free_memory", lambda: None)
    assert new_table(1).nbytes == 1 << 20
