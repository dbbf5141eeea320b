"""What the Hexifence plug-in offers can be loaded."""

import pytest

from boardgames import load, load_features
from boardgames.plugins import registry


@pytest.mark.parametrize("kind", ["games", "features"])
def test_offers_carry_the_games_name(kind: str) -> None:
    offered = {offer.entry.name for offer in registry().offers(kind) if offer.plugin == "hexifence"}
    assert offered == {"hexifence"} if kind == "games" else {"simple"}


def test_summary_of_the_entry_is_that_of_the_game() -> None:
    entry = next(o.entry for o in registry().offers("games") if o.entry.name == "hexifence")
    assert load("hexifence").facts.summary == entry.summary


def test_features_are_sized_by_the_dimension() -> None:
    features = load_features("simple", load("hexifence", dimension=4)).features
    assert (features[0].high, features[3].high) == (37.0, 132.0)
