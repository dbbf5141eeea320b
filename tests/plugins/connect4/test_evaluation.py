import numpy as np
import pytest

import boardgames
from boardgames.game import Position

pytestmark = pytest.mark.plain


def worth(position: Position) -> float:
    """Return the evaluation for the side to move."""
    evaluation = position.game.evaluation
    return float(evaluation.kernel(position.words, evaluation.weights))


def mirrored(position: Position) -> Position:
    return position.game.parse("/".join(row[::-1] for row in str(position).split("/")))


def test_values_stay_within_the_bound_whatever_the_weights() -> None:
    position = boardgames.load("connect4").parse("4")
    evaluation = position.game.evaluation
    value = evaluation.kernel(position.words, np.full(5, 1e12))
    assert 0.5 < abs(value) <= evaluation.bound < 1


def test_mirrored_positions_are_worth_the_same() -> None:
    random = np.random.default_rng(3)
    position = boardgames.load("connect4").start()
    while position.legal_moves:
        assert worth(position) == pytest.approx(worth(mirrored(position)))
        position = position.apply(position.legal_moves[random.integers(len(position.legal_moves))])


def test_empty_board_is_worth_nothing() -> None:
    assert worth(boardgames.load("connect4").start()) == 0


def test_value_is_for_the_side_to_move() -> None:
    game = boardgames.load("connect4")
    before, after = game.parse("313"), game.parse("3132")
    assert worth(before) < 0 < worth(after)


@pytest.mark.parametrize(
    ("better", "worse"),
    [("41", "14"), ("27374", "27376")],
    ids=["the centre", "a line of three"],
)
def test_better_stones_are_worth_more_to_red(better: str, worse: str) -> None:
    game = boardgames.load("connect4")
    values = [worth(game.parse(text)) * (1 if len(text) % 2 == 0 else -1) for text in (better, worse)]
    assert values[0] > values[1]


def test_value_weighs_the_features_with_odd_rows_for_red_and_even_for_blue() -> None:
    random = np.random.default_rng(4)
    position = boardgames.load("connect4").start()
    features, weights = boardgames.load_features("lines", position.game), position.game.evaluation.weights
    while position.legal_moves:
        out = np.zeros(len(features.features))
        features.kernel(position.words, 0, out)
        red, blue = out[:5], out[5:10][[0, 1, 2, 4, 3]]
        difference = float(weights @ (red - blue)) * (-1 if position.side_to_move else 1)
        assert worth(position) == pytest.approx(0.9 * difference / (1 + abs(difference)))
        position = position.apply(position.legal_moves[random.integers(len(position.legal_moves))])
