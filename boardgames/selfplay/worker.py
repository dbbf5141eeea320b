"""Tasks for workers: matches in compiled code that train weights or compare them.

`play_matches`, `label_positions`, `train_players` and `train_tables` run in worker processes or on a
cluster. Only names and numbers are sent to workers. Each thread of a worker loads the game once and
keeps it in a `WorkerState`, together with the buffers that the kernels need. The
result of a task depends only on its arguments, which include the seed, so a task
can run anywhere and be repeated.
"""

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from boardgames import plugins
from boardgames.declarations import Evaluation, FeatureSet
from boardgames.errors import OptionError, WeightsError, quote
from boardgames.game import Game
from boardgames.kernels import Control, Reals, Words, new_control
from boardgames.kernels.bundles import Bundle
from boardgames.search.remembering import MAX_REMEMBERED, Remembering, remembering
from boardgames.search.rules import DRAWN, MAX_DEPTH, UNFINISHED
from boardgames.search.runner import run
from boardgames.selfplay import tables, temporal
from boardgames.selfplay.contest import contest, new_workspaces
from boardgames.selfplay.searching import LabelledPositions, LabelPlay, LabelSettings, NodeSearch
from boardgames.selfplay.tables import TableParameters
from boardgames.selfplay.temporal import TDParameters
from boardgames.weights import Weights
from boardgames.weights.linear import linear_evaluation
from boardgames.weights.lookup import load_features_of

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SelfPlaySetup:
    """What all matches of a learner have in common; usually made by `SelfPlaySetup.of`.

    Attributes
    ----------
    game, layout, features : str
        Names of the game, its layout, and its feature or pattern set.
    options : tuple of (str, str)
        The game's options as text.
    opening : int
        Number of random opening plies.
    ply_limit : int
        Maximum length. A match that reaches it is unfinished, unless the game says who wins at the limit.
    """

    game: str
    layout: str
    options: tuple[tuple[str, str], ...]
    features: str
    opening: int
    ply_limit: int

    @classmethod
    def of(cls, game: Game, features: str, *, opening: int, ply_limit: int) -> "SelfPlaySetup":
        """Return the setup for matches of a registered game."""
        options = tuple((name, str(value)) for name, value in game.options.items() if value is not None)
        return cls(game.facts.name, game.layout, options, features, opening, ply_limit)


@dataclass(frozen=True, slots=True, eq=False)
class Contestant:
    """A player in `play_matches`: alpha-beta of fixed depth, or random moves.

    Attributes
    ----------
    weights : float64[n], Weights or None
        Weights of the setup's features, or of any features or patterns; None for the game's own evaluation.
    depth : int
        Search depth in plies, at least 1.
    is_random : bool
        True to play random moves regardless of the weights.
    """

    weights: Reals | Weights | None = None
    depth: int = 1
    is_random: bool = False


@dataclass(frozen=True, slots=True)
class SelfPlayMatch:
    """The result of one match, from the point of view of the first contestant.

    Attributes
    ----------
    side : int
        Side of the first contestant.
    winner : int or None
        Side that won, or None if neither did.
    is_unfinished : bool
        True if the match reached the ply limit or was stopped.
    plies : int
        Length of the match.
    moves_hash : int
        Equal for matches with equal moves.
    scores : (int, int)
        Final score of side 0 and of side 1.
    """

    side: int
    winner: int | None
    is_unfinished: bool
    plies: int
    moves_hash: int
    scores: tuple[int, int]

    @property
    def points(self) -> float:
        """Return 1 for a win of the first contestant, 0 for a loss, and one half otherwise."""
        return 0.5 if self.winner is None else float(self.winner == self.side)

    @property
    def margin(self) -> int:
        """Return the first contestant's score minus the other's."""
        return self.scores[self.side] - self.scores[1 - self.side]


