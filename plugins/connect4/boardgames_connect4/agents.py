"""The agent `solver`: perfect play, and nine weaker levels that choose among exactly scored moves.

A level draws its moves with probabilities proportional to exp(score / temperature), where the
score is the exact one of the solver. If time runs out before all moves are solved, the scores
of the others are those of `alphabeta`.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from boardgames.books.book import ALL, NONE
from boardgames.errors import MatchError
from boardgames.game import Game, Move, Position
from boardgames.options import Option
from boardgames.player import (
    MAX_DRAW_RETURN,
    NO_CONTEXT,
    NO_LIMIT,
    Analysis,
    Choice,
    Context,
    ExactPlayer,
    Limit,
    MoveValue,
    Stop,
    stop_after,
)
from boardgames.players.alphabeta import DRAW_OFFER_LIMIT, TIME, AlphaBeta
from boardgames.score import RETURN, Score
from boardgames.search.alphabeta.table import MAX_MB
from boardgames_connect4.solver import Solver
from boardgames_connect4.solver.solver import MAX_THREADS, TABLE_MB

DEFAULT_SECONDS = 10.0
SOLVER_SHARE = 0.8
"""The part of the time after which the solver gives up and leaves the rest to `alphabeta`."""
SHORTEST_SECONDS = 0.001
"""Time of `alphabeta` if the clock is at zero, since a limit of time cannot be zero."""
ALPHABETA_MB = 16

EXACT = replace(RETURN, inaccuracy=0.2, mistake=1.0, blunder=2.0, delay=1)
"""Returns, for reviews: `?` turns a win into a draw or a draw into a loss, `??` a win into a loss.

