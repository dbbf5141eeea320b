"""Transposition table: what is found, which entries are replaced, and which sizes are rejected."""

import mmap
from itertools import product

import numpy as np
import pytest

from boardgames.errors import OptionError
from boardgames.kernels import Actions, mix
from boardgames.search.alphabeta import table as tables
from boardgames.search.alphabeta.table import (
    EXACT,
    LOWER,
    UPPER,
    WORDS_PER_BUCKET,
    action_of,
    bound_of,
    bucket_of,
    clear,
    depth_of,
    is_proven,
    look_up,
    new_table,
    pack_facts,
    store,
    value_from_table,
    value_to_table,
)

pytestmark = pytest.mark.plain

KEY = np.uint64(0xFEDC_BA98_7654_3210)
SAME_BUCKET = [KEY ^ (np.uint64(number) << np.uint64(40)) for number in range(4)]


@pytest.fixture
def table() -> Actions:
    """Return a table of 16 buckets."""
    return np.zeros(16 * WORDS_PER_BUCKET, dtype=np.int64)


def put(
    table: Actions,
    key: np.uint64 = KEY,
    *,
    value: float = 0.5,
    action: int = 7,
    depth: int = 3,
    generation: int = 1,
) -> None:
    """Store an entry with defaults for what does not matter."""
    store(table, key, value, pack_facts(action, depth, EXACT, False, generation))


def is_found(table: Actions, key: np.uint64) -> bool:
    return look_up(table, key)[1] != 0


def test_a_stored_entry_is_found(table: Actions) -> None:
    bounds, depths, actions = (UPPER, LOWER, EXACT), (0, 1, 100, 255), (-1, 0, 1097, 2**32 - 2)
    for action, depth, bound, proven in product(actions, depths, bounds, (False, True)):
        store(table, KEY, -999_997.25, pack_facts(action, depth, bound, proven, 255))
        value, facts = look_up(table, KEY)
        assert value == -999_997.25
        assert (action_of(facts), depth_of(facts), bound_of(facts)) == (action, depth, bound)
        assert is_proven(facts) == proven


def test_random_entries_are_found_or_replaced_but_never_mixed_up(table: Actions) -> None:
    hits = 0
    for number in range(500):
        put(table, mix(np.uint64(number)), value=float(number), action=number, depth=number % 9)
    for number in range(500):
        value, facts = look_up(table, mix(np.uint64(number)))
        if facts != 0:
            hits += 1
            assert (value, action_of(facts), depth_of(facts)) == (number, number, number % 9)
    assert 16 < hits <= 32


def test_an_empty_table_has_no_entries(table: Actions) -> None:
    assert not is_found(table, KEY)
    assert not is_found(table, np.uint64(0))


@pytest.mark.parametrize("word", range(3))
@pytest.mark.parametrize("flipped", [0, 17, 40, 63])
def test_an_entry_written_by_two_threads_at_once_is_not_found(
    table: Actions, word: int, flipped: int
) -> None:
    put(table)
    bits = table.view(np.uint64)
    place = int(np.flatnonzero(table)[0]) // 8 * 8 + word
    bits[place] ^= np.uint64(1) << np.uint64(flipped)
    assert not is_found(table, KEY)


def test_a_position_has_one_entry_which_is_overwritten(table: Actions) -> None:
    for depth in (5, 2):
        put(table, depth=depth, value=depth)
    assert look_up(table, KEY)[0] == 2
    assert np.count_nonzero(table) == 3


def test_a_best_move_survives_an_update_without_one(table: Actions) -> None:
    put(table, action=7)
    put(table, action=-1, depth=9)
    facts = look_up(table, KEY)[1]
    assert (action_of(facts), depth_of(facts)) == (7, 9)


