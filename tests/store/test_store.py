"""Storing, selecting and deleting matches, runs and ratings."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boardgames.errors import MatchError, OptionError, RecordError, StoreError
from boardgames.game import Outcome, Termination
from boardgames.record import Record, parse_records
from boardgames.store import NewMatch, PlayerKey, Rating, ResultCount, ServedMatch, Store, moves_hash
from boardgames.store.store import PAGE_SIZE

ANN, BOB, CID = PlayerKey("Ann"), PlayerKey("Bob"), PlayerKey("alphabeta:depth=4", "9a129038d9a0")
Make = Callable[..., NewMatch]
EXAMPLES = count()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Return a store that all examples of a test share."""
    with Store(tmp_path_factory.mktemp("shared") / "matches.db") as store:
        yield store


# --- matches ---------------------------------------------------------------------


def test_match_is_returned_as_it_was_stored(store: Store, match: Make) -> None:
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    new = match("4", "5", players=(CID, BOB), seconds=(0.5, 0.1), fault="late", run=run, number=7)
    (number,) = store.add([new])
    (stored,) = store.matches()
    assert stored.id == number
    for name in NewMatch.__slots__:
        assert getattr(stored, name) == getattr(new, name), name


def test_matches_persist_when_the_store_is_reopened(path: Path, match: Make) -> None:
    with Store(path) as store:
        store.add([match("4")])
    with Store(path) as store:
        assert [stored.plies for stored in store.matches()] == [1]


def test_time_is_stored_in_utc_to_the_second(path: Path, match: Make) -> None:
    there = datetime(2026, 1, 31, 1, 30, 5, 999, tzinfo=timezone(timedelta(hours=2)))
    with Store(path, now=lambda: there) as store:
        store.add([match()])
        assert [stored.played for stored in store.matches()] == ["2026-01-30T23:30:05Z"]


def test_matches_come_newest_first_across_pages(store: Store, match: Make) -> None:
    ids = store.add([match()] * (2 * PAGE_SIZE + 1))
    assert [stored.id for stored in store.matches()] == ids[::-1]
    assert [stored.id for stored in store.matches(limit=PAGE_SIZE + 1)] == ids[: PAGE_SIZE - 1 : -1]
    assert list(store.matches(limit=0)) == []


def test_summaries_are_the_newest_matches_without_some_and_their_number(store: Store, match: Make) -> None:
    won, open_, drawn = match("1"), match("2", "3", finished=False), match("4", winner=None)
    store.add([won, open_, drawn])
    assert store.ids_of([won.record, drawn.record, "[Event]"]) == [1, 3]
    (one, *_), total = store.summaries(limit=2, without=[3])
    assert (one.id, one.agents, one.winner, one.termination, one.plies) == (2, ("Ann", "Bob"), None, None, 2)
    assert total == 2
    (newest,), total = store.summaries(limit=1)
    stored = next(store.matches())
    assert (newest.id, newest.played, newest.game) == (stored.id, stored.played, stored.game)
    assert total == 3


