"""Contempt: trying to win a match that is heading for a draw.

Against an opponent that only shuffles, alpha-beta search often sees no way to improve its position
and shuffles too. A game's `Contempt` has evaluations that reward one side for going on the attack. Once
a match is stuck, a search with such an evaluation suggests a move. The move is played only if the normal
search finds that it costs little and leaves the side to move no worse than even.

How much a move may cost also depends on the opponent. If the match has been stuck for long and the
opponent has never scored, replies that are worse than the normal search expects earn the player
*credit*, and the player may concede that much more. An opponent that finds the best replies would take
advantage of larger concessions, and it earns the player nothing.
"""

from dataclasses import replace

from boardgames.declarations import Contempt, Evaluation
from boardgames.errors import PluginError, quote
from boardgames.game import Game, Position
from boardgames.kernels import Words
from boardgames.player import Analysis, Choice, Context, Limit
from boardgames.score import Score
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher

NORMAL, SUGGESTION, CHECK = 0.3, 0.4, 0.3
"""How the time and nodes for a move are divided: between the normal search, the search with contempt, and
the normal search that checks the suggested move."""
TABLE_DIVISOR = 8
"""The transposition table of the search with contempt is smaller than the normal one by this factor."""
ALLOWANCE = 0.1
"""How much a reply may give away without earning credit, as a multiple of the game's concession. Scores vary
by about as much from one search to the next."""
MAX_CREDIT = 2.0
"""The largest credit, as a multiple of the game's concession."""
CREDIT_PLIES = 14
"""Plies beyond the game's patience before credit is earned; with fewer, credit costs points against opponents
that fight back."""
MIN_SECONDS = 0.02
"""Minimum time for a move to be divided; with less, all of it goes to the normal search, because each search
takes about a millisecond to start and stop."""


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

    Attributes
    ----------
    credit : float
        How much the player may concede because of what the opponent has given away in this match, in
        units of the evaluation.
    """

    def __init__(self, game: Game, contempt: Contempt, options: SearchOptions) -> None:
        self.game, self.contempt = game, contempt
        self._options = replace(options, table=-(-options.table // TABLE_DIVISOR))
        self._searchers: dict[int, Searcher] = {}
        self.credit = 0.0
        self._expected: tuple[Words, Score | None] | None = None

    def choose(self, normal: Searcher, position: Position, limit: Limit, context: Context) -> Choice:
        """Return the best move or, if the match is stuck, a suggested move that passes the check.

        Parameters
        ----------
        normal : Searcher
            Searches with the evaluation that the player normally uses.
        limit : Limit
            The searches share its time and nodes; each may reach its depth.
        """
        seconds = limit.budget(position.side_to_move)
        is_short = seconds is not None and seconds < MIN_SECONDS
        if is_short or plies_without_progress(position, context) < self.contempt.patience:
            best = normal.search(position, limit, context)
            self._update_credit(position, context, best.score)
            choice = best.choice()
        else:
            choice = self._choose_in_stuck_match(normal, position, limit, context)
        if choice.move is not None:
            self._expected = position.apply(choice.move).words, choice.score
        return choice

    def prepare(self, side: int) -> None:
        """Allocate memory for the searches of a side before its clock runs."""
        self._searcher(side).prepare()

    def forget(self) -> None:
        """Forget earlier searches, and what the opponent has given away."""
        self.credit, self._expected = 0.0, None
        for searcher in self._searchers.values():
            searcher.forget()

    def release(self) -> None:
        """Free the memory; the next search allocates it again."""
        for searcher in self._searchers.values():
            searcher.release()

    def _choose_in_stuck_match(
        self, normal: Searcher, position: Position, limit: Limit, context: Context
    ) -> Choice:
        # ignore repetitions: in a stuck match the opponent can nearly always force one
        without_history = replace(context, history=())
        best = normal.search(position, _part_of(limit, position, NORMAL), without_history)
        self._update_credit(position, context, best.score)
        amount, floor = best.score.amount, -self.credit
        if amount is None or best.proven or len(position.actions) == 1 or _is_stopped(context):
            return best.choice()
        if amount < floor:
            more = normal.search(position, _part_of(limit, position, 1.0 - NORMAL), context)
            return _combined(more if more.depth >= best.depth else best, best, more)
        without_report = replace(context, report=None)
        plies_left = None if context.plies_left is None else context.plies_left - 1
        searcher = self._searcher(position.side_to_move)
        suggestion = searcher.search(position, _part_of(limit, position, SUGGESTION), without_report)
        move = suggestion.moves[0].move
        successor = position.apply(move)
        if move == best.moves[0].move or successor.outcome is not None or _is_stopped(context):
            return _combined(best, best, suggestion)
        reply = normal.search(
            successor,
            _part_of(limit, position, CHECK),
            replace(without_history, report=None, plies_left=plies_left),
        )
        least = max(floor, amount - self.contempt.concession - self.credit)
        choice = _combined(best, best, suggestion, reply)
        if -reply.score < Score.of(least, best.unit) or _is_stopped(context):
            return choice
        line = (move, *reply.moves[0].line)
        return replace(choice, move=move, score=-reply.score, line=line, depth=reply.depth + 1, proven=False)

    def _update_credit(self, position: Position, context: Context, score: Score) -> None:
        """Add what the opponent's reply gave away, or reset the credit if none can be earned.

        A reply gives away the difference between `score` and the score of the move that it replies to.
        """
        expected, self._expected = self._expected, None
        plies = plies_without_progress(position, context)
        if plies < self.contempt.patience + CREDIT_PLIES or _has_scored(position, context):
            self.credit = 0.0
            return
        if expected is None or (context.history[-1].words != expected[0]).any():
            return  # the opponent did not just reply to our move
        before = expected[1]
        if before is None or before.amount is None or score.amount is None:
            return
        concession = self.contempt.concession
        credit = self.credit + score.amount - before.amount - ALLOWANCE * concession
        self.credit = min(max(credit, 0.0), MAX_CREDIT * concession)

    def _searcher(self, side: int) -> Searcher:
        if side not in self._searchers:
            evaluation = self.contempt.evaluation(side)
            if not isinstance(evaluation, Evaluation):
                raise PluginError(
                    f"Contempt.evaluation({side}) of {self.game.facts.name} must return an Evaluation, "
                    f"not {quote(evaluation)}"
                )
            self._searchers[side] = Searcher(self.game, evaluation, self._options)
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


def _has_scored(position: Position, context: Context) -> bool:
    """Return True if the opponent of the side to move has scored since the match started."""
    opponent = 1 - position.side_to_move
    return position.score[opponent] > context.history[0].score[opponent]


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
