"""Manager: conducts one match: turns, clocks, limits, takebacks, listeners, record.

A state machine that is driven by calls. What belongs to a match and not to a
position (clocks, plies, repetitions, draw offers) is kept here. A person's
clock runs from the moment the turn is theirs, an agent's while it is asked.
It is driven from one thread; another may call it while an agent thinks, whose
answer is then dropped if it is too late.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from boardgames.clock import MatchClock
from boardgames.clock import TimeControl as TimeControl  # noqa: PLC0414 - users find it here
from boardgames.errors import LimitError, MatchError, MoveError, shown
from boardgames.game import Game, Move, Outcome, Position, Termination
from boardgames.match import (
    ENDED_BY_MOVES,
    Audience,
    Change,
    Course,
    Listener,
    Seats,
    check_seats,
    checked_side,
    is_person,
    name_of,
)
from boardgames.match import MatchRules as MatchRules  # noqa: PLC0414 - users find it here
from boardgames.match import MoveMade as MoveMade  # noqa: PLC0414 - users find it here
from boardgames.options import is_finite
from boardgames.player import NO_LIMIT, Choice, Clock, Context, Limit, Stop
from boardgames.plugins import told
from boardgames.record import Record, options_as_texts


class Manager(Course):
    """One match between two seats, and everything about it that is not in the position.

    Parameters
    ----------
    game : Game
        What is played.
    players : two of Player or None
        A seat without a player is driven from outside, by a browser say.
    names : (str, str), optional
        For the record; by default what the players call themselves.
    start : Position, optional
        Where the match begins; by default the game's start.
    rules : MatchRules, optional
        By default `MatchRules.between(players, game)`.
    limit : Limit
        What an agent may spend on a move; the clocks tighten it.
    clock : callable
        Returns seconds that never go back.
    listeners : sequence of callable
        Called with the manager and a `Change` after every change.
    tags : mapping of str to str
        For the record: Date, Event and the like.
    played : iterable of (str, float or None)
        Moves that have been made already, with their seconds.

    Raises
    ------
    MatchError, PositionError, MoveError
        If there are not two seats, a player or the start belongs to another
        game, or a move that has been made is not legal.

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
        players: Seats,
        *,
        names: tuple[str, str] | None = None,
        start: Position | None = None,
        rules: MatchRules | None = None,
        limit: Limit = NO_LIMIT,
        clock: Callable[[], float] = time.monotonic,
        listeners: Sequence[Listener] = (),
        tags: Mapping[str, str] | None = None,
        played: Iterable[tuple[str, float | None]] = (),
    ) -> None:
        check_seats(game, players, names)
        self.rules = MatchRules.between(players, game) if rules is None else rules
        super().__init__(game, game.start() if start is None else start, MatchClock(self.rules.time, clock))
        self.players = tuple(players)
        self.names = names or tuple(name_of(player) for player in players)
        self.outcome: Outcome | None = None
        self.draw_offer: int | None = None
        self.fault: str | None = None
        self._limit = limit
        self._tags = dict(tags or {})
        self._stop: Stop | None = None
        self._audience = Audience(listeners)
        for move, seconds in played:
            self._advance(game.parse_move(self.position, move), seconds or 0.0)
        self._begin()

    @classmethod
    def resume(cls, record: Record, players: Seats, **settings: Any) -> "Manager":  # those of __init__
        """Return a manager that goes on with an unfinished record.

        Names, tags, start and time control are the record's unless given.

        Raises
        ------
        MatchError
            If the match is over.
        BoardgamesError
            If the record's game cannot be had, or a move is not legal.
        """
        if record.outcome is not None:
            raise MatchError(f"expected an unfinished match: it ended by {record.outcome.termination}")
        game = record.load_game()
        tags = dict(record.tags)
        control = TimeControl.parse(tags.get("TimeControl", "-"))
        settings.setdefault("rules", MatchRules.between(players, game, time=control))
        settings.setdefault("names", record.names)
        settings.setdefault("tags", tags)
        played = zip(record.moves, record.seconds, strict=True)
        return cls(game, players, start=game.parse(record.start), played=played, **settings)

    def limit_for(self, side: int) -> Limit:
        """Return what `side` may spend on a move now."""
        left = self.clocks
        clock = None if left is None else Clock(left, self.rules.time.increment)
        return Limit(seconds=self.rules.time.asked, clock=clock).tightened(self._limit)

    def record(self) -> Record:
        """Return the match so far, its seconds rounded to thousandths."""
        tags = {name: value for name, value in self._tags.items() if name != "TimeControl"}
        if not self.rules.time.is_open:
            tags["TimeControl"] = str(self.rules.time)
        return Record(
            self.game.facts.name,
            self.game.layout,
            start=str(self.start),
            names=(self.names[0], self.names[1]),
            moves=tuple(made.move.text for made in self._moves),
            seconds=tuple(round(made.seconds, 3) for made in self._moves),
            outcome=self.outcome,
            options=options_as_texts(self.game.options),
            tags=tags,
        )

    # --- what drives the match -------------------------------------------

    def make_move(self, side: int, move: Move | str, seconds: float | None = None) -> Outcome | None:
        """Make a move of `side`; return the outcome if the match is over then.

        Parameters
        ----------
        side : int
            Who moves, 0 or 1.
        move : Move or str
            A legal move.
        seconds : float, optional
            What it took; by default what the clock says. A move that comes
            after the time has run out loses and is not made.

        Raises
        ------
        MatchError
            If the match is over or it is the other side's turn.
        MoveError
            If the move is none or not legal; the match is as it was.
        """
        self._check_open()
        if side != self.side_to_move:
            raise MatchError(f"expected a move of side {self.side_to_move}, whose turn it is: side {side!r}")
        if seconds is not None and not (is_finite(seconds) and seconds >= 0):
            raise LimitError(f"expected at least 0 seconds for a move: {shown(seconds)}")
        spent = self._clock.spent if seconds is None else seconds
        if self._clock.has_run_out(side, spent):
            return self._lose(side, Termination.TIME)
        made = self._advance(self._legal(move), spent)
        if self.draw_offer == 1 - side:
            self.decline(side)
        self._tell(Change("move", side=side, made=made))
        return self._settle()

    def undo(self) -> None:
        """Take back one ply, or against an agent all back to the person's own last move.

        A match that its moves have ended goes on, with the clocks of then.

        Raises
        ------
        MatchError
            If there is nothing to take back, or the match ended otherwise.
        """
        if self.outcome is not None and self.outcome.termination not in ENDED_BY_MOVES:
            raise MatchError(f"expected a match that its moves ended: it ended by {self.outcome.termination}")
        people = [side for side, player in enumerate(self.players) if is_person(player)]
        ply = self._last_ply_of(people if len(people) == 1 else [0, 1])
        plies = self.ply - ply
        self._go_back(ply)
        self.outcome = self.draw_offer = None
        self._interrupt()
        self._run_clock()
        self._tell(Change("undo", plies=plies))

    def offer_draw(self, side: int) -> None:
        """Offer a draw: an agent answers at once, a person's seat has until its next move.

        Raises
        ------
        MatchError
            If the match is over or an offer stands.
        """
        self._check_open()
        if self.draw_offer is not None:
            raise MatchError(f"expected an answer to the draw offer of side {self.draw_offer}")
        self.draw_offer = checked_side(side)
        self._tell(Change("draw-offer", side=side))
        opponent = self.players[1 - side]
        if opponent is not None and not opponent.is_human:
            accepts = self._audience.has_accepted(opponent, self.position, 1 - side)
            (self.accept if accepts else self.decline)(1 - side)

    def accept(self, side: int) -> Outcome:
        """Accept the other side's draw offer, which ends the match.

        Raises
        ------
        MatchError
            If the match is over or there is no such offer.
        """
        self._check_offer(side)
        return self._end(Outcome(None, Termination.AGREEMENT))

    def decline(self, side: int) -> None:
        """Decline the other side's draw offer.

        Raises
        ------
        MatchError
            As `accept`.
        """
        self._check_offer(side)
        self.draw_offer = None
        self._tell(Change("draw-declined", side=side))

    def resign(self, side: int) -> Outcome:
        """Give the match up for `side`, whoever's turn it is.

        Raises
        ------
        MatchError
            If the match is over.
        """
        self._check_open()
        return self._lose(checked_side(side), Termination.RESIGNATION)

    def tick(self) -> Outcome | None:
        """Look at the clock; return the outcome if the match is over then."""
        if self.outcome is None and self._clock.has_run_out(self.side_to_move, self._clock.spent):
            self._lose(self.side_to_move, Termination.TIME)
        return self.outcome

    def step(
        self, *, stop: Stop | None = None, report: Callable[[Choice], None] | None = None
    ) -> Outcome | None:
        """Ask the player to move, and make the move; return the outcome if the match is over.

        An agent that raises, is late, or whose move is not legal here, loses;
        `fault` says why. What a person's player raises goes to the caller.

        Parameters
        ----------
        stop : Stop, optional
            Set by another thread to have the move at once.
        report : callable, optional
            Called with the best choice so far while the player thinks.

        Raises
        ------
        MatchError
            If the match is over or the seat has no player.
        """
        self._check_open()
        side, position = self.side_to_move, self.position
        player = self.players[side]
        if player is None:
            raise MatchError(f"expected a player on side {side}: its moves come from outside")
        self._stop = stop = stop or Stop()
        context = Context(stop=stop, history=tuple(self._positions[:-1]), report=report)
        limit = self.limit_for(side)
        self._clock.run()
        try:
            choice = player.choose(position, limit, context)
        except (Exception, SystemExit) as error:
            if player.is_human:
                raise
            return self._fail(side, error) if self._awaits(position) else self.outcome
        finally:
            self._stop = None if self._stop is stop else self._stop
            if self._awaits(position) and not player.is_human:
                self._clock.pause()
        return self._take(side, choice) if self._awaits(position) else self.outcome

    def play(self) -> Record:
        """Ask the players in turn until the match is over; return its record."""
        while self.outcome is None:
            self.step()
        return self.record()

    # --- helpers ---------------------------------------------------------

    def _begin(self) -> None:
        self._tell(Change("started"))
        for side, player in enumerate(self.players):
            if player is None or self.outcome is not None:
                continue
            try:
                player.match_started(side)
            except (Exception, SystemExit) as error:
                if player.is_human:
                    raise
                self._fail(side, error)
        self._settle()

    def _settle(self) -> Outcome | None:
        """End the match if position or limits say so; else start a person's clock."""
        ending = self._ending(self.rules) if self.outcome is None else None
        if ending is not None:
            self._end(ending)
        self._run_clock()
        return self.outcome

    def _run_clock(self) -> None:
        if self.outcome is None and is_person(self.players[self.side_to_move]):
            self._clock.run()

    def _take(self, side: int, choice: object) -> Outcome | None:
        """Make the move that a player has chosen, if it is one."""
        if not isinstance(choice, Choice):
            return self._fail(side, TypeError(f"expected a Choice: {shown(choice)}"))
        if choice.move is None:
            return self.resign(side)
        try:
            move = self._legal(choice.move)
        except MoveError as error:
            if is_person(self.players[side]):
                raise
            return self._fail(side, error)
        if self._clock.has_run_out(side, self._clock.spent):
            self.fault = f"the move {move} came after {self._clock.spent:.3f} s"
        return self.make_move(side, move)

    def _fail(self, side: int, error: BaseException) -> Outcome:
        """End the match by what an agent raised: it was late, its move was none, or it broke."""
        self.fault = str(error) if isinstance(error, MoveError) else told(error)
        if self._clock.has_run_out(side, self._clock.spent):
            return self._lose(side, Termination.TIME)
        is_move = isinstance(error, MoveError)
        return self._lose(side, Termination.ILLEGAL_MOVE if is_move else Termination.CRASH)

    def _lose(self, side: int, termination: Termination) -> Outcome:
        return self._end(Outcome(1 - side, termination))

    def _end(self, outcome: Outcome) -> Outcome:
        self.outcome, self.draw_offer = outcome, None
        self._clock.pause()
        self._interrupt()
        fault = self._audience.tell_players(self.players, self.names, outcome)
        self.fault = self.fault or fault
        self._tell(Change("ended", outcome=outcome))
        return outcome

    def _interrupt(self) -> None:
        if self._stop is not None:  # a player is thinking, in another thread
            self._stop.set()

    def _awaits(self, position: Position) -> bool:
        return self.outcome is None and self.position is position

    def _tell(self, change: Change) -> None:
        self._audience.tell(self, change)

    def _check_open(self) -> None:
        if self.outcome is not None:
            raise MatchError(f"expected a match that goes on: it ended by {self.outcome.termination}")

    def _check_offer(self, side: int) -> None:
        self._check_open()
        if self.draw_offer is None or self.draw_offer != 1 - checked_side(side):
            raise MatchError(f"expected a draw offer to side {side}: there is none")
