"""The messages of UGI that both ends read and write: limits of a search, what it finds.

Times are whole milliseconds, scores hundredths (`cp`) or plies to the end
(`mate`), both as the side to move sees them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

import numpy as np

from boardgames.declarations import Unit
from boardgames.errors import MoveError, shown
from boardgames.game import Position
from boardgames.options import is_finite
from boardgames.player import Choice, Clock, Limit
from boardgames.search.rules import EVALUATION_BOUND, WIN

NO_MOVE = "0000"
"""What follows `bestmove` where there is no move to give; no game's move is written so."""

MOVE_TIME_MARGIN = 0.02
HUNDREDTHS: dict[Unit, float] = {"return": 100.0, "centimarble": 1.0, "cell": 100.0, "score": 100.0}
"""Hundredths (`cp`) that one of a unit is; of any other unit it is 100."""

_MILLISECONDS = ("p1time", "p2time", "p1inc", "p2inc")
_COUNTS = ("movetime", "depth", "nodes")
_LONGEST_NUMBER = 15


@dataclass(frozen=True, slots=True)
class Go:
    """What a `go` asks for: its numbers by name, whether it is to wait for `stop`, what is no limit."""

    numbers: dict[str, int]
    is_infinite: bool
    refused: tuple[str, ...]

    def limit(self, side: int) -> Limit:
        """Return the limit for `side`; of `movetime` 20 ms, at most half, are kept back."""
        numbers = self.numbers
        seconds = numbers["movetime"] / 1000 if "movetime" in numbers else None
        if seconds is not None:
            seconds = max(seconds - MOVE_TIME_MARGIN, seconds / 2)
        return Limit(
            seconds=seconds, depth=numbers.get("depth"), nodes=numbers.get("nodes"), clock=self._clock(side)
        )

    def _clock(self, side: int) -> Clock | None:
        times = [self.numbers.get(name) for name in ("p1time", "p2time")]
        given = [time for time in times if time is not None]
        if not given:
            return None
        first, second = (given[0] if time is None else time for time in times)
        increment = self.numbers.get(("p1inc", "p2inc")[side], 0)
        return Clock((first / 1000, second / 1000), increment / 1000)


def parse_go(words: Sequence[str]) -> Go:
    """Return what the words after `go` ask for; several kinds of limits may stand together.

    Numbers below the least that makes sense count as that one.

    Examples
    --------
    >>> asked = parse_go("depth 4 movetime 1000 wtime".split())
    >>> asked.limit(0).depth, asked.limit(0).seconds, asked.refused
    (4, 0.98, ("expected a limit of go: 'wtime'",))
    """
    numbers: dict[str, int] = {}
    refused, is_infinite = [], False
    rest = iter(words)
    for word in rest:
        if word == "infinite":
            is_infinite = True
        elif word not in _MILLISECONDS + _COUNTS:
            refused.append(f"expected a limit of go: {shown(word)}")
        else:
            text = next(rest, "")
            number = whole_number(text)
            if number is None:
                refused.append(f"expected a whole number for {word}: {shown(text)}")
            else:
                numbers[word] = max(number, 1 if word in _COUNTS else 0)
    return Go(numbers, is_infinite, tuple(refused))


def go_line(limit: Limit, side: int, *, default_seconds: float) -> str:
    """Return the `go` that asks for a move of `side` within a limit.

    Where a match clock and a time for the move both count, the engine is told
    the time that the limit makes of them. Nothing that UGI knows being
    limited, it is given `default_seconds`.

    Examples
    --------
    >>> go_line(Limit(clock=Clock((60.0, 59.5), 1.0)), 0, default_seconds=1.0)
    'go p1time 60000 p2time 59500 p1inc 1000 p2inc 1000'
    >>> go_line(Limit(depth=4), 0, default_seconds=1.0)
    'go depth 4'
    """
    parts = []
    if limit.clock is not None and limit.seconds is None:
        times = [int(1000 * seconds) for seconds in limit.clock.remaining]
        added = int(1000 * limit.clock.increment)
        parts.append(f"p1time {times[0]} p2time {times[1]} p1inc {added} p2inc {added}")
    else:
        seconds = limit.budget(side)
        if seconds is None and limit.depth is None and limit.nodes is None:
            seconds = default_seconds
        parts += [] if seconds is None else [f"movetime {max(int(1000 * seconds), 1)}"]
    parts += [] if limit.depth is None else [f"depth {limit.depth}"]
    parts += [] if limit.nodes is None else [f"nodes {limit.nodes}"]
    return " ".join(["go", *parts])


