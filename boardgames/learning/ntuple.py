"""The learner `ntuple`: TD(lambda) for tables of pattern weights, with a step size for each weight.

The groups of cells that are looked up are declared by the game or drawn at random. The
matches of a step are divided into a fixed number of parts. Each part starts from the same tables
and trains on its own, so the result does not depend on the number of workers. See
`boardgames.selfplay.tables` for the algorithm.

Source: S. Lucas, "Learning to play Othello with n-tuple systems", 2008, for random walks.
"""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from boardgames.errors import OptionError, PluginError
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import Array, LearnerState, Scalar
from boardgames.learning.base import (
    OPENING,
    PATTERNS,
    PLY_LIMIT,
    START,
    TEST_MATCHES,
    WeightsLearner,
    find_patterns,
    group_sizes,
)
from boardgames.learning.td import BETA
from boardgames.options import Option
from boardgames.patterns import PatternSet
from boardgames.selfplay import TableParameters, derive_seed, train_tables
from boardgames.selfplay.tables import MAX_HISTORY, Tables, longest_match, merged
from boardgames.weights import Weights, find_weights

DEFAULTS = TableParameters()
TUPLES = 70
FIRST_ERROR = 1e-6
"""Initial sums of errors of given weights, so small that the first step is as large as for new weights."""
MAX_WALK = 1000
"""Maximum number of steps of a random walk, even if it has not found enough cells."""
MAX_DRAWS = 1000
"""Drawing stops after this many walks in a row that find no new group."""


class NTuple(WeightsLearner):
    """TD(lambda) with temporal coherence for n-tuples or other groups of cells."""

    name: ClassVar[str] = "ntuple"
    agent: ClassVar[str] = "ntuple"
    follows_curve: ClassVar[bool] = False
    declared_options = (
        PATTERNS,
        START,
        Option(
            "tuples", int, None,
            f"random groups of cells besides those of the set; default: {TUPLES} if it has none, else 0",
            minimum=0, maximum=10_000,
        ),
        Option("length", int, 8, "number of cells in a randomly drawn group", minimum=1, maximum=32),
        Option(
            "alpha", float, DEFAULTS.alpha,
            "learning rate, divided among the weights that a position looks up", minimum=0, maximum=100,
        ),
        replace(BETA, default=DEFAULTS.beta),
        Option("gamma", float, DEFAULTS.gamma, "discount factor per ply", minimum=0, maximum=1),
        Option("lambda", float, DEFAULTS.trace_decay, "trace decay", minimum=0, maximum=1),
        Option("alpha_decay", float, 1.0, "factor applied to alpha after each step", minimum=0, maximum=1),
        Option(
            "epsilon", float, DEFAULTS.epsilon, "initial probability of an exploratory move",
            minimum=0, maximum=1,
        ),
        Option(
            "epsilon_decay", float, 1.0, "factor applied to epsilon after each step", minimum=0, maximum=1
        ),
        Option("steps", int, 50, "number of steps", minimum=1, maximum=10**9),
        Option("matches", int, 20_000, "matches per step", minimum=1, maximum=10**9),
        Option(
            "parts", int, 2, "parts into which the matches of a step are divided, to train separately",
            minimum=1, maximum=1024,
        ),
        replace(OPENING, default=0),
        PLY_LIMIT,
        TEST_MATCHES,
    )  # fmt: skip

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self.features: PatternSet = find_patterns(game, self.text("patterns"))

    def start(self, seed: int) -> LearnerState:
        """Return the given tables with their groups, or empty ones, in which all weights are 0."""
        weights = self._given_weights()
        if weights is None:
            self.groups(seed)  # raises OptionError if none can be drawn
            none = {name: np.zeros(0, dtype=np.int64) for name in ("cells", "lengths")}
            return _state(Tables.empty(), {"step": 0, "seed": seed}, none)
        groups = self._checked(weights.groups)
        errors = np.full(weights.values.size, FIRST_ERROR, dtype=np.float32)
        entries, values = weights.entries.astype(np.int32), weights.values.astype(np.float32)
        state = _state(Tables(entries, values, errors, errors.copy()), {"step": 0, "seed": seed})
        cells = np.array([cell for group in groups for cell in group])
        lengths = np.array([len(group) for group in groups])
        return LearnerState({**state.arrays, "cells": cells, "lengths": lengths}, state.scalars)

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Train for a step, and score the weights."""
        step, seed = state.integer("step"), state.integer("seed")
        parameters, before = self.parameters(step), _tables(state)
        futures = [
            executor.submit(
                train_tables, self.setup, self._groups_of(state), before, parameters,
                matches=size, seed=derive_seed(seed, "ntuple", step, part),
            )
            for part, size in enumerate(group_sizes(self.integer("matches"), self.integer("parts")))
        ]  # fmt: skip
        trained = [future.result() for future in futures]
        results = np.sum([part.results for part in trained], axis=0)
        tables = merged(before, [part.tables for part in trained])
        after = _state(tables, {**state.scalars, "step": step + 1}, state.arrays)
        metrics = {
            **self.score_metrics(self.result(after), executor, seed=derive_seed(seed, "test", step)),
            "decided": float(results[:2].sum() / results.sum()),
            "plies": sum(part.plies for part in trained) / float(results.sum()),
            "epsilon": parameters.epsilon,
            "alpha": parameters.alpha,
            "weights": float(len(after.arrays["entries"])),
        }
        return after, metrics

    def parameters(self, step: int) -> TableParameters:
        """Return the parameters, with the learning rate and epsilon after `step` steps."""
        return TableParameters(
            alpha=self.number("alpha") * self.number("alpha_decay") ** step,
            beta=self.number("beta"),
            gamma=self.number("gamma"),
            trace_decay=self.number("lambda"),
            epsilon=self.number("epsilon") * self.number("epsilon_decay") ** step,
        )

    def _given_weights(self) -> Weights | None:
        """Return the weights to start with, or None if none are given."""
        if not self.text("start"):
            return None
        weights, _ = find_weights(self.text("start"), self.game)
        if weights.features != self.features.name or weights.anchors or not weights.tanh:
            raise OptionError(
                f"the weights {self.text('start')!r} were not learned by 'ntuple' with the patterns "
                f"{self.features.name!r}"
            )
        return weights

    def groups(self, seed: int) -> tuple[tuple[int, ...], ...]:
        """Return the groups of cells that a run with this seed uses if it starts with empty tables."""
        declared, tuples = self.features.groups, self.options["tuples"]
        count = (0 if declared else TUPLES) if tuples is None else self.integer("tuples")
        drawn = draw_groups(self.features, count, self.integer("length"), derive_seed(seed, "tuples"))
        if not declared and not drawn:
            raise OptionError(
                f"there are no groups to learn: {self.features.name!r} declares none, and tuples is 0"
            )
        return self._checked(declared + drawn)

    def result(self, state: LearnerState) -> Weights:
        """Return the weights after the last step."""
        tables, patterns = _tables(state), self._grouped(state)
        values = tables.weights.astype(np.float64)
        return Weights.of_patterns(self.game, patterns, tables.entries.astype(np.int64), values, tanh=True)

    def weights(self, state: LearnerState) -> Reals:
        """Return all weights after the last step, most of which are 0."""
        weights, tables = np.zeros(self._grouped(state).size), _tables(state)
        weights[tables.entries] = tables.weights
        return weights

    def _checked(self, groups: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        """Return the groups; raise OptionError if learning their weights would need too much memory."""
        try:
            lookups = len(self.features.grouped(groups).lookups)
        except PluginError as error:
            raise OptionError(f"{error}; set length or tuples to a smaller number") from None
        plies = longest_match(self.game, self.setup.ply_limit)
        if plies * lookups > MAX_HISTORY:
            raise OptionError(
                f"a match of {plies:,} plies with {lookups:,} lookups each would need too much memory; set "
                f"ply_limit to {MAX_HISTORY // lookups} or less"
            )
        return groups

    def _grouped(self, state: LearnerState) -> PatternSet:
        return self.features.grouped(self._groups_of(state))

    def _groups_of(self, state: LearnerState) -> tuple[tuple[int, ...], ...]:
        """Return the groups of cells of a state: those of the given weights, or those of the run's seed."""
        if "cells" not in state.arrays or not state.arrays["cells"].size:
            return self.groups(state.integer("seed"))
        ends = np.cumsum(state.arrays["lengths"])[:-1]
        return tuple(tuple(group.tolist()) for group in np.split(state.arrays["cells"], ends))


