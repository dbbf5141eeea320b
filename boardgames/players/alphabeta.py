"""The agent `alphabeta`, and the base class of agents that search by alpha-beta or minimax."""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from boardgames.books import book_choice, find_books
from boardgames.books.book import ALL
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
from boardgames.players.contempt import ContemptSearch
from boardgames.search.alphabeta.options import SEARCH_OPTIONS, SearchOptions
from boardgames.search.alphabeta.search import pvs
from boardgames.search.alphabeta.searcher import Searcher
from boardgames.search.alphabeta.table import check_table
from boardgames.search.rules import MAX_DEPTH
from boardgames.weights import find_evaluation

DEFAULT_SECONDS = 1.0
DRAW_OFFER_LIMIT = Limit(seconds=0.2)
DRAW_OFFER_MB = 16

DEPTH = Option("depth", int, None, "search depth in plies", minimum=1, maximum=MAX_DEPTH, role="limit")
TIME = Option(
    "time",
    float,
    None,
    "seconds per move; 1 if there is no other limit",
    minimum=0.001,
    maximum=86_400,
    role="limit",
)
NODES = Option("nodes", int, None, "positions to visit per move", minimum=1, maximum=10**12, role="limit")
WEIGHTS = Option(
    "weights",
    str,
    None,
    "learned weights to evaluate with: a name, a training run or a file",
    file="read",
    role="weights",
)
TABLE = next(option for option in SEARCH_OPTIONS if option.name == "table")
BOOK = Option(
    "book",
    str,
    ALL,
    "opening books: true for the game's own, false for none, or a name or file",
    file="read",
)
CONTEMPT = Option(
    "contempt",
    bool,
    True,
    "try to win when a match is heading for a draw, if the game supports it and `weights` is not set",
)


class SearchPlayer(Player):
    """Searches by iterative deepening within its own limits and the caller's, by default for one second.

    Base class of agents that search. The agent of a plug-in sets `name`, and
    may override `evaluation` and `search_options` or set `node` to another
    search kernel. With `WEIGHTS` among its options, users can choose the
    evaluation.
    """

    declared_options: ClassVar[tuple[Option, ...]] = (DEPTH, TIME, NODES)
    node: ClassVar[Callable[..., float]] = staticmethod(pvs)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._learned = learned_evaluation(self)
        self._searcher = self._new_searcher(self.search_options())

    def evaluation(self) -> Evaluation:
        """Return the evaluation at the horizon: the chosen weights, or else the game's evaluation."""
        return self._learned or self.game.evaluation

    def search_options(self) -> SearchOptions:
        """Return the options of the search; by default plain alpha-beta."""
        return SearchOptions.plain()

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the best move found within the limits."""
        return self.analyse(position, limit, context, lines=1).choice()

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the value of every legal move, or of the best `lines`, each searched to the same depth."""
        self._check_position(position, lines=lines)
        return self._searcher.search(position, self._limit(limit), context, lines=lines)

    def accepts_draw(self, position: Position, side: int) -> bool:
        """Accept a draw if a short search favours one for `side`."""
        self._check_game(position)
        if position.outcome is not None:
            return False
        # a separate search, so that a draw offer does not affect the moves of the match
        options = self.search_options()
        options = replace(options, table=min(DRAW_OFFER_MB, options.table), threads=1)
        searcher = self._new_searcher(options)
        return searcher.search(position, self._limit(DRAW_OFFER_LIMIT), NO_CONTEXT).favours_draw(side)

    def match_started(self, side: int) -> None:
        """Forget the previous match, and get the search ready before the clock starts."""
        self._searcher.forget()
        self._searcher.prepare()

    def close(self) -> None:
        """Free the memory of the search, after waiting for a search in another thread to end."""
        with self._in_use(wait=True):
            self._searcher.release()

    def fingerprint(self) -> str:
        """Return the hash of the evaluation."""
        return fingerprint_of_evaluation(self.evaluation(), is_learned=self._learned is not None)

    def _new_searcher(self, options: SearchOptions) -> Searcher:
        return Searcher(self.game, self.evaluation(), options, node=type(self).node)

    def _limit(self, limit: Limit) -> Limit:
        depth, seconds, nodes = (self.options.get(name) for name in ("depth", "time", "nodes"))
        own = Limit(depth=depth, seconds=seconds, nodes=nodes)  # type: ignore[arg-type]  # read by kind
        both = limit.tightened(own)
        if all(value is None for value in (both.seconds, both.depth, both.nodes, both.clock)):
            return Limit(seconds=DEFAULT_SECONDS)
        return both


