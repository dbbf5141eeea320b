"""Opening suites: the positions from which an arena plays its pairs of matches.

Two deterministic players would repeat the same match over and over, so a series
needs many openings. Each one is played twice, with sides swapped.
"""

import random
from collections.abc import Mapping
from pathlib import Path

from boardgames.errors import BoardgamesError, FileError, LimitError, UnknownNameError, quote, suggest
from boardgames.game import Game, Position
from boardgames.paths import read_text
from boardgames.player import fingerprint_of
from boardgames.reading import read_position

DEFAULT_OPENINGS = "random:4"
MOVES = "moves:"
"""Prefix of lines in a file of openings that give moves from the start instead of a position."""
MAX_PLIES = 100
MAX_POSITIONS = 20_000
MAX_TRIES = 100
"""After this many repeats in a row, it is assumed that there are no other random openings."""


class Openings:
    """An opening suite, loaded and validated.

    Parameters
    ----------
    game : Game
        Random openings and `every:` start from its layout.
    text : str
        `random:4` for different positions after four random plies; `every:2` for
        all positions after two plies; `layouts` for the game's layouts; the name
        of one of the game's own suites; or a file with one opening per line: a
        position, or the moves that lead to it (`moves: f5 d6 c3`). In the file,
        `#` starts a comment.

    Attributes
    ----------
    fingerprint : str
        Hash of the positions; empty for random openings.

    Raises
    ------
    UnknownNameError, LimitError, FileError, PositionError
        If the text does not name a suite or file, or if a position is invalid or
        the match is over there.

    Examples
    --------
    >>> import boardgames
    >>> Openings(boardgames.load("connect4"), "random:2").take(1, seed=1)
    ['......./......./......./......./......./.r..b..']
    """

    def __init__(self, game: Game, text: str) -> None:
        self.game, self.text = game, text
        kind, colon, plies = text.partition(":")
        self._plies = _parse_plies(plies) if kind == "random" and colon else None
        self._positions = [] if self._plies is not None else _read_suite(game, text)
        self.fingerprint = fingerprint_of(*(position.encode() for position in self._positions))
        self.take(1, seed=0)  # report errors now, not during the arena

    def take(self, count: int, *, seed: int) -> list[str]:
        """Return `count` positions as text. A fixed suite is shuffled, and repeated if it is too short.

        With the same seed, a larger `count` gives the same openings followed by
        more openings.
        """
        rng = random.Random(f"openings {seed}")  # noqa: S311 - not for cryptography
        if self._plies is None:
            positions = rng.sample(self._positions, len(self._positions))
        else:
            positions = _random_openings(self.game, self._plies, rng, count)
        return [positions[index % len(positions)] for index in range(count)]


def _random_openings(game: Game, plies: int, rng: random.Random, count: int) -> list[str]:
    """Return `count` different openings, or as many as can be found."""
    openings: dict[str, None] = {}
    start, misses = game.start(), 0
    while len(openings) < count and misses < MAX_TRIES:
        opening = str(_random_walk(start, plies, rng))
        misses = misses + 1 if opening in openings else 0
        openings[opening] = None
    return list(openings)


def _random_walk(start: Position, plies: int, rng: random.Random) -> Position:
    """Return an unfinished position after `plies` random plies."""
    for _ in range(MAX_TRIES):
        position = start
        for _ in range(plies):
            if position.outcome is not None:
                break
            action = rng.choice(position.actions)
            position = position.apply(position.game.decode(position, action))
        if position.outcome is None:
            return position
    raise LimitError(f"{plies} random plies finish nearly every match of {start.game}; use fewer")


def _read_suite(game: Game, text: str) -> list[str]:
    kind, colon, plies = text.partition(":")
    if kind == "every" and colon:
        return _every_position(game, _parse_plies(plies))
    suites: Mapping[str, tuple[str, ...]] = {
        "layouts": tuple(game.facts.layouts.values()),
        **game.facts.openings,
    }
    if text in suites:
        return _check(game, {f"{text}, position {n}": line for n, line in enumerate(suites[text], start=1)})
    path = Path(text)
    if not _is_file(path):
        known = suggest(text, [*suites, "random:4", "every:2"])
        raise UnknownNameError(f"no openings {quote(text)} for {game.facts.name}, and no such file{known}")
    lines = [line.partition("#")[0].strip() for line in read_text(path).splitlines()]
    positions = {f"{text}, line {number}": line for number, line in enumerate(lines, start=1) if line}
    if not positions:
        raise FileError(f"there are no positions in {text}")
    return _check(game, positions)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # the text is not a valid file name
        return False


def _every_position(game: Game, plies: int) -> list[str]:
    layer = {game.start().words.tobytes(): game.start()}
    for _ in range(plies):
        successors: dict[bytes, Position] = {}
        for position in layer.values():
            for action in position.actions:
                successor = position.apply(game.decode(position, action))
                successors[successor.words.tobytes()] = successor
            if len(successors) > MAX_POSITIONS:
                raise LimitError(f"every:{plies} has more than {MAX_POSITIONS} positions; use fewer plies")
        layer = successors
    openings = [str(position) for position in layer.values() if position.outcome is None]
    if not openings:
        raise LimitError(f"every match of {game} is over after {plies} plies; use fewer")
    return openings


def _check(game: Game, positions: Mapping[str, str]) -> list[str]:
    """Return the distinct positions in canonical notation; the keys of `positions` name their sources."""
    openings: dict[str, None] = {}
    for place, text in positions.items():
        try:
            moves = text.removeprefix(MOVES)
            position = read_position(game, text) if moves == text else game.start().apply_moves(moves)
        except BoardgamesError as error:
            error.args = (f"{error} ({place})", *error.args[1:])
            raise
        if position.outcome is not None:
            raise FileError(f"the match is already over in the opening {quote(text)} ({place})")
        openings[str(position)] = None
    return list(openings)


def _parse_plies(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and int(text) <= MAX_PLIES):
        raise LimitError(f"the number of plies must be 0 to {MAX_PLIES}, not {quote(text)}")
    return int(text)
