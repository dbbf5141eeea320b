"""The agent `farrugiulian`: its search over safe edges, its sacrifices, and its limits."""

import random
from functools import cache

import numpy as np
import pytest
from hexifence_boards import GAMES, LONG_CHAIN, LOOP, chain, inside, rim, shared, with_open
from reference.hexifence_values import masks_beside, text_of

import boardgames
from boardgames import Game, Limit, Position
from boardgames.errors import OptionError
from boardgames.kernels import JIT, new_control
from boardgames.player import Context, Player, Stop
from boardgames_hexifence.chains import chains_of
from boardgames_hexifence.edges import new_edge_set
from boardgames_hexifence.farrugiulian import best_safe_edge, new_workspaces
from boardgames_hexifence.game import Hexifence
from boardgames_hexifence.original import Farrugiulian
from boardgames_hexifence.solver import Solver

pytestmark = pytest.mark.plain


def farrugiulian(game: Game, seed: int = 1, **options: object) -> Player:
    return Farrugiulian(game, seed=seed, **options)


def move_at(position: Position, seed: int = 1, **options: object) -> int:
    move = farrugiulian(position.game, seed, **options).choose(position).move
    assert move is not None
    return move.action


def safe_edges(open_edges: int) -> list[int]:
    """Return the open edges of dimension 2 whose cells all have three or more open edges."""
    beside = enumerate(masks_beside(2))
    return [
        edge
        for edge, masks in beside
        if open_edges >> edge & 1 and all((mask & open_edges).bit_count() > 2 for mask in masks)
    ]


@cache
def remaining_value(open_edges: int) -> int:
    """Return the value of a position of dimension 2."""
    solver = Solver(GAMES[2])
    return solver.values([GAMES[2].parse(text_of(2, open_edges))])[0]


@cache
def is_won(open_edges: int, lead: int) -> bool:
    """Return whether the side to move wins if both draw safe edges as long as there are any."""
    edges = safe_edges(open_edges)
    if not edges:
        return lead + remaining_value(open_edges) > 0
    return any(not is_won(open_edges ^ 1 << edge, -lead) for edge in edges)


@pytest.mark.parametrize("has_table", [False, True], ids=["no table", "table"])
def test_a_winning_safe_edge_is_found_if_there_is_one(has_table: bool) -> None:
    chance, found = random.Random(5), 0
    state = np.array([1], dtype=np.uint64)
    for _ in range(60 if JIT else 3):
        open_edges = (1 << 30) - 1
        while len(edges := safe_edges(open_edges)) > 5:
            open_edges ^= 1 << chance.choice(edges)
        if not edges:
            continue
        lead = chance.choice((-2, 0, 2))
        edge_set = new_edge_set(Hexifence(dimension=2).parse(text_of(2, open_edges)).words)
        work = new_workspaces(edge_set, 2, new_control(), has_table=has_table)
        edge = int(best_safe_edge(work[0].words, work[1].words, lead, state))
        assert edge in edges
        assert is_won(open_edges ^ 1 << edge, -lead) is not is_won(open_edges, lead)
        found += is_won(open_edges, lead)
    assert found > 0


def test_free_cells_are_captured_first() -> None:
    position = with_open(3, [*chain(3, LONG_CHAIN), rim(3, 0)])
    assert move_at(position) == rim(3, 0)


def test_the_side_in_control_cuts_a_chain_of_two_in_the_middle() -> None:
    position = with_open(3, [*chain(3, [0, 1]), *chain(3, LONG_CHAIN)])
    assert {move_at(position, seed) for seed in range(8)} == {shared(3, 0, 1)}


def test_the_other_side_cuts_a_chain_of_two_at_an_end() -> None:
    blue_wins = with_open(3, [*chain(3, [0, 1]), *chain(3, LONG_CHAIN)])
    position = GAMES[3].parse(str(blue_wins)[:-1] + "R")
    assert {move_at(position, seed) for seed in range(8)} == {rim(3, 0), rim(3, 1, -1)}


@pytest.mark.parametrize(
    ("opened", "rest", "edge"),
    [
        (chain(3, [0, 1], is_opened=True), chain(3, LONG_CHAIN), rim(3, 1, -1)),
        (chain(3, [0, 1], is_opened=True), chain(3, [17, 16]), shared(3, 0, 1)),
        (chain(3, [0, 1, 2], is_opened=True), chain(3, LONG_CHAIN), shared(3, 0, 1)),
        (inside(3, LOOP[:4]), chain(3, LONG_CHAIN), shared(3, 5, 10)),
    ],
    ids=["chain of two", "of two, small rest", "of three", "loop of four"],
)
def test_cells_are_handed_out_if_the_rest_is_worth_it(opened: list[int], rest: list[int], edge: int) -> None:
    assert move_at(with_open(3, [*opened, *rest])) == edge


def test_before_the_last_safe_edge_cells_are_handed_out_if_only_that_wins() -> None:
    chance, seen = random.Random(2), set()
    for _ in range(150 if JIT else 5):
        open_edges = (1 << 30) - 1
        while len(edges := safe_edges(open_edges)) > 3:
            open_edges ^= 1 << chance.choice(edges)
        position = GAMES[2].parse(text_of(2, open_edges))
        chains = [chain for chain in chains_of(position.words) if chain.length == 2]
        pairs = [chain for chain in chains if len(set(chain.intersections)) == len(chain.intersections)]
        if not edges or not pairs:
            continue
        cut = open_edges ^ 1 << pairs[0].edges[0]
        rest = cut ^ 1 << pairs[0].edges[1] ^ 1 << pairs[0].edges[2]
        is_expected = not is_won(rest, 2)
        position = GAMES[2].parse(text_of(2, cut))
        is_handed_out = move_at(position) == pairs[0].edges[2]
        assert is_handed_out is is_expected
        seen.add(is_handed_out)
    assert seen == {False, True} or not JIT


def test_a_stopped_player_answers_with_a_legal_move() -> None:
    stop = Stop()
    stop.set()
    for dimension in (2, 8):
        position = boardgames.load("hexifence", dimension=dimension).start()
        for _ in range(3):
            choice = farrugiulian(position.game, safe=60).choose(position, context=Context(stop=stop))
            assert choice.move is not None
            assert position.is_legal(choice.move)
            position = position.apply(choice.move)


def test_the_limit_of_nodes_is_obeyed() -> None:
    position = GAMES[2].start()
    choice = farrugiulian(position.game, time=600.0).choose(position, Limit(nodes=1000))
    assert 1000 <= choice.nodes <= 1001


def test_more_safe_edges_than_the_option_says_are_not_searched() -> None:
    position = GAMES[2].start()
    assert farrugiulian(position.game, safe=29).choose(position).nodes == 0


def test_the_number_of_safe_edges_is_limited() -> None:
    with pytest.raises(OptionError, match="safe must be 0 to 60"):
        farrugiulian(GAMES[2], safe=61)
