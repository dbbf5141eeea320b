"""Contempt: playing for a win when nothing has happened in a match for a while.

Against an opponent that only waits, a search may see no way to improve its position, and repeats
itself until the match is drawn. The evaluations of a game's `Contempt` favour positions in which
something can happen. A search with one of them proposes a move, which is played if the usual
search finds that the side to move is then no worse off than the opponent. An opponent that
strikes back refutes most proposals, so little is risked against it.
"""

from dataclasses import replace

from boardgames.declarations import Contempt
from boardgames.game import Game, Position
from boardgames.player import Analysis, Choice, Context, Limit
from boardgames.score import Score
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher

USUAL, PROPOSAL, CHECK = 0.4, 0.4, 0.2
"""Shares of the time and nodes for a move: the search with the usual evaluation, the search for a
proposal, and the search of the position after the proposed move."""
TABLE_SHARE = 8
"""The table for proposals is smaller than the usual one by this factor."""


class ContemptSearch:
    """Chooses moves with contempt.

    Parameters
    ----------
    game : Game
        The game.
    contempt : Contempt
        Its evaluations for proposals.
    options : SearchOptions
        Options of the usual search; the table for proposals is smaller.
    """

    def __init__(self, game: Game, contempt: Contempt, options: SearchOptions) -> None:
        self.game, self.contempt = game, contempt
        self._options = replace(options, table=-(-options.table // TABLE_SHARE))
        self._searchers: dict[int, Searcher] = {}

    def is_due(self, position: Position, context: Context) -> bool:
        """Return True if the score has not changed for longer than the patience."""
        return plies_without_progress(position, context) >= self.contempt.patience

    def choose(self, usual: Searcher, position: Position, limit: Limit, context: Context) -> Choice:
        """Return a proposed move if the usual search approves of it, otherwise the best move of that search.

        Parameters
        ----------
        usual : Searcher
            Searches with the usual evaluation.
        limit : Limit
            Limits of time and nodes are for all searches together, that of depth for each of them.
        """
        # repetitions do not count here, because the opponent could force one in most quiet positions
        alone = replace(context, history=())
        best = usual.search(position, _part_of(limit, position, USUAL), alone)
        least, is_clear = usual.evaluation.score(0.0), best.proven or len(position.actions) == 1
        if is_clear or _is_stopped(context):
            return best.choice()
        if best.score < least:
            more = usual.search(position, _part_of(limit, position, 1.0 - USUAL), context)
            return _combined(more if more.depth >= best.depth else best, best, more)
        if best.score.amount is not None:
            least = max(least, Score.of(best.score.amount - self.contempt.concession, best.unit))
        quiet = replace(context, report=None)
        searcher = self._searcher(position.side_to_move)
        proposal = searcher.search(position, _part_of(limit, position, PROPOSAL), quiet)
        move = proposal.moves[0].move
        successor = position.apply(move)
        if move == best.moves[0].move or successor.outcome is not None or _is_stopped(context):
            return _combined(best, best, proposal)
        reply = usual.search(successor, _part_of(limit, position, CHECK), replace(alone, report=None))
        if -reply.score < least:
            return _combined(best, best, proposal, reply)
        line = (move, *reply.moves[0].line)
        choice = _combined(best, best, proposal, reply)
        return replace(choice, move=move, score=-reply.score, line=line, depth=reply.depth + 1, proven=False)

    def prepare(self, side: int) -> None:
        """Allocate the memory of the search for proposals of a side."""
        self._searcher(side).prepare()

    def forget(self) -> None:
        """Start afresh: later searches do not depend on earlier ones."""
        for searcher in self._searchers.values():
            searcher.forget()

    def release(self) -> None:
        """Free the memory of the searches."""
        for searcher in self._searchers.values():
            searcher.release()

    def _searcher(self, side: int) -> Searcher:
        if side not in self._searchers:
            self._searchers[side] = Searcher(self.game, self.contempt.evaluation(side), self._options)
        return self._searchers[side]


def plies_without_progress(position: Position, context: Context) -> int:
    """Return the number of plies since the score has changed, or since the start of the match.

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
    """Return the limit of one of the searches for a move."""
    seconds, nodes = limit.budget(position.side_to_move), limit.nodes
    return Limit(
        seconds=None if seconds is None else share * seconds,
        depth=limit.depth,
        nodes=None if nodes is None else max(1, int(share * nodes)),
    )


def _is_stopped(context: Context) -> bool:
    return context.stop is not None and context.stop.is_set()


def _combined(result: Analysis, *searches: Analysis) -> Choice:
    """Return the choice of a search, with the nodes and the time of all of them."""
    return replace(
        result.choice(),
        nodes=sum(search.nodes for search in searches),
        seconds=sum(search.seconds for search in searches),
    )
