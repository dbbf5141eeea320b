"""What a match is played by, what it is made of, and telling others of it.

`Manager` conducts matches with these; users import them from there.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from boardgames import plugins
from boardgames.clock import UNTIMED, MatchClock, TimeControl
from boardgames.errors import IllegalMoveError, LimitError, MatchError, PositionError, shown
from boardgames.game import Game, Move, Outcome, Position, Termination
from boardgames.player import Player

if TYPE_CHECKING:
    from boardgames.manager import Manager

Seats = Sequence[Player | None]
"""Two players; None is a seat that is driven from outside."""

REPETITIONS = 3
ENDED_BY_MOVES = (
    Termination.RULES,
    Termination.NO_MOVES,
    Termination.PLY_LIMIT,
    Termination.NO_PROGRESS,
    Termination.REPETITION,
)
UNKNOWN_NAME = "?"
HOOKS = {"started": "bg_match_started", "move": "bg_move_made", "ended": "bg_match_ended"}


@dataclass(frozen=True, slots=True)
class MatchRules:
    """What ends a match besides the rules of the game; by default nothing does.

    Attributes
    ----------
    ply_limit : int or None
        After so many plies the match is drawn.
    no_progress_limit : int or None
        After so many plies without a change of score it is drawn.
    repetition : bool
        When a position comes up the third time it is drawn.
    time : TimeControl
        Who spends more loses.

    Raises
    ------
    LimitError
        If a limit is below 1.
    """

    ply_limit: int | None = None
    no_progress_limit: int | None = None
    repetition: bool = False
    time: TimeControl = UNTIMED

    def __post_init__(self) -> None:
        for limit in (self.ply_limit, self.no_progress_limit):
            if limit is not None and not (type(limit) is int and limit >= 1):
                raise LimitError(f"expected a limit of at least 1 ply: {shown(limit)}")

    @classmethod
    def between(cls, players: Seats, game: Game, **overrides: Any) -> "MatchRules":  # its own fields
        """Return the rules for these players: none with a person, the game's between agents.

        Examples
        --------
        >>> MatchRules.between([None, None], None, ply_limit=50).ply_limit
        50
        """
        if any(is_person(player) for player in players):
            return replace(cls(), **overrides)
        facts = game.facts
        usual = cls(facts.ply_limit, facts.no_progress_limit, repetition=True)
        return replace(usual, **overrides)


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A move of a match: who made it, the seconds it took, its ply, counted from 1."""

    side: int
    move: Move
    seconds: float
    ply: int


@dataclass(frozen=True, slots=True)
class Change:
    """What listeners are told: the kind of change, and what that kind has to say.

    Attributes
    ----------
    kind : str
        A draw offer is declined by a move too; an undo may follow an end.
    side : int or None
        Whose move, offer or refusal it is.
    made : MoveMade or None
        The move of a `move`.
    outcome : Outcome or None
        The outcome of an `ended`.
    plies : int
        The number of plies an `undo` took back.
    """

    kind: Literal["started", "move", "undo", "draw-offer", "draw-declined", "ended"]
    side: int | None = None
    made: MoveMade | None = None
    outcome: Outcome | None = None
    plies: int = 0


class Course:
    """The course of one match so far: positions, moves and their times.

    The base of `Manager`, without players, outcome and whatever is decided.
    """

    def __init__(self, game: Game, start: Position, clock: MatchClock) -> None:
        if start.game != game:
            raise PositionError(f"expected a position of {game!r}: {start!r}")
        self.game = game
        self.start = start
        self._clock = clock
        self._positions = [start]
        self._moves: list[MoveMade] = []
        self._scored_at = [0]  # for every position, the ply at which its score came up
        self._times_seen = Counter([start.words.tobytes()])

    @property
    def position(self) -> Position:
        """Return the position now."""
        return self._positions[-1]

    @property
    def positions(self) -> tuple[Position, ...]:
        """Return all positions, the start first."""
        return tuple(self._positions)

    @property
    def moves(self) -> tuple[MoveMade, ...]:
        """Return the moves made and not taken back."""
        return tuple(self._moves)

    @property
    def side_to_move(self) -> int:
        """Return the side to move; it means nothing after the end."""
        return self.position.side_to_move

    @property
    def ply(self) -> int:
        """Return the number of moves made."""
        return len(self._moves)

    @property
    def clocks(self) -> tuple[float, float] | None:
        """Return the seconds left to each side, the running clock included; None without clocks."""
        return self._clock.left(self.side_to_move)

    @property
    def time_used(self) -> tuple[float, float]:
        """Return the seconds of all moves made, for each side."""
        first, second = (sum(made.seconds for made in self._moves if made.side == side) for side in (0, 1))
        return first, second

    @property
    def plies_since_score(self) -> int:
        """Return the number of plies since the score changed or the match began."""
        return self.ply - self._scored_at[-1]

    def _legal(self, move: object) -> Move:
        if isinstance(move, str):
            return self.game.parse_move(self.position, move)
        if not isinstance(move, Move):
            raise IllegalMoveError(f"expected a Move: {shown(move)}")
        legal = self.game.decode(self.position, move.action)
        if legal.text != move.text:
            raise IllegalMoveError(f"expected a move made for {self.position}: {shown(move.text)}")
        return legal

    def _advance(self, move: Move, seconds: float) -> MoveMade:
        side = self.side_to_move
        made = MoveMade(side, move, seconds, self.ply + 1)
        position = self.position.apply(move)
        self._scored_at.append(made.ply if position.score != self.position.score else self._scored_at[-1])
        self._times_seen[position.words.tobytes()] += 1
        self._positions.append(position)
        self._moves.append(made)
        self._clock.book(side, seconds)
        return made

    def _go_back(self, ply: int) -> None:
        """Forget every move after the first `ply`."""
        for position in self._positions[ply + 1 :]:
            self._times_seen[position.words.tobytes()] -= 1
        del self._positions[ply + 1 :], self._scored_at[ply + 1 :], self._moves[ply:]
        self._clock.go_back(ply)

    def _ending(self, rules: MatchRules) -> Outcome | None:
        position = self.position
        if position.outcome is not None:
            return position.outcome
        if rules.repetition and self._times_seen[position.words.tobytes()] >= REPETITIONS:
            return Outcome(None, Termination.REPETITION)
        if rules.no_progress_limit is not None and self.plies_since_score >= rules.no_progress_limit:
            return Outcome(None, Termination.NO_PROGRESS)
        if rules.ply_limit is not None and self.ply >= rules.ply_limit:
            return Outcome(None, Termination.PLY_LIMIT)
        return None

    def _last_ply_of(self, sides: Sequence[int]) -> int:
        """Return the last ply, from 0, that one of `sides` has made."""
        own = [made.ply for made in self._moves if made.side in sides]
        if not own:
            raise MatchError("expected a move to take back: none has been made")
        return own[-1] - 1


