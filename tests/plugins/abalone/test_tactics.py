"""Tactical positions that exhaustive search has found, and the engine that solves them."""

from collections import Counter
from collections.abc import Iterable

import pytest
from reference.tactics import (
    DEEPEST,
    MOST_MOVES,
    Balances,
    Tactic,
    depth_that_solves,
    judges,
    over_marbles,
    pays,
    read_suite,
    tactic_of,
)

import boardgames
from boardgames.player import Player
from boardgames.search.alphabeta.search import pvs
from boardgames.search.minimax import minimax

EXHAUSTIVE = "alphabeta:lmr=false,futility=false,null_move=false"
GAME = boardgames.load("abalone")
SUITE = read_suite()
QUICK = SUITE[::6]

HIDDEN = {
    "...../....../.b.bb../..bwbww./...wwwb../..bbwbw./.bwww../...b../.....:w:3:3",
    "...../.wbw../bbbwww./..b.wwb./..bwbwb../..bbb.../...b.../....../.....:b:1:5",
}
"""Where marbles alone count, reductions hide these wins in five until some plies deeper."""


def unsolved(tactics: Iterable[Tactic], engine: Player) -> list[str]:
    """Return those that a player does not solve at the depth that suffices: the plies that they take."""
    return [str(tactic) for tactic in tactics if depth_that_solves(tactic, engine, tactic.plies) is None]


def test_there_are_positions_of_every_kind() -> None:
    kinds = Counter(tactic.name for tactic in SUITE)
    assert len({tactic.position for tactic in SUITE}) == len(SUITE) >= 60
    assert min(kinds[name] for name in ("win 3", "win 5", "save 2")) >= 10
    assert min(kinds[name] for name in ("win 1", "save 4")) >= 3
    assert len({tactic.layout for tactic in SUITE}) >= 5
    assert min(Counter(tactic.position.split(":")[1] for tactic in SUITE).values()) >= 25
    assert min(Counter(tactic.stake for tactic in SUITE).values()) >= 10


@pytest.mark.parametrize("tactic", SUITE, ids=lambda tactic: tactic.position)
def test_few_of_the_legal_moves_do_it(tactic: Tactic) -> None:
    legal = {str(move) for move in GAME.parse(tactic.position).legal_moves}
    assert set(tactic.moves) <= legal
    assert 1 <= len(tactic.moves) <= MOST_MOVES < len(legal)


def test_a_push_off_at_hand_is_a_win_in_one() -> None:
    wins = GAME.parse("...../....../......./......../.....bbbw/......../......./....../w....:b:0:5")
    found = tactic_of(wins, Balances(GAME), "standard")
    assert found is not None
    assert (found.name, set(found.moves), found.stake) == ("win 1", {"e6e7", "e7e8"}, "match")


@pytest.mark.parametrize("tactic", QUICK, ids=lambda tactic: tactic.position)
def test_what_is_won_and_saved_is_what_minimax_says_two_plies_ahead(tactic: Tactic) -> None:
    position, balances = GAME.parse(tactic.position), Balances(GAME)
    exact = {action: balances.balance(position, action, 2, minimax) for action in position.actions}
    for goal in (-1, 0, 1):
        told = balances.at_least(position, goal, 2)
        assert told == {action for action, balance in exact.items() if balance >= goal}


def test_the_engine_solves_some_at_the_depth_that_suffices() -> None:
    assert unsolved(QUICK, boardgames.load_player("alphabeta", GAME)) == []


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["alphabeta", "alphabeta:threads=2", EXHAUSTIVE])
def test_the_engine_solves_all_at_the_depth_that_suffices(agent: str) -> None:
    assert unsolved(SUITE, boardgames.load_player(agent, GAME)) == []


@pytest.mark.slow
def test_search_for_marbles_alone_solves_all_at_the_depth_that_suffices() -> None:
    assert unsolved(SUITE, over_marbles(EXHAUSTIVE)) == []


@pytest.mark.slow
@pytest.mark.parametrize("tactic", SUITE, ids=lambda tactic: tactic.position)
def test_the_definition_gives_the_same_again(tactic: Tactic) -> None:
    position = GAME.parse(tactic.position)
    assert tactic_of(position, Balances(GAME), tactic.layout, DEEPEST) == tactic


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["alphabeta", "alphabeta:threads=2"])
def test_reductions_hide_no_solution_from_search_for_marbles_alone_but_the_known(agent: str) -> None:
    seen = [tactic for tactic in SUITE if tactic.position not in HIDDEN]
    assert len(seen) == len(SUITE) - len(HIDDEN)
    assert unsolved(seen, over_marbles(agent)) == []


@pytest.mark.slow
def test_every_tactic_pays() -> None:
    sitting = judges()
    assert [str(tactic) for tactic in SUITE[::3] if not pays(tactic, sitting)] == []


@pytest.mark.slow
@pytest.mark.parametrize("tactic", SUITE[::2], ids=lambda tactic: tactic.position)
def test_plain_search_finds_the_same_moves(tactic: Tactic) -> None:
    position, balances = GAME.parse(tactic.position), Balances(GAME)
    goal, node = int(tactic.kind == "win"), minimax if tactic.plies <= 3 else pvs
    found = {
        str(GAME.decode(position, action))
        for action in position.actions
        if balances.balance(position, action, tactic.plies, node) >= goal
    }
    assert found == set(tactic.moves)
