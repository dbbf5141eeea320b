import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.connect4 import SlowPosition

import boardgames
from boardgames.declarations import FeatureSet
from boardgames.game import Position

pytestmark = pytest.mark.plain

SIZES = [(7, 6), (8, 7), (5, 4), (2, 2)]


def lines(position: Position, side: int) -> list[float]:
    """Return the features of a position; every entry must be written."""
    found = feature_set(position)
    out = np.full(len(found.features), np.nan)
    found.kernel(position.words, side, out)
    return [float(value) for value in out]


def feature_set(position: Position) -> FeatureSet:
    return boardgames.load_features("lines", position.game)


@pytest.mark.parametrize("size", SIZES, ids=str)
@given(choices=st.lists(st.integers(0, 7), max_size=50), side=st.integers(0, 1))
@settings(max_examples=40, deadline=None)
def test_features_agree_with_the_slow_count_of_lines(
    size: tuple[int, int], choices: list[int], side: int
) -> None:
    position = boardgames.load("connect4", columns=size[0], rows=size[1]).start()
    slow = SlowPosition.start(*size)
    for choice in choices:
        if slow.legal_moves():
            move = slow.legal_moves()[choice % len(slow.legal_moves())]
            position, slow = position.apply(str(move)), slow.apply(move)
    middle = {(size[0] - 1) // 2, size[0] // 2}
    expected = []
    for stone in ("rb", "br")[side]:
        threats = slow.threats(stone)
        expected += [
            slow.open_lines(stone, 2),
            slow.open_lines(stone, 3),
            sum(slow.stones[column].count(stone) for column in middle),
            sum(row % 2 == 0 for _, row in threats),
            sum(row % 2 == 1 for _, row in threats),
        ]
    expected.append(slow.side_to_move == "rb"[side])
    assert lines(position, side) == expected


def test_features_stay_within_their_declared_ranges() -> None:
    random = np.random.default_rng(2)
    for _ in range(30):
        position = boardgames.load("connect4").start()
        while position.legal_moves:
            position = position.apply(position.legal_moves[random.integers(len(position.legal_moves))])
            for feature, value in zip(feature_set(position).features, lines(position, 0), strict=True):
                assert feature.low <= value <= feature.high, feature.name


def test_feature_names_are_unique() -> None:
    names = [feature.name for feature in feature_set(boardgames.load("connect4").start()).features]
    assert len(names) == len(set(names)) == 11
