"""Searcher: limits, reports, what is kept between searches, and how threads work together."""

import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from nim import Nim
from reference.minimax import reached
from reference.searching import EXACT
from waiting import interrupted

import boardgames
from boardgames.declarations import Evaluation, position_key
from boardgames.errors import OptionError, PluginError
from boardgames.game import Position
from boardgames.kernels import Control, Evaluate, Reals, Words, is_stopped, kernel, new_control
from boardgames.player import NO_CONTEXT, NO_LIMIT, Analysis, Choice, Clock, Context, Limit, Stop
from boardgames.score import Score
from boardgames.search.alphabeta import table as tables
from boardgames.search.alphabeta.options import SEARCH_OPTIONS, SearchOptions
from boardgames.search.alphabeta.search import search_root
from boardgames.search.alphabeta.searcher import (
    RootBuffers,
    RootResult,
    Searcher,
    SearchTeam,
    SearchThread,
)
from boardgames.search.minimax import minimax
from boardgames.search.rules import INFINITY, MAX_DEPTH

ABALONE = boardgames.load("abalone")
CONNECT4 = boardgames.load("connect4")
HEXIFENCE = boardgames.load("hexifence", dimension=2)
START = ABALONE.start()
# black pushes off the sixth marble: nothing is searched below
WON = ABALONE.parse("w..../b...../b....../......../........./......../......./....../.....:b:0:5")
# red has three in the bottom row with both ends open: every move loses at the second ply
LOST = CONNECT4.parse("22334")
SMALL = SearchOptions(table=4)
LONG_S = 600.0

LIMITS = pytest.mark.parametrize("limit", [Limit(depth=5), Limit(nodes=20_000)], ids=["depth", "nodes"])
THREADS = pytest.mark.parametrize("threads", [1, 3])
LINES = pytest.mark.parametrize("lines", [1, None], ids=["best move", "all moves"])
SEARCHERS = pytest.mark.parametrize("kind", ["minimax", "plain", "default"])


def searcher_for(position: Position, options: SearchOptions = SMALL) -> Searcher:
    return Searcher(position.game, position.game.evaluation, options)


def of_kind(kind: str, position: Position) -> Searcher:
    """Return a searcher by minimax, by plain alpha-beta or with all techniques."""
    if kind == "minimax":
        return Searcher(position.game, position.game.evaluation, SearchOptions.plain(), node=minimax)
    return searcher_for(position, SearchOptions.plain() if kind == "plain" else SMALL)


def searched(
    position: Position,
    limit: Limit = NO_LIMIT,
    *,
    options: SearchOptions = SMALL,
    context: Context = NO_CONTEXT,
    lines: int | None = 1,
) -> Analysis:
    """Return the analysis of a new searcher."""
    return searcher_for(position, options).search(position, limit, context, lines=lines)


def without_times(analysis: Analysis) -> tuple[object, ...]:
    return analysis.moves, analysis.score, analysis.depth, analysis.nodes


def is_answer(analysis: Analysis) -> bool:
    """Return True if the analysis has a legal move with a legal line."""
    position = analysis.position
    for move in analysis.moves[0].line:
        if not position.is_legal(move):
            return False
        position = position.apply(move)
    return analysis.moves[0].move == analysis.moves[0].line[0]


def search_threads() -> list[str]:
    """Return the names of search threads that are alive."""
    names = (thread.name for thread in threading.enumerate())
    return [name for name in names if name.startswith(("boardgames-search", "boardgames-helper"))]


# --- limits ------------------------------------------------------------------------------------------


@LINES
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_depth_limit_ends_the_search(depth: int, lines: int | None) -> None:
    analysis = searched(START, Limit(depth=depth), lines=lines)
    assert analysis.depth == depth
    assert is_answer(analysis)


def test_a_first_depth_that_is_cut_short_is_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardgames.search.alphabeta.searcher.FIRST_NODE_LIMIT", 3)
    game = boardgames.load("connect4")
    analysis = Searcher(game, game.evaluation, SearchOptions(table=0)).search(
        game.start(), Limit(depth=1), NO_CONTEXT
    )
    assert analysis.depth == 1
    assert analysis.nodes > 3


