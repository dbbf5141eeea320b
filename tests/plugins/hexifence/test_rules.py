"""Rules of Hexifence: the kernels against reference rules on sets of edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import hexifence as reference

from boardgames.game import Position
from boardgames_hexifence import rules
from boardgames_hexifence.board import symmetries
from boardgames_hexifence.game import Hexifence

pytestmark = pytest.mark.plain

GAMES = {dimension: Hexifence(dimension=dimension) for dimension in range(2, 9)}

BEFORE_DOUBLE = [0, 1, 4, 8, 9, 2, 3, 6, 10, 11]
"""Moves on dimension 2 after which edge 5 closes cells 0 and 1 at once."""

orders = st.integers(2, 4).flatmap(
    lambda dimension: st.tuples(
        st.just(dimension), st.permutations(range(3 * dimension * (3 * dimension - 1)))
    )
)


def play(dimension: int, moves: list[int]) -> Position:
    position = GAMES[dimension].start()
    for move in moves:
        position = position.apply(str(move))
    return position


@settings(max_examples=12)
@given(orders)
def test_whole_matches_match_the_reference(order: tuple[int, list[int]]) -> None:
    dimension, moves = order
    position, expected = GAMES[dimension].start(), reference.ReferencePosition(dimension)
    for move in moves:
        assert list(position.actions) == expected.legal_moves()
        position, expected = position.apply(str(move)), expected.apply(move)
        assert str(position) == expected.text()
        assert position.score == expected.score()
        winner = None if position.outcome is None else position.outcome.winner
        assert winner == expected.winner()


@pytest.mark.parametrize("dimension", [5, 6, 7, 8])
def test_matches_on_large_boards_match_the_reference(dimension: int) -> None:
    moves = np.random.default_rng(dimension).permutation(len(reference.edges(dimension))).tolist()
    position, expected = play(dimension, moves), reference.play(dimension, moves)
    assert str(position) == expected.text()
    assert position.outcome is not None
    assert position.outcome.winner == expected.winner()


def test_one_edge_can_close_two_cells() -> None:
    before = play(2, BEFORE_DOUBLE)
    after = before.apply("5")
    assert before.score == (0, 0)
    assert sum(after.score) == 2


def test_a_side_that_closes_a_cell_moves_again() -> None:
    before = play(2, BEFORE_DOUBLE)
    assert before.apply("5").side_to_move == before.side_to_move


def test_the_turn_passes_after_a_move_that_closes_no_cell() -> None:
    assert play(2, [0]).side_to_move == 1


def test_the_match_continues_after_a_side_has_the_majority() -> None:
    # blue owns six of seven cells, and one edge is open
    text = "2:" + "B" * 29 + ".:BBBBBB.:R"
    assert GAMES[2].parse(text).outcome is None


@pytest.mark.parametrize(
    ("cells", "winner"), [("BBBBRRR", 0), ("RRRRBBB", 1), ("RRRRRRR", 1), ("BRBRBRB", 0)]
)
def test_the_side_with_more_cells_wins(cells: str, winner: int) -> None:
    outcome = GAMES[2].parse("2:" + "BR" * 15 + f":{cells}:B").outcome
    assert outcome is not None
    assert outcome.winner == winner


@pytest.mark.parametrize("depth", [1, 2])
def test_perft_counts_of_the_reference_match_the_declared_ones(depth: int) -> None:
    game = GAMES[2]
    declared = game.facts.perft[str(game.start())]
    assert declared[depth - 1] == reference.perft(reference.ReferencePosition(2), depth)


def test_perft_counts_of_dimension_2_are_declared_to_depth_4() -> None:
    game = GAMES[2]
    assert game.facts.perft[str(game.start())] == (30, 870, 24_360, 657_720)


@settings(max_examples=12)
@given(orders, st.integers(0, 11), st.data())
def test_symmetries_preserve_scores_and_turns(
    order: tuple[int, list[int]], symmetry: int, data: st.DataObject
) -> None:
    dimension, moves = order
    moves = moves[: data.draw(st.integers(0, len(moves)))]
    edges, cells = symmetries(dimension)
    position = play(dimension, moves)
    image = play(dimension, edges[symmetry][moves].tolist() if moves else [])
    assert image.score == position.score
    assert image.side_to_move == position.side_to_move
    assert set(image.actions) == {int(edges[symmetry, action]) for action in position.actions}
    owners, image_owners = str(position).split(":")[2], str(image).split(":")[2]
    assert [image_owners[cell] for cell in cells[symmetry]] == list(owners)


def test_apply_does_not_change_the_position() -> None:
    words = GAMES[3].start().words.copy()
    before = words.copy()
    rules.apply(words, 71, np.zeros_like(words))
    assert np.array_equal(words, before)


def test_legal_moves_does_not_write_beyond_the_moves() -> None:
    words = play(2, [3]).words
    moves = np.full(30, -7, dtype=np.int64)
    count = rules.legal_moves(words, moves)
    assert (count, moves[29]) == (29, -7)
