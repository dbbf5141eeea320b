"""Searcher: limits, stopping, reports and repeatable searches."""

from dataclasses import replace

import numpy as np
import pytest
from nim import Nim, legal_moves
from reference.tree_search import children_of, nodes_of, search, searcher_for

import boardgames
from boardgames import Choice, Stop
from boardgames.kernels import Actions, LegalMoves, Words, kernel
from boardgames.player import Context, Limit
from boardgames.search.mcts import searcher as searchers
from boardgames.search.mcts.options import MctsOptions
from boardgames.search.mcts.searcher import FORCED_SIMULATIONS
from boardgames.search.mcts.tree import ROOT, VISITS, WORDS_PER_NODE, WORDS_USED

CONNECT4 = boardgames.load("connect4")
START = CONNECT4.start()
ENDLESS = Limit(simulations=10**12)

THREADS = pytest.mark.parametrize("threads", [1, 2])


def height(words: Actions, node: int) -> int:
    """Return the plies from a node to the deepest one below it."""
    return max((1 + height(words, child) for child in children_of(words, node)), default=0)


@pytest.mark.plain
def test_equal_seeds_give_equal_searches_and_other_seeds_others() -> None:
    analyses = [search(START, 100, seed=seed) for seed in (7, 7, 8)]
    results = [(one.score, one.nodes, one.moves) for one in analyses]
    assert results[0] == results[1] != results[2]


@pytest.mark.plain
@pytest.mark.parametrize("all_moves", [False, True])
def test_simulations_are_exact(all_moves: bool) -> None:
    for count in (1, 2, 77):
        assert search(START, count, all_moves=all_moves).simulations == count


@pytest.mark.plain
def test_the_simulation_that_reaches_the_node_limit_is_the_last() -> None:
    result = search(START, limit=Limit(nodes=500))
    before = search(START, result.simulations - 1)
    assert before.nodes < 500 <= result.nodes


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_tree_grows_no_deeper_than_the_limit(depth: int) -> None:
    searcher = searcher_for(CONNECT4)
    result = search(START, searcher=searcher, limit=Limit(depth=depth, simulations=3000))
    assert result.depth == len(result.moves[0].line) == height(searcher.tree.words, ROOT) == depth


@kernel(LegalMoves)
def one_move_at_first(position: Words, moves: Actions) -> int:
    """Allow only one legal move as long as there are a hundred stones."""
    if position[0] != np.uint64(100):
        return legal_moves(position, moves)
    moves[0] = 1
    return 1


def test_little_time_is_spent_on_a_forced_move() -> None:
    game = Nim()
    game.kernels = replace(game.kernels, legal_moves=one_move_at_first)
    result = search(game.parse("100:0:0:0"), 10_000, options=MctsOptions(memory=1, cutoff=5))
    assert (result.simulations, len(result.moves)) == (FORCED_SIMULATIONS, 1)


def test_a_full_tree_is_searched_without_new_nodes() -> None:
    searcher = searcher_for(CONNECT4)
    result = search(START, 50_000, searcher=searcher)
    words = searcher.tree.words
    assert words.nbytes == 1 << 20
    assert words.size - words[WORDS_USED] < 7 * WORDS_PER_NODE
    assert result.simulations == words[ROOT + VISITS] == 50_000


@pytest.mark.plain
def test_a_stopped_simulation_leaves_no_visits() -> None:
    searcher, stop = searcher_for(CONNECT4), Stop()
    stop.set()
    result = search(START, searcher=searcher, context=Context(stop=stop))
    assert (result.simulations, result.score.amount, result.proven) == (0, 0.0, False)
    assert result.moves[0].move in START.legal_moves
    words = searcher.tree.words
    assert {int(words[node + VISITS]) for node, _ in nodes_of(words)} == {0}


def test_a_time_limit_ends_an_endless_playout() -> None:
    # one marble each: the random moves never end the match
    lone = boardgames.load("abalone").parse(
        "b..../....../......./......../........./......../......./....../....w"
    )
    result = search(lone, limit=Limit(seconds=0.05), options=MctsOptions(memory=1, cutoff=2**40))
    assert result.simulations == 0


@THREADS
def test_reports_come_regularly_until_the_search_is_stopped(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searchers, "REPORT_S", 0.001)
    reports: list[Choice] = []
    stop = Stop()

    def report(choice: Choice) -> None:
        reports.append(choice)
        if len(reports) == 3:
            stop.set()

    result = search(
        START,
        options=MctsOptions(memory=1, threads=threads),
        limit=ENDLESS,
        context=Context(stop=stop, report=report),
    )
    assert len(reports) > 3
    counts = [choice.simulations for choice in reports]
    assert counts == sorted(counts)
    assert all(choice.line[0] == choice.move and choice.depth == len(choice.line) for choice in reports)
    last = result.choice()
    assert (reports[-1].move, reports[-1].score, reports[-1].line) == (last.move, last.score, last.line)


@THREADS
def test_a_listener_that_raises_ends_the_search(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def report(choice: Choice) -> None:
        raise ValueError("enough")

    monkeypatch.setattr(searchers, "REPORT_S", 0.001)
    options = MctsOptions(memory=1, threads=threads)
    with pytest.raises(ValueError, match="enough"):
        search(START, options=options, limit=ENDLESS, context=Context(report=report))