def test_no_search_is_deeper_than_the_maximum() -> None:
    position = Nim(passing=True).parse("3:0:0:0")  # with passes, a line can go on forever
    options = replace(SMALL, repetition=False)
    analysis = searched(position, Limit(depth=MAX_DEPTH + 400), options=options)
    assert analysis.depth <= MAX_DEPTH
    assert is_answer(analysis)


@SEARCHERS
@LINES
@pytest.mark.parametrize("nodes", [1, 53, 1000, 20_000])
def test_a_node_limit_is_kept_except_for_the_first_depth(kind: str, lines: int | None, nodes: int) -> None:
    first = of_kind(kind, START).search(START, Limit(depth=1), NO_CONTEXT, lines=lines).nodes
    analysis = of_kind(kind, START).search(START, Limit(nodes=nodes), NO_CONTEXT, lines=lines)
    assert is_answer(analysis)
    assert analysis.nodes <= max(nodes + 2, first)
    assert nodes <= first or analysis.nodes >= nodes


@pytest.mark.parametrize("nodes", [200, 40_000])
@pytest.mark.parametrize("threads", [2, 4])
def test_threads_share_a_node_limit(threads: int, nodes: int) -> None:
    first = searched(START, Limit(depth=1)).nodes
    analysis = searched(START, Limit(nodes=nodes), options=replace(SMALL, threads=threads))
    assert is_answer(analysis)
    # the first thread ends the search, and each may notice two positions late
    assert nodes // threads <= max(analysis.nodes, first) <= nodes + first + 2 * threads


@SEARCHERS
@LINES
def test_time_ends_a_search(kind: str, lines: int | None) -> None:
    analysis = of_kind(kind, START).search(START, Limit(seconds=0.05), NO_CONTEXT, lines=lines)
    assert is_answer(analysis)


@pytest.mark.parametrize("left", [0.0, 0.001, 0.3])
def test_the_match_clock_ends_a_search(left: float) -> None:
    assert is_answer(searched(START, Limit(clock=Clock((left, LONG_S)))))


@THREADS
@LINES
def test_another_thread_ends_a_search(threads: int, lines: int | None) -> None:
    stop = Stop()

    def report(choice: Choice) -> None:
        if choice.depth == 2:
            threading.Timer(0.02, stop.set).start()

    context = Context(stop=stop, report=report)
    analysis = searched(START, options=replace(SMALL, threads=threads), lines=lines, context=context)
    assert analysis.depth >= 2
    assert is_answer(analysis)
    assert not search_threads()


@LINES
def test_a_stop_that_is_set_before_the_start_leaves_depth_1(lines: int | None) -> None:
    stop = Stop()
    stop.set()
    analysis = searched(START, options=SearchOptions.plain(), lines=lines, context=Context(stop=stop))
    assert (analysis.depth, analysis.nodes) == (1, len(START.actions))
    assert is_answer(analysis)


def test_a_stop_set_by_a_report_ends_the_search_at_that_depth() -> None:
    stop = Stop()

    def report(choice: Choice) -> None:
        if choice.depth == 3:
            stop.set()

    assert searched(START, context=Context(stop=stop, report=report)).depth == 3


@THREADS
def test_an_interrupt_ends_a_search_and_is_raised(threads: int) -> None:
    with interrupted():
        searched(START, options=replace(SMALL, threads=threads))
    assert not search_threads()


def test_a_searcher_can_be_used_after_an_interrupt() -> None:
    searcher = searcher_for(START, replace(SMALL, threads=2))
    with interrupted():
        searcher.search(START, NO_LIMIT, NO_CONTEXT)
    assert is_answer(searcher.search(START, Limit(depth=4), NO_CONTEXT))


