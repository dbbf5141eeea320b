"""The weights shipped with plug-ins can be loaded by name, record how they were made, and play well."""

from collections.abc import Mapping
from typing import Any

import pytest

import boardgames
from boardgames.arena.arena import Arena
from boardgames.arena.plan import Plan
from boardgames.executors import open_executor
from boardgames.game import Game
from boardgames.networks import load_network
from boardgames.plugins import load_learner, registry
from boardgames.weights import find_weights
from boardgames.weights.lookup import network_names
from boardgames_connect4.value_iteration.abstraction import find_abstraction
from boardgames_connect4.value_iteration.policy import Policy

NEWER_OPTIONS = {"start": None, "beta": 0.0, "forced": 2.0, "lead_weight": 0.0}
"""Options of learners that are newer than some of the weights, with their defaults."""
OFFERS = [(offer.entry.game, offer.entry.name) for offer in registry().offers("weights")]


def test_every_game_ships_weights() -> None:
    shipped = {("abalone", "td"), ("abalone", "three-terms"), ("connect4", "td"), ("connect4", "ntuple")}
    assert shipped | {("hexifence", "td")} <= set(OFFERS)


@pytest.mark.parametrize(("name", "weights"), OFFERS)
def test_shipped_weights_record_learner_settings_and_seed(name: str, weights: str) -> None:
    game = boardgames.load(name)
    if weights in network_names(name):
        check_provenance(load_network(weights, game).provenance, game)
        return
    shipped, features = find_weights(weights, game)
    provenance = shipped.provenance
    if provenance["learner"] == "none":
        assert (provenance["made"], weights.endswith("by-hand")) == ("set by hand", True)
        return
    check_provenance(provenance, game)
    name = provenance["settings"].get("features") or provenance["settings"].get("patterns")
    assert (name or features.name) == features.name


def check_provenance(provenance: Mapping[str, Any], game: Game) -> None:
    learner = load_learner(provenance["learner"], game, **provenance["settings"])
    newer = {name: value for name, value in NEWER_OPTIONS.items() if name in learner.options}
    assert learner.options == {**newer, **provenance["settings"]}
    assert isinstance(provenance["seed"], int)
    assert 0 < provenance["step"] <= (learner.length or provenance["step"])


@pytest.mark.parametrize("layout", ["7x6", "8x7"])
def test_shipped_policies_are_small_and_record_how_they_were_made(layout: str) -> None:
    game = boardgames.load("connect4", layout=layout)
    abstraction = find_abstraction("tops", game)
    assert abstraction.policy is not None
    assert abstraction.policy.stat().st_size < 200_000
    policy = Policy.read(abstraction.policy)
    policy.check(game, abstraction)
    provenance = policy.provenance
    learner = load_learner(provenance["learner"], game, **provenance["settings"])
    newer = {name: value for name, value in NEWER_OPTIONS.items() if name in learner.options}
    assert learner.options == {**newer, **provenance["settings"]}
    assert (provenance["step"], provenance["layout"]) == (learner.length, layout)


def test_players_load_shipped_weights_by_name() -> None:
    game = boardgames.load("abalone")
    default = boardgames.load_player("td", game)
    named = boardgames.load_player("td:weights=td", game)
    assert default.fingerprint() == named.fingerprint() == find_weights("td", game)[0].fingerprint()
    searcher = boardgames.load_player("alphabeta:depth=1,weights=three-terms", game)
    assert searcher.choose(game.start()).move in game.start().legal_moves


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "opponent", "share"),
    [
        ("abalone", "random", 0.98),
        ("abalone", "greedy:weights=three-terms-by-hand", 0.75),
        ("connect4", "random", 0.95),
        ("hexifence", "double", 0.75),
    ],
)
def test_td_scores_at_least_its_expected_share(name: str, opponent: str, share: float) -> None:
    plan = Plan(game=boardgames.load(name), agents=("td", opponent), matches=60)
    with open_executor(1) as executor:
        report = Arena(plan, seed=5).run(executor)
    assert report.standings[0].score is not None
    assert report.standings[0].score >= share
