"""The evaluation of Connect Four: bounds, symmetry, point of view and terms."""

import numpy as np
import pytest

import boardgames
from boardgames.game import Position

pytestmark = pytest.mark.plain


def value_of(position: Position) -> float:
    """Return the evaluation of a position for the side to move."""
    evaluation = position.game.evaluation
    return evaluation.value(position.words)


def mirror(position: Position) -> Position:
    return position.game.parse("/".join(row[::-1] for row in str(position).split("/")))


def test_values_stay_within_the_bound_with_any_weights() -> None:
    position = boardgames.load("connect4").parse("4")
    evaluation = position.game.evaluation
    value = evaluation.kernel(position.words, np.full(5, 1e12))
    assert 0.5 < abs(value) <= evaluation.bound < 1


def test_mirror_images_have_equal_values() -> None:
    random = np.random.default_rng(3)
    position = boardgames.load("connect4").start()
    while position.legal_moves:
        assert value_of(position) == pytest.approx(value_of(mirror(position)))
        position = position.apply(position.legal_moves[random.integers(len(position.legal_moves))])


def test_the_value_of_the_empty_board_is_0() -> None:
    assert value_of(boardgames.load("connect4").start()) == 0


def test_the_value_is_for_the_side_to_move() -> None:
    game = boardgames.load("connect4")
    before, after = game.parse("313"), game.parse("3132")
    assert value_of(before) < 0 < value_of(after)


@pytest.mark.parametrize(
    ("better", "worse"),
    [("41", "14"), ("27374", "27376")],
    ids=["centre stone", "three in a line"],
)
def test_better_stones_raise_the_value_for_red(better: str, worse: str) -> None:
    game = boardgames.load("connect4")
    values = [value_of(game.parse(text)) * (1 if len(text) % 2 == 0 else -1) for text in (better, worse)]
    assert values[0] > values[1]


def test_the_value_follows_from_the_features_with_odd_rows_for_red_and_even_for_blue() -> None:
    random = np.random.default_rng(4)
    position = boardgames.load("connect4").start()
    features, weights = boardgames.load_features("lines", position.game), position.game.evaluation.weights
    while position.legal_moves:
        out = np.zeros(len(features.features))
        features.kernel(position.words, 0, out)
        red, blue = out[:5], out[5:10][[0, 1, 2, 4, 3]]
        difference = float(weights @ (red - blue)) * (-1 if position.side_to_move else 1)
        assert value_of(position) == pytest.approx(0.9 * difference / (1 + abs(difference)))
        position = position.apply(position.legal_moves[random.integers(len(position.legal_moves))])
