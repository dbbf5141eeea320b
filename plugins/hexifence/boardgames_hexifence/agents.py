"""The agent `strong`: exact values where they can be found in time, otherwise Monte Carlo.

The solver finds the values of all moves at dimension 2 at once, and on larger boards as soon as few
safe edges are left. Until then, and for moves that it has no time for, simulations estimate
the final difference of cells.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from boardgames.errors import MatchError, OptionError, PositionError
from boardgames.game import Game, Move, Position
from boardgames.options import Option
from boardgames.player import NO_CONTEXT, NO_LIMIT, Analysis, Choice, Context, Limit, MoveValue, Stop
from boardgames.players.exact import SHORTEST_SECONDS, TimedExactPlayer, time_option
from boardgames.score import Score
from boardgames.search.alphabeta.table import MAX_MB
from boardgames_hexifence.chains import chains_of
from boardgames_hexifence.edges import member, new_edge_set, number_of
from boardgames_hexifence.endgame import next_capture
from boardgames_hexifence.features import CAPTURING, FREE, SAFE
from boardgames_hexifence.game import Hexifence, lead_of
from boardgames_hexifence.monte_carlo import MonteCarlo
from boardgames_hexifence.solver import Solver, small
from boardgames_hexifence.solver.solver import TABLE_MB, cells_taken, keeps_turn, open_cells, too_many_cells
from boardgames_hexifence.solver.strings import MAX_CELLS
from boardgames_hexifence.solver.traps import chances

SAFE_EDGES = (0, 0, 30, 21, 14, 8, 0, 0, 0)
"""The largest number of safe edges with which `choose` tries to solve a position, by dimension."""
SIMULATIONS, SIMULATIONS_OF_ANALYSIS = 500, 10_000
LEVELS = (
    (0.3, 1.0),
    (0.12, 1.0),
    (0.04, 1.0),
    (0.0, 1.0),
    (0.0, 0.4),
    (0.0, 0.25),
    (0.0, 0.15),
    (0.0, 0.08),
    (0.0, 0.03),
    (0.0, 0.0),
)
"""For each level the share of random moves, and the share of beginner's moves among the others."""
TESTED_REPLIES = 6
TEST_NODES = 20_000
"""Largest number of replies that are tried after a move in a lost position, and of nodes to solve them."""
LATE_EDGES, LATE_SECONDS = 6, 60.0
"""Open edges of the position that `load_code` solves, and the time allowed for compiling and solving."""

LEVEL = Option(
    "level",
    int,
    len(LEVELS),
    "strength from 1 (random moves) to 10 (its best)",
    1,
    len(LEVELS),
    role="strength",
)
TABLE = Option(
    "table", int, TABLE_MB, "size of the solver's table in MB", minimum=1, maximum=MAX_MB, role="memory"
)


