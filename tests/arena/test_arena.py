"""Arenas: the same matches whoever plays them, interrupted or not, kept or not."""

import sys
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path

import pytest

import boardgames
from boardgames.arena.arena import Arena
from boardgames.arena.plan import Plan
from boardgames.arena.play import Played, play_batch
from boardgames.arena.report import Report
from boardgames.arena.sprt import Sprt
from boardgames.errors import BoardgamesError, MatchError, MissingExtraError
from boardgames.executors import InProcess, open_executor
from boardgames.store import Store

CONNECT4 = boardgames.load("connect4")
FOUR = ("random", "greedy", "alphabeta:depth=2", "alphabeta:depth=3")


def plan(*agents: str, matches: int = 20, **more: object) -> Plan:
    return Plan(game=CONNECT4, agents=agents or ("random", "greedy"), matches=matches, **more)


def played(arena: Arena) -> dict[int, str]:
    """Return the hashes of all matches by their number."""
    return {one.number: one.moves_hash for pair in arena._results.values() for one in pair}


class Interrupting(InProcess):
    """Is interrupted at a task."""

    def __init__(self, task: int) -> None:
        self.left = task

    def submit(self, fn: object, /, *args: object, **kwargs: object) -> object:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().submit(fn, *args, **kwargs)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    with Store(tmp_path / "matches.db") as opened:
        yield opened


SCHEDULES = pytest.mark.parametrize(
    ("schedule", "agents"),
    [("round-robin", FOUR[:3]), ("gauntlet", FOUR), ("swiss", FOUR), ("swiss", FOUR[:3])],
    ids=["round robin", "gauntlet", "swiss", "swiss with a rest"],
)


@SCHEDULES
def test_the_number_of_workers_changes_no_match(schedule: str, agents: tuple[str, ...]) -> None:
    found = []
    for workers in (1, 2):
        arena = Arena(plan(*agents, schedule=schedule, matches=8), seed=1)
        with open_executor(workers) as executor:
            report = arena.run(executor)
        found.append((played(arena), report.standings, report.distinct))
    assert found[0] == found[1]


@SCHEDULES
def test_an_arena_that_is_gone_on_with_ends_as_one_that_was_not_interrupted(
    schedule: str, agents: tuple[str, ...], store: Store
) -> None:
    wanted = plan(*agents, schedule=schedule, matches=8)
    whole = Arena(wanted, seed=1)
    report = whole.run(InProcess())
    done = 0
    for tasks in (1, 2, 3):
        arena = Arena(wanted, seed=1, store=store)
        assert arena.resumed == done
        with pytest.raises(KeyboardInterrupt):
            arena.run(Interrupting(tasks))
        assert arena.report().matches == arena.matches > done
        done = arena.matches
    last = Arena(wanted, seed=1, store=store)
    assert last.run(InProcess()) == report
    assert played(last) == played(whole)
    assert len(list(store.matches())) == report.matches == wanted.planned


