"""The search over sacrifices: exact values once no safe edge is left, and which edge is drawn."""

import random

import numpy as np
import pytest
from hexifence_boards import LONG_CHAIN, chain, inside, with_open
from reference.hexifence_values import cell_masks, random_chains, text_of, value

from boardgames.kernels import JIT, Actions, new_control
from boardgames_hexifence.chains import (
    EDGE_COUNT,
    EDGE_LIST,
    EDGES_FROM,
    LENGTH,
    find_row,
    new_chain_set,
    scan,
)
from boardgames_hexifence.edges import make, member, new_edge_set, number_of
from boardgames_hexifence.features import CAPTURING, FREE, SAFE
from boardgames_hexifence.game import Hexifence
from boardgames_hexifence.handouts import hand_out_of, value_of_opened
from boardgames_hexifence.sacrifices import (
    best_sacrifice,
    is_at_least,
    new_workspace,
    value_of_line,
    value_of_sacrifices,
)
from boardgames_hexifence.solver import Solver

pytestmark = pytest.mark.plain

POSITIONS = 25 if JIT else 5
ENOUGH = 100_000
OTHER_KINDS = (FREE, CAPTURING, SAFE)


def quiet_edges(dimension: int, most: int, chance: random.Random) -> int:
    """Return up to `most` open edges without captures and safe ones: chains, loops and intersections."""
    while True:
        if chance.random() < 0.5:
            open_edges = random_chains(dimension, most, chance)
        else:
            open_edges = after_safe_edges(dimension, chance)
        edge_set = new_edge_set(Hexifence(dimension=dimension).parse(text_of(dimension, open_edges)).words)
        if open_edges.bit_count() <= most and not any(
            number_of(edge_set, kind) for kind in (FREE, CAPTURING, SAFE)
        ):
            return open_edges


def after_safe_edges(dimension: int, chance: random.Random) -> int:
    """Return the open edges after random safe ones, and then after the captures of some sacrifices."""
    masks, everything = cell_masks(dimension), range(3 * dimension * (3 * dimension - 1))
    open_edges = (1 << len(everything)) - 1

    def is_safe(edge: int) -> bool:
        return all((mask & open_edges).bit_count() > 2 for mask in masks if mask >> edge & 1)

    while safe := [
        edge for edge in range(open_edges.bit_length()) if open_edges >> edge & 1 and is_safe(edge)
    ]:
        open_edges ^= 1 << chance.choice(safe)
    for _ in range(chance.randrange(3)):
        if open_edges:
            open_edges ^= 1 << chance.choice([edge for edge in everything if open_edges >> edge & 1])
        open_edges = after_captures(dimension, open_edges)
    return open_edges


def after_captures(dimension: int, open_edges: int) -> int:
    """Return the open edges after all captures that are possible in a row."""
    masks = cell_masks(dimension)
    while single := [mask & open_edges for mask in masks if (mask & open_edges).bit_count() == 1]:
        open_edges &= ~single[0]
    return open_edges


def edge_set_of(dimension: int, open_edges: int) -> Actions:
    return new_edge_set(Hexifence(dimension=dimension).parse(text_of(dimension, open_edges)).words)


@pytest.mark.parametrize(("dimension", "most"), [(2, 12), (3, 12)])
def test_values_agree_with_a_plain_search_of_all_edges(dimension: int, most: int) -> None:
    chance = random.Random(dimension)
    for _ in range(POSITIONS):
        open_edges = quiet_edges(dimension, most, chance)
        edge_set = edge_set_of(dimension, open_edges)
        work, expected = new_workspace(edge_set, dimension, new_control()), value(dimension, open_edges)
        assert value_of_sacrifices(work.words, ENOUGH) == expected
        assert is_at_least(work.words, expected, ENOUGH)
        assert not is_at_least(work.words, expected + 1, ENOUGH)


@pytest.mark.parametrize("dimension", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_values_of_whole_boards_agree_with_the_solver(dimension: int) -> None:
    chance, solver = random.Random(dimension), Solver(Hexifence(dimension=dimension), table=4)
    for _ in range(POSITIONS // dimension):
        position = solver.game.start()
        edge_set = new_edge_set(position.words)
        while count := int(number_of(edge_set, SAFE)):
            edge = int(member(edge_set, SAFE, chance.randrange(count)))
            make(edge_set, edge)
            position = position.apply(str(edge))
        work = new_workspace(edge_set, dimension, new_control())
        assert [value_of_sacrifices(work.words, ENOUGH)] == solver.values([position])


def test_the_value_of_an_opened_row_is_what_its_taker_takes_or_hands_out() -> None:
    """Also where both ends of a row are at the same intersection, and another row can be taken next."""
    dimension, chance, has_next = 3, random.Random(3), False
    for _ in range(POSITIONS):
        open_edges = quiet_edges(dimension, 12, chance)
        edge_set, chains = edge_set_of(dimension, open_edges), new_chain_set(dimension)
        for number in range(scan(edge_set, chains)):
            first, count = int(chains[EDGES_FROM, number]), int(chains[EDGE_COUNT, number])
            opened = open_edges ^ 1 << int(chains[EDGE_LIST, first + count // 2])
            rest = after_captures(dimension, opened)
            cells, is_loop, *_ = find_row(chains, number)
            has_next |= cells > chains[LENGTH, number]
            hand_out = hand_out_of(cells, is_loop)
            assert value_of_opened(cells, hand_out, value(dimension, rest)) == value(dimension, opened)
    assert has_next or not JIT


@pytest.mark.parametrize(
    ("rows", "best"),
    [
        ([chain(3, [0]), chain(3, LONG_CHAIN)], 0),
        ([chain(3, [0, 1]), chain(3, LONG_CHAIN)], 0),
        ([chain(3, [11, 15, 18, 17]), inside(3, [4, 5, 10, 9, 4])], 1),
        ([chain(3, LONG_CHAIN), inside(3, [0, 1, 5, 4, 0])], 1),
    ],
    ids=["one and six", "two and six", "four and loop of four", "six and loop of four"],
)
def test_the_row_that_is_opened_first_is_the_best_one(rows: list[list[int]], best: int) -> None:
    """Opening the longest row first, or a long chain before a loop, would be worse."""
    edges = [edge for row in rows for edge in row]
    open_edges = sum(1 << edge for edge in edges)
    values = [-value(3, open_edges ^ 1 << row[-1]) for row in rows]
    assert values[best] > values[1 - best]
    work = new_workspace(new_edge_set(with_open(3, edges).words), 3, new_control())
    assert value_of_sacrifices(work.words, ENOUGH) == values[best]
    assert value_of_line(work.words, 0, 0) == values[best]
    assert best_sacrifice(work.words, 1 - values[best], ENOUGH, np.array([1], dtype=np.uint64)) in rows[best]


def test_a_search_without_nodes_estimates_by_the_smallest_sacrifices() -> None:
    chance = random.Random(8)
    edge_set = new_edge_set(Hexifence(dimension=8).start().words)
    while count := int(number_of(edge_set, SAFE)):
        make(edge_set, member(edge_set, SAFE, chance.randrange(count)))
    work = new_workspace(edge_set, 8, new_control())
    estimate = value_of_sacrifices(work.words, 0)
    assert estimate == value_of_line(work.words, 0, 0)
    assert is_at_least(work.words, int(estimate), 0)
    assert not is_at_least(work.words, int(estimate) + 2, 0)
