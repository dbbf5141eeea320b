"""Tasks of experiments: players that train against each other, and contests without learning.

The matches of a training come in pairs of one opening, and each match has a
seed of its own: trainings that differ in how is learned meet the same openings
from the first match to the last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boardgames.kernels import Reals
from boardgames.selfplay import Contestant, Ended, Rates, Setting, Taught, play, seed_of, teach


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """What came of a training.

    Attributes
    ----------
    weights : float64[2, n]
        Of both players, after it.
    training : list of Ended
        Its matches, for the first player.
    contests : (list of Ended, list of Ended)
        Of an opponent, named first, against each player.
    """

    weights: Reals
    training: list[Ended]
    contests: tuple[list[Ended], list[Ended]]


def train(setting: Setting, weights: Reals, rates: Sequence[Rates], *, seed: int) -> Taught:
    """Let two players train against each other, a match for each of `rates`, changing sides.

    Parameters
    ----------
    weights : float64[2, n]
        Each player's own. Not changed.
    rates : sequence of Rates
        How they learn, match by match.
    seed : int
        Decides exploration and openings.
    """
    ended: list[Ended] = []
    for number, rate in enumerate(rates):
        side = number % 2
        taught = teach(setting, weights[[side, 1 - side]], rate, matches=1, seed=seed_of(seed, number // 2))
        weights = taught.weights[[side, 1 - side]]
        ended.append(replace(taught.matches[0], side=side))
    return Taught(weights, ended)


def train_and_meet(
    setting: Setting, weights: Reals, rates: Sequence[Rates], opponents: Reals, *, tests: int, seed: int
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
    taught = train(setting, weights, rates, seed=seed_of(seed, "training"))
    first, second = (
        play(
            setting,
            Contestant(opponents[player]),
            Contestant(taught.weights[player]),
            matches=tests,
            seed=seed_of(seed, "test", player),
        )
        for player in range(2)
    )
    return Trained(taught.weights, taught.matches, (first, second))


def meet_twice(
    setting: Setting, first: Reals, second: Reals, rates: Rates, *, matches: int, seed: int
) -> tuple[list[Ended], list[Ended]]:
    """Let two players meet while both learn, and again as they were; a task.

    Both times from the same openings.

    Parameters
    ----------
    first, second : float64[n]
        Weights.
    rates : Rates
        How they learn, without exploration.
    """
    learning = train(setting, np.stack([first, second]), [rates] * matches, seed=seed).matches
    return learning, play(setting, Contestant(first), Contestant(second), matches=matches, seed=seed)
