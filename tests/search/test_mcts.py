"""Monte Carlo tree search: proofs that hold, trees that add up, values that converge, limits kept."""

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from nim import Nim, legal_moves
from reference.minimax import reached, successors, tictactoe

import boardgames
from boardgames.declarations import NO_EVALUATION
from boardgames.game import Game, Position
from boardgames.kernels import JIT, Actions, LegalMoves, Words, kernel
from boardgames.player import NO_CONTEXT, Analysis, Context, Limit
from boardgames.search.growing import FORCED_SIMULATIONS, LONG_PLAYOUT, Style, grow
from boardgames.search.kept_tree import Tree
from boardgames.search.leaves import EXPLORATION, PRIOR, SETTINGS, SHARED, as_total
from boardgames.search.leaves import SCALES as SCALES_LENGTH
from boardgames.search.mcts import LEAF_VISITS, select
from boardgames.search.nodes import (
    COUNT_SHIFT,
    FACTS,
    LINK,
    NODE_WORDS,
    ORDERED,
    PLACE_MASK,
    PRIOR_MASK,
    PROOF_MASK,
    ROOT,
    SIDE_SHIFT,
    TOTAL,
    UNIT,
    USED,
    VISITS,
    prior_of,
)

CONNECT4 = boardgames.load("connect4")
SMALL: dict[str, tuple[Game, range]] = {
    "tictactoe": (tictactoe(), range(7)),
    "connect4 of 4 x 4": (boardgames.load("connect4", columns=4, rows=4), range(7, 13)),
    "hexifence": (boardgames.load("hexifence", dimension=2), range(23, 28)),
    "nim": (Nim(), range(3)),
    "nim where one stone keeps the turn": (Nim(again=True), range(3)),
    "nim ended by lack of moves": (Nim(stuck=True), range(3)),
}
STYLES = {
    "plain": Style(prior="none"),
    "order": Style(prior="order"),
    "evaluation": Style(prior="evaluation", cutoff=0),
    "by default": Style(),
    "cut off": Style(prior="none", cutoff=2),
}
PLAIN = ("tictactoe", "nim where one stone keeps the turn", "nim ended by lack of moves")


def searched(
    position: Position,
    simulations: int = 1000,
    *,
    style: Style = STYLES["by default"],
    tree: Tree | None = None,
    seed: int = 1,
    **keywords: Any,
) -> Analysis:
    """Return what a search of a new tree, or of one that is given, finds."""
    limit = keywords.pop("limit", Limit(simulations=simulations))
    seeds = np.arange(seed, seed + style.threads, dtype=np.uint64)
    evaluation = position.game.evaluation
    context = keywords.pop("context", NO_CONTEXT)
    return grow(tree or Tree(1), position, evaluation, style, limit, context, seeds=seeds, **keywords)


@cache
def exact(position: Position) -> int:
    """Return the return of perfect play for side 0, by going through every match."""
    if position.outcome is not None:
        winner = position.outcome.winner
        return 0 if winner is None else 1 - 2 * winner
    choose = max if position.side_to_move == 0 else min
    return choose(exact(after) for after in successors(position))


def exact_for_mover(position: Position, after: Position) -> int:
    return exact(after) * (1 - 2 * position.side_to_move)


def nodes_of(words: Actions, root: int = ROOT) -> list[tuple[int, list[int]]]:
    """Return every node that another one leads to, with its successors."""
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        link = int(words[node + LINK])
        first, count = link & PLACE_MASK, max(link, 0) >> COUNT_SHIFT
        successors = [first + index * NODE_WORDS for index in range(count)]
        found.append((node, successors))
        waiting += successors
    return found


def height(words: Actions, node: int) -> int:
    """Return the plies from a node to the deepest one below it."""
    below = dict(nodes_of(words, node))[node]
    return 1 + max(height(words, place) for place in below) if below else 0


