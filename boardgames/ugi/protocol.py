"""The messages of UGI: parsing and formatting of `go`, `info`, `option` and `position` lines.

Times are integers, in milliseconds. Scores are for the side to move: `cp` in
hundredths of the unit of the game's evaluation, `mate` in plies to the end of
the match.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import TypeVar

import numpy as np

from boardgames.errors import MoveError, quote
from boardgames.game import Position
from boardgames.player import Choice, Clock, Limit
from boardgames.score import Score, Unit

NO_MOVE = "0000"
"""Sent after `bestmove` if there is no move to play; it is not a move in any game."""

MOVE_TIME_MARGIN = 0.02
"""Seconds of `movetime` that are reserved for sending the answer."""

T = TypeVar("T")

_MILLISECONDS = ("p1time", "p2time", "p1inc", "p2inc")
_COUNTS = ("movetime", "depth", "nodes")
_MAX_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Go:
    """A parsed `go` line.

    Attributes
    ----------
    numbers : dict of str to int
        Limits by name, with times in milliseconds.
    is_infinite : bool
        True if the answer must wait for `stop`.
    problems : tuple of str
        Messages about words that were ignored.
    """

    numbers: dict[str, int]
    is_infinite: bool
    problems: tuple[str, ...]

    def limit(self, side: int) -> Limit:
        """Return the limit for `side`; its time is `movetime` minus 20 ms, but at least half of it."""
        numbers = self.numbers
        seconds = numbers["movetime"] / 1000 if "movetime" in numbers else None
        if seconds is not None:
            seconds = max(seconds - MOVE_TIME_MARGIN, seconds / 2)
        return Limit(
            seconds=seconds, depth=numbers.get("depth"), nodes=numbers.get("nodes"), clock=self._clock
        )

    @property
    def _clock(self) -> Clock | None:
        times = [self.numbers.get(name) for name in ("p1time", "p2time")]
        given = [time for time in times if time is not None]
        if not given:
            return None
        first, second = (given[0] if time is None else time for time in times)
        added = [self.numbers.get(name, 0) / 1000 for name in ("p1inc", "p2inc")]
        return Clock((first / 1000, second / 1000), (added[0], added[1]))


def parse_go(words: Sequence[str]) -> Go:
    """Parse the words after `go`. Limits can be combined; a number below its minimum is raised to it.

    Examples
    --------
    >>> request = parse_go("depth 4 movetime 1000 wtime".split())
    >>> request.limit(0).depth, request.limit(0).seconds, request.problems
    (4, 0.98, ("go has no limit 'wtime'",))
    """
    numbers: dict[str, int] = {}
    problems, is_infinite = [], False
    rest = iter(words)
    for word in rest:
        if word == "infinite":
            is_infinite = True
        elif word not in _MILLISECONDS + _COUNTS:
            problems.append(f"go has no limit {quote(word)}")
        else:
            text = next(rest, "")
            number = parse_integer(text)
            if number is None:
                problems.append(f"{word} must be an integer, not {quote(text)}")
            else:
                numbers[word] = max(number, 1 if word in _COUNTS else 0)
    return Go(numbers, is_infinite, tuple(problems))


def go_line(limit: Limit, side: int, *, default_seconds: float) -> str:
    """Return the `go` line that asks for a move by `side` within a limit.

    If there are both a match clock and a time limit, the engine gets the
    resulting time budget as `movetime`. If there is no limit that UGI can
    express, it gets `default_seconds`.

    Examples
    --------
    >>> go_line(Limit(clock=Clock((60.0, 59.5), (1.0, 2.0))), 0, default_seconds=1.0)
    'go p1time 60000 p2time 59500 p1inc 1000 p2inc 2000'
    >>> go_line(Limit(depth=4), 0, default_seconds=1.0)
    'go depth 4'
    """
    parts = []
    if limit.clock is not None and limit.seconds is None:
        times = [int(1000 * seconds) for seconds in limit.clock.remaining]
        added = [int(1000 * seconds) for seconds in limit.clock.increments]
        parts.append(f"p1time {times[0]} p2time {times[1]} p1inc {added[0]} p2inc {added[1]}")
    else:
        seconds = limit.budget(side)
        if seconds is None and limit.depth is None and limit.nodes is None:
            seconds = default_seconds
        parts += [] if seconds is None else [f"movetime {max(int(1000 * seconds), 1)}"]
    parts += [] if limit.depth is None else [f"depth {limit.depth}"]
    parts += [] if limit.nodes is None else [f"nodes {limit.nodes}"]
    return " ".join(["go", *parts])


def info_line(choice: Choice) -> str:
    """Return the `info` line for the best move so far.

    Examples
    --------
    >>> from boardgames.score import RETURN
    >>> info_line(Choice(None, Score.of(0.25, RETURN), depth=3, nodes=1200, seconds=0.01))
    'info depth 3 time 10 nodes 1200 nps 120000 score cp 25'
    """
    parts = [f"info depth {choice.depth} time {int(1000 * choice.seconds)} nodes {choice.nodes}"]
    if choice.seconds > 0:
        parts.append(f"nps {int(choice.nodes / choice.seconds)}")
    parts += [f"score {score}" for score in [_score(choice)] if score]
    if choice.line:
        parts.append("pv " + " ".join(move.text for move in choice.line))
    return " ".join(parts)


@dataclass(slots=True)
class Info:
    """What an engine has last reported about its search.

    Examples
    --------
    >>> from boardgames.score import RETURN
    >>> info = Info()
    >>> info.read("depth 3 score mate 3 nodes 12 pv 4 1 4".split())
    >>> info.depth, str(info.score_in(RETURN)), info.line
    (3, 'win in 2 moves (3 plies)', ('4', '1', '4'))
    """

    depth: int = 0
    nodes: int = 0
    score: tuple[str, int] | None = None
    line: tuple[str, ...] = ()
    message: str = ""

    def read(self, words: Sequence[str]) -> None:
        """Update this from the words after `info`; ignore malformed parts and lines other than the best."""
        if _has_lower_rank(words):
            return
        for place, word in enumerate(words):
            following = words[place + 1 : place + 3]
            if word == "string":
                self.message = " ".join(words[place + 1 :])
                return
            if word == "pv":
                self.line = tuple(words[place + 1 :])
                return
            if word in ("depth", "nodes"):
                setattr(self, word, _count(following[:1], getattr(self, word)))
            elif word in ("cp", "mate"):
                number = parse_integer(following[0]) if following else None
                self.score = self.score if number is None else (word, number)

    def score_in(self, unit: Unit) -> Score | None:
        """Return the last score, with `cp` in hundredths of `unit`, or None if there has not been any."""
        if self.score is None:
            return None
        kind, number = self.score
        if kind == "cp":
            amount = number / 100
            return Score.of(min(max(amount, -1.0), 1.0) if unit.is_return else amount, unit)
        return Score.win(number) if number > 0 else Score.loss(-number)


def parse_integer(text: str) -> int | None:
    """Parse an integer of at most 15 digits; return None for any other text.

    Examples
    --------
    >>> parse_integer("-7"), parse_integer("7.0")
    (-7, None)
    """
    digits = text.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS
    return int(text) if is_number else None


def _score(choice: Choice) -> str:
    """Return the words after `score`, or an empty string if there is no score."""
    score = choice.score
    if score is None:
        return ""
    if score.amount is None:
        return f"mate {score.win_in}"
    is_return = score.unit is not None and score.unit.is_return
    if is_return and choice.proven and abs(score.amount) == 1.0 and choice.line:
        return f"mate {score.sign * len(choice.line)}"  # MCTS proves wins without knowing their length
    return f"cp {round(100 * score.amount)}"


def _has_lower_rank(words: Sequence[str]) -> bool:
    """Return True if the words describe the second-best line or a worse one (`multipv 2`)."""
    facts = list(takewhile(lambda word: word not in ("pv", "string"), words))
    ranks = [parse_integer(after) for word, after in pairwise(facts) if word == "multipv"]
    return any(rank is not None and rank > 1 for rank in ranks)


def _count(words: Sequence[str], default: int) -> int:
    number = parse_integer(words[0]) if words else None
    return default if number is None or number < 0 else number


OPTION_PREFIX = "option name "
OPTION_FIELDS = ("type", "default", "min", "max", "var")


@dataclass(frozen=True, slots=True)
class OfferedOption:
    """An option of an engine: its name, its default as text, and its range.

    Examples
    --------
    >>> option = parse_option("option name Seed type spin default 1 min 0 max 99")
    >>> option.name, option.default, option.wrapped(250)
    ('Seed', '1', 50)
    """

    name: str
    default: str | None = None
    minimum: int | None = None
    maximum: int | None = None

    def wrapped(self, number: int) -> int:
        """Return `number`, wrapped around into the range of the option."""
        low = min(number, 0) if self.minimum is None else self.minimum
        if self.maximum is None:
            return max(number, low)
        return low + (number - low) % max(self.maximum - low + 1, 1)


def parse_option(line: str) -> OfferedOption | None:
    """Parse an `option` line; return None for any other line. Malformed fields are ignored."""
    if not line.startswith(OPTION_PREFIX):
        return None
    name, _, rest = line.removeprefix(OPTION_PREFIX).partition(" type ")
    words = rest.split()
    low, high = (parse_integer(_field(field, words) or "") for field in ("min", "max"))
    return OfferedOption(name.strip(), _field("default", words), low, high)


def _field(name: str, words: Sequence[str]) -> str | None:
    """Return the words after a field's name up to the next field, or None if the field is missing."""
    if name not in words:
        return None
    rest = words[words.index(name) + 1 :]
    return " ".join(takewhile(lambda word: word not in OPTION_FIELDS, rest))


