"""Tactical positions found by exhaustive search, and the engine that has to solve them."""

from collections import Counter
from collections.abc import Iterable

import pytest
from reference.tactics import (
    EXACT,
    MAX_PLIES,
    MAX_SOLUTIONS,
    Balances,
    Tactic,
    find_tactic,
    judges,
    material_player,
    pays,
    read_suite,
    solving_depth,
)

import boardgames
from boardgames.player import Player
from boardgames.search.alphabeta.search import pvs
from boardgames.search.minimax import minimax

GAME = boardgames.load("abalone")
SUITE = read_suite()
QUICK = SUITE[::6]

MISSED_FOR_MARBLES = {
    "...../....../.b.bb../..bwbww./...wwwb../..bbwbw./.bwww../...b../.....:w:3:3",
    "...../....../.wwbb../..wb.b../..wbwb.../..bwb.../.wbww../..ww../.....:w:5:3",
    "...../.wbw../bbbwww./..b.wwb./..bwbwb../..bbb.../...b.../....../.....:b:1:5",
}
"""Wins in five that reductions hide for some more plies if only marbles are evaluated."""


def unsolved(tactics: Iterable[Tactic], player: Player) -> list[str]:
    """Return the tactics that a player does not solve at their own depth."""
    return [str(tactic) for tactic in tactics if solving_depth(tactic, player, tactic.plies) is None]


def test_the_suite_has_positions_of_every_kind() -> None:
    kinds = Counter(tactic.name for tactic in SUITE)
    assert len({tactic.position for tactic in SUITE}) == len(SUITE) >= 60
    assert min(kinds[name] for name in ("win 3", "win 5", "save 2")) >= 10
    assert min(kinds[name] for name in ("win 1", "save 4")) >= 3
    assert len({tactic.layout for tactic in SUITE}) >= 5
    assert min(Counter(tactic.position.split(":")[1] for tactic in SUITE).values()) >= 25
    assert min(Counter(tactic.stake for tactic in SUITE).values()) >= 10


@pytest.mark.parametrize("tactic", SUITE, ids=lambda tactic: tactic.position)
def test_few_legal_moves_are_solutions(tactic: Tactic) -> None:
    legal = {str(move) for move in GAME.parse(tactic.position).legal_moves}
    assert set(tactic.moves) <= legal
    assert 1 <= len(tactic.moves) <= MAX_SOLUTIONS < len(legal)


def test_a_possible_push_off_is_a_win_in_one() -> None:
    position = GAME.parse("...../....../......./......../.....bbbw/......../......./....../w....:b:0:5")
    tactic = find_tactic(position, Balances(GAME), "standard")
    assert tactic is not None
    assert (tactic.name, set(tactic.moves), tactic.stake) == ("win 1", {"e6e7", "e7e8"}, "match")


@pytest.mark.parametrize("tactic", QUICK, ids=lambda tactic: tactic.position)
def test_balances_of_two_plies_match_minimax(tactic: Tactic) -> None:
    position, balances = GAME.parse(tactic.position), Balances(GAME)
    exact = {action: balances.balance(position, action, 2, minimax) for action in position.actions}
    for goal in (-1, 0, 1):
        solutions = balances.at_least(position, goal, 2)
        assert solutions == {action for action, balance in exact.items() if balance >= goal}


def test_alphabeta_solves_some_tactics_at_their_depth() -> None:
    assert unsolved(QUICK, boardgames.load_player("alphabeta", GAME)) == []


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["alphabeta", "alphabeta:threads=2", f"alphabeta:{EXACT}"])
def test_alphabeta_solves_all_tactics_at_their_depth(agent: str) -> None:
    assert unsolved(SUITE, boardgames.load_player(agent, GAME)) == []


@pytest.mark.slow
def test_exact_search_for_marbles_solves_all_tactics_at_their_depth() -> None:
    assert unsolved(SUITE, material_player(f"alphabeta:{EXACT}")) == []


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["alphabeta", "alphabeta:threads=2"])
def test_selective_search_for_marbles_misses_no_solution_but_the_known_ones(agent: str) -> None:
    tactics = [tactic for tactic in SUITE if tactic.position not in MISSED_FOR_MARBLES]
    assert len(tactics) == len(SUITE) - len(MISSED_FOR_MARBLES)
    assert unsolved(tactics, material_player(agent)) == []


@pytest.mark.slow
@pytest.mark.parametrize("tactic", SUITE[1::2], ids=lambda tactic: tactic.position)
def test_tactics_meet_the_definition(tactic: Tactic) -> None:
    """`test_a_plain_search_of_the_core_finds_the_same_solutions` checks the others."""
    position = GAME.parse(tactic.position)
    assert find_tactic(position, Balances(GAME), tactic.layout, MAX_PLIES) == tactic


@pytest.mark.slow
def test_tactics_pay() -> None:
    both = judges()
    assert [str(tactic) for tactic in SUITE[::6] if not pays(tactic, both)] == []


@pytest.mark.slow
@pytest.mark.parametrize("tactic", SUITE[::2], ids=lambda tactic: tactic.position)
def test_a_plain_search_of_the_core_finds_the_same_solutions(tactic: Tactic) -> None:
    position, balances = GAME.parse(tactic.position), Balances(GAME)
    goal, node = int(tactic.kind == "win"), minimax if tactic.plies <= 3 else pvs
    solutions = {
        str(GAME.decode(position, action))
        for action in position.actions
        if balances.balance(position, action, tactic.plies, node) >= goal
    }
    assert solutions == set(tactic.moves)
