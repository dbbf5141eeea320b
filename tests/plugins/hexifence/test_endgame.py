"""Chains and loops of Hexifence: what they cost, what the rest is worth, and the moves of `double`."""

from functools import cache

import numpy as np
import pytest
from hexifence_boards import GAMES, LONG_CHAIN, LOOP, chain, inside, rim, shared, with_open

import boardgames
from boardgames import Game, Position
from boardgames.kernels import new_control
from boardgames.player import Player
from boardgames_hexifence.board import board
from boardgames_hexifence.edges import new_edge_set
from boardgames_hexifence.endgame import value_of_rest
from boardgames_hexifence.sacrifices import new_workspace

pytestmark = pytest.mark.plain


@cache
def best_difference(dimension: int, edges: frozenset[int]) -> int:
    """Return the cells that the side to move gets more than its opponent, given all open edges."""
    places, values = board(dimension), [0] if not edges else []
    for edge in edges:
        left = edges - {edge}
        gained = sum(not left & set(places.edges_of_cell[cell]) for cell in places.cells_of_edge[edge])
        rest = best_difference(dimension, left)
        values.append(gained + rest if gained else -rest)
    return max(values)


def double(game: Game, seed: int = 1) -> Player:
    return boardgames.load_player("double", game, seed=seed)


def move_of_double(position: Position, seed: int = 1) -> int:
    move = double(position.game, seed).choose(position).move
    assert move is not None
    return move.action


CHAINS = [
    [[0]],
    [[0], [1]],
    [[0, 1]],
    [[0, 1], [6]],
    [[0, 1], [6, 5]],
    [[0, 1, 4]],
    [[0, 1, 4], [5]],
    [[0, 1, 4], [6, 5]],
    [[0, 1, 4, 6], [2]],
    [[0, 1, 4, 6, 5]],
]


@pytest.mark.parametrize("chains", CHAINS, ids=str)
def test_the_value_of_separate_chains_is_that_of_best_play(chains: list[list[int]]) -> None:
    edges = [edge for cells in chains for edge in chain(2, cells)]
    position = with_open(2, edges)
    work = new_workspace(new_edge_set(position.words), 2, new_control())
    value = value_of_rest(work.words, 0, np.array([1], dtype=np.uint64))
    assert value == best_difference(2, frozenset(edges))


def test_the_smallest_chain_is_sacrificed() -> None:
    edges = [*chain(3, [0, 1, 2]), *chain(3, LONG_CHAIN), *inside(3, [4, 5, 9, 4])]
    position = with_open(3, [*edges, *chain(3, [7])])
    assert {move_of_double(position, seed) for seed in range(5)} <= set(chain(3, [7]))


@pytest.mark.parametrize("seed", range(5))
def test_a_chain_of_two_is_cut_in_the_middle(seed: int) -> None:
    position = with_open(3, [*chain(3, [0, 1]), *chain(3, LONG_CHAIN)])
    assert (
        double(position.game, seed).choose(position).move
        == position.legal_moves[position.actions.index(shared(3, 0, 1))]
    )


def test_the_last_two_cells_of_a_chain_are_handed_out_if_the_rest_is_worth_it() -> None:
    position = with_open(3, [*chain(3, [0, 1], is_opened=True), *chain(3, LONG_CHAIN)])
    assert move_of_double(position) == rim(3, 1, -1)


def test_a_chain_is_captured_up_to_its_last_two_cells() -> None:
    position = with_open(3, [*chain(3, [0, 1, 2], is_opened=True), *chain(3, LONG_CHAIN)])
    assert move_of_double(position) == shared(3, 0, 1)


@pytest.mark.parametrize("rest", [[], chain(3, [16]), chain(3, [17, 16])], ids=["nothing", "one", "two"])
def test_a_chain_is_captured_whole_if_the_rest_is_small(rest: list[int]) -> None:
    position = with_open(3, [*chain(3, [0, 1], is_opened=True), *rest])
    assert move_of_double(position) == shared(3, 0, 1)


def test_the_last_four_cells_of_a_loop_are_handed_out_if_the_rest_is_worth_it() -> None:
    position = with_open(3, [*inside(3, LOOP[:4]), *chain(3, LONG_CHAIN)])
    assert move_of_double(position) == shared(3, 5, 10)


@pytest.mark.parametrize(
    ("loop", "rest"), [(LOOP[:4], [18, 17, 16]), (LOOP[:5], LONG_CHAIN), (LOOP, LONG_CHAIN)], ids=str
)
def test_a_loop_is_captured_up_to_four_cells_or_whole_if_the_rest_is_small(
    loop: list[int], rest: list[int]
) -> None:
    position = with_open(3, [*inside(3, loop), *chain(3, rest)])
    assert move_of_double(position) in (inside(3, loop)[0], inside(3, loop)[-1])


def test_other_cells_are_captured_before_cells_are_handed_out() -> None:
    opened = [chain(3, [0, 1], is_opened=True), inside(3, LOOP[2:5])]
    position = with_open(3, [*opened[0], *opened[1], *chain(3, LONG_CHAIN)])
    assert move_of_double(position) in opened[1]


def test_free_cells_are_captured_and_safe_edges_come_before_sacrifices() -> None:
    position = GAMES[2].start().apply_moves("0 1 4 8")  # cell 0 has two open edges
    chosen = {move_of_double(position.game.parse(str(position))) for _ in range(3)}
    assert not chosen & {5, 9}
    assert move_of_double(position.apply("9")) == 5
