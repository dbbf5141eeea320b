"""The features of Connect Four, compared with the reference on boards of several sizes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.connect4 import ReferencePosition

import boardgames
from boardgames.declarations import FeatureSet
from boardgames.game import Position

pytestmark = pytest.mark.plain

SIZES = [(7, 6), (8, 8), (5, 4)]


def features_of(position: Position, side: int) -> list[float]:
    features = feature_set(position)
    out = np.full(len(features.features), np.nan)
    features.kernel(position.words, side, out)
    return [float(value) for value in out]


def feature_set(position: Position) -> FeatureSet:
    return boardgames.load_features("lines", position.game)


@pytest.mark.parametrize("size", SIZES, ids=str)
@given(choices=st.lists(st.integers(0, 7), max_size=50), side=st.integers(0, 1))
@settings(max_examples=15)
def test_features_match_the_reference(size: tuple[int, int], choices: list[int], side: int) -> None:
    position = boardgames.load("connect4", columns=size[0], rows=size[1]).start()
    reference = ReferencePosition.start(*size)
    for choice in choices:
        if reference.legal_moves():
            move = reference.legal_moves()[choice % len(reference.legal_moves())]
            position, reference = position.apply(str(move)), reference.apply(move)
    middle = {(size[0] - 1) // 2, size[0] // 2}
    expected = []
    for stone in ("rb", "br")[side]:
        threats = reference.threats(stone)
        expected += [
            reference.open_lines(stone, 2),
            reference.open_lines(stone, 3),
            sum(reference.stones[column].count(stone) for column in middle),
            sum(row % 2 == 0 for _, row in threats),
            sum(row % 2 == 1 for _, row in threats),
        ]
    expected.append(reference.side_to_move == "rb"[side])
    assert features_of(position, side) == expected


def test_features_in_matches_stay_within_their_declared_ranges() -> None:
    random = np.random.default_rng(2)
    for _ in range(10):
        position = boardgames.load("connect4").start()
        while position.legal_moves:
            position = position.apply(position.legal_moves[random.integers(len(position.legal_moves))])
            for feature, value in zip(feature_set(position).features, features_of(position, 0), strict=True):
                assert feature.low <= value <= feature.high, feature.name


def test_feature_names_are_unique() -> None:
    names = [feature.name for feature in feature_set(boardgames.load("connect4").start()).features]
    assert len(names) == len(set(names)) == 11
