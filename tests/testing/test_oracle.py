"""The oracle for searches against a slow reference on positions, which shares no code with it."""

import numpy as np
import pytest
from reference.minimax import search_value, successors
from reference.searching import CASES, Case, near_pushes

from boardgames.game import Move, Position
from boardgames.kernels import FORCING
from boardgames.player import NO_CONTEXT, Analysis, Limit
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher
from boardgames.search.minimax import minimax
from boardgames.search.rules import WIN
from boardgames.testing.oracle import search_unpruned

PUSHES = CASES["abalone near pushes"]
SIMPLE = CASES["abalone without broadside moves near pushes"]


def tactical(position: Position) -> list[int]:
    """Return the tactical actions."""
    moves = np.zeros(position.game.facts.actions, dtype=np.int64)
    actions: list[int] = moves[: position.game.kernels.tactical_moves(position.words, moves)].tolist()
    return actions


def slow_quiescence(position: Position, side: int, ply: int, plies: int) -> float:
    """Return the value of an Abalone position for `side` after at most `plies` tactical moves."""
    sign = 1 if position.side_to_move == side else -1
    if position.outcome is not None:
        return (WIN - ply) * (1 if position.outcome.winner == side else -1)
    evaluation = position.game.evaluation
    values = [sign * evaluation.value(position.words)]
    if plies:
        after = (position.apply(Move(action, "")) for action in tactical(position))
        values += [slow_quiescence(place, side, ply + 1, plies - 1) for place in after]
    return max(values) if sign > 0 else min(values)


def slow(position: Position, side: int, ply: int, depth: int, plies: int) -> float:
    """Return the value of an Abalone position for `side` by minimax with extensions."""
    if depth == 0 or position.outcome is not None:
        return slow_quiescence(position, side, ply, plies)
    rank, values = position.game.kernels.move_order, []
    for action, after in zip(position.actions, successors(position), strict=True):
        ahead = depth if rank(position.words, action) >= FORCING else depth - 1
        values.append(slow(after, side, ply + 1, ahead, plies))
    return max(values) if position.side_to_move == side else min(values)


def unpruned(case: Case, position: Position, depth: int, quiescence: int, *, extensions: bool) -> Analysis:
    return search_unpruned(
        position, case.game.evaluation, depth, quiescence=quiescence, extensions=extensions, lines=None
    )


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.plain), 1, 2, 3, 4, 5])
@pytest.mark.parametrize("quiescence", [0, 2])
def test_every_value_agrees_with_the_slow_reference(quiescence: int, seed: int) -> None:
    position = near_pushes(SIMPLE.game, 3, np.random.default_rng(seed))
    analysis = unpruned(SIMPLE, position, 2, quiescence, extensions=True)
    values = {
        entry.move.action: search_value(entry.score, SIMPLE.evaluation.scale) for entry in analysis.moves
    }
    side = position.side_to_move
    for action, after in zip(position.actions, successors(position), strict=True):
        ahead = 2 if position.game.kernels.move_order(position.words, action) >= FORCING else 1
        left = ahead if analysis.depth == 2 else ahead - 1
        assert values[action] == pytest.approx(slow(after, side, 1, left, quiescence), abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_without_quiescence_and_extensions_it_is_minimax(name: str) -> None:
    for position, deepest in CASES[name].positions(3, 9):
        evaluation, depth = CASES[name].game.evaluation, min(deepest, 3)
        searcher = Searcher(position.game, evaluation, SearchOptions.plain(), node=minimax)
        plain = searcher.search(position, Limit(depth=depth), NO_CONTEXT, lines=None)
        full = search_unpruned(position, evaluation, depth, lines=None)
        assert (full.moves, full.depth, full.proven) == (plain.moves, plain.depth, plain.proven)
        assert full.nodes == plain.nodes


def test_extensions_search_forcing_moves_deeper() -> None:
    seen = [
        [unpruned(PUSHES, position, 2, 0, extensions=extensions).nodes for extensions in (False, True)]
        for position, _ in PUSHES.positions(20, 10)
    ]
    assert all(plain <= extended for plain, extended in seen)
    assert any(plain < extended for plain, extended in seen)
