"""Players that search: minimax, which prunes nothing, and alpha-beta."""

from dataclasses import replace
from typing import ClassVar

from boardgames.declarations import Evaluation
from boardgames.game import Game, Position
from boardgames.options import Option
from boardgames.playing import (
    NO_CONTEXT,
    NO_LIMIT,
    Analysis,
    Choice,
    Context,
    Limit,
    Player,
    fingerprint_of,
)
from boardgames.search.alphabeta import negamax
from boardgames.search.deepening import NodeSearch, as_choice, search
from boardgames.search.minimax import minimax
from boardgames.search.tree import MAX_DEPTH
from boardgames.weights import find_evaluation

DEFAULT_SECONDS = 1.0
DRAW_LIMIT = Limit(seconds=0.2)

DEPTH = Option("depth", int, None, "plies to look ahead", minimum=1, maximum=MAX_DEPTH)
TIME = Option("time", float, None, "seconds a move", minimum=0.001, maximum=86_400)
NODES = Option("nodes", int, None, "positions to visit", minimum=1, maximum=10**12)
WEIGHTS = Option("weights", str, None, "learned weights, a name, run or file, for the game's evaluation")


class Searcher(Player):
    """Deepens until its own limits or the caller's are reached; one second if neither has any.

    Base class of agents that search: a plug-in's sets `name` and `node`, and
    overrides `evaluation`; `WEIGHTS` among its options lets a user choose one.
    """

    declared_options: ClassVar[tuple[Option, ...]] = (DEPTH, TIME, NODES)
    node: ClassVar[NodeSearch]

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._learned = learned_evaluation(self)

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the best move found within the limits."""
        return as_choice(self._search(position, limit, context, all_moves=False))

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the value of every legal move, or the best `lines`, each searched to the same depth."""
        found = self._search(position, limit, context, all_moves=True)
        return replace(found, moves=found.moves[:lines])

    def accepts_draw(self, position: Position, side: int) -> bool:
        """Take a draw unless a short look says that `side` is better."""
        if position.outcome is not None:
            return False
        found = self._search(position, DRAW_LIMIT, NO_CONTEXT, all_moves=False)
        value_for_side = found.value if position.side_to_move == side else -found.value
        return value_for_side <= 0

    def fingerprint(self) -> str:
        """Return the hash of the evaluation."""
        return fingerprint_of_evaluation(self.evaluation(), is_learned=self._learned is not None)

    def evaluation(self) -> Evaluation:
        """Return the evaluation at the horizon: of the weights that are set, else the game's."""
        return self._learned or self.game.evaluation

    def _search(self, position: Position, limit: Limit, context: Context, *, all_moves: bool) -> Analysis:
        self._check_open(position)
        evaluation = self.evaluation()
        limit = self._limit(limit)
        node = type(self).node
        return search(position, node, evaluation, limit, context, all_moves=all_moves)

    def _limit(self, limit: Limit) -> Limit:
        depth, seconds, nodes = (self.options.get(name) for name in ("depth", "time", "nodes"))
        own = Limit(depth=depth, seconds=seconds, nodes=nodes)  # type: ignore[arg-type]  # read by kind
        both = limit.tightened(own)
        bounded = (both.seconds, both.depth, both.nodes, both.clock)
        if all(value is None for value in bounded):
            return Limit(seconds=DEFAULT_SECONDS)
        return both


class Minimax(Searcher):
    """Full search without pruning: the teaching agent, and the oracle for other searches."""

    name: ClassVar[str] = "minimax"
    declared_options = (DEPTH, TIME, NODES, WEIGHTS)
    node = minimax


class AlphaBeta(Searcher):
    """Alpha-beta with iterative deepening, moves tried in the game's order."""

    name: ClassVar[str] = "alphabeta"
    declared_options = (DEPTH, TIME, NODES, WEIGHTS)
    node = negamax


def learned_evaluation(player: Player) -> Evaluation | None:
    """Return the evaluation of the weights that a player's option `WEIGHTS` names, None if it names none."""
    text = player.options[WEIGHTS.name] if WEIGHTS in player.declared_options else None
    return None if text is None else find_evaluation(str(text), player.game)


def fingerprint_of_evaluation(evaluation: Evaluation, *, is_learned: bool) -> str:
    """Return the hash of what an evaluation's values follow from.

    The game is known by its code; of learned ones the features are told too,
    and whether their sum is squashed.
    """
    told = (evaluation.name.encode(), evaluation.unit.encode()) if is_learned else ()
    return fingerprint_of(*told, evaluation.weights.tobytes())