A slower win or a sooner loss is an inaccuracy.
"""
ESTIMATE = 10.0
"""The score that stands for an estimated return of 1 when a level chooses among unsolved moves."""

TEMPERATURES = (40.0, 16.0, 9.0, 5.5, 3.5, 2.3, 1.5, 0.9, 0.45, 0.0)
"""The temperature of each level from 1; at 0 only the best moves are played."""

LEVEL = Option("level", int, 10, "strength: 1 makes many mistakes, 10 none", 1, len(TEMPERATURES))
TABLE = Option("table", int, TABLE_MB, "size of the transposition table in MB", minimum=1, maximum=MAX_MB)
THREADS = Option("threads", int, 1, "number of threads that solve together", minimum=1, maximum=MAX_THREADS)
BOOK = Option("book", str, ALL, "book of exact scores: true for the built-in one, false for none, or a file")
LIMIT = replace(TIME, summary=f"seconds per move; {DEFAULT_SECONDS:.0f} if there is no other limit")


class SolverPlayer(ExactPlayer):
    """Plays perfectly, or at a lower level, and gives exact scores.

    Only time limits it, not depth or nodes. Equally good moves are drawn at random.
    """

    name: ClassVar[str] = "solver"
    declared_options = (LEVEL, LIMIT, TABLE, THREADS, BOOK)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._temperature = TEMPERATURES[int(self.options[LEVEL.name] or 0) - 1]
        self._solver = self._new_solver()
        self._estimator = AlphaBeta(game, seed=0, table=ALPHABETA_MB)

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a best move, or at lower levels a move drawn by its score."""
        self._check_position(position)
        analysis = self._analyse(position, limit, context, all_moves=self._temperature > 0, has_line=False)
        entry = analysis.moves[self._draw(analysis)]
        choice = replace(analysis.choice(entry), proven=entry.proven and entry.score == analysis.score)
        if context.report is not None:
            context.report(choice)
        return choice

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the exact score of every move, and best play to the end after the best one.

        Moves that could not be solved in time have the score of `alphabeta`, and are not proven.
        """
        self._check_position(position, lines=lines)
        analysis = self._analyse(position, limit, context)
        return replace(analysis, moves=analysis.moves[:lines])

    def scores(self, positions: Sequence[Position], context: Context = NO_CONTEXT) -> list[Score]:
        """Return the exact score of each position in one call of compiled code."""
        for position in positions:
            self._check_position(position)
        points = self._solver.scores(positions, stop=context.stop)
        return [
            score_of(point, self._empty_cells(position))
            for point, position in zip(points, positions, strict=True)
        ]

    def solver_score(self, position: Position, score: Score) -> int:
        """Return (cells + 1 - stones before the winning one) // 2, negative for a loss, 0 for a draw."""
        return points_of(score, self._empty_cells(position))

    def accepts_draw(self, position: Position, side: int) -> bool:
        """Accept a draw unless `side` wins or, if that cannot be determined in time, seems to be ahead."""
        self._check_game(position)
        if position.outcome is not None:
            return False
        score = self._analyse(position, DRAW_OFFER_LIMIT, NO_CONTEXT, all_moves=False, has_line=False).score
        return (score if position.side_to_move == side else -score).to_return() <= MAX_DRAW_RETURN

    def match_started(self, side: int) -> None:
        """Let the search that estimates unsolved moves forget the previous match."""
        self._estimator.match_started(side)

    def close(self) -> None:
        """Free the memory of the searches."""
        with self._in_use(wait=True):
            self._solver = self._new_solver()
            self._estimator.close()

    def _new_solver(self) -> Solver:
        table, threads = (int(self.options[option.name] or 0) for option in (TABLE, THREADS))
        text = str(self.options[BOOK.name])
        book = text == ALL if text in (ALL, NONE) else Path(text).expanduser()
        return Solver(self.game, table=table, threads=threads, book=book)

    def _empty_cells(self, position: Position) -> int:
        stones = int(position.words[0] | position.words[1]).bit_count()
        return (self.game.facts.longest_match or 0) - stones

    def _analyse(
        self,
        position: Position,
        limit: Limit,
        context: Context,
        *,
        all_moves: bool = True,
        has_line: bool = True,
    ) -> Analysis:
        """Return the scores of all moves, or only of those that win at once if there are any."""
        started, nodes = time.monotonic(), self._solver.nodes
        own = Limit(seconds=self.options[LIMIT.name])  # type: ignore[arg-type]  # read by kind
        budget = limit.tightened(own).budget(position.side_to_move)
        budget = DEFAULT_SECONDS if budget is None else budget
        left, unit = self._empty_cells(position), EXACT
        others = () if context.stop is None else (context.stop,)
        with stop_after(budget * SOLVER_SHARE, *others) as stop:
            points = self._solved_moves(position, stop, all_moves=all_moves)
            best = max(points, key=lambda move: points[move], default=None)
            wins_at_once = best is not None and points[best] == (left + 1) // 2
            is_solved = len(points) == len(position.legal_moves) or (wins_at_once and not all_moves)
            lines: dict[Move, tuple[Move, ...]] = {move: (move,) for move in points}
            if best is not None and is_solved and has_line:
                lines[best] = self._line(position, best, points[best], stop)
        values = [MoveValue(move, score_of(points[move], left), True, lines[move]) for move in points]
        nodes, depth = self._solver.nodes - nodes, left
        if not is_solved:
            rest = Limit(seconds=max(budget * (1 - SOLVER_SHARE), SHORTEST_SECONDS))
            estimate = self._estimator.analyse(position, rest, replace(context, report=None))
            for entry in estimate.moves:
                if entry.move not in points:
                    score = entry.score if entry.score.amount is None else Score.of(entry.score.amount, unit)
                    values.append(replace(entry, score=score))
            nodes, depth = nodes + estimate.nodes, estimate.depth
        moves = tuple(sorted(values, key=lambda entry: entry.score, reverse=True))
        seconds = time.monotonic() - started
        return Analysis(
            position, moves[0].score, unit, is_solved or wins_at_once, moves, depth, nodes, seconds
        )

    def _solved_moves(self, position: Position, stop: Stop, *, all_moves: bool) -> dict[Move, int]:
        """Return the scores of the moves that were solved before `stop` was set, the central ones first."""
        best = (self._empty_cells(position) + 1) // 2
        points: dict[Move, int] = {}
        ends = [move for move in position.legal_moves if position.apply(move).outcome is not None]
        for move in dict.fromkeys((*ends, *self._central_first(position))):
            if not all_moves and move not in ends and best in points.values():
                break  # one of the moves that end the match wins
            try:
                points[move] = self._points_after(position, move, stop)
            except MatchError:
                break
        return points

    def _points_after(self, position: Position, move: Move, stop: Stop) -> int:
        """Return the score of a move for the side that makes it; raise MatchError if it is not solved."""
        after = position.apply(move)
        if after.outcome is None:
            return -self._solver.scores([after], stop=stop)[0]
        return 0 if after.outcome.winner is None else (self._empty_cells(position) + 1) // 2

    def _line(self, position: Position, move: Move, points: int, stop: Stop) -> tuple[Move, ...]:
        """Return best play to the end, or until `stop` is set, after a move with a known score."""
        line, position = [move], position.apply(move)
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

    def _central_first(self, position: Position) -> list[Move]:
        order = self.game.kernels.move_order
        return sorted(position.legal_moves, key=lambda move: -order(position.words, move.action))

    def _draw(self, analysis: Analysis) -> int:
        """Return the index of a move drawn by its score at the temperature of the level."""
        if self._temperature == 0:
            count = sum(entry.score == analysis.score for entry in analysis.moves)
            return int(self.random.integers(count))
        left = self._empty_cells(analysis.position)
        points = np.array([points_of(entry.score, left) for entry in analysis.moves])
        weights = np.exp((points - points.max()) / self._temperature)
        return int(self.random.choice(points.size, p=weights / weights.sum()))


def score_of(points: int, empty_cells: int) -> Score:
    """Return a score of the solver as a win or loss in plies, or as a draw.

    Examples
    --------
    >>> str(score_of(18, 36)), str(score_of(-18, 37)), str(score_of(0, 42))
    ('win in 1', 'loss in 2', '0.000')
    """
    if points > 0:
        return Score.win(2 * ((empty_cells + 1) // 2 - points) + 1)
    if points < 0:
        return Score.loss(2 * (empty_cells // 2 + points) + 2)
    return Score.of(0.0, EXACT)


def points_of(score: Score, empty_cells: int) -> int:
    """Return the score of the solver for a win or loss in plies; an estimated return counts up to 10.

    Examples
    --------
    >>> points_of(Score.win(1), 36), points_of(Score.loss(2), 37)
    (18, -18)
    """
    if score.win_in is None:
        return math.floor(ESTIMATE * score.to_return() + 0.5)
    return score.sign * ((empty_cells + 2 - abs(score.win_in)) // 2)
