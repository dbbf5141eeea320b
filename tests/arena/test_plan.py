"""Plans: validation, sizes, and the settings that identify an arena."""

import dataclasses
import json
from typing import Any

import pytest

import boardgames
from boardgames.arena.plan import Plan, settings_key
from boardgames.arena.sprt import Sprt
from boardgames.clock import TimeControl
from boardgames.errors import BoardgamesError, LimitError, MatchError, OptionError, UnknownNameError
from boardgames.player import Limit

CONNECT4 = boardgames.load("connect4")


def make_plan(*agents: str, **more: Any) -> Plan:  # its fields
    return Plan(game=CONNECT4, agents=agents or ("random", "greedy"), **more)


@pytest.mark.parametrize("agents", [(), ("random",)])
def test_plan_needs_two_agents(agents: tuple[str, ...]) -> None:
    with pytest.raises(MatchError, match="at least two agents"):
        Plan(game=CONNECT4, agents=agents)


def test_single_string_is_one_agent() -> None:
    with pytest.raises(MatchError, match="at least two agents, not 1"):
        Plan(game=CONNECT4, agents="greedy")


@pytest.mark.parametrize("matches", [0, 1, 3, -2, 2.0, True])
def test_number_of_matches_must_be_even(matches: object) -> None:
    with pytest.raises(LimitError, match="must be even"):
        make_plan(matches=matches)


def test_sequential_test_needs_exactly_two_agents() -> None:
    with pytest.raises(LimitError, match="two agents, not 3"):
        make_plan("random", "greedy", "alphabeta", sprt=Sprt(0, 10))


def test_only_a_swiss_tournament_has_rounds() -> None:
    with pytest.raises(LimitError, match="only be set for a Swiss tournament, not for 'round-robin'"):
        make_plan(rounds=2)
    with pytest.raises(LimitError, match="among 4 agents must be 1 to 3"):
        make_plan("random", "greedy", "alphabeta", "minimax", schedule="swiss", rounds=4)


@pytest.mark.parametrize("wrong", [{"schedule": "roundrobin"}, {"ply_limit": -3}, {"ply_limit": 0}])
def test_invalid_values_are_rejected(wrong: dict[str, object]) -> None:
    with pytest.raises(LimitError):
        make_plan(**wrong)


@pytest.mark.parametrize(
    ("schedule", "agents", "planned"),
    [
        ("round-robin", 2, 10),
        ("round-robin", 5, 100),
        ("gauntlet", 5, 40),
        ("swiss", 5, 60),
        ("swiss", 4, 40),
    ],
)
def test_number_of_matches_follows_from_the_schedule(schedule: str, agents: int, planned: int) -> None:
    names = tuple(f"alphabeta:depth={depth}" for depth in range(1, agents + 1))
    assert make_plan(*names, schedule=schedule, matches=10).planned == planned


@pytest.mark.parametrize(
    ("agent", "error"),
    [
        ("human", MatchError),
        ("nobody", UnknownNameError),
        ("alphabeta:depth=x", OptionError),
        ("alphabeta:", OptionError),
        ("", OptionError),
    ],
)
def test_agents_that_cannot_play_are_rejected_in_advance(agent: str, error: type[BoardgamesError]) -> None:
    with pytest.raises(error):
        make_plan("random", agent).load_lineup()


def test_limits_are_part_of_the_identity_only_of_agents_that_respect_them() -> None:
    time = TimeControl(move=1.1, margin=0.1)
    lineup = make_plan("random", "alphabeta", limit=Limit(nodes=100), time=time).load_lineup()
    assert [key.limits for key in lineup.players] == ["", "1 s a move, 100 nodes"]
    lineup = make_plan("random", "alphabeta", ply_limit=20).load_lineup()
    assert [key.limits for key in lineup.players] == ["20 plies", "20 plies"]


