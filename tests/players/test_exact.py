"""`TimedExactPlayer`: a small solver of Tic-tac-toe that runs out of time when the test says so."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache

import pytest
from waiting import TIMEOUT_S

import boardgames
from boardgames.game import Move, Position
from boardgames.player import NO_CONTEXT, Analysis, Choice, Clock, Context, Limit, MoveValue, Stop, stop_after
from boardgames.players import exact
from boardgames.players.exact import TimedExactPlayer
from boardgames.score import Score

GAME = boardgames.load("tictactoe")
FORK = GAME.start().apply_moves("a1 b2 c3")  # only the edges hold the draw
WON = GAME.start().apply_moves("a1 b1 a2 b2")  # a3 wins at once


@cache
def value(position: Position) -> int:
    """Return 1, 0 or -1 for a won, drawn or lost position of the side to move."""
    if position.outcome is not None:
        return 0 if position.outcome.winner is None else -1
    return max(-value(position.apply(move)) for move in position.legal_moves)


class Solver(TimedExactPlayer):
    """Solves positions by brute force, at most `most` moves of each."""

    name = "brute"
    most = 9

    def scores(self, positions: Sequence[Position], context: Context = NO_CONTEXT) -> list[Score]:
        return [Score.of(float(value(position)), self.unit) for position in positions]

    def solved_moves(self, position: Position, stop: Stop, *, all_moves: bool) -> dict[Move, Score]:
        scores: dict[Move, Score] = {}
        for move in position.legal_moves[: self.most]:
            after = position.apply(move)
            has_won = after.outcome is not None and after.outcome.winner is not None
            scores[move] = Score.win(1) if has_won else -self.scores([after])[0]
            if has_won and not all_moves:
                break
        return scores


class Worst(Solver):
    """Plays the worst move."""

    plays_best = False

    def pick(self, analysis: Analysis) -> MoveValue:
        return analysis.moves[-1]


class Hurried(Solver):
    """Has time to solve two moves."""

    most = 2


def test_code_is_loaded_once_before_the_time_for_the_first_move_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events: list[str] = []

    class Loading(Solver):
        def load_code(self) -> None:
            events.append("code")

    def clock(seconds: float, *stops: Stop) -> AbstractContextManager[Stop]:
        events.append("clock")
        return stop_after(seconds, *stops)

    monkeypatch.setattr(exact, "stop_after", clock)
    player = Loading(GAME)
    player.analyse(FORK)
    player.match_started(0)
    player.choose(FORK)
    assert events == ["code", "clock", "clock"]


def test_equally_good_moves_are_drawn_by_the_seed() -> None:
    chosen = {str(Solver(GAME, seed=seed).choose(FORK).move) for seed in range(20)}
    assert chosen == {"a2", "b1", "b3", "c2"}


def test_best_play_to_the_end_is_found_without_further_methods() -> None:
    analysis = Solver(GAME).analyse(FORK)
    end = FORK.apply_moves(" ".join(map(str, analysis.moves[0].line)))
    assert analysis.proven
    assert end.outcome is not None
    assert end.outcome.winner is None


def test_unsolved_moves_are_estimated_and_nothing_is_proven() -> None:
    analysis = Hurried(GAME).analyse(GAME.start(), Limit(seconds=0.1))
    assert {entry.move for entry in analysis.moves} == set(GAME.start().legal_moves)
    assert sum(entry.proven and len(entry.line) == 1 for entry in analysis.moves) == 2
    assert not analysis.proven
    assert not Hurried(GAME).choose(GAME.start(), Limit(seconds=0.1)).proven


def test_a_move_that_wins_at_once_needs_no_others() -> None:
    assert [str(entry.move) for entry in Solver(GAME).analyse(WON, lines=1).moves] == ["a3"]
    choice = Solver(GAME).choose(WON)
    assert (str(choice.move), choice.score, choice.proven) == ("a3", Score.win(1), True)


def test_a_player_that_may_err_gets_the_scores_of_all_moves() -> None:
    choice = Worst(GAME).choose(WON)
    assert str(choice.move) != "a3"
    assert not choice.proven


def test_draws_are_accepted_unless_the_match_is_won() -> None:
    assert [Solver(GAME).accepts_draw(WON, side) for side in (0, 1)] == [False, True]


def test_a_choice_is_reported_once_and_made_even_without_time() -> None:
    reported: list[Choice] = []
    limit = Limit(clock=Clock((0.0, 0.0)))
    choice = Hurried(GAME).choose(GAME.start(), limit, Context(report=reported.append))
    assert reported == [choice]


LOADS_AT_MOVES = """
import gc, random, sys
import boardgames
from boardgames.compiling import compilation_deferred
from boardgames.kernels.dispatcher import KernelDispatcher
from boardgames.player import Limit


def loaded():
    kernels = [one for one in gc.get_objects() if isinstance(one, KernelDispatcher)]
    return {kernel.py_func.__qualname__ for kernel in kernels if kernel._state == "loaded"}


with compilation_deferred():
    game = boardgames.load(sys.argv[1])
    player = boardgames.load_player(game.facts.default_agent, game, seed=1)
    position, chance, moves = game.start(), random.Random(1), []
    while position.outcome is None:
        moves.append(chance.choice(position.legal_moves))
        position = position.apply(moves[-1])
    player.match_started(0)
    before = loaded()
    for share in (0.0, 0.4, 0.7, 0.9):
        position = game.start()
        for move in moves[: int(share * len(moves))]:
            position = position.apply(move)
        player.choose(position, Limit(seconds=0.2))
    print(len(before), sorted(loaded() - before))
"""


@pytest.mark.slow
@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_the_best_player_loads_no_code_when_its_clock_runs(game: str) -> None:
    words = [sys.executable, "-c", LOADS_AT_MOVES, game]
    ran = subprocess.run(words, capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
    count, _, late = ran.stdout.strip().partition(" ")
    assert int(count) > 5
    assert late == "[]"
