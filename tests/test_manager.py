"""Matches: turns, clocks, limits, takebacks, draw offers, faults of agents, listeners."""

import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Never

import nim
import numpy as np
import pytest

import boardgames
from boardgames import plugins
from boardgames.clock import TimeControl
from boardgames.errors import IllegalMoveError, LimitError, MatchError, MoveError, PositionError
from boardgames.game import Game, Move, Outcome, PlayedMove, Position, Termination
from boardgames.hookspecs import hookimpl
from boardgames.manager import Manager, MatchEvent, MatchRules
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Context, Limit, Player
from boardgames.plugins import EntryPoint, Registry
from boardgames.record import Record

NIM = nim.Nim()
PASSING = nim.Nim(passing=True)
AGAIN = nim.Nim(again=True)
STUCK = nim.Nim(stuck=True)


class Clockwork:
    """A clock that stands still until it is set on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Scripted(Player):
    """Plays texts in order; an exception is raised, None resigns, a function is asked."""

    name = "scripted"

    def __init__(self, game: Game, *script: object) -> None:
        super().__init__(game, seed=0)
        self.script = list(script)
        self.limits: list[Limit] = []
        self.told: list[object] = []

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        self.limits.append(limit)
        answer = self.script.pop(0) if self.script else position.legal_moves[0].text
        if callable(answer) and not isinstance(answer, type):
            answer = answer()
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, str):
            return Choice(position.game.parse_move(position, answer))
        return answer if isinstance(answer, Choice) else Choice(answer)

    def match_started(self, side: int) -> None:
        self.told.append(side)

    def match_ended(self, outcome: Outcome) -> None:
        self.told.append(outcome)


class Person(Scripted):
    name = "person"
    is_human = True


def between_people(game: Game = NIM, **settings: object) -> Manager:
    return Manager(game, [None, None], **settings)


def moved(match: Manager, *moves: str) -> Manager:
    for move in moves:
        match.make_move(match.side_to_move, move)
    return match


def heard(match_of: Callable[..., Manager], **settings: object) -> tuple[Manager, list[MatchEvent]]:
    changes: list[MatchEvent] = []
    match = match_of(listeners=[lambda _, change: changes.append(change)], **settings)
    return match, changes


# --- rules of a match ---------------------------------------------------------


def test_a_match_with_a_person_has_no_limits() -> None:
    assert MatchRules.between([Scripted(NIM), None], NIM) == MatchRules()
    assert MatchRules.between([Person(NIM), Scripted(NIM)], NIM) == MatchRules()


def test_a_match_between_agents_has_the_limits_the_game_declares() -> None:
    rules = MatchRules.between([Scripted(NIM), Scripted(NIM)], NIM)
    assert rules == MatchRules(ply_limit=40, no_progress_limit=9, repetition=True)


def test_limits_can_be_overridden_one_by_one() -> None:
    rules = MatchRules.between([Scripted(NIM), Scripted(NIM)], NIM, ply_limit=None)
    assert rules == MatchRules(no_progress_limit=9, repetition=True)


@pytest.mark.parametrize("limits", [{"ply_limit": 0}, {"no_progress_limit": -1}])
def test_a_limit_below_one_ply_is_refused(limits: dict[str, int]) -> None:
    with pytest.raises(LimitError, match="at least 1 ply"):
        MatchRules(**limits)


# --- turns ----------------------------------------------------------------------


def test_a_move_is_made_for_the_side_to_move() -> None:
    match = between_people()
    assert match.make_move(0, "take3") is None
    assert (str(match.position), match.side_to_move, match.ply) == ("4:1:3:0", 1, 1)
    assert [str(position) for position in match.positions] == ["7:0:0:0", "4:1:3:0"]


def test_a_move_out_of_turn_is_refused() -> None:
    with pytest.raises(MatchError, match="side 1 cannot move: it is the turn of side 0"):
        between_people().make_move(1, "take1")


def test_an_illegal_move_from_outside_leaves_the_match_as_it_was() -> None:
    match = between_people()
    with pytest.raises(MoveError, match="take4"):
        match.make_move(0, "take4")
    assert (match.ply, match.outcome, match.fault) == (0, None, None)


def test_a_move_made_for_another_position_is_refused() -> None:
    with pytest.raises(IllegalMoveError, match="made for another position"):
        between_people().make_move(0, Move(2, "take3"))


def test_the_same_side_may_move_twice_in_a_row() -> None:
    match = moved(between_people(AGAIN), "take1", "take1", "take2")
    assert [made.side for made in match.moves] == [0, 0, 0]
    assert match.side_to_move == 1


def test_moves_are_kept_with_side_time_and_ply() -> None:
    match = between_people()
    match.make_move(0, "take3", seconds=1.5)
    assert match.moves == (PlayedMove(0, Move(3, "take3"), 1.5, 1),)


def test_nothing_can_be_done_after_the_end() -> None:
    match = moved(between_people(), "take3", "take3", "take1")
    for refused in (
        lambda: match.make_move(1, "take1"),
        lambda: match.resign(0),
        lambda: match.offer_draw(0),
        lambda: match.accept(0),
        lambda: match.decline(0),
        match.step,
    ):
        with pytest.raises(MatchError, match=r"the match is over \(first won\)"):
            refused()


def test_two_seats_are_needed() -> None:
    with pytest.raises(MatchError, match="a match has two players, not 1"):
        Manager(NIM, [None])


def test_a_player_of_another_game_is_refused() -> None:
    with pytest.raises(MatchError, match="plays <game nim seven passing=true>, not <game nim seven>"):
        Manager(NIM, [Scripted(PASSING), None])


def test_a_start_of_another_game_is_refused() -> None:
    with pytest.raises(PositionError, match="the start is not a position of"):
        between_people(start=PASSING.start())


# --- terminations ---------------------------------------------------------------


def _time_out() -> Manager:
    clock = Clockwork()
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


def _limited(**limits: object) -> Manager:
    match = between_people(PASSING, rules=MatchRules(**limits))
    while match.outcome is None:
        match.make_move(match.side_to_move, "pass")
    return match


@pytest.mark.parametrize(
    ("make", "winner", "termination", "plies"),
    [
        (lambda: moved(between_people(), "take3", "take3", "take1"), 0, "rules", 3),
        (lambda: moved(between_people(STUCK), "take3", "take3", "take1"), 0, "no-moves", 3),
        (_time_out, 1, "time", 0),
        (lambda: _limited(ply_limit=3), None, "ply-limit", 3),
        (lambda: _limited(no_progress_limit=2), None, "no-progress", 2),
        (lambda: _limited(repetition=True), None, "repetition", 4),
        (_resigned, 0, "resignation", 0),
        (_agreed, None, "agreement", 0),
        (lambda: _played(Move(9, "take9")), 1, "illegal-move", 0),
        (lambda: _played(RuntimeError("lost my way")), 1, "crash", 0),
    ],
    ids=list(Termination),
)
def test_every_termination_is_reached(
    make: Callable[[], Manager], winner: int | None, termination: str, plies: int
) -> None:
    match = make()
    assert match.outcome == Outcome(winner, Termination(termination))
    assert match.ply == plies


def test_the_rules_come_before_the_limits() -> None:
    match = moved(between_people(rules=MatchRules(ply_limit=3)), "take3", "take3", "take1")
    assert match.outcome == Outcome(0, Termination.RULES)


def test_a_change_of_score_starts_the_count_of_plies_without_one_again() -> None:
    match = moved(between_people(PASSING), "pass", "pass", "take1", "pass")
    assert match.plies_since_score == 1


def test_plies_since_the_score_changed_are_counted_from_the_start() -> None:
    match = moved(between_people(PASSING), "pass", "pass")
    assert match.plies_since_score == 2
    match.undo()
    assert match.plies_since_score == 1


def test_a_match_that_begins_at_its_end_ends_at_once() -> None:
    match, changes = heard(between_people, start=NIM.parse("0:1:7:0"))
    assert match.outcome == Outcome(0, Termination.RULES)
    assert [change.kind for change in changes] == ["started", "ended"]


# --- clocks ----------------------------------------------------------------------


def timed(**control: float) -> tuple[Manager, Clockwork]:
    clock = Clockwork()
    return between_people(rules=MatchRules(time=TimeControl(**control)), clock=clock), clock


def test_the_clock_of_the_side_to_move_runs_and_the_other_stands() -> None:
    match, clock = timed(match=60)
    clock.now = 10.0
    assert match.clocks == (50.0, 60.0)


def test_a_move_adds_the_increment() -> None:
    match, clock = timed(match=60, increment=2)
    clock.now = 10.0
    match.make_move(0, "take1")
    assert match.clocks == (52.0, 60.0)


def test_without_a_match_clock_there_is_no_time_left_to_show() -> None:
    assert timed(move=1)[0].clocks is None


@pytest.mark.parametrize("control", [{"move": 5}, {"match": 5}], ids=["move", "match"])
def test_a_move_after_the_time_has_run_out_loses_and_is_not_made(control: dict[str, float]) -> None:
    match, clock = timed(**control)
    clock.now = 5.1
    assert match.make_move(0, "take1") == Outcome(1, Termination.TIME)
    assert (match.ply, match.record().moves) == (0, ())


@pytest.mark.parametrize("control", [{"move": 5}, {"match": 5}], ids=["move", "match"])
def test_a_move_on_the_last_tick_is_made(control: dict[str, float]) -> None:
    match, clock = timed(**control)
    clock.now = 5.0
    assert match.make_move(0, "take1") is None


def test_the_time_of_a_move_is_each_moves_own() -> None:
    match, clock = timed(move=5)
    for clock.now in (4.0, 8.0, 12.0):
        match.make_move(match.side_to_move, "take1")
    assert match.outcome is None


def test_a_tick_in_time_changes_nothing() -> None:
    match, clock = timed(match=5)
    clock.now = 4.0
    assert match.tick() is None


def test_the_clock_stands_after_the_end() -> None:
    match, clock = timed(match=60)
    clock.now = 10.0
    match.resign(0)
    clock.now = 30.0
    assert match.clocks == (50.0, 60.0)


def test_time_used_is_summed_for_each_side() -> None:
    match = between_people()
    for side, seconds in ((0, 1.0), (1, 2.0), (0, 4.0)):
        match.make_move(side, "take1", seconds=seconds)
    assert match.time_used == (5.0, 2.0)


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_seconds_that_no_move_can_take_are_refused(seconds: float | None) -> None:
    with pytest.raises(LimitError, match="must be at least 0, not"):
        between_people().make_move(0, "take1", seconds=seconds)


def test_an_agent_is_charged_only_while_it_is_asked() -> None:
    clock = Clockwork()

    def think() -> str:
        clock.now += 2.0
        return "take1"

    rules = MatchRules(time=TimeControl(match=10))
    match = Manager(NIM, [Scripted(NIM, think), None], rules=rules, clock=clock)
    clock.now += 5.0
    match.step()
    assert match.moves[0].seconds == 2.0


def test_an_agent_that_was_interrupted_is_not_charged_until_it_is_asked_again() -> None:
    clock = Clockwork()
    match = Manager(NIM, [Scripted(NIM, KeyboardInterrupt(), "take1"), None], clock=clock)
    with pytest.raises(KeyboardInterrupt):
        match.step()
    clock.now += 5.0
    match.step()
    assert match.moves[0].seconds == 0.0


def test_an_agent_that_thinks_too_long_loses_on_time() -> None:
    clock = Clockwork()

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
def test_an_agent_is_asked_to_leave_the_margin_but_not_more_than_half(
    control: dict[str, float], seconds: float | None
) -> None:
    assert timed(**control)[0].limit_for(0).seconds == seconds


def test_limits_of_thinking_and_clocks_come_together() -> None:
    rules = MatchRules(time=TimeControl(match=60, increment=1))
    limit = between_people(rules=rules, limit=Limit(depth=3), clock=Clockwork()).limit_for(1)
    assert (limit.depth, limit.clock.remaining, limit.clock.increment) == (3, (60.0, 60.0), 1)


# --- takebacks --------------------------------------------------------------------


def test_between_people_one_ply_is_taken_back() -> None:
    match = moved(between_people(), "take1", "take2")
    match.undo()
    assert (str(match.position), match.ply, match.outcome) == ("6:1:1:0", 1, None)


def test_against_an_agent_all_back_to_the_persons_own_last_move_is_taken_back() -> None:
    match = Manager(NIM, [None, Scripted(NIM, "take2")])
    match.make_move(0, "take1")
    match.step()
    match.undo()
    assert str(match.position) == "7:0:0:0"


def test_while_an_agent_is_to_move_the_persons_last_move_is_taken_back() -> None:
    match = moved(Manager(NIM, [None, Scripted(NIM)]), "take1")
    match.undo()
    assert str(match.position) == "7:0:0:0"


def test_several_moves_of_an_agent_in_a_row_are_taken_back_together() -> None:
    match = Manager(AGAIN, [None, Scripted(AGAIN, "take1", "take1", "take2")])
    match.make_move(0, "take2")
    for _ in range(3):
        match.step()
    match.undo()
    assert match.ply == 0


def test_of_several_moves_of_a_person_in_a_row_the_last_is_taken_back() -> None:
    match = moved(Manager(AGAIN, [None, Scripted(AGAIN)]), "take1", "take2")
    match.undo()
    assert (match.ply, match.side_to_move) == (1, 0)


def test_with_no_move_of_the_person_there_is_nothing_to_take_back() -> None:
    match = Manager(NIM, [Scripted(NIM), None])
    match.step()
    with pytest.raises(MatchError, match="there is no move to take back"):
        match.undo()


def test_with_no_move_there_is_nothing_to_take_back() -> None:
    with pytest.raises(MatchError, match="there is no move to take back"):
        between_people().undo()


def test_a_takeback_reopens_a_match_that_its_moves_ended() -> None:
    match = moved(between_people(), "take3", "take3", "take1")
    match.undo()
    assert match.outcome is None
    assert match.make_move(0, "take1") == Outcome(0, Termination.RULES)


@pytest.mark.parametrize("make", [_time_out, _resigned, _agreed], ids=["time", "resignation", "agreement"])
def test_a_takeback_does_not_reopen_a_match_that_was_ended_otherwise(make: Callable[[], Manager]) -> None:
    match = make()
    with pytest.raises(MatchError, match="cannot take back: the match is over"):
        match.undo()


def test_a_takeback_turns_the_clocks_back_to_when_the_ply_began() -> None:
    match, clock = timed(match=60, increment=1)
    for clock.now in (10.0, 30.0):
        match.make_move(match.side_to_move, "take1")
    clock.now = 45.0
    match.undo()
    assert match.clocks == (51.0, 60.0)
    clock.now = 50.0
    assert match.clocks == (51.0, 55.0)


def test_a_repetition_is_not_counted_for_positions_taken_back() -> None:
    match = between_people(PASSING, rules=MatchRules(repetition=True))
    moved(match, "pass", "pass", "pass")
    match.undo()
    match.undo()
    assert moved(match, "pass", "take1").outcome is None


# --- draw offers and resignation ---------------------------------------------------


def test_an_offer_stands_until_it_is_declined() -> None:
    match = between_people()
    match.offer_draw(0)
    assert match.draw_offer == 0
    match.decline(1)
    assert match.draw_offer is None


def test_an_offer_stands_when_its_side_moves_and_falls_when_the_other_does() -> None:
    match = between_people()
    match.offer_draw(0)
    match.make_move(0, "take1")
    assert match.draw_offer == 0
    match.make_move(1, "take1")
    assert match.draw_offer is None


def test_nobody_accepts_their_own_offer() -> None:
    match = between_people()
    match.offer_draw(0)
    with pytest.raises(MatchError, match="there is no draw offer to side 0"):
        match.accept(0)


def test_without_an_offer_there_is_nothing_to_answer() -> None:
    for answer in (between_people().accept, between_people().decline):
        with pytest.raises(MatchError, match="there is no draw offer to side 1"):
            answer(1)


def test_a_second_offer_is_refused() -> None:
    match = between_people()
    match.offer_draw(0)
    with pytest.raises(MatchError, match="draw offer of side 0 has not been answered"):
        match.offer_draw(1)


def test_a_side_that_does_not_exist_cannot_resign() -> None:
    with pytest.raises(MatchError, match="a side is 0 or 1, not 2"):
        between_people().resign(2)


# --- players -------------------------------------------------------------------------


def test_two_agents_play_to_the_end() -> None:
    record = Manager(NIM, [Scripted(NIM, "take3", "take1"), Scripted(NIM, "take3")]).play()
    assert (record.moves, record.outcome) == (("take3", "take3", "take1"), Outcome(0, Termination.RULES))


def test_play_goes_on_with_a_match_that_is_under_way() -> None:
    match = moved(Manager(NIM, [Scripted(NIM), Scripted(NIM)]), "take3")
    assert match.play().moves[0] == "take3"
    assert match.outcome is not None


def test_a_seat_without_a_player_cannot_be_asked() -> None:
    with pytest.raises(MatchError, match="side 0 has no player"):
        between_people().step()


def test_an_agent_resigns_by_choosing_no_move() -> None:
    assert _played(None).outcome == Outcome(1, Termination.RESIGNATION)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (RuntimeError("lost my way"), "RuntimeError: lost my way"),
        (SystemExit(3), "SystemExit: 3"),
        (lambda: MatchError("confused"), "MatchError: confused"),
    ],
    ids=["error", "exit", "own"],
)
def test_an_agent_that_raises_has_crashed_and_the_reason_is_kept(answer: object, fault: str) -> None:
    match = _played(answer)
    assert (match.outcome, match.fault) == (Outcome(1, Termination.CRASH), fault)


def test_an_answer_that_is_no_choice_is_a_crash() -> None:
    class Rude(Scripted):
        def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> str:
            return "take1"

    match = Manager(NIM, [Rude(NIM), None])
    assert match.step() == Outcome(1, Termination.CRASH)
    assert "choose must return a Choice, not 'take1'" in match.fault


@pytest.mark.parametrize("move", ["take9", "nonsense"], ids=["illegal", "malformed"])
def test_a_move_error_that_an_agent_raises_is_an_illegal_move(move: str) -> None:
    match = _played(move)
    assert match.outcome == Outcome(1, Termination.ILLEGAL_MOVE)
    assert repr(move) in match.fault


def test_an_agent_that_raises_after_its_time_has_run_out_loses_on_time() -> None:
    clock = Clockwork()

    def hang() -> Never:
        clock.now += 2.0
        raise RuntimeError("no answer within 2 s")

    rules = MatchRules(time=TimeControl(move=1))
    match = Manager(NIM, [Scripted(NIM, hang), None], rules=rules, clock=clock)
    assert match.step() == Outcome(1, Termination.TIME)
    assert match.fault == "RuntimeError: no answer within 2 s"


@pytest.mark.parametrize(
    "move",
    [Move(0, "pass"), Move(2, "take3"), Move(10**30, "x"), 7],
    ids=["illegal", "foreign", "huge", "no move"],
)
def test_an_agent_whose_move_is_not_legal_loses_and_the_reason_is_kept(move: object) -> None:
    match = Manager(NIM, [Scripted(NIM, move), None])
    assert match.step() == Outcome(1, Termination.ILLEGAL_MOVE)
    assert re.match(
        r"illegal (move|action)|the move .* was made for another position|a move must be", match.fault
    )


def test_ctrl_c_comes_through_and_the_match_can_go_on() -> None:
    match = Manager(NIM, [Scripted(NIM, KeyboardInterrupt(), "take3"), None])
    with pytest.raises(KeyboardInterrupt):
        match.step()
    assert match.step() is None
    assert match.ply == 1


def test_what_a_persons_player_raises_comes_through() -> None:
    match = Manager(NIM, [Person(NIM, EOFError()), None])
    with pytest.raises(EOFError):
        match.step()
    assert match.outcome is None


def test_a_persons_clock_runs_on_when_they_are_asked_again() -> None:
    clock = Clockwork()
    match = Manager(NIM, [Person(NIM, EOFError(), "take1"), None], clock=clock)
    clock.now = 2.0
    with pytest.raises(EOFError):
        match.step()
    clock.now = 5.0
    match.step()
    assert match.moves[0].seconds == 5.0


def test_a_person_does_not_lose_by_an_illegal_move() -> None:
    match = Manager(NIM, [Person(NIM, Move(9, "take9")), None])
    with pytest.raises(MoveError):
        match.step()
    assert match.outcome is None


def test_the_answer_to_a_position_that_is_gone_is_dropped() -> None:
    match = Manager(NIM, [None, Scripted(NIM, lambda: match.undo() or "take1")])
    match.make_move(0, "take2")
    match.step()
    assert (match.ply, match.outcome) == (0, None)


def test_a_resignation_tells_the_thinking_player_to_stop() -> None:
    class Thinker(Scripted):
        def choose(
            self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT
        ) -> Choice:
            match.resign(0)
            self.told.append(context.stop.is_set())
            return Choice(position.legal_moves[0])

    player = Thinker(NIM)
    match = Manager(NIM, [player, None])
    match.step()
    assert player.told[-1] is True


def test_players_learn_of_start_and_end() -> None:
    player = Scripted(NIM)
    Manager(NIM, [None, player]).resign(1)
    assert player.told == [1, Outcome(0, Termination.RESIGNATION)]


def test_a_player_is_given_the_positions_before_this_one() -> None:
    class Reader(Scripted):
        def choose(
            self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT
        ) -> Choice:
            self.told.append([str(at) for at in context.history])
            return Choice(position.legal_moves[0])

    player = Reader(NIM)
    moved(match := Manager(NIM, [None, player]), "take2")
    match.step()
    assert player.told[-1] == ["7:0:0:0"]


def test_an_agent_that_raises_at_the_start_has_crashed() -> None:
    class Broken(Scripted):
        def match_started(self, side: int) -> Never:
            raise RuntimeError("no book")

    match = Manager(NIM, [Broken(NIM), None])
    assert (match.outcome, match.fault) == (Outcome(1, Termination.CRASH), "RuntimeError: no book")


def test_an_agent_that_raises_at_the_end_does_not_change_the_outcome() -> None:
    class Broken(Scripted):
        def match_ended(self, outcome: Outcome) -> Never:
            raise RuntimeError("no disk")

    match = Manager(NIM, [None, Broken(NIM)])
    with pytest.warns(RuntimeWarning, match="no disk"):
        match.resign(0)
    assert (match.outcome.winner, match.fault) == (1, "RuntimeError: no disk")


# --- listeners and hooks ---------------------------------------------------------------


def test_listeners_are_told_of_every_change() -> None:
    match, changes = heard(between_people)
    match.make_move(0, "take1")
    match.offer_draw(0)
    match.make_move(1, "take1")
    match.undo()
    match.resign(1)
    assert [(change.kind, change.side, change.plies) for change in changes] == [
        ("started", None, 0),
        ("move", 0, 0),
        ("draw-offer", 0, 0),
        ("draw-declined", 1, 0),
        ("move", 1, 0),
        ("undo", None, 1),
        ("ended", None, 0),
    ]
    assert changes[1].move == match.moves[0]
    assert changes[-1].outcome == match.outcome


def test_a_listener_that_raises_is_reported_once_and_the_match_goes_on() -> None:
    def broken(manager: Manager, change: MatchEvent) -> None:
        raise RuntimeError("no ears")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        match = moved(between_people(listeners=[broken]), "take3", "take3", "take1")
    assert match.outcome is not None
    assert ["no ears" in str(warning.message) for warning in caught] == [True]


def test_a_listener_that_raises_keeps_nothing_from_the_others() -> None:
    heard_by_second: list[str] = []

    def broken(manager: Manager, change: MatchEvent) -> None:
        raise RuntimeError("no ears")

    with pytest.warns(RuntimeWarning):
        between_people(listeners=[broken, lambda _, change: heard_by_second.append(change.kind)])
    assert heard_by_second == ["started"]


class _Hooked:
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


class _Broken:
    @hookimpl
    def bg_move_made(self, manager: Manager, played: PlayedMove) -> Never:
        raise RuntimeError("no hands")


def _registered(monkeypatch: pytest.MonkeyPatch, *plugged: object) -> None:
    registry = Registry(found=[])
    for index, plugin in enumerate(plugged):
        registry._manager.register(plugin, name=f"plugged-{index}")
    monkeypatch.setattr(plugins, "registry", lambda: registry)


def test_plugins_are_told_through_their_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = _Hooked()
    _registered(monkeypatch, plugin)
    match = moved(between_people(), "take3", "take3", "take1")
    assert plugin.calls == [
        ("started", match),
        ("move", "take3"),
        ("move", "take3"),
        ("move", "take1"),
        ("ended", match, 0),
    ]


def test_a_plugin_that_raises_keeps_nothing_from_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    first, last = _Hooked(), _Hooked()
    _registered(monkeypatch, first, _Broken(), last)
    with pytest.warns(RuntimeWarning, match="plug-in 'plugged-1', hook bg_move_made, raised"):
        moved(between_people(), "take3", "take3", "take1")
    assert len(first.calls) == len(last.calls) == 5


# --- records ----------------------------------------------------------------------------


@pytest.fixture
def nim_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    nim.as_plugin()
    registry = Registry(found=[EntryPoint("nim", "nim_plugin", "boardgames")])
    monkeypatch.setattr(plugins, "registry", lambda: registry)


def test_a_record_holds_the_match_so_far() -> None:
    match = between_people(PASSING, names=("Ann", "Bob"), tags={"Date": "2026.01.31"})
    match.make_move(0, "take3", seconds=0.12345)
    assert match.record() == Record(
        "nim",
        "seven",
        start="7:0:0:0",
        names=("Ann", "Bob"),
        moves=("take3",),
        seconds=(0.123,),
        options={"passing": "true", "again": "false", "stuck": "false"},
        tags={"Date": "2026.01.31"},
    )


def test_players_are_named_as_they_describe_themselves() -> None:
    assert Manager(NIM, [Scripted(NIM), None]).names == ("scripted", "?")


def test_equal_matches_give_equal_records() -> None:
    def play() -> str:
        return str(Manager(NIM, [Scripted(NIM), Scripted(NIM)], clock=Clockwork()).play())

    assert play() == play()


@pytest.mark.usefixtures("nim_is_installed")
def test_an_unfinished_record_is_resumed_where_it_stopped() -> None:
    match, clock = timed(match=60, increment=1)
    for clock.now in (10.0, 30.0):
        match.make_move(match.side_to_move, "take1")
    record = replace(match.record(), names=("Ann", "Bob"))
    resumed = Manager.resume(record, NIM, [None, None], clock=Clockwork())
    assert resumed.record() == record
    assert resumed.clocks == match.clocks == (51.0, 41.0)
    assert resumed.positions == match.positions


@pytest.mark.usefixtures("nim_is_installed")
def test_a_resumed_match_can_be_taken_back_and_played_on() -> None:
    record = moved(between_people(), "take3", "take3").record()
    match = Manager.resume(record, NIM, [None, None])
    match.undo()
    assert moved(match, "take1", "take3").outcome == Outcome(0, Termination.RULES)


@pytest.mark.usefixtures("nim_is_installed")
def test_settings_given_to_resume_come_before_the_records() -> None:
    record = moved(between_people(names=("Ann", "Bob")), "take3").record()
    match = Manager.resume(record, NIM, [None, None], names=("Eve", "Bob"), rules=MatchRules(ply_limit=2))
    assert match.names == ("Eve", "Bob")
    assert moved(match, "take1").outcome == Outcome(None, Termination.PLY_LIMIT)


def test_a_finished_record_is_not_resumed() -> None:
    with pytest.raises(MatchError, match=r"cannot resume: the match is over \(first won by resignation\)"):
        Manager.resume(_resigned().record(), NIM, [None, None])


def test_a_time_control_stands_in_the_record() -> None:
    assert timed(match=60, increment=1)[0].record().tags == {"TimeControl": "60+1"}


@pytest.mark.parametrize("value", ["1", 1.5, float("nan"), True, [], 0])
@pytest.mark.parametrize("name", ["ply_limit", "no_progress_limit"])
def test_a_limit_of_plies_that_is_no_whole_number_is_a_limit_error(name: str, value: Any) -> None:
    with pytest.raises(LimitError, match="at least 1 ply"):
        MatchRules(**{name: value})


@pytest.mark.parametrize("seconds", ["x", 10**400, True], ids=["text", "huge", "truth"])
def test_seconds_of_a_move_that_are_no_number_are_a_limit_error(seconds: Any) -> None:
    match = Manager(boardgames.load("connect4"), [None, None])
    with pytest.raises(LimitError, match="must be at least 0, not"):
        match.make_move(0, "4", seconds=seconds)


class Stranger(Player):
    """An agent that answers with what it is given, and raises it if it is an error."""

    name = "stranger"

    def __init__(self, game: Game, answer: object) -> None:
        super().__init__(game)
        self.answer = answer

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return Choice(self.answer)  # type: ignore[arg-type]  # a stranger's move may be anything


@pytest.mark.parametrize(
    "move",
    [Move(10**5000, "4"), Move(np.array([1, 2]), "4"), Move(3, 4), Move(3, None), Move(3.0, "4"), 10**5000],  # type: ignore[arg-type]  # that is the point
    ids=["huge", "array", "number as text", "no text", "float", "number"],
)
def test_an_agent_whose_move_is_no_move_at_all_loses(move: object) -> None:
    game = boardgames.load("connect4")
    match = Manager(game, [Stranger(game, move), None])
    assert match.step() == Outcome(1, Termination.ILLEGAL_MOVE)


class UnwritableError(Exception):
    """An error whose text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError


def test_an_agent_that_raises_an_error_without_text_loses() -> None:
    game = boardgames.load("connect4")
    match = Manager(game, [Stranger(game, UnwritableError()), None])
    assert match.step() == Outcome(1, Termination.CRASH)
    assert match.fault == "UnwritableError"


def test_an_agent_that_exits_at_the_end_takes_nothing_down() -> None:
    class Leaver(Stranger):
        def match_ended(self, outcome: Outcome) -> None:
            raise SystemExit(3)

    game = boardgames.load("connect4")
    match = Manager(game, [Leaver(game, None), None])
    with pytest.warns(RuntimeWarning, match="SystemExit: 3"):
        assert match.step() == Outcome(1, Termination.RESIGNATION)


def test_a_listener_that_exits_takes_nothing_down() -> None:
    def leave(match: Manager, change: MatchEvent) -> None:
        raise SystemExit(3)

    with pytest.warns(RuntimeWarning, match="SystemExit: 3"):
        match = Manager(boardgames.load("connect4"), [None, None], listeners=[leave])
    assert match.outcome is None


@pytest.mark.parametrize("described", [ValueError("x"), SystemExit(3), 5], ids=["raises", "exits", "no text"])
def test_an_agent_that_cannot_describe_itself_is_called_unknown(described: object) -> None:
    class Nameless(Stranger):
        def describe(self) -> str:
            if isinstance(described, BaseException):
                raise described
            return described  # type: ignore[return-value]  # that is the point

    game = boardgames.load("connect4")
    assert Manager(game, [Nameless(game, None), None]).names == ("?", "?")


