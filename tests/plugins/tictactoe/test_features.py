"""The features of tic-tac-toe against counts on texts, and their ranges on every position."""

import doctest
import sys

import numpy as np
import pytest

import boardgames
from boardgames.declarations import FeatureSet
from boardgames.game import Game, Position

CELLS = [f"{column}{row}" for row in "321" for column in "abc"]
LINES = ("a1b1c1", "a2b2c2", "a3b3c3", "a1a2a3", "b1b2b3", "c1c2c3", "a1b2c3", "a3b2c1")


@pytest.fixture(scope="module")
def game() -> Game:
    return boardgames.load("tictactoe")


@pytest.fixture(scope="module")
def lines(game: Game) -> FeatureSet:
    return boardgames.load_features("lines", game)


def features_of(lines: FeatureSet, position: Position, side: int) -> list[float]:
    out = np.full(len(lines.features), np.nan)
    lines.kernel(position.words, side, out)
    return out.tolist()


def expected_features(text: str, symbol: str) -> list[float]:
    """Return the four numbers of one side, counted on the text of a position."""
    board = dict(zip(CELLS, text.replace("/", ""), strict=True))
    rows = ["".join(sorted(board[line[at : at + 2]] for at in (0, 2, 4))) for line in LINES]
    corners = [board[cell] for cell in ("a1", "a3", "c1", "c3")]
    return [
        rows.count("".join(sorted(f".{symbol}{symbol}"))),
        rows.count("".join(sorted(f"..{symbol}"))),
        float(board["b2"] == symbol),
        corners.count(symbol),
    ]


def every_position(game: Game) -> list[Position]:
    seen, queue = {game.start()}, [game.start()]
    while queue:
        position = queue.pop()
        for move in position.legal_moves:
            after = position.apply(move)
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return list(seen)


@pytest.mark.parametrize(
    ("text", "side", "expected"),
    [
        (".../.../...", 0, [0, 0, 0, 0, 0, 0, 0, 0]),
        (".../.x./...", 0, [0, 4, 1, 0, 0, 0, 0, 0]),
        (".../.x./...", 1, [0, 0, 0, 0, 0, 4, 1, 0]),
        ("xx./.o./...", 0, [1, 1, 0, 1, 0, 2, 1, 0]),
    ],
    ids=["empty", "centre", "centre of the opponent", "two in a line"],
)
def test_features_counted_by_hand(
    game: Game, lines: FeatureSet, text: str, side: int, expected: list[float]
) -> None:
    assert features_of(lines, game.parse(text), side) == expected


@pytest.mark.slow
def test_features_of_every_position_match_the_counts_and_use_the_whole_ranges(
    game: Game, lines: FeatureSet
) -> None:
    positions = every_position(game)
    assert len(positions) == 5478
    reached = np.zeros((2, 8))
    for position in positions:
        for side, (own, other) in enumerate((("x", "o"), ("o", "x"))):
            numbers = features_of(lines, position, side)
            assert numbers == expected_features(str(position), own) + expected_features(str(position), other)
            reached = np.array([np.minimum(reached[0], numbers), np.maximum(reached[1], numbers)])
    ranges = np.array([[feature.low, feature.high] for feature in lines.features]).T
    assert np.array_equal(reached, ranges)


def test_doctests_pass(lines: FeatureSet) -> None:
    failed, tried = doctest.testmod(sys.modules["boardgames_tictactoe.features"])
    assert (failed, tried) == (0, 5)


def test_the_game_has_no_evaluation(game: Game) -> None:
    assert game.evaluation.weights.size == 0
