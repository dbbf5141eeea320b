"""The options of Monte Carlo tree search, and the workspace of its kernels."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.declarations import NO_EVALUATION, Evaluation, Facts
from boardgames.game import Game
from boardgames.kernels import Actions, Control, Evaluate, MoveOrder, Reals, Words
from boardgames.kernels.abi import (
    ACTIONS_OUT,
    ACTIONS_STACK,
    REALS,
    REALS_OUT,
    WORDS_OUT,
    WORDS_STACK,
    ApplyKernel,
    LegalMovesKernel,
    OutcomeKernel,
    SideToMoveKernel,
    record_array,
)
from boardgames.kernels.bundles import unpacker
from boardgames.kernels.control import CONTROL
from boardgames.search.rules import UNLIMITED

Prior = Literal["none", "order", "evaluation"]
PRIORS: tuple[Prior, ...] = ("none", "order", "evaluation")
NO_PRIOR, ORDER_PRIOR, EVALUATION_PRIOR = range(len(PRIORS))

MAX_TREE_DEPTH = 500
"""Leaves at this depth are never expanded."""
MAX_THREADS = 64

NO_CUTOFF = -1
"""Value of `cutoff` with which playouts run to the end of the match."""
LONG_PLAYOUT = 200
"""The default cutoff of games that have no evaluation and whose rules do not limit a match."""

PRIOR_TEMPERATURE = 0.1
"""Temperature of the softmax that turns evaluations of moves, as returns, into priors."""

OPTIONS_DTYPE = np.dtype(
    [
        ("no_moves_draws", np.int64),
        ("all_moves", np.int64),
        ("shared", np.int64),
        ("cutoff", np.int64),
        ("prior", np.int64),
        ("max_depth", np.int64),
        ("plies_left", np.int64),
        ("exploration", np.float64),
        ("half_return", np.float64),
        ("prior_temperature", np.float64),
    ],
    align=True,
)
"""How to search a position. Flags are 0 or 1.

