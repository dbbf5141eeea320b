"""Everything that the Hexifence plug-in registers can be loaded."""

import pytest

from boardgames import load, load_features
from boardgames.plugins import Kind, registry


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("games", {"hexifence"}),
        ("features", {"control", "simple"}),
        ("agents", {"double", "farrugiulian", "strong"}),
        ("overlays", {"chains", "edges"}),
        ("puzzles", {"hand-out", "sacrifice", "safe-edge"}),
    ],
)
def test_the_plugin_registers_its_game_features_and_agents(kind: Kind, names: set[str]) -> None:
    offered = {offer.entry.name for offer in registry().offers(kind) if offer.plugin == "hexifence"}
    assert offered == names


def test_feature_ranges_depend_on_the_dimension() -> None:
    features = load_features("simple", load("hexifence", dimension=4)).features
    assert (features[0].high, features[3].high) == (37.0, 132.0)
