"""Arena: the same matches on any number of workers, interrupted or not, stored or not."""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from joining import Joining

import boardgames
from boardgames import Choice, Context, Limit, Option, Player, plugins
from boardgames.arena.arena import Arena
from boardgames.arena.plan import Plan
from boardgames.arena.play import MatchResult, play_batch
from boardgames.arena.sprt import Sprt
from boardgames.errors import BoardgamesError, MatchError, OptionError, PluginError
from boardgames.executors import InProcess, open_executor
from boardgames.game import Game, Position
from boardgames.player import NO_CONTEXT, NO_LIMIT
from boardgames.players.simple import Greedy
from boardgames.plugins import Registry
from boardgames.store import NewMatch, Store

GAME = boardgames.load("connect4", columns=5, rows=4)
FOUR = ("random", "greedy", "random", "greedy")
SEARCHING = ("random", "greedy", "alphabeta:depth=2")


def make_plan(*agents: str, matches: int = 20, **more: Any) -> Plan:  # its fields
    return Plan(game=GAME, agents=agents or ("random", "greedy"), matches=matches, **more)


def hashes(arena: Arena) -> dict[int, bytes]:
    """Return the hashes of all matches by their number."""
    return {match.number: match.moves_hash for pair in arena._results.values() for match in pair}


class Interrupting(InProcess):
    """Executor that raises KeyboardInterrupt at a given task."""

    def __init__(self, task: int) -> None:
        self.left = task

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:  # any task
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().submit(fn, *args, **kwargs)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "matches.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Executor]:
    with open_executor(2) as executor:
        yield executor


SCHEDULES = pytest.mark.parametrize(
    ("schedule", "agents"),
    [("round-robin", SEARCHING), ("gauntlet", FOUR), ("swiss", FOUR), ("swiss", FOUR[:3])],
    ids=["round robin", "gauntlet", "swiss", "swiss with byes"],
)


# --- the same matches every time ---------------------------------------------------


@pytest.mark.slow
@SCHEDULES
def test_number_of_workers_does_not_change_any_match(
    schedule: str, agents: tuple[str, ...], two_workers: Executor
) -> None:
    results = []
    for executor in (InProcess(), two_workers):
        arena = Arena(make_plan(*agents, schedule=schedule, matches=4), seed=1)
        report = arena.run(executor)
        results.append((hashes(arena), report.standings, report.distinct))
    assert results[0] == results[1]


def test_workers_that_join_during_an_arena_are_used_and_change_no_match() -> None:
    executor = Joining()
    arenas = [Arena(make_plan(matches=80), seed=1) for _ in range(2)]
    for arena, running in zip(arenas, (InProcess(), executor), strict=True):
        arena.run(running)
    assert executor.have_met
    assert hashes(arenas[0]) == hashes(arenas[1])


@SCHEDULES
def test_resumed_arena_ends_like_an_uninterrupted_one(
    schedule: str, agents: tuple[str, ...], store: Store
) -> None:
    plan = make_plan(*agents, schedule=schedule, matches=8)
    uninterrupted = Arena(plan, seed=1)
    report = uninterrupted.run(InProcess())
    played = 0
    for tasks in (1, 2, 3):
        arena = Arena(plan, seed=1, store=store)
        assert arena.resumed == played
        with pytest.raises(KeyboardInterrupt):
            arena.run(Interrupting(tasks))
        assert arena.report().matches == arena.matches > played
        played = arena.matches
    last = Arena(plan, seed=1, store=store)
    assert last.run(InProcess()) == report
    assert hashes(last) == hashes(uninterrupted)
    assert len(list(store.matches())) == report.matches == plan.planned


def test_unknown_openings_are_reported_before_an_agent_is_loaded() -> None:
    plan = make_plan("random", "an agent that cannot be loaded", openings="nowhere")
    with pytest.raises(BoardgamesError, match="no openings 'nowhere'"):
        Arena(plan)


def test_pairings_of_a_round_share_their_openings() -> None:
    arena = Arena(make_plan(*FOUR[:3], matches=6), seed=1)
    pairs = next(arena._rounds())
    openings: dict[tuple[int, int], list[str]] = {}
    for pair in pairs:
        openings.setdefault((pair.first, pair.second), []).append(pair.opening)
    assert len(openings) == 3
    assert len({tuple(one) for one in openings.values()}) == 1


def test_running_a_finished_arena_reports_again(store: Store) -> None:
    arena = Arena(make_plan(), seed=1, store=store)
    assert arena.run(InProcess()) == arena.run(InProcess())


# --- interrupts and errors ---------------------------------------------------------


