"""Matches: turns, clocks, limits, takebacks, draw offers, failing agents, listeners."""

import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any, Never, cast

import nim
import numpy as np
import pytest
from waiting import TIMEOUT_S

import boardgames
from boardgames import plugins
from boardgames.adjudication import Adjudication, ResignRule
from boardgames.clock import TimeControl
from boardgames.errors import (
    BoardgamesError,
    IllegalMoveError,
    LimitError,
    MatchError,
    MoveError,
    PositionError,
)
from boardgames.game import Game, Move, Outcome, PlayedMove, Position, Termination
from boardgames.hookspecs import hookimpl
from boardgames.manager import MIN_DRAW_PLIES, Manager, MatchEvent
from boardgames.match_state import MatchRules
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Clock, Context, Limit, Player
from boardgames.plugins import Registry
from boardgames.record import Record
from boardgames.score import RETURN, Score

NIM = nim.Nim()
PASSING = nim.Nim(passing=True)
AGAIN = nim.Nim(again=True)
STUCK = nim.Nim(stuck=True)


class FakeClock:
    """A clock that only advances when `now` is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


BROKEN = f"the module {__name__.partition('.')[0]!r} is broken"


class Scripted(Player):
    """Plays a script: texts are moves, exceptions are raised, None resigns, functions are called."""

    name = "scripted"

    def __init__(self, game: Game, *script: object) -> None:
        super().__init__(game, seed=0)
        self.script = list(script)
        self.limits: list[Limit] = []
        self.calls: list[object] = []

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        self.limits.append(limit)
        answer = self.script.pop(0) if self.script else position.legal_moves[0].text
        if callable(answer) and not isinstance(answer, type):
            answer = answer()
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, str):
            return Choice(position.game.parse_move(position, answer))
        return answer if isinstance(answer, Choice) else Choice(cast(Any, answer))  # may be wrong on purpose

    def match_started(self, side: int) -> None:
        self.calls.append(side)

    def match_ended(self, outcome: Outcome) -> None:
        self.calls.append(outcome)


class Person(Scripted):
    name = "person"
    is_human = True


def between_people(game: Game = NIM, **settings: Any) -> Manager:
    return Manager(game, [None, None], **settings)


def play_moves(match: Manager, *moves: str) -> Manager:
    for move in moves:
        match.make_move(match.side_to_move, move)
    return match


def with_events(make: Callable[..., Manager], **settings: object) -> tuple[Manager, list[MatchEvent]]:
    events: list[MatchEvent] = []
    match = make(listeners=[lambda _, event: events.append(event)], **settings)
    return match, events


# --- rules of a match ---------------------------------------------------------


def test_match_with_a_person_has_no_limits_by_default() -> None:
    assert MatchRules.between([Scripted(NIM), None], NIM) == MatchRules()
    assert MatchRules.between([Person(NIM), Scripted(NIM)], NIM) == MatchRules()


def test_match_between_agents_has_the_limits_of_the_game() -> None:
    rules = MatchRules.between([Scripted(NIM), Scripted(NIM)], NIM)
    assert rules == MatchRules(ply_limit=40, no_progress_limit=9, repetition=True)


def test_default_limits_can_be_overridden() -> None:
    rules = MatchRules.between([Scripted(NIM), Scripted(NIM)], NIM, ply_limit=None)
    assert rules == MatchRules(no_progress_limit=9, repetition=True)


@pytest.mark.parametrize(("limits", "plies"), [((2, 3), 4), ((3, 2), 5), ((2, 2), 4)])
def test_a_match_is_drawn_when_the_side_to_move_has_made_its_moves(
    limits: tuple[int, int], plies: int
) -> None:
    match = between_people(PASSING, rules=MatchRules(move_limits=limits))
    while match.outcome is None:
        match.make_move(match.side_to_move, "pass")
    assert (match.outcome, match.ply) == (Outcome(None, Termination.PLY_LIMIT), plies)


def test_limit_of_moves_below_one_raises() -> None:
    with pytest.raises(LimitError, match="move_limits must be two numbers, at least 1, not "):
        MatchRules(move_limits=(3, 0))


def test_a_match_clock_of_one_side_only_raises() -> None:
    with pytest.raises(LimitError, match="both sides have a match clock or neither"):
        MatchRules(time=(TimeControl(match=60), TimeControl()))


@pytest.mark.parametrize("limits", [{"ply_limit": 0}, {"no_progress_limit": -1}])
def test_limit_below_one_ply_raises(limits: dict[str, Any]) -> None:
    with pytest.raises(LimitError, match="at least 1 ply"):
        MatchRules(**limits)


# --- turns ----------------------------------------------------------------------


def test_move_of_the_side_to_move_is_made() -> None:
    match = between_people()
    assert match.make_move(0, "take3") is None
    assert (str(match.position), match.side_to_move, match.ply) == ("4:1:3:0", 1, 1)
    assert [str(position) for position in match.positions] == ["7:0:0:0", "4:1:3:0"]


@pytest.mark.parametrize("number", [int, np.int64])
def test_a_move_can_be_given_as_its_action(number: type[int]) -> None:
    match = between_people()
    match.make_move(0, number(3))
    assert [played.move for played in match.moves] == [Move(3, "take3")]
    with pytest.raises(IllegalMoveError, match="illegal action 9"):
        match.make_move(1, number(9))
    with pytest.raises(MatchError, match="side 0 cannot move"):
        match.make_move(0, number(3))


def test_move_out_of_turn_raises() -> None:
    with pytest.raises(MatchError, match="side 1 cannot move: it is the turn of side 0"):
        between_people().make_move(1, "take1")


def test_illegal_move_does_not_change_the_match() -> None:
    match = between_people()
    with pytest.raises(MoveError, match="take4"):
        match.make_move(0, "take4")
    assert (match.ply, match.outcome, match.fault) == (0, None, None)


def test_move_made_for_another_position_raises() -> None:
    with pytest.raises(IllegalMoveError, match="made for another position"):
        between_people().make_move(0, Move(2, "take3"))


def test_side_may_move_twice_in_a_row() -> None:
    match = play_moves(between_people(AGAIN), "take1", "take1", "take2")
    assert [played.side for played in match.moves] == [0, 0, 0]
    assert match.side_to_move == 1


def test_a_move_has_the_score_that_the_agent_expects() -> None:
    class Confident(Scripted):
        def choose(self, *arguments: Any) -> Choice:
            return replace(super().choose(*arguments), score=Score.win(3))

    match = Manager(NIM, [Confident(NIM, "take3"), None])
    match.step()
    match.make_move(1, "take1")
    assert [played.score for played in match.moves] == [Score.win(3), None]


def test_an_agent_whose_score_is_not_a_score_crashes() -> None:
    class Vague(Scripted):
        def choose(self, *arguments: Any) -> Choice:
            return replace(super().choose(*arguments), score="good")  # type: ignore[arg-type]  # on purpose

    match = Manager(NIM, [Vague(NIM, "take3"), None])
    assert match.step() == Outcome(1, Termination.CRASH)
    assert match.fault == "TypeError: the score of a Choice must be a Score, not 'good'"


def test_moves_have_side_seconds_and_ply() -> None:
    match = between_people()
    match.make_move(0, "take3", seconds=1.5)
    assert match.moves == (PlayedMove(0, Move(3, "take3"), 1.5, 1),)


def test_finished_match_accepts_no_further_actions() -> None:
    match = play_moves(between_people(), "take3", "take3", "take1")
    refusals: tuple[Callable[[], object], ...] = (
        lambda: match.make_move(1, "take1"),
        lambda: match.resign(0),
        lambda: match.offer_draw(0),
        lambda: match.accept(0),
        lambda: match.decline(0),
        match.step,
    )
    for refused in refusals:
        with pytest.raises(MatchError, match=r"the match is over \(first wins\)"):
            refused()


@pytest.mark.parametrize(
    ("game", "players", "start", "message"),
    [
        ("nim", [None, None], None, "a game must be a Game, not 'nim'; use load to get one"),
        (
            nim.Nim(),
            [None, "random"],
            None,
            "a player must be a Player or None, not 'random'; use load_player",
        ),
        (
            nim.Nim(),
            [None, None],
            "7:0:0:0",
            "a position must be a Position, not '7:0:0:0'; use Game.parse",
        ),
    ],
    ids=["game", "player", "start"],
)
def test_names_instead_of_games_players_or_positions_raise(
    game: Any, players: Any, start: Any, message: str
) -> None:
    with pytest.raises(BoardgamesError, match=message):
        Manager(game, players, start=start)


def test_match_needs_two_players() -> None:
    with pytest.raises(MatchError, match="a match has two players, not 1"):
        Manager(NIM, [None])


def test_player_of_another_game_raises() -> None:
    with pytest.raises(MatchError, match="plays <game nim seven passing=true>, not <game nim seven>"):
        Manager(NIM, [Scripted(PASSING), None])


def test_start_of_another_game_raises() -> None:
    with pytest.raises(PositionError, match="the start is not a position of"):
        between_people(start=PASSING.start())


# --- terminations ---------------------------------------------------------------


def _timed_out() -> Manager:
    clock = FakeClock()
    match = between_people(rules=MatchRules(time=TimeControl(move=1)), clock=clock)
    clock.now = 1.5
    match.tick()
    return match


def _agreed() -> Manager:
    match = between_people()
    match.offer_draw(0)
    match.accept(1)
    return match


def _resigned() -> Manager:
    match = between_people()
    match.resign(1)
    return match


def _played(*script: object) -> Manager:
    match = Manager(NIM, [Scripted(NIM, *script), Scripted(NIM)])
    match.play()
    return match


def _limited(**limits: Any) -> Manager:  # the fields of MatchRules
    match = between_people(PASSING, rules=MatchRules(**limits))
    while match.outcome is None:
        match.make_move(match.side_to_move, "pass")
    return match


def _adjudicated() -> Manager:
    rules = MatchRules(adjudication=Adjudication(ResignRule(score=0.5, moves=1)))
    match = between_people(PASSING, rules=rules)
    match.make_move(0, "pass", score=Score.of(-0.5, RETURN))
    return match


@pytest.mark.parametrize(
    ("make", "winner", "termination", "plies"),
    [
        (lambda: play_moves(between_people(), "take3", "take3", "take1"), 0, "rules", 3),
        (lambda: play_moves(between_people(STUCK), "take3", "take3", "take1"), 0, "no-moves", 3),
        (_timed_out, 1, "time", 0),
        (lambda: _limited(ply_limit=3), None, "ply-limit", 3),
        (lambda: _limited(no_progress_limit=2), None, "no-progress", 2),
        (lambda: _limited(repetition=True), None, "repetition", 4),
        (_resigned, 0, "resignation", 0),
        (_agreed, None, "agreement", 0),
        (_adjudicated, 1, "adjudication", 1),
        (lambda: _played(Move(9, "take9")), 1, "illegal-move", 0),
        (lambda: _played(RuntimeError("lost my way")), 1, "crash", 0),
    ],
    # only in records of other programs
    ids=[reason for reason in Termination if reason is not Termination.UNKNOWN],
)
def test_all_terminations(
    make: Callable[[], Manager], winner: int | None, termination: str, plies: int
) -> None:
    match = make()
    assert match.outcome == Outcome(winner, Termination(termination))
    assert match.ply == plies


def test_rules_take_precedence_over_limits() -> None:
    match = play_moves(between_people(rules=MatchRules(ply_limit=3)), "take3", "take3", "take1")
    assert match.outcome == Outcome(0, Termination.RULES)


def test_change_of_score_resets_plies_since_score() -> None:
    match = play_moves(between_people(PASSING), "pass", "pass", "take1", "pass")
    assert match.plies_since_score == 1


def test_plies_since_score_count_from_the_start() -> None:
    match = play_moves(between_people(PASSING), "pass", "pass")
    assert match.plies_since_score == 2
    match.undo()
    assert match.plies_since_score == 1


def test_match_from_a_finished_position_ends_at_once() -> None:
    match, events = with_events(between_people, start=NIM.parse("0:1:7:0"))
    assert match.outcome == Outcome(0, Termination.RULES)
    assert [event.kind for event in events] == ["started", "ended"]


# --- clocks ----------------------------------------------------------------------


def timed(**control: float) -> tuple[Manager, FakeClock]:
    clock = FakeClock()
    return between_people(rules=MatchRules(time=TimeControl(**control)), clock=clock), clock


def test_only_the_clock_of_the_side_to_move_runs() -> None:
    match, clock = timed(match=60)
    clock.now = 10.0
    assert match.clocks == (50.0, 60.0)


def test_increment_of_a_side_is_added_after_its_moves() -> None:
    clock = FakeClock()
    times = TimeControl(match=60, increment=2), TimeControl(match=30, increment=5)
    match = between_people(rules=MatchRules(time=times), clock=clock)
    clock.now = 10.0
    match.make_move(0, "take1")
    assert match.clocks == (52.0, 30.0)
    clock.now = 11.0
    match.make_move(1, "take1")
    assert match.clocks == (52.0, 34.0)


def test_no_clocks_without_a_match_clock() -> None:
    assert timed(move=1)[0].clocks is None


@pytest.mark.parametrize("control", [{"move": 5}, {"match": 5}], ids=["move", "match"])
def test_move_after_the_time_is_up_loses_and_is_not_made(control: dict[str, float]) -> None:
    match, clock = timed(**control)
    clock.now = 5.1
    assert match.make_move(0, "take1") == Outcome(1, Termination.TIME)
    assert (match.ply, match.record().moves) == (0, ())


@pytest.mark.parametrize("control", [{"move": 5}, {"match": 5}], ids=["move", "match"])
def test_move_at_the_last_moment_is_made(control: dict[str, float]) -> None:
    match, clock = timed(**control)
    clock.now = 5.0
    assert match.make_move(0, "take1") is None


def test_time_per_move_restarts_with_every_move() -> None:
    match, clock = timed(move=5)
    for clock.now in (4.0, 8.0, 12.0):
        match.make_move(match.side_to_move, "take1")
    assert match.outcome is None


def test_tick_in_time_does_nothing() -> None:
    match, clock = timed(match=5)
    clock.now = 4.0
    assert match.tick() is None


def test_clock_stops_at_the_end() -> None:
    match, clock = timed(match=60)
    clock.now = 10.0
    match.resign(0)
    clock.now = 30.0
    assert match.clocks == (50.0, 60.0)


def test_a_pause_stops_the_clock_and_nobody_moves_before_the_match_is_resumed() -> None:
    match, clock = timed(match=60)
    clock.now = 10.0
    match.pause()
    clock.now = 1000.0
    match.start_clock()
    with pytest.raises(MatchError, match="the match is paused"):
        match.make_move(0, "take1")
    assert (match.tick(), match.clocks, match.seconds_on_move) == (None, (50.0, 60.0), 10.0)
    match.resume()
    clock.now += 5.0
    assert match.make_move(0, "take1") is None
    assert match.clocks == (45.0, 60.0)


def test_an_agent_that_thinks_when_the_match_is_paused_thinks_again_later() -> None:
    match: Manager
    clock = FakeClock()

    def pause() -> str:
        clock.now += 10.0
        match.pause()
        clock.now += 100.0
        return "take1"

    def pause_and_resume() -> str:
        pause()
        match.resume()
        return "take1"

    rules = MatchRules(time=TimeControl(match=60))
    match = Manager(NIM, [Scripted(NIM, pause, pause_and_resume, "take2"), None], rules=rules, clock=clock)
    match.step()
    with pytest.raises(MatchError, match="the match is paused"):
        match.step()
    match.resume()
    match.step()
    assert (match.ply, match.clocks) == (0, (40.0, 60.0))
    match.step()
    assert [played.move.text for played in match.moves] == ["take2"]


def test_a_match_that_ends_is_not_paused() -> None:
    match = between_people()
    match.pause()
    match.resign(0)
    assert not match.is_paused
    with pytest.raises(MatchError, match="the match is over"):
        match.pause()


def test_clock_waits_at_every_turn_until_a_front_end_starts_it() -> None:
    clock = FakeClock()
    rules = MatchRules(time=TimeControl(match=60, move=20))
    match = between_people(rules=rules, clock=clock, starts_clocks=False)
    clock.now = 1000.0
    assert (match.tick(), match.clocks, match.move_clock) == (None, (60.0, 60.0), 20.0)
    match.start_clock()
    clock.now += 5.0
    match.start_clock()
    clock.now += 5.0
    assert (match.clocks, match.move_clock) == ((50.0, 60.0), 10.0)
    match.make_move(0, "take1")
    clock.now = 2000.0
    assert (match.is_clock_running, match.clocks) == (False, (50.0, 60.0))
    match.make_move(1, "take1")
    assert match.moves[1].seconds == 0.0
    match.undo()
    clock.now = 3000.0
    assert match.tick() is None


def test_front_end_does_not_start_the_clock_of_an_agent_or_of_a_match_that_is_over() -> None:
    match = Manager(NIM, [Scripted(NIM), None], starts_clocks=False)
    match.start_clock()
    assert not match.is_clock_running
    match = between_people(starts_clocks=False)
    match.resign(0)
    match.start_clock()
    assert not match.is_clock_running


def test_time_used_is_the_sum_for_each_side() -> None:
    match = between_people()
    for side, seconds in ((0, 1.0), (1, 2.0), (0, 4.0)):
        match.make_move(side, "take1", seconds=seconds)
    assert match.time_used == (5.0, 2.0)


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_invalid_seconds_raise(seconds: float | None) -> None:
    with pytest.raises(LimitError, match="must be at least 0, not"):
        between_people().make_move(0, "take1", seconds=seconds)


def test_agent_is_charged_only_while_it_thinks() -> None:
    clock = FakeClock()

    def think() -> str:
        clock.now += 2.0
        return "take1"

    rules = MatchRules(time=TimeControl(match=10))
    match = Manager(NIM, [Scripted(NIM, think), None], rules=rules, clock=clock)
    clock.now += 5.0
    match.step()
    assert match.moves[0].seconds == 2.0


def test_interrupted_agent_is_not_charged_until_it_is_asked_again() -> None:
    clock = FakeClock()
    match = Manager(NIM, [Scripted(NIM, KeyboardInterrupt(), "take1"), None], clock=clock)
    with pytest.raises(KeyboardInterrupt):
        match.step()
    clock.now += 5.0
    match.step()
    assert match.moves[0].seconds == 0.0


def test_agent_that_thinks_too_long_loses_on_time() -> None:
    clock = FakeClock()

    def think() -> str:
        clock.now += 2.0
        return "take1"

    rules = MatchRules(time=TimeControl(move=1))
    match = Manager(NIM, [Scripted(NIM, think), None], rules=rules, clock=clock)
    assert match.step() == Outcome(1, Termination.TIME)
    assert match.fault == "the move take1 came after 2.000 s"


@pytest.mark.parametrize(
    ("control", "seconds"),
    [({"move": 1}, 0.95), ({"move": 0.06}, 0.03), ({"move": 1, "margin": 0.25}, 0.75), ({"match": 9}, None)],
)
def test_agent_gets_the_time_per_move_less_a_margin(control: dict[str, float], seconds: float | None) -> None:
    assert timed(**control)[0].limit_for(0).seconds == seconds


def test_limit_combines_clock_and_search_limits() -> None:
    rules = MatchRules(time=(TimeControl(match=60, increment=1), TimeControl(match=30, increment=2)))
    match = between_people(rules=rules, limit=Limit(depth=3), clock=FakeClock())
    for side in (0, 1):
        assert match.limit_for(side) == Limit(depth=3, clock=Clock((60, 30), (1, 2)))


# --- takebacks --------------------------------------------------------------------


def test_undo_between_people_takes_back_one_ply() -> None:
    match = play_moves(between_people(), "take1", "take2")
    match.undo()
    assert (str(match.position), match.ply, match.outcome) == ("6:1:1:0", 1, None)


def test_undo_against_an_agent_takes_back_to_the_persons_last_move() -> None:
    match = Manager(NIM, [None, Scripted(NIM, "take2")])
    match.make_move(0, "take1")
    match.step()
    match.undo()
    assert str(match.position) == "7:0:0:0"


def test_undo_while_an_agent_is_to_move_takes_back_the_persons_move() -> None:
    match = play_moves(Manager(NIM, [None, Scripted(NIM)]), "take1")
    match.undo()
    assert str(match.position) == "7:0:0:0"


def test_undo_takes_back_consecutive_moves_of_an_agent() -> None:
    match = Manager(AGAIN, [None, Scripted(AGAIN, "take1", "take1", "take2")])
    match.make_move(0, "take2")
    for _ in range(3):
        match.step()
    match.undo()
    assert match.ply == 0


def test_undo_takes_back_one_of_consecutive_moves_of_a_person() -> None:
    match = play_moves(Manager(AGAIN, [None, Scripted(AGAIN)]), "take1", "take2")
    match.undo()
    assert (match.ply, match.side_to_move) == (1, 0)


def test_undo_without_a_move_of_the_person_raises() -> None:
    match = Manager(NIM, [Scripted(NIM), None])
    match.step()
    with pytest.raises(MatchError, match="there is no move to take back"):
        match.undo()


def test_undo_without_a_move_raises() -> None:
    with pytest.raises(MatchError, match="there is no move to take back"):
        between_people().undo()


def test_undo_reopens_a_match_that_ended_by_its_moves() -> None:
    match = play_moves(between_people(), "take3", "take3", "take1")
    match.undo()
    assert match.outcome is None
    assert match.make_move(0, "take1") == Outcome(0, Termination.RULES)


def _resign(match: Manager) -> None:
    match.resign(0)


def _agree(match: Manager) -> None:
    match.offer_draw(0)
    match.accept(1)


@pytest.mark.parametrize("end", [_resign, _agree], ids=["resignation", "agreement"])
def test_undo_takes_back_a_resignation_or_an_agreed_draw_but_no_move(end: Callable[[Manager], None]) -> None:
    match = play_moves(between_people(), "take1", "take1")
    end(match)
    match.undo()
    assert (match.outcome, match.ply) == (None, 2)
    match.undo()
    assert match.ply == 1


def test_undo_after_an_agent_has_resigned_takes_back_the_persons_move() -> None:
    match = Manager(NIM, [None, Scripted(NIM, None)])
    match.make_move(0, "take3")
    match.step()
    match.undo()
    assert (match.outcome, match.ply) == (None, 0)


@pytest.mark.parametrize("make", [_timed_out, lambda: _played(RuntimeError("lost"))], ids=["time", "crash"])
def test_undo_does_not_reopen_a_match_that_ended_otherwise(make: Callable[[], Manager]) -> None:
    match = make()
    with pytest.raises(MatchError, match="cannot take back: the match is over"):
        match.undo()


def test_each_side_has_its_own_time() -> None:
    clock = FakeClock()
    times = (TimeControl(match=300, move=10), TimeControl(match=60, move=3))
    match = between_people(rules=MatchRules(time=times), clock=clock)
    assert (match.clocks, match.move_clock) == ((300.0, 60.0), 10.0)
    clock.now = 9.0
    match.make_move(0, "take1")
    assert (match.clocks, match.move_clock) == ((291.0, 60.0), 3.0)
    assert match.record().tags["TimeControl"] == "300+0 10/move, 60+0 3/move"
    clock.now = 12.5
    assert match.tick() == Outcome(0, Termination.TIME)


def test_each_agent_has_its_own_limit() -> None:
    match = Manager(NIM, [None, None], limit=(Limit(depth=2), Limit(seconds=5.0)))
    assert [match.limit_for(side) for side in (0, 1)] == [Limit(depth=2), Limit(seconds=5.0)]


def test_undo_restores_the_clocks() -> None:
    match, clock = timed(match=60, increment=1)
    for clock.now in (10.0, 30.0):
        match.make_move(match.side_to_move, "take1")
    clock.now = 45.0
    match.undo()
    assert match.clocks == (51.0, 60.0)
    clock.now = 50.0
    assert match.clocks == (51.0, 55.0)


def test_undone_positions_do_not_count_as_repetitions() -> None:
    match = between_people(PASSING, rules=MatchRules(repetition=True))
    play_moves(match, "pass", "pass", "pass")
    match.undo()
    match.undo()
    assert play_moves(match, "pass", "take1").outcome is None


# --- draw offers and resignation ---------------------------------------------------


def test_draw_offer_is_open_until_it_is_declined() -> None:
    match = between_people()
    match.offer_draw(0)
    assert match.draw_offer == 0
    match.decline(1)
    assert match.draw_offer is None


def test_draw_offer_is_declined_by_a_move_of_the_other_side() -> None:
    match = between_people()
    match.offer_draw(0)
    match.make_move(0, "take1")
    assert match.draw_offer == 0
    match.make_move(1, "take1")
    assert match.draw_offer is None


def test_side_cannot_accept_its_own_offer() -> None:
    match = between_people()
    match.offer_draw(0)
    with pytest.raises(MatchError, match="side 0 has not been offered a draw"):
        match.accept(0)


def test_answer_without_an_offer_raises() -> None:
    for answer in (between_people().accept, between_people().decline):
        with pytest.raises(MatchError, match="side 1 has not been offered a draw"):
            answer(1)


def test_second_offer_raises() -> None:
    match = between_people()
    match.offer_draw(0)
    with pytest.raises(MatchError, match="draw offer of side 0 has not been answered"):
        match.offer_draw(1)


def test_player_who_forfeits_loses_with_the_reason_as_its_fault() -> None:
    match = between_people()
    assert match.forfeit(1, "it does not answer") == Outcome(0, Termination.CRASH)
    assert match.fault == "it does not answer"


def test_resignation_of_an_invalid_side_raises() -> None:
    with pytest.raises(MatchError, match="a side must be 0 or 1, not 2"):
        between_people().resign(2)


# --- players -------------------------------------------------------------------------


def test_two_agents_play_a_match() -> None:
    record = Manager(NIM, [Scripted(NIM, "take3", "take1"), Scripted(NIM, "take3")]).play()
    assert (record.moves, record.outcome) == (("take3", "take3", "take1"), Outcome(0, Termination.RULES))


def test_play_continues_a_match() -> None:
    match = play_moves(Manager(NIM, [Scripted(NIM), Scripted(NIM)]), "take3")
    assert match.play().moves[0] == "take3"
    assert match.outcome is not None


def test_while_thinking_is_entered_for_the_choice_of_a_player_only() -> None:
    log: list[object] = []

    @contextmanager
    def released() -> Iterator[None]:
        log.append("released")
        try:
            yield
        finally:
            log.append("held")

    def thinking() -> str:
        log.append("thinks")
        return "take1"

    player = Scripted(NIM, thinking)
    other = Scripted(NIM, RuntimeError("no luck"))
    match = Manager(NIM, [player, other], while_thinking=released)
    assert log == []
    match.step()
    assert log == ["released", "thinks", "held"]
    match.step()
    assert log == ["released", "thinks", "held", "released", "held"]
    assert match.outcome is not None


def test_step_without_a_player_raises() -> None:
    with pytest.raises(MatchError, match="side 0 has no player"):
        between_people().step()


def test_agent_resigns_by_choosing_no_move() -> None:
    assert _played(None).outcome == Outcome(1, Termination.RESIGNATION)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (RuntimeError("lost my way"), f"{BROKEN}: Scripted.choose raised RuntimeError: lost my way"),
        (SystemExit(3), f"{BROKEN}: Scripted.choose raised SystemExit: 3"),
        (lambda: MatchError("confused"), "MatchError: confused"),
    ],
    ids=["error", "exit", "own"],
)
def test_agent_that_raises_loses_by_a_crash(answer: object, fault: str) -> None:
    match = _played(answer)
    assert (match.outcome, match.fault) == (Outcome(1, Termination.CRASH), fault)


def test_answer_that_is_not_a_choice_is_a_crash() -> None:
    class Rude(Scripted):
        def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Any:
            return "take1"

    match = Manager(NIM, [Rude(NIM), None])
    assert match.step() == Outcome(1, Termination.CRASH)
    assert match.fault is not None
    assert "Rude.choose returned 'take1', not a Choice" in match.fault


@pytest.mark.parametrize("move", ["take9", "nonsense"], ids=["illegal", "malformed"])
def test_move_error_of_an_agent_is_an_illegal_move(move: str) -> None:
    match = _played(move)
    assert match.outcome == Outcome(1, Termination.ILLEGAL_MOVE)
    assert match.fault is not None
    assert repr(move) in match.fault


def test_agent_that_raises_after_its_time_is_up_loses_on_time() -> None:
    clock = FakeClock()

    def hang() -> Never:
        clock.now += 2.0
        raise RuntimeError("no answer within 2 s")

    rules = MatchRules(time=TimeControl(move=1))
    match = Manager(NIM, [Scripted(NIM, hang), None], rules=rules, clock=clock)
    assert match.step() == Outcome(1, Termination.TIME)
    assert match.fault == f"{BROKEN}: Scripted.choose raised RuntimeError: no answer within 2 s"


@pytest.mark.parametrize(
    "move",
    [Move(0, "pass"), Move(2, "take3"), Move(10**30, "x"), 7],
    ids=["illegal", "foreign", "huge", "not a move"],
)
def test_agent_with_an_illegal_move_loses(move: object) -> None:
    match = Manager(NIM, [Scripted(NIM, move), None])
    assert match.step() == Outcome(1, Termination.ILLEGAL_MOVE)
    assert match.fault is not None
    assert re.match(
        r"illegal (move|action)|the move .* was made for another position|a move must be", match.fault
    )


def test_ctrl_c_is_raised_and_the_match_can_continue() -> None:
    match = Manager(NIM, [Scripted(NIM, KeyboardInterrupt(), "take3"), None])
    with pytest.raises(KeyboardInterrupt):
        match.step()
    assert match.step() is None
    assert match.ply == 1


def test_errors_of_a_persons_player_are_raised() -> None:
    match = Manager(NIM, [Person(NIM, EOFError()), None])
    with pytest.raises(EOFError):
        match.step()
    assert match.outcome is None


def test_persons_clock_keeps_running_when_they_are_asked_again() -> None:
    clock = FakeClock()
    match = Manager(NIM, [Person(NIM, EOFError(), "take1"), None], clock=clock)
    clock.now = 2.0
    with pytest.raises(EOFError):
        match.step()
    clock.now = 5.0
    match.step()
    assert match.moves[0].seconds == 5.0


def test_person_does_not_lose_by_an_illegal_move() -> None:
    match = Manager(NIM, [Person(NIM, Move(9, "take9")), None])
    with pytest.raises(MoveError):
        match.step()
    assert match.outcome is None


def test_answer_for_an_outdated_position_is_dropped() -> None:
    def undoing() -> str:
        match.undo()
        return "take1"

    match = Manager(NIM, [None, Scripted(NIM, undoing)])
    match.make_move(0, "take2")
    match.step()
    assert (match.ply, match.outcome) == (0, None)


def test_resignation_stops_the_thinking_player() -> None:
    class Thinker(Scripted):
        def choose(
            self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT
        ) -> Choice:
            match.resign(0)
            assert context.stop is not None
            self.calls.append(context.stop.is_set())
            return Choice(position.legal_moves[0])

    player = Thinker(NIM)
    match = Manager(NIM, [player, None])
    match.step()
    assert player.calls[-1] is True


def test_players_are_notified_of_start_and_end() -> None:
    player = Scripted(NIM)
    Manager(NIM, [None, player]).resign(1)
    assert player.calls == [1, Outcome(0, Termination.RESIGNATION)]


def test_context_has_the_earlier_positions() -> None:
    class Reader(Scripted):
        def choose(
            self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT
        ) -> Choice:
            self.calls.append([str(at) for at in context.history])
            return Choice(position.legal_moves[0])

    player = Reader(NIM)
    play_moves(match := Manager(NIM, [None, player]), "take2")
    match.step()
    assert player.calls[-1] == ["7:0:0:0"]


def test_agent_that_raises_at_the_start_loses_by_a_crash() -> None:
    class Broken(Scripted):
        def match_started(self, side: int) -> Never:
            raise RuntimeError("no book")

    match = Manager(NIM, [Broken(NIM), None])
    assert match.outcome == Outcome(1, Termination.CRASH)
    assert match.fault == f"{BROKEN}: Broken.match_started raised RuntimeError: no book"


def test_agent_that_raises_at_the_end_does_not_change_the_outcome() -> None:
    class Broken(Scripted):
        def match_ended(self, outcome: Outcome) -> Never:
            raise RuntimeError("no disk")

    match = Manager(NIM, [None, Broken(NIM)])
    with pytest.warns(RuntimeWarning, match="no disk"):
        match.resign(0)
    assert match.outcome is not None
    assert match.outcome.winner == 1
    assert match.fault == f"{BROKEN}: Broken.match_ended raised RuntimeError: no disk"


class Slow(Scripted):
    """Waits for `may_start` when a match starts, then calls `last`."""

    def __init__(self, game: Game, *script: object, last: Callable[[], object] = lambda: None) -> None:
        super().__init__(game, *script)
        self.may_start, self.last = threading.Event(), last

    def match_started(self, side: int) -> None:
        assert self.may_start.wait(TIMEOUT_S)
        self.last()
        super().match_started(side)


def test_an_agent_moves_only_when_it_is_ready_and_its_clock_starts_then() -> None:
    clock = FakeClock()
    agent = Slow(NIM, "take1", last=lambda: setattr(clock, "now", 100.0))
    rules = MatchRules(time=TimeControl(match=10))
    match = Manager(NIM, [None, agent], rules=rules, clock=clock, background=True)
    match.make_move(0, "take1")
    assert not match.is_ready(1)
    assert not agent.calls
    threading.Timer(0.1, agent.may_start.set).start()
    match.step()
    assert match.is_ready(1)
    assert agent.calls == [1]
    assert (match.ply, match.outcome, match.clocks) == (2, None, (10.0, 10.0)), "its clock ran"
    assert match.time_used == (0.0, 0.0)


def test_an_agent_that_fails_in_the_background_loses_when_it_is_to_move() -> None:
    def fail() -> Never:
        raise ValueError("no weights")

    agent = Slow(NIM, last=fail)
    match = Manager(NIM, [None, agent], background=True)
    match.make_move(0, "take1")
    agent.may_start.set()
    assert match.step() == Outcome(0, Termination.CRASH)
    assert match.fault is not None
    assert "no weights" in match.fault
    assert not agent.limits


@pytest.mark.parametrize(("act", "is_over"), [("resign", True), ("pause", False), ("undo", False)])
def test_what_happens_while_an_agent_gets_ready_comes_before_its_move(act: str, is_over: bool) -> None:
    agent = Slow(NIM)
    match = Manager(NIM, [None, agent], background=True)
    match.make_move(0, "take1")

    def interfere() -> None:
        getattr(match, act)(*([0] if act == "resign" else []))
        agent.may_start.set()

    threading.Timer(0.1, interfere).start()
    match.step()
    assert (match.outcome is not None) == is_over
    assert match.ply == (0 if act == "undo" else 1)
    assert not agent.limits, "it was asked for a move"


def test_an_agent_that_is_not_ready_is_not_told_that_the_match_is_over() -> None:
    agent = Slow(NIM)
    match = Manager(NIM, [None, agent], background=True)
    match.resign(0)
    agent.may_start.set()
    match.wait_until_ready(1)
    assert agent.calls == [1]


def test_a_draw_offer_is_answered_when_the_agent_is_ready(draws_at_once: None) -> None:
    class SlowAgreeable(Slow, Agreeable):
        pass

    agent = SlowAgreeable(NIM)
    match = Manager(NIM, [None, agent], background=True)
    threading.Timer(0.1, agent.may_start.set).start()
    match.offer_draw(0)
    assert match.outcome == Outcome(None, Termination.AGREEMENT)
    assert agent.calls == [1, match.outcome]


# --- listeners and hooks ---------------------------------------------------------------


def test_listeners_get_all_events() -> None:
    match, events = with_events(between_people)
    match.make_move(0, "take1")
    match.offer_draw(0)
    match.make_move(1, "take1")
    match.undo()
    match.resign(1)
    assert [(event.kind, event.side, event.plies) for event in events] == [
        ("started", None, 0),
        ("move", 0, 0),
        ("draw-offer", 0, 0),
        ("draw-declined", 1, 0),
        ("move", 1, 0),
        ("undo", None, 1),
        ("ended", None, 0),
    ]
    assert events[1].move == match.moves[0]
    assert events[-1].outcome == match.outcome


def test_failing_listener_is_reported_once_and_the_match_continues() -> None:
    def broken(manager: Manager, event: MatchEvent) -> None:
        raise RuntimeError("no luck")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        match = play_moves(between_people(listeners=[broken]), "take3", "take3", "take1")
    assert match.outcome is not None
    assert ["no luck" in str(warning.message) for warning in caught] == [True]


def test_failing_listener_does_not_affect_the_others() -> None:
    kinds: list[str] = []

    def broken(manager: Manager, event: MatchEvent) -> None:
        raise RuntimeError("no luck")

    with pytest.warns(RuntimeWarning):
        between_people(listeners=[broken, lambda _, event: kinds.append(event.kind)])
    assert kinds == ["started"]


class _HookedPlugin:
    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    @hookimpl
    def bg_match_started(self, manager: Manager) -> None:
        self.calls.append(("started", manager))

    @hookimpl
    def bg_move_made(self, played: PlayedMove) -> None:
        self.calls.append(("move", played.move.text))

    @hookimpl
    def bg_match_ended(self, manager: Manager, outcome: Outcome) -> None:
        self.calls.append(("ended", manager, outcome.winner))


class _BrokenPlugin:
    @hookimpl
    def bg_move_made(self, manager: Manager, played: PlayedMove) -> Never:
        raise RuntimeError("no luck")


def _registered(monkeypatch: pytest.MonkeyPatch, *extra: object) -> None:
    registry = Registry(points=[])
    for index, plugin in enumerate(extra):
        registry._manager.register(plugin, name=f"extra-{index}")
    monkeypatch.setattr(plugins, "registry", lambda: registry)


def test_hooks_of_plugins_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = _HookedPlugin()
    _registered(monkeypatch, plugin)
    match = play_moves(between_people(), "take3", "take3", "take1")
    assert plugin.calls == [
        ("started", match),
        ("move", "take3"),
        ("move", "take3"),
        ("move", "take1"),
        ("ended", match, 0),
    ]


def test_failing_plugin_does_not_affect_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    first, last = _HookedPlugin(), _HookedPlugin()
    _registered(monkeypatch, first, _BrokenPlugin(), last)
    with pytest.warns(RuntimeWarning, match="plug-in 'extra-1', hook bg_move_made, raised"):
        play_moves(between_people(), "take3", "take3", "take1")
    assert len(first.calls) == len(last.calls) == 5


# --- records ----------------------------------------------------------------------------


@pytest.fixture
def nim_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    nim.as_plugin()
    registry = Registry(points=[EntryPoint("nim", "nim_plugin", "boardgames")])
    monkeypatch.setattr(plugins, "registry", lambda: registry)


def test_record_of_an_unfinished_match() -> None:
    match = between_people(PASSING, names=("Ann", "Bob"), tags={"Date": "2026.01.31"})
    match.make_move(0, "take3", seconds=0.12345)
    assert match.record() == Record(
        "nim",
        "seven",
        start="7:0:0:0",
        names=("Ann", "Bob"),
        moves=("take3",),
        seconds=(0.123,),
        options={"passing": "true", "again": "false", "stuck": "false", "forced": "false"},
        tags={"Date": "2026.01.31"},
    )


def test_names_default_to_the_descriptions_of_the_players() -> None:
    assert Manager(NIM, [Scripted(NIM), None]).names == ("scripted", "?")


def test_equal_matches_have_equal_records() -> None:
    def play() -> str:
        return str(Manager(NIM, [Scripted(NIM), Scripted(NIM)], clock=FakeClock()).play())

    assert play() == play()


@pytest.mark.usefixtures("nim_is_installed")
def test_finished_match_is_restored_without_telling_anyone_again() -> None:
    events: list[MatchEvent] = []
    player = Scripted(NIM)
    match = Manager(
        NIM,
        [player, None],
        played=[("take3", 1.0)],
        outcome=Outcome(1, Termination.RESIGNATION),
        listeners=[lambda _, event: events.append(event)],
    )
    assert (match.outcome, match.ply) == (Outcome(1, Termination.RESIGNATION), 1)
    assert (events, player.calls) == ([], [])
    with pytest.raises(MatchError, match="over"):
        match.make_move(1, "take1")


@pytest.mark.parametrize(
    ("control", "left", "spent"),
    [(TimeControl(match=60), (59.0, 0.0), 60.0), (TimeControl(match=60, move=9), (59.0, 51.0), 9.0)],
    ids=str,
)
def test_whoever_lost_on_time_has_none_left_when_the_match_is_restored(
    control: TimeControl, left: tuple[float, float], spent: float
) -> None:
    match = Manager(
        NIM,
        [None, None],
        rules=MatchRules(time=control),
        played=[("take1", 1.0)],
        outcome=Outcome(0, Termination.TIME),
        clock=FakeClock(),
    )
    assert (match.clocks, match.seconds_on_move) == (left, spent)


@pytest.mark.parametrize("reason", Termination)
@pytest.mark.parametrize("winner", [0, 1, None])
def test_a_move_after_the_end_is_refused_with_how_the_match_ended(
    winner: int | None, reason: Termination
) -> None:
    outcome = Outcome(winner, reason)
    with pytest.raises(MatchError) as raised:
        between_people(outcome=outcome).make_move(0, "take1")
    assert str(raised.value) == f"the match is over ({outcome.describe(NIM.facts.sides)})"


def test_record_has_the_time_control() -> None:
    assert timed(match=60, increment=1)[0].record().tags == {"TimeControl": "60+1"}


@pytest.mark.parametrize("value", ["1", 1.5, float("nan"), True, [], 0])
@pytest.mark.parametrize("name", ["ply_limit", "no_progress_limit"])
def test_limits_must_be_integers(name: str, value: Any) -> None:
    with pytest.raises(LimitError, match="at least 1 ply"):
        MatchRules(**{name: value})


@pytest.mark.parametrize("seconds", ["x", 10**400, True], ids=["text", "huge", "bool"])
def test_seconds_must_be_numbers(seconds: Any) -> None:
    match = Manager(boardgames.load("connect4"), [None, None])
    with pytest.raises(LimitError, match="must be at least 0, not"):
        match.make_move(0, "4", seconds=seconds)


class ForeignAgent(Player):
    """An agent that returns a given move, or raises it if it is an error."""

    name = "foreign"

    def __init__(self, game: Game, answer: object) -> None:
        super().__init__(game)
        self.answer = answer

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return Choice(self.answer)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(
    "move",
    [Move(10**5000, "4"), Move(np.array([1, 2]), "4"), Move(3, 4), Move(3, None), Move(3.0, "4"), 10**5000],  # type: ignore[arg-type]  # wrong on purpose
    ids=["huge", "array", "text is a number", "no text", "float", "number"],
)
def test_agent_whose_move_is_not_a_move_loses(move: object) -> None:
    game = boardgames.load("connect4")
    match = Manager(game, [ForeignAgent(game, move), None])
    assert match.step() == Outcome(1, Termination.ILLEGAL_MOVE)


class UnprintableError(Exception):
    """An exception whose `__str__` fails."""

    def __str__(self) -> str:
        raise RuntimeError


def test_agent_that_raises_an_unprintable_error_loses() -> None:
    game = boardgames.load("connect4")
    match = Manager(game, [ForeignAgent(game, UnprintableError()), None])
    assert match.step() == Outcome(1, Termination.CRASH)
    assert match.fault == f"{BROKEN}: ForeignAgent.choose raised UnprintableError"


def test_agent_that_exits_at_the_end_does_not_end_the_program() -> None:
    class Exits(ForeignAgent):
        def match_ended(self, outcome: Outcome) -> None:
            raise SystemExit(3)

    game = boardgames.load("connect4")
    match = Manager(game, [Exits(game, None), None])
    with pytest.warns(RuntimeWarning, match="SystemExit: 3"):
        assert match.step() == Outcome(1, Termination.RESIGNATION)


def test_listener_that_exits_does_not_end_the_program() -> None:
    def leave(match: Manager, event: MatchEvent) -> None:
        raise SystemExit(3)

    with pytest.warns(RuntimeWarning, match="SystemExit: 3"):
        match = Manager(boardgames.load("connect4"), [None, None], listeners=[leave])
    assert match.outcome is None


@pytest.mark.parametrize(
    "described", [ValueError("x"), SystemExit(3), 5], ids=["raises", "exits", "not text"]
)
def test_agent_without_a_description_has_an_unknown_name(described: object) -> None:
    class Nameless(ForeignAgent):
        def describe(self) -> str:
            if isinstance(described, BaseException):
                raise described
            return described  # type: ignore[return-value]  # wrong on purpose

    game = boardgames.load("connect4")
    assert Manager(game, [Nameless(game, None), None]).names == ("?", "?")


@pytest.mark.parametrize("names", [("Ann",), ("Ann", "Bob", "Cid"), (1, 2)])
def test_invalid_names_raise(names: Any) -> None:
    with pytest.raises(MatchError, match="a match has two names"):
        Manager(boardgames.load("connect4"), [None, None], names=names)


class Agreeable(Scripted):
    """Answers draw offers with `answer`, or raises it if it is an exception."""

    answer: object = True

    def accepts_draw(self, position: Position, side: int) -> bool:
        if isinstance(self.answer, Exception):
            raise self.answer
        return bool(self.answer)


@pytest.fixture
def draws_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow agents to accept draws from the first ply on."""
    monkeypatch.setattr("boardgames.manager.MIN_DRAW_PLIES", 0)


