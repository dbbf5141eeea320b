"""The player that searches by simulations: Monte Carlo tree search."""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from boardgames.declarations import Evaluation
from boardgames.game import Game, Position
from boardgames.options import Option
from boardgames.player import NO_CONTEXT, NO_LIMIT, Analysis, Choice, Context, Limit, Player
from boardgames.players.alphabeta import (
    DEFAULT_SECONDS,
    DRAW_OFFER_LIMIT,
    DRAW_OFFER_MB,
    NODES,
    TIME,
    WEIGHTS,
    fingerprint_of_evaluation,
    learned_evaluation,
)
from boardgames.search.growing import DEEPEST, MOST_THREADS, PRIORS, Style, grow
from boardgames.search.kept_tree import LARGEST_MB, Tree

DRAW_MARGIN = 0.05
"""Return below which a side is not better: means of equal positions are seldom 0."""
LONGEST_PLAYOUT = 10_000

DEPTH = Option("depth", int, None, "plies below which the tree stops growing", minimum=1, maximum=DEEPEST)
SIMULATIONS = Option("simulations", int, None, "descents of the tree", minimum=1, maximum=10**12)
EXPLORATION = Option(
    "exploration", float, Style().exploration, "weight of what is not known yet", minimum=0, maximum=100
)
PRIOR = Option(
    "prior",
    str,
    None,
    "which moves look good before they are tried; none where the rules set an end, else evaluation",
    choices=PRIORS,
)
CUTOFF = Option(
    "cutoff",
    int,
    None,
    "plies of a playout before it is evaluated; to the end where the rules set one, else 0",
    minimum=0,
    maximum=LONGEST_PLAYOUT,
)
MEMORY = Option("memory", int, 64, "MB of the tree", minimum=1, maximum=LARGEST_MB)
THREADS = Option("threads", int, 1, "threads that grow the tree", minimum=1, maximum=MOST_THREADS)


class MonteCarlo(Player):
    """Simulates until its own limits or the caller's are reached; one second if neither has any.

    The tree is kept from move to move of a match. With one thread and a limit
    of simulations or nodes, seed and match decide every move.
    """

    name: ClassVar[str] = "mcts"
    declared_options: ClassVar[tuple[Option, ...]] = (
        SIMULATIONS, TIME, NODES, DEPTH, EXPLORATION, PRIOR, CUTOFF, MEMORY, THREADS, WEIGHTS,
    )  # fmt: skip

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._learned = learned_evaluation(self)
        self._tree = Tree(self.options["memory"])  # type: ignore[arg-type]  # read by kind

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the move with the most simulations, or one that is proven to be best."""
        return self._grow(position, limit, context, all_moves=False).choice()

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the mean return of every legal move, or of the best `lines`; 0 without simulations."""
        found = self._grow(position, limit, context, all_moves=True)
        return replace(found, moves=found.moves[:lines])

    def accepts_draw(self, position: Position, side: int) -> bool:
        """Take a draw unless a short look says that `side` is better."""
        if position.outcome is not None:
            return False
        # a tree and chances of its own: the moves of the match do not depend on what was offered
        tree = Tree(min(DRAW_OFFER_MB, self._tree.megabytes))
        style = replace(self._style(), threads=1)
        seeds = np.zeros(1, dtype=np.uint64)
        found = grow(tree, position, self.evaluation(), style, DRAW_OFFER_LIMIT, NO_CONTEXT, seeds=seeds)
        score_for_side = found.score if position.side_to_move == side else -found.score
        return score_for_side.to_return() <= DRAW_MARGIN

    def match_started(self, side: int) -> None:
        """Forget the tree of the match before."""
        self._tree.forget()

    def reseed(self, seed: int) -> None:
        """Begin the player's chance anew, and the tree with it."""
        super().reseed(seed)
        self._tree.forget()

    def close(self) -> None:
        """Give the memory of the tree back."""
        self._tree.release()

    def fingerprint(self) -> str:
        """Return the hash of the evaluation, where it is used."""
        if not self._style().settled(self.game.facts, self.evaluation()).uses_evaluation():
            return ""
        return fingerprint_of_evaluation(self.evaluation(), is_learned=self._learned is not None)

    def evaluation(self) -> Evaluation:
        """Return what playouts are cut off with: of the weights that are set, else the game's."""
        return self._learned or self.game.evaluation

    def _grow(self, position: Position, limit: Limit, context: Context, *, all_moves: bool) -> Analysis:
        self._check_position(position)
        style = self._style()
        seeds = self.random.integers(0, 2**64, size=style.threads, dtype=np.uint64)
        return grow(
            self._tree,
            position,
            self.evaluation(),
            style,
            self._limit(limit),
            context,
            seeds=seeds,
            all_moves=all_moves,
        )

    def _style(self) -> Style:
        names = ("exploration", "prior", "cutoff", "threads")
        return Style(**{name: self.options[name] for name in names})  # type: ignore[arg-type]  # read by kind

    def _limit(self, limit: Limit) -> Limit:
        names = {"simulations": "simulations", "time": "seconds", "nodes": "nodes", "depth": "depth"}
        own = Limit(**{names[name]: self.options[name] for name in names})  # type: ignore[arg-type]  # read by kind
        both = limit.tightened(own)
        if all(value is None for value in (both.seconds, both.nodes, both.simulations, both.clock)):
            return replace(both, seconds=DEFAULT_SECONDS)
        return both
