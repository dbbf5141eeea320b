"""Tasks of the experiments: players train against each other, and play others without learning.

Training matches are played in pairs from the same opening. Every match has its own seed, so
trainings with different hyperparameters have the same openings from the first match to the last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boardgames.kernels import Reals
from boardgames.options import Option
from boardgames.selfplay import (
    Contestant,
    SelfPlayMatch,
    SelfPlaySetup,
    TDParameters,
    TrainingResult,
    derive_seed,
    play_matches,
    train_players,
)

TEST_EPSILON = Option(
    "test_epsilon", float, 0.0, "probability of an exploratory move in test matches", minimum=0, maximum=1
)


@dataclass(frozen=True, slots=True, eq=False)
class TrainedPair:
    """Two players after training and tests.

    Attributes
    ----------
    weights : float64[2, n]
        Weights of both players.
    training : list of SelfPlayMatch
        The training matches, from the first player's point of view.
    tests : (list of SelfPlayMatch, list of SelfPlayMatch)
        Test matches of each player, from its opponent's point of view.
    """

    weights: Reals
    training: list[SelfPlayMatch]
    tests: tuple[list[SelfPlayMatch], list[SelfPlayMatch]]


def train_pair(
    setup: SelfPlaySetup, weights: Reals, parameters: Sequence[TDParameters], *, seed: int
) -> TrainingResult:
    """Train two players against each other, one match for each element of `parameters`.

    Parameters
    ----------
    weights : float64[2, n]
        Weights of both players. Not changed.
    parameters : sequence of TDParameters
        Hyperparameters of each match.
    seed : int
        Seeds openings and exploration.
    """
    results: list[SelfPlayMatch] = []
    for number, match_parameters in enumerate(parameters):
        side = number % 2
        trained = train_players(
            setup, weights[[side, 1 - side]], match_parameters,
            matches=1, seed=derive_seed(seed, number // 2),
        )  # fmt: skip
        weights = trained.weights[[side, 1 - side]]
        results.append(replace(trained.matches[0], side=side))
    return TrainingResult(weights, results)


def train_and_test(
    setup: SelfPlaySetup,
    weights: Reals,
    parameters: Sequence[TDParameters],
    opponents: Reals,
    *,
    tests: int,
    seed: int,
    test_epsilon: float = 0.0,
) -> TrainedPair:
    """Train two players, then test each of them against an opponent.

    Parameters
    ----------
    opponents : float64[2, n]
        Weights of the opponents of the first and second player.
    tests : int
        Number of test matches of each player.
    seed : int
        The same seed gives the same openings, even if the hyperparameters differ.
    test_epsilon : float
        Probability of a random move in test matches.
    """
    trained = train_pair(setup, weights, parameters, seed=derive_seed(seed, "training"))
    first, second = (
        play_matches(
            setup,
            Contestant(opponents[player]),
            Contestant(trained.weights[player]),
            matches=tests,
            seed=derive_seed(seed, "test", player),
            epsilon=test_epsilon,
        )
        for player in range(2)
    )
    return TrainedPair(trained.weights, trained.matches, (first, second))


def play_learning_and_frozen(
    setup: SelfPlaySetup,
    first: Reals,
    second: Reals,
    parameters: TDParameters,
    *,
    matches: int,
    seed: int,
) -> tuple[list[SelfPlayMatch], list[SelfPlayMatch]]:
    """Play matches with learning, and as many without, from the same openings.

    Parameters
    ----------
    first, second : float64[n]
        Initial weights of each player, for both series.
    parameters : TDParameters
        Hyperparameters; `epsilon` applies to both series.
    """
    learning = train_pair(setup, np.stack([first, second]), [parameters] * matches, seed=seed).matches
    frozen = play_matches(
        setup, Contestant(first), Contestant(second),
        matches=matches, seed=seed, epsilon=parameters.epsilon,
    )  # fmt: skip
    return learning, frozen
