"""The learner `evolve`: a population that learns by TD(lambda), competes in tournaments, and breeds.

A generation trains in a round robin: the players of each pair learn from matches
against each other, or each of them from matches against itself. A second round
robin without learning or exploration, the tournament, ranks the players. Matches
against the reference player can count too, so that the population does not only
learn to beat itself. All ordered pairs of the best players, including each player with itself,
breed the next generation: each weight comes at random from one of the two parents.
The winner of the last tournament is the result; the best players of all earlier
tournaments are kept as ancestors.

With population-based training each player has a learning rate and a lambda of its own. A child
inherits each from one of its parents, slightly changed, so that the population also finds out
which values work, and when.

A step is the training or the tournament of one generation.

Source: M. Jaderberg and others, "Population Based Training of Neural Networks", 2017.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import cycle, islice
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import LearnerState
from boardgames.learning.base import (
    FEATURES,
    OPENING,
    PLY_LIMIT,
    START,
    TEST_MATCHES,
    batch_count,
    check_part_of_population,
    gather_results,
    match_metrics,
    rank,
)
from boardgames.learning.td import INITIAL, TD_OPTIONS, TDLearner, initial_weights, schedule_options
from boardgames.options import Option
from boardgames.selfplay import (
    Contestant,
    SelfPlayMatch,
    TDParameters,
    derive_seed,
    play_matches,
    train_players,
)

START_FACTOR = 4.0
"""In population-based training, initial values of alpha and 1 - lambda vary by up to this factor."""
MARGIN_POINTS = 1e-6
"""Points per unit of margin (one marble, for example), which break ties between players."""

Pair = tuple[int, int]


class Evolve(TDLearner):
    """A population that learns by TD(lambda), competes in tournaments, and breeds."""

    name: ClassVar[str] = "evolve"
    follows_curve: ClassVar[bool] = False
    extensible: ClassVar[tuple[str, ...]] = ("generations",)
    declared_options = (
        FEATURES,
        START,
        Option("population", int, 16, "population size", minimum=2, maximum=1024),
        Option("survivors", int, 4, "players that breed the next generation", minimum=1, maximum=1024),
        Option("generations", int, 4, "number of generations", minimum=1, maximum=10**6),
        Option(
            "training_matches", int, 30, "training matches of each pair of players", minimum=0, maximum=10**6
        ),
        Option(
            "tournament_matches", int, 30, "tournament matches of each pair of players",
            minimum=1, maximum=1e6,
        ),
        Option("self_play", bool, False, "players train against themselves instead of each other"),
        Option(
            "reference_matches", int, 0, "tournament matches of each player against the reference player",
            minimum=0, maximum=10**6,
        ),
        Option("mutation", float, 0.0, "largest mutation of a weight", minimum=0, maximum=1e3),
        Option(
            "perturbation", float, 0.0,
            "population-based training: relative change of alpha and 1 - lambda from parent to child, 0.2 "
            "for 20 %; with 0, all players have the same alpha and lambda",
            minimum=0, maximum=1,
        ),
        *TD_OPTIONS,
        *schedule_options("training round"),
        INITIAL,
        OPENING,
        PLY_LIMIT,
        TEST_MATCHES,
    )  # fmt: skip

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        check_part_of_population(self, "survivors")

    @property
    def length(self) -> int:
        """Return the number of steps, two per generation."""
        return 2 * self.integer("generations")

    def task_count(self, step: int) -> int:
        """Return the number of tasks: one for each pair and, in a tournament, for each batch of tests."""
        population = self.integer("population")
        pairs = population * (population - 1) // 2
        if step % 2:
            tests = batch_count(self.integer("test_matches"))
            return pairs + population * batch_count(self.integer("reference_matches")) + tests
        return pairs * (2 if self.options["self_play"] else 1) if self.integer("training_matches") else 0

    def relative_time(self, step: int) -> float:
        """Estimate the time of a step from its number of matches.

        Tournament matches are five times as fast as training matches, but the reference player is slower.
        """
        population = self.integer("population")
        pairs = population * (population - 1) // 2
        if step % 2:
            tests = population * self.integer("reference_matches") + self.integer("test_matches")
            return 0.2 * pairs * self.integer("tournament_matches") + 0.7 * tests
        trainings = pairs * (2 if self.options["self_play"] else 1)
        return float(max(trainings * self.integer("training_matches"), 1))

    def start(self, seed: int) -> LearnerState:
        """Return a random population. If weights are given, it contains them and varies around them."""
        count = self.integer("population")
        players = initial_weights(count, self.size, self.number("initial"), derive_seed(seed, "evolve"))
        if self.given is not None:
            players[0] = 0.0
            players += self.given
        arrays = {"players": players, "points": np.zeros(count), "ancestors": np.zeros((0, self.size))}
        if self.number("perturbation"):
            random = np.random.default_rng(derive_seed(seed, "rates"))
            factors = START_FACTOR ** random.uniform(-1.0, 1.0, (count, 2))
            factors[0] = 1.0
            arrays["rates"] = limited_rates(np.array([self.number("alpha"), self.number("lambda")]), factors)
        return LearnerState(arrays, {"step": 0, "seed": seed})

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Breed (from the second generation on) and train a generation, or play its tournament."""
        step = state.integer("step")
        do_step = self._train if step % 2 == 0 else self._play_tournament
        arrays, metrics = do_step(state, step // 2, executor)
        return LearnerState({**state.arrays, **arrays}, {**state.scalars, "step": step + 1}), metrics

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return the weights of the last tournament's winner, or of the first player if there was none."""
        players, ancestors = state.arrays["players"], state.arrays["ancestors"]
        if state.integer("step") % 2 == 1 and len(ancestors):  # this generation has not competed yet
            winner: Reals = ancestors[-self.integer("survivors")].copy()
            return winner
        best: Reals = players[rank(state.arrays["points"])[0]].copy()
        return best

    def standings(self, state: LearnerState) -> Sequence[tuple[str, float]]:
        """Return the players' points in the last tournament, until the next generation has trained."""
        if state.integer("step") % 2 == 1 or state.integer("step") == 0:
            return ()
        points = state.arrays["points"]
        return [(f"player {place + 1}", round(float(points[place]), 1)) for place in rank(points)]

    def _train(
        self, state: LearnerState, generation: int, executor: Executor
    ) -> tuple[dict[str, Reals], Mapping[str, float]]:
        players, ancestors, seed = state.arrays["players"], state.arrays["ancestors"], state.integer("seed")
        rates = state.arrays.get("rates")
        if generation:
            best = rank(state.arrays["points"])[: self.integer("survivors")]
            ancestors = np.concatenate([ancestors, players[best]])
            random = np.random.default_rng(derive_seed(seed, "breed", generation))
            players = breed(players[best], len(players), self.number("mutation"), random)
            if rates is not None:
                rates = inherited_rates(rates[best], len(players), self.number("perturbation"), random)
        players = players.copy()
        results: list[SelfPlayMatch] = []
        rounds = round_robin(len(players))
        for number, pairs in enumerate(rounds):
            played = generation * len(rounds) + number
            common = self.parameters(played)
            parameters = [common] * len(players)
            if rates is not None:
                decay = self.number("alpha_decay") ** played
                parameters = [
                    replace(common, alpha=float(alpha) * decay, trace_decay=float(trace_decay))
                    for alpha, trace_decay in rates
                ]
            round_seed = derive_seed(seed, generation, number)
            results += self._train_round(players, pairs, parameters, executor, round_seed)
        arrays = {"players": players, "points": np.zeros(len(players)), "ancestors": ancestors}
        metrics = {
            **match_metrics(results),
            "generation": generation + 1,
            "epsilon": common.epsilon,
            "alpha": float(np.mean([one.alpha for one in parameters])),
        }
        if rates is not None:
            arrays["rates"] = rates
            metrics["lambda"] = float(rates[:, 1].mean())
        return arrays, metrics

    def _train_round(
        self,
        players: Reals,
        pairs: Sequence[Pair],
        parameters: Sequence[TDParameters],
        executor: Executor,
        seed: int,
    ) -> list[SelfPlayMatch]:
        """Train disjoint pairs of players, or each player on its own, in parallel; changes `players`."""
        matches = self.integer("training_matches")
        if not matches:
            return []
        alone = bool(self.options["self_play"])
        if alone:
            pairs = [(player, player) for pair in pairs for player in pair]
            parameters = [replace(one, shared=True) for one in parameters]
        futures = [
            executor.submit(
                train_players, self.setup, players[[first, second]], (parameters[first], parameters[second]),
                matches=matches, seed=derive_seed(seed, first, second),
            )
            for first, second in pairs
        ]  # fmt: skip
        results = []
        for pair, future in zip(pairs, futures, strict=True):
            trained = future.result()
            players[list(pair)] = trained.weights[[0, 0]] if alone else trained.weights
            results += trained.matches
        return results

    def _play_tournament(
        self, state: LearnerState, generation: int, executor: Executor
    ) -> tuple[dict[str, Reals], Mapping[str, float]]:
        players, matches = state.arrays["players"], self.integer("tournament_matches")
        seed = derive_seed(state.integer("seed"), "tournament", generation)
        pairs = [pair for pairs in round_robin(len(players)) for pair in pairs]
        contestants = [Contestant(weights) for weights in players]
        futures = [
            executor.submit(
                play_matches, self.setup, contestants[first], contestants[second],
                matches=matches, seed=derive_seed(seed, first, second),
            )
            for first, second in pairs
        ]  # fmt: skip
        references = self.integer("reference_matches")
        tests = [
            self.submit(contestant, self.reference(), references, executor, derive_seed(seed, "reference"))
            for contestant in contestants
        ]
        points = np.zeros(len(players))
        results: list[SelfPlayMatch] = []
        for (first, second), future in zip(pairs, futures, strict=True):
            for match in future.result():
                results.append(match)
                points[first] += match.points + MARGIN_POINTS * match.margin
                points[second] += 1.0 - match.points - MARGIN_POINTS * match.margin
        for player, test in enumerate(tests):
            for match in gather_results(test):
                points[player] += match.points + MARGIN_POINTS * match.margin
        winner = players[rank(points)[0]]
        metrics = {
            **self.score_metrics(winner, executor, seed=derive_seed(seed, "test")),
            **match_metrics(results),
            "generation": generation + 1,
            "winner": float(points.max()) / (matches * (len(players) - 1) + references),
        }
        return {"points": points}, metrics


def round_robin(count: int) -> list[list[Pair]]:
    """Return the rounds of a round robin; each player meets at most one other in a round.

    Examples
    --------
    >>> round_robin(4)
    [[(0, 3), (1, 2)], [(2, 0), (1, 3)], [(0, 1), (2, 3)]]
    """
    seats: list[int | None] = [*range(count), *([None] if count % 2 else [])]
    rounds = []
    for number in range(len(seats) - 1):
        half = len(seats) // 2
        meetings = zip(seats[:half], reversed(seats[half:]), strict=True)
        exchanged = [(b, a) if number % 2 else (a, b) for a, b in meetings]
        rounds.append([(a, b) for a, b in exchanged if a is not None and b is not None])
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return rounds


def breed(parents: Reals, count: int, mutation: float, random: np.random.Generator) -> Reals:
    """Return children, `float64[count, n]`, by uniform crossover of all ordered pairs of parents in turn.

    Parameters
    ----------
    parents : float64[m, n]
        Weights of the parents, best first. The child of a parent paired with itself is a copy.
    mutation : float
        Each weight changes by up to this amount, uniformly distributed.

    Examples
    --------
    >>> breed(np.array([[1.0, 2.0]]), 2, 0.0, np.random.default_rng(1))
    array([[1., 2.],
           [1., 2.]])
    """
    pairs = [(first, second) for first in range(len(parents)) for second in range(len(parents))]
    children = np.empty((count, parents.shape[1]))
    for index, (first, second) in enumerate(islice(cycle(pairs), count)):
        is_from_first = random.random(parents.shape[1]) < 0.5
        children[index] = np.where(is_from_first, parents[first], parents[second])
    return children + random.uniform(-mutation, mutation, children.shape) if mutation else children


def inherited_rates(parents: Reals, count: int, perturbation: float, random: np.random.Generator) -> Reals:
    """Return the learning rates and lambdas of the children that `breed` returns, `float64[count, 2]`.

    Each value comes from one of the parents; then alpha and 1 - lambda are multiplied or divided by
    1 + `perturbation`.

    Parameters
    ----------
    parents : float64[m, 2]
        Learning rate and lambda.

    Examples
    --------
    >>> inherited_rates(np.array([[0.1, 0.5]]), 3, 0.25, np.random.default_rng(1)).round(3).tolist()
    [[0.08, 0.375], [0.08, 0.6], [0.125, 0.375]]
    """
    inherited = breed(parents, count, 0.0, random)
    return limited_rates(inherited, (1.0 + perturbation) ** random.choice([-1.0, 1.0], inherited.shape))


def limited_rates(rates: Reals, factors: Reals) -> Reals:
    """Return learning rates and lambdas after alpha and 1 - lambda have been multiplied by factors.

    Parameters
    ----------
    rates, factors : float64[..., 2]
        Those of alpha, then those of lambda.
    """
    alphas, trace_decays = rates[..., 0] * factors[..., 0], 1.0 - (1.0 - rates[..., 1]) * factors[..., 1]
    return np.stack([alphas, np.clip(trace_decays, 0.0, 1.0)], axis=-1)