def assert_adds_up(words: Actions, *, threads: int = 1) -> None:
    """Check that nothing was lost: visits, totals, and nodes between the root and the end of what is used."""
    found = nodes_of(words)
    assert (len(found) + 1) * NODE_WORDS == words[USED] <= words.size
    for node, below in found:
        visits = int(words[node + VISITS])
        assert abs(int(words[node + TOTAL])) <= visits * UNIT
        if below and node != ROOT:
            # visits while it was a leaf; other threads may come by while one of them adds the moves
            as_leaf = visits - sum(int(words[place + VISITS]) for place in below)
            assert 0 <= as_leaf < LEAF_VISITS + threads


def assert_proofs_hold(name: str, style: Style, seeds: range) -> int:
    """Check everything that is said to be proven, and return how often that is said of a position."""
    game, plies = SMALL[name]
    proofs = 0
    for seed in seeds:
        for count in plies:
            position = reached(game, count, seed)
            value = exact(position) * (1 - 2 * position.side_to_move)
            for simulations in (3, 40, 600):
                found = searched(position, simulations, style=style, seed=seed)
                proofs += found.proven
                best = exact_for_mover(position, position.apply(found.moves[0].move))
                assert not found.proven or found.score.amount == value == best
                every = searched(position, simulations, style=style, seed=seed, all_moves=True)
                for entry in every.moves:
                    after = position.apply(entry.move)
                    assert not entry.proven or entry.score.amount == exact_for_mover(position, after)
    return proofs


@pytest.mark.plain
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", PLAIN)
def test_what_is_proven_is_so(name: str, style: str) -> None:
    assert assert_proofs_hold(name, STYLES[style], range(1 if not JIT else 3)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", SMALL)
def test_what_is_proven_is_so_in_hundreds_of_positions(name: str, style: str) -> None:
    assert assert_proofs_hold(name, STYLES[style], range(25)) > 25


@pytest.mark.parametrize("name", SMALL)
def test_small_positions_are_proven_in_the_end(name: str) -> None:
    game, plies = SMALL[name]
    position = reached(game, plies[-1] - 1, 1)
    found = searched(position, 10**6)
    assert found.proven
    assert found.simulations < 10**6


@pytest.mark.parametrize("name", ["plain", "order", "by default"])
def test_values_come_near_to_those_of_perfect_play(name: str) -> None:
    # a tenth is what exploring leaves after so many simulations
    position = CONNECT4.parse("444444")
    assert searched(position, 20_000, style=STYLES[name], tree=Tree(64)).score.sign > 0
    game, plies = SMALL["connect4 of 4 x 4"]
    for seed in range(5):
        found = reached(game, plies[0], seed)
        value = exact(found) * (1 - 2 * found.side_to_move)
        assert searched(found, 20_000, style=STYLES[name]).score.amount == pytest.approx(value, abs=0.1)


@pytest.mark.plain
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ["connect4", "hexifence"])
def test_a_tree_adds_up(name: str, style: str) -> None:
    start, tree = boardgames.load(name).start(), Tree(1)
    found = searched(start, 80, style=STYLES[style], tree=tree)
    assert found.simulations == 80
    assert tree.words[ROOT + VISITS] == 80
    assert_adds_up(tree.words)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("style", ["order", "evaluation"])
@pytest.mark.parametrize("name", ["connect4", "hexifence", "abalone"])
def test_the_way_down_is_that_of_the_highest_bound_of_all_successors(
    name: str, style: str, threads: int
) -> None:
    start, tree, compared = boardgames.load(name).start(), Tree(4), 0
    searched(start, 4000, style=replace(STYLES[style], threads=threads), tree=tree)
    words = tree.words
    settings, scales = np.zeros(SETTINGS, dtype=np.int64), np.zeros(SCALES_LENGTH)
    settings[PRIOR], settings[SHARED], scales[EXPLORATION] = 1, threads > 1, 1.0
    for node, below in nodes_of(words):
        if not below or words[node + FACTS] & PROOF_MASK:
            continue
        priors = [prior_of(words, place) for place in below]
        assert priors[:ORDERED] == sorted(priors, reverse=True)[:ORDERED]
        chosen = select(words, node, settings, scales, np.ones(1, dtype=np.uint64))
        bounds = {place: bound_of(words, node, place) for place in below}
        assert bounds[chosen] == pytest.approx(max(bounds.values()), abs=1e-9)
        compared += 1
    assert compared > 30


