"""The experiments `discount` and `ablation`: how much each part of the learner `value-iteration` matters.

Each variant changes one part: the discount, whether values or success decide, the rewards, the guards, the
random moves or the abstraction. It is trained several times and plays against opponents. Before and after
the training, it also chooses moves in positions that the solver has scored. Results are means over all
trainings, with 95% bootstrap intervals over the positions.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np

from boardgames.errors import OptionError
from boardgames.executors import InProcess
from boardgames.experiments import Grid, Listener, Measurements, run_tasks
from boardgames.game import Game
from boardgames.kernels import Reals, new_control
from boardgames.kernels.bundles import Bundle
from boardgames.learning.base import mean_points
from boardgames.options import Option
from boardgames.plugins import load
from boardgames.selfplay import SelfPlaySetup, derive_seed
from boardgames_connect4.experiments import GameOptions, PositionExperiment, Scored
from boardgames_connect4.value_iteration import table_play
from boardgames_connect4.value_iteration.abstraction import GUARDS
from boardgames_connect4.value_iteration.learner import GAMMA, ValueIteration
from boardgames_connect4.value_iteration.policy import MAX_GAMMA, Experience, TablePlayer, play_recorded

OPENING, PLY_LIMIT = 4, 400
OPPONENTS = {"random": 0, "greedy": 1, "2 plies": 2, "4 plies": 4}
"""The opponents, and their search depths in plies with the game's evaluation; 0 plays at random."""
RESAMPLES = 2000
INTERVAL = ("points", "from", "to")


@dataclass(frozen=True, slots=True)
class Variant:
    """A learner with one part changed, and how often the trained player makes random moves.

    Attributes
    ----------
    name : str
        What the variant changes.
    settings : mapping
        Settings of the learner, for training and play.
    epsilon, bound : float
        As in the options of the agent `value-iteration`.
    """

    name: str
    settings: Mapping[str, object] = field(default_factory=dict)
    epsilon: float = 0.0
    bound: float = np.inf

    def learner(self, game: Game, training: Mapping[str, object]) -> ValueIteration:
        """Return the learner with these training settings."""
        return ValueIteration(game, **{"test_matches": 0, **training, **self.settings})

    def player(self, learner: ValueIteration, experience: Experience) -> TablePlayer:
        """Return the player that uses this experience."""
        player = learner.player(experience, epsilon=self.epsilon)
        return replace(player, options=replace(player.options, bound=self.bound))


@dataclass(frozen=True, slots=True)
class Measured:
    """The results of one training.

    Attributes
    ----------
    shares : tuple of float
        Shares of points against `OPPONENTS`.
    before, after : list of int
        For each position, the points that the chosen move gives away, before and after the training.
    """

    shares: tuple[float, ...]
    before: list[int]
    after: list[int]


class Comparison(PositionExperiment):
    """Base class of experiments that compare variants of the learner."""

    declared_options: ClassVar[tuple[Option, ...]] = (
        Option("repetitions", int, 5, "trainings of each variant", minimum=1, maximum=1000),
        Option("steps", int, 20, "steps of each training", minimum=1, maximum=10**6),
        Option("matches", int, 50, "training matches per step", minimum=1, maximum=10**6),
        Option(
            "test_matches", int, 200, "matches of each trained player against each opponent",
            minimum=2, maximum=100_000,
        ),
        Option("learner", str, None, "settings of the learner in all variants: NAME=VALUE NAME=VALUE"),
        *PositionExperiment.declared_options,
    )  # fmt: skip

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        pairs = [text.partition("=") for text in self.text("learner").split()]
        self.training: dict[str, object] = {name: value for name, _, value in pairs}
        self.training |= {name: self.integer(name) for name in ("steps", "matches")}
        for variant in self.variants():
            variant.learner(game, self.training)  # report wrong settings before the work starts

    @abstractmethod
    def variants(self) -> Sequence[Variant]:
        """Return the variants, first the one with which all others are compared."""

    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Measurements:
        """Return grids by variant: shares of points, points given away, and differences with intervals."""
        variants, repetitions = self.variants(), self.integer("repetitions")
        positions = tuple(one for group in self.sample(executor, seed, listener) for one in group)
        measured = run_tasks(
            executor,
            [
                partial(
                    measure, tuple(self.game.options.items()), variant, self.training, positions,
                    test_matches=self.integer("test_matches"), seed=derive_seed(seed, number),
                )
                for variant in variants
                for number in range(repetitions)
            ],
            listener,
            "training and testing",
        )  # fmt: skip
        groups = [measured[place : place + repetitions] for place in range(0, len(measured), repetitions)]
        shares = [_means([one.shares for one in group]) for group in groups]
        before = [_means([one.before for one in group]) for group in groups]
        after = [_means([one.after for one in group]) for group in groups]
        best = [np.mean([np.equal(one.after, 0) for one in group]) for group in groups]
        gained = [_interval(old - new, seed) for old, new in zip(before, after, strict=True)]
        behind = [_interval(losses - after[0], seed) for losses in after]
        losses = [
            (float(old.mean()), float(new.mean()), float(share))
            for old, new, share in zip(before, after, best, strict=True)
        ]
        rows = tuple(variant.name for variant in variants)
        return Measurements(
            "opponent and measure",
            (
                Grid("share of points", tuple(OPPONENTS), rows, tuple(map(tuple, shares))),
                Grid("points given away a move", ("untrained", "trained", "best moves"), rows, tuple(losses)),
                Grid("gained by training", INTERVAL, rows, tuple(gained)),
                Grid(f"given away more than {rows[0]!r}", INTERVAL, rows, tuple(behind)),
            ),
            f"{repetitions} trainings of each variant, {len(positions)} positions; "
            "`from` and `to` are 95% intervals over the positions",
        )


