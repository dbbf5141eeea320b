"""Monte Carlo tree search: grow a tree of simulations until a limit is reached, and keep it for later."""

import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from boardgames.declarations import NO_EVALUATION, Evaluation, Facts
from boardgames.game import Position
from boardgames.kernels import Actions, Control, Reals, Words, new_control
from boardgames.player import Analysis, Context, Limit, MoveValue
from boardgames.score import RETURN, Score
from boardgames.search import leaves, nodes
from boardgames.search.kept_tree import Tree
from boardgames.search.mcts import simulate
from boardgames.search.reading import Found, line_of, ranked
from boardgames.search.runner import run

Prior = Literal["none", "order", "evaluation"]
PRIORS: tuple[Prior, ...] = ("none", "order", "evaluation")

DEEPEST = 500
"""Ply at which a tree ends: simulations go on from there, and nothing is added."""
REPORT_S = 0.2
FORCED_SIMULATIONS = 100
"""Simulations for a move that is the only one."""
LONGEST_LINE = 100
UNLIMITED = 2**62
MOST_THREADS = 64

SHARPNESS = 0.1
"""By how much better, in returns, the evaluation makes a move e times as likely a priori."""

PLAYED_OUT = -1
"""The cut-off of playouts that go on to the end."""
LONG_PLAYOUT = 200
"""Plies of a playout where neither the rules nor an evaluation set an end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How to search: what an agent's options say.

    Attributes
    ----------
    exploration : float
        Weight of what is not known against what is.
    prior : str or None
        What says which moves look good before they are tried; None for the
        evaluation, if the game has one.
    cutoff : int or None
        Plies of a playout after which the evaluation takes its place; None
        for playouts to the end, or for no playouts where the rules set none:
        random moves of a long match tell less than an evaluation.
    threads : int
        So many grow the tree at once.
    """

    exploration: float = 1.0
    prior: Prior | None = None
    cutoff: int | None = None
    threads: int = 1

    def settled(self, facts: Facts, evaluation: Evaluation) -> "Style":
        """Return the same with what is None decided for a game.

        Examples
        --------
        >>> import boardgames
        >>> game = boardgames.load("abalone")
        >>> Style(threads=2).settled(game.facts, game.evaluation)
        Style(exploration=1.0, prior='evaluation', cutoff=0, threads=2)
        """
        has_evaluation = evaluation.kernel is not NO_EVALUATION.kernel
        prior: Prior = "evaluation" if has_evaluation else "none"
        cutoff = 0 if has_evaluation else LONG_PLAYOUT
        if facts.longest_match is not None:
            cutoff = PLAYED_OUT
        return replace(
            self,
            prior=prior if self.prior is None else self.prior,
            cutoff=cutoff if self.cutoff is None else self.cutoff,
        )

    def uses_evaluation(self) -> bool:
        """Say whether an evaluation matters to a style that is settled."""
        return self.prior == "evaluation" or self.cutoff != PLAYED_OUT


def grow(
    tree: Tree,
    position: Position,
    evaluation: Evaluation,
    style: Style,
    limit: Limit,
    context: Context,
    *,
    seeds: Words,
    all_moves: bool = False,
) -> Analysis:
    """Return what is known of the root moves when the limit is reached.

    Parameters
    ----------
    tree : Tree
        Goes on from what is in it, if `context.history` leads there.
    position : Position
        Not finished.
    evaluation : Evaluation
        Of positions at the cut-off of playouts, and for a prior.
    limit : Limit
        Time, simulations and nodes end the search; leaves at `depth` stay
        leaves. With one thread simulations are exact, and the last one that
        the nodes allow is finished.
    context : Context
        Its `stop` ends the search; its `report` hears five times a second.
    seeds : uint64[threads]
        One random generator a thread.
    all_moves : bool
        Go on until every move is proven, not only the best.

    Raises
    ------
    KeyboardInterrupt
        When the user interrupts; the kernels have ended by then.
    """
    control = new_control()
    work = _Growing(tree, position, evaluation, style, limit, context, control, seeds, all_moves)
    budget = limit.budget(position.side_to_move)
    return run(work.go, control, seconds=budget, stop=context.stop)