def test_the_only_legal_move_is_played_at_once() -> None:
    game = boardgames.load("connect4", layout="4x4")
    analysis = searched(game.parse("432131114423423"))  # only column 2 is open
    assert (str(analysis.moves[0].move), analysis.depth, analysis.nodes) == ("2", 1, 1)


def test_a_decided_match_is_not_searched_further() -> None:
    assert searched(CONNECT4.parse("112233")).depth == 1


def test_a_search_ends_once_every_line_has_been_searched_to_its_end() -> None:
    analysis = searched(boardgames.load("tictactoe").parse("xo./.../..."))
    assert analysis.proven
    assert analysis.depth <= 7


# --- reports and answers -----------------------------------------------------------------------------


@LINES
@THREADS
def test_every_depth_is_reported_once_and_the_last_report_is_the_answer(
    threads: int, lines: int | None
) -> None:
    reports = list[Choice]()
    options = replace(SMALL, threads=threads)
    analysis = searched(
        START, Limit(depth=4), options=options, lines=lines, context=Context(report=reports.append)
    )
    assert [choice.depth for choice in reports] == [1, 2, 3, 4]
    last, answer = reports[-1], analysis.choice()
    assert (last.move, last.score, last.line) == (answer.move, answer.score, answer.line)
    assert last.nodes == analysis.nodes if threads == 1 else last.nodes <= analysis.nodes


def test_an_exception_in_a_report_is_raised() -> None:
    def report(choice: Choice) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        searched(CONNECT4.start(), Limit(depth=3), context=Context(report=report))


@pytest.mark.parametrize("lines", [1, 2, 5, None])
def test_the_requested_number_of_lines_is_valued_best_first(lines: int | None) -> None:
    analysis = searched(START, Limit(depth=4), lines=lines)
    values = [entry.score for entry in analysis.moves]
    assert len(values) == (lines or len(START.actions))
    assert values == sorted(values, reverse=True)
    assert len({entry.move for entry in analysis.moves}) == len(values)


def test_the_best_lines_are_the_best_of_all_moves() -> None:
    some, every = (searched(START, Limit(depth=3), options=EXACT, lines=lines) for lines in (4, None))
    expected = [entry.score.amount for entry in every.moves[:4]]
    assert [entry.score.amount for entry in some.moves] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("nodes", range(8, 80, 3))
def test_a_stopped_search_reports_a_loss_only_after_all_moves_were_seen_to_lose(nodes: int) -> None:
    analysis = searched(LOST, Limit(nodes=nodes), options=SearchOptions.plain())
    assert is_answer(analysis)
    assert (analysis.score == Score.loss(2)) == analysis.proven == (analysis.depth == 2)


def test_moves_that_were_seen_to_lose_come_last() -> None:
    # the best move of depth 1 loses at depth 2, and so does the next one
    played = [
        str(searched(LOST, Limit(nodes=nodes), options=SearchOptions.plain()).moves[0].move)
        for nodes in range(8, 40)
    ]
    assert list(dict.fromkeys(played))[:3] == ["4", "1", "5"]


def test_losing_moves_are_put_behind_the_best_of_the_others() -> None:
    known = RootResult(5, (1, 2, 3), (-50.0, -999_990.0, -60.0), (True, True, False), ((1,), (2,), (3,)))
    left = known.with_losing_moves([-999_995.0])
    assert (left.actions, left.values) == ((3, 2, 1), (-60.0, -999_990.0, -999_995.0))
    assert (left.exact, left.lines) == ((False, True, True), ((3,), (2,), (1,)))
    assert not left.is_solved()


def test_a_move_that_turns_out_better_comes_first_with_its_new_value() -> None:
    known = RootResult(5, (1, 2, 3), (50.0, 40.0, -60.0), (True, True, True), ((1,), (2,), (3,)))
    better = known.with_best_move(2, 70.0)
    assert (better.actions, better.values) == ((3, 1, 2), (70.0, 50.0, 40.0))
    assert (better.exact, better.lines) == ((False, True, True), ((3,), (1,), (2,)))


