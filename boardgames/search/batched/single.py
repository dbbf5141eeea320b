"""A search of one position with a network, for agents: it keeps limits and reports the values of moves."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boardgames.declarations import NO_REPETITION, Repetition
from boardgames.errors import MatchError
from boardgames.game import Game, Position
from boardgames.kernels import Words
from boardgames.player import NO_CONTEXT, Analysis, Context, Limit, MoveValue
from boardgames.score import RETURN, Score
from boardgames.search.batched.options import BatchSearchOptions
from boardgames.search.batched.searcher import BatchSearch, EdgeValue, Evaluator
from boardgames.search.results import MAX_LINE_LENGTH, decode_line
from boardgames.search.rules import UNLIMITED, plies_left_of

REPORT_S = 0.2
MEMORY = 256
"""Default size of a tree in megabytes."""
ROOM = 512
"""Minimum number of plies below the root whose positions a search remembers, to recognise repetitions."""
FORCED_SIMULATIONS = 32
"""Maximum number of simulations if there is only one legal move."""


class SingleSearch:
    """Searches positions one after another.

    Parameters
    ----------
    game : Game
        The game.
    evaluator : callable
        See `Evaluator`.
    options : BatchSearchOptions
        Options of the searches.
    memory : int
        Megabytes that the tree may use; when it is full, the search ends.
    """

    def __init__(
        self, game: Game, evaluator: Evaluator, options: BatchSearchOptions, *, memory: int = MEMORY
    ) -> None:
        self.game, self.evaluator, self.options, self.memory = game, evaluator, options, memory
        self._search: BatchSearch | None = None
        self._rule, self._room = NO_REPETITION, 0

    def search(
        self, position: Position, limit: Limit, context: Context, *, all_moves: bool = False
    ) -> Analysis:
        """Search until a limit is reached and return the best move, or all moves, best first.

        Parameters
        ----------
        position : Position
            An unfinished position.
        limit : Limit
            Time, simulations and nodes end the search; a simulation counts as a node.
        context : Context
            Its `stop` ends the search; its `report` is called five times a second.

        Raises
        ------
        MatchError
            If repetition forbids every move.
        """
        budget = limit.budget(position.side_to_move)
        simulations = min(limit.simulations or UNLIMITED, limit.nodes or UNLIMITED)
        actions = context.legal_actions(position)
        if not actions:
            raise MatchError("the match is over: repetition forbids every move")
        if len(actions) == 1 and not all_moves:
            simulations = min(simulations, FORCED_SIMULATIONS)
        search = self._for(context.repetition_in(self.game), len(context.history))
        begun = reported = time.perf_counter()

        def is_over() -> bool:
            is_late = budget is not None and time.perf_counter() - begun >= budget
            return is_late or (context.stop is not None and context.stop.is_set())

        search.start(
            _packed(search, position, context.history),
            simulations=simulations,
            plies_left=plies_left_of(self.game, context, UNLIMITED),
        )
        while (leaves := search.leaves(is_over)) is not None:
            search.update(*self.evaluator(*leaves))
            if is_over():
                break
            now = time.perf_counter()
            if context.report is not None and now - reported >= REPORT_S:
                context.report(self._analysis(search, position, begun, all_moves=False).choice())
                reported = now
        analysis = self._analysis(search, position, begun, all_moves=all_moves)
        if context.report is not None:
            context.report(analysis.choice())
        return analysis

    def prepare(self) -> None:
        """Allocate memory and load compiled code now, so that this takes no time from the first search."""
        self._for(NO_CONTEXT.repetition_in(self.game), plies=0)

    def release(self) -> None:
        """Free the memory; the next search allocates it again."""
        self._search = None

    def _for(self, rule: Repetition, plies: int) -> BatchSearch:
        """Return a search for this rule about repetition in a match that has lasted `plies` plies."""
        if self._search is None or rule != self._rule or plies + ROOM > self._room:
            self._rule, self._room = rule, 2 * (plies + ROOM)
            self._search = BatchSearch(
                self.game,
                1,
                options=self.options,
                ply_limit=self._room,
                repetition=rule,
                memory=self.memory,
                threads=1,
            )
            self._run_once(self._search)
        return self._search

    def _run_once(self, search: BatchSearch) -> None:
        """Run one simulation, so that compiling or loading the code takes no time from a search."""
        search.start(_packed(search, self.game.start(), ()), simulations=1)
        while (leaves := search.leaves()) is not None:
            search.update(*self.evaluator(*leaves))
        search.found()

    def _analysis(
        self, search: BatchSearch, position: Position, begun: float, *, all_moves: bool
    ) -> Analysis:
        network_value = search.root_values()[0]
        found = search.found()
        best = int(found.actions[0])
        known = search.edges(0)
        edges = sorted(
            self._evaluated(position, known) if all_moves else known,
            key=lambda edge: (edge.action == best, edge.rank, edge.value),
            reverse=True,
        )
        moves = tuple(self._move_value(search, position, edge) for edge in edges[: None if all_moves else 1])
        simulations = int(search.simulations[0])
        return Analysis(
            position=position,
            score=moves[0].score,
            unit=RETURN,
            proven=int(found.results[0]) >= 0,
            moves=moves,
            depth=len(moves[0].line),
            nodes=simulations,
            seconds=time.perf_counter() - begun,
            simulations=simulations,
            network_value=None if np.isnan(network_value) else Score.of(float(network_value), RETURN),
        )

    def _evaluated(self, position: Position, edges: Sequence[EdgeValue]) -> list[EdgeValue]:
        """Return the moves; those without simulations have the value that the evaluator gives them."""
        unknown = [edge.action for edge in edges if not (edge.visits or edge.is_proven)]
        after = {action: position.apply_action(action) for action in unknown}
        after = {action: one for action, one in after.items() if one.outcome is None}
        if not after:
            return list(edges)
        observations = np.stack([one.observation() for one in after.values()])
        masks = np.stack([one.action_mask() for one in after.values()])
        returns = np.asarray(self.evaluator(observations, masks)[1]).tolist()
        values = {
            action: value if one.side_to_move == position.side_to_move else -value
            for (action, one), value in zip(after.items(), returns, strict=True)
        }
        return [replace(edge, value=values.get(edge.action, edge.value)) for edge in edges]

    def _move_value(self, search: BatchSearch, position: Position, edge: EdgeValue) -> MoveValue:
        actions, following = [edge.action], edge
        while len(actions) < MAX_LINE_LENGTH and following.node:
            replies = [one for one in search.edges(0, following.node) if one.visits]
            if not replies:
                break
            following = max(replies, key=lambda one: one.rank)
            actions.append(following.action)
        line = decode_line(position, tuple(actions))
        score = Score.of(edge.value, RETURN)
        return MoveValue(line[0], score, edge.is_proven, line, visits=edge.visits, prior=edge.prior)


def _packed(search: BatchSearch, position: Position, history: Sequence[Position]) -> Words:
    """Return a position in the form that the search expects, `uint64[1, words]`."""
    rules = search.rules
    return np.array([position.words if rules is None else rules.pack(position, history)])
