"""The agent `strong`: exact values wherever they can be found in time, else alpha-beta search.

Up to dimension 4 the solver tries to find the value of every move. It succeeds in seconds when
about half of the edges are drawn, or at once at dimension 2. If the time is too short, and on
larger boards, `alphabeta` gives the values of the other moves, which are not proven.
"""

from collections.abc import Sequence
from typing import ClassVar

from boardgames.errors import MatchError, OptionError
from boardgames.game import Game, Move, Position
from boardgames.options import Option
from boardgames.player import NO_CONTEXT, Context, Stop
from boardgames.players.exact import SOLVER_TIME, TimedExactPlayer
from boardgames.score import Score
from boardgames.search.alphabeta.table import MAX_MB
from boardgames_hexifence.game import MAX_SOLVED_DIMENSION, Hexifence
from boardgames_hexifence.solver import Solver
from boardgames_hexifence.solver.solver import TABLE_MB, cells_taken, keeps_turn

TABLE = Option("table", int, TABLE_MB, "size of the solver's table in MB", minimum=1, maximum=MAX_MB)


class Strong(TimedExactPlayer):
    """Plays perfectly where the solver is fast enough, and gives the final difference of cells as value.

    Only time limits it, not depth or nodes. Equally good moves are drawn at random.
    """

    name: ClassVar[str] = "strong"
    declared_options = (SOLVER_TIME, TABLE)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        if not isinstance(game, Hexifence):
            raise OptionError(f"the agent 'strong' plays Hexifence, not {game.facts.title}")
        super().__init__(game, seed=seed, **options)
        self._dimension = game.dimension
        self._solver = self._new_solver()

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

    def solved_moves(self, position: Position, stop: Stop, *, all_moves: bool) -> dict[Move, Score]:
        """Return the final differences of cells after the moves that were solved before `stop` was set."""
        scores: dict[Move, Score] = {}
        try:
            for move in position.legal_moves:
                scores[move] = self._score(lead(position) + self._value_of(position, move, stop))
        except MatchError:  # stopped
            pass
        return scores

    def plies_left(self, position: Position) -> int:
        """Return the number of open edges."""
        return len(position.legal_moves)

    def solver_nodes(self) -> int:
        """Return the number of positions that the solver has visited since it was made."""
        return 0 if self._solver is None else self._solver.nodes

    @property
    def tabulated_states(self) -> int:
        """Return the number of states in the table of all values, which only dimension 2 has."""
        return 0 if self._solver is None else self._solver.tabulated_states

    def free_solver(self) -> None:
        """Replace the solver by a new one, which has no table yet."""
        self._solver = self._new_solver()

    def _new_solver(self) -> Solver | None:
        if self._dimension > MAX_SOLVED_DIMENSION:
            return None
        return Solver(self.game, table=int(self.options[TABLE.name] or 0))

    def _score(self, cells: int) -> Score:
        return Score.of(float(cells), self.game.evaluation.unit)

    def _value_of(self, position: Position, move: Move, stop: Stop) -> int:
        """Return the value of a move for the side that makes it; raise MatchError if it is not solved."""
        if self._solver is None:
            raise MatchError(f"positions of dimension {self._dimension} cannot be solved")
        after = position.apply(move)
        value = self._solver.values([after], stop=stop)[0]
        return cells_taken(position, after) + (value if keeps_turn(position, after) else -value)


def lead(position: Position) -> int:
    """Return the cells that the side to move owns minus those of its opponent."""
    own, other = position.score
    return (own - other) * (1 if position.side_to_move == 0 else -1)