def test_interrupt_between_storing_and_counting_loses_no_match(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena, add = Arena(make_plan("random", "greedy", matches=8), seed=1, store=store), store.add

    def add_and_interrupt(matches: Sequence[NewMatch]) -> None:
        add(matches)
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "add", add_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        arena.run(InProcess())
    assert arena.report().matches == arena.matches == len(list(store.matches())) > 0


def test_without_a_seed_an_interrupted_arena_keeps_the_one_it_drew(store: Store) -> None:
    first = Arena(make_plan(), store=store)
    with pytest.raises(KeyboardInterrupt):
        first.run(Interrupting(1))
    again = Arena(make_plan(), store=store)
    assert (again.seed, again.resumed) == (first.seed, first.matches)
    assert Arena(make_plan()).seed != Arena(make_plan()).seed


@pytest.mark.parametrize("change", ["seed", "fresh", "matches", "code", "finished", "openings"])
def test_arena_is_resumed_only_if_nothing_has_changed(
    change: str, store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    suite = tmp_path / "openings.txt"
    suite.write_text("44\n43\n")
    first = Arena(make_plan(openings=str(suite)), seed=1, store=store)
    if change == "finished":
        first.run(InProcess())
    else:
        with pytest.raises(KeyboardInterrupt):
            first.run(Interrupting(1))
    if change == "code":
        monkeypatch.setattr("boardgames.arena.plan.code_stamp", lambda classes: "other")
    if change == "openings":
        suite.write_text("44\n42\n")
    plan = make_plan(matches=22 if change == "matches" else 20, openings=str(suite))
    again = Arena(plan, seed=2 if change == "seed" else 1, store=store, fresh=change == "fresh")
    assert again.resumed == 0


def test_incomplete_pair_is_replayed(store: Store) -> None:
    arena = Arena(make_plan(), seed=1, store=store)
    with pytest.raises(KeyboardInterrupt):
        arena.run(Interrupting(2))
    store.delete([store.run_matches(1)[1].id])
    again = Arena(make_plan(), seed=1, store=store)
    assert again.resumed == arena.matches - 2
    assert again.run(InProcess()) == Arena(make_plan(), seed=1).run(InProcess())
    assert Counter(match.number for match in store.run_matches(1)) == Counter(range(20))


def test_arena_that_is_being_played_cannot_be_resumed(store: Store, tmp_path: Path) -> None:
    plan = make_plan(matches=4)
    first = Arena(plan, seed=1, store=store)
    with Store(tmp_path / "matches.db") as other:
        with pytest.raises(MatchError, match=r"another process is playing this arena \(run 1\)"):
            Arena(plan, seed=1, store=other)
        assert Arena(plan, seed=1, store=other, fresh=True).run(InProcess()) == first.run(InProcess())


@pytest.mark.parametrize("wrong", [{"openings": "nowhere"}, {"openings": "random:100"}])
def test_invalid_plan_leaves_no_run_in_the_store(wrong: dict[str, Any], store: Store) -> None:
    with pytest.raises(BoardgamesError):
        Arena(make_plan(**wrong), store=store)
    assert store.runs() == []


def test_error_in_a_task_ends_the_arena_and_keeps_the_matches_so_far(store: Store) -> None:
    class Failing(Executor):
        def __init__(self) -> None:
            self.tasks = 0

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:  # any task
            self.tasks += 1
            return InProcess().submit(play_batch if self.tasks < 3 else _fail, *args)

    arena = Arena(make_plan(), seed=1, store=store)
    with pytest.raises(ZeroDivisionError):
        arena.run(Failing())
    assert Arena(make_plan(), seed=1, store=store).resumed == arena.matches


def _fail(batch: object) -> tuple[list[MatchResult], float]:
    raise ZeroDivisionError


@pytest.mark.usefixtures("odd_agents")
def test_agents_that_break_rules_lose_without_stopping_the_arena() -> None:
    report = Arena(make_plan("random", "crasher", "cheat", matches=6), seed=1).run(InProcess())
    random, crasher, cheat = report.standings
    assert set(random.faults.values()) == {0}
    assert crasher.faults["crash"] > 0
    assert cheat.faults == {"illegal-move": 12, "time": 0, "crash": 0}
    assert cheat.losses == 12


# --- sequential tests --------------------------------------------------------------


def test_sequential_test_stops_at_the_same_pair_on_any_number_of_workers(two_workers: Executor) -> None:
    plan = make_plan("greedy", "random", matches=400, sprt=Sprt(0, 100))
    reports = [Arena(plan, seed=1).run(executor) for executor in (InProcess(), two_workers)]
    assert reports[0] == reports[1]
    assert reports[0].sprt is not None
    assert reports[0].sprt.decision == "H1"
    assert reports[0].pairs is not None
    assert reports[0].matches == 2 * reports[0].pairs.count < 400


def test_arena_interrupted_after_its_decision_plays_nothing_more(store: Store) -> None:
    plan = make_plan("greedy", "random", matches=400, sprt=Sprt(0, 100))
    arena = Arena(plan, seed=1, store=store)

    def interrupt_when_done(arena: Arena) -> None:
        if arena.is_done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        arena.run(InProcess(), interrupt_when_done)
    again = Arena(plan, seed=1, store=store)
    assert again.is_done
    assert again.run(Interrupting(0)) == arena.report()


def test_only_the_pairs_of_the_sequential_test_are_stored(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.arena.arena.BATCH_S", 1e9)  # batches double, whatever the time they take
    plan = make_plan("greedy", "random", matches=400, sprt=Sprt(0, 100))
    arena = Arena(plan, seed=1, store=store)
    report = arena.run(InProcess())
    assert arena.matches > report.matches  # otherwise no pair was played after the decision
    assert Counter(match.number for match in store.matches()) == Counter(range(report.matches))


@pytest.mark.usefixtures("odd_agents")
def test_repeated_pairs_do_not_decide_the_test() -> None:
    agents = ("alphabeta:depth=2", "steady")
    plan = make_plan(*agents, matches=40, openings="every:0", sprt=Sprt(0, 100))
    report = Arena(plan, seed=1).run(InProcess())
    assert report.sprt is not None
    assert report.pairs is not None
    assert report.sprt.test.decision(report.pairs) is not None  # if they counted, the test would be decided
    assert report.matches == 40
    assert report.repeated == 19
    assert report.sprt.decision is None


# --- store, listeners, batches -----------------------------------------------------


def test_store_has_players_settings_and_ratings(store: Store) -> None:
    Arena(make_plan("random", "alphabeta:depth=2", matches=2), seed=1, store=store).run(InProcess())
    first, second = store.run_matches(1)
    assert [key.agent for key in first.players] == ["random", "alphabeta:depth=2"]
    assert [key.agent for key in second.players] == ["alphabeta:depth=2", "random"]
    assert first.players[1].fingerprint == boardgames.load_player("alphabeta", GAME).fingerprint()
    run = store.runs()[0]
    assert (run.kind, run.game, run.seed, run.settings["matches"]) == ("arena", "connect4", 1, 2)
    assert run.finished is not None
    assert [rating.matches for rating in store.ratings(1)] == [2, 2]


def test_stored_ratings_are_relative_to_the_mean(store: Store) -> None:
    report = Arena(make_plan("greedy", "random"), seed=1, store=store).run(InProcess())
    first, second = store.ratings(1)
    assert first.elo is not None
    assert second.elo is not None
    assert first.elo == pytest.approx(-second.elo)
    assert report.standings[0].estimate is not None
    assert first.elo - second.elo == pytest.approx(report.standings[0].estimate.elo)
    assert first.elo > 0


def test_listener_is_called_after_every_batch() -> None:
    counts: list[int] = []
    Arena(make_plan(matches=40), seed=1).run(InProcess(), lambda arena: counts.append(arena.matches))
    assert counts == sorted(set(counts))
    assert counts[-1] == 40


@pytest.mark.parametrize(("seconds", "is_large"), [(1000.0, True), (0.0, False)], ids=["fast", "slow"])
def test_batches_grow_only_if_matches_are_short(
    monkeypatch: pytest.MonkeyPatch, seconds: float, is_large: bool
) -> None:
    sizes: list[int] = []

    class Watching(InProcess):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:  # any task
            sizes.append(len(args[0].pairs))
            return super().submit(fn, *args, **kwargs)

    monkeypatch.setattr("boardgames.arena.arena.BATCH_S", seconds)
    Arena(make_plan("random", "random", matches=100), seed=1).run(Watching())
    assert sizes[0] == 1
    assert (max(sizes) >= 8) if is_large else (max(sizes) == 1)
    assert sum(sizes) == 50


# --- agents of a notebook -------------------------------------------------


class Leftmost(Player):
    """An agent that no plug-in offers."""

    name = "leftmost"
    declared_options = (Option("skipped", int, 0, "columns on the left that are avoided"),)

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the first move that is not avoided."""
        moves = position.legal_moves
        return Choice(moves[min(int(self.options["skipped"] or 0), len(moves) - 1)])


def careful(game: Game, *, seed: int | None) -> Player:
    return boardgames.load_player("greedy", game, seed=seed)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry()
    monkeypatch.setattr(plugins, "_registry", lambda: registry)


@pytest.mark.usefixtures("fresh")
def test_players_classes_and_functions_play_in_an_arena() -> None:
    search = boardgames.load_player("mcts:simulations=5", GAME)
    agents: list[Any] = [Leftmost, Leftmost(GAME, skipped=2), careful, search]
    plan = Plan(game=GAME, agents=agents, matches=2)
    assert plan.agent_texts == ("leftmost", "leftmost:skipped=2", "careful", "mcts:simulations=5")
    report = Arena(plan, seed=1).run(InProcess())
    assert report.matches == 12
    assert {standing.faults["crash"] for standing in report.standings} == {0}


@pytest.mark.usefixtures("fresh")
def test_agents_that_workers_do_not_know_are_refused(two_workers: Executor) -> None:
    with pytest.raises(MatchError, match=r"worker processes do not know 'leftmost'.*InProcess"):
        Arena(Plan(game=GAME, agents=(Leftmost, "random"), matches=2)).run(two_workers)


class Column(Player):
    """An agent that needs to be told what to play, and counts its moves and matches."""

    name = "column"

    def __init__(self, game: Game, *, column: int, seed: int | None = None) -> None:
        super().__init__(game, seed=seed)
        self.column = column
        self.moves, self.is_closed = 0, False
        self.draws: list[int] = []

    def match_started(self, side: int) -> None:
        """Note a random number."""
        self.draws.append(int(self.random.integers(1 << 30)))

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the move in the column, if it is legal."""
        self.moves += 1
        moves = position.legal_moves
        return Choice(moves[min(self.column, len(moves) - 1)])

    def close(self) -> None:
        """Note that the player was closed."""
        self.is_closed = True


@pytest.mark.usefixtures("fresh")
def test_a_player_object_plays_its_matches_itself_and_stays_open() -> None:
    left, right = Column(GAME, column=0), Column(GAME, column=4)
    plan = replace(Plan(game=GAME, agents=[left, right], matches=4), schedule="gauntlet")
    arena = Arena(plan, seed=1)
    report = arena.run(InProcess())
    assert {standing.faults["crash"] for standing in report.standings} == {0}
    assert left.moves + right.moves == sum(match.plies for pair in arena._results.values() for match in pair)
    assert [standing.agent for standing in report.standings] == ["column", "column #2"]
    assert not left.is_closed
    assert not right.is_closed


@pytest.mark.usefixtures("fresh")
def test_a_player_object_is_reseeded_for_each_match() -> None:
    drawn = []
    for _ in range(2):
        player = Column(GAME, column=0)
        Arena(Plan(game=GAME, agents=[player, "random"], matches=4), seed=1).run(InProcess())
        drawn.append(player.draws)
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == 4


@pytest.mark.usefixtures("fresh")
def test_worker_processes_play_with_no_player_object(two_workers: Executor) -> None:
    player = boardgames.load_player("mcts:simulations=5", GAME)
    with pytest.raises(MatchError, match=r"do not have the player object 'mcts:simulations=5'.*InProcess"):
        Arena(Plan(game=GAME, agents=(player, "random"), matches=2)).run(two_workers)


@pytest.mark.usefixtures("fresh")
def test_an_agent_with_the_name_of_another_one_is_refused() -> None:
    class Other(Greedy):
        """An agent that inherits the name of a plug-in's."""

    for agent in (Other, Other(GAME)):
        with pytest.raises(PluginError, match="has the name of another agent, 'greedy'"):
            Plan(game=GAME, agents=(agent, "random"))


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("agent", [Leftmost, boardgames.load_player("greedy", GAME)], ids=["class", "object"])
def test_an_arena_with_code_of_a_notebook_or_an_object_begins_anew(store: Store, agent: Any) -> None:
    def begun() -> Arena:
        return Arena(Plan(game=GAME, agents=(agent, "random"), matches=4), store=store, seed=1)

    with pytest.raises(KeyboardInterrupt):
        begun().run(Interrupting(1))
    assert begun().matches == 0  # the code, or what the object knows, may be different now


@pytest.mark.parametrize("agent", [3, None, ("greedy",)])
def test_what_is_no_agent_is_refused(agent: Any) -> None:
    with pytest.raises(OptionError, match="an agent is written name or name:option=value"):
        Plan(game=GAME, agents=(agent, "random"))


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    ("agents", "error", "message"),
    [
        (
            (lambda game, *, seed: careful(game, seed=seed), lambda game, *, seed: None),
            PluginError,
            "two agents",
        ),
        ((type("Nameless", (Leftmost,), {"name": ""}), "random"), PluginError, "needs a name"),
        ((Leftmost(boardgames.load("hexifence")), "random"), OptionError, "plays <game hexifence"),
        ([Leftmost(GAME)] * 2, MatchError, "the same player is given twice"),
        (Leftmost, MatchError, "the agents of an arena must be a list"),
    ],
)
def test_agents_that_cannot_be_told_apart_or_do_not_fit_are_refused(
    agents: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Plan(game=GAME, agents=agents)


@pytest.mark.usefixtures("fresh")
def test_an_object_that_makes_players_is_an_agent() -> None:
    plan = Plan(game=GAME, agents=(partial(Leftmost, skipped=1), "random"), matches=2)
    assert Arena(plan, seed=1).run(InProcess()).matches == 2
