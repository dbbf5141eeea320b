"""The manager of a match: turns, clocks, limits, takebacks, draw offers, listeners and the record.

A manager is a state machine that is driven by method calls; `play` is a short
loop around them. It keeps what belongs to a match but not to a position: clocks,
move times, repetitions and draw offers. A person's clock starts with their turn
or, with `starts_clocks=False`, when `start_clock` is called, so that a front end
can first show the board. An agent's clock runs only while it thinks.

A manager is normally used in one thread. Another thread may call it while an
agent thinks; the agent's move is dropped if the match has changed or was paused
in the meantime. If several threads use a manager, each must hold a lock during
its calls, and `while_thinking` must release it.
"""

import contextvars
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Literal

from boardgames.clock import (
    MatchClock,
    format_time_controls,
)
from boardgames.compiling import BACKGROUND_THREAD, compilation_in_background
from boardgames.draw.svg import svg
from boardgames.draw.tables import fact_table
from boardgames.errors import (
    IllegalMoveError,
    LimitError,
    MatchError,
    MoveError,
    PluginError,
    PositionError,
    RulesError,
    describe_error,
    quote,
)
from boardgames.faults import must_propagate
from boardgames.game import Game, Move, Outcome, PlayedMove, Position, Termination, check_is_position
from boardgames.hookspecs import Match
from boardgames.match_state import MatchRules, MatchState, Players, is_person
from boardgames.options import is_finite
from boardgames.picture import Picture
from boardgames.player import NO_LIMIT, Choice, Clock, Context, Limit, Player, Stop
from boardgames.plugins import notify, warn_once
from boardgames.record import Record, moves_html, options_as_texts
from boardgames.score import Score

MIN_DRAW_PLIES = 20
"""An agent does not accept a draw before this many plies have been played."""
UNKNOWN_NAME = "?"

_ENDED_BY_MOVES = (
    Termination.RULES,
    Termination.NO_MOVES,
    Termination.PLY_LIMIT,
    Termination.NO_PROGRESS,
    Termination.REPETITION,
    Termination.ADJUDICATION,
)
_ENDED_BY_WORD = (Termination.RESIGNATION, Termination.AGREEMENT)


@dataclass(frozen=True, slots=True)
class MatchEvent:
    """Something that happened in a match.

    Attributes
    ----------
    kind : str
        What happened. An `undo` may follow `ended`, because it can reopen the match.
    side : int or None
        The side that moved, offered a draw or declined one. Making a move also
        declines a draw.
    move : PlayedMove or None
        The move, if this is a `move`.
    outcome : Outcome or None
        The outcome, if this is `ended`.
    plies : int
        The number of plies taken back, if this is an `undo`.
    """

    kind: Literal["started", "move", "undo", "draw-offer", "draw-declined", "ended"]
    side: int | None = None
    move: PlayedMove | None = None
    outcome: Outcome | None = None
    plies: int = 0


Listener = Callable[["Manager", MatchEvent], None]