@dataclass(frozen=True, slots=True, eq=False)
class TrainingResult:
    """The result of training two players.

    Attributes
    ----------
    weights : float64[2, n]
        The weights of both players.
    matches : list of SelfPlayMatch
        Their matches, from the point of view of the first player.
    valued : int
        Number of positions that were valued.
    errors : float64[2, 2, n]
        For each player, the sums of the errors of each weight, then the sums of their absolute values.
    """

    weights: Reals
    matches: list[SelfPlayMatch] = field(default_factory=list)
    valued: int = 0
    errors: Reals = field(default_factory=lambda: np.zeros((2, 2, 0)))


@dataclass(frozen=True, slots=True, eq=False)
class TrainedTables:
    """Tables after training, and statistics of the matches.

    Attributes
    ----------
    tables : Tables
        All entries that have been trained.
    results : tuple of int
        Matches won by side 0 and side 1, drawn, and unfinished.
    plies : int
        Sum of the lengths of the matches.
    """

    tables: tables.Tables
    results: tuple[int, ...]
    plies: int


def derive_seed(*content: object) -> int:
    """Return a 64-bit seed that is a hash of numbers and texts.

    Examples
    --------
    >>> derive_seed(7, "step", 1) == derive_seed(7, "step", 1) != derive_seed(7, "step", 2)
    True
    """
    text = " ".join(str(part) for part in content)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def train_players(
    setup: SelfPlaySetup,
    weights: Reals,
    parameters: TDParameters | tuple[TDParameters, TDParameters],
    *,
    matches: int,
    seed: int,
    errors: Reals | None = None,
) -> TrainingResult:
    """Train two players by TD(lambda) in matches against each other.

    Parameters
    ----------
    weights : float64[2, n]
        One row for each player. Not changed.
    parameters : TDParameters, or one for each player
        With `shared`, both play with the first row. `tanh`, `shared` and `plies` must be equal.
    matches : int
        The players change sides after each match.
    seed : int
        Seeds openings and exploration.
    errors : float64[2, 2, n], optional
        Sums of errors from previous training, used if `beta` is not 0; see `TrainingResult`. Not changed.

    Raises
    ------
    WeightsError
        If the weights diverge.
    """
    state = worker_state(setup)
    both = parameters if isinstance(parameters, tuple) else (parameters, parameters)
    trained = state.run_stoppable(lambda: state.train_players(weights, both, matches, seed, errors))
    check_finite(trained.weights, max(one.alpha for one in both))
    return trained


def train_tables(
    setup: SelfPlaySetup,
    groups: tuple[tuple[int, ...], ...],
    trained: tables.Tables,
    parameters: TableParameters,
    *,
    matches: int,
    seed: int,
) -> TrainedTables:
    """Train tables of weights for groups of cells in matches against themselves.

    Parameters
    ----------
    groups : tuple of tuple of int
        The groups of cells of the setup's patterns.
    trained : Tables
        The tables with which training begins. Not changed.
    seed : int
        Seeds openings, exploration, and choices among equally good moves.

    Raises
    ------
    WeightsError
        If the weights diverge.
    """
    state = worker_state(setup)
    result = state.run_stoppable(lambda: state.train_tables(groups, trained, parameters, matches, seed))
    check_finite(result.tables.weights, parameters.alpha)
    return result


def check_finite(weights: npt.NDArray[np.floating[Any]], alpha: float) -> None:
    """Raise WeightsError if weights are not finite; they may be too large for a file."""
    if not np.isfinite(weights).all():
        raise WeightsError(f"the weights diverged with alpha={alpha:g}; choose a smaller alpha")


def label_positions(
    setup: SelfPlaySetup,
    layouts: tuple[str, ...],
    player: Weights,
    opponents: tuple[Weights | None, ...],
    settings: LabelSettings,
    *,
    matches: range,
    opponent_share: float,
    seed: int,
) -> LabelledPositions:
    """Play matches by search and return their quiet positions, with the values of the player's searches.

    Parameters
    ----------
    layouts : tuple of str
        Names of the layouts from which matches start, in turn.
    player, opponents : Weights
        Weights of features or patterns; an opponent may be None for the game's own evaluation.
    matches : range
        Numbers of the matches, which determine layouts and sides.
    opponent_share : float
        Probability that the player meets one of the opponents instead of itself.
    seed : int
        Seeds all random choices.
    """
    state = worker_state(setup)

    def work() -> LabelledPositions:
        return state.label_positions(layouts, player, opponents, settings, matches, opponent_share, seed)

    return state.run_stoppable(work)


