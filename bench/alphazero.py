"""Train networks for Connect Four from scratch on the command line, and measure how well they play.

Strength is the share of critical positions in which the network keeps the result of perfect play. The
networks of all seeds are measured in the same positions.
"""

import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from engine import Row, summary

import boardgames
from boardgames.arena.intervals import wilson
from boardgames.declarations import Evaluation
from boardgames.kernels import Evaluate, Words, kernel
from boardgames.kernels.abi import Reals
from boardgames.learning.alphazero.tasks import SentNetwork, shares_kept
from boardgames.learning.critical import CriticalPositions, find_critical_positions
from boardgames.networks import Network, load_network
from boardgames.networks.inference import infer
from boardgames.player import ExactPlayer, Limit
from boardgames.plugins import close_player
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher
from boardgames.weights.lookup import BEST

MINUTES, WORKERS = 60, 2
POSITIONS = 1000
SEED = 20_261_128
"""Seed of the critical positions."""
SIMULATIONS = {64: "", 400: "0.93"}
"""Simulations per search, each with the target share of positions in which the search keeps the result."""
OTHERS = ("alphabeta:depth=8", "mcts:simulations=20000")
ABLATION_STEPS = 95
"""Steps in each training run: about twelve minutes with the default settings."""
ABLATIONS: dict[str, dict[str, object]] = {
    "the default settings": {},
    "Dirichlet noise with forced playouts and pruned targets": {"root": "noise"},
    "Dirichlet noise alone": {"root": "noise", "forced": 0},
    "no exploration at the root": {"root": "plain"},
    "no playout cap: 23 simulations for every move": {"simulations": 23, "full_share": 1},
    "no symmetric images": {"symmetries": "false"},
    "value targets from the results of matches alone": {"lambda": 1},
    "at most 4 random moves at the beginning": {"random_plies": 4},
    "network with 16 channels and 2 blocks": {"channels": 16, "blocks": 2},
    "network with 48 channels and 4 blocks": {"channels": 48, "blocks": 4},
}
"""What each training run leaves out or changes, with its settings."""
SECONDS = 0.1
"""Time for a move in the matches of alpha-beta search that evaluates positions with a network."""


def strength(runs: int) -> Iterator[Row]:
    """Train with several seeds, and measure play in critical positions and in matches against the solver."""
    game = boardgames.load("connect4")
    critical = find_critical_positions(game, POSITIONS, seed=SEED)
    for agent in OTHERS:
        yield f"critical positions kept, {agent}", f"{_kept_by(agent, critical):.3f}", ""
    policies: list[float] = []
    searches: dict[int, list[float]] = {simulations: [] for simulations in SIMULATIONS}
    not_lost: list[float] = []
    for seed in range(1, runs + 1):
        with tempfile.TemporaryDirectory() as home:
            network = _train(Path(home), seed, minutes=MINUTES)
        sent = SentNetwork.of(game, network)
        for simulations, kept in searches.items():
            policy, search = shares_kept(sent, critical, simulations=simulations, seed=1)
            kept.append(search)
        policies.append(policy)
        not_lost.append(_share_not_lost(network))
        figures = [policy, *(kept[-1] for kept in searches.values()), not_lost[-1]]
        print(f"  seed {seed}: " + ", ".join(f"{figure:.3f}" for figure in figures), file=sys.stderr)
    title = f"network after {MINUTES} minutes with {WORKERS} workers"
    yield f"{title}: positions kept, policy", summary(policies, ""), "0.83"
    for simulations, goal in SIMULATIONS.items():
        yield f"the same, {simulations} simulations", summary(searches[simulations], ""), goal
    yield "the same, matches as first player that the solver does not win", summary(not_lost, ""), "0.8"


def ablations(runs: int) -> Iterator[Row]:
    """Train without one part of the method at a time, for the same number of steps, with several seeds."""
    game = boardgames.load("connect4")
    critical = find_critical_positions(game, POSITIONS, seed=SEED)
    for title, settings in ABLATIONS.items():
        policies, searches, minutes = [], [], []
        for seed in range(1, runs + 1):
            begun = time.monotonic()
            with tempfile.TemporaryDirectory() as home:
                network = _train(Path(home), seed, steps=ABLATION_STEPS, **settings)
            minutes.append((time.monotonic() - begun) / 60)
            policy, search = shares_kept(
                SentNetwork.of(game, network), critical, simulations=max(SIMULATIONS), seed=1
            )
            policies.append(policy)
            searches.append(search)
        yield f"{title}: positions kept, policy", _with_interval(policies), ""
        yield f"the same, {max(SIMULATIONS)} simulations", _with_interval(searches), ""
        yield "the same, minutes", f"{np.median(minutes):.0f}", ""


def _with_interval(shares: list[float]) -> str:
    """Format the mean share as a percentage with its 95 % interval for `POSITIONS` positions."""
    share = float(np.mean(shares))
    low, high = wilson(share, POSITIONS)
    return f"{share:.1%} [{low:.1%}, {high:.1%}]"


