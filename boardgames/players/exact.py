"""Base class of agents that solve positions, but may run out of time before they have solved every move.

A solver seldom has the time to score all moves of an early position. `TimedExactPlayer` gives it
most of the time for a move, stops it, and lets another player estimate the moves that are left.
"""

import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from boardgames.game import Game, Move, Position
from boardgames.options import Option
from boardgames.player import (
    NO_CONTEXT,
    NO_LIMIT,
    Analysis,
    Choice,
    Context,
    ExactPlayer,
    Limit,
    MoveValue,
    Player,
    Stop,
    stop_after,
)
from boardgames.players.alphabeta import DRAW_OFFER_LIMIT, TIME, AlphaBeta
from boardgames.score import Score, Unit

SOLVER_SHARE = 0.8
"""Fraction of the time for a move that the solver may use; the rest is for estimates."""
SHORTEST_SECONDS = 0.001
"""Time for estimates if none is left, since a limit of time cannot be zero."""
ESTIMATOR_MB = 16


def time_option(seconds: float) -> Option:
    """Return the option `time` of a solver that takes this many seconds per move if nothing else is given."""
    return replace(TIME, summary=f"seconds per move; {seconds:g} if there is no other limit")


SOLVER_TIME = time_option(10.0)


class TimedExactPlayer(ExactPlayer):
    """Plays by the exact scores of as many moves as can be solved in time, and by estimates of the others.

    A subclass defines `scores` and `solved_moves`, declares `SOLVER_TIME` among its options,
    and may override the other methods below. Only time limits it, not depth or nodes.

    Attributes
    ----------
    default_seconds : float
        Time for a move if there is no other limit; `time_option` makes an option that says so.
    plays_best : bool
        False if `pick` may return another move than the best, for example at a lower level.
        Then `choose` scores the other moves even if one wins at once.
    """

    declared_options: ClassVar[tuple[Option, ...]] = (SOLVER_TIME,)
    default_seconds: ClassVar[float] = 10.0
    plays_best: bool = True

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._estimator = self.make_estimator()
        self._has_code = False

    # --- what a subclass defines -------------------------------------------------

    @abstractmethod
    def solved_moves(self, position: Position, stop: Stop, *, all_moves: bool) -> Mapping[Move, Score]:
        """Return the exact scores, for the side to move, of the moves that were solved before `stop` was set.

        Parameters
        ----------
        all_moves : bool
            False if a single best move is enough.
        """

    def knows_best(self, position: Position, scores: Mapping[Move, Score], *, all_moves: bool) -> bool:
        """Return True if a best move is among those that `solved_moves` has returned.

        By default, this is the case if all moves are solved, or one wins immediately.
        """
        return len(scores) == len(position.legal_moves) or Score.win(1) in scores.values()

    def solved_line(self, position: Position, move: Move, score: Score, stop: Stop) -> tuple[Move, ...]:
        """Return best play from a best move to the end, or as far as it was found before `stop` was set.

        By default every position on the way is solved.

        Parameters
        ----------
        score : Score
            The exact score of `move`.
        """
        line, position = [move], position.apply(move)
        while position.outcome is None:
            scores = self.solved_moves(position, stop, all_moves=False)
            if not self.knows_best(position, scores, all_moves=False):
                break
            move = max(scores, key=lambda move: scores[move])
            line.append(move)
            position = position.apply(move)
        return tuple(line)

    def make_estimator(self) -> Player:
        """Return the player whose analysis estimates unsolved moves; by default `alphabeta`."""
        return AlphaBeta(self.game, seed=0, table=ESTIMATOR_MB)

    def estimated_moves(
        self,
        position: Position,
        solved: Mapping[Move, Score],
        limit: Limit,
        context: Context,
        *,
        all_moves: bool,
    ) -> Analysis:
        """Return an analysis of the moves that are not in `solved`, with scores in `self.unit`.

        By default, the estimator analyses the position. Its scores of solved moves are ignored.

        Parameters
        ----------
        limit : Limit
            The seconds that are left for this move.
        all_moves : bool
            False if only the best of these moves is needed.
        """
        return self._estimator.analyse(position, limit, context)

    def pick(self, analysis: Analysis) -> MoveValue:
        """Return the entry of `analysis.moves` to play; by default one of the best, drawn at random."""
        best = [entry for entry in analysis.moves if entry.score == analysis.score]
        return best[int(self.random.integers(len(best)))]

    def plies_left(self, position: Position) -> int:
        """Return how many plies a match can last from here, which is the reported depth of exact scores.

        By default, this is the length of the longest match, or 0 if that is not known.
        """
        return self.game.facts.longest_match or 0

    def is_in_book(self, position: Position) -> bool:
        """Return True if the exact score of a position is looked up in an opening book; by default False."""
        return False

    def load_code(self) -> None:
        """Load or compile the code that chooses moves; called once, before the clock of the first move runs.

        By default this does nothing; the estimator loads its own code.
        """
        return

    def free_solver(self) -> None:
        """Free the memory of the solver; `close` calls this while no search is running."""
        return

    @property
    def unit(self) -> Unit:
        """Return the unit of the scores; by default the unit of the game's evaluation."""
        return self.game.evaluation.unit

    # --- what this class does ----------------------------------------------------

    def seconds_for(self, position: Position, limit: Limit) -> float:
        """Return the time for a move, in seconds, by the option `time` and a limit."""
        own = Limit(seconds=self.options[SOLVER_TIME.name])  # type: ignore[arg-type]  # read by kind
        budget = limit.tightened(own).budget(position.side_to_move)
        return self.default_seconds if budget is None else budget

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the move that `pick` chooses; it is proven if it is known to be a best move."""
        self._check_position(position)
        analysis = self._analyse(position, limit, context, all_moves=not self.plays_best, has_line=False)
        entry = self.pick(analysis)
        is_best = entry.proven and entry.score == analysis.score
        choice = replace(analysis.choice(entry), proven=analysis.proven and is_best)
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
        """Return the score of every move, and best play to the end after the best one.

        Moves that could not be solved in time have an estimated score, and are not proven.
        """
        self._check_position(position, lines=lines)
        analysis = self._analyse(position, limit, context)
        return replace(analysis, moves=analysis.moves[:lines])

    def accepts_draw(self, position: Position, side: int) -> bool:
        """Accept a draw unless `side` wins or, if that cannot be determined in time, seems to be ahead."""
        self._check_game(position)
        if position.outcome is not None:
            return False
        analysis = self._analyse(position, DRAW_OFFER_LIMIT, NO_CONTEXT, all_moves=False, has_line=False)
        return analysis.favours_draw(side)

    def match_started(self, side: int) -> None:
        """Load the code, and let the player that estimates unsolved moves forget the previous match."""
        self._estimator.match_started(side)
        self._load_code_once()

    def close(self) -> None:
        """Free the memory of the solver and of the estimates."""
        with self._in_use(wait=True):
            self.free_solver()
            self._estimator.close()

    def _load_code_once(self) -> None:
        if not self._has_code:
            self._has_code = True  # set first, since the code may be loaded by choosing a move
            self.load_code()

    def _analyse(
        self,
        position: Position,
        limit: Limit,
        context: Context,
        *,
        all_moves: bool = True,
        has_line: bool = True,
    ) -> Analysis:
        """Return the scores of all moves, or only of some if a best one is among them."""
        self._load_code_once()
        started, nodes = time.monotonic(), self.solver_nodes()
        budget = self.seconds_for(position, limit)
        others = () if context.stop is None else (context.stop,)
        with stop_after(budget * SOLVER_SHARE, *others) as stop:
            scores = self.solved_moves(position, stop, all_moves=all_moves)
            is_proven = self.knows_best(position, scores, all_moves=all_moves)
            has_all = len(scores) == len(position.legal_moves) or (is_proven and not all_moves)
            lines: dict[Move, tuple[Move, ...]] = {move: (move,) for move in scores}
            if has_all and has_line:
                best = max(scores, key=lambda move: scores[move])
                lines[best] = self.solved_line(position, best, scores[best], stop)
        entries = [
            MoveValue(move, score, True, lines[move], self.is_in_book(position.apply(move)))
            for move, score in scores.items()
        ]
        nodes, depth, simulations = self.solver_nodes() - nodes, self.plies_left(position), 0
        if not has_all:
            rest = Limit(seconds=max(budget - (time.monotonic() - started), SHORTEST_SECONDS))
            quiet = replace(context, report=None)
            estimate = self.estimated_moves(position, scores, rest, quiet, all_moves=all_moves)
            entries += [entry for entry in estimate.moves if entry.move not in scores]
            nodes, depth, simulations = nodes + estimate.nodes, estimate.depth, estimate.simulations
        moves = tuple(sorted(entries, key=lambda entry: entry.score, reverse=True))
        seconds = time.monotonic() - started
        return Analysis(
            position, moves[0].score, self.unit, is_proven, moves, depth, nodes, seconds, simulations
        )
