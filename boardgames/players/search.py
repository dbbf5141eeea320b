"""Players that search: what they share, and alpha-beta."""

from dataclasses import replace
from typing import ClassVar

from boardgames.books import book_choice, find_books
from boardgames.books.finding import ALL
from boardgames.declarations import Evaluation
from boardgames.game import Game, Position
from boardgames.options import Option
from boardgames.player import (
    NO_CONTEXT,
    NO_LIMIT,
    Analysis,
    Choice,
    Context,
    Limit,
    Player,
    fingerprint_of,
)
from boardgames.search.deepening import NodeSearch, as_choice, search
from boardgames.search.means import Means
from boardgames.search.table import LARGEST_MB, check_table
from boardgames.search.thinking import LONGEST_QUIESCENCE, Thinker
from boardgames.search.tree import MAX_DEPTH
from boardgames.weights import find_evaluation

DEFAULT_SECONDS = 1.0
DRAW_LIMIT = Limit(seconds=0.2)
DRAW_MB = 16

DEPTH = Option("depth", int, None, "plies to look ahead", minimum=1, maximum=MAX_DEPTH)
TIME = Option("time", float, None, "seconds a move", minimum=0.001, maximum=86_400)
NODES = Option("nodes", int, None, "positions to visit", minimum=1, maximum=10**12)
WEIGHTS = Option("weights", str, None, "learned weights, a name, run or file, for the game's evaluation")
QUIESCENCE = Option(
    "quiescence",
    int,
    4,
    "plies that tactical moves are followed beyond the horizon",
    minimum=0,
    maximum=LONGEST_QUIESCENCE,
)
EXTENSIONS = Option("extensions", bool, True, "look deeper at the answers to forcing moves")


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
        return as_choice(self._search(position, limit, context, lines=1))

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the value of every legal move, or the best `lines`, each searched to the same depth."""
        return self._search(position, limit, context, lines=lines)

    def accepts_draw(self, position: Position, side: int) -> bool:
        """Take a draw unless a short look says that `side` is better."""
        if position.outcome is not None:
            return False
        found = self._glimpse(position)
        value_for_side = found.value if position.side_to_move == side else -found.value
        return value_for_side <= 0

    def fingerprint(self) -> str:
        """Return the hash of the evaluation."""
        return fingerprint_of_evaluation(self.evaluation(), is_learned=self._learned is not None)

    def evaluation(self) -> Evaluation:
        """Return the evaluation at the horizon: of the weights that are set, else the game's."""
        return self._learned or self.game.evaluation

    def _glimpse(self, position: Position) -> Analysis:
        """Return what a short look finds, which leaves the moves of the match as they would be."""
        return self._search(position, DRAW_LIMIT, NO_CONTEXT, lines=1)

    def _search(self, position: Position, limit: Limit, context: Context, *, lines: int | None) -> Analysis:
        """Return what is known of the best `lines` moves, or of all, when a limit is reached."""
        self._check_open(position)
        node, evaluation, all_moves = type(self).node, self.evaluation(), lines != 1
        found = search(position, node, evaluation, self._limit(limit), context, all_moves=all_moves)
        return replace(found, moves=found.moves[:lines])

    def _limit(self, limit: Limit) -> Limit:
        depth, seconds, nodes = (self.options.get(name) for name in ("depth", "time", "nodes"))
        own = Limit(depth=depth, seconds=seconds, nodes=nodes)  # type: ignore[arg-type]  # read by kind
        both = limit.tightened(own)
        bounded = (both.seconds, both.depth, both.nodes, both.clock)
        if all(value is None for value in bounded):
            return Limit(seconds=DEFAULT_SECONDS)
        return both


TABLE = Option("table", int, 64, "MB of the transposition table, 0 for none", minimum=0, maximum=LARGEST_MB)
MEANS = (
    TABLE,
    Option("threads", int, 1, "threads that search", minimum=1, maximum=64),
    QUIESCENCE,
    Option("scouts", bool, True, "empty windows for all but the first move"),
    Option("aspiration", bool, True, "a narrow window around the value of the depth before"),
    Option("killers", bool, True, "try first what refuted a sibling"),
    Option("history", bool, True, "try first what refuted anything"),
    Option("reductions", bool, True, "look less deep at late quiet moves, where the game allows"),
    Option("passes", bool, True, "take what is good without a move for good, where the game allows"),
    EXTENSIONS,
    Option("repetition", bool, True, "take a position that was there before for a draw"),
    Option("symmetry", bool, False, "take positions that a symmetry maps onto each other for one"),
)
"""What `Means` has, as options."""
BOOK = Option("book", str, ALL, "opening books: true for the game's, false for none, a name or a file")


class AlphaBeta(Searcher):
    """Principal variation search with all means, each of which can be switched off.

    It plays by opening books where only its time is limited: who says how deep
    to look, or at how many positions, wants it to look. `analyse` always looks.
    """

    name: ClassVar[str] = "alphabeta"
    declared_options: ClassVar[tuple[Option, ...]] = (DEPTH, TIME, NODES, WEIGHTS, *MEANS, BOOK)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        named = [option.name for option in MEANS if option in self.declared_options]
        declared = {name: self.options[name] for name in named}
        means = Means(**declared)  # type: ignore[arg-type]  # read by kind
        if means.table:
            check_table(means.table)
        self._thinker = Thinker(game, self.evaluation(), means)
        self._books = find_books(str(self.options[BOOK.name]), game) if BOOK in self.declared_options else ()

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a move of a book, if one has any here, else the best move found within the limits."""
        self._check_open(position)
        limited = self._limit(limit)
        if self._books and limited.depth is None and limited.nodes is None:
            known = book_choice(self._books, position, self.random)
            if known is not None:
                return known
        return super().choose(position, limit, context)

    def fingerprint(self) -> str:
        """Return the hash of the evaluation, and of the books if there are any."""
        of_evaluation = super().fingerprint()
        if not self._books:
            return of_evaluation
        return fingerprint_of(of_evaluation.encode(), *(book.fingerprint.encode() for book in self._books))

    def _glimpse(self, position: Position) -> Analysis:
        means = replace(self._thinker.means, table=min(DRAW_MB, self._thinker.means.table), threads=1)
        own = Thinker(self.game, self.evaluation(), means)  # a table of its own
        return own.search(position, self._limit(DRAW_LIMIT), NO_CONTEXT)

    def close(self) -> None:
        """Give the memory of the table back."""
        self._thinker.release()

    def match_started(self, side: int) -> None:
        """Forget what was found in the match before."""
        self._thinker.forget()

    def _search(self, position: Position, limit: Limit, context: Context, *, lines: int | None) -> Analysis:
        self._check_open(position)
        return self._thinker.search(position, self._limit(limit), context, lines=lines)


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
