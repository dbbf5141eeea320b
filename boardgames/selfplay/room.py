"""Rooms: a game with the buffers that compiled matches need, kept ready by each thread of a worker.

What travels to a worker are names and numbers; the functions of this module
are the tasks. Every task is decided by its arguments alone, its seed among
them, so that it may be done anywhere, and again.
"""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from boardgames import plugins
from boardgames.declarations import Evaluation, FeatureSet
from boardgames.errors import OptionError, shown
from boardgames.game import Game
from boardgames.kernels import STOP, Control, Reals, Words, new_control
from boardgames.search.playout import DRAWN, UNDECIDED
from boardgames.search.runner import run
from boardgames.search.tree import SETTINGS
from boardgames.selfplay.contest import contest
from boardgames.selfplay.temporal import RESULTS, learn_match
from boardgames.weights.linear import linear_evaluation

Result = TypeVar("Result")

GAME_PLAYS = "the game's evaluation"
RANDOM_PLAYS = "any move"


@dataclass(frozen=True, slots=True)
class Setting:
    """What all matches of a learner share; made by `of`.

    Attributes
    ----------
    game, layout, features : str
        Names as `boardgames.load` and `boardgames.load_features` take them.
    options : tuple of (str, str)
        The game's options as texts.
    opening, ply_limit : int
        Plies that are any at the start; plies after which a match is undecided.
    """

    game: str
    layout: str
    options: tuple[tuple[str, str], ...]
    features: str
    opening: int
    ply_limit: int

    @classmethod
    def of(cls, game: Game, features: str, *, opening: int, ply_limit: int) -> "Setting":
        """Return the setting of matches of a game, which has a name to be loaded by."""
        options = tuple((name, str(value)) for name, value in game.options.items() if value is not None)
        return cls(game.facts.name, game.layout, options, features, opening, ply_limit)


@dataclass(frozen=True, slots=True)
class Rates:
    """How TD(lambda) learns: see `temporal`; `shares` gives both sides the first row of the weights."""

    alpha: float = 0.1
    gamma: float = 0.9
    trace: float = 0.5
    epsilon: float = 0.1
    squashes: bool = True
    shares: bool = False

    def as_array(self) -> Reals:
        """Return what the kernel takes, `float64[6]`."""
        return np.array([self.alpha, self.gamma, self.trace, self.epsilon, self.squashes, self.shares], float)


@dataclass(frozen=True, slots=True, eq=False)
class Contestant:
    """Who plays in a contest: weights of the setting's features, or what `plays` says.

    Attributes
    ----------
    weights : float64[n] or None
        Of a linear evaluation; None for what `plays` says.
    depth : int
        Plies looked ahead, at least one.
    plays : str
        `GAME_PLAYS`, by the evaluation of the game, or `RANDOM_PLAYS`.
    features : str
        What the weights are of; empty for the setting's.
    """

    weights: Reals | None = None
    depth: int = 1
    plays: str = GAME_PLAYS
    features: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """A match as it ended, for the contestant named first.

    Attributes
    ----------
    side : int
        Which the first had.
    winner : int or None
        Side that won.
    is_undecided : bool
        The limit of plies was reached.
    plies : int
        Of the whole match.
    course : int
        Equal for equal moves from equal starts.
    scores : (int, int)
        What the rules count at the end, of side 0 and side 1.
    """

    side: int
    winner: int | None
    is_undecided: bool
    plies: int
    course: int
    scores: tuple[int, int]

    @property
    def points(self) -> float:
        """Return 1 for a win of the first, 0 for a loss, else one half."""
        return 0.5 if self.winner is None else float(self.winner == self.side)

    @property
    def margin(self) -> int:
        """Return what the first has more of what the rules count."""
        return self.scores[self.side] - self.scores[1 - self.side]


@dataclass(frozen=True, slots=True, eq=False)
class Taught:
    """Two sets of weights, `float64[2, n]`, after matches against each other, and how those ended."""

    weights: Reals
    matches: list[Ended] = field(default_factory=list)


def seed_of(*content: object) -> int:
    """Return a seed of 64 bits that follows from its content: numbers and texts.

    Examples
    --------
    >>> seed_of(7, "step", 1) == seed_of(7, "step", 1) != seed_of(7, "step", 2)
    True
    """
    text = " ".join(str(part) for part in content)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def teach(setting: Setting, weights: Reals, rates: Rates, *, matches: int, seed: int) -> Taught:
    """Let two players learn from matches against each other; a task.

    Parameters
    ----------
    weights : float64[2, n]
        Not changed. If they share weights, both play with the first row.
    rates : Rates
        How they learn.
    matches : int
        The players change sides after each.
    seed : int
        Decides exploration and openings.
    """
    room = room_of(setting)
    return room.stoppable(lambda: room.teach(weights, rates, matches, seed))


