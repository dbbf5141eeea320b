"""The agent `mcts`: Monte Carlo tree search."""

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
from boardgames.search.mcts.options import MAX_THREADS, MAX_TREE_DEPTH, PRIORS, MctsOptions
from boardgames.search.mcts.searcher import Searcher
from boardgames.search.mcts.tree import MAX_MB

MAX_CUTOFF = 10_000

DEPTH = Option(
    "depth",
    int,
    None,
    "depth in plies at which the tree stops growing",
    minimum=1,
    maximum=MAX_TREE_DEPTH,
    role="limit",
)
SIMULATIONS = Option(
    "simulations", int, None, "simulations per move", minimum=1, maximum=10**12, role="limit"
)
SEARCH_OPTIONS = (
    Option(
        "exploration", float, MctsOptions().exploration, "weight of exploration, in PUCT and UCB1",
        minimum=0, maximum=100,
    ),
    Option(
        "prior", str, None,
        "priors of moves: by the game's move order, by evaluation, or none (UCB1); "
        "by default evaluation if the game has one, else none",
        choices=PRIORS,
    ),
    Option(
        "cutoff", int, None,
        "plies after which a playout is evaluated; by default 0, or none if the rules limit match length",
        minimum=0, maximum=MAX_CUTOFF,
    ),
    Option(
        "memory", int, MctsOptions().memory, "size of the tree in MB", minimum=1, maximum=MAX_MB,
        role="memory",
    ),
    Option("threads", int, 1, "number of search threads", minimum=1, maximum=MAX_THREADS, role="threads"),
)  # fmt: skip
"""The fields of `MctsOptions` as options of an agent."""


class MonteCarlo(Player):
    """Runs simulations within its own limits and the caller's, by default for one second.

    The tree is kept from move to move of a match. With one thread and a limit
    of simulations or nodes, the same seed and match give the same moves.
    """

    name: ClassVar[str] = "mcts"
    declared_options: ClassVar[tuple[Option, ...]] = (
        SIMULATIONS, TIME, NODES, DEPTH, *SEARCH_OPTIONS, WEIGHTS,
    )  # fmt: skip

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._learned = learned_evaluation(self)
        self._searcher = Searcher(game, self.evaluation(), self.search_options())

    def evaluation(self) -> Evaluation:
        """Return the evaluation for cutoffs and priors: the chosen weights, or else the game's evaluation."""
        return self._learned or self.game.evaluation

    def search_options(self) -> MctsOptions:
        """Return the search options that the agent's options set."""
        values = {option.name: self.options[option.name] for option in SEARCH_OPTIONS}
        return MctsOptions(**values)  # type: ignore[arg-type]  # read by kind

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the move with the most simulations, or one that is proven to be best."""
        return self._search(position, limit, context, all_moves=False).choice()

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the mean return of all legal moves, or of the best `lines`; 0 for unsearched moves."""
        self._check_position(position, lines=lines)
        analysis = self._search(position, limit, context, all_moves=True)
        return replace(analysis, moves=analysis.moves[:lines])

    def accepts_draw(self, position: Position, side: int) -> bool:
        """Accept a draw if a short search favours one for `side`."""
        self._check_game(position)
        if position.outcome is not None:
            return False
        # a separate search and seed, so that a draw offer does not affect the moves of the match
        options = self._searcher.options
        options = replace(options, memory=min(DRAW_OFFER_MB, options.memory), threads=1)
        searcher = Searcher(self.game, self.evaluation(), options)
        seeds = np.zeros(1, dtype=np.uint64)
        return searcher.search(position, DRAW_OFFER_LIMIT, NO_CONTEXT, seeds=seeds).favours_draw(side)

    def match_started(self, side: int) -> None:
        """Clear the tree of the previous match, and get the search ready before the clock starts."""
        self._searcher.forget()
        self._searcher.prepare()

    def reseed(self, seed: int) -> None:
        """Restart the random generator, and clear the tree."""
        super().reseed(seed)
        self._searcher.forget()

    def close(self) -> None:
        """Free the memory of the search, after waiting for a search in another thread to end."""
        with self._in_use(wait=True):
            self._searcher.release()

    def fingerprint(self) -> str:
        """Return the hash of the evaluation; empty if the search does not use it."""
        evaluation = self.evaluation()
        if not self._searcher.options.uses_evaluation(self.game.facts, evaluation):
            return ""
        return fingerprint_of_evaluation(evaluation, is_learned=self._learned is not None)

    def _search(self, position: Position, limit: Limit, context: Context, *, all_moves: bool) -> Analysis:
        self._check_position(position)
        threads = self._searcher.options.threads
        seeds = self.random.integers(0, 2**64, size=threads, dtype=np.uint64)
        return self._searcher.search(position, self._limit(limit), context, seeds=seeds, all_moves=all_moves)

    def _limit(self, limit: Limit) -> Limit:
        simulations, seconds, nodes, depth = (
            self.options[option.name] for option in (SIMULATIONS, TIME, NODES, DEPTH)
        )
        own = Limit(simulations=simulations, seconds=seconds, nodes=nodes, depth=depth)  # type: ignore[arg-type]  # read by kind
        both = limit.tightened(own)
        if all(value is None for value in (both.seconds, both.nodes, both.simulations, both.clock)):
            return replace(both, seconds=DEFAULT_SECONDS)
        return both