class MoveHistory:
    """The match so far in the form that UGI requires: positions and the moves between them.

    Parameters
    ----------
    positions : sequence of Position
        Oldest first, at least one.
    moves : sequence of str or None
        The move after each position except the last; None if no legal move
        leads to the next position.

    Examples
    --------
    >>> import boardgames
    >>> history = MoveHistory([boardgames.load("connect4").start()]).with_moves(["4", "4"])
    >>> history.command()
    'position fen ......./......./......./......./......./....... moves 4 4'
    """

    def __init__(self, positions: Sequence[Position], moves: Sequence[str | None] = ()) -> None:
        self.positions = tuple(positions)
        self._moves = tuple(moves)

    @property
    def position(self) -> Position:
        """Return the last position."""
        return self.positions[-1]

    @property
    def start(self) -> Position:
        """Return the earliest position from which all moves to the last one are known."""
        return self.positions[len(self.positions) - 1 - len(self.moves)]

    @property
    def moves(self) -> tuple[str, ...]:
        """Return the moves since `start`."""
        known = takewhile(lambda move: move is not None, reversed(self._moves))
        return tuple(move for move in known if move is not None)[::-1]

    def command(self) -> str:
        """Return the `position` line."""
        moves = " ".join(self.moves)
        return f"position fen {self.start}" + (f" moves {moves}" if moves else "")

    def with_moves(self, moves: Sequence[str]) -> "MoveHistory":
        """Return the history of these moves, starting from the first position.

        Moves at the beginning that this history already has are not made again.

        Raises
        ------
        MoveError
            If a move is malformed or illegal; its ply is at the end of the
            message.
        """
        known = _common_length(moves, self._moves, lambda one, other: one == other)
        positions = list(self.positions[: known + 1])
        for move in moves[known:]:
            try:
                positions.append(positions[-1].apply(move))
            except MoveError as error:
                raise type(error)(f"{error} (ply {len(positions)})") from None
        return MoveHistory(positions, moves)

    def with_positions(self, positions: Sequence[Position]) -> "MoveHistory":
        """Return the history of these positions, with the moves between them.

        Moves at the beginning that this history already has are reused; finding
        any other move takes up to one `apply` for each legal move.
        """
        known = _common_length(positions, self.positions, lambda one, other: one is other)
        moves = list(self._moves[: max(known - 1, 0)])
        moves += [_move_between(*pair) for pair in pairwise(positions[len(moves) :])]
        return MoveHistory(positions, moves)


def _common_length(first: Iterable[T], second: Iterable[T], are_same: Callable[[T, T], bool]) -> int:
    """Return the length of the common prefix."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: are_same(*pair), pairs))


def _move_between(before: Position, after: Position) -> str | None:
    """Return the move that leads from one position to the next, or None if there is none."""
    game, words = before.game, after.words.tobytes()
    if before.outcome is not None:
        return None
    successor = np.empty_like(before.words)
    for action in before.actions:
        game.kernels.apply(before.words, action, successor)
        if successor.tobytes() == words:
            return game.format_action(before.words, action)
    return None
