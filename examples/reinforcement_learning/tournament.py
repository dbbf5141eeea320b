"""A round robin in OpenSpiel between its own bots and our agents; each pair plays from both sides."""

import argparse
import itertools

import numpy as np
import pyspiel
from open_spiel.python.algorithms import evaluate_bots, mcts
from open_spiel.python.bots import uniform_random

from boardgames.adapters import openspiel

SIMULATIONS = 100


def bots(game: pyspiel.Game, side: int, seed: int) -> dict[str, pyspiel.Bot]:
    """Return new bots for one side, by name."""
    generator = np.random.RandomState(seed)
    rollouts = mcts.RandomRolloutEvaluator(1, generator)
    return {
        "uniform": uniform_random.UniformRandomBot(side, generator),
        "OpenSpiel's mcts": mcts.MCTSBot(game, 1.4, SIMULATIONS, rollouts, random_state=generator),
        "our mcts": openspiel.bot(f"mcts:simulations={SIMULATIONS}", game, seed=seed),
        "our alphabeta": openspiel.bot("alphabeta:depth=3", game, seed=seed),
    }


def main() -> None:
    """Read the command line, play, and print the sum of the returns of each bot."""
    parser = argparse.ArgumentParser(description="Play a tournament in OpenSpiel.")
    parser.add_argument("game", help="name of a game of boardgames, such as connect4")
    parser.add_argument("--rounds", type=int, default=2, help="matches of each pair and side; default: 2")
    given = parser.parse_args()

    game = pyspiel.load_game(openspiel.register(given.game))
    points = dict.fromkeys(bots(game, 0, 1), 0.0)
    for seed in range(given.rounds):
        for first, second in itertools.permutations(points, 2):
            pair = [bots(game, 0, seed)[first], bots(game, 1, seed)[second]]
            returns = evaluate_bots.evaluate_bots(game.new_initial_state(), pair, np.random.RandomState(seed))
            points[first] += returns[0]
            points[second] += returns[1]
    for name, total in sorted(points.items(), key=lambda item: -item[1]):
        print(f"{name:18} {total:+.0f}")


if __name__ == "__main__":
    main()
