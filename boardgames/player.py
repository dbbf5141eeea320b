"""Player, Limit, Choice: given a position, choose a move within a limit."""

import hashlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from boardgames.errors import LimitError, MatchError, OptionError, PositionError, shown
from boardgames.game import Game, Move, Outcome, Position
from boardgames.kernels import Control
from boardgames.options import Option, OptionValue, is_finite, read_options
from boardgames.score import Score, Unit

EXPECTED_MOVES_LEFT = 30
CLOCK_RESERVE = 0.05
LARGEST_COUNT = 2**63 - 1
"""Kernels count with int64."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds left to each side, and what every move adds.

    Raises
    ------
    LimitError
        If a number is negative or not finite.
    """

    remaining: tuple[float, float]
    increment: float = 0.0

    def __post_init__(self) -> None:
        for seconds in (*self.remaining, self.increment):
            if not (is_finite(seconds) and seconds >= 0):
                raise LimitError(f"expected a clock of at least 0 seconds: {shown(seconds)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What a player may spend on one move; None is no limit of that kind.

    Attributes
    ----------
    seconds : float or None
        Time for this move.
    depth : int or None
        Plies to look ahead.
    nodes : int or None
        Positions to visit.
    simulations : int or None
        Descents of tree search.
    clock : Clock or None
        The match clock, of which the player spends what it thinks right.

    Raises
    ------
    LimitError
        If a number is negative, zero, not finite, larger than an int64 or of another kind.

    Examples
    --------
    >>> Limit(seconds=2.0, depth=6).tightened(Limit(depth=4))
    Limit(seconds=2.0, depth=4, nodes=None, simulations=None, clock=None)
    """

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None
    clock: Clock | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not (is_finite(self.seconds) and self.seconds > 0):
            raise LimitError(f"expected a time limit above 0 seconds: {shown(self.seconds)}")
        for name in ("depth", "nodes", "simulations"):
            value = getattr(self, name)
            if value is not None and not (type(value) is int and 1 <= value <= LARGEST_COUNT):
                raise LimitError(f"expected a limit of {name} of 1 to {LARGEST_COUNT}: {shown(value)}")
        if self.clock is not None and not isinstance(self.clock, Clock):
            raise LimitError(f"expected a Clock: {shown(self.clock)}")

    def tightened(self, other: "Limit") -> "Limit":
        """Return the limit that keeps to both."""
        return Limit(
            seconds=_least(self.seconds, other.seconds),
            depth=_least(self.depth, other.depth),
            nodes=_least(self.nodes, other.nodes),
            simulations=_least(self.simulations, other.simulations),
            clock=self.clock or other.clock,
        )

    def budget(self, side: int) -> float | None:
        """Return the seconds to spend on this move, the match clock considered.

        Of a match clock it is a thirtieth of what is left and most of the
        increment; of the last 50 ms a tenth. None if no time is limited.
        """
        if self.clock is None:
            return self.seconds
        left = self.clock.remaining[side]
        share = left / EXPECTED_MOVES_LEFT + 0.8 * self.clock.increment
        usable = max(min(share, left - CLOCK_RESERVE), min(left, CLOCK_RESERVE) / 10)
        return _least(self.seconds, usable)

    @property
    def is_open(self) -> bool:
        """Say whether nothing at all is limited."""
        return self == Limit()


NO_LIMIT = Limit()
Number = TypeVar("Number", int, float)


def _least(first: Number | None, second: Number | None) -> Number | None:
    given = [value for value in (first, second) if value is not None]
    return min(given) if given else None


class Stop:
    """A flag that any thread sets to end a player's thinking; compiled code reads it too.

    Examples
    --------
    >>> stop = Stop()
    >>> stop.set()
    >>> stop.is_set()
    True
    """

    def __init__(self) -> None:
        self._is_set = False
        self._controls: list[Control] = []
        self._lock = threading.Lock()

    def set(self) -> None:
        """Ask for the end; a player answers soon, with the best it has."""
        with self._lock:
            self._is_set = True
            for control in self._controls:
                control[0].stop = 1

    def is_set(self) -> bool:
        """Say whether the end has been asked for."""
        return self._is_set

    def attach(self, control: Control) -> None:
        """Let `set` reach a kernel's control array; done before the kernel starts."""
        with self._lock:
            self._controls.append(control)
            if self._is_set:
                control[0].stop = 1

    def detach(self, control: Control) -> None:
        """Forget a control array; done when its kernel has ended."""
        with self._lock:
            self._controls = [held for held in self._controls if held is not control]


@dataclass(frozen=True, slots=True)
class Choice:
    """A player's answer.

    Attributes
    ----------
    move : Move or None
        None only if the player resigns.
    score : Score or None
        Score of the position for the side to move.
    line : tuple of Move
        Principal variation, `move` first.
    depth : int
        Plies searched to the end.
    proven : bool
        The score is exact: every line of play has been searched to its end.
    simulations : int
        Descents of tree search, 0 for other players.
    """

    move: Move | None
    score: Score | None = None
    line: tuple[Move, ...] = ()
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    proven: bool = False
    simulations: int = 0

    @property
    def resigns(self) -> bool:
        """Say whether the player gives the match up."""
        return self.move is None


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A legal move, its score for the side to move, and the line it begins."""

    move: Move
    score: Score
    proven: bool
    line: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The score of a position and of its moves, best first, for the side to move.

    It has all legal moves, or as many of the best as were asked for. Every amount
    among the scores counts `unit`.
    """

    position: Position
    score: Score
    unit: Unit
    proven: bool
    moves: tuple[MoveValue, ...]
    depth: int
    nodes: int
    seconds: float
    simulations: int = 0

    def choice(self, move_value: MoveValue | None = None) -> Choice:
        """Return the answer that plays one of `moves`, by default the best.

        Only the best move proves the score of the position.
        """
        best = self.moves[0]
        played = move_value or best
        return Choice(
            move=played.move,
            score=played.score,
            line=played.line,
            depth=self.depth,
            nodes=self.nodes,
            seconds=self.seconds,
            proven=self.proven and played is best,
            simulations=self.simulations,
        )


@dataclass(frozen=True, slots=True)
class Context:
    """What comes with a request for a move besides position and limit.

    Attributes
    ----------
    stop : Stop or None
        Set by another thread when the answer is wanted at once.
    history : tuple of Position
        Positions of the match before this one, oldest first.
    report : callable or None
        Called with the best choice so far whenever a player has a better one.
    """

    stop: Stop | None = None
    history: tuple[Position, ...] = ()
    report: Callable[[Choice], None] | None = None


NO_CONTEXT = Context()


class Player(ABC):
    """Who chooses moves for a side; base class of people and agents.

    An agent is a subclass that is registered through `bg_agents`; its options
    are declared in `declared_options` and come to it as keywords, read.

    Parameters
    ----------
    game : Game
        What is played.
    seed : int, optional
        Seed of `self.random`; without it, choices differ from run to run.
    options : keywords
        As `declared_options` has them.

    Raises
    ------
    OptionError
        If an option is unknown or has a bad value.
    """

    name: ClassVar[str]
    declared_options: ClassVar[tuple[Option, ...]] = ()
    is_human: ClassVar[bool] = False
    heeds_limits: ClassVar[bool] = True
    """False for a player that plays alike whatever it may spend: ratings then hold for all limits."""

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        self.game = game
        self.random = np.random.default_rng(seed)
        self.options: dict[str, OptionValue] = read_options(
            self.declared_options, options, f"agent {self.name!r}"
        )

    @abstractmethod
    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a legal move in `position`, or a resignation.

        Raises
        ------
        MatchError
            If the match is over in `position`.
        PositionError
            If the position is one of another game.
        """

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the value of every legal move, or of the best `lines` of them.

        Fewer moves to value leave more time for each.

        Raises
        ------
        MatchError
            If the match is over in `position`.
        OptionError
            If this player puts no values on moves.
        """
        raise OptionError(f"expected an agent that values moves: {self.name!r} does not")

    def accepts_draw(self, position: Position, side: int) -> bool:
        """Say whether this player, on `side`, takes the draw it is offered; by default no."""
        return False

    def match_started(self, side: int) -> None:
        """Learn that a match begins and which side this player has.

        A player may play any number of matches, one after another. Whatever it
        remembers of earlier ones is forgotten here, so that a match depends on
        its seed and not on what was played before.
        """
        return

    def match_ended(self, outcome: Outcome) -> None:
        """Learn how the match ended."""
        return

    def reseed(self, seed: int) -> None:
        """Begin the player's chance anew, as if it had been made with `seed`."""
        self.random = np.random.default_rng(seed)

    def fingerprint(self) -> str:
        """Return a short hash of what it plays with besides its options, weights say; empty if nothing.

        Players of one name and fingerprint are the same player in ratings.
        """
        return ""

    def close(self) -> None:
        """Give back what the player holds, a program say; done by whoever made it, any number of times."""
        return

    @property
    def is_learning(self) -> bool:
        """Say whether the player changes as it plays; an arena takes none that does."""
        return False

    def _check_open(self, position: Position) -> Position:
        if position.game is not self.game and position.game != self.game:
            raise PositionError(f"expected a position of {self.game}: {position!r}")
        if position.outcome is not None:
            raise MatchError(f"expected a position with moves: {position} is over")
        return position

    def __repr__(self) -> str:
        return f"<player {self.describe()}>"

    def describe(self) -> str:
        """Return the agent text that makes this player, `alphabeta:depth=4`."""
        changed = [
            f"{option.name}={_quoted(self.options[option.name])}"
            for option in self.declared_options
            if self.options[option.name] != option.default
        ]
        return self.name + (":" + ",".join(changed) if changed else "")

    def label(self) -> str:
        """Return what tables call this player, short if it can be; by default what `describe` returns."""
        return self.describe()


def fingerprint_of(*parts: bytes) -> str:
    """Return a short hash of bytes, 12 hexadecimal digits; empty for no bytes at all.

    Examples
    --------
    >>> fingerprint_of(b"weights"), fingerprint_of(b"")
    ('9a129038d9a0', '')
    """
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12] if any(parts) else ""


def _quoted(value: OptionValue) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if any(sign in text for sign in ',"= '):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return text