class AlphaBeta(SearchPlayer):
    """Principal variation search with techniques that can be switched off one by one.

    It plays from opening books unless depth or nodes are limited; then it always
    searches, as does `analyse`. When a match is heading for a draw, it
    tries to win it (see `players.contempt`).
    """

    name: ClassVar[str] = "alphabeta"
    declared_options: ClassVar[tuple[Option, ...]] = (
        DEPTH, TIME, NODES, WEIGHTS, *SEARCH_OPTIONS, BOOK, CONTEMPT,
    )  # fmt: skip

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        if self._searcher.options.table:
            check_table(self._searcher.options.table)
        self._books = find_books(str(self.options[BOOK.name]), game) if BOOK in self.declared_options else ()
        self._contempt = self._contempt_search()

    def search_options(self) -> SearchOptions:
        """Return the options of the search that the agent's options set."""
        named = [option.name for option in SEARCH_OPTIONS if option in self.declared_options]
        return SearchOptions(**{name: self.options[name] for name in named})  # type: ignore[arg-type]  # read by kind

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a book move if there is one, otherwise the best move found within the limits."""
        self._check_position(position)
        effective = self._limit(limit)
        if self._books and effective.depth is None and effective.nodes is None:
            choice = book_choice(self._books, position, self.random)
            if choice is not None and _is_allowed(choice, position, context):
                return choice
        if self._contempt is not None:
            return self._contempt.choose(self._searcher, position, effective, context)
        return super().choose(position, limit, context)

    def match_started(self, side: int) -> None:
        """Forget the previous match, and get the searches ready before the clock starts."""
        super().match_started(side)
        if self._contempt is not None:
            self._contempt.forget()
            self._contempt.prepare(side)

    def close(self) -> None:
        """Free the memory of the searches, after waiting for a search in another thread to end."""
        super().close()
        if self._contempt is not None:
            with self._in_use(wait=True):
                self._contempt.release()

    def fingerprint(self) -> str:
        """Return the hash of the evaluations and of the books, if there are any."""
        evaluation, parts = super().fingerprint(), [book.fingerprint for book in self._books]
        if self._contempt is not None:
            contempt = self._contempt.contempt
            parts += [fingerprint_of(contempt.evaluation(side).weight_bytes()) for side in range(2)]
        return fingerprint_of(*(part.encode() for part in (evaluation, *parts))) if parts else evaluation

    def _contempt_search(self) -> ContemptSearch | None:
        is_wanted = CONTEMPT in self.declared_options and bool(self.options[CONTEMPT.name])
        if self.game.contempt is None or not is_wanted or self._learned is not None:
            return None
        return ContemptSearch(self.game, self.game.contempt, self.search_options())


def _is_allowed(choice: Choice, position: Position, context: Context) -> bool:
    """Return True unless repetition forbids a move of a book."""
    return choice.move is not None and choice.move.action in context.legal_actions(position)


def learned_evaluation(player: Player) -> Evaluation | None:
    """Return the evaluation that a player's option `WEIGHTS` names, or None if the option is not set.

    A player may declare the option with another default.
    """
    is_declared = any(replace(option, default=None) == WEIGHTS for option in player.declared_options)
    text = player.options[WEIGHTS.name] if is_declared else None
    return None if text is None else find_evaluation(str(text), player.game)


def fingerprint_of_evaluation(evaluation: Evaluation, *, is_learned: bool) -> str:
    """Return a hash of everything that an evaluation's values depend on.

    For the game's own evaluation only the weights are hashed, since its code is part
    of the game; for learned weights, the features and the unit are also hashed.
    """
    parts = (evaluation.name.encode(), evaluation.unit.name.encode()) if is_learned else ()
    return fingerprint_of(*parts, evaluation.weight_bytes())