def play_matches(
    setup: SelfPlaySetup,
    first: Contestant,
    second: Contestant,
    *,
    matches: int,
    seed: int,
    epsilon: float = 0.0,
) -> list[SelfPlayMatch]:
    """Play matches without learning: two from each opening, with the sides exchanged.

    Both sides make a random move with probability `epsilon`.
    """
    state = worker_state(setup)
    return state.run_stoppable(lambda: state.play_matches(first, second, matches, seed, epsilon))


_local = threading.local()


def worker_state(setup: SelfPlaySetup) -> "WorkerState":
    """Return this thread's state for a setup, which is kept until another setup is used."""
    state: WorkerState | None = getattr(_local, "state", None)
    if state is None or state.setup != setup:
        state = _local.state = WorkerState(setup)
    return state


class WorkerState:
    """The state of one thread: a loaded game with its features, and buffers."""

    def __init__(self, setup: SelfPlaySetup) -> None:
        self.setup = setup
        self.game = plugins.load(setup.game, layout=setup.layout or None, **dict(setup.options))
        self.start = self.game.start().words
        self.rules = self._rules()
        self.control: Control = new_control()

    def _rules(self) -> Remembering | None:
        """Return rules that remember earlier positions, or None if repetition has no meaning in the game."""
        repetition = self.game.facts.repetition
        if repetition is None or repetition.meaning == "none":
            return None
        return remembering(self.game, repetition, min(self.setup.ply_limit + MAX_DEPTH, MAX_REMEMBERED))

    @cached_property
    def features(self) -> FeatureSet:
        """Return the features of the setup."""
        return plugins.load_features(self.setup.features, self.game)

    def run_stoppable(self, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, which uses this state. Ctrl-C stops its kernels."""
        self.control[0].stop = 0
        return run(work, self.control)

    def train_players(
        self,
        weights: Reals,
        parameters: tuple[TDParameters, TDParameters],
        matches: int,
        seed: int,
        errors: Reals | None = None,
    ) -> TrainingResult:
        """Run the task `train_players`."""
        setup, facts, rules = self.setup, self.game.facts, self.rules
        game, features = self.game, self.features
        if rules is not None:
            game, features = rules.game, rules.features(features)
        records = np.concatenate([one.record() for one in parameters])
        workspace = temporal.new_workspace(
            game, features, np.array(weights, order="C"), records, self.control
        )
        if errors is not None:
            workspace.sums[:], workspace.sizes[:] = errors[:, 0], errors[:, 1]
        bundle = Bundle(workspace)
        workspace.random_state[0] = seed
        self.control[0].nodes = 0
        results: list[SelfPlayMatch] = []
        rows = [workspace.parameters]
        if not parameters[0].shared:
            rows += [workspace.weights, workspace.sums, workspace.sizes]
        for number in range(matches):
            if side := number % 2:
                _swap(rows)
            workspace.positions[0] = self._packed_start()
            workspace.moves_hash[0] = 0
            code = temporal.learn_match(bundle.words, setup.opening, setup.ply_limit, facts.no_moves_draws)
            if side:
                _swap(rows)
            results.append(self.result(code, side, workspace.moves_hash, workspace.positions[0]))
        by_player = np.stack([workspace.sums, workspace.sizes], axis=1)
        return TrainingResult(workspace.weights, results, int(self.control[0].nodes), by_player)

    def train_tables(
        self,
        groups: tuple[tuple[int, ...], ...],
        trained: tables.Tables,
        parameters: TableParameters,
        matches: int,
        seed: int,
    ) -> TrainedTables:
        """Run the task `train_tables`."""
        setup = self.setup
        patterns = plugins.load_patterns(setup.features, self.game).grouped(groups)
        record = parameters.record(opening=setup.opening, ply_limit=setup.ply_limit)
        workspace = tables.new_workspace(self.game, patterns, record, self.control)
        trained.spread(workspace)
        workspace.random_state[0] = seed
        results = np.zeros(temporal.RESULTS, dtype=np.int64)
        bundle = Bundle(workspace)
        plies = tables.learn_matches(bundle.words, self.start, matches, results)
        return TrainedTables(tables.Tables.gather(workspace), tuple(results.tolist()), int(plies))

    def label_positions(
        self,
        layouts: tuple[str, ...],
        player: Weights,
        opponents: tuple[Weights | None, ...],
        settings: LabelSettings,
        matches: range,
        opponent_share: float,
        seed: int,
    ) -> LabelledPositions:
        """Run the task `label_positions`."""
        game, random = self.game, np.random.default_rng(seed)
        evaluations = [self._evaluation(Contestant(weights)) for weights in (player, *opponents)]
        searches = [NodeSearch(game, evaluation, self.control) for evaluation in evaluations]
        chosen = [
            searches[1 + int(random.integers(len(opponents)))] if random.random() < opponent_share else None
            for _ in matches
        ]
        starts = [game.parse(game.facts.layouts[layout]).words for layout in layouts]
        return LabelPlay(game, starts, self.control, settings).play(
            searches[0], chosen, matches.start, random
        )

    def play_matches(
        self, first: Contestant, second: Contestant, matches: int, seed: int, epsilon: float = 0.0
    ) -> list[SelfPlayMatch]:
        """Run the task `play_matches`."""
        setup, contestants = self.setup, (first, second)
        depths = np.array([0 if one.is_random else one.depth for one in contestants], dtype=np.int64)
        game, evaluations = self.game, [self._evaluation(one) for one in contestants]
        if self.rules is not None:
            game, evaluations = self.rules.game, [self.rules.evaluation(one) for one in evaluations]
        workspaces = new_workspaces(game, evaluations, int(depths.max()), self.control)
        bundles = [Bundle(workspace) for workspace in workspaces]
        positions = workspaces[0].positions
        results = []
        for number in range(matches):
            side = number % 2  # side of the first contestant
            by_side = bundles[:: 1 - 2 * side]
            positions[0] = self._packed_start()
            random_state = np.array([derive_seed(seed, number // 2)], dtype=np.uint64)
            moves_hash = np.zeros(1, dtype=np.uint64)
            code = contest(
                by_side[0].words,
                by_side[1].words,
                np.ascontiguousarray(depths[:: 1 - 2 * side]),
                random_state,
                moves_hash,
                setup.opening,
                setup.ply_limit,
                epsilon,
            )
            results.append(self.result(code, side, moves_hash, positions[0]))
        return results

    def result(self, code: int, side: int, moves_hash: Words, words: Words) -> SelfPlayMatch:
        """Return the result of a match from the number that a kernel returns; see `temporal.RESULTS`."""
        plies, result = divmod(int(code), temporal.RESULTS)
        winner = None if result in (DRAWN, UNFINISHED) else result
        unfinished = result == UNFINISHED
        points = self.game.score(words[: self.start.size])
        return SelfPlayMatch(side, winner, unfinished, plies, int(moves_hash[0]), points)

    def _packed_start(self) -> Words:
        """Return the packed start position, in the form that the kernels of a match expect."""
        return self.start if self.rules is None else self.rules.pack(self.game.start())

    def _evaluation(self, contestant: Contestant) -> Evaluation:
        weights = contestant.weights
        if weights is None or contestant.is_random:
            return self.game.evaluation
        if isinstance(weights, Weights):
            return weights.evaluation(self.game, load_features_of(weights, self.game))
        features = self.features
        size = len(features.features)
        if weights.shape != (size,):
            raise OptionError(
                f"features {features.name!r} need {size} weights, not an array of shape "
                f"{quote(weights.shape)}"
            )
        return linear_evaluation(self.game, features, weights, tanh=False)


def _swap(arrays: Sequence[npt.NDArray[Any]]) -> None:
    """Swap the two rows of each array."""
    for one in arrays:
        one[:] = one[::-1].copy()
