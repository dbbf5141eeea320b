"""The learner `patterns`: tables of weights for search, fitted to the values of searches.

Each step plays matches by search with the current weights. In positions whose best move is
quiet, the value of the search says what the static evaluation should have been, so this is the
label; the result of the match also counts a little. Positions at the end of principal
variations would be of little use, because their value is almost the static evaluation itself.

Then the weights are fitted to the positions of all steps so far, each time starting from the
initial weights of the pattern set's model. One match in `HELD_OUT` is only used to measure the
loss.

Source: M. Buro, "From simple features to sophisticated evaluation functions", 1998, for
tables of patterns by phase, fitted to labelled positions.
"""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from boardgames.errors import LearnerStateError, OptionError, UnknownNameError, quote, suggest
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import LearnerState
from boardgames.learning.base import PATTERNS, PLY_LIMIT, START, TEST_MATCHES, WeightsLearner, find_patterns
from boardgames.learning.pattern_fit import Fit, FitSettings, start_weights
from boardgames.options import Option
from boardgames.patterns import PatternModel, PatternSet
from boardgames.selfplay import LabelledPositions, LabelSettings, derive_seed, label_positions
from boardgames.weights import Weights
from boardgames.weights.lookup import find_weights

BATCH = 10
"""Maximum number of matches in a task."""
HELD_OUT = 20
"""One match in this many is left out of the fit, to measure the loss."""
ALL = "all"

Array = npt.NDArray[Any]
FIRST = ("first_tables", "first_features")
"""Names of the state's arrays that hold the weights given by the option `start`."""
COLLECTED = ("words", "values", "points", "matches")
"""Names of the state's arrays with an entry per position, and of their fields in `LabelledPositions`."""