def bound_of(words: Actions, node: int, place: int) -> float:
    """Return the upper bound of a successor as Silver et al., 2018, define it; none of one that is lost."""
    side = words[node + FACTS] >> SIDE_SHIFT & 1
    if words[place + FACTS] & PROOF_MASK == 2 - side:
        return -math.inf
    above, visits = max(int(words[node + VISITS]), 1), int(words[place + VISITS])
    total, times = (words[place + TOTAL], visits) if visits > 0 else (words[node + TOTAL], above)
    growth = 1.0 + math.log((1 + above + 4999) / 5000)
    prior = prior_of(words, place) / PRIOR_MASK
    return (1 - 2 * side) * total / (times * UNIT) + growth * prior * math.sqrt(above) / (1 + max(visits, 0))


@pytest.mark.parametrize("name", ["connect4", "hexifence", "abalone"])
@pytest.mark.parametrize("threads", [2, 4])
def test_a_tree_of_several_threads_adds_up(threads: int, name: str) -> None:
    style = Style(threads=threads, cutoff=3)
    for simulations in (threads - 1, threads, 10_001):
        tree = Tree(1)
        found = searched(boardgames.load(name).start(), simulations, style=style, tree=tree)
        assert found.simulations == tree.words[ROOT + VISITS] == simulations
        found_nodes = nodes_of(tree.words)
        assert (len(found_nodes) + 1) * NODE_WORDS == tree.words[USED]  # no leaf got its moves twice
        for node, below in found_nodes:
            visits = int(tree.words[node + VISITS])
            assert abs(int(tree.words[node + TOTAL])) <= visits * UNIT
            assert sum(int(tree.words[place + VISITS]) for place in below) <= visits


def test_threads_prove_what_is_so() -> None:
    game, plies = SMALL["connect4 of 4 x 4"]
    for seed in range(20):
        position = reached(game, plies[seed % len(plies)], seed)
        found = searched(position, 3000, style=Style(threads=4), seed=seed)
        value = exact(position) * (1 - 2 * position.side_to_move)
        assert not found.proven or found.score.amount == value


@pytest.mark.plain
def test_equal_seeds_give_equal_searches_and_others_do_not() -> None:
    found = [searched(CONNECT4.start(), 300, seed=seed) for seed in (7, 7, 8)]
    told = [(one.score, one.nodes, one.moves) for one in found]
    assert told[0] == told[1] != told[2]


@pytest.mark.plain
@pytest.mark.parametrize("all_moves", [False, True])
def test_simulations_are_exact(all_moves: bool) -> None:
    for count in (1, 2, 77):
        assert searched(CONNECT4.start(), count, all_moves=all_moves).simulations == count


@pytest.mark.plain
def test_the_simulation_that_reaches_the_limit_of_nodes_is_the_last() -> None:
    found = searched(CONNECT4.start(), limit=Limit(nodes=500))
    before = searched(CONNECT4.start(), found.simulations - 1)
    assert before.nodes < 500 <= found.nodes


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_tree_grows_no_deeper_than_the_limit(depth: int) -> None:
    tree = Tree(4)
    found = searched(CONNECT4.start(), tree=tree, limit=Limit(depth=depth, simulations=5000))
    assert found.depth == len(found.moves[0].line) == height(tree.words, ROOT) == depth


@kernel(LegalMoves)
def legal_moves_after_one(position: Words, moves: Actions) -> int:
    """Let the first move of a hundred stones take one of them."""
    if position[0] != np.uint64(100):
        return legal_moves(position, moves)
    moves[0] = 1
    return 1


def test_a_forced_move_is_thought_about_for_a_moment_only() -> None:
    game = Nim()
    game.kernels = replace(game.kernels, legal_moves=legal_moves_after_one)
    found = searched(game.parse("100:0:0:0"), 10_000, style=Style(cutoff=5))
    assert (found.simulations, len(found.moves)) == (FORCED_SIMULATIONS, 1)


