"""Simulations: selection, consistent trees, correct proofs, and values that converge."""

import math
from dataclasses import replace

import numpy as np
import pytest
from nim import Nim
from reference.minimax import reached
from reference.tree_search import (
    OPTIONS,
    SMALL_GAMES,
    Child,
    children_of,
    exact_value,
    nodes_of,
    search,
    searcher_for,
    tree_of,
)

import boardgames
from boardgames.declarations import NO_EVALUATION
from boardgames.game import Position
from boardgames.kernels import JIT, Actions
from boardgames.player import Limit
from boardgames.search.mcts.evaluator import to_total
from boardgames.search.mcts.options import LONG_PLAYOUT, PRIOR_TEMPERATURE, MctsOptions
from boardgames.search.mcts.searcher import SearchThread
from boardgames.search.mcts.simulate import EXPANSION_VISITS, backpropagate, select
from boardgames.search.mcts.tree import (
    FACTS,
    NO_PROOF,
    ONE,
    PRIOR_MASK,
    PROOF_MASK,
    ROOT,
    SIDE_SHIFT,
    SORTED_CHILDREN,
    TOTAL,
    VISITS,
    WORDS_PER_NODE,
    WORDS_USED,
    action_of,
    prior_of,
    proof_of,
)

ABALONE = boardgames.load("abalone")
CONNECT4 = boardgames.load("connect4")
START = CONNECT4.start()
LOSS, DRAW = 2, 3
"""Proofs, where side 0 is to move."""
WITHOUT_COMPILATION = ("tictactoe", "nim where one stone keeps the turn", "nim ended by lack of moves")

GAMES = pytest.mark.parametrize("name", ["connect4", "hexifence", "abalone"])
EVERY_OPTION = pytest.mark.parametrize("options", OPTIONS)


def assert_adds_up(words: Actions, *, threads: int = 1) -> None:
    """Check that no visit, return or node was lost or counted twice."""
    nodes = list(nodes_of(words))
    assert (len(nodes) + 1) * WORDS_PER_NODE == words[WORDS_USED] <= words.size
    for node, below in nodes:
        visits = int(words[node + VISITS])
        assert abs(int(words[node + TOTAL])) <= visits * ONE
        below_visits = sum(int(words[child + VISITS]) for child in below)
        assert below_visits <= visits
        if below and node != ROOT and threads == 1:
            # visits that ended at the node: before it was expanded, or because that proved it
            assert visits - below_visits <= EXPANSION_VISITS


def count_proofs(name: str, options: MctsOptions, seeds: range) -> int:
    """Check every proof of many searches, and return how many positions were proven."""
    game, plies = SMALL_GAMES[name]
    proofs = 0
    for seed in seeds:
        for count in plies:
            position = reached(game, count, seed)
            value = exact_value(position)
            for simulations in (3, 40, 600 if JIT else 150):
                result = search(position, simulations, options=options, seed=seed)
                proofs += result.proven
                best = exact_value(position, after=position.apply(result.moves[0].move))
                assert not result.proven or result.score.amount == value == best
                for move in search(position, simulations, options=options, seed=seed, all_moves=True).moves:
                    after = position.apply(move.move)
                    assert not move.proven or move.score.amount == exact_value(position, after=after)
    return proofs


@pytest.mark.plain
@EVERY_OPTION
@pytest.mark.parametrize("name", WITHOUT_COMPILATION)
def test_proofs_hold(name: str, options: str) -> None:
    assert count_proofs(name, OPTIONS[options], range(1 if not JIT else 2)) > 0


@pytest.mark.slow
@EVERY_OPTION
@pytest.mark.parametrize("name", SMALL_GAMES)
def test_proofs_hold_in_many_positions(name: str, options: str) -> None:
    assert count_proofs(name, OPTIONS[options], range(4)) > 4