def info_line(choice: Choice) -> str:
    """Return the `info` of what a search has found so far.

    Examples
    --------
    >>> info_line(Choice(None, 0.25, depth=3, nodes=1200, seconds=0.01))
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
    """What an engine has said of its search: the last that came of each kind.

    Examples
    --------
    >>> info = Info()
    >>> info.read("depth 3 score mate 3 nodes 12 pv 4 1 4".split())
    >>> info.depth, info.value("centimarble"), info.line
    (3, 999997.0, ('4', '1', '4'))
    """

    depth: int = 0
    nodes: int = 0
    score: tuple[str, int] | None = None
    line: tuple[str, ...] = ()
    remark: str = ""

    def read(self, words: Sequence[str]) -> None:
        """Take in the words after `info`; what cannot be read, or is not of the best line, is passed over."""
        if _has_lower_rank(words):
            return
        for place, word in enumerate(words):
            following = words[place + 1 : place + 3]
            if word == "string":
                self.remark = " ".join(words[place + 1 :])
                return
            if word == "pv":
                self.line = tuple(words[place + 1 :])
                return
            if word in ("depth", "nodes"):
                setattr(self, word, _count(following[:1], getattr(self, word)))
            elif word in ("cp", "mate"):
                number = whole_number(following[0]) if following else None
                self.score = self.score if number is None else (word, number)

    def value(self, unit: Unit) -> float | None:
        """Return the score as a value in `unit`, for the side to move; a mate is a win in so many plies."""
        if self.score is None:
            return None
        kind, number = self.score
        if kind == "cp":
            value = number / HUNDREDTHS.get(unit, 100.0)
            return min(max(value, -1.0), 1.0) if unit == "return" else value
        sign = 1.0 if number > 0 else -1.0
        return sign if unit == "return" else sign * (WIN - min(abs(number), WIN - EVALUATION_BOUND))


def whole_number(text: str) -> int | None:
    """Return the number that a text of at most 15 digits writes, None for any other text.

    Examples
    --------
    >>> whole_number("-7"), whole_number("7.0")
    (-7, None)
    """
    digits = text.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_NUMBER
    return int(text) if is_number else None


def _score(choice: Choice) -> str:
    """Return the words after `score`; none if nothing is known."""
    value = choice.value
    if value is None or not is_finite(value):
        return ""
    sign = "" if value > 0 else "-"
    if abs(value) > EVALUATION_BOUND:
        return f"mate {sign}{WIN - abs(value):.0f}"
    if choice.unit == "return" and choice.proven and abs(value) == 1.0 and choice.line:
        return f"mate {sign}{len(choice.line)}"
    return f"cp {round(value * HUNDREDTHS.get(choice.unit, 100.0))}"


def _has_lower_rank(words: Sequence[str]) -> bool:
    """Say whether the words are about the second best line or a worse one, `multipv 2`."""
    facts = list(takewhile(lambda word: word not in ("pv", "string"), words))
    ranks = [whole_number(after) for word, after in pairwise(facts) if word == "multipv"]
    return any(rank is not None and rank > 1 for rank in ranks)


def _count(words: Sequence[str], default: int) -> int:
    number = whole_number(words[0]) if words else None
    return default if number is None or number < 0 else number


PREFIX = "option name "
FACTS = ("type", "default", "min", "max", "var")


@dataclass(frozen=True, slots=True)
class Offer:
    """What can be set in an engine: its name, its default as text, its range.

    Examples
    --------
    >>> offer = parse_offer("option name Seed type spin default 1 min 0 max 99")
    >>> offer.name, offer.default, offer.within(250)
    ('Seed', '1', 50)
    """

    name: str
    default: str | None = None
    minimum: int | None = None
    maximum: int | None = None

    def within(self, number: int) -> int:
        """Return a number of the range: `number` if it is one, else its remainder by the range's size."""
        low = min(number, 0) if self.minimum is None else self.minimum
        if self.maximum is None:
            return max(number, low)
        return low + (number - low) % max(self.maximum - low + 1, 1)


