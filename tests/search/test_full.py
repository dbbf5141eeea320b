"""Minimax with quiescence and extensions against one over positions, which shares no code with it."""

import numpy as np
import pytest
from boardgames.search.full import search_fully
from boardgames.search.tree import WIN
from reference.minimax import search_value, successors
from reference.searching import CASES, Case, near_pushes

import boardgames
from boardgames.game import Move, Position
from boardgames.kernels import FORCING
from boardgames.player import NO_CONTEXT, Analysis, Limit
from boardgames.search import search
from boardgames.search.minimax import minimax

PUSHES = CASES["abalone near pushes"]
SIMPLE = CASES["abalone without broadside moves near pushes"]


def tactical(position: Position) -> list[int]:
    """Return the actions that the game calls tactical."""
    moves = np.zeros(position.game.facts.actions, dtype=np.int64)
    return moves[: position.game.kernels.tactical_moves(position.words, moves)].tolist()


def calm(position: Position, side: int, ply: int, plies: int) -> float:
    """Return what a position of Abalone is worth to `side` after at most `plies` tactical moves."""
    sign = 1 if position.side_to_move == side else -1
    if position.outcome is not None:
        return (WIN - ply) * (1 if position.outcome.winner == side else -1)
    evaluation = position.game.evaluation
    found = [sign * float(evaluation.kernel(position.words, evaluation.weights))]
    if plies:
        after = (position.apply(Move(action, "")) for action in tactical(position))
        found += [calm(place, side, ply + 1, plies - 1) for place in after]
    return max(found) if sign > 0 else min(found)


def slow(position: Position, side: int, ply: int, depth: int, plies: int) -> float:
    """Return what full minimax should say a position of Abalone is worth to `side`."""
    if depth == 0 or position.outcome is not None:
        return calm(position, side, ply, plies)
    rank, found = position.game.kernels.move_order, []
    for action, after in zip(position.actions, successors(position), strict=True):
        ahead = depth if rank(position.words, action) >= FORCING else depth - 1
        found.append(slow(after, side, ply + 1, ahead, plies))
    return max(found) if position.side_to_move == side else min(found)


def fully(case: Case, position: Position, depth: int, quiescence: int, *, extensions: bool) -> Analysis:
    return search_fully(
        position,
        case.game.evaluation,
        Limit(depth=depth),
        NO_CONTEXT,
        quiescence=quiescence,
        extensions=extensions,
        all_moves=True,
    )


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.plain), 1, 2, 3, 4, 5])
@pytest.mark.parametrize("quiescence", [0, 2])
def test_moves_are_worth_what_the_slow_search_says(quiescence: int, seed: int) -> None:
    position = near_pushes(SIMPLE.game, 3, np.random.default_rng(seed))
    found = fully(SIMPLE, position, 2, quiescence, extensions=True)
    scale = SIMPLE.game.evaluation.scale
    values = {entry.move.action: search_value(entry.score, scale) for entry in found.moves}
    side = position.side_to_move
    for action, after in zip(position.actions, successors(position), strict=True):
        ahead = 2 if position.game.kernels.move_order(position.words, action) >= FORCING else 1
        left = ahead if found.depth == 2 else ahead - 1
        assert values[action] == pytest.approx(slow(after, side, 1, left, quiescence), abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_without_quiescence_and_extensions_it_is_minimax(name: str) -> None:
    for position, depth in CASES[name].positions(3, 9):
        limit, evaluation = Limit(depth=min(depth, 3)), CASES[name].game.evaluation
        plain = search(position, minimax, evaluation, limit, NO_CONTEXT, all_moves=True)
        full = search_fully(position, evaluation, limit, NO_CONTEXT, all_moves=True)
        assert (full.moves, full.depth, full.proven) == (plain.moves, plain.depth, plain.proven)
        assert full.nodes == plain.nodes


def test_forcing_moves_are_followed_further() -> None:
    seen = [
        [fully(PUSHES, position, 2, 0, extensions=extensions).nodes for extensions in (False, True)]
        for position, _ in PUSHES.positions(20, 10)
    ]
    assert all(plain <= extended for plain, extended in seen)
    assert any(plain < extended for plain, extended in seen)


def test_the_agent_takes_quiescence_and_extensions_as_options() -> None:
    position = next(PUSHES.positions(1, 11))[0]
    player = boardgames.load_player("minimax:depth=2,quiescence=3,extensions=true", PUSHES.game)
    expected = fully(PUSHES, position, 2, 3, extensions=True)
    found = player.analyse(position)
    assert (found.moves, found.nodes) == (expected.moves, expected.nodes)
    assert player.choose(position).score == expected.score


def test_the_agent_is_plain_unless_told_otherwise() -> None:
    player = boardgames.load_player("minimax", PUSHES.game)
    assert (player.options["quiescence"], player.options["extensions"]) == (0, False)
