"""Plans: what makes an arena, what does not, and which two are the same."""

import dataclasses
import json

import pytest

import boardgames
from boardgames.arena.plan import Plan
from boardgames.arena.sprt import Sprt
from boardgames.clock import TimeControl
from boardgames.errors import BoardgamesError, LimitError, MatchError, OptionError, UnknownNameError
from boardgames.player import Limit

CONNECT4 = boardgames.load("connect4")


def plan(*agents: str, **more: object) -> Plan:
    return Plan(game=CONNECT4, agents=agents or ("random", "greedy"), **more)


@pytest.mark.parametrize("agents", [(), ("random",)])
def test_fewer_than_two_agents_are_refused(agents: tuple[str, ...]) -> None:
    with pytest.raises(MatchError, match="at least two agents"):
        Plan(game=CONNECT4, agents=agents)


@pytest.mark.parametrize("matches", [0, 1, 3, -2, 2.0, True])
def test_an_odd_number_of_matches_is_refused(matches: object) -> None:
    with pytest.raises(LimitError, match="even number of matches"):
        plan(matches=matches)


def test_a_sequential_test_takes_two_agents() -> None:
    with pytest.raises(LimitError, match="two agents"):
        plan("random", "greedy", "alphabeta", sprt=Sprt(0, 10))


def test_only_a_swiss_has_rounds() -> None:
    with pytest.raises(LimitError, match="Swiss only"):
        plan(rounds=2)
    with pytest.raises(LimitError, match="from 1 to 3 rounds"):
        plan("random", "greedy", "alphabeta", "minimax", schedule="swiss", rounds=4)


@pytest.mark.parametrize("wrong", [{"schedule": "roundrobin"}, {"ply_limit": -3}, {"ply_limit": 0}])
def test_what_makes_no_arena_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(LimitError, match="expected"):
        plan(**wrong)


def test_one_text_is_one_agent() -> None:
    with pytest.raises(MatchError, match="at least two agents: greedy"):
        Plan(game=CONNECT4, agents="greedy")


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
def test_the_number_of_matches_is_known_beforehand(schedule: str, agents: int, planned: int) -> None:
    texts = tuple(f"alphabeta:depth={depth}" for depth in range(1, agents + 1))
    assert plan(*texts, schedule=schedule, matches=10).planned == planned


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
def test_agents_that_cannot_play_are_found_before_the_first_match(
    agent: str, error: type[BoardgamesError]
) -> None:
    with pytest.raises(error, match="expected"):
        plan("random", agent).inspect()


def test_limits_make_another_player_of_those_who_heed_them() -> None:
    wanted = plan("random", "alphabeta", limit=Limit(nodes=100), time=TimeControl(move=1.1, margin=0.1))
    keys, _, _ = wanted.inspect()
    assert [key.limits for key in keys] == ["", "1 s a move, 100 nodes"]
    keys, _, _ = plan("random", "alphabeta", ply_limit=20).inspect()
    assert [key.limits for key in keys] == ["20 plies", "20 plies"]


@pytest.mark.usefixtures("odd_agents")
def test_an_agent_with_other_weights_is_another_player() -> None:
    keys, _, _ = plan("weighted:weights=a", "weighted:weights=b").inspect()
    assert [key.fingerprint for key in keys] == ["a", "b"]


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
def test_whatever_changes_a_match_makes_another_arena(change: dict[str, object]) -> None:
    settings = [settings_of(made) for made in (plan(), plan(), dataclasses.replace(plan(), **change))]
    assert settings[0] == settings[1] != settings[2]
    assert json.loads(json.dumps(settings[2])) == settings[2]


@pytest.mark.parametrize("other", [{"code": "b"}, {"book": "b"}, {"seed": 2}], ids=["code", "book", "seed"])
def test_code_openings_and_seed_make_another_arena(other: dict[str, object]) -> None:
    assert settings_of(plan(), **other) != settings_of(plan())


def settings_of(made: Plan, *, code: str = "a", book: str = "a", seed: int = 1) -> dict[str, object]:
    players, _, _ = made.inspect()
    return made.settings(players, code=code, book=book, seed=seed)