def test_an_interrupt_between_keeping_and_counting_loses_no_match(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena, add = Arena(plan("random", "greedy", matches=8), seed=1, store=store), store.add

    def interrupted(matches: Sequence[object]) -> None:
        add(matches)
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        arena.run(InProcess())
    assert arena.report().matches == arena.matches == len(list(store.matches())) > 0


def test_what_is_kept_says_who_played_what(store: Store) -> None:
    Arena(plan("random", "alphabeta:depth=2", matches=2), seed=1, store=store).run(InProcess())
    first, second = store.run_matches(1)
    assert [key.agent for key in first.players] == ["random", "alphabeta:depth=2"]
    assert [key.agent for key in second.players] == ["alphabeta:depth=2", "random"]
    assert first.players[1].fingerprint == boardgames.load_player("alphabeta", CONNECT4).fingerprint()
    run = store.runs()[0]
    assert (run.kind, run.game, run.seed, run.settings["matches"]) == ("arena", "connect4", 1, 2)
    assert run.finished is not None
    assert [rating.matches for rating in store.ratings(1)] == [2, 2]


def test_without_a_seed_an_interrupted_arena_keeps_the_one_that_was_drawn(store: Store) -> None:
    first = Arena(plan(), store=store)
    with pytest.raises(KeyboardInterrupt):
        first.run(Interrupting(1))
    again = Arena(plan(), store=store)
    assert (again.seed, again.resumed) == (first.seed, first.matches)
    assert Arena(plan()).seed != Arena(plan()).seed


@pytest.mark.parametrize("change", ["seed", "fresh", "matches", "code", "finished", "book"])
def test_only_an_unfinished_arena_of_the_very_same_plan_and_code_is_gone_on_with(
    change: str, store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    book = tmp_path / "book.txt"
    book.write_text("44\n43\n")
    first = Arena(plan(openings=str(book)), seed=1, store=store)
    if change == "finished":
        first.run(InProcess())
    else:
        with pytest.raises(KeyboardInterrupt):
            first.run(Interrupting(1))
    if change == "code":
        monkeypatch.setattr("boardgames.arena.plan.code_stamp", lambda classes: "other")
    if change == "book":
        book.write_text("44\n42\n")
    wanted = plan(matches=22 if change == "matches" else 20, openings=str(book))
    again = Arena(wanted, seed=2 if change == "seed" else 1, store=store, fresh=change == "fresh")
    assert again.resumed == 0


def test_half_a_pair_is_played_again_as_a_whole(store: Store) -> None:
    arena = Arena(plan(), seed=1, store=store)
    with pytest.raises(KeyboardInterrupt):
        arena.run(Interrupting(2))
    store.delete([store.run_matches(1)[1].id])
    again = Arena(plan(), seed=1, store=store)
    assert again.resumed == arena.matches - 2
    assert again.run(InProcess()) == Arena(plan(), seed=1).run(InProcess())
    assert sorted(match.number for match in store.run_matches(1)) == list(range(20))


def test_a_test_stops_the_series_and_sees_the_pairs_in_their_order(store: Store) -> None:
    wanted = plan("alphabeta:depth=3", "random", matches=400, sprt=Sprt(0, 100))
    reports: list[Report] = []
    for workers in (1, 3):
        with open_executor(workers) as executor:
            reports.append(Arena(wanted, seed=1).run(executor))
    assert reports[0] == reports[1]
    assert reports[0].sprt.decision == "H1"
    assert reports[0].matches == 2 * reports[0].pairs.count < 400


def test_an_arena_that_was_stopped_by_its_decision_plays_nothing_more(store: Store) -> None:
    wanted = plan("alphabeta:depth=3", "random", matches=400, sprt=Sprt(0, 100))
    arena = Arena(wanted, seed=1, store=store)

    class Unlucky(InProcess):
        """Is interrupted right after the decision."""

        def submit(self, fn: object, /, *args: object, **kwargs: object) -> object:
            if arena.is_done:
                raise KeyboardInterrupt
            return super().submit(fn, *args, **kwargs)

    def leave(arena: Arena) -> None:
        if arena.is_done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        arena.run(Unlucky(), leave)
    again = Arena(wanted, seed=1, store=store)
    assert again.is_done
    assert again.run(Interrupting(0)) == Arena(wanted, seed=1).run(InProcess())


def test_pairs_that_repeat_others_decide_nothing() -> None:
    wanted = plan("alphabeta:depth=3", "alphabeta:depth=1", matches=200, openings="every:0", sprt=Sprt(0, 50))
    report = Arena(wanted, seed=1).run(InProcess())
    assert report.matches == 200
    assert report.repeated == 99
    assert report.sprt.decision is None


def test_running_again_after_the_end_reports_again(store: Store) -> None:
    arena = Arena(plan(), seed=1, store=store)
    assert arena.run(InProcess()) == arena.run(InProcess())


def test_an_arena_that_another_one_plays_is_not_joined(store: Store, tmp_path: Path) -> None:
    first = Arena(plan(), seed=1, store=store)
    with Store(tmp_path / "matches.db") as other:
        with pytest.raises(MatchError, match="another process is at run 1"):
            Arena(plan(), seed=1, store=other)
        assert Arena(plan(), seed=1, store=other, fresh=True).run(InProcess()) == first.run(InProcess())


@pytest.mark.parametrize("wrong", [{"openings": "nowhere"}, {"openings": "random:100"}])
def test_what_cannot_be_played_leaves_no_run(wrong: dict[str, str], store: Store) -> None:
    with pytest.raises(BoardgamesError):
        Arena(plan(**wrong), store=store)
    assert store.runs() == []


def test_ratings_are_kept_over_the_mean(store: Store) -> None:
    Arena(plan("alphabeta:depth=2", "greedy", matches=40), seed=1, store=store).run(InProcess())
    first, second = store.ratings(1)
    assert first.elo == pytest.approx(-second.elo)
    assert 0 < first.elo < 400


def test_a_listener_hears_of_every_batch() -> None:
    heard: list[int] = []
    Arena(plan(matches=40), seed=1).run(InProcess(), lambda arena: heard.append(arena.matches))
    assert heard == sorted(set(heard))
    assert heard[-1] == 40


@pytest.mark.parametrize(("seconds", "largest"), [(1000.0, 20), (0.0, 1)], ids=["fast", "slow"])
def test_batches_grow_where_matches_take_a_small_part_of_their_time(
    monkeypatch: pytest.MonkeyPatch, seconds: float, largest: int
) -> None:
    sizes: list[int] = []

    class Watching(InProcess):
        def submit(self, fn: object, /, *args: object, **kwargs: object) -> object:
            sizes.append(len(args[0].pairings))
            return super().submit(fn, *args, **kwargs)

    monkeypatch.setattr("boardgames.arena.arena.BATCH_S", seconds)
    Arena(plan(matches=400), seed=1).run(Watching())
    assert sizes[0] == 1
    assert (max(sizes) >= largest) if seconds else (max(sizes) == largest)
    assert sum(sizes) == 200


def test_openings_are_the_same_for_all_who_meet() -> None:
    arena = Arena(plan(*FOUR[:3], matches=6), seed=1)
    arena.run(InProcess())
    starts: dict[tuple[int, int], list[str]] = {}
    for number in sorted(arena._results):
        first, _ = arena._results[number]
        starts.setdefault(first.sides, []).append(first.record.partition('[Start "')[2].partition('"')[0])
    assert len(starts) == 3
    assert len({tuple(openings) for openings in starts.values()}) == 1


def test_three_agents_need_the_extra_and_are_told_before_they_play(
    monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    monkeypatch.setitem(sys.modules, "choix", None)
    with pytest.raises(MissingExtraError, match="'rating'"):
        Arena(plan(*FOUR[:3]), store=store)
    assert store.runs() == []
    assert Arena(plan(matches=2), seed=1).run(InProcess()).matches == 2


def test_an_error_of_a_task_ends_the_arena_and_keeps_what_was_played(store: Store) -> None:
    class Failing(Executor):
        def __init__(self) -> None:
            self.tasks = 0

        def submit(self, fn: object, /, *args: object, **kwargs: object) -> object:
            self.tasks += 1
            return InProcess().submit(play_batch if self.tasks < 3 else _fail, *args)

    arena = Arena(plan(), seed=1, store=store)
    with pytest.raises(ZeroDivisionError):
        arena.run(Failing())
    assert Arena(plan(), seed=1, store=store).resumed == arena.matches


def _fail(batch: object) -> tuple[list[Played], float]:
    raise ZeroDivisionError


@pytest.mark.usefixtures("odd_agents")
def test_agents_that_break_rules_lose_every_match_and_stop_nothing() -> None:
    report = Arena(plan("random", "crasher", "cheat", matches=6), seed=1).run(InProcess())
    random, crasher, cheat = report.standings
    assert set(random.faults.values()) == {0}
    assert crasher.faults["crash"] > 0
    assert cheat.faults == {"illegal-move": 12, "time": 0, "crash": 0}
    assert cheat.losses == 12
