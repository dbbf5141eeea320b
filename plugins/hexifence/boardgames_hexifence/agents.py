"""The agent `strong`: exact values where they can be found in time, otherwise Monte Carlo tree search.

The solver finds the values of all moves: at dimension 2 in every position, and on larger boards as soon as
few safe edges are left. Before that, a tree search finds promising moves. The solver then tries to prove
that the best of them win, which takes much less time than finding values. Moves that are proven to
lose are dropped. The tree search uses the remaining time.
"""

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from boardgames.errors import MatchError, OptionError, PositionError
from boardgames.game import Game, Move, Position
from boardgames.options import Option
from boardgames.player import (
    NO_CONTEXT,
    NO_LIMIT,
    Analysis,
    Choice,
    Context,
    Limit,
    MoveValue,
    Stop,
    stop_after,
)
from boardgames.players.exact import SHORTEST_SECONDS, TimedExactPlayer, time_option
from boardgames.score import Score
from boardgames.search.alphabeta.table import MAX_MB
from boardgames_hexifence.chains import chains_of
from boardgames_hexifence.edges import member, new_edge_set, number_of
from boardgames_hexifence.endgame import next_capture
from boardgames_hexifence.features import CAPTURING, FREE, SAFE
from boardgames_hexifence.game import Hexifence, lead_of
from boardgames_hexifence.monte_carlo import Estimate, MonteCarlo
from boardgames_hexifence.solver import Solver, small
from boardgames_hexifence.solver.solver import TABLE_MB, cells_taken, keeps_turn, open_cells, too_many_cells
from boardgames_hexifence.solver.strings import MAX_CELLS
from boardgames_hexifence.solver.traps import chances