class Patterns(WeightsLearner):
    """Tables of weights of patterns, fitted to the values of searches."""

    name: ClassVar[str] = "patterns"
    follows_curve: ClassVar[bool] = False
    declared_options = (
        replace(PATTERNS, summary="pattern set; default: the game's first one with a model"),
        START,
        Option(
            "nodes", int, 2500, "nodes searched per move; each match uses 0.6 to 1.6 times as many",
            minimum=1, maximum=10**9,
        ),
        Option("matches", int, 600, "matches per step", minimum=1, maximum=10**6),
        Option("steps", int, 10, "number of steps", minimum=1, maximum=10**9),
        Option(
            "layouts", str, None,
            f"start layouts, joined by + and used in turn; {ALL!r} for all of them; default: the game's",
        ),
        Option(
            "opponents", str, None,
            "weights of other players to play against, joined by +; default: none",
        ),
        Option(
            "opponent_share", float, 0.4, "share of the matches that are played against 'opponents'",
            minimum=0, maximum=1,
        ),
        Option("epsilon", float, 0.02, "probability of an exploratory move", minimum=0, maximum=1),
        Option(
            "side_positions", float, 0.1,
            "share of positions after which another one, a few random moves away, is labelled too",
            minimum=0, maximum=1,
        ),
        Option("outcome", float, 0.15, "weight of the match's result in a label", minimum=0, maximum=1),
        Option(
            "anchors", int, None,
            "number of phases with weights of their own, between which weights are interpolated; default: 2, "
            "or 1 if the patterns have only one phase",
            minimum=1, maximum=64,
        ),
        Option(
            "pull", float, 60.0, "strength of the pull towards the initial weights, as a number of positions",
            minimum=0, maximum=1e9,
        ),
        Option("epochs", int, 6, "passes over all positions in a fit", minimum=1, maximum=10_000),
        Option("rate", float, 0.0015, "learning rate, in units of the evaluation", minimum=0, maximum=100),
        Option("opening", int, 8, "maximum number of random opening plies", minimum=0, maximum=1000),
        replace(PLY_LIMIT, default=300),
        TEST_MATCHES,
    )  # fmt: skip

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self.features: PatternSet = find_patterns(game, self.text("patterns"), with_model=True)
        given = self.options["anchors"] is not None
        self.anchors = self.integer("anchors") if given else default_anchors(self.features)
        if self.anchors > self.features.phases:
            raise OptionError(
                f"anchors must be at most {self.features.phases}, the number of phases of "
                f"{self.features.name!r}, not {self.anchors}"
            )
        self.layouts = _layouts(game, self.text("layouts"))
        names = [name for name in self.text("opponents").split("+") if name]
        self.opponents = tuple(find_weights(name, game)[0] for name in names)
        self._fingerprints = " ".join(weights.fingerprint() for weights in self.opponents)
        self.label_settings = LabelSettings(
            nodes=self.integer("nodes"),
            opening=self.integer("opening"),
            ply_limit=self.integer("ply_limit"),
            epsilon=self.number("epsilon"),
            side_positions=self.number("side_positions"),
        )

    @property
    def searches(self) -> bool:
        """Return True, because the weights are fitted to the values of searches."""
        return True

    def matchups(self, result: str) -> Sequence[tuple[str, str]]:
        """Return only the agent that searches with the weights, and its baseline."""
        return (self.search_matchup(result),)

    def start(self, seed: int) -> LearnerState:
        """Return the given weights or those of the model, with no positions yet."""
        given = self._given_weights()
        tables, features = given or start_weights(self.features, self.anchors)
        first = (tables[:0], features[:0]) if given is None else (tables, features)
        arrays: dict[str, Array] = {
            **dict(zip(FIRST, first, strict=True)),
            "tables": tables,
            "features": features,
            "words": np.zeros((0, self.game.facts.words), dtype=np.uint64),
            "values": np.zeros(0, dtype=np.float32),
            "points": np.zeros(0, dtype=np.float32),
            "matches": np.zeros(0, dtype=np.int32),
        }
        return LearnerState(arrays, {"step": 0, "seed": seed, "opponents": self._fingerprints})

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Play the matches of a step, and fit the weights to all positions so far."""
        step, seed = state.integer("step"), state.integer("seed")
        self._check_state(state)
        batches = self._play(state, executor)
        collected = {
            name: np.concatenate([state.arrays[name], *(getattr(batch, name) for batch in batches)])
            for name in COLLECTED
        }
        is_given = FIRST[0] in state.arrays and state.arrays[FIRST[0]].size > 0
        first = tuple(state.arrays[name] for name in FIRST) if is_given else ()
        fit, metrics = self._fit(collected, first, derive_seed(seed, "fit", step))
        arrays = {**state.arrays, **collected, "tables": fit.tables, "features": fit.features}
        after = LearnerState(arrays, {**state.scalars, "step": step + 1})
        test_seed = derive_seed(seed, "test", step)
        return after, {
            **self._score(self.result(after), executor, test_seed),
            **_match_metrics(batches),
            **metrics,
        }

    def result(self, state: LearnerState) -> Weights:
        """Return the weights after the last step."""
        return Weights.of_model(self.game, self.features, state.arrays["tables"], state.arrays["features"])

    def weights(self, state: LearnerState) -> Reals:
        """Return all weights after the last step: those in the tables, then those of features."""
        return np.concatenate([state.arrays["tables"].ravel(), state.arrays["features"].ravel()])

    def _given_weights(self) -> tuple[Reals, Reals] | None:
        """Return the tables and the weights of features to start with, or None if none are given."""
        if not self.text("start"):
            return None
        weights, _ = find_weights(self.text("start"), self.game)
        same = (weights.features, weights.groups) == (self.features.name, self.features.groups)
        if not same or weights.anchors != self.anchors:
            raise OptionError(
                f"the weights {self.text('start')!r} are not for the patterns {self.features.name!r} with "
                f"{self.anchors} anchors"
            )
        tables = np.zeros(self.anchors * self.features.size // self.features.phases)
        tables[weights.entries] = weights.values
        return tables.reshape(self.anchors, -1), weights.linear.copy()

    def _check_state(self, state: LearnerState) -> None:
        """Raise LearnerStateError if this learner cannot continue from a state."""
        if state.scalars["opponents"] != self._fingerprints:
            raise LearnerStateError(
                f"cannot resume: the weights of the opponents {self.text('opponents')!r} have changed since "
                "the run began"
            )
        lengths = {name: len(state.arrays[name]) for name in COLLECTED}
        if len(set(lengths.values())) > 1:
            raise LearnerStateError(f"the arrays of the state differ in length: {lengths}")

    def _score(self, weights: Weights, executor: Executor, seed: int) -> dict[str, float]:
        """Play test matches against the game's own evaluation, and return the average points per match."""
        batches = self._label(
            executor, weights, (None,), replace(self.label_settings, side_positions=0.0),
            range(self.integer("test_matches")), opponent_share=1.0, seed=(seed,),
        )  # fmt: skip
        points = [result for batch in batches for result in batch.results]
        return {"score": float(np.mean(points))} if points else {}

    def _play(self, state: LearnerState, executor: Executor) -> list[LabelledPositions]:
        """Play the matches of a step, numbered from where the previous step ended."""
        step, seed, matches = state.integer("step"), state.integer("seed"), self.integer("matches")
        return self._label(
            executor, self.result(state), self.opponents, self.label_settings,
            range(step * matches, (step + 1) * matches),
            opponent_share=self.number("opponent_share") if self.opponents else 0.0,
            seed=(seed, "patterns"),
        )  # fmt: skip

    def _label(
        self,
        executor: Executor,
        player: Weights,
        opponents: tuple[Weights | None, ...],
        settings: LabelSettings,
        matches: range,
        *,
        opponent_share: float,
        seed: tuple[object, ...],
    ) -> list[LabelledPositions]:
        """Play matches in batches, and return the labelled positions of each batch."""
        batches = [matches[first : first + BATCH] for first in range(0, len(matches), BATCH)]
        futures = [
            executor.submit(
                label_positions, self.setup, self.layouts, player, opponents, settings,
                matches=batch, opponent_share=opponent_share, seed=derive_seed(*seed, batch.start),
            )
            for batch in batches
        ]  # fmt: skip
        return [future.result() for future in futures]

    def _fit(
        self, collected: Mapping[str, Array], first: tuple[Array, ...], seed: int
    ) -> tuple[Fit, dict[str, float]]:
        """Return the fitted weights, and metrics such as the loss on held-out matches before and after.

        The fit starts from the weights in `first`, or from those of the model if `first` is empty.
        """
        model = self.features.model
        assert isinstance(model, PatternModel)
        expected = _logistic(model.slope * collected["values"].astype(np.float64) / model.scale)
        points, outcome = collected["points"], self.number("outcome")
        labels = np.where(np.isnan(points), expected, (1 - outcome) * expected + outcome * points)
        targets = 1.0 - labels  # the weights value a position for the side that has just moved
        settings = FitSettings(
            anchors=self.anchors,
            pull=self.number("pull"),
            rate=self.number("rate"),
            epochs=self.integer("epochs"),
        )
        start = (first[0], first[1]) if first else None
        words, labelled = collected["words"], targets.astype(np.float32)
        fit = Fit(self.game, self.features, words, labelled, settings, start)
        is_held_out = collected["matches"] % HELD_OUT == 0
        held_out, learned = np.flatnonzero(is_held_out), np.flatnonzero(~is_held_out)
        if not targets.size:
            raise OptionError(
                "no position to learn from: play more matches, or raise ply_limit above opening"
            )
        before = fit.loss(held_out)
        fit.learn(learned, seed)
        return fit, {
            "loss": fit.loss(held_out),
            "initial_loss": before,
            "least_loss": _entropy(targets[held_out]),
            "positions": float(len(targets)),
        }