@pytest.mark.parametrize(
    ("plies", "accepts"), [(MIN_DRAW_PLIES - 2, False), (MIN_DRAW_PLIES, True)], ids=["early", "later"]
)
def test_agent_is_asked_for_a_draw_only_after_some_plies(plies: int, accepts: bool) -> None:
    match = Manager(PASSING, [None, Agreeable(PASSING)], played=[("pass", None)] * plies)
    match.offer_draw(0)
    assert (match.outcome is not None) == accepts
    assert match.draw_offer is None


def test_agent_answers_a_draw_offer_at_once(draws_at_once: None) -> None:
    match = Manager(NIM, [None, Agreeable(NIM)])
    match.offer_draw(0)
    assert match.outcome == Outcome(None, Termination.AGREEMENT)


def test_agent_declines_draws_by_default() -> None:
    kinds: list[str] = []
    match = Manager(NIM, [None, Scripted(NIM)], listeners=[lambda _, event: kinds.append(event.kind)])
    match.offer_draw(0)
    assert (match.outcome, match.draw_offer) == (None, None)
    assert kinds == ["started", "draw-offer", "draw-declined"]


def test_agent_that_raises_at_a_draw_offer_declines(draws_at_once: None) -> None:
    agent = Agreeable(NIM)
    agent.answer = ValueError("no")
    match = Manager(NIM, [None, agent])
    with pytest.warns(RuntimeWarning, match="raised ValueError"):
        match.offer_draw(0)
    assert (match.outcome, match.draw_offer) == (None, None)