class Discount(Comparison):
    """Compares discounts."""

    name: ClassVar[str] = "discount"
    declared_options = (
        Option("gammas", str, "0.1 0.05 0.5 0.9", "the discounts, separated by spaces"),
        *Comparison.declared_options,
    )

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        if not self.variants():
            raise OptionError(f"gammas must be numbers from 0 to {MAX_GAMMA}, separated by spaces")

    def variants(self) -> Sequence[Variant]:
        """Return a variant for each discount."""
        gammas = [GAMMA.read(text) for text in self.text("gammas").split()]
        return [Variant(f"gamma {gamma:g}", {"gamma": gamma}) for gamma in gammas]


class Ablation(Comparison):
    """Compares the default settings with others."""

    name: ClassVar[str] = "ablation"

    def variants(self) -> Sequence[Variant]:
        """Return the default settings, and each of the other variants."""
        without = {name: "+".join(other for other in GUARDS if other != name) for name in GUARDS}
        return [
            Variant("default"),
            Variant("rewards observed", {"reward": "observed"}),
            Variant("success", {"choose": "success"}),
            Variant("value and success", {"choose": "both"}),
            *(Variant(f"without {name}", {"guards": others}) for name, others in without.items()),
            Variant("without guards", {"guards": "none"}),
            Variant("guards before wins", {"wins_first": False}),
            Variant("a tenth random, within 2", epsilon=0.1, bound=2.0),
            Variant("a tenth random", epsilon=0.1),
            Variant("tops-plain", {"abstraction": "tops-plain"}),
            Variant("three tenths random in training", {"epsilon": 0.3}),
        ]


def measure(
    options: GameOptions,
    variant: Variant,
    training: Mapping[str, object],
    positions: Sequence[Scored],
    *,
    test_matches: int,
    seed: int,
) -> Measured:
    """Train a variant and measure the player before and after."""
    game = load("connect4", layout=None, **dict(options))
    learner = variant.learner(game, training)
    state = learner.start(seed)
    before = variant.player(learner, learner.experience(state))
    while not learner.is_done(state):
        state, _ = learner.step(state, InProcess())
    after = variant.player(learner, learner.experience(state))
    setup = SelfPlaySetup.of(game, learner.abstraction.name, opening=OPENING, ply_limit=PLY_LIMIT)
    seed = derive_seed(seed, "test")
    shares = tuple(
        mean_points(
            play_recorded(setup, after, TablePlayer(depth=depth), matches=test_matches, seed=seed).matches
        )
        for depth in OPPONENTS.values()
    )
    return Measured(shares, *(losses_of(learner, player, positions, seed) for player in (before, after)))


def losses_of(
    learner: ValueIteration, player: TablePlayer, positions: Sequence[Scored], seed: int
) -> list[int]:
    """Return, for each position, how many points the player's move scores less than a best one."""
    game, experience = learner.game, player.experience
    assert experience is not None
    workspace = table_play.new_workspace(
        game, learner.abstraction, player.options.table(experience.solve(player.gamma)), experience.success(),
        player.options.record(), control=new_control(),
    )  # fmt: skip
    bundle, random_state = Bundle(workspace), np.array([seed], dtype=np.uint64)
    losses = []
    for one in positions:
        position = game.parse(one.text)
        workspace.positions[0] = position.words
        workspace.moves[0, : len(position.actions)] = position.actions
        action = table_play.choose(bundle.words, len(position.actions), random_state)
        losses.append(max(one.scores) - one.scores[position.actions.index(action)])
    return losses


def _means(rows: Sequence[Sequence[float]]) -> Reals:
    means: Reals = np.mean(rows, axis=0)
    return means


def _interval(values: Reals, seed: int) -> tuple[float, float, float]:
    """Return the mean of values and its bootstrap interval."""
    drawn = np.random.default_rng(derive_seed(seed, "bootstrap")).integers(
        len(values), size=(RESAMPLES, len(values))
    )
    low, high = np.quantile(values[drawn].mean(axis=1), (0.025, 0.975))
    return float(values.mean()), float(low), float(high)
