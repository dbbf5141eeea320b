"""The example's features, counted again on texts, and their declared ranges on every position there is."""

import doctest
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from installed import tictactoe_installed

import boardgames
from boardgames.declarations import FeatureSet
from boardgames.game import Game, Position

CELLS = [f"{column}{row}" for row in "321" for column in "abc"]
LINES = ("a1b1c1", "a2b2c2", "a3b3c3", "a1a2a3", "b1b2b3", "c1c2c3", "a1b2c3", "a3b2c1")


@pytest.fixture(scope="module")
def game() -> Iterator[Game]:
    with tictactoe_installed() as game:
        yield game


@pytest.fixture(scope="module")
def lines(game: Game) -> FeatureSet:
    return boardgames.load_features("lines", game)


def read(lines: FeatureSet, position: Position, side: int) -> list[float]:
    out = np.full(len(lines.features), np.nan)
    lines.kernel(position.words, side, out)
    found: list[float] = out.tolist()
    return found


def counted(text: str, symbol: str) -> list[float]:
    """Return the four numbers of a symbol, by the names of the cells."""
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
    found, waiting = {game.start()}, [game.start()]
    while waiting:
        position = waiting.pop()
        for move in position.legal_moves:
            after = position.apply(move)
            if after not in found:
                found.add(after)
                waiting.append(after)
    return list(found)


@pytest.mark.parametrize(
    ("text", "side", "expected"),
    [
        (".../.../...", 0, [0, 0, 0, 0, 0, 0, 0, 0]),
        (".../.x./...", 0, [0, 4, 1, 0, 0, 0, 0, 0]),
        (".../.x./...", 1, [0, 0, 0, 0, 0, 4, 1, 0]),
        ("xx./.o./...", 0, [1, 1, 0, 1, 0, 2, 1, 0]),
    ],
    ids=["empty", "centre", "centre, seen by the other", "two in a line"],
)
def test_numbers_by_hand(game: Game, lines: FeatureSet, text: str, side: int, expected: list[float]) -> None:
    assert read(lines, game.parse(text), side) == expected


@pytest.mark.slow
def test_every_position_has_the_numbers_that_its_text_has(game: Game, lines: FeatureSet) -> None:
    positions = every_position(game)
    assert len(positions) == 5478
    reached = np.zeros((2, 8))
    for position in positions:
        for side, (own, other) in enumerate(("xo", "ox")):
            numbers = read(lines, position, side)
            assert numbers == counted(str(position), own) + counted(str(position), other)
            reached = np.array([np.minimum(reached[0], numbers), np.maximum(reached[1], numbers)])
    ranges = np.array([[feature.low, feature.high] for feature in lines.features]).T
    assert np.array_equal(reached, ranges)


def test_examples_in_its_docstrings_hold(lines: FeatureSet) -> None:
    failed, tried = doctest.testmod(sys.modules["boardgames_tictactoe.features"])
    assert (failed, tried) == (0, 2)


def test_the_game_stays_without_an_evaluation(game: Game) -> None:
    assert game.evaluation.weights.size == 0
