"""Thinker: what it keeps from search to search, what ends it, and that it does the same every time."""

import threading
from dataclasses import replace

import pytest
from boardgames.search.means import Means
from boardgames.search.thinking import Thinker
from nim import Nim
from reference.minimax import reached, search_value
from waiting import interrupted

import boardgames
from boardgames.errors import OptionError
from boardgames.game import Position
from boardgames.player import NO_CONTEXT, NO_LIMIT, Analysis, Choice, Context, Limit, Stop
from boardgames.players.alphabeta import MEANS
from boardgames.search import table as tables

ABALONE = boardgames.load("abalone")
CONNECT4 = boardgames.load("connect4")
START = ABALONE.start()
# black pushes off the sixth marble: nothing is searched below
WON = ABALONE.parse("w..../b...../b....../......../........./......../......./....../.....:b:0:5")
SMALL = Means(table=4)
LIMITS = pytest.mark.parametrize("limit", [Limit(depth=5), Limit(nodes=20_000)], ids=["depth", "nodes"])
THREADS = pytest.mark.parametrize("threads", [1, 3])


def thinker_of(position: Position, means: Means = SMALL) -> Thinker:
    return Thinker(position.game, position.game.evaluation, means)


def found(thinker: Thinker, position: Position, limit: Limit, context: Context = NO_CONTEXT) -> Analysis:
    return thinker.search(position, limit, context)


def told(analysis: Analysis) -> tuple[object, ...]:
    """Return all that does not depend on time."""
    return analysis.moves, analysis.score, analysis.depth, analysis.nodes


def is_answer(analysis: Analysis) -> bool:
    """Say whether an analysis has a legal move with a legal line."""
    position = analysis.position
    for move in analysis.moves[0].line:
        if not position.is_legal(move):
            return False
        position = position.apply(move)
    return analysis.moves[0].move == analysis.moves[0].line[0]


def searching() -> list[str]:
    """Return the names of the threads of searches that are alive."""
    names = (thread.name for thread in threading.enumerate())
    return [name for name in names if name.startswith(("boardgames-search", "boardgames-helper"))]


@LIMITS
@pytest.mark.parametrize("position", [START, CONNECT4.parse("4455")], ids=["abalone", "connect4"])
def test_one_thread_does_the_same_every_time(position: Position, limit: Limit) -> None:
    first, second = (found(thinker_of(position), position, limit) for _ in range(2))
    assert told(first) == told(second)


@LIMITS
def test_what_was_forgotten_has_no_effect(limit: Limit) -> None:
    thinker = thinker_of(START)
    first = found(thinker, START, limit)
    for seed in range(3):
        found(thinker, reached(ABALONE, 20, seed), limit)
    thinker.forget()
    assert told(found(thinker, START, limit)) == told(first)


def test_a_second_search_of_the_same_line_is_cheaper() -> None:
    thinker = thinker_of(START)
    line = found(thinker, START, Limit(depth=9)).moves[0].line
    after = START.apply(line[0]).apply(line[1])
    again, anew = (found(searcher, after, Limit(depth=7)) for searcher in (thinker, thinker_of(START)))
    assert again.nodes < 0.5 * anew.nodes


def test_history_fades_from_search_to_search() -> None:
    thinker = thinker_of(START)
    found(thinker, START, Limit(depth=5))
    memory = thinker._minds[0].memory
    before = memory[2:].copy()
    assert before.any()
    found(thinker, WON, Limit(depth=1))
    assert abs(memory[2:]).max() <= abs(before).max() // 2 + 2


@pytest.mark.parametrize("nodes", [1, 60, 1000, 20_000])
@pytest.mark.parametrize("lines", [1, None], ids=["best move", "all moves"])
def test_a_limit_of_nodes_is_kept_but_for_the_first_ply(nodes: int, lines: int | None) -> None:
    first = thinker_of(START).search(START, Limit(depth=1), NO_CONTEXT, lines=lines).nodes
    analysis = thinker_of(START).search(START, Limit(nodes=nodes), NO_CONTEXT, lines=lines)
    assert is_answer(analysis)
    assert analysis.nodes <= max(nodes + 2, first)
    assert nodes <= first or analysis.nodes >= nodes


@pytest.mark.parametrize("nodes", [200, 40_000])
@pytest.mark.parametrize("threads", [2, 4])
def test_threads_share_a_limit_of_nodes(threads: int, nodes: int) -> None:
    first = found(thinker_of(START), START, Limit(depth=1)).nodes
    analysis = found(thinker_of(START, replace(SMALL, threads=threads)), START, Limit(nodes=nodes))
    assert is_answer(analysis)
    # the first thread ends the search, and each may notice two positions late
    assert nodes // threads <= max(analysis.nodes, first) <= nodes + first + 2 * threads


def test_all_threads_go_on_until_every_line_that_was_asked_for_is_proven() -> None:
    position = CONNECT4.parse("112233")  # won at once, the other moves take longer
    thinker, limit = thinker_of(position, replace(SMALL, threads=2)), Limit(nodes=200_000)
    analysis = thinker.search(position, limit, NO_CONTEXT, lines=None)
    assert not all(entry.proven for entry in analysis.moves)
    assert analysis.nodes > 110_000  # more than the share of one


