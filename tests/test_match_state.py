"""Matches without players and clocks: when they end, and whether that is a termination or a truncation."""

import copy
import pickle
import random

import pytest
from maze import Maze

import boardgames
from boardgames import MatchRules, MatchState
from boardgames.adjudication import Adjudication
from boardgames.errors import IllegalMoveError, MatchError, PositionError
from boardgames.game import Game, Termination
from boardgames.manager import Manager

CONNECT4 = boardgames.load("connect4")
ABALONE = boardgames.load("abalone")


def played(game: Game, moves: str, rules: MatchRules | None = None) -> MatchState:
    state = MatchState(game.start(), rules)
    for move in moves.split():
        state.push(game.parse_move(state.position, move).action)
    return state


def played_at_random(game: Game, rules: MatchRules, seed: int) -> MatchState:
    state, generator = MatchState(game.start(), rules), random.Random(seed)
    while state.outcome is None:
        state.push(generator.choice(state.actions))
    return state


def test_a_win_terminates_a_match() -> None:
    state = played(CONNECT4, "4 3 4 3 4 3 4")
    assert state.outcome is not None
    assert (state.outcome.winner, state.is_truncated, state.actions) == (0, False, ())


def test_a_limit_of_plies_truncates_a_match() -> None:
    state = played(CONNECT4, "4 4 4", MatchRules(ply_limit=3))
    assert state.outcome is not None
    assert (state.outcome.termination, state.is_truncated) == (Termination.PLY_LIMIT, True)


def test_a_win_with_the_last_ply_terminates_a_match() -> None:
    assert not played(CONNECT4, "4 3 4 3 4 3 4", MatchRules(ply_limit=7)).is_truncated


def test_a_game_that_says_who_wins_at_the_limit_terminates_there() -> None:
    game = boardgames.load("abalone", limit="score")
    state = played_at_random(game, MatchRules(ply_limit=5), seed=1)
    assert (state.ply, state.is_at_limit, state.is_truncated) == (5, True, False)


def test_points_at_the_limit_are_a_truncation() -> None:
    rules = MatchRules(ply_limit=60, adjudication=Adjudication(points=True))
    states = [played_at_random(ABALONE, rules, seed) for seed in range(20)]
    decided = [one for one in states if one.outcome and one.outcome.termination is Termination.ADJUDICATION]
    assert decided
    assert all(state.is_truncated for state in decided)


def test_a_draw_without_progress_terminates_a_match() -> None:
    state = played_at_random(ABALONE, MatchRules(no_progress_limit=8), seed=1)
    assert state.outcome is not None
    assert (state.outcome.termination, state.is_truncated) == (Termination.NO_PROGRESS, False)
    assert state.plies_since_score == 8


def test_a_repetition_terminates_a_match() -> None:
    state = played(Maze(repetition="draw", rooms="a:0:b..,a.."), "b a b a")
    assert state.outcome is not None
    assert (state.outcome.termination, state.is_truncated) == (Termination.REPETITION, False)


def test_a_move_that_repetition_forbids_is_refused_but_can_be_replayed() -> None:
    state = played(Maze(repetition="forbidden", rooms="a:0:bc.,a..,a.."), "b")
    state.replay(0)
    assert (state.position.actions, state.actions) == ((1, 2), (2,))
    with pytest.raises(IllegalMoveError, match=r"^illegal action 1: it repeats an earlier position$"):
        state.push(1)
    assert state.ply == 2


def test_by_default_the_limits_of_the_game_hold() -> None:
    state = MatchState(ABALONE.start())
    assert (state.plies_left, state.rules) == (ABALONE.facts.ply_limit, MatchRules.between_agents(ABALONE))


@pytest.mark.parametrize("game", [CONNECT4, ABALONE], ids=str)
def test_a_manager_ends_the_same_match_at_the_same_ply_for_the_same_reason(game: Game) -> None:
    rules = MatchRules(ply_limit=70, no_progress_limit=25, repetition=True)
    for seed in range(10):
        state, match = played_at_random(game, rules, seed), Manager(game, [None, None], rules=rules)
        for action in state.played:
            assert match.outcome is None
            match.make_move(match.side_to_move, action)
        assert match.outcome == state.outcome


def test_a_copy_is_independent() -> None:
    state = played(CONNECT4, "4 4")
    for copied in (state.copy(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        copied.push(0)
        assert (state.played, copied.played) == ((3, 3), (3, 3, 0))
        assert copied.position == state.position.apply_action(0)


def test_taking_moves_back_reopens_a_match() -> None:
    state = played(CONNECT4, "4 3 4 3 4 3 4")
    state.pop(2)
    assert (state.outcome, state.played, state.actions) == (None, (3, 2, 3, 2, 3), CONNECT4.start().actions)
    assert state.positions == played(CONNECT4, "4 3 4 3 4").positions


def test_progress_is_counted_again_after_moves_are_taken_back() -> None:
    state = played_at_random(ABALONE, MatchRules(ply_limit=150), seed=2)
    counts = {state.ply: state.plies_since_score}
    while state.ply:
        state.pop()
        counts[state.ply] = state.plies_since_score
    for ply, action in enumerate(played_at_random(ABALONE, MatchRules(ply_limit=150), seed=2).played):
        assert state.plies_since_score == counts[ply]
        state.push(action)


def test_moves_of_each_side_are_counted_if_a_side_moves_twice() -> None:
    game = boardgames.load("hexifence", dimension=2)
    state = played_at_random(game, MatchRules(), seed=3)
    sides = [position.side_to_move for position in state.positions[:-1]]
    assert state.moves_made == (sides.count(0), sides.count(1))


def test_what_cannot_be_made_is_refused_and_changes_nothing() -> None:
    state = played(CONNECT4, "4 4 4 4 4 4")
    with pytest.raises(IllegalMoveError, match=r"^illegal action 3 in "):
        state.push(3)
    assert state.ply == 6
    over = played(CONNECT4, "4 3 4 3 4 3 4")
    with pytest.raises(MatchError, match=r"^the match is over \(red wins\)$"):
        over.push(0)
    with pytest.raises(MatchError, match=r"^cannot take back 8 plies of 7$"):
        over.pop(8)
    with pytest.raises(PositionError, match=r"^a position must be a Position, not 'start'"):
        MatchState("start")  # type: ignore[arg-type]  # what a user may write


def test_a_player_learns_the_actions_of_the_match() -> None:
    state = MatchState(boardgames.load("connect4").parse("44"))
    for action in (0, 6, 0):
        state.push(action)
    context = state.context
    assert context.actions == (0, 6, 0)
    position = context.history[0]
    for action in context.actions:
        position = position.apply_action(action)
    assert position == state.position
    state.pop()
    assert state.context.actions == (0, 6)
    assert state.context.for_advice().actions == ()
