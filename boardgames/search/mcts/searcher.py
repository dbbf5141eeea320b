"""Searcher: runs simulations within limits, on one or more threads, in a tree that is kept between moves.

With a single thread and a limit of simulations or nodes, equal seeds give equal
results.
"""

import time
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from boardgames.declarations import NO_REPETITION, Evaluation
from boardgames.errors import MatchError
from boardgames.game import Game, Position
from boardgames.kernels import Words, new_control
from boardgames.kernels.bundles import Bundle
from boardgames.player import NO_CONTEXT, Analysis, Context, Limit, MoveValue
from boardgames.score import RETURN, Score
from boardgames.search.mcts.options import (
    COUNTERS_DTYPE,
    MAX_TREE_DEPTH,
    NO_PRIOR,
    MctsOptions,
    MctsWorkspace,
)
from boardgames.search.mcts.simulate import simulate
from boardgames.search.mcts.tree import (
    NO_PROOF,
    ROOT,
    MoveStatistics,
    Tree,
    child_count,
    principal_variation,
    proof_of,
    ranked_moves,
)
from boardgames.search.remembering import Remembering, remembering
from boardgames.search.results import MAX_LINE_LENGTH, decode_line
from boardgames.search.rules import UNLIMITED, plies_left_of, rules_of
from boardgames.search.runner import run

REPORT_S = 0.2
FORCED_SIMULATIONS = 100
"""Maximum number of simulations if there is only one legal move."""