def test_a_move_that_failed_high_is_the_answer_if_its_search_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searcher = searcher_for(START)
    (thread,) = searcher.start_threads(START, 1, NO_CONTEXT)
    actions = START.actions[:3]
    known = RootResult(4, actions, (50.0, 40.0, 30.0), (True, True, True), tuple((one,) for one in actions))
    windows: list[tuple[float, float]] = []

    def search(words: Words, order: Words, depth: int, low: float, high: float, *buffers: Words) -> None:
        """Report that the third move is above the window, and stop before it is searched again."""
        windows.append((low, high))
        if len(windows) == 1:
            buffers[0][:3], buffers[1][:3], thread.control[0].finished_moves = (0.0, 0.0, high + 1.0), 1, 3
        else:
            thread.control[0].stop = 1

    monkeypatch.setattr("boardgames.search.alphabeta.searcher.search_root", search)
    result = thread.search_depth(5, known)
    assert windows[0][1] < INFINITY == windows[1][1]
    assert result.actions[0] == actions[2]


def test_a_search_does_not_change_the_position() -> None:
    before = START.words.copy()
    searched(START, Limit(depth=3))
    assert np.array_equal(before, START.words)


# --- what is kept between searches -------------------------------------------------------------------


@LIMITS
@pytest.mark.parametrize("kind", ["minimax", "plain", "default"])
@pytest.mark.parametrize("game", [ABALONE, CONNECT4, HEXIFENCE], ids=str)
def test_equal_searches_give_equal_answers(game: boardgames.Game, kind: str, limit: Limit) -> None:
    position = reached(game, 6, 1)
    shallow = Limit(depth=3) if limit.depth else limit
    first, second = (
        of_kind(kind, position).search(position, shallow, NO_CONTEXT, lines=None) for _ in range(2)
    )
    assert without_times(first) == without_times(second)


@LIMITS
def test_a_searcher_that_forgot_everything_searches_like_a_new_one(limit: Limit) -> None:
    searcher = searcher_for(START)
    first = searcher.search(START, limit, NO_CONTEXT)
    for seed in range(3):
        searcher.search(reached(ABALONE, 20, seed), limit, NO_CONTEXT)
    searcher.forget()
    assert without_times(searcher.search(START, limit, NO_CONTEXT)) == without_times(first)


def test_searching_the_same_line_again_is_cheaper() -> None:
    again = afresh = 0
    for seed in range(4):
        start = reached(ABALONE, 10, seed)
        searcher = searcher_for(start)
        line = searcher.search(start, Limit(depth=8), NO_CONTEXT).moves[0].line
        after = start.apply(line[0]).apply(line[1])
        again += searcher.search(after, Limit(depth=6), NO_CONTEXT).nodes
        afresh += searched(after, Limit(depth=6)).nodes
    assert again < 0.75 * afresh


def test_history_scores_are_halved_from_search_to_search() -> None:
    searcher = searcher_for(START)
    searcher.search(START, Limit(depth=5), NO_CONTEXT)
    before = searcher.history.copy()
    assert before.any()
    searcher.search(WON, Limit(depth=1), NO_CONTEXT)
    assert abs(searcher.history).max() <= abs(before).max() // 2 + 2


def test_a_table_that_does_not_fit_is_rejected_at_the_first_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "free_memory", lambda: 1 << 20)
    searcher = searcher_for(START)
    with pytest.raises(OptionError, match="a table of 4 MB does not fit into the 1 MB of free memory"):
        searcher.search(START, Limit(depth=1), NO_CONTEXT)


def test_without_a_table_no_memory_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "free_memory", lambda: 0)
    assert is_answer(searched(START, Limit(depth=4), options=replace(SMALL, table=0)))


@kernel(Evaluate)
def constant(position: Words, weights: Reals) -> float:
    """Return the same value, the first weight, whatever the position."""
    return float(weights[0])