@THREADS
def test_no_thread_is_left_after_a_search(threads: int) -> None:
    found(thinker_of(START, replace(SMALL, threads=threads)), START, Limit(depth=5))
    assert not searching()


@THREADS
def test_time_ends_a_search(threads: int) -> None:
    assert is_answer(found(thinker_of(START, replace(SMALL, threads=threads)), START, Limit(seconds=0.05)))
    assert not searching()


@THREADS
def test_a_stop_ends_a_search(threads: int) -> None:
    stop = Stop()

    def report(choice: Choice) -> None:
        if choice.depth == 3:
            threading.Timer(0.02, stop.set).start()

    thinker = thinker_of(START, replace(SMALL, threads=threads))
    analysis = found(thinker, START, NO_LIMIT, Context(stop=stop, report=report))
    assert analysis.depth >= 3
    assert is_answer(analysis)
    assert not searching()


@THREADS
def test_an_interrupt_ends_a_search_and_is_raised_again(threads: int) -> None:
    with interrupted():
        found(thinker_of(START, replace(SMALL, threads=threads)), START, NO_LIMIT)
    assert not searching()


def test_a_search_goes_on_after_an_interrupt() -> None:
    thinker = thinker_of(START, replace(SMALL, threads=2))
    with interrupted():
        found(thinker, START, NO_LIMIT)
    assert is_answer(found(thinker, START, Limit(depth=4)))


@THREADS
def test_every_depth_is_reported_once_and_the_last_is_the_answer(threads: int) -> None:
    reports = list[Choice]()
    thinker = thinker_of(START, replace(SMALL, threads=threads))
    analysis = found(thinker, START, Limit(depth=6), Context(report=reports.append))
    assert [choice.depth for choice in reports] == [1, 2, 3, 4, 5, 6]
    last = reports[-1]
    assert (last.move, last.score) == (analysis.moves[0].move, analysis.score)
    assert last.nodes == analysis.nodes if threads == 1 else last.nodes <= analysis.nodes


@pytest.mark.parametrize("lines", [1, 2, 5, None])
def test_as_many_lines_as_asked_for_are_valued_best_first(lines: int | None) -> None:
    analysis = thinker_of(START).search(START, Limit(depth=4), NO_CONTEXT, lines=lines)
    values = [entry.score for entry in analysis.moves]
    assert len(values) == (lines or len(START.actions))
    assert values == sorted(values, reverse=True)
    assert len({entry.move for entry in analysis.moves}) == len(values)


def test_the_best_lines_are_the_best_of_all_moves() -> None:
    means = replace(SMALL, reductions=False)
    some, every = (
        thinker_of(START, means).search(START, Limit(depth=3), NO_CONTEXT, lines=lines) for lines in (4, None)
    )
    expected = [search_value(entry.score) for entry in every.moves[:4]]
    assert [search_value(entry.score) for entry in some.moves] == pytest.approx(expected, abs=1e-9)


def test_a_table_that_does_not_fit_is_refused_at_the_first_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "free_memory", lambda: 1 << 20)
    thinker = thinker_of(START)
    with pytest.raises(OptionError, match="fits into the 1 MB that are free: 4 MB"):
        found(thinker, START, Limit(depth=1))


def test_without_a_table_none_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "free_memory", lambda: 0)
    assert is_answer(found(thinker_of(START, replace(SMALL, table=0)), START, Limit(depth=4)))


def test_the_position_is_left_as_it_was() -> None:
    before = START.words.copy()
    found(thinker_of(START), START, Limit(depth=3))
    assert (before == START.words).all()


def test_more_than_the_deepest_search_is_as_deep_as_it_goes() -> None:
    # a line can go on for ever by passing
    game = Nim(passing=True)
    thinker = thinker_of(game.start(), replace(SMALL, repetition=False))
    assert is_answer(found(thinker, game.parse("3:0:0:0"), Limit(depth=500)))


OTHERWISE = [
    f"{option.name}={str(not option.default).lower() if option.kind is bool else 0}"
    for option in MEANS
    if option.name != "threads"
]


@pytest.mark.parametrize("option", [*OTHERWISE, "threads=2"])
@pytest.mark.parametrize("game", [ABALONE, CONNECT4, boardgames.load("hexifence", dimension=2)], ids=str)
def test_each_of_the_means_can_be_switched(game: boardgames.Game, option: str) -> None:
    player = boardgames.load_player(f"alphabeta:depth=3,book=false,{option}", game)
    position = game.start()
    for _ in range(3):
        choice = player.choose(position)
        assert position.is_legal(choice.move)
        position = position.apply(choice.move)


def test_nodes_of_all_threads_are_counted() -> None:
    thinker = thinker_of(START, replace(SMALL, threads=2))
    one = found(thinker_of(START), START, Limit(depth=6)).nodes
    assert found(thinker, START, Limit(depth=6)).nodes > one / 2