class _Growing:
    """The buffers and threads of one search."""

    def __init__(
        self,
        tree: Tree,
        position: Position,
        evaluation: Evaluation,
        style: Style,
        limit: Limit,
        context: Context,
        control: Control,
        seeds: Words,
        all_moves: bool,
    ) -> None:
        self.tree, self.position, self.evaluation = tree, position, evaluation
        self.style = style.settled(position.game.facts, evaluation)
        self.limit, self.context, self.control, self.seeds = limit, context, control, seeds
        self.all_moves = all_moves
        self.started = time.perf_counter()
        self.settings, self.scales = self._settings(), self._scales()
        self.tallies = self._tallies()

    def go(self) -> Analysis:
        """Let the threads simulate until a limit is reached or all is proven."""
        self.words = self.tree.grown_from(self.position, self.context.history)
        with ThreadPoolExecutor(self.style.threads, "boardgames-simulations") as pool:
            working = [pool.submit(self._simulate, index) for index in range(self.style.threads)]
            try:
                while wait(working, REPORT_S).not_done:
                    self._report()
            finally:
                self.control[0].stop = 1  # the threads end even if a listener raised
        for work in working:
            work.result()
        self._report()
        return self._analysis()

    def _simulate(self, index: int) -> None:
        facts, kernels = self.position.game.facts, self.position.game.kernels
        positions = np.zeros((4, facts.words), dtype=np.uint64)
        positions[0] = self.position.words
        simulate(
            kernels.legal_moves,
            kernels.apply,
            kernels.side_to_move,
            kernels.outcome,
            kernels.move_order,
            self.evaluation.kernel,
            self.evaluation.weights,
            self.words,
            positions,
            np.zeros((1, facts.actions), dtype=np.int64),
            np.zeros(2 * facts.actions),
            np.zeros(DEEPEST + 2, dtype=np.int64),
            self.seeds[index : index + 1].copy(),
            self.settings,
            self.scales,
            self.tallies[index],
            self.control,
        )

    def _settings(self) -> Actions:
        facts, style = self.position.game.facts, self.style
        settings = np.zeros(leaves.SETTINGS, dtype=np.int64)
        settings[leaves.NO_MOVES_DRAWS] = facts.no_moves_draws
        settings[leaves.ALL_MOVES] = self.all_moves
        settings[leaves.SHARED] = style.threads > 1
        settings[leaves.CUTOFF] = PLAYED_OUT if style.cutoff is None else style.cutoff
        settings[leaves.PRIOR] = PRIORS.index(style.prior or "none")
        settings[leaves.DEEPEST] = min(self.limit.depth or DEEPEST, DEEPEST)
        return settings

    def _scales(self) -> Reals:
        scales = np.zeros(leaves.SCALES)
        scales[leaves.EXPLORATION] = self.style.exploration
        unit, scale = self.evaluation.unit, self.evaluation.scale
        scales[leaves.SCALE] = 0.0 if unit.is_return else unit.half_return * scale
        scales[leaves.SHARPNESS] = SHARPNESS
        return scales

    def _tallies(self) -> list[Actions]:
        """Return what each thread counts, with its share of the limits."""
        simulations, count = self.limit.simulations or UNLIMITED, self.style.threads
        if len(self.position.actions) == 1 and not self.all_moves:
            simulations = min(simulations, FORCED_SIMULATIONS)
        tallies = []
        for index in range(count):
            tally = np.zeros(leaves.TALLY, dtype=np.int64)
            tally[leaves.SIMULATION_LIMIT] = (simulations + count - 1 - index) // count
            tally[leaves.NODE_LIMIT] = ((self.limit.nodes or UNLIMITED) + count - 1 - index) // count
            tallies.append(tally)
        return tallies

    def _report(self) -> None:
        if self.context.report is not None:
            self.context.report(self._analysis().choice())

    def _analysis(self) -> Analysis:
        best_first = ranked(self.words, nodes.ROOT)
        shown = len(best_first) if self.all_moves else 1
        moves = tuple(self._move_value(found) for found in best_first[:shown])
        return Analysis(
            position=self.position,
            score=moves[0].score,
            unit=RETURN,
            proven=bool(self.words[nodes.ROOT + nodes.FACTS] & nodes.PROOF_MASK),
            moves=moves,
            depth=len(moves[0].line),
            nodes=sum(int(tally[leaves.NODES]) for tally in self.tallies),
            seconds=time.perf_counter() - self.started,
            simulations=sum(int(tally[leaves.SIMULATIONS]) for tally in self.tallies),
        )

    def _move_value(self, found: Found) -> MoveValue:
        line, position = [], self.position
        for action in line_of(self.words, found, longest=LONGEST_LINE):
            line.append(position.game.decode(position, action))
            position = position.apply(line[-1])
        return MoveValue(line[0], Score.of(found.value, RETURN), found.is_proven, tuple(line))