def test_proofs_of_several_threads_hold() -> None:
    game, plies = SMALL_GAMES["connect4 of 4 x 4"]
    for seed in range(20):
        position = reached(game, plies[seed % len(plies)], seed)
        result = search(position, 3000, options=MctsOptions(memory=1, threads=4), seed=seed)
        assert not result.proven or result.score.amount == exact_value(position)


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_small_positions_are_solved(name: str) -> None:
    game, plies = SMALL_GAMES[name]
    result = search(reached(game, plies[-1] - 1, 1), 10**6)
    assert result.proven
    assert result.simulations < 10**6


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_with_all_moves_every_move_is_proven(name: str) -> None:
    game, plies = SMALL_GAMES[name]
    position = reached(game, plies[-1] - 1, 1)
    result = search(position, 10**6, all_moves=True)
    assert result.simulations < 10**6
    for move in result.moves:
        assert move.proven
        assert move.score.amount == exact_value(position, after=position.apply(move.move))


@pytest.mark.parametrize("options", ["ucb1", "order", "default"])
def test_values_converge_to_those_of_perfect_play(options: str) -> None:
    # after so many simulations, exploration still keeps values up to a tenth away
    wide = replace(OPTIONS[options], memory=64)
    assert search(CONNECT4.parse("444444"), 20_000, options=wide).score.sign > 0
    game, plies = SMALL_GAMES["connect4 of 4 x 4"]
    for seed in range(5):
        position = reached(game, plies[0], seed)
        result = search(position, 20_000, options=OPTIONS[options])
        assert result.score.amount == pytest.approx(exact_value(position), abs=0.1)


@pytest.mark.plain
@EVERY_OPTION
@pytest.mark.parametrize("name", ["connect4", "hexifence"])
def test_visits_and_returns_add_up(name: str, options: str) -> None:
    game = boardgames.load(name)
    searcher = searcher_for(game, OPTIONS[options])
    assert search(game.start(), 80, searcher=searcher).simulations == 80
    assert searcher.tree.words[ROOT + VISITS] == 80
    assert_adds_up(searcher.tree.words)


@GAMES
@pytest.mark.parametrize("threads", [2, 4])
def test_visits_and_returns_of_several_threads_add_up(threads: int, name: str) -> None:
    game = boardgames.load(name)
    for simulations in (threads - 1, threads, 5001):
        searcher = searcher_for(game, MctsOptions(memory=1, threads=threads, cutoff=3))
        result = search(game.start(), simulations, searcher=searcher)
        assert result.simulations == searcher.tree.words[ROOT + VISITS] == simulations
        assert_adds_up(searcher.tree.words, threads=threads)


@pytest.mark.parametrize(("prior", "threads"), [("order", 1), ("evaluation", 2)])
@GAMES
def test_puct_selects_the_highest_bound_of_all_children(name: str, prior: str, threads: int) -> None:
    start, compared = boardgames.load(name).start(), 0
    searcher = searcher_for(start.game, replace(OPTIONS[prior], threads=threads, memory=4))
    search(start, 1500, searcher=searcher)
    words, bundle = searcher.tree.words, SearchThread(searcher).bundle
    for node, below in nodes_of(words):
        if not below or words[node + FACTS] & PROOF_MASK:
            continue
        priors = [prior_of(words, child) for child in below]
        assert priors[:SORTED_CHILDREN] == sorted(priors, reverse=True)[:SORTED_CHILDREN]
        bounds = {child: puct_bound(words, node, child) for child in below}
        assert bounds[select(bundle.words, node)] == pytest.approx(max(bounds.values()), abs=1e-9)
        compared += 1
    assert compared > 30


@pytest.mark.plain
@GAMES
def test_ucb1_selects_the_highest_bound_once_all_children_have_visits(name: str) -> None:
    start, compared = boardgames.load(name).start(), 0
    searcher = searcher_for(start.game, replace(OPTIONS["ucb1"], cutoff=0, memory=4))
    search(start, 200, searcher=searcher)
    words, bundle = searcher.tree.words, SearchThread(searcher).bundle
    for node, below in nodes_of(words):
        if not below or words[node + FACTS] & PROOF_MASK:
            continue
        chosen = select(bundle.words, node)
        if all(words[child + VISITS] > 0 for child in below):
            bounds = {child: ucb1_bound(words, node, child) for child in below}
            assert bounds[chosen] == pytest.approx(max(bounds.values()), abs=1e-9)
            compared += 1
        else:
            assert words[chosen + VISITS] == 0
    assert compared > 0