class Manager:
    """One match between two sides.

    Parameters
    ----------
    game : Game
        The game.
    players : two of Player or None
        None for a side whose moves are made by `make_move`, for example from a browser.
    names : (str, str), optional
        Names for the record; by default the descriptions of the players.
    start : Position, optional
        First position; by default the start of the game.
    rules : MatchRules, optional
        Limits, clocks and rules of the match; by default `MatchRules.between(players, game)`.
    limit : Limit or pair of Limit
        Limit of an agent's search for a move, in addition to the clocks: one for both sides, or
        one for each.
    clock : callable
        Returns the seconds of a monotonic clock.
    listeners : sequence of callable
        Called with the manager and a `MatchEvent` after every change. If a listener
        raises, a warning is issued and the match is not affected.
    tags : mapping of str to str
        Additional tags for the record, such as Date and Event.
    played : iterable of (str, float or None)
        Texts of moves that have already been made, with the seconds that they took.
    outcome : Outcome, optional
        How the match ended, if it is already over; listeners are not notified again.
    while_thinking : callable
        Returns a context manager that is entered while `step` waits for a player's move.
    starts_clocks : bool, default True
        If False, a person's clock waits at every turn until `start_clock` is called.
    background : bool, default False
        If True, each agent prepares for the match (`Player.match_started`) in a thread of its
        own, because this may take long if it compiles code. `step` waits until the agent to move
        is ready, and only then starts its clock. If an agent is not ready when the match ends,
        its `match_ended` is not called.
    before_ready : callable, optional
        Called at the start of each of these threads, for example to wait until an agent has been compiled.

    Attributes
    ----------
    outcome : Outcome or None
        How the match ended; None while it is not over.
    draw_offer : int or None
        The side that has offered a draw and waits for an answer.
    fault : str or None
        What an agent did wrong, such as an illegal move, an exception or a late move.
    is_paused : bool
        Whether the match is paused: no clock runs and no move can be made.

    Raises
    ------
    MatchError, PositionError, MoveError
        If there are not two players, a player or the start belongs to another
        game, or one of the moves in `played` is not legal.

    Examples
    --------
    >>> import boardgames
    >>> match = Manager(boardgames.load("connect4"), [None, None])
    >>> match.make_move(0, "4")
    >>> match.resign(1)
    Outcome(winner=0, termination=<Termination.RESIGNATION: 'resignation'>)
    """

    def __init__(
        self,
        game: Game,
        players: Players,
        *,
        names: tuple[str, str] | None = None,
        start: Position | None = None,
        rules: MatchRules | None = None,
        limit: Limit | tuple[Limit, Limit] = NO_LIMIT,
        clock: Callable[[], float] = time.monotonic,
        listeners: Sequence[Listener] = (),
        tags: Mapping[str, str] | None = None,
        played: Iterable[tuple[str, float | None]] = (),
        outcome: Outcome | None = None,
        while_thinking: Callable[[], AbstractContextManager[object]] = nullcontext,
        starts_clocks: bool = True,
        background: bool = False,
        before_ready: Callable[[], object] | None = None,
    ) -> None:
        _check_players(game, players, names)
        start = game.start() if start is None else start
        check_is_position(start)
        if start.game != game:
            raise PositionError(f"the start is not a position of {game!r}: {start!r}")
        self.game = game
        self.start = start
        self.players = tuple(players)
        self.names = names or tuple(name_of(player) for player in players)
        self.rules = MatchRules.between(players, game) if rules is None else rules
        self.outcome: Outcome | None = None
        self.draw_offer: int | None = None
        self.fault: str | None = None
        self.is_paused = False
        self._pauses = 0
        self._limits = (limit, limit) if isinstance(limit, Limit) else limit
        self._tags = dict(tags or {})
        self._listeners = tuple(listeners)
        self._while_thinking = while_thinking
        self._starts_clocks = starts_clocks
        self._in_background, self._before_ready = background, before_ready
        self._starts: dict[int, Future[object]] = {}  # by side, for agents that prepare in the background
        self._reported: set[str] = set()
        self._stop: Stop | None = None
        self._clock = MatchClock(self.rules.times, clock)
        self._moves: list[PlayedMove] = []
        self._state = MatchState(start, self.rules)
        for move, seconds in played:
            self._push(game.parse_move(self.position, move), seconds or 0.0)
        if outcome is None:
            self._begin()
        else:
            self.outcome = outcome
            if outcome.termination is Termination.TIME and outcome.winner == 1 - self.side_to_move:
                self._clock.expire(self.side_to_move)

    # --- the match so far ------------------------------------------------

    @property
    def position(self) -> Position:
        """Return the current position."""
        return self._state.position

    @property
    def positions(self) -> tuple[Position, ...]:
        """Return all positions, beginning with the start."""
        return self._state.positions

    @property
    def moves(self) -> tuple[PlayedMove, ...]:
        """Return the moves that were made and not taken back."""
        return tuple(self._moves)

    @property
    def side_to_move(self) -> int:
        """Return the side to move; meaningless once the match is over."""
        return self.position.side_to_move

    @property
    def ply(self) -> int:
        """Return the number of moves made."""
        return len(self._moves)

    @property
    def moves_made(self) -> tuple[int, int]:
        """Return the number of moves that each side has made."""
        return self._state.moves_made

    @property
    def move_limit(self) -> tuple[int, int] | None:
        """Return the number of the next move and the limit of moves, or None without a limit.

        If each side has a limit, these count the moves of the side to move, otherwise the moves of both.
        """
        rules, side = self.rules, self.side_to_move
        if rules.move_limits is not None:
            made, limit = self.moves_made[side], rules.move_limits[side]
        elif rules.ply_limit is not None:
            made, limit = self.ply, rules.ply_limit
        else:
            return None
        return min(made + 1, limit), limit

    @property
    def plies_left(self) -> int | None:
        """Return the number of plies after which a limit ends the match; see `MatchRules.plies_left`.

        Examples
        --------
        >>> import boardgames
        >>> match = Manager(boardgames.load("connect4"), [None, None], rules=MatchRules(ply_limit=9))
        >>> match.make_move(0, "4")
        >>> match.plies_left
        8
        """
        return self._state.plies_left

    @property
    def clocks(self) -> tuple[float, float] | None:
        """Return the seconds left to each side, or None if there is no match clock."""
        return self._clock.remaining(self.side_to_move)

    @property
    def move_clock(self) -> float | None:
        """Return the seconds left for the current move, or None if the side has no limit per move."""
        return self._clock.remaining_for_move(self.side_to_move)

    @property
    def is_clock_running(self) -> bool:
        """Return True while the clock of the side to move is running."""
        return self._clock.is_running

    @property
    def time_used(self) -> tuple[float, float]:
        """Return the seconds that each side has spent on its moves."""
        used = [0.0, 0.0]
        for played in self._moves:
            used[played.side] += played.seconds
        return used[0], used[1]

    @property
    def seconds_on_move(self) -> float:
        """Return the seconds that the side to move has spent on its move so far."""
        return self._clock.elapsed

    def is_ready(self, side: int) -> bool:
        """Return False while the agent of a side is still preparing for the match in the background."""
        start = self._starts.get(side)
        return start is None or start.done()

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """Return the moves that can be made now: the legal moves that repetition does not forbid.

        Examples
        --------
        >>> import boardgames
        >>> match = Manager(boardgames.load("connect4"), [None, None])
        >>> [move.text for move in match.legal_moves]
        ['1', '2', '3', '4', '5', '6', '7']
        """
        return tuple(move for move in self.position.legal_moves if not self.is_forbidden(move))

    def is_forbidden(self, move: Move) -> bool:
        """Return True if the rule about repetition forbids a legal move."""
        return self._state.is_forbidden(move.action)

    def check_allowed(self, move: Move) -> None:
        """Raise IllegalMoveError if the rule about repetition forbids a legal move."""
        if self.is_forbidden(move):
            raise IllegalMoveError(f"illegal move {quote(move.text)}: it repeats an earlier position")

    def picture(self) -> Picture:
        """Return the picture of the current position, in which only allowed moves can be clicked."""
        picture = self.position.picture()
        if self.rules.repetition_rule.meaning != "forbidden":
            return picture
        legal = {move.text for move in self.legal_moves}
        clicks = {text: one for text, one in picture.clicks.items() if text in legal}
        left = {name for sequences in clicks.values() for sequence in sequences for name in sequence}
        return replace(
            picture, clicks=clicks, buttons=tuple(button for button in picture.buttons if button.id in left)
        )

    @property
    def context(self) -> Context:
        """Return what players are told about the match besides the position; see `MatchRules.context`."""
        return self._state.context

    @property
    def plies_since_score(self) -> int:
        """Return the number of plies since the score changed or the match began."""
        return self._state.plies_since_score

    def limit_for(self, side: int) -> Limit:
        """Return the time and the other limits that `side` has for a move now."""
        clocks, times = self.clocks, self.rules.times
        clock = None if clocks is None else Clock(clocks, (times[0].increment, times[1].increment))
        return Limit(seconds=times[side].agent_seconds, clock=clock).tightened(self._limits[side])

    def record(self) -> Record:
        """Return the match so far, with seconds rounded to milliseconds."""
        tags = {name: value for name, value in self._tags.items() if name != "TimeControl"}
        if not all(control.is_unlimited for control in self.rules.times):
            tags["TimeControl"] = format_time_controls(self.rules.times)
        return Record(
            self.game.facts.name,
            self.game.layout,
            start=str(self.start),
            names=(self.names[0], self.names[1]),
            moves=tuple(played.move.text for played in self._moves),
            seconds=tuple(round(played.seconds, 3) for played in self._moves),
            outcome=self.outcome,
            options=options_as_texts(self.game.options),
            tags=tags,
            loaded_game=self.game,
        )

    def __repr__(self) -> str:
        facts, outcome = self.game.facts, self.outcome
        state = (
            f"{facts.sides[self.side_to_move]} to move" if outcome is None else outcome.describe(facts.sides)
        )
        return f"<Manager: {facts.name}, {' - '.join(self.names)}, ply {self.ply}, {state}>"

    def _repr_html_(self) -> str:
        facts = self.game.facts
        state: list[tuple[str, object]] = list(zip(facts.sides, self.names, strict=True))
        if self.outcome is None:
            state.append(("To move", facts.sides[self.side_to_move]))
        else:
            state.append(("Result", self.outcome.describe(facts.sides)))
        if facts.score_name:
            state.append((facts.score_name, " - ".join(map(str, self.position.score))))
        if self.clocks is not None:
            state.append(("Clocks", " - ".join(f"{seconds:.1f} s" for seconds in self.clocks)))
        if self.draw_offer is not None:
            state.append(("Draw offered by", facts.sides[self.draw_offer]))
        picture = self.position.picture()
        if self.ply:
            picture = picture.since(self.positions[-2].picture())
        return f"{fact_table(facts.title, state)}{moves_html(self.record())}{svg(picture)}"

    # --- actions of the sides --------------------------------------------

    def make_move(
        self,
        side: int,
        move: Move | str | int,
        seconds: float | None = None,
        *,
        score: Score | None = None,
        from_book: bool = False,
    ) -> Outcome | None:
        """Make a move for `side`, and return the outcome if the match is then over.

        Parameters
        ----------
        side : int
            The side that moves, 0 or 1.
        move : Move, str or int
            A legal move, its text, or its action.
        seconds : float, optional
            Time spent on the move; by default measured by the clock. If it is more than
            the side has left, the side loses and the move is not made.
        score : Score, optional
            What the player expects from the move; kept in the list of moves.
        from_book : bool
            Whether the move comes from an opening book; kept in the list of moves.

        Raises
        ------
        MatchError
            If the match is over or it is the other side's turn.
        MoveError
            If the move is not legal; the match does not change.
        """
        self._check_not_over()
        self._check_not_paused()
        if side != self.side_to_move:
            raise MatchError(f"side {side!r} cannot move: it is the turn of side {self.side_to_move}")
        if seconds is not None and not (is_finite(seconds) and seconds >= 0):
            raise LimitError(f"the seconds for a move must be at least 0, not {quote(seconds)}")
        spent = self._clock.elapsed if seconds is None else seconds
        if self._clock.is_exceeded(side, spent):
            return self._lose(side, Termination.TIME)
        played = self._push(self._legal(move), spent, score, from_book)
        if self.draw_offer == 1 - side:
            self.decline(side)
        self._emit(MatchEvent("move", side=side, move=played))
        return self._settle()

    def undo(self) -> None:
        """Take back one ply, or, against an agent, all plies from the person's last move on.

        If a move ended the match, it continues, and the clocks are set back. After a
        resignation or an agreed draw, only that is taken back if a person is to move;
        otherwise the person's last move is taken back too.

        Raises
        ------
        MatchError
            If there is nothing to take back, or the match ended in another way, such as on time.
        """
        if self.outcome is not None and self.outcome.termination not in _ENDED_BY_MOVES + _ENDED_BY_WORD:
            raise MatchError(f"cannot take back: {_describe_end(self.outcome, self.game)}")
        ended_by_word = self.outcome is not None and self.outcome.termination in _ENDED_BY_WORD
        if ended_by_word and is_person(self.players[self.side_to_move]):
            self.outcome = None
            self._begin_turn()
            self._emit(MatchEvent("undo"))
            return
        people = [side for side, player in enumerate(self.players) if is_person(player)]
        sides = people if len(people) == 1 else [0, 1]
        plies = [played.ply for played in self._moves if played.side in sides]
        if not plies:
            raise MatchError("there is no move to take back")
        count = self.ply - plies[-1] + 1
        self._pop(count)
        self.outcome = self.draw_offer = None
        self._interrupt()
        self._begin_turn()
        self._emit(MatchEvent("undo", plies=count))

    def offer_draw(self, side: int) -> None:
        """Offer a draw. An agent answers immediately; a person may answer until they have moved.

        An agent declines in the first `MIN_DRAW_PLIES` plies of a match; after that
        `Player.accepts_draw` decides.

        Raises
        ------
        MatchError
            If the match is over, or a draw offer has not been answered yet.
        """
        self._check_not_over()
        if self.draw_offer is not None:
            raise MatchError(f"the draw offer of side {self.draw_offer} has not been answered yet")
        self.draw_offer = _check_side(side)
        self._emit(MatchEvent("draw-offer", side=side))
        opponent = self.players[1 - side]
        if opponent is None or opponent.is_human:
            return
        if self.ply >= MIN_DRAW_PLIES:
            self.wait_until_ready(1 - side)
        if self.draw_offer != side:  # the agent has failed, or another thread has acted meanwhile
            return
        try:
            accepts = self.ply >= MIN_DRAW_PLIES and opponent.accepts_draw(self.position, 1 - side)
        except BaseException as error:
            if must_propagate(error):
                raise
            warn_once(f"player {self.names[1 - side]!r}", error, self._reported)
            accepts = False
        if accepts:
            self.accept(1 - side)
        else:
            self.decline(1 - side)

    def accept(self, side: int) -> Outcome:
        """Accept the other side's draw offer, which ends the match.

        Raises
        ------
        MatchError
            If the match is over or the other side has not offered a draw.
        """
        self._check_offer(side)
        return self._end(Outcome(None, Termination.AGREEMENT))

    def decline(self, side: int) -> None:
        """Decline the other side's draw offer.

        Raises
        ------
        MatchError
            If the match is over or the other side has not offered a draw.
        """
        self._check_offer(side)
        self.draw_offer = None
        self._emit(MatchEvent("draw-declined", side=side))

    def resign(self, side: int) -> Outcome:
        """Resign for `side`, whether or not it is its turn.

        Raises
        ------
        MatchError
            If the match is over.
        """
        self._check_not_over()
        return self._lose(_check_side(side), Termination.RESIGNATION)

    def forfeit(self, side: int, fault: str) -> Outcome:
        """End the match as lost for `side`, whose player hangs or has failed; `fault` describes how.

        Raises
        ------
        MatchError
            If the match is over.
        """
        self._check_not_over()
        self.fault = fault
        return self._lose(_check_side(side), Termination.CRASH)

    def start_clock(self) -> None:
        """Start the clock of the side to move if that is a person and the clock is not running yet.

        If the manager was made with `starts_clocks=False`, a front end calls this when the person sees
        the board. A move that is made earlier takes no time.

        Examples
        --------
        >>> import boardgames
        >>> match = Manager(boardgames.load("connect4"), [None, None], starts_clocks=False)
        >>> match.is_clock_running
        False
        >>> match.start_clock()
        >>> match.is_clock_running
        True
        """
        is_on = self.outcome is None and not self.is_paused
        if is_on and is_person(self.players[self.side_to_move]):
            self._clock.start()

    def pause(self) -> None:
        """Pause the match: the clock stops, and nobody can move until `resume` is called.

        An agent that is thinking has to start over then.

        Raises
        ------
        MatchError
            If the match is over.

        Examples
        --------
        >>> import boardgames
        >>> match = Manager(boardgames.load("connect4"), [None, None])
        >>> match.pause()
        >>> match.is_paused, match.is_clock_running
        (True, False)
        >>> match.resume()
        >>> match.is_paused, match.is_clock_running
        (False, True)
        """
        self._check_not_over()
        self.is_paused = True
        self._pauses += 1
        self._clock.pause()
        self._interrupt()

    def resume(self) -> None:
        """Continue a paused match; nothing happens if it is not paused."""
        self.is_paused = False
        self._begin_turn()

    def tick(self) -> Outcome | None:
        """End the match if the side to move has run out of time; return the outcome if the match is over."""
        if self.outcome is None and self._clock.is_exceeded(self.side_to_move, self._clock.elapsed):
            self._lose(self.side_to_move, Termination.TIME)
        return self.outcome

    # --- asking the players ----------------------------------------------

    def step(
        self, *, stop: Stop | None = None, report: Callable[[Choice], None] | None = None
    ) -> Outcome | None:
        """Ask the player to move and make the move; return the outcome if the match is over.

        An agent loses if it raises an exception, is late or chooses an illegal move;
        `fault` then says why. Exceptions of a person's player are passed on to the
        caller.

        Parameters
        ----------
        stop : Stop, optional
            Another thread can set it to get the move immediately.
        report : callable, optional
            Called with the best choice so far while the player thinks.

        Raises
        ------
        MatchError
            If the match is over or paused, or the side to move has no player.
        """
        self._check_not_over()
        self._check_not_paused()
        side, position, pauses = self.side_to_move, self.position, self._pauses
        player = self.players[side]
        if player is None:
            raise MatchError(f"side {side} has no player: make its moves with make_move")
        self.wait_until_ready(side)
        if not self._is_waiting_at(position, pauses):
            return self.outcome
        self._stop = stop = stop or Stop()
        context = replace(self.context, stop=stop, report=report)
        limit = self.limit_for(side)
        self._clock.start()
        try:
            with self._while_thinking():
                choice = player.choose(position, limit, context)
        except BaseException as error:
            if _is_not_of_player(player, error):
                raise
            return self._fail(side, error) if self._is_waiting_at(position, pauses) else self.outcome
        finally:
            self._stop = None if self._stop is stop else self._stop
            if self._is_waiting_at(position, pauses) and not player.is_human:
                self._clock.pause()
        return self._make_choice(side, choice) if self._is_waiting_at(position, pauses) else self.outcome

    def play(self) -> Record:
        """Ask the players for moves until the match is over; return its record."""
        while self.outcome is None:
            self.step()
        return self.record()

    def wait_until_ready(self, side: int) -> None:
        """Wait until the agent of a side is ready for the match; if its preparation fails, it loses."""
        start = self._starts.get(side)
        if start is None:
            return
        with self._while_thinking():
            error = start.exception()
        player = self.players[side]
        if self._starts.pop(side, None) is None or error is None or self.outcome is not None:
            return  # another thread has dealt with it, or nothing has failed
        if player is None or _is_not_of_player(player, error):
            raise error
        self._fail(side, error)

    def _get_ready(self, player: Player, side: int) -> None:
        if self._before_ready is not None:
            self._before_ready()
        player.match_started(side)

    def _begin(self) -> None:
        self._emit(MatchEvent("started"))
        for side, player in enumerate(self.players):
            if player is None or self.outcome is not None:
                continue
            if self._in_background and not player.is_human:
                self._starts[side] = _call_in_background(partial(self._get_ready, player, side))
                continue
            try:
                player.match_started(side)
            except BaseException as error:
                if _is_not_of_player(player, error):
                    raise
                self._fail(side, error)
        self._settle()

    def _make_choice(self, side: int, choice: object) -> Outcome | None:
        if not isinstance(choice, Choice):
            return self._fail(side, TypeError(f"choose must return a Choice, not {quote(choice)}"))
        score: object = choice.score
        if score is not None and not isinstance(score, Score):
            return self._fail(side, TypeError(f"the score of a Choice must be a Score, not {quote(score)}"))
        if choice.move is None:
            return self.resign(side)
        try:
            move = self._legal(choice.move)
        except MoveError as error:
            if is_person(self.players[side]):
                raise
            return self._fail(side, error)
        if self._clock.is_exceeded(side, self._clock.elapsed):
            self.fault = f"the move {move} came after {self._clock.elapsed:.3f} s"
        return self.make_move(side, move, score=score, from_book=choice.from_book)

    def _fail(self, side: int, error: BaseException) -> Outcome:
        """End the match because of an error by an agent."""
        is_move_error = isinstance(error, MoveError)
        self.fault = _fault_text(error)
        if self._clock.is_exceeded(side, self._clock.elapsed):
            return self._lose(side, Termination.TIME)
        return self._lose(side, Termination.ILLEGAL_MOVE if is_move_error else Termination.CRASH)

    def _is_waiting_at(self, position: Position, pauses: int) -> bool:
        """Return False if the match has ended, changed or been paused while the player was thinking."""
        return self.outcome is None and self.position is position and self._pauses == pauses

    def _interrupt(self) -> None:
        if self._stop is not None:  # a player is thinking in another thread
            self._stop.set()

    # --- moves and how the match ends ------------------------------------

    def _legal(self, move: object) -> Move:
        if isinstance(move, str):
            legal = self.game.parse_move(self.position, move)
        elif isinstance(move, Integral):
            legal = self.game.decode(self.position, int(move))
        elif not isinstance(move, Move):
            raise IllegalMoveError(f"a move must be a Move, its text or its action, not {quote(move)}")
        else:
            legal = self.game.decode(self.position, move.action)
            if legal.text != move.text:
                raise IllegalMoveError(f"the move {quote(move.text)} was made for another position")
        self.check_allowed(legal)
        return legal

    def _push(
        self, move: Move, seconds: float, score: Score | None = None, from_book: bool = False
    ) -> PlayedMove:
        played = PlayedMove(self.side_to_move, move, seconds, self.ply + 1, score, from_book)
        self._state.replay(move.action)
        self._moves.append(played)
        self._clock.end_ply(played.side, seconds)
        return played

    def _pop(self, count: int) -> None:
        self._state.pop(count)
        del self._moves[-count:]
        self._clock.rewind(self.ply)

    def _settle(self) -> Outcome | None:
        """End the match if the position or a limit requires it, otherwise begin the next turn."""
        if self.outcome is None and (outcome := self._outcome_by_moves()) is not None:
            self._end(outcome)
        self._begin_turn()
        return self.outcome

    def _outcome_by_moves(self) -> Outcome | None:
        state, adjudication = self._state, self.rules.adjudication
        if state.outcome is None or state.is_at_limit:
            return adjudication.outcome(self._moves) or state.outcome
        return state.outcome

    def _begin_turn(self) -> None:
        if self._starts_clocks:
            self.start_clock()

    def _lose(self, side: int, termination: Termination) -> Outcome:
        return self._end(Outcome(1 - side, termination))

    def _end(self, outcome: Outcome) -> Outcome:
        self.outcome, self.draw_offer, self.is_paused = outcome, None, False
        self._clock.pause()
        self._interrupt()
        for side, (player, name) in enumerate(zip(self.players, self.names, strict=True)):
            try:
                if player is not None and self.is_ready(side):
                    player.match_ended(outcome)
            except BaseException as error:  # the outcome is final
                if must_propagate(error):
                    raise
                self.fault = self.fault or _fault_text(error)
                warn_once(f"player {name!r}", error, self._reported)
        self._emit(MatchEvent("ended", outcome=outcome))
        return outcome

    def _check_not_over(self) -> None:
        if self.outcome is not None:
            raise MatchError(_describe_end(self.outcome, self.game))

    def _check_not_paused(self) -> None:
        if self.is_paused:
            raise MatchError("the match is paused")

    def _check_offer(self, side: int) -> None:
        self._check_not_over()
        if self.draw_offer is None or self.draw_offer != 1 - _check_side(side):
            raise MatchError(f"side {side} has not been offered a draw")

    # --- listeners -------------------------------------------------------

    def _emit(self, event: MatchEvent) -> None:
        """Call the listeners, then the hooks of plug-ins."""
        for listener in self._listeners:
            try:
                listener(self, event)
            except BaseException as error:
                if must_propagate(error):
                    raise
                warn_once(f"listener {listener!r}", error, self._reported)
        match: Match = self
        if event.kind == "started":
            notify("bg_match_started", manager=match)
        elif event.kind == "move":
            notify("bg_move_made", manager=match, played=event.move)
        elif event.kind == "ended":
            notify("bg_match_ended", manager=match, outcome=event.outcome)