def default_anchors(patterns: PatternSet) -> int:
    """Return the default of the option `anchors` for a pattern set."""
    return min(2, patterns.phases)


def _layouts(game: Game, text: str) -> tuple[str, ...]:
    """Return the names of the layouts that an option lists."""
    names = [name for name in text.split("+") if name] or [game.layout]
    known = list(game.facts.layouts)
    layouts: list[str] = []
    for name in names:
        if name != ALL and name not in known:
            raise UnknownNameError(
                f"{game.facts.name} has no layout {quote(name)}{suggest(name, [ALL, *known])}"
            )
        layouts += known if name == ALL else [name]
    return tuple(layouts)


def _logistic(sums: Reals) -> Reals:
    values: Reals = 0.5 * (1.0 + np.tanh(0.5 * sums))
    return values


def _entropy(targets: Reals) -> float:
    """Return the loss of predicting each target exactly; NaN without targets."""
    if not targets.size:
        return math.nan
    inner = targets[(targets > 0.0) & (targets < 1.0)]
    losses = inner * np.log(inner) + (1.0 - inner) * np.log1p(-inner)
    return float(-losses.sum() / targets.size)


def _match_metrics(batches: Sequence[LabelledPositions]) -> dict[str, float]:
    lengths = [length for batch in batches for length in batch.lengths]
    decided = sum(batch.decided for batch in batches)
    return {"decided": decided / len(lengths), "plies": float(np.mean(lengths))} if lengths else {}
