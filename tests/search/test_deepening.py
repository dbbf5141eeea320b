"""Iterative deepening: what ends a search, what is reported, and what is answered then."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from boardgames.search.deepening import Found, NodeSearch, as_choice
from nim import Nim
from reference.minimax import reached, tictactoe
from waiting import interrupted

import boardgames
from boardgames.game import Game, Position
from boardgames.player import NO_LIMIT, Analysis, Choice, Clock, Context, Limit, Stop
from boardgames.score import Score
from boardgames.search import MAX_DEPTH, search
from boardgames.search.alphabeta import negamax
from boardgames.search.minimax import minimax

ABALONE = boardgames.load("abalone")
CONNECT4 = boardgames.load("connect4")
ROOTS = pytest.mark.parametrize("node", [minimax, negamax], ids=["minimax", "alphabeta"])
BOTH = pytest.mark.parametrize("all_moves", [False, True], ids=["best move", "all moves"])
LONG_S = 600.0


def found(
    position: Position,
    limit: Limit = NO_LIMIT,
    *,
    node: NodeSearch = negamax,
    all_moves: bool = False,
    context: Context | None = None,
) -> Analysis:
    evaluation = position.game.evaluation
    return search(position, node, evaluation, limit, context or Context(), all_moves=all_moves)


def is_answer(analysis: Analysis) -> bool:
    """Say whether an analysis has a legal move with a legal line."""
    position = analysis.position
    for move in analysis.moves[0].line:
        if not position.is_legal(move):
            return False
        position = position.apply(move)
    return analysis.moves[0].move == analysis.moves[0].line[0]


@BOTH
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_depth_ends_a_search(depth: int, all_moves: bool) -> None:
    analysis = found(ABALONE.start(), Limit(depth=depth), all_moves=all_moves)
    assert analysis.depth == depth
    assert is_answer(analysis)


def test_a_depth_beyond_the_deepest_is_the_deepest() -> None:
    assert found(Nim(passing=True).parse("3:0:0:0"), Limit(depth=MAX_DEPTH + 50)).depth <= MAX_DEPTH


@ROOTS
@BOTH
@pytest.mark.parametrize("nodes", [1, 50, 53, 1000, 20_000])
def test_nodes_end_a_search_with_little_more(node: NodeSearch, all_moves: bool, nodes: int) -> None:
    start = ABALONE.start()
    analysis = found(start, Limit(nodes=nodes), node=node, all_moves=all_moves)
    # the first ply is always searched
    assert analysis.nodes <= max(nodes, len(start.actions)) + 2
    assert is_answer(analysis)


def test_nodes_are_used_up() -> None:
    assert found(ABALONE.start(), Limit(nodes=20_000)).nodes >= 20_000


@ROOTS
@BOTH
def test_time_ends_a_search(node: NodeSearch, all_moves: bool) -> None:
    assert is_answer(found(ABALONE.start(), Limit(seconds=0.05), node=node, all_moves=all_moves))


@pytest.mark.parametrize("left", [0.0, 0.001, 0.3])
def test_the_match_clock_ends_a_search(left: float) -> None:
    assert is_answer(found(ABALONE.start(), Limit(clock=Clock((left, LONG_S)))))


@ROOTS
@BOTH
def test_another_thread_ends_a_search(node: NodeSearch, all_moves: bool) -> None:
    stop = Stop()

    def report(choice: Choice) -> None:
        if choice.depth == 2:
            threading.Timer(0.02, stop.set).start()

    analysis = found(
        ABALONE.start(), node=node, all_moves=all_moves, context=Context(stop=stop, report=report)
    )
    assert analysis.depth >= 2
    assert is_answer(analysis)


@ROOTS
@BOTH
def test_a_stop_set_before_the_start_leaves_the_first_ply(node: NodeSearch, all_moves: bool) -> None:
    stop = Stop()
    stop.set()
    start = ABALONE.start()
    analysis = found(start, node=node, all_moves=all_moves, context=Context(stop=stop))
    assert (analysis.depth, analysis.nodes) == (1, len(start.actions))
    assert is_answer(analysis)


def test_a_stop_out_of_the_report_ends_a_search_at_that_depth() -> None:
    stop = Stop()

    def report(choice: Choice) -> None:
        if choice.depth == 3:
            stop.set()

    assert found(ABALONE.start(), context=Context(stop=stop, report=report)).depth == 3


@BOTH
def test_every_depth_is_reported_once(all_moves: bool) -> None:
    depths = list[int]()
    context = Context(report=lambda choice: depths.append(choice.depth))
    found(ABALONE.start(), Limit(depth=4), all_moves=all_moves, context=context)
    assert depths == [1, 2, 3, 4]


def test_the_last_report_is_the_answer() -> None:
    reports = list[Choice]()
    analysis = found(CONNECT4.start(), Limit(depth=5), context=Context(report=reports.append))
    last, answer = reports[-1], as_choice(analysis)
    assert (last.move, last.score, last.line, last.nodes) == (
        answer.move, answer.score, answer.line, answer.nodes,
    )  # fmt: skip


def test_what_a_report_raises_is_raised() -> None:
    def report(choice: Choice) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        found(CONNECT4.start(), Limit(depth=3), context=Context(report=report))


def test_the_only_legal_move_is_answered_at_once() -> None:
    # column 1 of two is full
    game = boardgames.load("connect4", columns=2, rows=4)
    analysis = found(game.parse("1111"))
    assert (str(analysis.moves[0].move), analysis.depth, analysis.nodes) == ("2", 1, 1)


def test_a_decided_match_is_not_searched_further() -> None:
    assert found(CONNECT4.parse("112233")).depth == 1


def test_a_search_ends_by_itself_where_every_line_has_been_seen() -> None:
    analysis = found(tictactoe().parse("xo./.../..."))
    assert analysis.proven
    assert analysis.depth <= 7


@ROOTS
@pytest.mark.parametrize("game", [ABALONE, CONNECT4, boardgames.load("hexifence")], ids=str)
def test_equal_searches_give_equal_answers(node: NodeSearch, game: Game) -> None:
    position = reached(game, 6, 1)
    answers = [found(position, Limit(nodes=5_000), node=node, all_moves=True) for _ in range(2)]
    assert len({(entry.moves, entry.score, entry.depth, entry.nodes) for entry in answers}) == 1


@pytest.mark.parametrize("nodes", range(8, 80, 3))
def test_a_search_cut_short_is_not_lost_before_every_move_was_seen_to_lose(nodes: int) -> None:
    # red has three in the bottom row with both ends open: every move loses at the second ply
    analysis = found(CONNECT4.parse("22334"), Limit(nodes=nodes))
    assert is_answer(analysis)
    assert (analysis.score == Score.loss(2)) == analysis.proven == (analysis.depth == 2)


def test_after_moves_that_lose_comes_the_best_of_the_others() -> None:
    known = Found(5, (1, 2, 3), (-50.0, -999_990.0, -60.0), (True, True, False), ((1,), (2,), (3,)))
    left = known.without([-999_995.0])
    assert (left.actions, left.values) == ((3, 2, 1), (-60.0, -999_990.0, -999_995.0))
    assert (left.exact, left.lines) == ((False, True, True), ((3,), (2,), (1,)))
    assert not left.is_settled()


def test_a_move_that_turns_out_better_is_told_with_its_own_value() -> None:
    known = Found(5, (1, 2, 3), (50.0, 40.0, -60.0), (True, True, True), ((1,), (2,), (3,)))
    led = known.led_by(2, 70.0)
    assert (led.actions, led.values) == ((3, 1, 2), (70.0, 50.0, 40.0))
    assert (led.exact, led.lines) == ((False, True, True), ((3,), (1,), (2,)))


def test_moves_that_were_seen_to_lose_come_after_the_others() -> None:
    # the favourite of the first ply loses, and so does the next one
    position = CONNECT4.parse("22334")
    played = [str(found(position, Limit(nodes=nodes)).moves[0].move) for nodes in range(8, 40)]
    assert list(dict.fromkeys(played))[:3] == ["4", "1", "5"]


def test_an_interrupt_ends_a_search_and_is_raised_again() -> None:
    with interrupted():
        found(ABALONE.start())
    assert not any(thread.name == "boardgames-search" for thread in threading.enumerate())


PROGRAM = """
import boardgames
from boardgames.player import Limit
from boardgames.search import alphabeta, minimax, perft, playout, root, tree
for name in ("abalone", "connect4", "hexifence"):
    position = boardgames.load(name).start()
    print(boardgames.perft(position, 2), boardgames.playouts(position, 5, seed=1, ply_limit=50))
    for agent in ("alphabeta", "minimax"):
        choice = boardgames.load_player(agent, position.game).choose(position, Limit(depth=2))
        print(name, agent, choice.move, choice.score, choice.nodes)
kernels = {
    name: found
    for module in (alphabeta, minimax, perft, playout, root, tree)
    for name, found in vars(module).items()
    if hasattr(found, "nopython_signatures")
}
print(len(kernels), {name for name, found in kernels.items() if sum(found.stats.cache_misses.values())})
print(sum(sum(found.stats.cache_hits.values()) for found in kernels.values()))
"""


@pytest.mark.slow
def test_generic_functions_come_from_the_cache_and_run_in_a_second_process(home: Path) -> None:
    runs = [
        subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    first, second = (run.stdout.splitlines() for run in runs)
    assert first[:-2] == second[:-2]
    kernels = int(second[-2].split()[0])
    assert kernels >= 9
    assert (second[-2], int(second[-1])) == (f"{kernels} set()", kernels)