@pytest.mark.parametrize("names", [("Ann",), ("Ann", "Bob", "Cid"), (1, 2)])
def test_names_that_no_record_can_keep_are_refused_at_the_start(names: Any) -> None:
    with pytest.raises(MatchError, match="a match has two names"):
        Manager(boardgames.load("connect4"), [None, None], names=names)


class Agreeable(Scripted):
    """Answers a draw offer as it is told to."""

    answer: object = True

    def accepts_draw(self, position: Position, side: int) -> bool:
        if isinstance(self.answer, Exception):
            raise self.answer
        return bool(self.answer)


def test_an_agent_answers_a_draw_offer_at_once() -> None:
    match = Manager(NIM, [None, Agreeable(NIM)])
    match.offer_draw(0)
    assert match.outcome == Outcome(None, Termination.AGREEMENT)


def test_an_agent_declines_a_draw_unless_it_says_otherwise() -> None:
    told: list[str] = []
    match = Manager(NIM, [None, Scripted(NIM)], listeners=[lambda manager, change: told.append(change.kind)])
    match.offer_draw(0)
    assert (match.outcome, match.draw_offer) == (None, None)
    assert told == ["started", "draw-offer", "draw-declined"]


def test_an_agent_that_raises_at_a_draw_offer_declines_it() -> None:
    agent = Agreeable(NIM)
    agent.answer = ValueError("no")
    match = Manager(NIM, [None, agent])
    with pytest.warns(RuntimeWarning, match="raised ValueError"):
        match.offer_draw(0)
    assert (match.outcome, match.draw_offer) == (None, None)