Listener = Callable[["Manager", Change], None]


class Audience:
    """Listeners and plug-ins of one match; one that raises is reported once and told on."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self._listeners = tuple(listeners)
        self._reported: set[object] = set()

    def tell(self, manager: "Manager", change: Change) -> None:
        """Tell every listener, then every plug-in that has the hook, whatever they raise."""
        for listener in self._listeners:
            self._call(f"listener {listener!r}", listener, (manager, change))
        if change.kind not in HOOKS:
            return
        hook = HOOKS[change.kind]
        told = {"manager": manager, "made": change.made, "outcome": change.outcome}
        for implementation in getattr(plugins.registry().hook, hook).get_hookimpls():
            arguments = tuple(told[name] for name in implementation.argnames)
            self._call(f"{hook} of {implementation.plugin_name}", implementation.function, arguments)

    def tell_players(self, players: Seats, names: Sequence[str], outcome: Outcome) -> str | None:
        """Tell the players how the match ended; return what the first that raised has raised."""
        fault = None
        for player, name in zip(players, names, strict=True):
            try:
                if player is not None:
                    player.match_ended(outcome)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - the outcome stands
                fault = fault or plugins.told(error)
                self.report(f"player {name!r}", error)
        return fault

    def has_accepted(self, player: Player, position: Position, side: int) -> bool:
        """Ask an agent whether it takes a draw; one that raises does not."""
        try:
            return bool(player.accepts_draw(position, side))
        except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything
            self.report(f"player {name_of(player)!r}", error)
            return False

    def report(self, name: str, error: BaseException) -> None:
        """Warn that `name` raised, the first time only."""
        if name not in self._reported:
            self._reported.add(name)
            warnings.warn(
                f"{name} raised {plugins.told(error)}; the match goes on", RuntimeWarning, stacklevel=2
            )

    def _call(self, name: str, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
        try:
            function(*arguments)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code may raise anything
            self.report(name, error)


def is_person(player: Player | None) -> bool:
    """Say whether a person has the seat; one that is driven from outside counts as that."""
    return player is None or player.is_human


def name_of(player: Player | None) -> str:
    """Return what a record calls the player if nobody says otherwise; `?` if it cannot say."""
    try:
        name = None if player is None else player.describe()
    except (Exception, SystemExit):  # noqa: BLE001 - a stranger's code may raise anything
        name = None
    return name if isinstance(name, str) else UNKNOWN_NAME


def check_seats(game: Game, players: Seats, names: Sequence[str] | None = None) -> None:
    """Raise MatchError unless there are two seats, with two names, and their players play `game`."""
    if names is not None and (len(names) != 2 or not all(isinstance(name, str) for name in names)):
        raise MatchError(f"expected two names: {shown(names)}")
    if len(players) != 2:
        raise MatchError(f"expected two players: {len(players)} came")
    for player in players:
        if player is not None and player.game != game:
            raise MatchError(f"expected a player of {game!r}: {player!r} plays {player.game!r}")


def checked_side(side: int) -> int:
    """Return `side`, or raise MatchError unless it is 0 or 1."""
    if side not in (0, 1):
        raise MatchError(f"expected side 0 or 1: {side!r}")
    return side
