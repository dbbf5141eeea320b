"""Hexifence kernels against slow rules on sets of edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import hexifence as slow

from boardgames.game import Position
from boardgames_hexifence import rules
from boardgames_hexifence.board import symmetries
from boardgames_hexifence.game import Hexifence

pytestmark = pytest.mark.plain

GAMES = {dimension: Hexifence(dimension=dimension) for dimension in range(2, 9)}

DOUBLE = [0, 1, 4, 8, 9, 2, 3, 6, 10, 11]
"""Moves of dimension 2 that leave edge 5 as the last open one of cells 0 and 1."""

orders = st.integers(2, 4).flatmap(
    lambda dimension: st.tuples(
        st.just(dimension), st.permutations(range(3 * dimension * (3 * dimension - 1)))
    )
)


def played(dimension: int, moves: list[int]) -> Position:
    position = GAMES[dimension].start()
    for move in moves:
        position = position.apply(str(move))
    return position


@settings(max_examples=40, deadline=None)
@given(orders)
def test_whole_matches_agree_with_the_reference(order: tuple[int, list[int]]) -> None:
    dimension, moves = order
    position, expected = GAMES[dimension].start(), slow.SlowPosition(dimension)
    for move in moves:
        assert list(position.actions) == expected.legal_moves()
        position, expected = position.apply(str(move)), expected.apply(move)
        assert str(position) == expected.text()
        assert position.score == expected.score()
        winner = None if position.outcome is None else position.outcome.winner
        assert winner == expected.winner()


@pytest.mark.parametrize("dimension", [5, 6, 7, 8])
def test_large_boards_agree_with_the_reference(dimension: int) -> None:
    moves = np.random.default_rng(dimension).permutation(len(slow.edges(dimension))).tolist()
    position, expected = played(dimension, moves), slow.line(dimension, moves)
    assert str(position) == expected.text()
    assert position.outcome is not None
    assert position.outcome.winner == expected.winner()


def test_one_edge_closes_two_cells() -> None:
    before = played(2, DOUBLE)
    after = before.apply("5")
    assert before.score == (0, 0)
    assert sum(after.score) == 2


def test_side_that_closes_moves_again() -> None:
    before = played(2, DOUBLE)
    assert before.apply("5").side_to_move == before.side_to_move


def test_side_that_closes_nothing_passes_the_turn() -> None:
    assert played(2, [0]).side_to_move == 1


def test_match_goes_on_when_the_majority_is_sure() -> None:
    # six of seven cells belong to blue, one edge is open
    text = "2:" + "B" * 29 + ".:BBBBBB.:R"
    assert GAMES[2].parse(text).outcome is None


@pytest.mark.parametrize(
    ("cells", "winner"), [("BBBBRRR", 0), ("RRRRBBB", 1), ("RRRRRRR", 1), ("BRBRBRB", 0)]
)
def test_majority_of_cells_wins(cells: str, winner: int) -> None:
    outcome = GAMES[2].parse("2:" + "BR" * 15 + f":{cells}:B").outcome
    assert outcome is not None
    assert outcome.winner == winner


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_perft_of_the_reference_is_the_declared_one(depth: int) -> None:
    game = GAMES[2]
    declared = game.facts.perft[str(game.start())]
    assert declared[depth - 1] == slow.perft(slow.SlowPosition(2), depth)


def test_perft_of_dimension_2_is_declared_to_depth_4() -> None:
    game = GAMES[2]
    assert game.facts.perft[str(game.start())] == (30, 870, 24_360, 657_720)


@settings(max_examples=30, deadline=None)
@given(orders, st.integers(0, 11), st.data())
def test_symmetries_keep_scores_and_turns(
    order: tuple[int, list[int]], symmetry: int, data: st.DataObject
) -> None:
    dimension, moves = order
    moves = moves[: data.draw(st.integers(0, len(moves)))]
    edges, cells = symmetries(dimension)
    position = played(dimension, moves)
    image = played(dimension, edges[symmetry][moves].tolist() if moves else [])
    assert image.score == position.score
    assert image.side_to_move == position.side_to_move
    assert set(image.actions) == {int(edges[symmetry, action]) for action in position.actions}
    owners, moved = str(position).split(":")[2], str(image).split(":")[2]
    assert [moved[cell] for cell in cells[symmetry]] == list(owners)


def test_apply_leaves_the_position_alone() -> None:
    words = GAMES[3].start().words.copy()
    before = words.copy()
    rules.apply(words, 71, np.zeros_like(words))
    assert np.array_equal(words, before)


def test_legal_moves_leaves_the_tail_of_the_buffer() -> None:
    words = played(2, [3]).words
    moves = np.full(30, -7, dtype=np.int64)
    count = rules.legal_moves(words, moves)
    assert (count, moves[29]) == (29, -7)
