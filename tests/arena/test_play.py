"""Pairs of matches as tasks play them: both colours, seeds, faults."""

import pickle

import arena_agents
import pytest

import boardgames
from boardgames.arena.play import (
    Batch,
    Pairing,
    Played,
    Setting,
    close_players,
    play_batch,
    seed_of,
)
from boardgames.clock import TimeControl
from boardgames.errors import MatchError
from boardgames.game import Termination
from boardgames.player import Limit
from boardgames.plugins import load_game_of
from boardgames.record import parse_records

START = "-"


def setting(*agents: str, seed: int = 1, **more: object) -> Setting:
    return Setting(game="connect4", layout="", options=(), agents=agents, seed=seed, **more)


def play(shared: Setting, *pairings: Pairing) -> list[Played]:
    try:
        return play_batch(Batch(shared, pairings or (Pairing(0, 0, 1, START),)))[0]
    finally:
        close_players()


def test_a_pair_is_played_from_one_opening_with_both_colours() -> None:
    first, second = play(setting("random", "greedy"), Pairing(3, 0, 1, "4453"))
    assert (first.number, second.number) == (6, 7)
    assert (first.sides, second.sides) == ((0, 1), (1, 0))
    records = [parse_records(played.record, load_game_of).records[0] for played in (first, second)]
    assert [record.names for record in records] == [("random", "greedy"), ("greedy", "random")]
    assert {record.start for record in records} == {str(boardgames.load("connect4").parse("4453"))}
    assert [record.outcome.winner for record in records] == [first.winner, second.winner]


def test_a_match_depends_on_its_place_and_the_seed_alone() -> None:
    shared = setting("random", "greedy")
    pairings = [Pairing(number, 0, 1, START) for number in range(3)]
    together = play(shared, *pairings)
    alone = [played for pairing in reversed(pairings) for played in play(shared, pairing)]
    assert {played.number: played.moves_hash for played in together} == {
        played.number: played.moves_hash for played in alone
    }
    assert len({played.moves_hash for played in together}) == 6
    assert play(setting("random", "greedy", seed=2))[0].moves_hash != together[0].moves_hash


def test_every_chance_of_every_match_is_its_own() -> None:
    shared = setting("random", "greedy")
    seeds = {
        seed_of(other, match, side=side, agent=agent)
        for other in (shared, setting("random", "greedy", seed=2))
        for match in range(50)
        for side in (0, 1)
        for agent in (0, 1)
    }
    assert len(seeds) == 400
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_settings_and_results_travel() -> None:
    batch = Batch(setting("random", "greedy", limit=Limit(nodes=5)), (Pairing(0, 0, 1, START),))
    assert pickle.loads(pickle.dumps(batch)) == batch
    played = play(batch.setting)
    assert pickle.loads(pickle.dumps(played)) == played


def test_limits_reach_the_agents() -> None:
    (first, _), _ = play_batch(
        Batch(setting("alphabeta", "alphabeta:depth=1", limit=Limit(depth=1)), (Pairing(0, 0, 1, START),))
    )
    assert sum(first.seconds) < 1.0  # alpha-beta takes a second a move if nothing limits it
    short = play(setting("random", "random", ply_limit=3), Pairing(0, 0, 1, START))
    assert {(played.plies, played.termination) for played in short} == {(3, Termination.PLY_LIMIT)}


@pytest.mark.usefixtures("odd_agents")
@pytest.mark.parametrize(
    ("agent", "termination", "words"),
    [
        ("crasher", Termination.CRASH, "RuntimeError: lost my way"),
        ("cheat", Termination.ILLEGAL_MOVE, "expected a legal move"),
        ("slow", Termination.TIME, "came after"),
    ],
)
def test_a_fault_is_the_agents_whichever_side_it_has(
    agent: str, termination: Termination, words: str
) -> None:
    control = TimeControl(move=1.0) if agent == "slow" else TimeControl()
    for played in play(setting("random", agent, time=control)):
        assert (played.faulty, played.termination) == (1, termination)
        assert words in played.fault
        assert (played.points(0), played.points(1)) == (1.0, 0.0)


@pytest.mark.usefixtures("odd_agents")
def test_players_stay_for_the_next_task_and_are_closed_with_the_setting() -> None:
    arena_agents.closed.clear()
    shared = setting("random", "crasher")
    for number in range(3):
        play_batch(Batch(shared, (Pairing(number, 0, 1, START),)))
    assert arena_agents.closed == []
    play_batch(Batch(setting("random", "greedy"), (Pairing(0, 0, 1, START),)))
    assert arena_agents.closed == ["crasher"]
    close_players()
    play_batch(Batch(shared, (Pairing(0, 0, 1, START),), keeps_players=False))
    assert arena_agents.closed == ["crasher", "crasher"]


@pytest.mark.usefixtures("odd_agents")
def test_what_an_agent_remembers_of_earlier_matches_is_forgotten() -> None:
    shared = setting("steady", "random")
    together = play(shared, *(Pairing(number, 0, 1, START) for number in range(3)))
    assert play(shared, Pairing(2, 0, 1, START))[0].moves_hash == together[4].moves_hash


def test_other_code_plays_nothing() -> None:
    with pytest.raises(MatchError, match="it has changed"):
        play(setting("random", "greedy", code="other"))