class Searcher:
    """Searches the positions of a match one after another and keeps the tree between them.

    Parameters
    ----------
    game : Game
        The game.
    evaluation : Evaluation
        Evaluates playouts at the cutoff, and moves to set their priors.
    options : MctsOptions
        The options of the search.

    Raises
    ------
    OptionError
        If the tree does not fit into memory.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> searcher = Searcher(game, game.evaluation, MctsOptions(memory=1))
    >>> seeds = np.ones(1, dtype=np.uint64)
    >>> analysis = searcher.search(game.parse("112233"), Limit(simulations=100), NO_CONTEXT, seeds=seeds)
    >>> str(analysis.moves[0].move), analysis.score.amount, analysis.proven
    ('4', 1.0, True)
    """

    def __init__(self, game: Game, evaluation: Evaluation, options: MctsOptions) -> None:
        self.game, self.evaluation, self.options = game, evaluation, options
        self.tree = Tree(options.memory)
        self.record = options.record(game, evaluation)
        self.control = new_control()
        self.rules: Remembering | None = None  # if repeated positions mean something
        self._rule, self._path = NO_REPETITION, tuple[Position, ...]()
        self._end = UNLIMITED  # the ply at which a limit ends the match
        self._threads: list[SearchThread] = []

    def search(
        self,
        position: Position,
        limit: Limit,
        context: Context,
        *,
        seeds: Words,
        all_moves: bool = False,
    ) -> Analysis:
        """Search until a limit is reached and return the best move, or all moves.

        A time limit begins after `prepare`.

        Parameters
        ----------
        position : Position
            An unfinished position. If `context.history` leads to it from the
            position of the last search, the subtree below it is kept.
        limit : Limit
            Time, simulations and nodes end the search; leaves at `depth` are not
            expanded. The simulation that reaches the node limit is finished.
            With several threads, the node limit is not exact.
        context : Context
            Its `stop` ends the search; its `report` is called five times a second.
        seeds : uint64[threads]
            The seed of each thread's random generator.
        all_moves : bool
            Search until every move is proven, not only the best one, and return all moves.

        Raises
        ------
        OptionError
            If the tree does not fit into memory.
        MatchError
            If repetition forbids every move.
        KeyboardInterrupt
            When the user interrupts; the kernels have ended by then.
        """
        budget = limit.budget(position.side_to_move)
        if budget is not None:
            self.prepare()
        self.control[0].stop = 0
        search = _Search(self, position, limit, context, seeds, all_moves=all_moves)
        return run(search.run, self.control, seconds=budget, stop=context.stop)

    def prepare(self) -> None:
        """Allocate memory and load compiled code now, so that this does not take time from the first search.

        Raises
        ------
        OptionError
            If the tree does not fit into memory.
        """
        if not self._threads:
            seeds = np.zeros(self.options.threads, dtype=np.uint64)
            self.search(self.game.start(), Limit(simulations=1), NO_CONTEXT, seeds=seeds)
            self.forget()

    def forget(self) -> None:
        """Forget the tree, so that later searches do not depend on earlier ones."""
        self.tree.forget()

    def release(self) -> None:
        """Free the memory; the next search allocates it again."""
        self.tree.release()
        self._threads = []

    def _set_rule(self, position: Position, context: Context) -> None:
        """Switch to kernels that know the repetition rule of the match.

        The tree is forgotten if it was built with another rule, or if the rule matters and the positions
        before the root are not those of the match.
        """
        rule, path = context.repetition_in(self.game), (*context.history, position)
        needed = len(path) + MAX_TREE_DEPTH + max(int(self.record[0].cutoff), 0)
        if rule != self._rule or (self.rules is not None and self.rules.room < needed):
            self._threads = []
            self.rules = None if rule.meaning == "none" else remembering(self.game, rule, needed)
        if rule.meaning != "none" or rule != self._rule:
            before, root = self._path, self._path[-1:]
            if rule != self._rule or path[: len(before)] != before or root[0] in path[len(before) :]:
                self.tree.forget()
        self._rule, self._path = rule, path if rule.meaning != "none" else ()

    def start_threads(
        self, position: Position, limit: Limit, context: Context, seeds: Words, *, all_moves: bool
    ) -> "list[SearchThread]":
        """Return the threads, ready to search a position; the parameters are those of `search`."""
        actions = context.legal_actions(position)
        if not actions:
            raise MatchError("the match is over: repetition forbids every move")
        self._set_rule(position, context)
        here, plies_left = self.record[0], plies_left_of(self.game, context, UNLIMITED)
        end = min(len(context.history) + plies_left, UNLIMITED)
        if end != self._end:  # proofs and values below the old root may depend on the limit
            self.tree.forget()
        self._end, here.plies_left = end, plies_left
        self.tree.set_root(position, context.history)
        here.all_moves, here.max_depth = all_moves, min(limit.depth or MAX_TREE_DEPTH, MAX_TREE_DEPTH)
        if not self._threads:
            self._threads = [SearchThread(self) for _ in range(self.options.threads)]
        simulation_limit, node_limit = limit.simulations or UNLIMITED, limit.nodes or UNLIMITED
        if len(actions) == 1 and not all_moves:
            simulation_limit = min(simulation_limit, FORCED_SIMULATIONS)
        words = position.words if self.rules is None else self.rules.pack(position, context.history)
        count = len(self._threads)
        for index, thread in enumerate(self._threads):
            shares = [(total + count - 1 - index) // count for total in (simulation_limit, node_limit)]
            thread.start(words, seeds[index], *shares)
        return self._threads


class SearchThread:
    """One thread's workspace, which is kept from search to search because building a bundle is slow."""

    def __init__(self, searcher: Searcher) -> None:
        game, evaluation = searcher.game, searcher.evaluation
        if searcher.rules is not None:
            game, evaluation = searcher.rules.game, searcher.rules.evaluation(evaluation)
        facts = game.facts
        self.workspace = MctsWorkspace(
            **rules_of(game),
            move_order=game.kernels.move_order,
            evaluate=evaluation.kernel,
            weights=evaluation.argument,
            tree=searcher.tree.words,
            positions=np.zeros((4, facts.words), dtype=np.uint64),
            moves=np.zeros((2, facts.actions), dtype=np.int64),
            priors=np.zeros(2 * facts.actions),
            path=np.zeros(MAX_TREE_DEPTH + 2, dtype=np.int64),
            random_state=np.zeros(1, dtype=np.uint64),
            options=searcher.record,
            counters=np.zeros(1, dtype=COUNTERS_DTYPE).view(np.recarray),
            control=searcher.control,
        )
        self.bundle = Bundle(self.workspace)

    @property
    def simulations(self) -> int:
        """Return the number of simulations since `start`."""
        return int(self.workspace.counters[0].simulations)

    @property
    def nodes(self) -> int:
        """Return the number of positions visited since `start`."""
        return int(self.workspace.counters[0].nodes)

    def start(self, root: Words, seed: np.uint64, simulation_limit: int, node_limit: int) -> None:
        """Set the root, seed and limits, and set the counters to 0."""
        self.workspace.positions[0] = root
        self.workspace.random_state[0] = seed
        counters = self.workspace.counters[0]
        counters.simulations, counters.simulation_limit = 0, simulation_limit
        counters.nodes, counters.node_limit = 0, node_limit

    def simulate(self) -> None:
        """Run simulations until a limit is reached, the search is stopped or the position is solved."""
        simulate(self.bundle.words)


class _Search:
    """One search of one position."""

    def __init__(
        self,
        searcher: Searcher,
        position: Position,
        limit: Limit,
        context: Context,
        seeds: Words,
        *,
        all_moves: bool,
    ) -> None:
        self.searcher, self.position, self.limit, self.context = searcher, position, limit, context
        self.seeds, self.all_moves = seeds, all_moves
        self.started = time.perf_counter()
        self.threads: list[SearchThread] = []

    def run(self) -> Analysis:
        """Run simulations on all threads until a limit is reached or the position is solved."""
        self.threads = self.searcher.start_threads(
            self.position, self.limit, self.context, self.seeds, all_moves=self.all_moves
        )
        with ThreadPoolExecutor(len(self.threads), "boardgames-simulations") as pool:
            futures = [pool.submit(thread.simulate) for thread in self.threads]
            try:
                while wait(futures, REPORT_S).not_done:
                    self._report()
            finally:
                self.searcher.control[0].stop = 1  # the threads must end even if a listener has raised
        for future in futures:
            future.result()
        self._report()
        return self._analysis()

    def _report(self) -> None:
        has_moves = child_count(self.searcher.tree.words, ROOT) > 0
        if self.context.report is not None and has_moves:  # the first simulation may not have begun yet
            self.context.report(self._analysis().choice())

    def _analysis(self) -> Analysis:
        words = self.searcher.tree.words
        best_first = ranked_moves(words, ROOT)
        shown = len(best_first) if self.all_moves else 1
        moves = tuple(self._move_value(move) for move in best_first[:shown])
        return Analysis(
            position=self.position,
            score=moves[0].score,
            unit=RETURN,
            proven=proof_of(words, ROOT) != NO_PROOF,
            moves=moves,
            depth=len(moves[0].line),
            nodes=sum(thread.nodes for thread in self.threads),
            seconds=time.perf_counter() - self.started,
            simulations=sum(thread.simulations for thread in self.threads),
        )

    def _move_value(self, move: MoveStatistics) -> MoveValue:
        actions = principal_variation(self.searcher.tree.words, move, longest=MAX_LINE_LENGTH)
        line = decode_line(self.position, actions)
        prior = None if self.searcher.record[0].prior == NO_PRIOR else move.prior
        score = Score.of(move.value, RETURN)
        return MoveValue(line[0], score, move.proven, line, visits=move.visits, prior=prior)
