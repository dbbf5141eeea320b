"""Players, and what they are asked for: to choose a move, or to analyse a position, within a limit.

`Player` is the base class of people and agents. `Limit`, `Clock`, `Stop` and
`Context` are parts of a request; `Choice` and `Analysis` are the answers.
"""

import functools
import hashlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from boardgames.declarations import NO_REPETITION, Repetition
from boardgames.draw.tables import fact_table, table
from boardgames.errors import LimitError, MatchError, OptionError, PositionError, quote
from boardgames.faults import guard_methods
from boardgames.game import Game, Move, Outcome, Position, check_is_position
from boardgames.kernels import Control
from boardgames.options import Option, OptionValue, check_option_names, is_finite, read_options
from boardgames.repetition import allowed_actions, is_repeated, occurrences_of
from boardgames.score import Score, Unit

EXPECTED_MOVES_LEFT = 30
CLOCK_RESERVE = 0.05
MAX_DRAW_RETURN = 0.05
"""An agent that searches accepts a draw if its own expected return is at most this.

An expected return of 0.05 is a small advantage, a 52.5% chance of winning.
"""
MAX_COUNT = 2**63 - 1
"""The largest limit: the largest int64, because kernels count with this type."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The seconds left to each side, and the seconds that are added after each move of a side.

    Raises
    ------
    LimitError
        If a number is negative or not finite.
    """

    remaining: tuple[float, float]
    increments: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        for seconds in (*self.remaining, *self.increments):
            if not (is_finite(seconds) and seconds >= 0):
                raise LimitError(f"the seconds on a clock must be at least 0, not {quote(seconds)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Limits on the search for one move; None means that there is no such limit.

    Attributes
    ----------
    seconds : float or None
        Time for this move.
    depth : int or None
        Search depth in plies.
    nodes : int or None
        Number of positions to visit.
    simulations : int or None
        Number of simulations of Monte Carlo tree search.
    clock : Clock or None
        The match clock; the player decides how much of its time to spend.

    Raises
    ------
    LimitError
        If a number is zero, negative, not finite, too large for an int64 or of the wrong type.

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
            raise LimitError(f"the time limit must be more than 0 seconds, not {quote(self.seconds)}")
        for name in ("depth", "nodes", "simulations"):
            value = getattr(self, name)
            if value is not None and not (type(value) is int and 1 <= value <= MAX_COUNT):
                raise LimitError(f"the limit of {name} must be 1 to {MAX_COUNT}, not {quote(value)}")
        if self.clock is not None and not isinstance(self.clock, Clock):
            raise LimitError(f"the clock of a limit must be a Clock, not {quote(self.clock)}")

    def tightened(self, other: "Limit") -> "Limit":
        """Return the stricter of both limits for each attribute."""
        return Limit(
            seconds=_least(self.seconds, other.seconds),
            depth=_least(self.depth, other.depth),
            nodes=_least(self.nodes, other.nodes),
            simulations=_least(self.simulations, other.simulations),
            clock=self.clock or other.clock,
        )

    def budget(self, side: int) -> float | None:
        """Return the seconds to spend on this move, or None if time is not limited.

        With a match clock, this is a thirtieth of the remaining time plus most of the increment.
        The last 50 ms are a reserve, of which a move may take at most a tenth.
        """
        if self.clock is None:
            return self.seconds
        left = self.clock.remaining[side]
        share = left / EXPECTED_MOVES_LEFT + 0.8 * self.clock.increments[side]
        usable = max(min(share, left - CLOCK_RESERVE), min(left, CLOCK_RESERVE) / 10)
        return _least(self.seconds, usable)

    @property
    def is_unlimited(self) -> bool:
        """Return True if there is no limit at all."""
        return self == Limit()


NO_LIMIT = Limit()
Number = TypeVar("Number", int, float)


def _least(first: Number | None, second: Number | None) -> Number | None:
    return min((value for value in (first, second) if value is not None), default=None)


class Stop:
    """A flag that another thread sets to end a search; compiled code reads it too.

    Parameters
    ----------
    others : Stop
        Flags that also set this flag when they are set.

    Examples
    --------
    >>> stop = Stop()
    >>> also = Stop(stop)
    >>> stop.set()
    >>> stop.is_set(), also.is_set()
    (True, True)
    """

    def __init__(self, *others: "Stop") -> None:
        self._others = others
        self._is_set = False
        self._controls: list[Control] = []
        self._lock = threading.Lock()

    def set(self) -> None:
        """Set the flag; the player soon answers with the best move that it has found so far."""
        with self._lock:
            self._is_set = True
            for control in self._controls:
                control[0].stop = 1

    def is_set(self) -> bool:
        """Return True if the flag is set."""
        return self._is_set or any(other.is_set() for other in self._others)

    def attach(self, control: Control) -> None:
        """Pass the flag on to the control array of a kernel, before the kernel starts."""
        with self._lock:
            self._controls.append(control)
            if self._is_set:
                control[0].stop = 1
        for other in self._others:
            other.attach(control)

    def detach(self, control: Control) -> None:
        """Stop passing the flag on to a control array, after its kernel has returned."""
        with self._lock:
            self._controls = [other for other in self._controls if other is not control]
        for other in self._others:
            other.detach(control)


@contextmanager
def stop_after(seconds: float | None, *others: Stop) -> Iterator[Stop]:
    """Yield a flag that is set after some time, or when one of the other flags is set.

    Parameters
    ----------
    seconds : float or None
        Time after which the flag is set; None if only the other flags set it.
    """
    stop = Stop(*others)
    timer = None if seconds is None else threading.Timer(seconds, stop.set)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield stop
    finally:
        if timer is not None:
            timer.cancel()


@dataclass(frozen=True, slots=True)
class Choice:
    """A player's answer: its move or a resignation, and what it found out.

    Attributes
    ----------
    move : Move or None
        The chosen move; None if the player resigns.
    score : Score or None
        Score of the position for the side to move.
    line : tuple of Move
        Principal variation, beginning with `move`.
    depth : int
        Completed search depth in plies.
    proven : bool
        True if the score is exact: every line of play has been searched to its end.
    simulations : int
        Simulations of Monte Carlo tree search; 0 for other players.
    from_book : bool
        True if the move was found in an opening book, so that it took no time.
    """

    move: Move | None
    score: Score | None = None
    line: tuple[Move, ...] = ()
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    proven: bool = False
    simulations: int = 0
    from_book: bool = False

    @property
    def resigns(self) -> bool:
        """Return True if the player resigns."""
        return self.move is None

    def _repr_html_(self) -> str:
        facts: list[tuple[str, object]] = [("Move", self.move or "resigns")]
        if self.score is not None:
            # a choice does not know whether the sides of its game take turns
            facts.append(("Score", self.score.text(proven=self.proven, alternates=False)))
        facts += [("Line", _line_text(self.line))] if self.line else []
        facts += [("From the opening book", "yes")] if self.from_book else []
        facts += [("Proven", "yes")] if self.proven else []
        return fact_table("Choice", facts + _effort(self.depth, self.nodes, self.simulations, self.seconds))


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A legal move, its score for the side to move, and the line of play that it begins.

    Attributes
    ----------
    from_book : bool
        True if the score was found in an opening book.
    visits : int or None
        The number of simulations that played the move; only in Monte Carlo tree search.
    prior : float or None
        The probability of the move before the search; only in Monte Carlo tree search with priors.
    """

    move: Move
    score: Score
    proven: bool
    line: tuple[Move, ...]
    from_book: bool = False
    visits: int | None = None
    prior: float | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """The scores of a position and of its moves, best move first, for the side to move.

    `moves` contains all legal moves, or the requested number of best moves. All amounts in
    the scores are in `unit`.

    Attributes
    ----------
    network_value : Score or None
        The network's value of the position without a search, for the side to move; None if the agent has
        no network or did not use it.
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
    network_value: Score | None = None

    def favours_draw(self, side: int) -> bool:
        """Return True if the expected return of `side` is at most `MAX_DRAW_RETURN`, so a draw suits it."""
        score = self.score if self.position.side_to_move == side else -self.score
        return score.to_return() <= MAX_DRAW_RETURN

    def choice(self, move_value: MoveValue | None = None) -> Choice:
        """Return one of `moves`, by default the best, as a choice.

        Only the best move can be a proven choice.
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
            from_book=played.from_book,
        )

    def _repr_html_(self) -> str:
        facts = self.position.game.facts
        heads = ["move", "score", "line"]
        columns: list[list[object]] = [
            [value.move for value in self.moves],
            [
                facts.score_text(value.score, proven=value.proven) + " (book)" * value.from_book
                for value in self.moves
            ],
            [_line_text(value.line) for value in self.moves],
        ]
        if any(value.visits is not None for value in self.moves):
            heads.append("visits")
            columns.append(["" if value.visits is None else value.visits for value in self.moves])
        if any(value.prior is not None for value in self.moves):
            heads.append("prior")
            columns.append(["" if value.prior is None else f"{value.prior:.1%}" for value in self.moves])
        score = facts.score_text(self.score, proven=self.proven)
        caption = f"{facts.sides[self.position.side_to_move]} to move: {score}; scores {self.unit.in_words}"
        effort = _effort(self.depth, self.nodes, self.simulations, self.seconds)
        rows = zip(*columns, strict=True)
        return f"{table(caption, heads, rows)}{fact_table('', effort)}{self.position.svg()}"


def _line_text(line: Sequence[Move]) -> str:
    return " ".join(move.text for move in line)


def _effort(depth: int, nodes: int, simulations: int, seconds: float) -> list[tuple[str, object]]:
    """Return how much was searched, as pairs of name and value, without numbers that are 0."""
    counts = {"Depth in plies": depth, "Nodes": nodes, "Simulations": simulations}
    facts: list[tuple[str, object]] = [(name, f"{count:,}") for name, count in counts.items() if count]
    return [*facts, ("Seconds", f"{seconds:.2f}")] if seconds else facts


@dataclass(frozen=True, slots=True)
class Context:
    """What a player is told with a request for a move, besides position and limit.

    Attributes
    ----------
    stop : Stop or None
        A flag that another thread can set to get the answer immediately.
    history : tuple of Position
        The earlier positions of the match, oldest first.
    actions : tuple of int
        The actions of the match so far, oldest first: each leads from one position of `history` to the
        next. Empty if they are unknown.
    report : callable or None
        Called whenever the player finds a better choice.
    plies_left : int or None
        The number of plies after which a limit ends the match, at least 1; None if there is no limit.
    repetition : Repetition or None
        The meaning of a repeated position in the match; None for the meaning that the game declares.
    """

    stop: Stop | None = None
    history: tuple[Position, ...] = ()
    report: Callable[[Choice], None] | None = None
    plies_left: int | None = None
    repetition: Repetition | None = None
    actions: tuple[int, ...] = ()

    def repetition_in(self, game: Game) -> Repetition:
        """Return the meaning of a repeated position in a match of `game`; `NO_REPETITION` if it has none."""
        return self.repetition or game.facts.repetition or NO_REPETITION

    def for_advice(self) -> "Context":
        """Return the context for a hint or an analysis.

        It has a history only if there is a rule about repetition. Without such a rule, a player may score
        every earlier position as a draw.
        """
        has_rule = bool(self.history) and self.repetition_in(self.history[0].game).meaning != "none"
        return self if has_rule else replace(self, history=(), actions=())

    def sound_actions(self, position: Position) -> tuple[int, ...]:
        """Return the legal actions that do not lose by repetition, or all legal actions if all of them do.

        This is for players that look at most one ply ahead and do not consider repetition themselves.
        """
        actions, rule = self.legal_actions(position), self.repetition_in(position.game)
        if rule.meaning != "loss":
            return actions
        occurrences = occurrences_of([*self.history, position])
        sound = [one for one in actions if not is_repeated(position, one, occurrences, rule.count)]
        return tuple(sound) or actions

    def legal_actions(self, position: Position) -> tuple[int, ...]:
        """Return the legal actions that repetition does not forbid, in ascending order.

        Agents should choose from these actions.

        Examples
        --------
        >>> import boardgames
        >>> start = boardgames.load("connect4").start()
        >>> Context().legal_actions(start)
        (0, 1, 2, 3, 4, 5, 6)
        """
        return allowed_actions(position, self.history, self.repetition_in(position.game))


NO_CONTEXT = Context()


def _for_one_thread(method: Callable[..., Any]) -> Callable[..., Any]:  # methods have various signatures
    """Wrap a method of a player to raise MatchError while another thread is using the player."""

    @functools.wraps(method)
    def call(self: "Player", *arguments: Any, **more: Any) -> Any:
        with self._in_use(wait=False):
            return method(self, *arguments, **more)

    return call


def _for_positions(method: Callable[..., Any]) -> Callable[..., Any]:  # methods have various signatures
    """Wrap a method of a player to raise PositionError if its first argument is not a position."""

    @functools.wraps(method)
    def call(self: "Player", position: Position, *arguments: Any, **more: Any) -> Any:
        check_is_position(position)
        return method(self, position, *arguments, **more)

    return call


_RESULTS: dict[str, type] = {
    "choose": Choice,
    "analyse": Analysis,
    "scores": list,
    "accepts_draw": object,
    "match_started": object,
    "match_ended": object,
}
"""The methods that plug-ins implement, and the types of their results."""


class Player(ABC):
    """Chooses the moves of a side; base class of people and agents.

    An agent is a subclass that is registered by the hook `bg_agents`. A player
    serves one thread at a time: while it is choosing or analysing, `choose`, `analyse`,
    `match_started` and `reseed` raise a MatchError in other threads. Make a player for
    each thread. To end a search from another thread, use `Context.stop`.

    A player can be copied and pickled. The copy has the same options and the last seed, but does not know
    the matches that the player has played.

    Parameters
    ----------
    game : Game
        The game to play.
    seed : int, optional
        Seed of `self.random`; by default a different one for each player.
    options : keywords
        As declared in `declared_options`.

    Raises
    ------
    OptionError
        If an option is unknown or invalid.
    """

    name: ClassVar[str]
    declared_options: ClassVar[tuple[Option, ...]] = ()
    is_human: ClassVar[bool] = False
    respects_limits: ClassVar[bool] = True
    """False for a player that ignores limits. Matches with different limits then count for one rating."""

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        self.game = game
        self.random, self._last_seed = _generator(seed), seed
        self._use = threading.RLock()
        self.options: dict[str, OptionValue] = read_options(
            self.declared_options, options, f"agent {self.name!r}"
        )

    def __init_subclass__(cls, **arguments: Any) -> None:  # arguments of other base classes
        super().__init_subclass__(**arguments)
        check_option_names(cls, {"self", "game", "seed"})
        for name in ("choose", "analyse", "scores", "match_started", "reseed"):
            if name in vars(cls):
                setattr(cls, name, _for_one_thread(vars(cls)[name]))
        guard_methods(cls, _RESULTS)
        # wrapped last, so that a plug-in is not blamed for a caller's wrong argument
        for name in ("choose", "analyse", "accepts_draw"):
            if name in vars(cls):
                setattr(cls, name, _for_positions(vars(cls)[name]))

    @abstractmethod
    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a legal move in `position`, or a resignation.

        Raises
        ------
        MatchError
            If the match is over in `position`, or another thread is using the player.
        PositionError
            If the position belongs to another game.
        """

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the score of every legal move, or only of the best `lines` moves, which is faster.

        Raises
        ------
        MatchError
            If the match is over in `position`, or another thread is using the player.
        LimitError
            If `lines` is less than 1.
        OptionError
            If this player cannot evaluate moves.
        """
        raise OptionError(f"the player {self.name!r} does not evaluate moves")

    def accepts_draw(self, position: Position, side: int) -> bool:
        """Return True if this player, on `side`, accepts a draw offer; by default False.

        `Manager` does not ask early in a match; see `Manager.offer_draw`.

        Raises
        ------
        PositionError
            If the position belongs to another game.
        """
        self._check_game(position)
        return False

    def match_started(self, side: int) -> None:
        """Prepare for a match on the given side.

        A player may play any number of matches, one after another. An implementation
        forgets earlier matches, so that a match depends only on its seed. A manager may
        call it in another thread than `choose`, but waits until it has returned.
        """
        return

    def match_ended(self, outcome: Outcome) -> None:
        """React to the end of the match."""
        return

    def reseed(self, seed: int) -> None:
        """Restart the random choices, as if the player had been made with `seed`.

        Raises
        ------
        OptionError
            If the seed is negative or not an integer.
        """
        self.random, self._last_seed = _generator(seed), seed

    def __reduce__(self) -> tuple[object, ...]:
        # recreated from its options, because a search has locks, threads and large tables
        if self.is_human:
            raise TypeError("a human player cannot be copied or pickled")
        given = {name: value for name, value in self.options.items() if value is not None}
        return _make_player, (type(self), self.game, self._last_seed, given)

    def fingerprint(self) -> str:
        """Return a short hash of everything that determines the moves besides the options, such as weights.

        It is empty if the moves depend only on the options. In ratings, players with the
        same description and fingerprint are the same player.
        """
        return ""

    def close(self) -> None:
        """Release resources such as a subprocess. The owner of the player may call it more than once.

        If another thread is using the player for a search, this waits for the
        search to end.
        """
        return

    @property
    def saved_to(self) -> Path | None:
        """Return the file in which the player has saved what it learned from the last match, or None."""
        return None

    @property
    def is_learning(self) -> bool:
        """Return True if the player learns as it plays; such a player cannot enter an arena."""
        return False

    @contextmanager
    def _in_use(self, *, wait: bool) -> Iterator[None]:
        """Keep other threads from using the player; raise MatchError, or wait, if one is using it already."""
        if not self._use.acquire(blocking=wait):
            raise MatchError(
                f"the player {self.name!r} is in use by another thread; make a player for each thread"
            )
        try:
            yield
        finally:
            self._use.release()

    def _check_game(self, position: Position) -> None:
        check_is_position(position)
        if position.game is not self.game and position.game != self.game:
            raise PositionError(f"not a position of {self.game!r}: {position!r}")

    def _check_position(self, position: Position, *, lines: int | None = None) -> Position:
        self._check_game(position)
        if position.outcome is not None:
            raise MatchError(f"the match is over in {position}")
        if lines is not None and not (type(lines) is int and lines >= 1):
            raise LimitError(f"the number of lines must be at least 1, not {quote(lines)}")
        return position

    def __repr__(self) -> str:
        return f"<player {self.describe()}>"

    def describe(self) -> str:
        """Return the text with which `load_player` makes this player, such as `alphabeta:depth=4`."""
        changed = [
            f"{option.name}={_quoted(self.options[option.name])}"
            for option in self.declared_options
            if self.options[option.name] != option.default
        ]
        return self.name + (":" + ",".join(changed) if changed else "")

    def label(self) -> str:
        """Return a short name for tables; by default the description."""
        return self.describe()


class ExactPlayer(Player):
    """A player that solves positions: it knows the outcome with best play and the plies to the end.

    `boardgames solve` and `analyze` use such a player if a game has one: the agent `Facts.solver`.
    `analyse` returns the proven scores that it can find within the limit.
    """

    @abstractmethod
    def scores(self, positions: Sequence[Position], context: Context = NO_CONTEXT) -> list[Score]:
        """Return the exact score of each position for its side to move, however long this takes.

        Raises
        ------
        MatchError
            If the match is over in a position, or `context.stop` was set before all were solved.
        PositionError
            If a position belongs to another game.
        """

    def obstacle(self, position: Position) -> str | None:
        """Return as text why a position can never be solved, or None, the default, if it can be solved."""
        return None

    def solver_nodes(self) -> int:
        """Return the number of positions that the solver has visited since it was made; by default 0.

        Another thread may call it while the player is solving.
        """
        return 0

    def progress(self) -> str:
        """Return the progress of the solver as text; by default the number of positions visited.

        Another thread may call it while the player is solving.
        """
        return f"{self.solver_nodes():,} nodes"

    def bounds(self, position: Position) -> tuple[Score, Score] | None:
        """Return bounds of the exact score of the position that was analysed last, or None if unknown.

        They are useful if not all moves were solved.
        """
        return None

    @property
    def tabulated_states(self) -> int:
        """Return the number of states in a table of exact values that the player uses; 0 if it has none."""
        return 0

    def solver_score(self, position: Position, score: Score) -> float | None:
        """Return an exact score as the number that solvers of this game usually print, or None.

        By default this is the amount of the score.
        """
        return score.amount


def _make_player(cls: type[Player], game: Game, seed: int | None, options: dict[str, OptionValue]) -> Player:
    return cls(game, seed=seed, **options)


def _generator(seed: int | None) -> np.random.Generator:
    is_seed = isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0
    if seed is not None and not is_seed:
        raise OptionError(f"seed must be an integer of at least 0, not {quote(seed)}")
    return np.random.default_rng(seed)


def fingerprint_of(*parts: bytes) -> str:
    """Return a short hash of bytes, 12 hexadecimal digits, or an empty string if there are no bytes.

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
