"""The patterns of Abalone: what they look up, and the evaluation `engine` written as patterns."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.abalone import CELLS as CUBE_CELLS
from reference.abalone import Cell
from reference.abalone_terms import spread

import boardgames
from boardgames.declarations import Evaluation
from boardgames.game import Move, Position
from boardgames.kernels import Reals, Words
from boardgames.testing import check_game
from boardgames.weights import Weights
from boardgames.weights.merging import merged_tables
from boardgames_abalone.board import CELLS, NEIGHBOURS
from boardgames_abalone.evaluation import engine_evaluation
from boardgames_abalone.notation import pack_marbles
from boardgames_abalone.patterns import MATERIAL, SHAPES, TERMS, as_patterns, cell_values, start
from boardgames_abalone.terms import ENGINE_TERMS, TERM_COUNT

GAME = boardgames.load("abalone")
MARBLES = st.lists(st.sampled_from([0, 0, 1, 2]), min_size=CELLS, max_size=CELLS)
LOST = st.tuples(st.integers(0, 6), st.integers(0, 5))
SIDE = st.integers(0, 1)


def packed(cells: list[int], side: int, lost: tuple[int, int] = (0, 0)) -> Words:
    """Return a position with black (1) and white (2) marbles."""
    black, white = ([cell for cell in range(CELLS) if cells[cell] == value] for value in (1, 2))
    return pack_marbles(black, white, side, lost)


def positions(matches: int) -> Iterator[Position]:
    """Yield positions of matches with many pushes."""
    random = np.random.default_rng(1)
    moves = np.zeros(GAME.facts.actions, dtype=np.int64)
    for _ in range(matches):
        position = GAME.start()
        while position.outcome is None and len(moves):
            pushes = moves[: GAME.kernels.tactical_moves(position.words, moves)]
            choices = pushes if len(pushes) and random.random() < 0.7 else position.actions
            position = position.apply(Move(int(random.choice(choices)), ""))
            yield position


def value(evaluation: Evaluation, words: Words) -> float:
    return evaluation.value(words)


def patterns_of(weights: Reals) -> Evaluation:
    """Return weights of `engine` as patterns."""
    return Weights.of_model(GAME, SHAPES, *as_patterns(weights)).evaluation(GAME, SHAPES)


@cache
def random_evaluation(seed: int, anchors: int) -> tuple[Evaluation, Evaluation]:
    """Return random weights as an evaluation through bitboards, and through cells."""
    random = np.random.default_rng(seed)
    assert SHAPES.model is not None
    weights = Weights.of_model(
        GAME,
        SHAPES,
        random.normal(0, 30, (anchors, SHAPES.size // SHAPES.phases)),
        random.normal(0, 5, (anchors, SHAPES.model.size)),
    )
    through_cells = replace(SHAPES, bitboards=(), bits=())
    return weights.evaluation(GAME, SHAPES), weights.evaluation(GAME, through_cells)


@pytest.mark.plain
@given(MARBLES, SIDE)
@settings(max_examples=10)
def test_cells_are_empty_own_or_opposing(cells: list[int], side: int) -> None:
    out = np.full(CELLS, -1)
    cell_values(packed(cells, 0), side, out)
    assert out.tolist() == [cell if side == 0 or cell == 0 else 3 - cell for cell in cells]


@pytest.mark.slow
def test_bitboards_symmetries_and_phases_fit_the_game() -> None:
    assert check_game(GAME, matches=2, positions=8, only=["patterns"]).ok


def test_the_27_lines_share_five_tables() -> None:
    tables = merged_tables(SHAPES)[:5]
    assert [(len(table.groups), len(table.groups[0])) for table in tables] == [
        (6, 5), (6, 6), (6, 7), (6, 8), (3, 9),
    ]  # fmt: skip
    for table in tables:
        for line in table.groups:
            (direction,) = {
                direction
                for direction in range(6)
                if [int(NEIGHBOURS[cell, direction]) for cell in line[:-1]] == list(line[1:])
            }
            assert NEIGHBOURS[line[-1], direction] == NEIGHBOURS[line[0], (direction + 3) % 6] == -1


def test_each_inner_cell_has_a_hexagon() -> None:
    hexagons = [group for table in merged_tables(SHAPES)[5:] for group in table.groups]
    inner = [cell for cell in range(CELLS) if NEIGHBOURS[cell].min() >= 0]
    assert len(inner) == 37
    assert sorted(map(sorted, hexagons)) == sorted(sorted([cell, *NEIGHBOURS[cell]]) for cell in inner)


@pytest.mark.plain
@pytest.mark.parametrize("anchors", [1, 2, 9])
def test_bitboards_give_the_same_values_as_cells(anchors: int) -> None:
    fast, slow = random_evaluation(anchors, anchors)
    random = np.random.default_rng(anchors)
    for _ in range(30):
        cells = random.choice(3, CELLS, p=[0.5, 0.25, 0.25]).tolist()
        lost = (int(random.integers(7)), int(random.integers(6)))
        words = packed(cells, int(random.integers(2)), lost)
        assert value(fast, words) == value(slow, words)


@given(MARBLES, SIDE, LOST)
@settings(max_examples=20)
def test_symmetric_positions_are_worth_the_same(cells: list[int], side: int, lost: tuple[int, int]) -> None:
    evaluation, _ = random_evaluation(3, 2)
    words = packed(cells, side, lost)
    expected = pytest.approx(value(evaluation, words))
    for symmetry in GAME.symmetries():
        assert value(evaluation, symmetry.words(words)) == expected


@pytest.mark.parametrize("lost", [(0, 0), (1, 0), (2, 3), (5, 3), (5, 5), (6, 4)], ids=str)
def test_phase_is_the_number_of_marbles_lost_at_most_eight(lost: tuple[int, int]) -> None:
    assert SHAPES.phase(packed([0] * CELLS, 0, lost), 1) == min(sum(lost), 8)


def centre(marbles: set[Cell]) -> complex:
    """Return the centre of mass of marbles in the plane, that of the board if there are none."""
    return sum(map(point, marbles)) / max(len(marbles), 1)


def point(cell: Cell) -> complex:
    """Return the place of a cell in the plane, with neighbouring cells one apart."""
    return complex(cell[0], 0) + cell[1] * complex(0.5, 0.75**0.5)


@pytest.mark.plain
@given(MARBLES, SIDE, SIDE, LOST)
@settings(max_examples=15)
def test_features_of_the_model_match_their_definitions(
    cells: list[int], to_move: int, side: int, lost: tuple[int, int]
) -> None:
    words, out = packed(cells, to_move, lost), np.full(8, np.nan)
    MATERIAL.kernel(words, side, out[:2])
    TERMS.kernel(words, side, out[2:])
    own, other = (
        {CUBE_CELLS[cell] for cell in range(CELLS) if cells[cell] == 1 + one} for one in (side, 1 - side)
    )
    assert out.tolist() == pytest.approx(
        [
            lost[1 - side] - lost[side],
            lost[1 - side] ** 2 - lost[side] ** 2,
            spread(frozenset(own)),
            spread(frozenset(other)),
            abs(centre(own) - centre(other)) ** 2,
            abs(centre(own)) ** 2,
            abs(centre(other)) ** 2,
            1 if side == to_move else -1,
        ],
        abs=1e-9,
    )


@pytest.mark.parametrize(
    ("without", "largest"),
    [(("edge danger", "sandwiched"), 0.05), ((), 20.0)],
    ids=["exactly", "except for marbles that count on several lines"],
)
def test_engine_as_patterns_agrees_with_engine(without: tuple[str, ...], largest: float) -> None:
    engine = engine_evaluation()
    weights = engine.weights.copy()
    for index, term in enumerate(ENGINE_TERMS):
        if term.name in without:
            weights[[index, TERM_COUNT + index]] = 0.0
    as_terms, evaluation = replace(engine, weights=weights), patterns_of(weights)
    differences = [
        abs(value(evaluation, position.words) - value(as_terms, position.words)) for position in positions(15)
    ]
    assert max(differences) < largest


def test_learning_starts_from_the_shipped_engine() -> None:
    tables, features = start()
    expected = as_patterns(engine_evaluation().weights)
    assert np.array_equal(tables, expected[0])
    assert np.array_equal(features, expected[1])
    assert tables.shape == (9, SHAPES.size // 9)


def test_search_uses_weights_of_patterns(tmp_path: Path) -> None:
    path = tmp_path / "shapes.safetensors"
    Weights.of_model(GAME, SHAPES, *start()).write(path)
    player = boardgames.load_player(f"alphabeta:depth=3,book=false,weights={path}", GAME)
    engine = boardgames.load_player("tapered:depth=3", GAME)
    found = player.choose(GAME.start()).score
    expected = engine.choose(GAME.start()).score
    assert found is not None
    assert expected is not None
    assert found.unit is not None
    assert found.unit.name == "marble"
    assert found.amount == pytest.approx(expected.amount, abs=0.3)
