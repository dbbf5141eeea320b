"""The experiment `perfection`: how often agents play a best move, and how much their moves give away.

Positions are reached by random moves, or by an agent's moves after a random opening. Several plies are
measured, with equally many positions at each. Positions in which all moves are equally good are left out.
The solver scores every move, so the loss of a move is exact: the best score minus its own. A score is
(cells + 1 - stones before the winning one) // 2, so a loss of one point delays a win, or hastens a loss, by
two plies.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from boardgames.errors import OptionError
from boardgames.experiments import Experiment, Grid, Listener, Measurements, run_tasks
from boardgames.game import Game, Position
from boardgames.options import Option, OptionValue
from boardgames.player import Player
from boardgames.plugins import close_player, load, load_player
from boardgames.selfplay import derive_seed
from boardgames_connect4.solver import Solver

AGENTS = (
    "random greedy td value-iteration alphabeta:depth=2 alphabeta:depth=4 alphabeta:depth=8 "
    "mcts:simulations=1000 solver:level=5 solver:level=9"
)
ALL = "all"
TABLE_MB = 64
OPENING = 4
"""Number of random moves before the moves of the agent `played_by`."""
MIN_LEFT = 2
"""Minimum number of empty cells in a position; with one, there is no choice."""

GameOptions = tuple[tuple[str, OptionValue], ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """A position, and the score of each of its moves in the order of `Position.legal_moves`."""

    text: str
    scores: tuple[int, ...]


class PositionExperiment(Experiment):
    """Base class of experiments that compare moves with perfect play in positions.

    Attributes
    ----------
    plies : range
        The numbers of moves after which positions are used.
    """

    declared_options: ClassVar[tuple[Option, ...]] = (
        Option("positions", int, 50, "positions at each ply", minimum=1, maximum=100_000),
        Option("first", int, 8, "first ply; earlier positions take longer to solve", minimum=0, maximum=62),
        Option("last", int, 36, "last ply", minimum=0, maximum=62),
        Option("step", int, 4, "plies between groups of positions", minimum=1, maximum=62),
        Option(
            "played_by", str, "random", "the agent whose moves lead to the positions, after four random ones"
        ),
    )

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self.plies = range(self.integer("first"), self.integer("last") + 1, self.integer("step"))
        last = (game.facts.longest_match or 0) - MIN_LEFT
        if not self.plies or self.integer("last") > last:
            raise OptionError(f"first and last must be plies from 0 to {last}, in this order")

        close_player(load_player(self.text("played_by"), game))  # report an unknown agent before the work

    def sample(self, executor: Executor, seed: int, listener: Listener | None) -> list[list[Scored]]:
        """Return the positions after each of the plies."""
        options: GameOptions = tuple(self.game.options.items())
        agent, count = self.text("played_by"), self.integer("positions")
        return run_tasks(
            executor,
            [
                partial(sample, options, ply, count, derive_seed(seed, "sample", ply), agent)
                for ply in self.plies
            ],
            listener,
            "solving positions",
        )


class Perfection(PositionExperiment):
    """Compares the moves of agents with those of perfect play."""

    name: ClassVar[str] = "perfection"
    has_chart: ClassVar[bool] = True
    declared_options = (
        Option("agents", str, AGENTS, "the agents, separated by spaces"),
        *PositionExperiment.declared_options,
    )

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self.agents = list(dict.fromkeys(self.text("agents").split()))
        if not self.agents:
            raise OptionError("agents must name at least one agent")
        for agent in self.agents:
            close_player(load_player(agent, game))  # report an unknown agent before the work begins

    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Measurements:
        """Return two grids by agent and ply: the share of best moves, and the mean loss."""
        options: GameOptions = tuple(self.game.options.items())
        groups = self.sample(executor, seed, listener)
        losses = run_tasks(
            executor,
            [
                partial(losses_of, options, agent, tuple(group), derive_seed(seed, agent, ply))
                for agent in self.agents
                for ply, group in zip(self.plies, groups, strict=True)
            ],
            listener,
            "choosing moves",
        )
        width = len(self.plies)
        by_agent = [losses[place : place + width] for place in range(0, len(losses), width)]
        columns = (*map(str, self.plies), ALL)
        return Measurements(
            "ply",
            (
                Grid("share of best moves", columns, tuple(self.agents), tuple(map(_best_shares, by_agent))),
                Grid("mean loss of a move", columns, tuple(self.agents), tuple(map(_mean_losses, by_agent))),
            ),
            _conclusion(self.agents, by_agent),
        )


def sample(options: GameOptions, ply: int, count: int, seed: int, agent: str = "random") -> list[Scored]:
    """Return positions after `ply` moves of an agent, with the scores of their moves.

    The first `OPENING` moves are random. Positions in which all moves have the same score are left out.
    """
    game = load("connect4", layout=None, **dict(options))
    solver, random = Solver(game, table=TABLE_MB), np.random.default_rng(seed)
    player = load_player(agent, game, seed=seed)
    scored: list[Scored] = []
    try:
        while len(scored) < count:
            position = _position(game, ply, player, random)
            scores = tuple(solver.solve(position).scores.values())
            if len(set(scores)) > 1:
                scored.append(Scored(str(position), scores))
    finally:
        close_player(player)
    return scored


def losses_of(options: GameOptions, agent: str, positions: tuple[Scored, ...], seed: int) -> list[int]:
    """Return, for each position, how many points the agent's move scores less than a best one."""
    game = load("connect4", layout=None, **dict(options))
    player = load_player(agent, game, seed=seed)
    try:
        return [_loss(player, game.parse(one.text), one.scores) for one in positions]
    finally:
        close_player(player)


def _loss(player: Player, position: Position, scores: Sequence[int]) -> int:
    player.match_started(position.side_to_move)
    move = player.choose(position).move
    return max(scores) - (min(scores) if move is None else scores[position.legal_moves.index(move)])


def _position(game: Game, plies: int, player: Player, random: np.random.Generator) -> Position:
    """Return a position of an unfinished match, reached by random moves and then by moves of a player."""
    while True:
        position = game.start()
        player.match_started(0)
        for ply in range(plies):
            move = player.choose(position).move if ply >= OPENING else None
            position = position.apply(
                move or position.legal_moves[random.integers(len(position.legal_moves))]
            )
            if position.outcome is not None:
                break
        else:
            return position


def _best_shares(groups: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """Return the share of moves that lose nothing, in each group and overall."""
    return tuple(sum(loss == 0 for loss in group) / len(group) for group in _with_all(groups))


def _mean_losses(groups: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """Return the mean loss, in each group and overall."""
    return tuple(sum(group) / len(group) for group in _with_all(groups))


def _with_all(groups: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    return [*groups, [loss for group in groups for loss in group]]


def _conclusion(agents: Sequence[str], by_agent: Sequence[Sequence[Sequence[int]]]) -> str:
    means = {agent: _mean_losses(groups)[-1] for agent, groups in zip(agents, by_agent, strict=True)}
    least, most = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    count = sum(map(len, by_agent[0]))
    return (
        f"{count} positions, in each of which some moves are better than others; "
        f"{least} gives away {means[least]:.2f} points a move, {most} {means[most]:.2f}"
    )
