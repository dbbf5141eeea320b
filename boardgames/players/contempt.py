"""Contempt: trying to win a match that is heading for a draw.

Against an opponent that only shuffles, alpha-beta search often sees no way to improve its position
and shuffles too. A game's `Contempt` has evaluations that reward one side for going on the attack. Once
a match is stuck, a search with such an evaluation suggests a move. The move is played only if
the normal search finds that it costs little and leaves the side to move no worse than
even. Opponents that fight back refute most suggestions, so there is little risk against them.
"""

from dataclasses import replace

from boardgames.declarations import Contempt
from boardgames.game import Game, Position
from boardgames.player import Analysis, Choice, Context, Limit
from boardgames.score import Score
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher

NORMAL, SUGGESTION, CHECK = 0.4, 0.4, 0.2
"""How the time and nodes for a move are divided: between the normal search, the search with contempt, and
the normal search that checks the suggested move."""
TABLE_DIVISOR = 8
"""The transposition table of the search with contempt is smaller than the normal one by this factor."""


class ContemptSearch:
    """Chooses moves when a match is stuck.

    Parameters
    ----------
    game : Game
        The game.
    contempt : Contempt
        The game's one-sided evaluations, and when to use them.
    options : SearchOptions
        Options of the normal search.
    """

    def __init__(self, game: Game, contempt: Contempt, options: SearchOptions) -> None:
        self.game, self.contempt = game, contempt
        self._options = replace(options, table=-(-options.table // TABLE_DIVISOR))
        self._searchers: dict[int, Searcher] = {}

    def is_due(self, position: Position, context: Context) -> bool:
        """Return True if the score has not changed for `contempt.patience` plies or more."""
        return plies_without_progress(position, context) >= self.contempt.patience

    def choose(self, normal: Searcher, position: Position, limit: Limit, context: Context) -> Choice:
        """Return the suggested move if it passes the check, otherwise the best move of the normal search.

        Parameters
        ----------
        normal : Searcher
            Searches with the evaluation that the player normally uses.
        limit : Limit
            The searches share its time and nodes; each may reach its depth.
        """
        # ignore repetitions: in a stuck match the opponent can nearly always force one
        alone = replace(context, history=())
        best = normal.search(position, _part_of(limit, position, NORMAL), alone)
        least, is_clear = normal.evaluation.score(0.0), best.proven or len(position.actions) == 1
        if is_clear or _is_stopped(context):
            return best.choice()
        if best.score < least:
            more = normal.search(position, _part_of(limit, position, 1.0 - NORMAL), context)
            return _combined(more if more.depth >= best.depth else best, best, more)
        if best.score.amount is not None:
            least = max(least, Score.of(best.score.amount - self.contempt.concession, best.unit))
        quiet = replace(context, report=None)
        searcher = self._searcher(position.side_to_move)
        suggestion = searcher.search(position, _part_of(limit, position, SUGGESTION), quiet)
        move = suggestion.moves[0].move
        successor = position.apply(move)
        if move == best.moves[0].move or successor.outcome is not None or _is_stopped(context):
            return _combined(best, best, suggestion)
        reply = normal.search(successor, _part_of(limit, position, CHECK), replace(alone, report=None))
        if -reply.score < least or _is_stopped(context):
            return _combined(best, best, suggestion, reply)
        line = (move, *reply.moves[0].line)
        choice = _combined(best, best, suggestion, reply)
        return replace(choice, move=move, score=-reply.score, line=line, depth=reply.depth + 1, proven=False)

    def prepare(self, side: int) -> None:
        """Allocate memory for the searches of a side before its clock runs."""
        self._searcher(side).prepare()

    def forget(self) -> None:
        """Forget earlier searches."""
        for searcher in self._searchers.values():
            searcher.forget()

    def release(self) -> None:
        """Free the memory; the next search allocates it again."""
        for searcher in self._searchers.values():
            searcher.release()

    def _searcher(self, side: int) -> Searcher:
        if side not in self._searchers:
            self._searchers[side] = Searcher(self.game, self.contempt.evaluation(side), self._options)
        return self._searchers[side]


def plies_without_progress(position: Position, context: Context) -> int:
    """Return how many plies ago the score last changed, or the match started.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("abalone").start()
    >>> plies_without_progress(start.apply("a1b1"), Context(history=(start,)))
    1
    """
    plies = 0
    for earlier in reversed(context.history):
        if earlier.score != position.score:
            break
        plies += 1
    return plies


def _part_of(limit: Limit, position: Position, share: float) -> Limit:
    """Return the limit for a search that may use this share of the time and nodes."""
    seconds, nodes = limit.budget(position.side_to_move), limit.nodes
    return Limit(
        seconds=None if seconds is None else share * seconds,
        depth=limit.depth,
        nodes=None if nodes is None else max(1, int(share * nodes)),
    )


def _is_stopped(context: Context) -> bool:
    return context.stop is not None and context.stop.is_set()


def _combined(result: Analysis, *searches: Analysis) -> Choice:
    """Return the best move of one search, with the nodes and time of all the searches together."""
    return replace(
        result.choice(),
        nodes=sum(search.nodes for search in searches),
        seconds=sum(search.seconds for search in searches),
    )
