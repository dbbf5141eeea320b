"""Reviews of recorded matches: the score of every position and the loss of every move.

A player analyses the start and the position after each move. The score of a move is
the score of the resulting position, from the point of view of the side that moved.
The loss of the move is how much lower this is than the best score before the move.
Both scores come from searches with the same horizon (the search after the move is one
ply shallower), because the side that moves last before the horizon looks better than
it is. Proven scores are used unchanged. A win counts as the bound of the unit, so
choosing a slower win is not a mistake; if the player solves positions, it is an
inaccuracy.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType

from boardgames.adapters import charts
from boardgames.draw.tables import table
from boardgames.errors import MissingExtraError, RecordError
from boardgames.game import Game, Move, Outcome, Position, Termination
from boardgames.player import NO_CONTEXT, NO_LIMIT, Analysis, Choice, Context, Limit, Player
from boardgames.record import Record
from boardgames.repetition import outcome_after
from boardgames.score import Score, Unit, chance_of_winning

MISTAKES = 5
"""Default number of mistakes that a review lists."""
HALVING = 0.15
"""The loss that halves the accuracy of a move, in expected points: a win is 1 and a draw 1/2."""
MARK_NAMES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "?!": ("inaccuracy", "inaccuracies"),
        "?": ("mistake", "mistakes"),
        "??": ("blunder", "blunders"),
    }
)
"""The singular and plural names of the marks."""
MARKS_IN_LISTS = ("?", "??")
"""Marks of the moves that `Review.mistakes` and the chart show; there would be too many inaccuracies."""


def _no_scores() -> Mapping[int, Score]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ReviewedPosition:
    """A position of the match and its score.

    Attributes
    ----------
    score : Score
        The score for the side to move.
    proven : bool
        True if the score is exact, as at the end of the match.
    line : tuple of Move
        Best play from this position; empty at the end of the match.
    by_depth : mapping of int to Score
        Scores at the depths that the player reported while it searched.
    """

    position: Position
    score: Score
    unit: Unit
    proven: bool
    line: tuple[Move, ...] = ()
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    by_depth: Mapping[int, Score] = field(default_factory=_no_scores, repr=False)

    def score_for_side(self, side: int) -> Score:
        """Return the score from the point of view of a side."""
        return self._for_side(side, self.score)

    def text_for_side(self, side: int) -> str:
        """Return the score as text from the point of view of a side; `draw` at the end of a drawn match."""
        outcome = self.position.outcome
        if outcome is not None and outcome.winner is None:
            return "draw"
        return self.position.game.facts.score_text(self.score_for_side(side), proven=self.proven)

    def smoothed_for_side(self, side: int) -> float:
        """Return the mean of the scores at the last two depths, or the score if it is decided or proven.

        Odd and even depths favour different sides; the mean evens this out. A win counts as the unit's bound.
        """
        scores = [self.by_depth[depth] for depth in sorted(self.by_depth)[-2:]]
        if self.proven or self.is_decided or len(scores) < 2:
            scores = [self.score]
        bound = self.unit.bound
        return sum(self._for_side(side, score).clipped(bound) for score in scores) / len(scores)

    def score_of_move(self, before: "ReviewedPosition") -> Score:
        """Return the score of the move from `before` to this position, for the side that made it."""
        score = self.score if self.proven else self.by_depth.get(before.depth - 1, self.score)
        return self._for_side(before.position.side_to_move, score).delayed()

    def _for_side(self, side: int, score: Score) -> Score:
        return score if side == self.position.side_to_move else -score

    @property
    def is_decided(self) -> bool:
        """Return True if the winner is certain."""
        return self.score.is_decisive or (
            self.proven and self.unit.is_return and abs(self.score.to_return()) >= 1.0
        )


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A move of the match and its loss.

    Attributes
    ----------
    number : int
        Ply, from 1.
    side : int
        The side that moved.
    before, after : ReviewedPosition
        The positions before and after the move.
    score : Score
        Score of the move for its side; the score of the best move is `before.score`.
    loss : float
        How much worse the move is than the best move, in the unit of the review.
    mark : str
        `?!` for an inaccuracy, `?` for a mistake, `??` for a blunder; otherwise
        empty.
    delay : int
        By how many plies the move delays a win or hastens a loss, compared with the best move; 0
        if the move changes the outcome, or if the unit of the review does not count delays.
    """

    number: int
    side: int
    move: Move
    before: ReviewedPosition
    after: ReviewedPosition
    score: Score
    loss: float
    mark: str
    delay: int = 0

    @property
    def best(self) -> Move:
        """Return the best move according to the reviewing player."""
        return self.before.line[0]

    @property
    def is_best(self) -> bool:
        """Return True if the move played is the best one."""
        return self.best.action == self.move.action

    @property
    def accuracy(self) -> float:
        """Return the accuracy of the move in percent: 100 for the best move, halved for every `HALVING` lost.

        What a move loses is the expected points after the best move minus the expected points after this
        move; a win is 1 point and a draw 1/2.
        """
        points = (self.before.score.to_return() - self.score.to_return()) / 2
        return float(100 * 2 ** (-max(points, 0.0) / HALVING))

    @property
    def text(self) -> str:
        """Return the score of the move for its side as text."""
        if self.after.position.outcome is not None:
            return self.after.text_for_side(self.side)
        return self.after.position.game.facts.score_text(self.score, proven=self.after.proven)