def test_a_deep_entry_is_kept_while_shallow_ones_replace_each_other(table: Actions) -> None:
    deep, *others = SAME_BUCKET
    put(table, deep, depth=9)
    for key in others:
        put(table, key, depth=1)
    assert [is_found(table, key) for key in (deep, *others)] == [True, False, False, True]


def test_a_deeper_entry_replaces_a_deep_one(table: Actions) -> None:
    first, second, *_ = SAME_BUCKET
    put(table, first, depth=4)
    put(table, second, depth=5)
    assert (is_found(table, first), is_found(table, second)) == (False, True)


def test_a_shallow_entry_replaces_a_deep_one_of_an_earlier_search(table: Actions) -> None:
    first, second, third, _ = SAME_BUCKET
    put(table, first, depth=9, generation=1)
    put(table, second, depth=1, generation=2)
    put(table, third, depth=0, generation=2)
    assert [is_found(table, key) for key in (first, second, third)] == [False, True, True]


def test_a_cleared_table_is_like_a_new_one_in_what_it_finds_and_replaces(table: Actions) -> None:
    new, used = table.copy(), table
    for number in range(200):
        put(used, mix(np.uint64(number)), action=number, depth=9)
    clear(used)
    keys = [mix(np.uint64(number)) for number in range(400)]
    assert not any(is_found(used, key) for key in keys)
    for number, key in enumerate(keys[100:]):
        for which in (new, used):
            put(which, key, action=-1 if number % 3 else number, depth=number % 9)
    assert [look_up(used, key) for key in keys] == [look_up(new, key) for key in keys]


def test_clearing_a_table_changes_only_one_word(table: Actions) -> None:
    for number in range(200):
        put(table, mix(np.uint64(number)))
    before = table.copy()
    clear(table)
    assert np.count_nonzero(table != before) == 1


def test_keys_are_spread_over_all_buckets(table: Actions) -> None:
    places = {int(bucket_of(table, mix(np.uint64(number)))) for number in range(500)}
    assert places == set(range(0, table.size, WORDS_PER_BUCKET))


@pytest.mark.parametrize(("megabytes", "taken"), [(1, 1), (2, 2), (3, 2), (5, 4)])
def test_a_table_is_the_largest_power_of_two_that_fits(megabytes: int, taken: int) -> None:
    made = new_table(megabytes)
    assert made.nbytes == taken << 20
    assert not made.any()
    assert made.ctypes.data % 64 == 0  # a bucket is one cache line


@pytest.mark.parametrize("megabytes", [0, -1, 2**20 + 1, 10**40, 1.5, "64", None, True])
def test_an_impossible_size_is_rejected(megabytes: object) -> None:
    with pytest.raises(OptionError, match=r"^the table must have 1 to 1048576 MB, not "):
        new_table(megabytes)  # type: ignore[arg-type]  # what a caller may do


def test_a_table_larger_than_free_memory_is_rejected_in_advance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "free_memory", lambda: 100 << 20)
    monkeypatch.setattr(mmap, "mmap", lambda *_, **__: pytest.fail("allocated"))
    message = r"^a table of 128 MB does not fit into the 100 MB of free memory$"
    with pytest.raises(OptionError, match=message):
        new_table(128)


def test_a_table_that_the_system_refuses_is_an_option_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(mmap, "mmap", refuse)
    with pytest.raises(OptionError, match=r"^the system has no memory for a table of 1 MB$"):
        new_table(1)


def test_where_free_memory_is_unknown_the_table_is_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "free_memory", lambda: None)
    assert new_table(1).nbytes == 1 << 20


@pytest.mark.parametrize("value", [999_990.0, -999_990.0, 999_801.0, 12.5, 0.0])
@pytest.mark.parametrize("ply", [0, 3, 9])
def test_distances_to_a_win_are_stored_as_seen_from_the_position(value: float, ply: int) -> None:
    stored = value_to_table(value, ply)
    assert abs(stored) == abs(value) + (ply if abs(value) > 1000 else 0)
    assert value_from_table(stored, ply) == value