class Strong(TimedExactPlayer):
    """Plays perfectly where the solver is fast enough; its scores are final differences of cells.

    Equally good moves are drawn at random, except that in a lost position it chooses one that makes
    ordinary opponents err most often. Levels 5 to 9 make a beginner's move now and then, and level
    4 always does: a capture if there is one, else a random safe edge, else the smallest sacrifice.
    Levels 1 to 3 make random moves as well.
    """

    name: ClassVar[str] = "strong"
    default_seconds: ClassVar[float] = 2.5
    declared_options = (LEVEL, time_option(default_seconds), TABLE)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        if not isinstance(game, Hexifence):
            raise OptionError(f"the agent 'strong' plays Hexifence, not {game.facts.title}")
        super().__init__(game, seed=seed, **options)
        self._dimension = game.dimension
        self._solver = self._new_solver()
        self._random_share, self._beginners_share = LEVELS[int(self.options[LEVEL.name] or 0) - 1]

    @cached_property
    def _monte_carlo(self) -> MonteCarlo:
        """The simulations, made when they are first needed, since that loads code that no board needs."""
        return MonteCarlo(self.game)

    def scores(self, positions: Sequence[Position], context: Context = NO_CONTEXT) -> list[Score]:
        """Return the final difference of cells of each position."""
        for position in positions:
            self._check_position(position)
        values = self._solver.values(positions, stop=context.stop)
        return [
            self._score(lead_of(position) + value) for position, value in zip(positions, values, strict=True)
        ]

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a best move or, at lower levels, sometimes a beginner's or a random move."""
        self._check_position(position)
        if self.random.random() < self._random_share:
            moves = list(position.legal_moves)
        elif self.random.random() < self._beginners_share:
            moves = self._beginners_moves(position)
        else:
            return super().choose(position, limit, context)
        choice = Choice(moves[int(self.random.integers(len(moves)))])
        if context.report is not None:
            context.report(choice)
        return choice

    def solved_moves(self, position: Position, stop: Stop, *, all_moves: bool) -> dict[Move, Score]:
        """Return the final differences of cells after the moves that were solved before `stop` was set.

        If a single best move is enough, only that one is returned, or all best moves in a lost
        position, or none if there was no time.
        """
        if not all_moves:
            moves = position.legal_moves
            order = self.random.permutation(len(moves))
            return self._best_moves(position, [moves[index] for index in order], stop)
        return {
            move: self._score(lead_of(position) + value)
            for move, value in self._values(position, stop=stop).items()
        }

    def knows_best(self, position: Position, scores: Mapping[Move, Score], *, all_moves: bool) -> bool:
        """Return True if a best move is among those that `solved_moves` has returned."""
        return len(scores) == len(position.legal_moves) or (bool(scores) and not all_moves)

    def solved_line(self, position: Position, move: Move, score: Score, stop: Stop) -> tuple[Move, ...]:
        """Return best play to the end, or as far as it was found, always by the first best move."""
        line, position = [move], position.apply(move)
        while position.outcome is None:
            best = self._best_moves(position, position.legal_moves, stop)
            if not best:
                break
            line.append(next(iter(best)))
            position = position.apply(line[-1])
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
        """Return the mean final differences of cells in simulations, for all moves or the promising ones."""
        estimates, simulations, seconds = self._monte_carlo.estimate(
            position,
            lead_of(position),
            seed=int(self.random.integers(2**63)),
            simulations=SIMULATIONS_OF_ANALYSIS if all_moves else SIMULATIONS,
            seconds=limit.seconds,
            stop=context.stop,
            all_moves=all_moves,
        )
        moves = []
        for edge, mean in estimates.items():
            move = self.game.decode(position, edge)
            moves.append(MoveValue(move, Score.of(mean, self.unit), False, (move,)))
        moves.sort(key=lambda entry: entry.score, reverse=True)
        return Analysis(
            position, moves[0].score, self.unit, False, tuple(moves), 1, 0, seconds, simulations=simulations
        )

    def pick(self, analysis: Analysis) -> MoveValue:
        """Return a random best move or, in a lost position, one that makes opponents err most often."""
        best = [entry for entry in analysis.moves if entry.score == analysis.score]
        if analysis.proven and analysis.score.sign < 0 and len(best) > 1:
            errors = self._chances_of_errors(analysis.position, [entry.move for entry in best])
            best = [entry for entry, share in zip(best, errors, strict=True) if share == max(errors)]
        return best[int(self.random.integers(len(best)))]

    def plies_left(self, position: Position) -> int:
        """Return the number of open edges."""
        return len(position.legal_moves)

    def solver_nodes(self) -> int:
        """Return the number of positions that the solver has visited since it was made."""
        return self._solver.nodes

    def obstacle(self, position: Position) -> str | None:
        """Return a message if there are too many open cells for the solver, otherwise None."""
        count = len(open_cells(position))
        return too_many_cells(count) if count > MAX_CELLS else None

    @property
    def tabulated_states(self) -> int:
        """Return the number of states in the table of all values, which only dimension 2 has."""
        return self._solver.tabulated_states

    def match_started(self, side: int) -> None:
        """Load the code; simulations, which need no player, estimate what the solver has no time for."""
        self._load_code_once()

    def load_code(self) -> None:
        """Load or compile the code for both ends of a match by choosing a move at each of them."""
        late = self.game.start()
        while len(late.legal_moves) > LATE_EDGES:
            late = late.apply(late.legal_moves[0])
        before = self.random.bit_generator.state  # the choices must not change those of the match
        for position, seconds in ((self.game.start(), SHORTEST_SECONDS), (late, LATE_SECONDS)):
            self._beginners_moves(position)
            super().choose(position, Limit(seconds=seconds))
        self.random.bit_generator.state = before

    def free_solver(self) -> None:
        """Replace the solver with a new one, which frees the memory of its table."""
        self._solver = self._new_solver()

    def _new_solver(self) -> Solver:
        return Solver(self.game, table=int(self.options[TABLE.name] or 0))

    def _best_moves(self, position: Position, moves: Sequence[Move], stop: Stop) -> dict[Move, Score]:
        """Return the first best move, or all of them in a lost position, or none if there was no time."""
        if number_of(new_edge_set(position.words), SAFE) > SAFE_EDGES[self._dimension]:
            return {}
        try:
            (value,) = self._solver.values([position], stop=stop)
            is_lost = lead_of(position) + value < 0
            best = self._solver.best_moves(position, moves, value, count=0 if is_lost else 1, stop=stop)
        except (MatchError, PositionError):  # there was no time, or there are too many open cells
            return {}
        return dict.fromkeys(best, self._score(lead_of(position) + value))

    def _score(self, cells: int) -> Score:
        return Score.of(float(cells), self.unit)

    def _values(
        self,
        position: Position,
        moves: Sequence[Move] | None = None,
        *,
        stop: Stop | None = None,
        node_limit: int = 0,
    ) -> dict[Move, int]:
        """Return the remaining difference of cells for each move that is solved; by default all are tried."""
        after = {move: position.apply(move) for move in moves or position.legal_moves}
        try:
            bounds = self._solver.bounds(after.values(), stop=stop, node_limit=node_limit)
        except PositionError:  # too many open cells
            return {}
        return {
            move: cells_taken(position, successor)
            + (int(lower) if keeps_turn(position, successor) else -int(lower))
            for (move, successor), (lower, upper) in zip(after.items(), bounds, strict=True)
            if lower == upper
        }

    def _chances_of_errors(self, position: Position, moves: Sequence[Move]) -> list[float]:
        """Return how likely the opponent is to err after each move."""
        after = [position.apply(move) for move in moves]
        if self._dimension != small.DIMENSION:
            return [
                0.0 if keeps_turn(position, successor) else self._errors_in(successor) for successor in after
            ]
        side = position.side_to_move
        return chances(
            [
                (small.index_of(successor.words), lead_of(successor), successor.side_to_move != side)
                for successor in after
            ]
        )

    def _errors_in(self, position: Position) -> float:
        """Return the share of a beginner's moves that a short search proves to lose cells."""
        replies = self._beginners_moves(position)
        ((lower, upper),) = self._solver.bounds([position], node_limit=TEST_NODES).tolist()
        values = self._values(position, replies, node_limit=TEST_NODES)
        return sum(value < lower for value in values.values()) / len(replies) if lower == upper else 0.0

    def _beginners_moves(self, position: Position) -> list[Move]:
        """Return a beginner's moves: a capture if there is one, else safe edges, else the smallest sacrifice.

        At most `TESTED_REPLIES` safe edges are returned, chosen at random.
        """
        edge_set = new_edge_set(position.words)
        if number_of(edge_set, FREE) > 0:
            edges = [member(edge_set, FREE, 0)]
        elif number_of(edge_set, CAPTURING) > 0:
            edges = [next_capture(edge_set)[0]]
        elif number_of(edge_set, SAFE) > 0:
            safe = [member(edge_set, SAFE, place) for place in range(number_of(edge_set, SAFE))]
            edges = self.random.permutation(safe)[:TESTED_REPLIES].tolist()
        else:
            chains = [chain for chain in chains_of(position.words) if not chain.is_opened]
            shortest = min(chains, key=lambda chain: chain.length)
            edges = [shortest.edges[len(shortest.edges) // 2]]
        return [self.game.decode(position, int(edge)) for edge in edges]