@pytest.mark.plain
def test_children_behind_an_unvisited_one_count_if_the_tree_is_shared() -> None:
    # several threads may leave a child unvisited that another one has just selected
    tree = tree_of(START, [Child(prior=0.2), Child(visits=10, value=0.9, prior=0.2)], visits=10)
    searcher = searcher_for(CONNECT4, replace(OPTIONS["order"], threads=2))
    searcher.tree = tree
    assert select(SearchThread(searcher).bundle.words, ROOT) == children_of(tree.words, ROOT)[1]


@pytest.mark.plain
@pytest.mark.parametrize("prior", ["order", "evaluation"])
@pytest.mark.parametrize(
    "position",
    [START, CONNECT4.parse("112233"), ABALONE.start()],
    ids=["connect4", "connect4 with a win", "abalone"],
)
def test_priors_follow_from_the_order_or_the_evaluation_of_moves(position: Position, prior: str) -> None:
    searcher = searcher_for(position.game, OPTIONS[prior])
    search(position, 1, searcher=searcher)
    words = searcher.tree.words
    priors = {
        action_of(words, child): prior_of(words, child) / PRIOR_MASK for child in children_of(words, ROOT)
    }
    expected = expected_priors(position, prior)
    assert sorted(priors) == sorted(expected)
    for action, share in expected.items():
        assert priors[action] == pytest.approx(share, abs=1e-6)


def expected_priors(position: Position, prior: str) -> dict[int, float]:
    """Return the shares of moves by place in the order, or the softmax of their evaluations."""
    kernels, evaluation, shares = position.game.kernels, position.game.evaluation, {}
    ranks = [kernels.move_order(position.words, action) for action in position.actions]
    for action, move, rank in zip(position.actions, position.legal_moves, ranks, strict=True):
        after = position.apply(move)
        if prior == "order":
            shares[action] = 1.0 / (1 + sum(other > rank for other in ranks))
        elif after.outcome is not None:
            shares[action] = math.exp(1.0 / PRIOR_TEMPERATURE)
        else:
            value = -evaluation.value(after.words) / evaluation.scale
            shares[action] = math.exp(evaluation.unit.to_return(value) / PRIOR_TEMPERATURE)
    return {action: share / sum(shares.values()) for action, share in shares.items()}


@pytest.mark.plain
@pytest.mark.parametrize(
    ("sibling", "root_proof", "root_total"),
    [
        pytest.param(DRAW, DRAW, 0, id="the others are draws"),
        pytest.param(LOSS, LOSS, -ONE, id="the others are losses"),
        pytest.param(NO_PROOF, NO_PROOF, -ONE, id="the others are open"),
    ],
)
def test_a_loss_is_backpropagated_as_what_it_proves(sibling: int, root_proof: int, root_total: int) -> None:
    searcher = searcher_for(CONNECT4)
    searcher.tree = tree_of(START, [Child(proof=sibling), Child(visits=1, proof=LOSS)], visits=1)
    thread, words = SearchThread(searcher), searcher.tree.words
    path = thread.workspace.path
    path[:2] = ROOT, children_of(words, ROOT)[1]
    backpropagate(thread.bundle.words, 1, -ONE, LOSS)
    assert (proof_of(words, ROOT), words[ROOT + TOTAL]) == (root_proof, root_total)
    assert words[path[1] + TOTAL] == -ONE