def test_each_side_may_have_a_time_control_of_its_own() -> None:
    long, short = TimeControl(match=60, increment=1), TimeControl(match=30, increment=0.5)
    assert make_plan(time=long).limits == make_plan(time=(long, long)).limits == "60+1 s"
    assert make_plan(time=(long, short)).limits == "60+1 s against 30+0.5 s"
    assert settings_of(make_plan(time=(long, long))) == settings_of(make_plan(time=long))
    assert settings_of(make_plan(time=(long, short))) != settings_of(make_plan(time=(short, long)))
    with pytest.raises(LimitError, match="either both sides have a match clock or neither has one"):
        make_plan(time=(long, TimeControl()))


@pytest.mark.usefixtures("odd_agents")
def test_agents_with_different_weights_have_different_keys() -> None:
    lineup = make_plan("weighted:weights=a", "weighted:weights=b").load_lineup()
    assert [key.fingerprint for key in lineup.players] == ["a", "b"]


def test_agents_may_be_abbreviated_and_have_readable_names() -> None:
    plan = make_plan("level:3", "level=4")
    lineup = plan.load_lineup()
    assert plan.agents == tuple(key.agent for key in lineup.players) == ("level:level=3", "level:level=4")
    assert lineup.names == ["level 3", "level 4"]


def test_agents_with_a_level_are_called_by_it_however_they_are_written() -> None:
    plan = make_plan("level", "level:table=2,level=3", "level:book=false", "alphabeta:depth=2")
    assert plan.load_lineup().names == [
        "level 5",
        "level 3, table=2",
        "level 5, book=false",
        "alphabeta:depth=2",
    ]


# --- identity ----------------------------------------------------------------------


def settings_of(plan: Plan, *, code: str = "a", openings: str = "a", seed: int = 1) -> dict[str, object]:
    players = plan.load_lineup().players
    return plan.settings(players, code=code, openings_fingerprint=openings, seed=seed)


@pytest.mark.parametrize(
    "change",
    [
        {"matches": 200},
        {"openings": "random:3"},
        {"limit": Limit(nodes=10)},
        {"time": TimeControl(move=1)},
        {"time": TimeControl(margin=0.5)},
        {"ply_limit": 20},
        {"sprt": Sprt(0, 10)},
        {"agents": ("greedy", "random")},
        {"schedule": "gauntlet"},
        {"game": boardgames.load("connect4", rows=5)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_settings_contain_everything_that_changes_a_match(change: dict[str, Any]) -> None:
    plans = (make_plan(), make_plan(), dataclasses.replace(make_plan(), **change))
    settings = [settings_of(plan) for plan in plans]
    assert settings[0] == settings[1] != settings[2]
    assert json.loads(json.dumps(settings[2])) == settings[2]


@pytest.mark.parametrize(
    "other", [{"code": "b"}, {"openings": "b"}, {"seed": 2}], ids=["code", "openings", "seed"]
)
def test_settings_contain_code_openings_and_seed(other: dict[str, Any]) -> None:
    assert settings_of(make_plan(), **other) != settings_of(make_plan())


def test_different_settings_have_different_keys() -> None:
    assert settings_key({"seed": 1}) != settings_key({"seed": 2}) != settings_key({})


def test_a_repetition_rule_is_one_of_the_limits_and_settings_without_one_keep_their_key() -> None:
    game = boardgames.load("connect4")
    plain = Plan(game=game, agents=("random", "greedy"))
    changed = Plan(game=game, agents=("random", "greedy"), ply_limit=9, repetition="loss")
    assert changed.limits == "9 plies, repetition loss:2"
    given: dict[str, Any] = {"code": "", "openings_fingerprint": "", "seed": 1}
    assert "repetition" not in plain.settings([], **given)
    assert changed.settings([], **given)["repetition"] == "loss:2"
    assert changed.match_settings(1).repetition == "loss:2"
    with pytest.raises(LimitError, match="a repeated position must mean"):
        Plan(game=game, agents=("random", "greedy"), repetition="lose")