def test_a_full_tree_is_searched_on_without_new_nodes() -> None:
    tree = Tree(1)
    found = searched(CONNECT4.start(), 100_000, tree=tree)
    assert tree.words.nbytes == 1 << 20
    assert tree.words.size - tree.words[USED] < 7 * NODE_WORDS
    assert found.simulations == tree.words[ROOT + VISITS] == 100_000


@pytest.mark.plain
def test_a_simulation_that_is_stopped_leaves_no_trace() -> None:
    tree, stop = Tree(1), boardgames.Stop()
    stop.set()
    found = searched(CONNECT4.start(), tree=tree, context=Context(stop=stop))
    assert (found.simulations, found.score.amount, found.proven) == (0, 0.0, False)
    assert found.moves[0].move in CONNECT4.start().legal_moves
    assert {int(tree.words[node + VISITS]) for node, _ in nodes_of(tree.words)} == {0}


@pytest.mark.plain
@pytest.mark.parametrize("again", [False, True])
def test_returns_count_for_the_side_that_has_them(again: bool) -> None:
    # three stones are taken at once; four are lost, unless one stone keeps the turn
    game = Nim(again=again)
    for side in (0, 1):
        assert searched(game.parse(f"3:{side}:0:0")).score.amount == 1.0
        assert searched(game.parse(f"4:{side}:0:0")).score.amount == (1.0 if again else -1.0)


@pytest.mark.plain
@pytest.mark.parametrize(("draws", "value"), [(False, 1.0), (True, 0.0)])
def test_a_side_without_a_move_loses_or_draws_as_the_game_says(draws: bool, value: float) -> None:
    game = Nim(stuck=True)
    game.facts = replace(game.facts, no_moves_draws=draws)
    found = searched(game.parse("1:0:0:0"))
    assert (found.score.amount, found.proven) == (value, True)


@pytest.mark.plain
@pytest.mark.parametrize("value", [-1e9, -3.0, -0.5, 0.0, 0.5, 3.0, 1e9])
@pytest.mark.parametrize("scale", [0.0, 1.0, 3.0, 200.0])
def test_an_evaluation_becomes_a_return(scale: float, value: float) -> None:
    first, second = (as_total(value, scale, side) / UNIT for side in (0, 1))
    assert first == -second
    assert -1 <= first <= 1
    assert np.sign(first) == np.sign(value)
    assert as_total(scale, scale, 0) == UNIT // 2 if scale else as_total(0.25, 0.0, 0) == UNIT // 4


def test_a_cut_off_playout_is_worth_its_evaluation() -> None:
    # nothing but the evaluation tells these moves apart, a ply ahead
    game = boardgames.load("abalone")
    style = Style(cutoff=0, prior="none")
    found = searched(game.start(), limit=Limit(simulations=52, depth=1), style=style, all_moves=True)
    assert found.simulations == 52
    for entry in found.moves:
        after = game.start().apply(entry.move)
        value = -float(game.evaluation.kernel(after.words, game.evaluation.weights))
        scale = game.evaluation.unit.half_return * game.evaluation.scale
        assert entry.score.amount == pytest.approx(value / (scale + abs(value)), abs=1e-6)


def test_a_game_without_evaluation_is_searched() -> None:
    game = Nim(passing=True)
    assert game.evaluation is NO_EVALUATION
    assert searched(game.parse("3:0:0:0"), style=Style(prior="evaluation", cutoff=1)).score.amount == 1.0


def test_a_match_without_end_is_cut_off() -> None:
    # both sides may pass for ever
    found = searched(Nim(passing=True).parse("100:0:0:0"), 500)
    assert found.simulations == 500
    assert found.nodes < 500 * (LONG_PLAYOUT + 60)


def test_a_listener_that_raises_ends_the_search() -> None:
    def report(choice: boardgames.Choice) -> None:
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        searched(CONNECT4.start(), 10**9, context=Context(report=report))


def test_the_stop_flag_reaches_an_endless_playout() -> None:
    lone = boardgames.load("abalone").parse(
        "b..../....../......./......../........./......../......./....../....w"
    )
    found = searched(lone, limit=Limit(seconds=0.05), style=Style(cutoff=2**40), tree=Tree(1))
    assert found.seconds < 5
