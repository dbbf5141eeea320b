"""The agents of Connect Four: `solver`, which plays perfectly, and `lines`, a baseline that never changes.

The nine weaker levels of `solver` draw their moves with probabilities proportional to
exp(score / temperature), where the score is exact. If time runs out before all moves are solved, the
other moves get scores from `alphabeta`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from boardgames.books.book import ALL, NONE
from boardgames.declarations import Evaluation
from boardgames.errors import MatchError
from boardgames.game import Game, Move, Position
from boardgames.options import Option
from boardgames.player import NO_CONTEXT, Analysis, Context, Limit, MoveValue, Stop
from boardgames.players.alphabeta import SearchPlayer
from boardgames.players.exact import SOLVER_TIME, TimedExactPlayer
from boardgames.score import RETURN, Score, Unit
from boardgames.search.alphabeta.table import MAX_MB
from boardgames.search.rules import MAX_DEPTH
from boardgames_connect4.board import Board
from boardgames_connect4.evaluation import evaluation
from boardgames_connect4.solver import Solver
from boardgames_connect4.solver.solver import MAX_THREADS, TABLE_MB

EXACT = replace(RETURN, inaccuracy=0.2, mistake=1.0, blunder=2.0, delay=1)
"""The unit of returns with thresholds for reviews: a move that turns a win into a draw, or a draw into a
loss, is a mistake (`?`), and one that turns a win into a loss is a blunder (`??`).

A slower win or a faster loss is an inaccuracy.
"""
ESTIMATE = 10.0
"""The solver's score that an estimated return of 1 counts as when a level chooses among unsolved moves."""

TEMPERATURES = (40.0, 16.0, 9.0, 5.5, 3.5, 2.3, 1.5, 0.9, 0.45, 0.0)
"""Temperatures of levels 1 to 10; at temperature 0 only best moves are played."""

LEVEL = Option(
    "level", int, 10, "strength from 1 (many mistakes) to 10 (none)", 1, len(TEMPERATURES), role="strength"
)
TABLE = Option(
    "table", int, TABLE_MB, "size of the transposition table in MB", minimum=1, maximum=MAX_MB, role="memory"
)
THREADS = Option(
    "threads", int, 1, "number of threads that solve together", minimum=1, maximum=MAX_THREADS, role="threads"
)
BOOK = Option(
    "book",
    str,
    ALL,
    "book of exact scores: true for the built-in one, false for none, or a file",
    file="read",
)