def _train(home: Path, seed: int, **settings: object) -> Network:
    command = [sys.executable, "-m", "boardgames", "train", "connect4", "--learner", "alphazero"]
    chosen = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    environment = os.environ | {"BOARDGAMES_HOME": str(home)}
    subprocess.run(
        [*command, *chosen, "--seed", str(seed), "--workers", str(WORKERS), "--run", str(home / "run"),
         "--measure", "0"],
        env=environment, check=True, stdout=sys.stderr,
    )  # fmt: skip
    return Network.read(home / "run" / BEST)


def _kept_by(agent: str, critical: CriticalPositions) -> float:
    game = boardgames.load("connect4")
    player = boardgames.load_player(agent, game, seed=1)
    actions = []
    for words in critical.positions:
        move = player.choose(game.unpack(words)).move
        assert move is not None
        actions.append(game.encode(move))
    close_player(player)
    return critical.share_kept(np.array(actions))


def _share_not_lost(network: Network) -> float:
    """Return the share of matches that the network, as first player, does not lose to the solver.

    There is one match from each position after two plies that is not lost for the first player.
    """
    game = boardgames.load("connect4")
    solver = boardgames.load_player("solver", game)
    assert isinstance(solver, ExactPlayer)
    pairs = [
        game.start().apply_moves(f"{first} {second}") for first, second in product(range(1, 8), repeat=2)
    ]
    openings = [pair for pair, score in zip(pairs, solver.scores(pairs), strict=True) if score.sign >= 0]
    with tempfile.TemporaryDirectory() as folder:
        network.write(path := Path(folder, "network.safetensors"))
        agent = boardgames.load_player(f"alphazero:weights={path},simulations=400", game)
        players = {0: agent, 1: solver}
        not_lost = 0
        for opening in openings:
            position = opening
            while position.outcome is None:
                move = players[position.side_to_move].choose(position).move
                assert move is not None
                position = position.apply(move)
            not_lost += position.outcome.winner != 1
    return not_lost / len(openings)


def in_alphabeta(runs: int) -> Iterator[Row]:
    """Play Connect Four with a network as the evaluation of alpha-beta search, at equal time."""
    game, generator = boardgames.load("connect4"), random.Random(1)
    evaluation = network_evaluation(game, load_network("alphazero", game))
    openings = [_random_opening(game, generator) for _ in range(10 * runs)]
    for opponent in ("alphabeta", "alphazero"):
        searcher = Searcher(game, evaluation, SearchOptions())
        searcher.prepare()
        player = boardgames.load_player(f"{opponent}:time={SECONDS}", game, seed=1)
        player.match_started(0)
        results, depths = [0, 0, 0], []
        for opening in openings:
            for side in (0, 1):
                position = opening
                while position.outcome is None:
                    if position.side_to_move == side:
                        analysis = searcher.search(position, Limit(seconds=SECONDS), boardgames.Context())
                        depths.append(analysis.depth)
                        move = analysis.moves[0].move
                    else:
                        chosen = player.choose(position).move
                        assert chosen is not None
                        move = chosen
                    position = position.apply(move)
                winner = position.outcome.winner
                results[2 if winner is None else int(winner != side)] += 1
        close_player(player)
        won, lost, drawn = results
        text = f"{won} won, {lost} lost, {drawn} drawn, mean depth {np.mean(depths):.1f}"
        yield f"alpha-beta with a network against {opponent}, {SECONDS} s a move", text, ""


def network_evaluation(game: boardgames.Game, network: Network) -> Evaluation:
    """Return the value of a network as an evaluation for alpha-beta search."""
    prepared, observe = network.prepared(), game.observation().kernel
    side_to_move, actions = game.kernels.side_to_move, game.facts.actions
    numbers, entries = prepared.numbers, prepared.entries
    size = math.prod(game.observation().shape)

    @kernel(Evaluate)
    def evaluate(position: Words, weights: Reals) -> float:
        seen, work = np.empty(size, dtype=np.int8), np.empty(numbers, dtype=np.float32)
        logits, outcomes = np.empty((1, actions), dtype=np.float32), np.empty((1, 3), dtype=np.float32)
        observe(position, side_to_move(position), seen)
        infer(weights.view(np.int64), work, np.empty(entries, dtype=np.int64), seen, logits, outcomes)
        highest = max(outcomes[0, 0], outcomes[0, 1], outcomes[0, 2])
        win, draw = math.exp(outcomes[0, 0] - highest), math.exp(outcomes[0, 1] - highest)
        loss = math.exp(outcomes[0, 2] - highest)
        return (win - loss) / (win + draw + loss)

    return Evaluation("network", evaluate, prepared.bundle.items)


def _random_opening(game: boardgames.Game, generator: random.Random) -> boardgames.Position:
    """Return an unfinished position after four random plies."""
    position = game.start()
    for _ in range(4):
        position = position.apply_action(generator.choice(position.actions))
    return position
