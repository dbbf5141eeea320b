"""What the store takes and gives: matches, players, runs, ratings, encounters.

Plain values: none of them knows a database.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from boardgames.errors import BoardgamesError, RecordError, shown
from boardgames.game import Game, Termination
from boardgames.options import OptionValue, is_finite
from boardgames.plugins import load_game_of
from boardgames.record import Record, format_record, options_as_texts

KNOWN_TERMINATIONS = tuple(Termination)


@dataclass(frozen=True, slots=True)
class PlayerKey:
    """Who played: the agent text with its options, the hash of what it plays with, its limits.

    `limits` says what somebody else allowed the agent, `0.1 s a move`: with
    other limits it is another player.

    Examples
    --------
    >>> str(PlayerKey("alphabeta", "9a129038d9a0", "100 nodes"))
    'alphabeta (9a129038d9a0), 100 nodes'
    """

    agent: str
    fingerprint: str = ""
    limits: str = ""

    def __str__(self) -> str:
        named = f"{self.agent} ({self.fingerprint})" if self.fingerprint else self.agent
        return f"{named}, {self.limits}" if self.limits else named


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match that is to be kept.

    Attributes
    ----------
    players : (PlayerKey, PlayerKey)
        Who played side 0 and side 1.
    record : str
        The text of the record, `boardgames.record.format_record`.
    game, variant : str
        The game's name and what `variant_of` says of its options.
    winner : int or None
        0 or 1; None for a draw and for an unfinished match.
    termination : str or None
        Why it ended, as `Termination` has it; None if it is unfinished.
    plies : int
        Moves made by both sides.
    seconds : (float, float)
        Time used by each side.
    fault : str
        Why a player lost by an illegal move, time or a crash.
    run, number : int or None
        The run it belongs to and its place there.

    Raises
    ------
    RecordError
        If that describes no match.
    """

    players: tuple[PlayerKey, PlayerKey]
    record: str
    game: str
    variant: str
    winner: int | None
    termination: str | None
    plies: int
    seconds: tuple[float, float]
    fault: str = ""
    run: int | None = None
    number: int | None = None

    def __post_init__(self) -> None:
        if self.termination is not None and self.termination not in KNOWN_TERMINATIONS:
            raise RecordError(f"expected a termination: {shown(self.termination)}")
        if self.winner not in (None, 0, 1) or (self.winner is not None and self.termination is None):
            raise RecordError(f"expected a winner of a finished match, 0, 1 or none: {shown(self.winner)}")
        if not all(is_finite(seconds) and seconds >= 0 for seconds in self.seconds):
            raise RecordError(f"expected at least 0 seconds for each side: {shown(self.seconds)}")

    @classmethod
    def of(
        cls,
        record: Record,
        *,
        players: tuple[PlayerKey, PlayerKey] | None = None,
        variant: str | None = None,
        seconds: tuple[float, float] | None = None,
        fault: str = "",
        run: int | None = None,
        number: int | None = None,
    ) -> "NewMatch":
        """Return the match of a record.

        Parameters
        ----------
        record : Record
            What was played.
        players : (PlayerKey, PlayerKey), optional
            By default named as in the record.
        variant : str, optional
            By default that of the record's game, or all of the record's
            options where the game cannot be had.
        seconds : (float, float), optional
            By default the sums of the record's, or zeros where its moves
            cannot be replayed to see who made them.
        fault, run, number
            As in the class.

        Examples
        --------
        >>> from boardgames.record import Record
        >>> match = NewMatch.of(Record("connect4", start="-", options={"rows": "5"}, moves=("4",)))
        >>> match.variant, match.plies, match.termination
        ('rows=5', 1, None)
        """
        outcome = record.outcome
        return cls(
            players or (PlayerKey(record.names[0]), PlayerKey(record.names[1])),
            format_record(record),
            record.game,
            _variant(record) if variant is None else variant,
            None if outcome is None else outcome.winner,
            None if outcome is None else outcome.termination.value,
            len(record.moves),
            _seconds(record) if seconds is None else seconds,
            fault,
            run,
            number,
        )


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match that is kept: a `NewMatch` with its number in the store and its time.

    Attributes
    ----------
    id : int
        Larger for later matches; never given twice.
    played : str
        When it was added, in ISO 8601, UTC, to the second.
    course : bytes
        What `course_of` says of its start and moves.
    """

    id: int
    played: str
    players: tuple[PlayerKey, PlayerKey]
    record: str
    game: str
    variant: str
    winner: int | None
    termination: str | None
    plies: int
    seconds: tuple[float, float]
    fault: str
    run: int | None
    number: int | None
    course: bytes


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of work that adds matches and may be gone on with.

    Attributes
    ----------
    kind : str
        What works, `arena` say.
    key : str
        Equal for runs that do the same work.
    settings : mapping
        What JSON can hold.
    started, finished : str
        In ISO 8601, UTC, to the second; `finished` is None until it is.
    matches : int
        How many of its matches are kept.
    """

    id: int
    kind: str
    game: str
    key: str
    settings: Mapping[str, object]
    seed: int
    started: str
    finished: str | None = None
    matches: int = 0


@dataclass(frozen=True, slots=True)
class Rating:
    """What a run found of a player: Elo over the mean of the run's players, between two bounds.

    None is not known.

    Raises
    ------
    RecordError
        If a number is not finite.
    """

    player: PlayerKey
    matches: int
    elo: float | None
    low: float | None
    high: float | None

    def __post_init__(self) -> None:
        for number in (self.elo, self.low, self.high):
            if not (number is None or is_finite(number)):
                raise RecordError(f"expected a finite rating of {self.player}, or none: {shown(number)}")


@dataclass(frozen=True, slots=True)
class Encounter:
    """How many different matches of two players, on these sides, had one winner; None is a draw."""

    first: PlayerKey
    second: PlayerKey
    winner: int | None
    times: int


def course_of(start: str, moves: Sequence[str]) -> bytes:
    """Return a hash that is equal for matches with equal starts and moves, 32 bytes."""
    return hashlib.sha256(" ".join([start, *moves]).encode(errors="replace")).digest()


def variant_of(game: Game) -> str:
    """Return the game's options that differ from the defaults, by name; empty if none does.

    The layout is no part of it: it only says where matches start.

    Examples
    --------
    >>> import boardgames
    >>> variant_of(boardgames.load("connect4", rows=4, columns=5))
    'columns=5 rows=4'
    """
    changed: dict[str, OptionValue] = {
        option.name: game.options[option.name]
        for option in game.declared_options
        if game.options[option.name] != option.default
    }
    return _joined(options_as_texts(changed))


def _joined(options: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(options.items()))


def _variant(record: Record) -> str:
    try:
        return variant_of(load_game_of(record))
    except BoardgamesError:
        return _joined(record.options)


def _seconds(record: Record) -> tuple[float, float]:
    """Return the seconds of each side: the rules say who made a move, as a side may move again."""
    if not any(record.seconds):
        return 0.0, 0.0
    try:
        sides = [position.side_to_move for position in record.positions(load_game_of(record))]
    except BoardgamesError:
        return 0.0, 0.0
    return sum(_of_side(record, sides, 0)), sum(_of_side(record, sides, 1))


def _of_side(record: Record, sides: list[int], side: int) -> Iterator[float]:
    for mover, seconds in zip(sides, record.seconds, strict=False):  # the last position has no move
        if mover == side and seconds is not None:
            yield seconds