@lru_cache(maxsize=4)
def draw_groups(patterns: PatternSet, count: int, length: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """Return groups of cells, drawn by random walks along neighbours, or at random if none are declared.

    No group is drawn twice, and no group that the set declares is drawn; groups that a symmetry maps
    onto each other count as the same. If fewer than `count` groups are left, all of them are returned.

    Raises
    ------
    OptionError
        If no group is as long as `length`.

    Examples
    --------
    >>> import boardgames
    >>> cells = boardgames.load_patterns("cells", boardgames.load("connect4"))
    >>> draw_groups(cells, 2, 3, seed=1)
    ((19, 20, 26), (26, 32, 39))
    """
    random = np.random.default_rng(seed)
    known = {_key(patterns, group) for group in patterns.groups}
    drawn: list[tuple[int, ...]] = []
    failures = longest = 0
    while len(drawn) < count and failures < MAX_DRAWS:
        group = _walk(patterns, length, random)
        longest = max(longest, len(group))
        if len(group) < length or _key(patterns, group) in known:
            failures += 1
            continue
        drawn.append(group)
        known.add(_key(patterns, group))
        failures = 0
    if count and longest < length:
        raise OptionError(
            f"the patterns {patterns.name!r} have no {length} connected cells; set length to {longest} or "
            "less"
        )
    return tuple(drawn)


def _key(patterns: PatternSet, group: tuple[int, ...]) -> tuple[int, ...]:
    """Return a key that is equal for all groups that symmetries map onto each other."""
    images = [group, *(tuple(image[cell] for cell in group) for image in patterns.symmetries)]
    return min(tuple(sorted(image)) for image in images)


def _walk(patterns: PatternSet, length: int, random: np.random.Generator) -> tuple[int, ...]:
    """Return up to `length` cells of a random walk, or at random without neighbours, in ascending order."""
    if not patterns.neighbours:
        return tuple(sorted(random.permutation(patterns.cells)[:length].tolist()))
    cell = int(random.integers(patterns.cells))
    found = {cell}
    for _ in range(MAX_WALK):
        near = patterns.neighbours[cell]
        if len(found) == length or not near:
            break
        cell = near[int(random.integers(len(near)))]
        found.add(cell)
    return tuple(sorted(found))


def _tables(state: LearnerState) -> Tables:
    return Tables(*(state.arrays[name] for name in ("entries", "weights", "sums", "sizes")))


def _state(
    tables: Tables, scalars: Mapping[str, Scalar], others: Mapping[str, Array] = MappingProxyType({})
) -> LearnerState:
    """Return a state with these tables; its other arrays are those in `others`."""
    arrays = {name: getattr(tables, name) for name in ("entries", "weights", "sums", "sizes")}
    return LearnerState({**others, **arrays}, scalars)
