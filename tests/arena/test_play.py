"""Tasks: pairs of matches, their seeds, faults, and players that stay open."""

import pickle
from functools import partial
from typing import Any

import arena_agents
import pytest
from maze import Maze

import boardgames
from boardgames import match_setup, plugins
from boardgames.arena.plan import MatchSettings
from boardgames.arena.play import MatchResult, OpeningPair, PairBatch, close_players, play_batch, player_seed
from boardgames.clock import TimeControl
from boardgames.errors import MatchError
from boardgames.game import Termination
from boardgames.manager import Manager
from boardgames.player import Limit
from boardgames.plugins import load_game_of
from boardgames.record import parse_records

START = "-"


def make_settings(*agents: str, seed: int = 1, **more: Any) -> MatchSettings:  # its fields
    return MatchSettings(game="connect4", layout="", options=(), agents=agents, seed=seed, **more)


def play_pairs(settings: MatchSettings, *pairs: OpeningPair) -> list[MatchResult]:
    try:
        return play_batch(PairBatch(settings, pairs or (OpeningPair(0, 0, 1, START),)))[0]
    finally:
        close_players()


def test_pair_is_played_from_one_opening_with_sides_swapped() -> None:
    first, second = play_pairs(make_settings("random", "greedy"), OpeningPair(3, 0, 1, "4453"))
    assert (first.number, second.number) == (6, 7)
    assert (first.sides, second.sides) == ((0, 1), (1, 0))
    game = boardgames.load("connect4")
    records = [parse_records(match.record, load_game_of).records[0] for match in (first, second)]
    assert [record.names for record in records] == [("random", "greedy"), ("greedy", "random")]
    assert {record.start for record in records} == {str(game.parse("4453"))}
    outcomes = [record.outcome for record in records]
    assert [outcome and outcome.winner for outcome in outcomes] == [first.winner, second.winner]


def test_match_depends_only_on_its_number_and_the_seed() -> None:
    settings = make_settings("random", "greedy")
    pairs = [OpeningPair(number, 0, 1, START) for number in range(3)]
    together = play_pairs(settings, *pairs)
    alone = [match for pair in reversed(pairs) for match in play_pairs(settings, pair)]
    assert {match.number: match.moves_hash for match in together} == {
        match.number: match.moves_hash for match in alone
    }
    assert len({match.moves_hash for match in together}) == 6
    assert play_pairs(make_settings("random", "greedy", seed=2))[0].moves_hash != together[0].moves_hash


def test_an_agent_that_differs_on_the_worker_plays_no_match() -> None:
    """Weights and programs are found by name, and the same name may mean others on another machine."""
    settings = make_settings("random", "greedy", fingerprints=("", "other"))
    with pytest.raises(
        MatchError, match="agent 'greedy' has different weights or a different program on this worker"
    ):
        play_pairs(settings)


def test_seeds_depend_on_the_arena_the_match_the_side_and_the_agent() -> None:
    seeds = {
        player_seed(settings, match, side=side, agent=agent)
        for settings in (make_settings("random", "greedy"), make_settings("random", "greedy", seed=2))
        for match in range(50)
        for side in (0, 1)
        for agent in (0, 1)
    }
    assert len(seeds) == 400
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_batches_and_results_can_be_pickled() -> None:
    settings = make_settings("random", "greedy", limit=Limit(nodes=5))
    batch = PairBatch(settings, (OpeningPair(0, 0, 1, START),))
    assert pickle.loads(pickle.dumps(batch)) == batch
    results = play_pairs(batch.settings)
    assert pickle.loads(pickle.dumps(results)) == results


def test_limits_reach_the_agents() -> None:
    settings = make_settings("alphabeta", "alphabeta:depth=1", limit=Limit(depth=1))
    first, _ = play_pairs(settings)
    assert sum(first.seconds) < 1.0  # without a limit, alpha-beta takes a second per move
    short = play_pairs(make_settings("random", "random", ply_limit=3))
    assert {(match.plies, match.termination) for match in short} == {(3, Termination.PLY_LIMIT)}


def test_the_repetition_rule_is_applied_in_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Maze(rooms="a:0:b..,a..")
    monkeypatch.setattr(plugins, "load", lambda *_, **__: game)
    for rule, plies, winner in (("", 4, None), ("draw:2", 2, None), ("loss:2", 2, 0), ("forbidden:2", 1, 0)):
        pair = OpeningPair(0, 0, 1, str(game.start()))
        settings = MatchSettings(
            game="maze", layout="", options=(), agents=("random", "random"), seed=1, repetition=rule
        )
        results, _ = play_batch(PairBatch(settings, (pair,), keep_players=False))
        for match in results:
            assert (match.plies, match.winner) == (plies, winner)
            assert match.termination is Termination.REPETITION
            assert match.faulty_agent is None
            assert '[Termination "repetition"]' in match.record


@pytest.mark.usefixtures("odd_agents")
@pytest.mark.parametrize(
    ("agent", "termination", "words"),
    [
        ("crasher", Termination.CRASH, "RuntimeError: lost my way"),
        ("cheat", Termination.ILLEGAL_MOVE, "there is no move 'x9'"),
        ("slow", Termination.TIME, "after"),
    ],
)
def test_fault_is_attributed_to_the_agent_on_either_side(
    agent: str, termination: Termination, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_setup, "Manager", partial(Manager, clock=arena_agents.clock))
    control = TimeControl(move=1.0)
    for match in play_pairs(make_settings("random", agent, time=control)):
        assert (match.faulty_agent, match.termination) == (1, termination)
        assert words in match.fault
        assert (match.points(0), match.points(1)) == (1.0, 0.0)


@pytest.mark.usefixtures("odd_agents")
def test_players_stay_open_until_the_settings_change() -> None:
    arena_agents.closed.clear()
    settings = make_settings("random", "crasher")
    for number in range(3):
        play_batch(PairBatch(settings, (OpeningPair(number, 0, 1, START),)))
    assert arena_agents.closed == []
    play_batch(PairBatch(make_settings("random", "greedy"), (OpeningPair(0, 0, 1, START),)))
    assert arena_agents.closed == ["crasher"]
    close_players()
    play_batch(PairBatch(settings, (OpeningPair(0, 0, 1, START),), keep_players=False))
    assert arena_agents.closed == ["crasher", "crasher"]


@pytest.mark.usefixtures("odd_agents")
def test_players_do_not_remember_earlier_matches() -> None:
    settings = make_settings("steady", "random")
    together = play_pairs(settings, *(OpeningPair(number, 0, 1, START) for number in range(3)))
    assert play_pairs(settings, OpeningPair(2, 0, 1, START))[0].moves_hash == together[4].moves_hash


def test_workers_with_other_code_refuse_to_play() -> None:
    with pytest.raises(MatchError, match="has changed"):
        play_pairs(make_settings("random", "greedy", code="other"))
