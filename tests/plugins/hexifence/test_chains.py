"""Chains and loops: those of any position, and what happens when they are opened and taken."""

import random
from itertools import pairwise

import numpy as np
import pytest
from reference.hexifence_chains import Component, components
from reference.hexifence_values import random_chains, random_edges, text_of

from boardgames.kernels import JIT, Actions
from boardgames_hexifence.board import board, cells_of, edges_of
from boardgames_hexifence.chains import (
    EDGE_COUNT,
    EDGE_LIST,
    EDGES_FROM,
    TAKEN,
    Chain,
    chains_of,
    find_row,
    new_chain_set,
    put_back,
    scan,
    take,
)
from boardgames_hexifence.edges import make, member, new_edge_set, number_of, open_of
from boardgames_hexifence.features import CAPTURING, FREE, SAFE
from boardgames_hexifence.game import Hexifence

pytestmark = pytest.mark.plain

POSITIONS = 300 if JIT else 20


def chains_among(dimension: int, open_edges: int) -> tuple[Chain, ...]:
    return chains_of(Hexifence(dimension=dimension).parse(text_of(dimension, open_edges)).words)


def as_component(chain: Chain) -> Component:
    return Component(
        frozenset(chain.cells),
        frozenset(chain.edges),
        chain.is_loop,
        chain.is_opened,
        tuple(sorted(chain.intersections)),
    )


@pytest.mark.parametrize("dimension", [2, 3, 5, 8])
def test_chains_are_the_components_of_cells_with_one_or_two_open_edges(dimension: int) -> None:
    chance = random.Random(dimension)
    for turn in range(POSITIONS // dimension):
        count = chance.randint(1, edges_of(dimension) * 2 // 3)
        if turn % 2 == 0:
            open_edges = random_edges(dimension, count, chance)
        else:
            open_edges = random_chains(dimension, count, chance)
        chains = chains_among(dimension, open_edges)
        assert len(chains) == len(components(dimension, open_edges))
        assert set(map(as_component, chains)) == components(dimension, open_edges)


def test_cells_and_edges_of_a_chain_follow_each_other() -> None:
    chance, places = random.Random(1), board(3)
    for _ in range(POSITIONS):
        for chain in chains_among(3, random_chains(3, 30, chance)):
            around = [places.edges_of_cell[cell] for cell in chain.cells]
            between = [set(first) & set(second) for first, second in pairwise(around)]
            assert all(len(shared & set(chain.edges)) == 1 for shared in between)
            assert all(
                set(one) & set(other)
                for one, other in pairwise(map(set, map(places.cells_of_edge.__getitem__, chain.edges)))
            )


def test_an_empty_board_has_no_chains() -> None:
    assert chains_of(Hexifence(dimension=3).start().words) == ()


def test_a_loop_whose_edge_is_drawn_is_an_opened_chain() -> None:
    game = Hexifence(dimension=2)
    closed = [edge for edge in range(30) if edge not in (5, 9, 10)]  # the edges between cells 0, 1 and 3
    (loop,) = chains_among(2, 1 << 5 | 1 << 9 | 1 << 10)
    assert (sorted(loop.cells), loop.is_loop, loop.is_opened, loop.is_isolated) == (
        [0, 1, 3],
        True,
        False,
        True,
    )
    (chain,) = chains_of(game.start().apply_moves(" ".join(map(str, [*closed, 5]))).words)
    assert (len(chain.cells), chain.is_loop, chain.is_opened) == (3, False, True)


def without_safe_edges(dimension: int, chance: random.Random) -> Actions:
    """Return an edge set after random safe edges until none is left."""
    edge_set = new_edge_set(Hexifence(dimension=dimension).start().words)
    while count := int(number_of(edge_set, SAFE)):
        make(edge_set, member(edge_set, SAFE, chance.randrange(count)))
    return edge_set


def capture_all(edge_set: Actions) -> None:
    """Capture as many cells in a row as possible."""
    while kinds := [kind for kind in (FREE, CAPTURING) if number_of(edge_set, kind)]:
        make(edge_set, member(edge_set, kinds[0], 0))


def open_cells(edge_set: Actions, dimension: int) -> int:
    return sum(open_of(edge_set, cell) > 0 for cell in range(cells_of(dimension)))


def rows_of(chains: Actions, count: int) -> list[list[int]]:
    """Return what `find_row` says about each row of chains that are not taken."""
    numbers = [number for number in range(count) if not chains[TAKEN, number]]
    rows = {number: [int(value) for value in find_row(chains, number)] for number in numbers}
    return sorted(row[:3] for number, row in rows.items() if row[3] == number)


@pytest.mark.parametrize("dimension", [2, 3, 4, 6])
def test_a_chain_set_in_which_rows_are_taken_is_that_of_the_rest(dimension: int) -> None:
    chance = random.Random(dimension)
    for _ in range(POSITIONS // dimension):
        edge_set, chains = without_safe_edges(dimension, chance), new_chain_set(dimension)
        trail, length = np.zeros(cells_of(dimension), dtype=np.int64), 0
        count = scan(edge_set, chains)
        starts, rows = [0], [rows_of(chains, count)]
        while left := [number for number in range(count) if not chains[TAKEN, number]]:
            number, before = chance.choice(left), open_cells(edge_set, dimension)
            expected = find_row(chains, number)[0]
            edge = chance.randrange(chains[EDGE_COUNT, number])
            make(edge_set, chains[EDGE_LIST, chains[EDGES_FROM, number] + edge])
            capture_all(edge_set)
            assert before - open_cells(edge_set, dimension) == expected

            length = take(chains, number, trail, length)
            rest = new_chain_set(dimension)
            assert rows_of(chains, count) == rows_of(rest, scan(edge_set, rest))
            starts.append(length)
            rows.append(rows_of(chains, count))
        while rows:
            put_back(chains, trail, length, starts[-1])
            length = starts.pop()
            assert rows_of(chains, count) == rows.pop()