def parse_offer(line: str) -> Offer | None:
    """Return what a line offers, None if it is another message; what cannot be read is left out."""
    if not line.startswith(PREFIX):
        return None
    name, _, rest = line.removeprefix(PREFIX).partition(" type ")
    words = rest.split()
    default = _after("default", words)
    least, most = (whole_number(_after(fact, words) or "") for fact in ("min", "max"))
    return Offer(name.strip(), default, least, most)


def _after(fact: str, words: Sequence[str]) -> str | None:
    """Return the words after `fact` up to the next fact; None if it is not there."""
    if fact not in words:
        return None
    found: list[str] = []
    for word in words[words.index(fact) + 1 :]:
        if word in FACTS:
            break
        found.append(word)
    return " ".join(found)


class Trail:
    """The positions of a match and the moves between them.

    Parameters
    ----------
    positions : sequence of Position
        Oldest first, at least one.
    texts : sequence of str or None
        The move after each position but the last; None where no move leads
        from one to the next.

    Examples
    --------
    >>> import boardgames
    >>> trail = Trail([boardgames.load("connect4").start()]).follow(["4", "4"])
    >>> str(trail.position), trail.moves
    ('......./......./......./......./...b.../...r...', ('4', '4'))
    """

    def __init__(self, positions: Sequence[Position], texts: Sequence[str | None] = ()) -> None:
        self.positions = tuple(positions)
        self._texts = tuple(texts)

    @property
    def position(self) -> Position:
        """Return the last position."""
        return self.positions[-1]

    @property
    def start(self) -> Position:
        """Return the position from which `moves` lead to the last one."""
        return self.positions[len(self.positions) - 1 - len(self.moves)]

    @property
    def moves(self) -> tuple[str, ...]:
        """Return the moves since `start`."""
        texts: list[str] = []
        for text in reversed(self._texts):
            if text is None:
                break
            texts.append(text)
        return tuple(reversed(texts))

    def follow(self, texts: Sequence[str]) -> "Trail":
        """Return the trail of these moves from the first position; what is known is not played again.

        Raises
        ------
        MoveError
            If a move is none or not legal; the message ends with its ply.
        """
        known = _shared(texts, self._texts)
        positions = list(self.positions[: known + 1])
        for text in texts[known:]:
            try:
                positions.append(positions[-1].apply(text))
            except MoveError as error:
                raise type(error)(f"{error} (ply {len(positions)})") from None
        return Trail(positions, texts)

    def reach(self, positions: Sequence[Position]) -> "Trail":
        """Return the trail of these positions, the moves worked out where they are not known.

        That takes one `apply` for each legal move of a new position.
        """
        known = _shared_positions(positions, self.positions)
        texts = list(self._texts[: max(known - 1, 0)])
        texts += [_move_between(*pair) for pair in pairwise(positions[len(texts) :])]
        return Trail(positions, texts)


def _shared(first: Iterable[str], second: Iterable[str | None]) -> int:
    """Return the length of the common beginning."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


def _shared_positions(first: Sequence[Position], second: Sequence[Position]) -> int:
    """Return how many positions at the beginning are the same objects."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one is not other:
            break
        count += 1
    return count


def _move_between(before: Position, after: Position) -> str | None:
    """Return the text of the move that leads from one position to the next, or None."""
    game, words = before.game, after.words.tobytes()
    if before.outcome is not None:
        return None
    successor = np.empty_like(before.words)
    for action in before.actions:
        game.kernels.apply(before.words, action, successor)
        if successor.tobytes() == words:
            return game.format_action(before.words, action)
    return None
