"""Values that the store accepts and returns: matches, players, runs, ratings and counts of results."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from boardgames.errors import BoardgamesError, RecordError, quote
from boardgames.game import Game, Termination
from boardgames.options import OptionValue, is_finite
from boardgames.plugins import load_game_of
from boardgames.record import Record, format_record, options_as_texts

TERMINATIONS = tuple(Termination)
_DATE_TAG = re.compile(r'\n\[Date "([^"\n]*)"\]')


@dataclass(frozen=True, slots=True)
class PlayerKey:
    """Identity of a player: the same agent with different weights or limits is a different player.

    Attributes
    ----------
    agent : str
        The agent with its options.
    fingerprint : str
        Hash of the data that the agent plays with, such as weights.
    limits : str
        Limits imposed from outside, such as `0.1 s a move`.

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
    """A match to be stored.

    Attributes
    ----------
    players : (PlayerKey, PlayerKey)
        The players of side 0 and side 1.
    record : str
        The record as text, see `boardgames.record.format_record`.
    game, variant : str
        Name of the game, and its options as `variant_of` writes them.
    winner : int or None
        0 or 1; None for a draw and for an unfinished match.
    termination : str or None
        Why the match ended, a value of `Termination`; None if it is unfinished.
    plies : int
        Number of moves by both sides.
    seconds : (float, float)
        Time used by each side.
    fault : str
        Details if a player lost by an illegal move, on time or by a crash.
    run, number : int or None
        ID of the run to which the match belongs, and its number in the run.
    moves_hash : bytes or None
        `moves_hash` of the start and the moves; if None, the store computes it from the record.

    Raises
    ------
    RecordError
        If the values contradict each other.
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
    moves_hash: bytes | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.termination is not None and self.termination not in TERMINATIONS:
            raise RecordError(f"unknown termination {quote(self.termination)}")
        if self.winner not in (None, 0, 1):
            raise RecordError(f"the winner must be 0, 1 or None, not {quote(self.winner)}")
        if self.winner is not None and self.termination is None:
            raise RecordError("an unfinished match has no winner")
        if not all(is_finite(seconds) and seconds >= 0 for seconds in self.seconds):
            raise RecordError(f"the time used cannot be {quote(self.seconds)} seconds")

    @classmethod
    def from_record(
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
            The match that was played.
        players : (PlayerKey, PlayerKey), optional
            By default the names in the record.
        variant : str, optional
            By default the variant of the record's game, or all options in the
            record if the game is not installed.
        seconds : (float, float), optional
            By default the sums of the times in the record, or zero if its moves
            cannot be replayed.
        fault, run, number
            See the attributes of the class.

        Examples
        --------
        >>> from boardgames.record import Record
        >>> record = Record("connect4", start="-", options={"rows": "5"}, moves=("4",))
        >>> match = NewMatch.from_record(record)
        >>> match.variant, match.plies, match.termination
        ('rows=5', 1, None)
        """
        outcome = record.outcome
        return cls(
            players or (PlayerKey(record.names[0]), PlayerKey(record.names[1])),
            format_record(record),
            record.game,
            _variant_of_record(record) if variant is None else variant,
            None if outcome is None else outcome.winner,
            None if outcome is None else outcome.termination.value,
            len(record.moves),
            _seconds_per_side(record) if seconds is None else seconds,
            fault,
            run,
            number,
            moves_hash(record.start, record.moves),
        )