def test_matches_can_be_deleted_while_they_are_read(
    store: Store, match: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.store.store.PAGE_SIZE", 3)
    store.add([match()] * 6)
    assert sum(store.delete([stored.id]) for stored in store.matches()) == 6


@pytest.mark.parametrize(
    ("choice", "ids"),
    [
        ({"game": "connect4"}, [4, 3, 2, 1]),
        ({"game": "abalone"}, []),
        ({"agent": "Ann"}, [3, 1]),
        ({"agent": "alphabeta"}, [4, 2]),
        ({"agent": "alphabeta:depth=4"}, [2]),
        ({"agent": "alpha"}, []),
        ({"agent": "%"}, []),
        ({"run": 1}, [3]),
        ({"faults": True}, []),
        ({"result": "1-0"}, [4, 3, 2, 1]),
        ({"result": "0-1"}, []),
        ({"ids": [1, 4, 9, 10**30]}, [4, 1]),
        ({"ids": []}, []),
        ({"ids": [1, 2], "agent": "Ann"}, [1]),
        ({"limit": 2}, [4, 3]),
    ],
    ids=str,
)
def test_matches_are_filtered(choice: dict[str, Any], ids: list[int], store: Store, match: Make) -> None:
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    other = PlayerKey("alphabeta:depth=40")
    store.add([match(), match(players=(CID, BOB)), match(run=run, number=1), match(players=(BOB, other))])
    assert [stored.id for stored in store.matches(**choice)] == ids
    if "limit" not in choice:
        assert store.count(**choice) == len(ids)


@pytest.mark.parametrize(
    ("choice", "ids"),
    [
        ({"faults": True}, [5, 4, 3]),
        ({"faults": False}, [6, 5, 4, 3, 2, 1]),
        ({"result": "0-1"}, [5, 4]),
        ({"result": "1-0"}, [3, 1]),
        ({"result": "draw"}, [2]),
        ({"result": "1-0", "faults": True}, [3]),
    ],
    ids=str,
)
def test_matches_are_filtered_by_faults_and_results(
    choice: dict[str, Any], ids: list[int], store: Store, match: Make
) -> None:
    store.add([match(winner=0), match(winner=None), match(winner=0, fault="ValueError: no move")])
    for termination in (Termination.TIME, Termination.CRASH):
        outcome = Outcome(1, termination)  # as in an imported record, which has no fault text
        store.add([NewMatch.from_record(Record("connect4", start="-", outcome=outcome), variant="")])
    store.add([match(finished=False)])
    assert [stored.id for stored in store.matches(**choice)] == ids


def test_unknown_result_is_rejected(store: Store) -> None:
    with pytest.raises(OptionError, match="must be one of 1-0, 0-1, draw, not '2-0'"):
        next(store.matches(result="2-0"))


def test_moves_hash_depends_on_start_and_moves_only(store: Store, match: Make) -> None:
    store.add([match("4", "5"), match("4", "5", winner=1), match("5", "4")])
    hashes = [stored.moves_hash for stored in store.matches()][::-1]
    assert hashes == [moves_hash("-", moves) for moves in (("4", "5"), ("4", "5"), ("5", "4"))]


def test_ids_are_never_reused(store: Store, match: Make) -> None:
    assert store.add([match(), match()]) == [1, 2]
    assert store.delete([2, 5]) == 1
    assert store.add([match()]) == [3]


def test_invalid_match_keeps_the_others_from_being_stored(store: Store, match: Make) -> None:
    broken = NewMatch((ANN, BOB), "no record", "connect4", "", None, None, 0, (0.0, 0.0))
    with pytest.raises(RecordError):
        store.add([match(), broken])
    assert list(store.matches()) == []


def test_add_new_skips_stored_records(store: Store, match: Make) -> None:
    store.add([match("4")])
    assert store.add_new([match("4"), match("5"), match("5")]) == [2]


def test_add_new_knows_a_match_that_was_stored_without_its_date(path: Path) -> None:
    undated = Record("connect4", start="-", moves=("4", "5"))
    dated = [replace(undated, tags={"Event": "x", "Date": day}) for day in ("2026.01.30", "2026.01.31")]
    of_run = replace(undated, tags={"Event": "x"})
    with Store(path, now=lambda: datetime(2026, 1, 31, 12, tzinfo=UTC)) as store:
        run = store.begin_run("arena", "connect4", key="k", settings={}, seed=7).id
        store.add([NewMatch.from_record(of_run, run=run, number=0)])
        other_day, same_day = (NewMatch.from_record(record) for record in dated)
        assert store.add_new([same_day]) == []
        assert store.add_new([other_day, other_day]) == [2], "a run may repeat a match on another day"
        store.add([NewMatch.from_record(undated)])
        assert store.add_new([NewMatch.from_record(replace(undated, tags={"Date": "2001.01.01"}))]) == []


def test_a_copy_without_a_date_of_a_match_in_the_same_call_is_not_added(store: Store) -> None:
    undated = NewMatch.from_record(Record("connect4", start="-", moves=("4", "5")))
    other = NewMatch.from_record(Record("connect4", start="-", moves=("4", "5"), names=("Ann", "Bob")))
    tags = {"Date": "2001.01.01"}
    dated = NewMatch.from_record(Record("connect4", start="-", moves=("4", "5"), tags=tags))
    added = store.add_missing([dated, undated, other, dated])
    assert (added.ids, added.with_date, added.without_date) == ([1, 2], 1, 0)


@settings(max_examples=30)
@given(names=st.tuples(st.text(), st.text()), event=st.text())
def test_any_text_can_be_stored(names: tuple[str, str], event: str, shared: Store) -> None:
    record = Record("connect4", start="-", names=names, tags={"Event": event})
    shared.add([NewMatch.from_record(record, variant="", fault=event)])
    (stored,) = shared.matches(limit=1)
    assert parse_records(stored.record, None).records == (record,)


def test_lone_surrogates_become_question_marks(store: Store, match: Make) -> None:
    store.add([match(players=(PlayerKey("a\udc80"), BOB))])
    assert next(store.matches()).players[0].agent == "a?"


def test_closed_store_raises(path: Path, match: Make) -> None:
    with Store(path) as store:
        pass
    with pytest.raises(StoreError, match="is closed"):
        store.add([match()])


# --- runs ------------------------------------------------------------------------


def test_run_is_returned_as_it_was_stored(store: Store, match: Make) -> None:
    settings = {"agents": ["a", "b"], "openings": None, "depth": 4, "share": 0.5, "swap": True}
    run = store.begin_run("arena", "connect4", key="k", settings=settings, seed=2**80)
    store.add([match(run=run.id, number=1)])
    (stored,) = store.runs()
    assert (stored.settings, stored.seed, stored.finished, stored.matches) == (settings, 2**80, None, 1)
    assert (stored.id, stored.kind, stored.game, stored.key) == (run.id, "arena", "connect4", "k")


def test_unfinished_run_is_the_latest_one_with_its_key(store: Store) -> None:
    first, second, third = (
        store.begin_run("arena", "connect4", key=key, settings={}, seed=1).id for key in ("k", "k", "other")
    )
    assert (store.unfinished_run("k") or pytest.fail("none")).id == second
    store.finish_run(second)
    assert (store.unfinished_run("k") or pytest.fail("none")).id == first
    store.finish_run(first)
    assert store.unfinished_run("k") is None
    assert [run.id for run in store.runs() if run.finished is None] == [third]


def test_ratings_come_strongest_first(store: Store) -> None:
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    weak, none = Rating(ANN, 4, -10.5, -50.0, 30.0), Rating(BOB, 0, None, None, None)
    strong = Rating(CID, 4, 20.0, -20.0, 60.0)
    store.finish_run(run, [weak, none, strong])
    assert store.ratings(run) == [strong, weak, none]
    assert store.ratings(99) == []


@pytest.mark.parametrize("run", [1, 99])
def test_run_is_finished_only_once(run: int, store: Store) -> None:
    store.begin_run("arena", "connect4", key="k", settings={}, seed=1)
    store.finish_run(1, [Rating(ANN, 1, 1.0, None, None)])
    with pytest.raises(MatchError, match=f"there is no unfinished run {run}"):
        store.finish_run(run, [Rating(BOB, 1, 2.0, None, None)])
    assert [rating.player for rating in store.ratings(1)] == [ANN]


def test_matches_of_a_run_come_in_order_of_their_number(store: Store, match: Make) -> None:
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    store.add([match(run=run, number=number) for number in (5, 1, 3)])
    assert [stored.number for stored in store.run_matches(run)] == [1, 3, 5]


@pytest.mark.parametrize(
    ("numbers", "named"), [((5, 2, 1), "1, 2"), ((6, 7, 6), "6")], ids=["taken", "twice at once"]
)
def test_number_within_a_run_is_unique(
    numbers: tuple[int, ...], named: str, store: Store, match: Make
) -> None:
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    store.add([match(run=run, number=number) for number in (1, 2, 3)])
    with pytest.raises(MatchError, match=f"run {run} already has a match with this number: {named}$"):
        store.add([match(run=run, number=number) for number in numbers])
    assert [stored.number for stored in store.run_matches(run)] == [1, 2, 3]


def test_runs_number_their_matches_independently(store: Store, match: Make) -> None:
    runs = [store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id for _ in range(2)]
    store.add([match(run=run, number=1) for run in runs])
    assert [len(store.run_matches(run)) for run in runs] == [1, 1]


def test_match_of_an_unknown_run_is_rejected(store: Store, match: Make) -> None:
    with pytest.raises(MatchError, match="there is no run 9"):
        store.add([match(run=9, number=1)])


@pytest.mark.parametrize("value", [object(), float("nan")], ids=["an object", "nan"])
def test_settings_that_json_cannot_represent_are_rejected(value: object, store: Store) -> None:
    with pytest.raises(OptionError, match="cannot write these settings as JSON"):
        store.begin_run("arena", "connect4", key="k", settings={"x": value}, seed=1)


def test_run_is_deleted_with_its_matches_and_ratings(store: Store, match: Make) -> None:
    runs = [store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id for _ in range(2)]
    store.add([match(run=runs[0], number=1), match(run=runs[1], number=1), match(run=runs[0], number=2)])
    for run in runs:
        store.finish_run(run, [Rating(ANN, 2, 1.0, None, None)])
    assert store.delete_run(runs[0]) == 2
    assert [run.id for run in store.runs()] == [runs[1]]
    assert [stored.run for stored in store.matches()] == [runs[1]]
    assert (len(store.ratings(runs[0])), len(store.ratings(runs[1]))) == (0, 1)


def test_run_without_matches_can_be_deleted_once(store: Store) -> None:
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    assert store.delete_run(run) == 0
    assert store.unfinished_run("k") is None
    with pytest.raises(MatchError, match=f"there is no run {run}"):
        store.delete_run(run)


# --- counts of results ------------------------------------------------------------------


def test_result_counts_ignore_repeated_matches(store: Store, match: Make) -> None:
    store.add([match("1"), match("1"), match("2"), match("3", winner=None), match("3", winner=1)])
    store.add([match("1", players=(BOB, ANN))])
    assert store.result_counts("connect4") == [
        ResultCount(ANN, BOB, 0, 2),
        ResultCount(ANN, BOB, 1, 1),
        ResultCount(ANN, BOB, None, 1),
        ResultCount(BOB, ANN, 0, 1),
    ]


def test_result_counts_ignore_unfinished_matches_and_matches_against_oneself(
    store: Store, match: Make
) -> None:
    store.add([match("1", finished=False), match("2", players=(ANN, ANN)), match("3", variant="rows=4")])
    assert store.result_counts("connect4") == []
    assert store.result_counts("abalone") == []
    assert store.result_counts("connect4", "rows=4") == [ResultCount(ANN, BOB, 0, 1)]


def test_players_with_different_weights_are_different_players(store: Store, match: Make) -> None:
    new = PlayerKey(CID.agent, "000000000000")
    store.add([match("1", players=(CID, new)), match("1", players=(CID, BOB))])
    assert {(count.first, count.second) for count in store.result_counts("connect4")} == {
        (CID, new),
        (CID, BOB),
    }


def test_players_with_different_limits_are_different_players(store: Store, match: Make) -> None:
    slow = PlayerKey(CID.agent, CID.fingerprint, "0.1 s a move")
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    store.add([match("1", players=(CID, slow)), match("2", players=(slow, BOB))])
    assert {(count.first, count.second) for count in store.result_counts("connect4")} == {
        (CID, slow),
        (slow, BOB),
    }
    assert [stored.players for stored in store.matches()] == [(slow, BOB), (CID, slow)]
    assert len(list(store.matches(agent="alphabeta"))) == 2
    ratings = [Rating(slow, 2, 30.0, None, None), Rating(CID, 1, -30.0, None, None)]
    store.finish_run(run, ratings)
    assert store.ratings(run) == ratings


def test_matches_from_different_starts_are_different(store: Store) -> None:
    outcome = Outcome(0, Termination.RESIGNATION)
    for start in ("-", "4", "4"):
        record = Record("connect4", start=start, names=("Ann", "Bob"), moves=("1",), outcome=outcome)
        store.add([NewMatch.from_record(record, variant="")])
    assert store.result_counts("connect4") == [ResultCount(ANN, BOB, 0, 2)]


PLAYED = st.tuples(
    st.sampled_from("AB"), st.sampled_from("AB"), st.sampled_from("123"), st.sampled_from([0, 1, None])
)


@settings(max_examples=30)
@given(played=st.lists(PLAYED, max_size=12))
def test_result_counts_agree_with_a_direct_count(
    played: list[tuple[str, str, str, int | None]], shared: Store
) -> None:
    game = f"example {next(EXAMPLES)}"
    outcomes = [Outcome(winner, Termination.RESIGNATION) for *_, winner in played]
    records = [
        Record(game, start="-", names=(first, second), moves=(move,), outcome=outcome)
        for (first, second, move, _), outcome in zip(played, outcomes, strict=True)
    ]
    shared.add([NewMatch.from_record(record, variant="") for record in records])
    counts = shared.result_counts(game)
    expected = Counter((first, second, winner) for first, second, _, winner in set(played) if first != second)
    assert {(one.first.agent, one.second.agent, one.winner): one.count for one in counts} == expected
    assert all(one.count > 0 for one in counts)


def test_default_store_is_in_the_users_data_folder(home: Path, match: Make) -> None:
    with Store() as store:
        assert store.path == home / "data" / "matches.db"


def test_default_clock_is_the_system_clock(store: Store, match: Make) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    store.add([match()])
    played = datetime.fromisoformat(next(store.matches()).played)
    assert before <= played <= datetime.now(UTC)


# --- matches on a server ---------------------------------------------------------


def test_served_match_replaces_its_earlier_state(store: Store) -> None:
    store.save_served([ServedMatch("a", {"ply": 0}, "first"), ServedMatch("b", {}, "other")])
    store.save_served([ServedMatch("a", {"ply": 1, "values": [None, "+1"]}, "second")])
    served = {match.key: match for match in store.served()}
    assert served["a"] == ServedMatch("a", {"ply": 1, "values": [None, "+1"]}, "second")
    assert set(served) == {"a", "b"}


def test_served_matches_can_be_forgotten(store: Store) -> None:
    store.save_served([ServedMatch(key, {}, "") for key in "abc"])
    store.forget_served(["a", "c", "unknown"])
    assert [match.key for match in store.served()] == ["b"]


def test_unreadable_served_match_is_reported(path: Path) -> None:
    with Store(path) as store:
        store.save_served([ServedMatch("a", {}, "")])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE served SET data = '{'")
    with Store(path) as store, pytest.raises(StoreError, match="a match of the server"):
        store.served()