@pytest.mark.parametrize("depth", [1, 4])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300, -1e300])
def test_a_search_ends_if_the_evaluation_returns_impossible_values(value: float, depth: int) -> None:
    evaluation = Evaluation("mine", constant, np.array([value]), unit=CONNECT4.evaluation.unit, bound=1.0)
    with pytest.raises(PluginError, match="evaluation 'mine' returns NaN or values beyond ±1"):
        Searcher(CONNECT4, evaluation, SMALL).search(CONNECT4.start(), Limit(depth=depth), NO_CONTEXT)


# --- threads -----------------------------------------------------------------------------------------


@THREADS
def test_no_thread_is_left_after_a_search(threads: int) -> None:
    searched(START, Limit(depth=5), options=replace(SMALL, threads=threads))
    assert not search_threads()


def test_threads_order_moves_by_the_same_killers_and_history() -> None:
    searcher = searcher_for(START, replace(SMALL, threads=2))
    first, second = searcher.start_threads(START, 1, NO_CONTEXT)
    second.search_depth(1, RootResult.unsearched(START.actions))
    second.search_depth(2, second.team.deepest)
    second.search_depth(3, second.team.deepest)
    for ordering in ("killers", "history"):
        learned = getattr(first.workspace, ordering)
        assert (learned > 0).any()
        np.testing.assert_array_equal(learned, getattr(second.workspace, ordering))


def test_nodes_of_all_threads_are_counted() -> None:
    one = searched(START, Limit(depth=6)).nodes
    assert searched(START, Limit(depth=6), options=replace(SMALL, threads=2)).nodes > one / 2


def test_all_threads_search_until_every_requested_line_is_proven() -> None:
    position = CONNECT4.parse("112233")  # won at once; the other moves take longer
    options, limit = replace(SMALL, threads=2), Limit(nodes=200_000)
    analysis = searched(position, limit, options=options, lines=None)
    assert not all(entry.proven for entry in analysis.moves)
    assert analysis.nodes > 110_000  # more than the share of one thread


def result_of(depth: int, value: float = 0.0) -> RootResult:
    unsearched = RootResult.unsearched(CONNECT4.start().actions)
    return replace(unsearched, depth=depth, values=(value, *unsearched.values[1:]))


def team_of(controls: int) -> tuple[SearchTeam, list[Control]]:
    """Return a team with the control records of threads that are searching depth 1."""
    team, records = SearchTeam(CONNECT4.start().actions), [new_control() for _ in range(controls)]
    for control in records:
        team.start(1, team.deepest, control)
    return team, records


@pytest.mark.plain
def test_the_first_thread_to_finish_a_depth_stops_the_others() -> None:
    team, (one, other) = team_of(2)
    assert not is_stopped(other)
    first = result_of(1, 5.0)
    assert team.finish(first, one) is first
    assert is_stopped(other)
    assert not is_stopped(one)


@pytest.mark.plain
def test_a_thread_that_is_late_takes_the_first_result_and_can_go_on() -> None:
    team, (one, other) = team_of(2)
    first = result_of(1, 5.0)
    team.finish(first, one)
    assert team.finish(result_of(0), other) is first
    assert not is_stopped(other)


@pytest.mark.plain
def test_a_finished_depth_is_not_searched_again() -> None:
    team, (one,) = team_of(1)
    team.finish(result_of(1, 1.0), one)
    team.start(2, team.deepest, one)
    team.finish(result_of(2, 2.0), one)
    other = new_control()
    assert [team.start(depth, team.deepest, other).values[0] for depth in (1, 2)] == [1.0, 2.0]
    assert team.deepest.depth == 2
    assert not is_stopped(other)


@pytest.mark.plain
def test_a_thread_that_was_stopped_within_a_depth_stops_no_other() -> None:
    team, (one, other) = team_of(2)
    one[0].stop = 1
    known = result_of(0)
    assert team.finish(known, one) is known
    assert not is_stopped(other)
    assert team.deepest.depth == 0


