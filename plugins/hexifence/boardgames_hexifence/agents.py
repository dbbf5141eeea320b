"""The agent `strong`: exact values wherever they can be found in time, else alpha-beta search.

Up to dimension 4 the solver tries to find the value of every move. It succeeds in seconds when
about half of the edges are drawn, or at once at dimension 2. If the time is too short, and on
larger boards, `alphabeta` gives the values of the other moves, which are not proven.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from boardgames.errors import MatchError, OptionError
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
    Stop,
    stop_after,
)
from boardgames.players.alphabeta import TIME, AlphaBeta
from boardgames.score import Score
from boardgames.search.alphabeta.table import MAX_MB
from boardgames_hexifence.game import MAX_SOLVED_DIMENSION, Hexifence
from boardgames_hexifence.solver import Solver
from boardgames_hexifence.solver.solver import TABLE_MB, cells_taken, keeps_turn

DEFAULT_SECONDS = 10.0
SOLVER_SHARE = 0.8
"""The part of the time after which the solver gives up and leaves the rest to `alphabeta`."""
SHORTEST_SECONDS = 0.001
"""Time of `alphabeta` if the clock is at zero, since a limit of time cannot be zero."""
ALPHABETA_MB = 16

TABLE = Option("table", int, TABLE_MB, "size of the solver's table in MB", minimum=1, maximum=MAX_MB)
LIMIT = replace(TIME, summary=f"seconds per move; {DEFAULT_SECONDS:.0f} if there is no other limit")


class Strong(ExactPlayer):
    """Plays perfectly where the solver is fast enough, and gives the final difference of cells as value.

    Only time limits it, not depth or nodes. Equally good moves are drawn at random.
    """

    name: ClassVar[str] = "strong"
    declared_options = (LIMIT, TABLE)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        if not isinstance(game, Hexifence):
            raise OptionError(f"the agent 'strong' plays Hexifence, not {game.facts.title}")
        super().__init__(game, seed=seed, **options)
        self._dimension = game.dimension
        self._solver = self._new_solver()
        self._estimator = AlphaBeta(game, seed=0, table=ALPHABETA_MB)

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a move with the best value."""
        self._check_position(position)
        analysis = self._analyse(position, limit, context, has_line=False)
        best = [entry for entry in analysis.moves if entry.score == analysis.score]
        entry = best[int(self.random.integers(len(best)))]
        choice = replace(analysis.choice(entry), proven=analysis.proven)
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
        """Return the value of every move, and best play to the end after the best one.

        Moves that could not be solved in time have the score of `alphabeta`, and are not proven.
        """
        self._check_position(position, lines=lines)
        analysis = self._analyse(position, limit, context)
        return replace(analysis, moves=analysis.moves[:lines])

    def scores(self, positions: Sequence[Position], context: Context = NO_CONTEXT) -> list[Score]:
        """Return the final difference of cells of each position in one call of compiled code."""
        for position in positions:
            self._check_position(position)
        if self._solver is None:
            raise MatchError(f"positions of dimension {self._dimension} cannot be solved")
        values = self._solver.values(positions, stop=context.stop)
        return [
            self._score(lead(position) + value) for position, value in zip(positions, values, strict=True)
        ]

    def match_started(self, side: int) -> None:
        """Let the search that estimates unsolved moves forget the previous match."""
        self._estimator.match_started(side)

    def close(self) -> None:
        """Free the memory of the searches."""
        with self._in_use(wait=True):
            self._solver = self._new_solver()
            self._estimator.close()

    def _new_solver(self) -> Solver | None:
        if self._dimension > MAX_SOLVED_DIMENSION:
            return None
        return Solver(self.game, table=int(self.options[TABLE.name] or 0))

    def _score(self, cells: int) -> Score:
        return Score.of(float(cells), self.game.evaluation.unit)

    def _nodes(self) -> int:
        return 0 if self._solver is None else self._solver.nodes

    def _analyse(
        self, position: Position, limit: Limit, context: Context, *, has_line: bool = True
    ) -> Analysis:
        """Return the values of all moves, proven as far as the time allows it."""
        started, nodes = time.monotonic(), self._nodes()
        own = Limit(seconds=self.options[LIMIT.name])  # type: ignore[arg-type]  # read by kind
        budget = limit.tightened(own).budget(position.side_to_move)
        budget = DEFAULT_SECONDS if budget is None else budget
        others = () if context.stop is None else (context.stop,)
        with stop_after(budget * SOLVER_SHARE, *others) as stop:
            solved = self._solved_moves(position, stop)
            is_solved = len(solved) == len(position.legal_moves)
            lines: dict[Move, tuple[Move, ...]] = {move: (move,) for move in solved}
            if is_solved and has_line:
                best = max(solved, key=lambda move: solved[move])
                lines[best] = self._line(position, best, stop)
        entries = [
            MoveValue(move, self._score(lead(position) + value), True, lines[move])
            for move, value in solved.items()
        ]
        nodes, depth = self._nodes() - nodes, len(position.legal_moves)
        if not is_solved:
            rest = Limit(seconds=max(budget - (time.monotonic() - started), SHORTEST_SECONDS))
            estimate = self._estimator.analyse(position, rest, replace(context, report=None))
            entries += [entry for entry in estimate.moves if entry.move not in solved]
            nodes, depth = nodes + estimate.nodes, estimate.depth
        moves = tuple(sorted(entries, key=lambda entry: entry.score, reverse=True))
        seconds, unit = time.monotonic() - started, self.game.evaluation.unit
        return Analysis(position, moves[0].score, unit, is_solved, moves, depth, nodes, seconds)

    def _solved_moves(self, position: Position, stop: Stop) -> dict[Move, int]:
        """Return the values of the moves that were solved before `stop` was set."""
        values: dict[Move, int] = {}
        try:
            for move in position.legal_moves:
                values[move] = self._value_of(position, move, stop)
        except MatchError:  # stopped
            pass
        return values

    def _value_of(self, position: Position, move: Move, stop: Stop) -> int:
        """Return the value of a move for the side that makes it; raise MatchError if it is not solved."""
        if self._solver is None:
            raise MatchError(f"positions of dimension {self._dimension} cannot be solved")
        after = position.apply(move)
        value = self._solver.values([after], stop=stop)[0]
        return cells_taken(position, after) + (value if keeps_turn(position, after) else -value)

    def _line(self, position: Position, move: Move, stop: Stop) -> tuple[Move, ...]:
        """Return best play to the end, or until `stop` is set, after a best move."""
        line, position = [move], position.apply(move)
        while position.outcome is None:
            values = self._solved_moves(position, stop)
            if len(values) < len(position.legal_moves):
                break
            move = max(values, key=lambda move: values[move])
            line.append(move)
            position = position.apply(move)
        return tuple(line)


def lead(position: Position) -> int:
    """Return the cells that the side to move owns minus those of its opponent."""
    own, other = position.score
    return (own - other) * (1 if position.side_to_move == 0 else -1)
