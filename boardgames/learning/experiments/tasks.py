"""Tasks of experiments: players that train against each other, and contests without learning.

The matches of a training come in pairs of one opening, and each match has a
seed of its own: trainings that differ in how is learned meet the same openings
from the first match to the last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boardgames.kernels import Reals
from boardgames.selfplay import (
    Contestant,
    MatchResult,
    MatchSetup,
    TDParameters,
    TrainingResult,
    derive_seed,
    play_matches,
    train_players,
)


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """What came of a training.

    Attributes
    ----------
    weights : float64[2, n]
        Of both players, after it.
    training : list of MatchResult
        Its matches, for the first player.
    contests : (list of MatchResult, list of MatchResult)
        Of an opponent, named first, against each player.
    """

    weights: Reals
    training: list[MatchResult]
    contests: tuple[list[MatchResult], list[MatchResult]]


def train(setup: MatchSetup, weights: Reals, rates: Sequence[TDParameters], *, seed: int) -> TrainingResult:
    """Let two players train against each other, a match for each of `rates`, changing sides.

    Parameters
    ----------
    weights : float64[2, n]
        Each player's own. Not changed.
    rates : sequence of TDParameters
        How they learn, match by match.
    seed : int
        Decides exploration and openings.
    """
    ended: list[MatchResult] = []
    for number, rate in enumerate(rates):
        side = number % 2
        taught = train_players(
            setup, weights[[side, 1 - side]], rate, matches=1, seed=derive_seed(seed, number // 2)
        )
        weights = taught.weights[[side, 1 - side]]
        ended.append(replace(taught.matches[0], side=side))
    return TrainingResult(weights, ended)


def train_and_meet(
    setup: MatchSetup,
    weights: Reals,
    rates: Sequence[TDParameters],
    opponents: Reals,
    *,
    tests: int,
    seed: int,
) -> Trained:
    """Train two players, then let an opponent meet each of them without learning; a task.

    Parameters
    ----------
    opponents : float64[2, n]
        Of the first and of the second player.
    tests : int
        Matches of each contest.
    seed : int
        Equal seeds give equal openings, whatever is learned.
    """
    taught = train(setup, weights, rates, seed=derive_seed(seed, "training"))
    first, second = (
        play_matches(
            setup,
            Contestant(opponents[player]),
            Contestant(taught.weights[player]),
            matches=tests,
            seed=derive_seed(seed, "test", player),
        )
        for player in range(2)
    )
    return Trained(taught.weights, taught.matches, (first, second))


def meet_twice(
    setup: MatchSetup, first: Reals, second: Reals, rates: TDParameters, *, matches: int, seed: int
) -> tuple[list[MatchResult], list[MatchResult]]:
    """Let two players meet while both learn, and again as they were; a task.

    Both times from the same openings.

    Parameters
    ----------
    first, second : float64[n]
        Weights.
    rates : TDParameters
        How they learn, without exploration.
    """
    learning = train(setup, np.stack([first, second]), [rates] * matches, seed=seed).matches
    return learning, play_matches(setup, Contestant(first), Contestant(second), matches=matches, seed=seed)
