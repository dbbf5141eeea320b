"""Edge sets: exact after every edge that is drawn or taken back, and uniform random choice."""

import numpy as np
import pytest
from reference import hexifence as reference

from boardgames.kernels import JIT, Actions
from boardgames_hexifence.edges import (
    DRAWN,
    KINDS,
    kind_of,
    load,
    make,
    member,
    new_edge_set,
    number_of,
    open_of,
    random_member,
    unmake,
)
from boardgames_hexifence.features import CAPTURING, FREE, SACRIFICING, SAFE, edge_kind
from boardgames_hexifence.game import Hexifence
from boardgames_hexifence.notation import pack_sides

pytestmark = pytest.mark.plain

STEPS = 3000 if JIT else 60


def members(edge_set: Actions) -> list[list[int]]:
    """Return the edges of each kind in ascending order."""
    lists = [
        [int(member(edge_set, kind, n)) for n in range(number_of(edge_set, kind))] for kind in range(KINDS)
    ]
    return [sorted(edges) for edges in lists]


def recomputed(dimension: int, drawn: set[int]) -> list[list[int]]:
    """Return the open edges of each kind, given those that are drawn, by `features.edge_kind`."""
    edges = 3 * dimension * (3 * dimension - 1)
    owners = [0 if edge in drawn else -1 for edge in range(edges)]
    words = pack_sides(dimension, owners, (), 0)
    kinds: list[list[int]] = [[] for _ in range(KINDS)]
    for edge in range(edges):
        if edge not in drawn:
            kinds[edge_kind(words, dimension, edge)].append(edge)
    return kinds


@pytest.mark.parametrize(("dimension", "interval"), [(2, 1), (3, 4), (5, 10), (8, 30)])
def test_kinds_of_edges_stay_exact_on_long_random_walks(dimension: int, interval: int) -> None:
    generator = np.random.default_rng(dimension)
    edges = 3 * dimension * (3 * dimension - 1)
    edge_set = new_edge_set(Hexifence(dimension=dimension).start().words)
    drawn: list[int] = []
    open_edges, target = list(range(edges)), edges
    for step in range(STEPS):
        if len(drawn) == target or not drawn:  # walk to another number of drawn edges
            target = int(generator.integers(edges + 1))
        if len(drawn) < target:
            edge = open_edges.pop(int(generator.integers(len(open_edges))))
            drawn.append(edge)
            make(edge_set, edge)
        elif drawn:
            edge = drawn.pop(int(generator.integers(len(drawn))))  # edges are taken back in any order
            open_edges.append(edge)
            unmake(edge_set, edge)
        if step % interval == 0:
            expected = recomputed(dimension, set(drawn))
            assert members(edge_set) == expected
            kinds = {edge: kind for kind, edges_of_kind in enumerate(expected) for edge in edges_of_kind}
            assert [int(kind_of(edge_set, edge)) for edge in range(edges)] == [
                kinds.get(edge, DRAWN) for edge in range(edges)
            ]


@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_make_and_unmake_return_the_captured_cells(dimension: int) -> None:
    edges = 3 * dimension * (3 * dimension - 1)
    order = np.random.default_rng(1).permutation(edges).tolist()
    edge_set = new_edge_set(Hexifence(dimension=dimension).start().words)
    position, captured = reference.ReferencePosition(dimension), []
    for edge in order:
        before = sum(position.score())
        position = position.apply(edge)
        captured.append(sum(position.score()) - before)
        assert make(edge_set, edge) == captured[-1]
    assert not any(open_of(edge_set, cell) for cell in range(len(reference.cells(dimension))))
    assert [int(unmake(edge_set, edge)) for edge in reversed(order)] == captured[::-1]


def test_an_edge_set_can_be_loaded_again() -> None:
    game = Hexifence(dimension=2)
    edge_set = new_edge_set(game.start().words)
    words = game.parse(reference.play(2, [0, 1, 4, 8, 9, 2, 3, 6, 10]).text()).words
    load(words, edge_set)
    assert members(edge_set) == members(new_edge_set(words))
    assert [int(number_of(edge_set, kind)) for kind in (FREE, CAPTURING, SAFE, SACRIFICING)] == [0, 1, 19, 1]


def test_random_members_are_uniform() -> None:
    edge_set = new_edge_set(Hexifence(dimension=2).start().words)
    for edge in (0, 1, 4):
        make(edge_set, edge)
    state, draws = np.array([7], dtype=np.uint64), 5400
    counts = np.bincount([random_member(edge_set, SAFE, state) for _ in range(draws)], minlength=30)
    assert counts[[0, 1, 4]].tolist() == [0, 0, 0]
    others = np.delete(counts, [0, 1, 4])
    assert abs(others - draws / 27).max() < 5 * np.sqrt(draws / 27)