def play(setting: Setting, first: Contestant, second: Contestant, *, matches: int, seed: int) -> list[Ended]:
    """Play matches in pairs of one opening with the sides exchanged; a task."""
    room = room_of(setting)
    return room.stoppable(lambda: room.play(first, second, matches, seed))


_kept = threading.local()


def room_of(setting: Setting) -> "Room":
    """Return this thread's room of a setting; the last one stays ready."""
    room: Room | None = getattr(_kept, "room", None)
    if room is None or room.setting != setting:
        room = _kept.room = Room(setting)
    return room


class Room:
    """A game loaded, its features, and the buffers of one thread."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.game = plugins.load(setting.game, layout=setting.layout or None, **dict(setting.options))
        self.features = plugins.load_features(setting.features, self.game)
        facts, size = self.game.facts, len(self.features.features)
        self.start = self.game.start().words
        self.control: Control = new_control()
        self._positions = np.zeros((2, facts.words), dtype=np.uint64)
        self._moves = np.zeros((1, facts.actions), dtype=np.int64)
        self._traces, self._before = np.zeros((2, size)), np.zeros((2, size))
        self._scratch = np.zeros((4, size))
        self._scratch[2], self._scratch[3] = self.features.scale

    def stoppable(self, work: Callable[[], Result]) -> Result:
        """Return what `work` with this room returns; a Ctrl-C ends its matches and is raised."""
        self.control[STOP] = 0
        return run(work, self.control)

    def teach(self, weights: Reals, rates: Rates, matches: int, seed: int) -> Taught:
        """Do the task `teach`."""
        kernels, facts, setting = self.game.kernels, self.game.facts, self.setting
        settings = rates.as_array()
        own = np.array(weights, order="C")
        exchanged = own.copy()
        ended: list[Ended] = []
        state = np.array([seed, 0], dtype=np.uint64)
        for number in range(matches):
            side = number % 2
            if not rates.shares:
                exchanged[:] = own[::-1]
            seated = own if side == 0 or rates.shares else exchanged
            self._positions[0] = self.start
            state[1] = 0
            code = learn_match(
                kernels.legal_moves,
                kernels.apply,
                kernels.side_to_move,
                kernels.outcome,
                self.features.kernel,
                self._positions,
                self._moves,
                seated,
                self._traces,
                self._before,
                self._scratch,
                settings,
                state,
                setting.opening,
                setting.ply_limit,
                facts.no_moves_draws,
                self.control,
            )
            if seated is exchanged:
                own[:] = exchanged[::-1]
            ended.append(self._ended(code, side, state, self._positions[0]))
        return Taught(own, ended)

    def play(self, first: Contestant, second: Contestant, matches: int, seed: int) -> list[Ended]:
        """Do the task `play`."""
        return [
            self._contest(
                (first, second)[:: 1 if number % 2 == 0 else -1], number % 2, seed_of(seed, number // 2)
            )
            for number in range(matches)
        ]

    def _contest(self, seats: tuple[Contestant, ...], side: int, seed: int) -> Ended:
        kernels, facts, setting = self.game.kernels, self.game.facts, self.setting
        by = [self._evaluation(seat) for seat in seats]
        depths = np.array([0 if seat.plays == RANDOM_PLAYS else seat.depth for seat in seats])
        rows = int(depths.max()) + 2
        positions = np.zeros((rows, facts.words), dtype=np.uint64)
        positions[0] = self.start
        state = np.array([seed, 0], dtype=np.uint64)
        settings = np.zeros(SETTINGS, dtype=np.int64)
        settings[0] = facts.no_moves_draws
        code = contest(
            kernels.legal_moves,
            kernels.apply,
            kernels.side_to_move,
            kernels.outcome,
            kernels.move_order,
            by[0].kernel,
            by[0].weights,
            by[1].kernel,
            by[1].weights,
            positions,
            np.zeros((2 * rows, facts.actions), dtype=np.int64),
            np.zeros((rows, rows + 1), dtype=np.int64),
            depths.astype(np.int64),
            state,
            setting.opening,
            setting.ply_limit,
            facts.no_moves_draws,
            settings,
            self.control,
        )
        return self._ended(code, side, state, positions[0])

    def _evaluation(self, seat: Contestant) -> Evaluation:
        if seat.weights is None:
            return self.game.evaluation
        features = self._features_of(seat)
        if seat.weights.shape != (len(features.features),):
            raise OptionError(f"expected {len(features.features)} weights: {shown(seat.weights.shape)}")
        return linear_evaluation(self.game, features, seat.weights, squashes=False)

    def _features_of(self, seat: Contestant) -> FeatureSet:
        if seat.features in ("", self.features.name):
            return self.features
        return plugins.load_features(seat.features, self.game)

    def _ended(self, code: int, side: int, state: Words, words: Words) -> Ended:
        plies, result = divmod(int(code), RESULTS)
        winner = None if result in (DRAWN, UNDECIDED) else result
        return Ended(side, winner, result == UNDECIDED, plies, int(state[1]), self.game.score(words))