@dataclass(frozen=True, slots=True)
class Added:
    """The result of `Store.add_missing`.

    Attributes
    ----------
    ids : list of int
        IDs of the matches that were added.
    with_date, without_date : int
        Number of matches that were not added because they are already stored, either with a date that the
        new record lacks, or without the date of the new record.
    """

    ids: list[int]
    with_date: int = 0
    without_date: int = 0


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A stored match: the fields of `NewMatch`, and those that the store adds.

    Attributes
    ----------
    id : int
        Larger for every new match, and never reused.
    played : str
        When the match was added: ISO 8601, UTC, to the second.
    moves_hash : bytes
        `moves_hash` of the start and the moves.
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
    moves_hash: bytes

    @property
    def dated_record(self) -> str:
        """Return the record, with the tag Date if the day of the match is known.

        A record without the tag is from a match of a run, which was stored as soon as it was played, or
        from an imported match, whose day is unknown.
        """
        header, gap, moves = self.record.partition("\n\n")
        if self.run is None or not gap or split_date(self.record)[1]:
            return self.record
        return f'{header}\n[Date "{day_of(self.played)}"]{gap}{moves}'


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """The fields of a stored match that a list shows, without its record; see `StoredMatch`.

    Attributes
    ----------
    agents : (str, str)
        The agents of both players, or the names of people.
    """

    id: int
    played: str
    game: str
    agents: tuple[str, str]
    winner: int | None
    termination: str | None
    plies: int


@dataclass(frozen=True, slots=True)
class ServedMatch:
    """A match on a server, finished or not, stored so that it survives a restart.

    Attributes
    ----------
    key : str
        Identifies the match.
    data : mapping
        What the server needs besides the record, as JSON values.
    record : str
        The match so far, as a record.
    """

    key: str
    data: Mapping[str, object]
    record: str


@dataclass(frozen=True, slots=True)
class StoredRun:
    """Resumable work that adds matches to the store.

    Attributes
    ----------
    kind : str
        Kind of work, such as `arena`.
    key : str
        Identifies the work; runs with equal keys do the same work.
    settings : mapping
        The settings, as JSON values.
    started, finished : str
        ISO 8601, UTC, to the second; `finished` is None while it is unfinished.
    matches : int
        Number of its matches in the store.
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
    """Rating of a player in a run: Elo relative to the mean of the run's players, with an interval.

    Unknown numbers are None.

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
                raise RecordError(f"the rating of {self.player} must be a finite number, not {quote(number)}")


@dataclass(frozen=True, slots=True)
class ResultCount:
    """Number of distinct matches with these players as sides 0 and 1 and this winner (None if drawn)."""

    first: PlayerKey
    second: PlayerKey
    winner: int | None
    count: int


def moves_hash(start: str, moves: Sequence[str]) -> bytes:
    """Return a hash of a match's start and moves, 32 bytes."""
    return hashlib.sha256(" ".join([start, *moves]).encode(errors="replace")).digest()


def split_date(record: str) -> tuple[str, str]:
    r"""Return the text of a record without the tag Date, and the tag's value, empty if there is no such tag.

    Examples
    --------
    >>> split_date('[Game "x"]\n[Date "2026.11.27"]\n\n*')
    ('[Game "x"]\n\n*', '2026.11.27')
    """
    header, gap, moves = record.partition("\n\n")
    found = _DATE_TAG.search(header)
    if found is None:
        return record, ""
    return f"{header[: found.start()]}{header[found.end() :]}{gap}{moves}", found[1]


def day_of(timestamp: str) -> str:
    """Return the day of a timestamp of the store in the format of the tag Date.

    Examples
    --------
    >>> day_of("2026-11-27T12:00:00Z")
    '2026.11.27'
    """
    return timestamp[:10].replace("-", ".")


def variant_of(game: Game) -> str:
    """Return the options of a game that differ from their defaults, as text.

    The layout is omitted, because it only determines the start of a match.

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
    return _join(options_as_texts(changed))


def _join(options: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(options.items()))


def _variant_of_record(record: Record) -> str:
    try:
        return variant_of(record.loaded_game or load_game_of(record))
    except BoardgamesError:
        return _join(record.options)


def _seconds_per_side(record: Record) -> tuple[float, float]:
    """Add up the times of each side. The moves are replayed, because a side may move twice in a row."""
    if not any(record.seconds):
        return 0.0, 0.0
    try:
        sides = [position.side_to_move for position in record.positions(load_game_of(record))]
    except BoardgamesError:
        return 0.0, 0.0
    return sum(_of_side(record, sides, 0)), sum(_of_side(record, sides, 1))


def _of_side(record: Record, sides: list[int], side: int) -> Iterator[float]:
    for mover, seconds in zip(sides, record.seconds, strict=False):  # no move was made in the last position
        if mover == side and seconds is not None:
            yield seconds
