"""The features of Hexifence against the reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import hexifence as reference

from boardgames import load_features
from boardgames_hexifence.features import CAPTURING, FREE, SACRIFICING, SAFE, edge_kind
from boardgames_hexifence.game import Hexifence

pytestmark = pytest.mark.plain

GAMES = {dimension: Hexifence(dimension=dimension) for dimension in (2, 3)}
orders = st.sampled_from([2, 3]).flatmap(
    lambda dimension: st.tuples(
        st.just(dimension), st.permutations(range(3 * dimension * (3 * dimension - 1)))
    )
)


@settings(max_examples=40)
@given(orders, st.floats(0, 1), st.integers(0, 1))
def test_features_match_the_reference(order: tuple[int, list[int]], share: float, side: int) -> None:
    dimension, moves = order
    position = reference.play(dimension, moves[: round(share * len(moves))])
    features = load_features("simple", GAMES[dimension])
    out = np.full(len(features.features), np.nan)
    features.kernel(GAMES[dimension].parse(position.text()).words, side, out)
    assert out.tolist() == position.features(side)
    for value, feature in zip(out, features.features, strict=True):
        assert feature.low <= value <= feature.high


@pytest.mark.parametrize(
    ("moves", "edge", "kind"),
    [
        ([], 0, SAFE),
        ([0, 1, 4, 8], 9, SACRIFICING),
        ([0, 1, 4, 8, 9], 5, FREE),
        ([0, 1, 4, 8, 9, 2, 3, 6, 10], 5, CAPTURING),
        ([0, 1, 4, 8, 9, 2, 3, 6, 10, 11], 5, FREE),
    ],
    ids=["safe", "fifth edge of a cell", "closes one cell", "closes one and offers one", "closes two"],
)
def test_edges_are_classified_by_what_drawing_them_does(moves: list[int], edge: int, kind: int) -> None:
    words = GAMES[2].parse(reference.play(2, moves).text()).words
    assert edge_kind(words, 2, edge) == kind