def thread_beside(another: Position | None) -> SearchThread:
    """Return the first of two threads, the second of which is at a position after a root move."""
    searcher = searcher_for(DEFERRING, replace(EXACT, threads=2))
    first, second = searcher.start_threads(DEFERRING, 1, NO_CONTEXT)
    if another is not None:
        searcher.keys[second.workspace.options[0].root_key + 1] = position_key(another.words)
    return first


DEFERRING = CONNECT4.parse("4453")
MOVE = 2
"""The index of a legal move that another thread is searching."""


def test_a_root_move_that_another_thread_is_searching_comes_last() -> None:
    thread = thread_beside(DEFERRING.apply(DEFERRING.legal_moves[MOVE]))
    count = len(DEFERRING.actions)
    order, buffers = np.arange(count), RootBuffers(count)
    thread.workspace.moves[0, :count] = DEFERRING.actions
    results = buffers.values, buffers.evaluated, buffers.lines
    search_root(thread.bundle.words, order, 5, -INFINITY, INFINITY, *results)
    assert order.tolist() == [*(index for index in range(count) if index != MOVE), MOVE]
    assert thread.control[0].finished_moves == count
    for place, line in zip(order, buffers.lines, strict=True):
        assert line[0] == 0 or line[1] == DEFERRING.actions[place]


def test_the_next_depth_does_not_depend_on_which_root_moves_were_deferred() -> None:
    results = []
    for another in (None, DEFERRING.apply(DEFERRING.legal_moves[MOVE])):
        thread, result = thread_beside(another), RootResult.unsearched(DEFERRING.actions)
        for depth in range(1, 6):
            result = thread.search_depth(depth, result)
        results.append(result)
    alone, beside = results
    assert alone.actions == beside.actions
    assert (alone.values[0], alone.lines[0][0]) == (beside.values[0], beside.lines[0][0])


# --- the agent's options, and processes --------------------------------------------------------------

SWITCHED = [
    f"{option.name}={str(not option.default).lower() if option.kind is bool else 0}"
    for option in SEARCH_OPTIONS
    if option.name != "threads"
]


@pytest.mark.parametrize("option", [*SWITCHED, "threads=2"])
@pytest.mark.parametrize("game", [ABALONE, CONNECT4, HEXIFENCE], ids=str)
def test_each_technique_can_be_switched_off_or_on(game: boardgames.Game, option: str) -> None:
    player = boardgames.load_player(f"alphabeta:depth=3,book=false,{option}", game)
    position = game.start()
    for _ in range(2):
        choice = player.choose(position)
        assert choice.move is not None
        assert position.is_legal(choice.move)
        position = position.apply(choice.move)


PROGRAM = """
import boardgames
from boardgames.player import Limit
from boardgames.search import minimax, perft, playout, rules
from boardgames.search.alphabeta import ordering, quiescence, search, searcher, table, workspace
position = boardgames.load("connect4").start()
print(boardgames.perft(position, 3), boardgames.playouts(position, 100, seed=1))
for agent in ("alphabeta", "minimax", "greedy"):
    choice = boardgames.load_player(agent, position.game, seed=1).choose(position, Limit(depth=2))
    print(agent, choice.move, choice.nodes)
kernels = {
    name: found
    for module in (minimax, perft, playout, rules, ordering, quiescence, search, searcher, table, workspace)
    for name, found in vars(module).items()
    if hasattr(found, "dispatcher")
}
compiled = {name for name, found in kernels.items() if sum(found.dispatcher.stats.cache_misses.values())}
loaded = {name for name, found in kernels.items() if sum(found.dispatcher.stats.cache_hits.values())}
print(len(kernels), compiled)
print(len(loaded))
"""


@pytest.mark.slow
def test_generic_kernels_are_compiled_once_and_run_in_a_second_process(home: Path) -> None:
    runs = [
        subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    first, second = (run.stdout.splitlines() for run in runs)
    assert first[:-2] == second[:-2]
    kernels = int(second[-2].split()[0])
    assert kernels >= 25
    assert second[-2] == f"{kernels} set()"
    assert 0 < int(second[-1]) < kernels, "only what Python calls itself is loaded"
