"""Play matches with OpenSpiel's AlphaZero in Python, for the section `networks-selfplay` of run.py.

Run it in a separate environment that has `open_spiel`, `jax`, `flax`, `optax`, `chex` and
`orbax-checkpoint`, but not boardgames. The arguments are the simulations per move, the seconds per run and
the number of runs. It prints the matches per second of CPU time of each run as a line of JSON, or nothing if
one of these packages is not installed.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

CHANNELS, BLOCKS = 32, 3


def main() -> None:
    """Measure and print the matches per second."""
    simulations, seconds, runs = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        try:
            play = make_player(simulations, folder)
        except ImportError:
            return
        rates = measure(play, seconds, runs)
    print(json.dumps(rates))


def measure(play: Callable[[], object], seconds: float, runs: int) -> list[float]:
    """Return the matches per second of CPU time of each run."""
    play()  # compiles the network
    rates = []
    for _ in range(runs):
        matches, started = 0, time.process_time()
        while (used := time.process_time() - started) < seconds:
            play()
            matches += 1
        rates.append(matches / used)
    return rates


def make_player(simulations: int, folder: str) -> Any:
    """Return a function that plays a match of Connect Four with a random network."""
    import pyspiel
    from open_spiel.python.algorithms import mcts
    from open_spiel.python.algorithms.alpha_zero import alpha_zero, evaluator, utils

    game = pyspiel.load_game("connect_four")
    model = utils.api_selector("nnx").Model.build_model(
        "resnet", game.observation_tensor_shape(), game.num_distinct_actions(), CHANNELS, BLOCKS, 1e-4, 1e-3,
        folder,
    )  # fmt: skip
    evaluate = evaluator.AlphaZeroEvaluator(game, model)
    bots = [
        mcts.MCTSBot(
            game, 2, simulations, evaluate, solve=False, dirichlet_noise=(0.25, 1),
            child_selection_fn=mcts.SearchNode.puct_value, dont_return_chance_node=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    return lambda: alpha_zero._play_game(Silent(), 0, game, bots, temperature=1, temperature_drop=10)


class Silent:
    """A logger that writes nothing."""

    def print(self, *_: object) -> None:
        """Do nothing."""

    def opt_print(self, *_: object) -> None:
        """Do nothing."""


if __name__ == "__main__":
    main()