PROVABLE_EDGES = (0, 0, 1000, 28, 22, 14, 6, 4, 2)
"""Maximum number of safe edges with which one second may be enough to prove that a move wins, by dimension.

At dimension 2 all values are in a table.
"""
EDGES_PER_DOUBLING = 1.4
"""Increase of that maximum when the time is doubled."""
EASIER_EDGES = 12
"""Exact values are tried with at least this many safe edges fewer than that maximum."""
EXACT_SHARE, TREE_SHARE, PROOF_SHARE = 0.4, 0.15, 0.75
"""Shares of the time after which the search for exact values, the first tree search and the proofs end."""
PROOF_NODES, PROOF_GROWTH, FIND_NODES = 50_000, 3, 1_000
"""Node limit of the first proof, growth factor of this limit, and node limit for finding a winning move."""
VALUE_NODES = 20_000
"""Node limit of the first attempt to find the value of a move in an analysis."""
FORCED_SIMULATIONS = 200
"""Number of simulations if there is only one sensible move."""
SUREST_RETURN = 0.98
"""Maximum estimated return; a return of 1 would correspond to an infinite number of cells."""
PARTS = 8
"""Number of parts into which the remaining time is divided. After each part, the search ends if no other move
can catch up."""
ANSWER_S = 0.01
"""Seconds reserved for returning the answer."""
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
"""For each level, the share of random moves, and the share of a beginner's moves among all others."""
TESTED_REPLIES = 6
TEST_NODES = 20_000
"""After a move in a lost position: maximum number of replies that are tried, and of nodes to solve each."""
LATE_EDGES, LATE_SECONDS = 6, 60.0
"""Number of open edges of the late position that `load_code` solves, and the time allowed for doing so."""

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

    It chooses among equally good moves at random, except in a lost position: there it chooses the move
    after which ordinary opponents err most often. Levels 5 to 9 sometimes make a beginner's move, and
    level 4 always does: a capture if there is one, else a random safe edge, else the smallest sacrifice.
    Levels 1 to 3 also make random moves.
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
        self._analysed: Position | None = None
        self._bounds: dict[Move, tuple[int, int]] = {}
        """Bounds on the final difference of cells after each move of the position analysed last."""
        self._unlisted_win: Move | None = None
        """A move that is proven to win but is not in the tree."""
        self._random_share, self._beginners_share = LEVELS[int(self.options[LEVEL.name] or 0) - 1]

    @cached_property
    def _monte_carlo(self) -> MonteCarlo:
        """The tree search, created when it is first needed, since solved positions do not need its code."""
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
        moves: Sequence[Move] = ()
        if self.random.random() < self._random_share:
            moves = position.legal_moves
        elif self.random.random() < self._beginners_share:
            moves = self._beginners_moves(position)
        if moves:
            choice = Choice(moves[int(self.random.integers(len(moves)))])
        else:
            choice = self._best_choice(position, self.seconds_for(position, limit), context)
        if context.report is not None:
            context.report(choice)
        return choice

    def solved_moves(self, position: Position, stop: Stop, *, all_moves: bool) -> dict[Move, Score]:
        """Return the final differences of cells after the moves that were solved before `stop` was set.

        Unless `all_moves` is true, return only one best move, or all best moves in a lost position, or
        nothing if the time did not suffice.
        """
        if not all_moves:
            moves = position.legal_moves
            order = self.random.permutation(len(moves))
            return self._best_moves(position, [moves[index] for index in order], stop)
        if len(open_cells(position)) > MAX_CELLS:
            return {}
        self._analysed, self._bounds = position, dict.fromkeys(position.legal_moves, self._widest(position))
        limit, left = VALUE_NODES, list(position.legal_moves)
        while left and not stop.is_set():
            for move in left:  # easy moves first
                self._bounds[move] = self._bounds_of(position, move, stop=stop, node_limit=limit)
            left = [move for move in left if self._bounds[move][0] < self._bounds[move][1]]
            limit *= PROOF_GROWTH
        return {move: self._score(low) for move, (low, high) in self._bounds.items() if low == high}

    def progress(self) -> str:
        """Return how many moves are solved, and bounds on the final difference of cells."""
        known = list(self._bounds.values())
        if not known:
            return super().progress()
        solved = sum(low == high for low, high in known)
        low, high = _best_bounds(known)
        return f"{solved} of {len(known)} moves, value {low:+d} to {high:+d}, {super().progress()}"

    def bounds(self, position: Position) -> tuple[Score, Score] | None:
        """Return bounds on the final difference of cells of the position analysed last."""
        if position != self._analysed:
            return None
        low, high = _best_bounds(self._bounds.values())
        return None if (low, high) == self._widest(position) else (self._score(low), self._score(high))

    def knows_best(self, position: Position, scores: Mapping[Move, Score], *, all_moves: bool) -> bool:
        """Return True if a best move is among those that `solved_moves` has returned."""
        return len(scores) == len(position.legal_moves) or (bool(scores) and not all_moves)

    def solved_line(self, position: Position, move: Move, score: Score, stop: Stop) -> tuple[Move, ...]:
        """Return a move and best play after it, to the end or until `stop` was set."""
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
        """Return the estimates of a tree search, which uses all the time, for all or for sensible moves."""
        started, tree = time.monotonic(), self._monte_carlo
        tree.start(position, lead_of(position), seed=self._new_seed(), all_moves=all_moves)
        known = self._bounds if position == self._analysed else {}
        for move, (low, high) in known.items():
            if low > 0 or high < 0:
                tree.settle(move.action, is_won=low > 0)
        tree.simulate(seconds=limit.seconds, stop=context.stop)
        return self._estimated(position, seconds=time.monotonic() - started)

    def pick(self, analysis: Analysis) -> MoveValue:
        """Return a random best move or, in a lost position, one after which opponents err most often."""
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
        """Return the number of states in the table of all values; 0 above dimension 2, which has no table."""
        return self._solver.tabulated_states

    def match_started(self, side: int) -> None:
        """Load or compile the code before the match begins."""
        self._load_code_once()

    def load_code(self) -> None:
        """Load or compile the code by choosing a move at the start and one near the end of a match."""
        late = self.game.start()
        while len(late.legal_moves) > LATE_EDGES:
            late = late.apply(late.legal_moves[0])
        before = self.random.bit_generator.state  # the choices must not change those of the match
        for position, seconds in ((self.game.start(), SHORTEST_SECONDS), (late, LATE_SECONDS)):
            self._beginners_moves(position)
            self._best_choice(position, seconds, NO_CONTEXT)
        self.random.bit_generator.state = before

    def free_solver(self) -> None:
        """Replace the solver with a new one, which frees the memory of its table."""
        self._solver = self._new_solver()

    def _best_choice(self, position: Position, seconds: float, context: Context) -> Choice:
        """Return the best move found within a number of seconds."""
        self._load_code_once()
        started, nodes = time.monotonic(), self._solver.nodes
        seconds = max(seconds, SHORTEST_SECONDS)
        others = () if context.stop is None else (context.stop,)
        spare = self._spare_edges(position, seconds)
        moves = position.legal_moves
        if spare >= EASIER_EDGES:
            with stop_after(EXACT_SHARE * seconds, *others) as stop:
                shuffled = [moves[index] for index in self.random.permutation(len(moves))]
                scores = self._best_moves(position, shuffled, stop)
            if scores:
                entries = tuple(MoveValue(move, score, True, (move,)) for move, score in scores.items())
                depth, score = self.plies_left(position), entries[0].score
                nodes, taken = self._solver.nodes - nodes, time.monotonic() - started
                analysis = Analysis(position, score, self.unit, True, entries, depth, nodes, taken)
                return replace(analysis.choice(self.pick(analysis)), proven=True)
        self._search(position, started, seconds, spare, others)
        nodes, taken = self._solver.nodes - nodes, time.monotonic() - started
        analysis = self._estimated(position, nodes=nodes, seconds=taken)
        if (win := self._unlisted_win) is not None:
            return analysis.choice(MoveValue(win, self._score(1), False, (win,)))
        best = self._most_simulated()
        return analysis.choice(next(entry for entry in analysis.moves if entry.move.action == best))

    def _search(
        self, position: Position, started: float, seconds: float, spare: float, others: Sequence[Stop]
    ) -> None:
        """Grow the tree of a position and try to prove which moves win, within a number of seconds."""
        tree, self._unlisted_win = self._monte_carlo, None
        tree.start(position, lead_of(position), seed=self._new_seed())
        with stop_after(None, *others) as stop:
            if len(tree.estimates()) == 1:
                tree.simulate(simulations=FORCED_SIMULATIONS, seconds=seconds, stop=stop)
                return
            if spare >= 0:
                tree.simulate(seconds=TREE_SHARE * seconds, stop=stop)
                left = started + PROOF_SHARE * seconds - time.monotonic()
                with stop_after(max(left, SHORTEST_SECONDS), *others) as proofs:
                    self._prove(position, proofs, seconds)
            if self._unlisted_win is None:
                self._simulate_until(started + seconds - ANSWER_S, stop)

    def _simulate_until(self, end: float, stop: Stop) -> None:
        """Grow the tree until the time `end`, or until no other move can become the most simulated one."""
        tree = self._monte_carlo
        for parts in range(PARTS, 0, -1):
            started, before = time.monotonic(), tree.simulations
            tree.simulate(seconds=max((end - started) / parts, SHORTEST_SECONDS), stop=stop)
            counts = [one.simulations for one in tree.estimates().values() if one.is_won is not False]
            now = time.monotonic()
            possible = (tree.simulations - before) * (end - now) / (now - started)
            if stop.is_set() or tree.is_decided or len(counts) < 2 or counts[0] - counts[1] > possible:
                return

    def _prove(self, position: Position, stop: Stop, seconds: float) -> None:
        """Try to prove that one of the moves wins, starting with the most simulated one."""
        self._prove_listed_moves(position, stop, seconds)
        all_lose = all(one.is_won is False for one in self._monte_carlo.estimates().values())
        if all_lose and self._unlisted_win is None and self._solver.is_won(position, stop=stop):
            self._find_win(position, (), stop)

    def _prove_listed_moves(self, position: Position, stop: Stop, seconds: float) -> None:
        """Prove moves of the tree, the most simulated first, until one wins, all lose or the time is up."""
        tree, limit = self._monte_carlo, PROOF_NODES
        while not (stop.is_set() or tree.is_decided):
            unknown = [edge for edge, estimate in tree.estimates().items() if estimate.is_won is None]
            if not unknown:
                return
            is_won = self._settle(position, unknown[0], stop, limit)
            if is_won:
                return
            if is_won is not None:
                tree.simulate(seconds=TREE_SHARE * TREE_SHARE * seconds, stop=stop)
                continue
            wins = self._solver.is_won(position, stop=stop, node_limit=limit)
            if wins is not None:
                if wins:
                    self._find_win(position, unknown, stop)
                return
            limit *= PROOF_GROWTH

    def _find_win(self, position: Position, edges: Sequence[int], stop: Stop) -> None:
        """Find a winning move in a position that is known to be won."""
        # usually the table has the proof of a winning move from that of the position, so few nodes suffice
        for limit in (FIND_NODES, 0):
            for edge in edges:
                if self._settle(position, edge, stop, limit) or stop.is_set():
                    return
        listed = self._monte_carlo.estimates()
        for move in position.legal_moves:
            if stop.is_set():
                return
            if move.action not in listed and self._settle(position, move.action, stop, 0):
                self._unlisted_win = move
                return

    def _settle(self, position: Position, edge: int, stop: Stop, limit: int) -> bool | None:
        """Find out whether a move wins, and tell the tree; return None if `limit` nodes do not suffice."""
        after = position.apply(self.game.decode(position, edge))
        is_won = self._solver.is_won(after, stop=stop, node_limit=limit)
        if is_won is None:
            return None
        is_won = is_won == keeps_turn(position, after)
        self._monte_carlo.settle(edge, is_won=is_won)
        return is_won

    def _most_simulated(self) -> int:
        """Return the edge that is known to win or, if there is none, the most simulated one."""
        ranks = {True: 2, None: 1, False: 0}
        estimates = self._monte_carlo.estimates()
        return max(estimates, key=lambda edge: (ranks[estimates[edge].is_won], estimates[edge].simulations))

    def _estimated(self, position: Position, *, nodes: int = 0, seconds: float) -> Analysis:
        """Return the estimates of the tree as an analysis, the best first."""
        moves, lead, cells = [], lead_of(position), len(open_cells(position))
        for edge, estimate in self._monte_carlo.estimates().items():
            move = self.game.decode(position, edge)
            moves.append(MoveValue(move, self._score_of(estimate, lead, cells), False, (move,)))
        moves.sort(key=lambda entry: entry.score, reverse=True)
        simulations = self._monte_carlo.simulations
        return Analysis(
            position, moves[0].score, self.unit, False, tuple(moves), 1, nodes, seconds, simulations
        )

    def _score_of(self, estimate: Estimate, lead: int, cells: int) -> Score:
        """Convert a chance of winning to a lead in cells, given the present lead and the open cells."""
        chance = min(max(2.0 * estimate.result - 1.0, -SUREST_RETURN), SUREST_RETURN)
        amount = self.unit.half_return * chance / (1.0 - abs(chance))
        amount = min(max(amount, lead - cells), lead + cells)
        if estimate.is_won is not None:
            amount = max(amount, 1.0) if estimate.is_won else min(amount, -1.0)
        return Score.of(amount, self.unit)

    def _spare_edges(self, position: Position, seconds: float) -> float:
        """Return how many more safe edges a position could have so that proofs still take only `seconds`."""
        if len(open_cells(position)) > MAX_CELLS:
            return -math.inf
        safe = int(number_of(new_edge_set(position.words), SAFE))
        return PROVABLE_EDGES[self._dimension] + EDGES_PER_DOUBLING * math.log2(seconds) - safe

    def _new_seed(self) -> int:
        return int(self.random.integers(2**63))

    def _new_solver(self) -> Solver:
        return Solver(self.game, table=int(self.options[TABLE.name] or 0))

    def _best_moves(self, position: Position, moves: Sequence[Move], stop: Stop) -> dict[Move, Score]:
        """Return the first best move, or all best moves in a lost position, or none if time runs out."""
        try:
            (value,) = self._solver.values([position], stop=stop)
            is_lost = lead_of(position) + value < 0
            best = self._solver.best_moves(position, moves, value, count=0 if is_lost else 1, stop=stop)
        except (MatchError, PositionError):  # time ran out, or there are too many open cells
            return {}
        return dict.fromkeys(best, self._score(lead_of(position) + value))

    def _score(self, cells: int) -> Score:
        return Score.of(float(cells), self.unit)

    def _widest(self, position: Position) -> tuple[int, int]:
        """Return bounds on the final difference of cells that hold without any search."""
        lead, cells = lead_of(position), len(open_cells(position))
        return lead - cells, lead + cells

    def _bounds_of(
        self, position: Position, move: Move, *, stop: Stop | None = None, node_limit: int = 0
    ) -> tuple[int, int]:
        """Return bounds on the final difference of cells after a move, for the side that makes it."""
        after = position.apply(move)
        ((low, high),) = self._solver.bounds([after], stop=stop, node_limit=node_limit).tolist()
        lead = lead_of(position) + cells_taken(position, after)
        return (lead + low, lead + high) if keeps_turn(position, after) else (lead - high, lead - low)

    def _chances_of_errors(self, position: Position, moves: Sequence[Move]) -> list[float]:
        """Return, for each move, the probability that the opponent errs after it."""
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
        if lower < upper:
            return 0.0
        least = lead_of(position) + lower
        bounds = [self._bounds_of(position, reply, node_limit=TEST_NODES) for reply in replies]
        return float(sum(high < least for _, high in bounds) / len(replies))

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


def _best_bounds(bounds: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Return bounds on the score of a position, given bounds on the scores of its moves."""
    lows, highs = zip(*bounds, strict=True)
    return max(lows), max(highs)
