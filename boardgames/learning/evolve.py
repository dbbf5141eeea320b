"""The learner `evolve`: players that learn by TD(lambda), meet in tournaments, and breed.

A generation trains in a round robin: each two players learn from matches
against each other. In a tournament, another round robin without learning or
exploration, the best are found; all their ordered couples, each with itself
among them, breed the next generation, each weight taken at random from one of
the two. After the last tournament its winner is the result; the best of every
tournament before are kept as ancestors.

A step is the training or the tournament of one generation.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from itertools import cycle, islice
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from boardgames.errors import OptionError
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import LearnerState
from boardgames.learning.base import FEATURES, OPENING, PLY_LIMIT, TEST_MATCHES, course_of
from boardgames.learning.td import INITIAL, RATES, TemporalLearner, exploration, first_weights
from boardgames.options import Option
from boardgames.selfplay import (
    Contestant,
    MatchResult,
    TDParameters,
    derive_seed,
    play_matches,
    train_players,
)

MARGIN_WEIGHT = 1e-6
"""What a marble, say, counts besides points: it decides between players with equal ones."""

Pair = tuple[int, int]


class Evolve(TemporalLearner):
    """Players that learn from each other, of whom the best breed."""

    name: ClassVar[str] = "evolve"
    follows_curve: ClassVar[bool] = False
    declared_options = (
        FEATURES,
        Option("population", int, 16, "players", minimum=2, maximum=1024),
        Option("survivors", int, 4, "players that breed", minimum=1, maximum=1024),
        Option("generations", int, 4, "tournaments, the first one included", minimum=1, maximum=10**6),
        Option("training_matches", int, 30, "matches that each two learn from", minimum=0, maximum=10**6),
        Option("tournament_matches", int, 30, "matches of each two in a tournament", minimum=1, maximum=1e6),
        Option("mutation", float, 0.0, "largest change of a weight in breeding", minimum=0, maximum=1e3),
        *RATES,
        *exploration("round of training"),
        INITIAL,
        OPENING,
        PLY_LIMIT,
        TEST_MATCHES,
    )

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        survivors, population = self.whole("survivors"), self.whole("population")
        if survivors > population:
            raise OptionError(f"expected survivors within the population of {population}: {survivors}")

    @property
    def length(self) -> int:
        """Return the number of steps, two a generation."""
        return 2 * self.whole("generations")

    def start(self, seed: int) -> LearnerState:
        """Return random players."""
        count = self.whole("population")
        players = first_weights(count, self.size, self.number("initial"), derive_seed(seed, "evolve"))
        arrays = {"players": players, "points": np.zeros(count), "ancestors": np.zeros((0, self.size))}
        return LearnerState(arrays, {"step": 0, "seed": seed})

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Train a generation, bred first if it is not the first, or play its tournament."""
        step = self._done(state)
        arrays, metrics = (self._train if step % 2 == 0 else self._compete)(state, step // 2, executor)
        return LearnerState(arrays, {**state.scalars, "step": step + 1}), metrics

    def is_done(self, state: LearnerState) -> bool:
        """Say whether the last tournament has been played."""
        return self._done(state) >= self.length

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return those of the winner of the last tournament, of any player before the first."""
        players, ancestors = state.arrays["players"], state.arrays["ancestors"]
        step = self._done(state)
        if step % 2 == 1 and len(ancestors):  # a generation that has not competed yet
            winner: Reals = ancestors[-self.whole("survivors")].copy()
            return winner
        best: Reals = players[ranking(state.arrays["points"])[0]].copy()
        return best

    def standings(self, state: LearnerState) -> Sequence[tuple[str, float]]:
        """Return the players' points in the tournament, once it has been played."""
        if self._done(state) % 2 == 1:
            return ()
        points = state.arrays["points"]
        return [(f"player {place + 1}", round(float(points[place]), 1)) for place in ranking(points)]

    # --- a generation ------------------------------------------------------

    def _train(
        self, state: LearnerState, generation: int, executor: Executor
    ) -> tuple[dict[str, Reals], Mapping[str, float]]:
        players, ancestors, seed = state.arrays["players"], state.arrays["ancestors"], self._seed(state)
        if generation:
            parents = players[ranking(state.arrays["points"])[: self.whole("survivors")]]
            ancestors = np.concatenate([ancestors, parents])
            chance = np.random.default_rng(derive_seed(seed, "breed", generation))
            players = breed(parents, len(players), self.number("mutation"), chance)
        players = players.copy()
        ended: list[MatchResult] = []
        rounds = rounds_of(len(players))
        for number, pairs in enumerate(rounds):
            rates = self.rates(generation * len(rounds) + number)
            ended += self._train_pairs(players, pairs, rates, executor, derive_seed(seed, generation, number))
        arrays = {"players": players, "points": np.zeros(len(players)), "ancestors": ancestors}
        return arrays, {**course_of(ended), "generation": generation + 1, "epsilon": rates.epsilon}

    def _train_pairs(
        self, players: Reals, pairs: Sequence[Pair], rates: TDParameters, executor: Executor, seed: int
    ) -> list[MatchResult]:
        """Let pairs, of which no player is in two, learn from matches; `players` is changed."""
        matches = self.whole("training_matches")
        if not matches:
            return []
        futures = [
            executor.submit(
                train_players,
                self.setup,
                players[list(pair)],
                rates,
                matches=matches,
                seed=derive_seed(seed, *pair),
            )
            for pair in pairs
        ]
        ended = []
        for pair, future in zip(pairs, futures, strict=True):
            taught = future.result()
            players[list(pair)] = taught.weights
            ended += taught.matches
        return ended

    def _compete(
        self, state: LearnerState, generation: int, executor: Executor
    ) -> tuple[dict[str, Reals], Mapping[str, float]]:
        players, matches, seed = state.arrays["players"], self.whole("tournament_matches"), self._seed(state)
        seed = derive_seed(seed, "tournament", generation)
        pairs = [pair for pairs in rounds_of(len(players)) for pair in pairs]
        seats = [Contestant(weights) for weights in players]
        futures = [
            executor.submit(
                play_matches, self.setup, seats[first], seats[second],
                matches=matches, seed=derive_seed(seed, first, second),
            )
            for first, second in pairs
        ]  # fmt: skip
        points = np.zeros(len(players))
        ended: list[MatchResult] = []
        for (first, second), future in zip(pairs, futures, strict=True):
            played = future.result()
            ended += played
            for match in played:
                points[first] += match.points + MARGIN_WEIGHT * match.margin
                points[second] += 1.0 - match.points - MARGIN_WEIGHT * match.margin
        winner = players[ranking(points)[0]]
        metrics = {
            **self.scored(winner, executor, seed=derive_seed(seed, "test")),
            **course_of(ended),
            "generation": generation + 1,
            "winner": float(points.max()) / (matches * (len(players) - 1)),
        }
        return {"players": players, "points": points, "ancestors": state.arrays["ancestors"]}, metrics

    def _done(self, state: LearnerState) -> int:
        return int(state.scalars["step"] or 0)

    def _seed(self, state: LearnerState) -> int:
        return int(state.scalars["seed"] or 0)


def rounds_of(count: int) -> list[list[Pair]]:
    """Return a round robin in rounds in each of which everybody plays once at most.

    Examples
    --------
    >>> rounds_of(4)
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


def ranking(points: Reals) -> list[int]:
    """Return places by points, most first; of equal ones the earlier comes first.

    Examples
    --------
    >>> ranking(np.array([1.0, 3.0, 3.0]))
    [1, 2, 0]
    """
    return [int(place) for place in np.argsort(-points, kind="stable")]


def breed(parents: Reals, count: int, mutation: float, chance: np.random.Generator) -> Reals:
    """Return children, `float64[count, n]`, of all ordered couples of parents in turn.

    Parameters
    ----------
    parents : float64[m, n]
        Best first. A couple of one with itself has that one as its child.
    mutation : float
        Each weight is changed by up to so much, uniformly.

    Examples
    --------
    >>> breed(np.array([[1.0, 2.0]]), 2, 0.0, np.random.default_rng(1))
    array([[1., 2.],
           [1., 2.]])
    """
    couples = [(first, second) for first in range(len(parents)) for second in range(len(parents))]
    children = np.empty((count, parents.shape[1]))
    for index, (first, second) in enumerate(islice(cycle(couples), count)):
        of_first = chance.random(parents.shape[1]) < 0.5
        children[index] = np.where(of_first, parents[first], parents[second])
    return children + chance.uniform(-mutation, mutation, children.shape) if mutation else children