class SolverPlayer(TimedExactPlayer):
    """Plays perfectly, or at a lower level, and gives exact scores.

    It respects limits of time, but not of depth or nodes. It chooses among equally good moves at random.
    """

    name: ClassVar[str] = "solver"
    declared_options = (LEVEL, SOLVER_TIME, TABLE, THREADS, BOOK)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._temperature = TEMPERATURES[int(self.options[LEVEL.name] or 0) - 1]
        self._solver = self._new_solver()
        self.plays_best = self._temperature == 0

    def scores(self, positions: Sequence[Position], context: Context = NO_CONTEXT) -> list[Score]:
        """Return the exact score of each position in one call of compiled code."""
        for position in positions:
            self._check_position(position)
        points = self._solver.scores(positions, stop=context.stop)
        return [
            score_of(point, self.plies_left(position))
            for point, position in zip(points, positions, strict=True)
        ]

    def solver_score(self, position: Position, score: Score) -> int:
        """Return the solver's score: (cells + 1 - stones before the winning one) // 2; below 0 for a loss."""
        return points_of(score, self.plies_left(position))

    def solved_moves(self, position: Position, stop: Stop, *, all_moves: bool) -> dict[Move, Score]:
        """Return the exact scores of the moves solved in time; moves that end the match come first."""
        scores: dict[Move, Score] = {}
        left = self.plies_left(position)
        ends = [move for move in position.legal_moves if position.apply(move).outcome is not None]
        for move in dict.fromkeys((*ends, *self._central_first(position))):
            if not all_moves and move not in ends and Score.win(1) in scores.values():
                break
            try:
                scores[move] = score_of(self._points_after(position, move, stop), left)
            except MatchError:
                break
        return scores

    def solved_line(self, position: Position, move: Move, score: Score, stop: Stop) -> tuple[Move, ...]:
        """Return a move and best play after it, up to the end of the match or until `stop` is set."""
        line, points = [move], points_of(score, self.plies_left(position))
        position = position.apply(move)
        while position.outcome is None:
            points = -points
            try:
                move = next(
                    move
                    for move in self._central_first(position)
                    if self._points_after(position, move, stop) == points
                )
            except MatchError:
                break
            line.append(move)
            position = position.apply(move)
        return tuple(line)

    def estimated_moves(
        self,
        position: Position,
        solved: Mapping[Move, Score],
        limit: Limit,
        context: Context,
        *,
        all_moves: bool,
    ) -> Analysis:
        """Return the analysis of `alphabeta`, whose returns are on the same scale as exact scores."""
        analysis = super().estimated_moves(position, solved, limit, context, all_moves=all_moves)
        return replace(analysis, moves=tuple(map(_in_exact_unit, analysis.moves)))

    def pick(self, analysis: Analysis) -> MoveValue:
        """Return a best move, or a move drawn at random with the probabilities of the level."""
        if self._temperature == 0:
            return super().pick(analysis)
        left = self.plies_left(analysis.position)
        points = np.array([points_of(entry.score, left) for entry in analysis.moves])
        weights = np.exp((points - points.max()) / self._temperature)
        return analysis.moves[int(self.random.choice(points.size, p=weights / weights.sum()))]

    def plies_left(self, position: Position) -> int:
        """Return the number of empty cells."""
        stones = int(position.words[0] | position.words[1]).bit_count()
        return (self.game.facts.longest_match or 0) - stones

    def is_in_book(self, position: Position) -> bool:
        """Return True if the match is not over and the book has the position."""
        return position.outcome is None and self._solver.is_in_book(position)

    def solver_nodes(self) -> int:
        """Return the number of positions that the solver has visited since it was made."""
        return self._solver.nodes

    def load_code(self) -> None:
        """Load or compile the solver's search now; otherwise this would happen when the book ends."""
        self._solver.load_code()

    def free_solver(self) -> None:
        """Replace the solver with a new one, which frees the memory of its table."""
        self._solver = self._new_solver()

    @property
    def unit(self) -> Unit:
        """Return the unit of exact scores, in which a slower win is an inaccuracy."""
        return EXACT

    def _new_solver(self) -> Solver:
        table, threads = (int(self.options[option.name] or 0) for option in (TABLE, THREADS))
        text = str(self.options[BOOK.name])
        book = text == ALL if text in (ALL, NONE) else Path(text).expanduser()
        return Solver(self.game, table=table, threads=threads, book=book)

    def _points_after(self, position: Position, move: Move, stop: Stop) -> int:
        """Return the score of a move for the side that makes it; raise MatchError if it is not solved."""
        after = position.apply(move)
        if after.outcome is None:
            return -self._solver.scores([after], stop=stop)[0]
        return 0 if after.outcome.winner is None else (self.plies_left(position) + 1) // 2

    def _central_first(self, position: Position) -> list[Move]:
        order = self.game.kernels.move_order
        return sorted(position.legal_moves, key=lambda move: -order(position.words, move.action))


class Lines(SearchPlayer):
    """Alpha-beta of fixed depth with weights set by hand.

    It never changes, so that progress can be measured against it. For this reason it has its own copy of
    the weights.
    """

    WEIGHTS: ClassVar[tuple[float, ...]] = (0.02, 0.05, 0.04, 0.25, 0.08)

    name: ClassVar[str] = "lines"
    declared_options = (
        Option("depth", int, 1, "search depth in plies", minimum=1, maximum=MAX_DEPTH, role="limit"),
    )

    def evaluation(self) -> Evaluation:
        """Return the evaluation `lines` for the size of the board."""
        columns, rows = (int(self.game.options[name] or 0) for name in ("columns", "rows"))
        return evaluation(Board(columns, rows), self.WEIGHTS)


def score_of(points: int, empty_cells: int) -> Score:
    """Return a score of the solver as a win or loss in plies, or as a draw.

    Examples
    --------
    >>> str(score_of(18, 36)), str(score_of(-18, 37)), str(score_of(0, 42))
    ('win in 1 move (1 ply)', 'loss in 1 move (2 plies)', '50.0%')
    """
    if points > 0:
        return Score.win(2 * ((empty_cells + 1) // 2 - points) + 1)
    if points < 0:
        return Score.loss(2 * (empty_cells // 2 + points) + 2)
    return Score.of(0.0, EXACT)


def points_of(score: Score, empty_cells: int) -> int:
    """Return the score of the solver for a win or loss in plies, or `ESTIMATE` times an estimated return.

    Examples
    --------
    >>> points_of(Score.win(1), 36), points_of(Score.loss(2), 37)
    (18, -18)
    """
    if score.win_in is None:
        return math.floor(ESTIMATE * score.to_return() + 0.5)
    return score.sign * ((empty_cells + 2 - abs(score.win_in)) // 2)


def _in_exact_unit(entry: MoveValue) -> MoveValue:
    amount = entry.score.amount
    return entry if amount is None else replace(entry, score=Score.of(amount, EXACT))
