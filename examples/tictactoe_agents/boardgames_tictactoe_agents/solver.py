"""A solver: an agent with exact scores, for `solve`, `analyze`, reviews and the page."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from boardgames import Context, Game, Move, Position, Score, Stop
from boardgames.player import NO_CONTEXT
from boardgames.players.exact import TimedExactPlayer


class Solver(TimedExactPlayer):
    """Visits every position below the given one once.

    The base class limits the time and chooses moves. This class only scores them.
    """

    name: ClassVar[str] = "solver"

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._known: dict[Position, Score] = {}

    def scores(self, positions: Sequence[Position], context: Context = NO_CONTEXT) -> list[Score]:
        """Return the exact score of each position for its side to move."""
        return [self._score(self._check_position(position)) for position in positions]

    def solved_moves(self, position: Position, stop: Stop, *, all_moves: bool) -> Mapping[Move, Score]:
        """Return the scores of all moves; `stop` is ignored, since tic-tac-toe is solved quickly."""
        return {move: self._score_after(position, move) for move in position.legal_moves}

    def solver_nodes(self) -> int:
        """Return the number of positions visited."""
        return len(self._known)

    def free_solver(self) -> None:
        """Forget all positions."""
        self._known.clear()

    def _score(self, position: Position) -> Score:
        """Return the score of a position for its side to move."""
        if position not in self._known:
            self._known[position] = max(self._score_after(position, move) for move in position.legal_moves)
        return self._known[position]

    def _score_after(self, position: Position, move: Move) -> Score:
        """Return the score of a move; a win is one ply further away than in the position after the move."""
        after = position.apply(move)
        if after.outcome is None:
            return (-self._score(after)).delayed()
        return Score.of(0.0, self.unit) if after.outcome.winner is None else Score.win(1)
