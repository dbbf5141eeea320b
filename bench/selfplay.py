"""Measure how fast a network plays against itself, and how much of that time the search takes.

`BENCH_PEERS` names the Python interpreter of an environment with OpenSpiel and JAX. OpenSpiel's AlphaZero is
then measured too (see selfplay_peer.py).
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from engine import Row, summary

import boardgames
from boardgames.learning.alphazero.selfplay import SelfPlay, play_matches
from boardgames.networks import Network, NetworkShape

GAMES = {"connect4": None, "hexifence": None, "abalone": 100}
"""Games with their ply limits."""
MATCHES, BATCH = 256, 256
SIMULATIONS = 32
PEER_SECONDS = 10.0


def with_networks(runs: int) -> Iterator[Row]:
    """Measure self-play on one core: matches, and positions evaluated in them and by the network alone."""
    for name, ply_limit in GAMES.items():
        game = boardgames.load(name)
        network = Network.random(game, NetworkShape.of(game, channels=32, blocks=3), seed=1)
        settings = SelfPlay(
            simulations=SIMULATIONS, fast_simulations=SIMULATIONS, full_share=1.0, random_plies=0,
            ply_limit=ply_limit,
        )  # fmt: skip
        play_matches(game, network.evaluate, 8, settings=settings, seed=0)
        inside, bare, matches = [], [], []
        for run in range(runs):
            started = time.process_time()
            played = play_matches(game, network.evaluate, MATCHES, settings=settings, seed=run)
            seconds = time.process_time() - started
            inside.append(played.evaluations / seconds)
            matches.append(MATCHES / seconds)
            bare.append(_bare(network, seconds / 4))
        share = median(one / other for one, other in zip(inside, bare, strict=True))
        yield f"self-play {name}, {SIMULATIONS} simulations", summary(matches, "matches/CPU s"), ""
        result = f"{summary(inside, 'evaluations/CPU s')}, {share:.0%} of the network alone"
        yield "the same", result, "85 %"
        if name == "connect4" and (rates := _peer(runs)):
            ratio = median(matches) / median(rates)
            yield (
                "the same, OpenSpiel's AlphaZero in Python",
                f"{summary(rates, 'matches/CPU s')}, ours {ratio:.0f} times",
                "10 times",
            )


def _peer(runs: int) -> list[float]:
    """Return the matches per CPU second of OpenSpiel's AlphaZero, or nothing if it is not installed."""
    program = [os.environ.get("BENCH_PEERS", sys.executable), str(Path(__file__).parent / "selfplay_peer.py")]
    arguments = [str(SIMULATIONS), str(PEER_SECONDS), str(runs)]
    done = subprocess.run([*program, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    rates: list[float] = json.loads(done.stdout.splitlines()[-1]) if done.stdout else []
    return rates


def _bare(network: Network, seconds: float) -> float:
    """Return the evaluations per second of CPU time that the network makes in full batches."""
    game = boardgames.load(network.game)
    batch = boardgames.Batch(game, BATCH, seed=1, ply_limit=100)
    for _ in range(6):
        batch.step(batch.sample())
    observations, masks = batch.observations(), batch.masks()
    count, started = 0, time.process_time()
    while (used := time.process_time() - started) < seconds:
        network.evaluate(observations, masks)
        count += BATCH
    return count / used
