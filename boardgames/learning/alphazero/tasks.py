"""Tasks for workers: self-play of a network, and its matches against another agent.

Only names, numbers and tensors are sent to workers, which need no PyTorch.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from boardgames import plugins
from boardgames.batch import Batch
from boardgames.game import Game
from boardgames.kernels.abi import Floats
from boardgames.learning.alphazero.selfplay import Played, SelfPlay, play_matches, play_random_moves
from boardgames.learning.critical import CriticalPositions
from boardgames.networks import Network, NetworkShape
from boardgames.player import NO_LIMIT, Context
from boardgames.search.batched import BatchSearch, BatchSearchOptions


@dataclass(frozen=True, slots=True)
class Setup:
    """The name, layout and options of a game, for `boardgames.load`."""

    game: str
    layout: str
    options: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, game: Game) -> "Setup":
        """Return the setup of a registered game."""
        options = tuple((name, str(value)) for name, value in game.options.items() if value is not None)
        return cls(game.facts.name, game.layout, options)


@dataclass(frozen=True, slots=True, eq=False)
class SentNetwork:
    """A network in the form in which it is sent to workers."""

    setup: Setup
    shape: NetworkShape
    tensors: Mapping[str, Floats]

    @classmethod
    def of(cls, game: Game, network: Network) -> "SentNetwork":
        """Convert a network to this form."""
        return cls(Setup.of(game), network.shape, dict(network.tensors))

    def unpacked(self) -> tuple[Game, Network]:
        """Return the game and the network."""
        game = load_game(self.setup)
        return game, Network.of(game, self.shape, self.tensors)


@lru_cache(maxsize=4)
def load_game(setup: Setup) -> Game:
    """Load a game, or return it if this process has loaded it already."""
    return plugins.load(setup.game, layout=setup.layout, **dict(setup.options))


def play_against_itself(sent: SentNetwork, matches: int, settings: SelfPlay, seed: int) -> Played:
    """Play matches of a network against itself, and return their samples."""
    game, network = sent.unpacked()
    return play_matches(game, network.evaluate, matches, settings=settings, seed=seed)


def shares_kept(
    sent: SentNetwork, critical: CriticalPositions, *, simulations: int, seed: int
) -> tuple[float, float]:
    """Return the shares of critical positions in which the policy alone and a search keep the result."""
    game, network = sent.unpacked()
    positions = [game.unpack(words) for words in critical.positions]
    observations = np.array([position.observation() for position in positions])
    masks = np.array([position.action_mask() for position in positions])
    policies, _ = network.evaluate(observations, masks)
    search = BatchSearch(game, len(masks), options=BatchSearchOptions(root="plain"), seed=seed, threads=1)
    found = search.run(critical.positions, network.evaluate, simulations=simulations)
    most_probable = np.where(masks, policies, -1).argmax(axis=1)
    return critical.share_kept(most_probable), critical.share_kept(found.actions)


def points_against(
    sent: SentNetwork,
    opponent: str,
    matches: int,
    *,
    simulations: int,
    random_plies: int,
    ply_limit: int | None,
    seed: int,
) -> list[float]:
    """Return the points of a network in each of its matches against an agent, sides alternating.

    A match begins with 0 to `random_plies` random moves, which are the same in matches 2 n and 2 n + 1.
    """
    game, network = sent.unpacked()
    batch = Batch(game, matches, ply_limit=ply_limit, seed=seed, threads=1)
    openings = Batch(game, matches, ply_limit=ply_limit, seed=seed, threads=1)
    play_random_moves(openings, random_plies, np.random.default_rng(seed))
    for match in range(matches):
        which = np.arange(matches) == match
        batch.reset(which, start=openings.position(match // 2))
    sides = np.arange(matches) % 2
    search = BatchSearch(
        game, matches, options=BatchSearchOptions(root="plain"), ply_limit=ply_limit, seed=seed, threads=1
    )
    players = [plugins.load_player(opponent, game, seed=seed + match) for match in range(matches)]
    histories = [[batch.position(match)] for match in range(matches)]
    resigned = np.zeros(matches, dtype=np.bool_)
    try:
        while (going_on := ~batch.over & ~resigned).any():
            actions = np.zeros(matches, dtype=np.int64)
            ours = (batch.sides == sides) & going_on
            if ours.any():
                search.start(batch, simulations=simulations, which=ours)
                while (leaves := search.leaves()) is not None:
                    search.update(*network.evaluate(*leaves))
                actions[ours] = search.found().actions[ours]
            for match in np.flatnonzero(~ours & going_on).tolist():
                history = tuple(histories[match][:-1])
                plies_left = None if ply_limit is None else ply_limit - int(batch.plies[match])
                context = Context(history=history, plies_left=plies_left)
                move = players[match].choose(histories[match][-1], NO_LIMIT, context).move
                resigned[match] = move is None
                actions[match] = 0 if move is None else game.encode(move)
            going_on &= ~resigned
            batch.step(actions, which=going_on)
            for match in np.flatnonzero(going_on).tolist():
                histories[match].append(batch.position(match))
    finally:
        for player in players:
            player.close()
    winners = np.where(resigned, sides, batch.winners)
    return [float(one) for one in np.where(winners < 0, 0.5, np.where(winners == sides, 1.0, 0.0))]