no_moves_draws : as declared by the game
all_moves : search until every root move is proven, not only the best one
shared : several threads work on the tree
cutoff : plies after which a playout is evaluated, or `NO_CUTOFF`
prior : `NO_PRIOR`, `ORDER_PRIOR` or `EVALUATION_PRIOR`
max_depth : leaves at this depth are not expanded
plies_left : plies from the root after which a limit ends the match; `UNLIMITED` if no limit matters
exploration : weight of the exploration term
half_return : the evaluation that counts as a return of one half; 0 if evaluations are returns
prior_temperature : `PRIOR_TEMPERATURE`
"""

OPTIONS = record_array(OPTIONS_DTYPE, readonly=True)
Options = npt.NDArray[Any]  # one record of OPTIONS_DTYPE: NumPy cannot annotate its fields

COUNTERS_DTYPE = np.dtype(
    [
        ("simulations", np.int64),
        ("simulation_limit", np.int64),
        ("nodes", np.int64),
        ("node_limit", np.int64),
        ("unused", np.int64, 4),
    ],
    align=True,
)
"""Counters of one thread, and its share of the limits, padded so that threads share no cache line."""

COUNTERS = record_array(COUNTERS_DTYPE)
Counters = npt.NDArray[Any]  # one record of COUNTERS_DTYPE: NumPy cannot annotate its fields


class MctsWorkspace(NamedTuple):
    """Kernels and arrays of a tree search, for one thread.

    Attributes
    ----------
    legal_moves, apply, side_to_move, outcome, outcome_at_limit, move_order : kernels
        The kernels of the game.
    evaluate, weights : kernel and float64[n]
        The evaluation.
    tree : int64[4 n]
        See `tree`; the threads share it.
    positions : uint64[4, words]
        The root, two rows that alternate for the positions below it, and one row to look
        one ply ahead.
    moves : int64[1, actions]
        The legal moves of a leaf or in a playout.
    priors : float64[2 actions]
        The values of a leaf's moves, then their priors before scaling.
    path : int64[MAX_TREE_DEPTH + 2]
        The nodes of the current simulation.
    random_state : uint64[1]
        State of the random generator.
    options, counters, control : one record each
        The search options; the counters of this thread; the stop flag, which the
        threads share.
    """

    legal_moves: LegalMovesKernel
    apply: ApplyKernel
    side_to_move: SideToMoveKernel
    outcome: OutcomeKernel
    outcome_at_limit: OutcomeKernel
    move_order: Annotated[Callable[[Words, int], int], MoveOrder]
    evaluate: Annotated[Callable[[Words, Reals], float], Evaluate]
    weights: Annotated[Reals, REALS]
    tree: Annotated[Actions, ACTIONS_OUT]
    positions: Annotated[Words, WORDS_STACK]
    moves: Annotated[Actions, ACTIONS_STACK]
    priors: Annotated[Reals, REALS_OUT]
    path: Annotated[Actions, ACTIONS_OUT]
    random_state: Annotated[Words, WORDS_OUT]
    options: Annotated[Options, OPTIONS]
    counters: Annotated[Counters, COUNTERS]
    control: Annotated[Control, CONTROL]


unpack = unpacker(MctsWorkspace)


@dataclass(frozen=True, slots=True, kw_only=True)
class MctsOptions:
    """The options of a Monte Carlo tree search.

    Attributes
    ----------
    exploration : float
        Weight of the exploration term of PUCT and UCB1.
    prior : str or None
        Where the priors of moves come from: `order` for the game's move order,
        `evaluation` for a softmax of their evaluations, or `none` for UCB1 instead of
        PUCT. By default `evaluation` if the game has one, otherwise `none`.
    cutoff : int or None
        Plies after which a playout ends and its position is evaluated. By default, playouts
        run to the end of the match if the rules limit its length. Otherwise leaves are
        evaluated without a playout, since the random moves of a long match say less than an
        evaluation; without an evaluation, playouts end after `LONG_PLAYOUT` plies.
    memory : int
        Size of the tree in MB.
    threads : int
        Number of threads that work on the same tree.
    """

    exploration: float = 1.0
    prior: Prior | None = None
    cutoff: int | None = None
    memory: int = 64
    threads: int = 1

    def resolved(self, facts: Facts, evaluation: Evaluation) -> "MctsOptions":
        """Return the options with the game's defaults for `prior` and `cutoff` filled in.

        Examples
        --------
        >>> import boardgames
        >>> game = boardgames.load("abalone")
        >>> options = MctsOptions().resolved(game.facts, game.evaluation)
        >>> options.prior, options.cutoff
        ('evaluation', 0)
        """
        has_evaluation = evaluation.kernel is not NO_EVALUATION.kernel
        prior: Prior = "evaluation" if has_evaluation else "none"
        cutoff = 0 if has_evaluation else LONG_PLAYOUT
        if facts.longest_match is not None:
            cutoff = NO_CUTOFF
        return replace(
            self,
            prior=prior if self.prior is None else self.prior,
            cutoff=cutoff if self.cutoff is None else self.cutoff,
        )

    def uses_evaluation(self, facts: Facts, evaluation: Evaluation) -> bool:
        """Return True if the search of a game depends on the evaluation."""
        resolved = self.resolved(facts, evaluation)
        return resolved.prior == "evaluation" or resolved.cutoff != NO_CUTOFF

    def record(self, game: Game, evaluation: Evaluation) -> Options:
        """Return the options record for a game, with defaults in the fields that each search sets."""
        resolved = self.resolved(game.facts, evaluation)
        assert resolved.prior is not None
        record: Options = np.zeros(1, dtype=OPTIONS_DTYPE).view(np.recarray)
        here = record[0]
        here.no_moves_draws, here.shared = game.facts.no_moves_draws, self.threads > 1
        here.prior, here.cutoff = PRIORS.index(resolved.prior), resolved.cutoff
        here.max_depth, here.plies_left = MAX_TREE_DEPTH, UNLIMITED
        here.exploration, here.prior_temperature = self.exploration, PRIOR_TEMPERATURE
        if not evaluation.unit.is_return:
            here.half_return = evaluation.unit.half_return * evaluation.scale
        return record