def puct_bound(words: Actions, node: int, child: int) -> float:
    """Return the upper bound of a child as in Silver et al., 2018, or minus infinity if it is lost."""
    side = words[node + FACTS] >> SIDE_SHIFT & 1
    if words[child + FACTS] & PROOF_MASK == 2 - side:
        return -math.inf
    above, visits = max(int(words[node + VISITS]), 1), int(words[child + VISITS])
    total, count = (words[child + TOTAL], visits) if visits > 0 else (words[node + TOTAL], above)
    growth = 1.0 + math.log((1 + above + 4999) / 5000)
    prior = prior_of(words, child) / PRIOR_MASK
    value = float((1 - 2 * side) * total / (count * ONE))
    return value + growth * prior * math.sqrt(above) / (1 + max(visits, 0))


def ucb1_bound(words: Actions, node: int, child: int) -> float:
    """Return the upper bound of a child as defined by Kocsis and Szepesvári, 2006, with exploration 1."""
    side = words[node + FACTS] >> SIDE_SHIFT & 1
    if words[child + FACTS] & PROOF_MASK == 2 - side:
        return -math.inf
    above, visits = int(words[node + VISITS]), int(words[child + VISITS])
    value = float((1 - 2 * side) * words[child + TOTAL] / (visits * ONE))
    return value + math.sqrt(math.log(above) / visits)


@pytest.mark.plain
@pytest.mark.parametrize("again", [False, True])
def test_returns_are_those_of_the_side_to_move(again: bool) -> None:
    # three stones are taken at once; four are lost, unless taking one keeps the turn
    game = Nim(again=again)
    for side in (0, 1):
        assert search(game.parse(f"3:{side}:0:0")).score.amount == 1.0
        assert search(game.parse(f"4:{side}:0:0")).score.amount == (1.0 if again else -1.0)


@pytest.mark.plain
@pytest.mark.parametrize(("draws", "value"), [(False, 1.0), (True, 0.0)])
def test_a_side_without_moves_loses_or_draws_as_the_game_says(draws: bool, value: float) -> None:
    game = Nim(stuck=True)
    game.facts = replace(game.facts, no_moves_draws=draws)
    result = search(game.parse("1:0:0:0"))
    assert (result.score.amount, result.proven) == (value, True)


@pytest.mark.plain
@pytest.mark.parametrize("value", [-1e9, -3.0, -0.5, 0.0, 0.5, 3.0, 1e9])
@pytest.mark.parametrize("half_return", [0.0, 1.0, 3.0, 200.0])
def test_an_evaluation_becomes_a_return(half_return: float, value: float) -> None:
    first, second = (to_total(value, half_return, side) / ONE for side in (0, 1))
    assert first == -second
    assert -1 <= first <= 1
    assert np.sign(first) == np.sign(value)


@pytest.mark.plain
def test_half_a_return_is_what_the_unit_says() -> None:
    assert to_total(200.0, 200.0, 0) == ONE // 2
    assert to_total(0.25, 0.0, 0) == ONE // 4


def test_a_playout_is_evaluated_at_the_cutoff() -> None:
    # without playouts and priors, only the evaluation distinguishes the moves
    start, evaluation = ABALONE.start(), ABALONE.evaluation
    result = search(
        start,
        options=MctsOptions(memory=1, cutoff=0, prior="none"),
        limit=Limit(simulations=52, depth=1),
        all_moves=True,
    )
    assert result.simulations == 52
    for move in result.moves:
        value = -evaluation.value(start.apply(move.move).words)
        expected = evaluation.unit.to_return(value / evaluation.scale)
        assert move.score.amount == pytest.approx(expected, abs=1e-6)


@pytest.mark.plain
def test_a_game_without_an_evaluation_is_searched() -> None:
    game = Nim(passing=True)
    assert game.evaluation is NO_EVALUATION
    options = MctsOptions(memory=1, prior="evaluation", cutoff=1)
    assert search(game.parse("3:0:0:0"), options=options).score.amount == 1.0


@pytest.mark.plain
def test_playouts_of_a_game_without_an_end_are_cut_off() -> None:
    # both sides may pass forever
    result = search(Nim(passing=True).parse("100:0:0:0"), 50)
    assert result.simulations == 50
    assert result.nodes < 50 * (LONG_PLAYOUT + 60)