def _call_in_background(call: Callable[[], object]) -> "Future[object]":
    """Call a function in a daemon thread, in the context of the caller."""
    future: Future[object] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            with compilation_in_background():
                future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised where the result is needed
            future.set_exception(error)

    threading.Thread(target=context.run, args=(run,), name=BACKGROUND_THREAD, daemon=True).start()
    return future


def name_of(player: Player | None) -> str:
    """Return the description of a player, or `?` if there is none."""
    try:
        name = None if player is None else player.describe()
    except BaseException as error:
        if must_propagate(error):
            raise
        name = None
    return name if isinstance(name, str) else UNKNOWN_NAME


def _fault_text(error: BaseException) -> str:
    """Return the text of an agent's error, as kept in `fault`."""
    return str(error) if isinstance(error, MoveError | PluginError) else describe_error(error)


def _is_not_of_player(player: Player, error: BaseException) -> bool:
    """Return True for an exception that is not the player's fault, or whose player is a person."""
    return player.is_human or must_propagate(error) or isinstance(error, RulesError)


def _check_players(game: Game, players: Players, names: Sequence[str] | None) -> None:
    if not isinstance(game, Game):
        raise MatchError(f"a game must be a Game, not {quote(game)}; use load to get one")
    if names is not None and (len(names) != 2 or not all(isinstance(name, str) for name in names)):
        raise MatchError(f"a match has two names, not {quote(names)}")
    if len(players) != 2:
        raise MatchError(f"a match has two players, not {len(players)}")
    for player in players:
        if not isinstance(player, Player | None):
            raise MatchError(
                f"a player must be a Player or None, not {quote(player)}; use load_player to get one"
            )
        if player is not None and player.game != game:
            raise MatchError(f"{player!r} plays {player.game!r}, not {game!r}")


def _check_side(side: int) -> int:
    if side not in (0, 1):
        raise MatchError(f"a side must be 0 or 1, not {side!r}")
    return side


def _describe_end(outcome: Outcome, game: Game) -> str:
    """Return a text such as `the match is over (black wins by resignation)`."""
    return f"the match is over ({outcome.describe(game.facts.sides)})"