@dataclass(frozen=True, repr=False)
class Review:
    """A match with a player's scores of its positions.

    Attributes
    ----------
    record : Record
        The match.
    agent : str
        The player that analysed the match, as described by `Player.describe`.
    unit : Unit
        Unit of scores and losses.
    positions : tuple of ReviewedPosition
        The start and the position after each move; fewer if the review was stopped.

    Examples
    --------
    >>> from boardgames import Limit, load_player
    >>> from boardgames.plugins import load_game_of
    >>> record = Record("connect4", start="-", moves=("1", "2", "1", "2", "1", "3"))
    >>> match = review(record, load_player("alphabeta", load_game_of(record)), Limit(depth=2))
    >>> [(move.number, str(move.move), str(move.best), move.mark) for move in match.mistakes()]
    [(6, '3', '1', '??')]
    """

    record: Record
    agent: str
    unit: Unit
    positions: tuple[ReviewedPosition, ...]

    @property
    def game(self) -> Game:
        """Return the game that was played."""
        return self.positions[0].position.game

    @property
    def is_complete(self) -> bool:
        """Return True if every position has been analysed."""
        return len(self.positions) == len(self.record.moves) + 1

    @cached_property
    def moves(self) -> tuple[ReviewedMove, ...]:
        """Return the moves whose positions before and after have been analysed."""
        return tuple(
            reviewed_move(number, text, before, after, self.unit)
            for number, (text, (before, after)) in enumerate(
                zip(self.record.moves, pairwise(self.positions), strict=False), start=1
            )
        )

    def values_for_side(self, side: int) -> tuple[float, ...]:
        """Return the scores of the positions as numbers, clipped to the unit's bound."""
        return tuple(entry.score_for_side(side).clipped(self.unit.bound) for entry in self.positions)

    def mistakes(self, count: int | None = MISTAKES) -> tuple[ReviewedMove, ...]:
        """Return the `count` worst mistakes and blunders, worst first; all of them if `count` is None."""
        marked = [move for move in self.moves if move.mark in MARKS_IN_LISTS]
        return tuple(sorted(marked, key=lambda move: -move.loss)[:count])

    def marks(self, side: int) -> Counter[str]:
        """Return how many moves of a side have each mark."""
        return Counter(move.mark for move in self.moves if move.side == side and move.mark)

    def mean_loss(self, side: int) -> float | None:
        """Return the average loss of a side's moves, or None if it has made none."""
        losses = [move.loss for move in self.moves if move.side == side]
        return sum(losses) / len(losses) if losses else None

    def accuracy(self, side: int) -> float | None:
        """Return the mean accuracy of a side's moves in percent, or None if it has made none.

        See `ReviewedMove.accuracy`.
        """
        accuracies = [move.accuracy for move in self.moves if move.side == side]
        return sum(accuracies) / len(accuracies) if accuracies else None

    def summary(self, side: int) -> str:
        """Return how many inaccuracies, mistakes and blunders a side made, and its mean loss, in one line."""
        name, mean, marks = self.game.facts.sides[side], self.mean_loss(side), self.marks(side)
        if mean is None:
            return f"{name}: no moves"
        counts = [f"{marks[mark]} {names[marks[mark] != 1]}" for mark, names in MARK_NAMES.items()]
        return f"{name}: {', '.join(counts)}, mean loss {self.unit.loss_text(mean)}"

    def svg(self) -> str:
        """Return a chart of the smoothed scores for side 0 and the mistakes, as an SVG document.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        sides = self.game.facts.sides
        names = [f"{name} ({side})" for name, side in zip(self.record.names, sides, strict=True)]
        values = [
            math.copysign(math.inf, entry.score_for_side(0).sign)
            if entry.is_decided
            else entry.smoothed_for_side(0)
            for entry in self.positions
        ]
        return charts.score_chart(
            values,
            title=f"{names[0]} - {names[1]} {self.record.result}",
            unit=f"{self.unit.in_words}, by {self.agent}, mean of the last two depths",
            sides=sides,
            bound=self.unit.bound,
            colours=self.positions[0].position.picture().colours,
            marks=[
                charts.Mark(move.number, move.side, move.mark, _describe(move, sides))
                for move in self.moves
                if move.mark in MARKS_IN_LISTS
            ],
            tick_label=_percentage if self.unit.is_return else None,
        )

    def __repr__(self) -> str:
        reviewed, moves = len(self.positions) - 1, len(self.record.moves)
        mistakes = len(self.mistakes(None))
        return f"<review by {self.agent}: {reviewed} of {moves} moves, {mistakes} marked ? or ??>"

    def _repr_svg_(self) -> str | None:
        try:
            return self.svg()
        except MissingExtraError:  # the notebook shows the tables alone
            return None

    def _repr_html_(self) -> str:
        facts = self.game.facts
        sides = []
        for side, name in enumerate(facts.sides):
            mean, accuracy, marks = self.mean_loss(side), self.accuracy(side), self.marks(side)
            sides.append(
                (
                    f"{self.record.names[side]} ({name})",
                    *(marks[mark] for mark in MARK_NAMES),
                    "" if mean is None else self.unit.loss_text(mean),
                    "" if accuracy is None else f"{accuracy:.1f}%",
                )
            )
        heads = ("side", *(plural for _, plural in MARK_NAMES.values()), "mean loss", "accuracy")
        html = table(f"Review by {self.agent}", heads, sides)
        mistakes = [
            (move.number, f"{move.move}{move.mark}", move.text, move.best, self.unit.loss_text(move.loss))
            for move in self.mistakes()
        ]
        if mistakes:
            html += table("Worst mistakes", ("ply", "move", "score", "better", "loss"), mistakes)
        chart = self._repr_svg_() or ""
        return html + chart[chart.find("<svg") :] if chart else html


def review(record: Record, player: Player, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Review:
    """Return a player's review of a match.

    Parameters
    ----------
    record : Record
        A match of the player's game, finished or not.
    player : Player
        A player that supports `analyse`.
    limit : Limit
        Limit of the analysis of each position.
    context : Context
        Its `stop` ends the review early, but the start is always analysed. Its
        `report` is called with the progress of every search.

    Raises
    ------
    OptionError
        If the player does not support `analyse`.
    PositionError, RecordError
        If the record is for another game, or one of its moves is illegal.
    """
    positions = tuple(review_positions(record, player, limit, context))
    return Review(record, player.describe(), positions[0].unit, positions)


def review_positions(
    record: Record, player: Player, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT
) -> Iterator[ReviewedPosition]:
    """Yield the start and the position after each move with its score; see `review`.

    The whole record is checked before the first search. Each position is analysed
    without its history, as if the match began there, so that a repetition that did
    not end the match is not scored as a draw. In a game with a rule about repetition,
    the history is used.
    """
    if record.game != player.game.facts.name:
        raise RecordError(f"a player of {player.game} cannot review a match of {record.game}")
    positions = tuple(record.positions(player.game))
    unit, plies_left = player.game.evaluation.unit, plies_until_limit(record, player.game)
    for ply, position in enumerate(positions):
        left = None if plies_left is None else plies_left - ply
        own = replace(context, history=positions[:ply], plies_left=left).for_advice()
        is_last, rule = ply == len(record.moves), own.repetition_in(player.game)
        ended = outcome_after(positions[: ply + 1], rule) if is_last else position.outcome
        if ended is not None or left == 0:
            yield review_end(position, unit, ended)
            return
        by_depth: dict[int, Score] = {}
        own = replace(own, report=_recorder(by_depth, context))
        analysis = player.analyse(position, limit, own, lines=1)
        unit = analysis.unit
        is_stopped = context.stop is not None and context.stop.is_set()
        if not is_stopped or ply == 0:
            yield _reviewed(analysis, by_depth)
        if is_stopped:
            return


def plies_until_limit(record: Record, game: Game) -> int | None:
    """Return the ply at which a limit ended the match if the game decides matches at limits, else None."""
    ended = record.outcome is not None and record.outcome.termination is Termination.PLY_LIMIT
    return len(record.moves) if ended and game.kernels.decides_at_limit else None


def reviewed_move(
    number: int, text: str, before: ReviewedPosition, after: ReviewedPosition, unit: Unit
) -> ReviewedMove:
    """Return a move with its loss and mark, given the positions before and after it.

    Parameters
    ----------
    number : int
        Ply, from 1.
    text : str
        Text of the move.
    unit : Unit
        Unit of the loss: the unit of the score of the match's start.
    """
    side = before.position.side_to_move
    move = before.position.game.parse_move(before.position, text)
    is_best = before.line[0].action == move.action
    score = before.score if is_best else after.score_of_move(before)
    loss = max(before.score.clipped(unit.bound) - score.clipped(unit.bound), 0.0)
    mark, delay = unit.mark(loss), 0
    if unit.delay is not None and before.proven and after.proven:
        delay = _delay(before.score, score)
        mark = "?!" if delay >= unit.delay else mark
    return ReviewedMove(number, side, move, before, after, score, loss, mark, delay)


def review_end(position: Position, unit: Unit, ended: Outcome | None = None) -> ReviewedPosition:
    """Return the exact score of a finished position: the margin if `unit` measures it, otherwise the result.

    If `ended` is None and the rules do not end the match here, it is assumed that a limit of plies
    has ended it.

    Examples
    --------
    >>> from boardgames import load
    >>> from boardgames.score import RETURN
    >>> str(review_end(load("connect4").parse("1212121"), RETURN).score_for_side(0))
    'won'
    """
    outcome = ended or position.outcome or position.outcome_at_limit
    evaluation = position.game.evaluation
    is_margin = evaluation.exact_at_end and evaluation.unit == unit
    if is_margin and outcome.termination == Termination.RULES:
        score = evaluation.score(evaluation.value(position.words))
    elif outcome.winner is None:
        score = Score.of(0.0, unit)
    else:
        score = Score.win(0) if outcome.winner == position.side_to_move else Score.loss(0)
    return ReviewedPosition(position, score, unit, proven=True)


def _recorder(by_depth: dict[int, Score], context: Context) -> Callable[[Choice], None]:
    """Return a callback that records the score at every depth and forwards reports."""

    def record_depth(choice: Choice) -> None:
        if choice.score is not None and choice.simulations == 0:  # Monte Carlo tree search has no depths
            by_depth[choice.depth] = choice.score
        if context.report is not None:
            context.report(choice)

    return record_depth


def _reviewed(analysis: Analysis, by_depth: Mapping[int, Score]) -> ReviewedPosition:
    best = analysis.moves[0]
    return ReviewedPosition(
        analysis.position,
        analysis.score,
        analysis.unit,
        analysis.proven,
        best.line or (best.move,),
        analysis.depth,
        analysis.nodes,
        analysis.seconds,
        MappingProxyType(dict(by_depth)),
    )


def _delay(best: Score, played: Score) -> int:
    """Return how many plies a move delays a win or hastens a loss; 0 if it changes the outcome.

    Examples
    --------
    >>> _delay(Score.win(5), Score.win(9)), _delay(Score.loss(8), Score.loss(2))
    (4, 6)
    """
    if best.win_in is None or played.win_in is None or best.sign != played.sign or played >= best:
        return 0
    return abs(best.win_in - played.win_in)


def _percentage(expected_return: float) -> str:
    return f"{100 * chance_of_winning(expected_return):g}%"


def _describe(move: ReviewedMove, sides: tuple[str, str]) -> str:
    return f"ply {move.number}, {sides[move.side]} {move.move}{move.mark}, better {move.best}"
