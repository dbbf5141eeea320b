"""What goes into the store comes out of it: matches, runs, ratings, encounters."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boardgames.errors import MatchError, OptionError, RecordError, StoreError
from boardgames.game import Outcome, Termination
from boardgames.record import Record, parse_records
from boardgames.store import Encounter, NewMatch, PlayerKey, Rating, Store, course_of
from boardgames.store.store import PAGE

ANN, BOB, CID = PlayerKey("Ann"), PlayerKey("Bob"), PlayerKey("alphabeta:depth=4", "9a129038d9a0")
Make = Callable[..., NewMatch]


# --- matches ---------------------------------------------------------------------


def test_a_match_comes_back_as_it_was(store: Store, match: Make) -> None:
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    new = match("4", "5", players=(CID, BOB), seconds=(0.5, 0.1), fault="late", run=run, number=7)
    (number,) = store.add([new])
    (kept,) = store.matches()
    assert kept.id == number
    for name in NewMatch.__slots__:
        assert getattr(kept, name) == getattr(new, name), name


def test_what_is_kept_is_there_for_the_next_one(path: Path, match: Make) -> None:
    with Store(path) as store:
        store.add([match("4")])
    with Store(path) as store:
        assert [kept.plies for kept in store.matches()] == [1]


def test_the_time_is_kept_in_utc_to_the_second(path: Path, match: Make) -> None:
    there = datetime(2026, 1, 31, 1, 30, 5, 999, tzinfo=timezone(timedelta(hours=2)))
    with Store(path, now=lambda: there) as store:
        store.add([match()])
        assert [kept.played for kept in store.matches()] == ["2026-01-30T23:30:05Z"]


def test_matches_come_newest_first_over_many_pages(store: Store, match: Make) -> None:
    ids = store.add([match()] * (2 * PAGE + 1))
    assert [kept.id for kept in store.matches()] == ids[::-1]
    assert [kept.id for kept in store.matches(limit=PAGE + 1)] == ids[: PAGE - 1 : -1]
    assert list(store.matches(limit=0)) == []


def test_reading_goes_on_while_matches_are_deleted(
    store: Store, match: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.store.store.PAGE", 3)
    store.add([match()] * 6)
    assert sum(store.delete([kept.id]) for kept in store.matches()) == 6


@pytest.mark.parametrize(
    ("choice", "found"),
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
def test_a_choice_finds_what_it_says(
    choice: dict[str, object], found: list[int], store: Store, match: Make
) -> None:
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    other = PlayerKey("alphabeta:depth=40")
    store.add([match(), match(players=(CID, BOB)), match(run=run, number=1), match(players=(BOB, other))])
    assert [kept.id for kept in store.matches(**choice)] == found


@pytest.mark.parametrize(
    ("choice", "found"),
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
def test_faults_and_results_are_told_apart(
    choice: dict[str, object], found: list[int], store: Store, match: Make
) -> None:
    store.add([match(winner=0), match(winner=None), match(winner=0, fault="ValueError: no move")])
    for termination in (Termination.TIME, Termination.CRASH):
        outcome = Outcome(1, termination)  # of an imported record, which has no word of a fault
        store.add([NewMatch.of(Record("connect4", start="-", outcome=outcome), variant="")])
    store.add([match(finished=False)])
    assert [kept.id for kept in store.matches(**choice)] == found


def test_a_result_that_none_has_is_refused(store: Store) -> None:
    with pytest.raises(OptionError, match="expected one of 1-0, 0-1, draw: '2-0'"):
        next(store.matches(result="2-0"))


def test_a_match_tells_its_course(store: Store, match: Make) -> None:
    store.add([match("4", "5"), match("4", "5", winner=1), match("5", "4")])
    courses = [kept.course for kept in store.matches()][::-1]
    assert courses == [course_of("-", moves) for moves in (("4", "5"), ("4", "5"), ("5", "4"))]


def test_an_id_is_never_given_twice(store: Store, match: Make) -> None:
    assert store.add([match(), match()]) == [1, 2]
    assert store.delete([2, 5]) == 1
    assert store.add([match()]) == [3]


def test_one_match_that_cannot_be_kept_keeps_the_others_out(store: Store, match: Make) -> None:
    broken = NewMatch((ANN, BOB), "no record", "connect4", "", None, None, 0, (0.0, 0.0))
    with pytest.raises(RecordError):
        store.add([match(), broken])
    assert list(store.matches()) == []


def test_a_text_that_is_kept_is_not_kept_anew(store: Store, match: Make) -> None:
    store.add([match("4")])
    assert store.add_new([match("4"), match("5"), match("5")]) == [2]


@settings(max_examples=30)
@given(names=st.tuples(st.text(), st.text()), event=st.text())
def test_any_text_is_kept(
    names: tuple[str, str], event: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    record = Record("connect4", start="-", names=names, tags={"Event": event})
    with Store(tmp_path_factory.mktemp("any") / "matches.db") as store:
        store.add([NewMatch.of(record, variant="", fault=event)])
        (kept,) = store.matches()
    assert parse_records(kept.record, None).records == (record,)


def test_lone_surrogates_become_question_marks(store: Store, match: Make) -> None:
    store.add([match(players=(PlayerKey("a\udc80"), BOB))])
    assert next(store.matches()).players[0].agent == "a?"


def test_a_closed_store_says_so(path: Path, match: Make) -> None:
    with Store(path) as store:
        pass
    with pytest.raises(StoreError, match="expected an open database"):
        store.add([match()])


# --- runs ------------------------------------------------------------------------


def test_a_run_comes_back_as_it_was(store: Store, match: Make) -> None:
    settings = {"agents": ["a", "b"], "openings": None, "depth": 4, "share": 0.5, "swap": True}
    run = store.begin_run("arena", "connect4", key="k", settings=settings, seed=2**80)
    store.add([match(run=run.id, number=1)])
    (kept,) = store.runs()
    assert (kept.settings, kept.seed, kept.finished, kept.matches) == (settings, 2**80, None, 1)
    assert (kept.id, kept.kind, kept.game, kept.key) == (run.id, "arena", "connect4", "k")


def test_the_latest_unfinished_run_of_a_key_is_gone_on_with(store: Store) -> None:
    first, second, third = (
        store.begin_run("arena", "connect4", key=key, settings={}, seed=1).id for key in ("k", "k", "other")
    )
    assert (store.unfinished_run("k") or pytest.fail("none")).id == second
    store.finish_run(second)
    assert (store.unfinished_run("k") or pytest.fail("none")).id == first
    store.finish_run(first)
    assert store.unfinished_run("k") is None
    assert [run.id for run in store.runs() if run.finished is None] == [third]


def test_ratings_come_the_strongest_first(store: Store) -> None:
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    weak, none = Rating(ANN, 4, -10.5, -50.0, 30.0), Rating(BOB, 0, None, None, None)
    strong = Rating(CID, 4, 20.0, -20.0, 60.0)
    store.finish_run(run, [weak, none, strong])
    assert store.ratings(run) == [strong, weak, none]
    assert store.ratings(99) == []


@pytest.mark.parametrize("run", [1, 99])
def test_a_run_ends_once(run: int, store: Store) -> None:
    store.begin_run("arena", "connect4", key="k", settings={}, seed=1)
    store.finish_run(1, [Rating(ANN, 1, 1.0, None, None)])
    with pytest.raises(MatchError, match=f"expected a run that is not finished: {run}"):
        store.finish_run(run, [Rating(BOB, 1, 2.0, None, None)])
    assert [rating.player for rating in store.ratings(1)] == [ANN]


def test_matches_of_a_run_come_by_number(store: Store, match: Make) -> None:
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    store.add([match(run=run, number=number) for number in (5, 1, 3)])
    assert [kept.number for kept in store.run_matches(run)] == [1, 3, 5]


@pytest.mark.parametrize(
    ("numbers", "named"), [((5, 2, 1), "1, 2"), ((6, 7, 6), "6")], ids=["taken", "twice at once"]
)
def test_a_number_of_a_run_is_given_once(
    numbers: tuple[int, ...], named: str, store: Store, match: Make
) -> None:
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    store.add([match(run=run, number=number) for number in (1, 2, 3)])
    with pytest.raises(MatchError, match=f"run {run} does not have yet: number {named}$"):
        store.add([match(run=run, number=number) for number in numbers])
    assert [kept.number for kept in store.run_matches(run)] == [1, 2, 3]


def test_runs_have_numbers_of_their_own(store: Store, match: Make) -> None:
    runs = [store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id for _ in range(2)]
    store.add([match(run=run, number=1) for run in runs])
    assert [len(store.run_matches(run)) for run in runs] == [1, 1]


def test_a_match_of_no_run_that_is_kept_is_refused(store: Store, match: Make) -> None:
    with pytest.raises(MatchError, match="expected a run that is kept: 9"):
        store.add([match(run=9, number=1)])


@pytest.mark.parametrize("value", [object(), float("nan")], ids=["an object", "nan"])
def test_settings_that_json_cannot_hold_are_refused(value: object, store: Store) -> None:
    with pytest.raises(OptionError, match="expected settings that JSON can hold"):
        store.begin_run("arena", "connect4", key="k", settings={"x": value}, seed=1)


def test_a_run_is_deleted_with_all_that_is_its(store: Store, match: Make) -> None:
    runs = [store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id for _ in range(2)]
    store.add([match(run=runs[0], number=1), match(run=runs[1], number=1), match(run=runs[0], number=2)])
    for run in runs:
        store.finish_run(run, [Rating(ANN, 2, 1.0, None, None)])
    assert store.delete_run(runs[0]) == 2
    assert [run.id for run in store.runs()] == [runs[1]]
    assert [kept.run for kept in store.matches()] == [runs[1]]
    assert (len(store.ratings(runs[0])), len(store.ratings(runs[1]))) == (0, 1)


def test_a_run_without_matches_can_be_deleted_once(store: Store) -> None:
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    assert store.delete_run(run) == 0
    assert store.unfinished_run("k") is None
    with pytest.raises(MatchError, match=f"expected a run that is kept: {run}"):
        store.delete_run(run)


# --- encounters ------------------------------------------------------------------


def test_encounters_count_different_matches(store: Store, match: Make) -> None:
    store.add([match("1"), match("1"), match("2"), match("3", winner=None), match("3", winner=1)])
    store.add([match("1", players=(BOB, ANN))])
    assert store.encounters("connect4") == [
        Encounter(ANN, BOB, 0, 2),
        Encounter(ANN, BOB, 1, 1),
        Encounter(ANN, BOB, None, 1),
        Encounter(BOB, ANN, 0, 1),
    ]


def test_encounters_leave_out_what_proves_nothing(store: Store, match: Make) -> None:
    store.add([match("1", finished=False), match("2", players=(ANN, ANN)), match("3", variant="rows=4")])
    assert store.encounters("connect4") == []
    assert store.encounters("abalone") == []
    assert store.encounters("connect4", "rows=4") == [Encounter(ANN, BOB, 0, 1)]


def test_players_of_other_weights_are_other_players(store: Store, match: Make) -> None:
    new = PlayerKey(CID.agent, "000000000000")
    store.add([match("1", players=(CID, new)), match("1", players=(CID, BOB))])
    assert {(found.first, found.second) for found in store.encounters("connect4")} == {(CID, new), (CID, BOB)}


def test_players_of_other_limits_are_other_players(store: Store, match: Make) -> None:
    slow = PlayerKey(CID.agent, CID.fingerprint, "0.1 s a move")
    run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    store.add([match("1", players=(CID, slow)), match("2", players=(slow, BOB))])
    assert {(found.first, found.second) for found in store.encounters("connect4")} == {
        (CID, slow),
        (slow, BOB),
    }
    assert [kept.players for kept in store.matches()] == [(slow, BOB), (CID, slow)]
    assert len(list(store.matches(agent="alphabeta"))) == 2
    ratings = [Rating(slow, 2, 30.0, None, None), Rating(CID, 1, -30.0, None, None)]
    store.finish_run(run, ratings)
    assert store.ratings(run) == ratings


def test_matches_that_start_elsewhere_are_different(store: Store) -> None:
    outcome = Outcome(0, Termination.RESIGNATION)
    for start in ("-", "4", "4"):
        record = Record("connect4", start=start, names=("Ann", "Bob"), moves=("1",), outcome=outcome)
        store.add([NewMatch.of(record, variant="")])
    assert store.encounters("connect4") == [Encounter(ANN, BOB, 0, 2)]


PLAYED = st.tuples(
    st.sampled_from("AB"), st.sampled_from("AB"), st.sampled_from("123"), st.sampled_from([0, 1, None])
)


@settings(max_examples=30)
@given(played=st.lists(PLAYED, max_size=12))
def test_encounters_are_what_counting_by_hand_gives(
    played: list[tuple[str, str, str, int | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    outcomes = [Outcome(winner, Termination.RESIGNATION) for *_, winner in played]
    records = [
        Record("connect4", start="-", names=(first, second), moves=(move,), outcome=outcome)
        for (first, second, move, _), outcome in zip(played, outcomes, strict=True)
    ]
    with Store(tmp_path_factory.mktemp("any") / "matches.db") as store:
        store.add([NewMatch.of(record, variant="") for record in records])
        found = store.encounters("connect4")
    by_hand = Counter((first, second, winner) for first, second, _, winner in set(played) if first != second)
    assert {(one.first.agent, one.second.agent, one.winner): one.times for one in found} == by_hand
    assert all(one.times > 0 for one in found)


def test_the_user_has_a_store(home: Path, match: Make) -> None:
    with Store() as store:
        assert store.path == home / "data" / "matches.db"


def test_now_is_the_time_of_the_machine(store: Store, match: Make) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    store.add([match()])
    played = datetime.fromisoformat(next(store.matches()).played)
    assert before <= played <= datetime.now(UTC)
