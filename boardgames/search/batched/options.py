"""The options of the batched search, and the workspace of its kernels."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from boardgames.errors import OptionError, quote
from boardgames.kernels import Actions, Bytes, Observe, Reals, Words, types
from boardgames.kernels.abi import (
    ACTIONS_OUT,
    ACTIONS_STACK,
    BYTES_STACK,
    FLOATS_STACK,
    REALS_STACK,
    WORDS_STACK,
    ApplyKernel,
    Floats,
    LegalMovesKernel,
    OutcomeKernel,
    SideToMoveKernel,
    record_array,
)
from boardgames.kernels.bundles import unpacker
from boardgames.options import is_finite

Root = Literal["gumbel", "noise", "plain"]
ROOTS: tuple[Root, ...] = get_args(Root)
GUMBEL_ROOT, NOISE_ROOT, PLAIN_ROOT = range(len(ROOTS))

MAX_DEPTH = 512
"""Nodes at this depth keep the network's value; the search does not descend below them."""
MAX_LEAVES = 64
MAX_CONSIDERED = 1024

Integers = npt.NDArray[np.int32]
INTEGERS_STACK = types.Array(types.int32, 2, "C")

OPTIONS_DTYPE = np.dtype(
    [
        ("no_moves_draws", np.int64),
        ("root", np.int64),
        ("considered", np.int64),
        ("leaves", np.int64),
        ("exploration", np.float64),
        ("first_play_reduction", np.float64),
        ("noise_share", np.float64),
        ("noise_total", np.float64),
        ("forced", np.float64),
        ("value_offset", np.float64),
        ("value_scale", np.float64),
    ],
    align=True,
)
OPTIONS = record_array(OPTIONS_DTYPE, readonly=True)
Options = npt.NDArray[Any]  # one record of OPTIONS_DTYPE: NumPy cannot annotate its fields


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchSearchOptions:
    """The options of a batched search.

    Attributes
    ----------
    root : str
        How moves of the root are chosen for simulations: `gumbel` samples moves without replacement and
        divides the simulations among them by sequential halving; `noise` is PUCT with Dirichlet noise in
        the priors; `plain` is PUCT without noise.
    considered : int
        Number of moves that a Gumbel root samples, 2 to 1024.
    leaves : int
        Maximum number of leaves of a tree that wait for evaluations at the same time, 1 to 64. Virtual
        losses keep them apart. More leaves give larger batches if there are few trees, but make the
        search weaker.
    exploration : float
        Weight of the exploration term of PUCT.
    first_play_reduction : float
        A move without visits is valued lower than its parent by this factor times the square root of the
        total prior of its siblings with visits.
    noise_share, noise_total : float
        Share of Dirichlet noise in the priors of the root, and sum of the parameters of its distribution,
        which are equal for all legal moves.
    forced : float
        Forced playouts: with noise, a move of the root with prior p gets at least sqrt(forced p n) of n
        simulations, which are then pruned from the policy. 0 turns both off.
    value_offset, value_scale : float
        How much the values of moves count at a Gumbel root, compared with the logarithms of their priors:
        a difference d in the probability of winning counts as `value_scale` (`value_offset` + v) d, where
        v is the largest number of visits of a move.

    Raises
    ------
    OptionError
        If a value is out of range.
    """

    root: Root = "gumbel"
    considered: int = 16
    leaves: int = 1
    exploration: float = 1.25
    first_play_reduction: float = 0.25
    noise_share: float = 0.25
    noise_total: float = 10.0
    forced: float = 2.0
    value_offset: float = 50.0
    value_scale: float = 0.2

    def __post_init__(self) -> None:
        if self.root not in ROOTS:
            raise OptionError(f"root must be {', '.join(ROOTS[:-1])} or {ROOTS[-1]}, not {quote(self.root)}")
        for name, least, most in (("considered", 2, MAX_CONSIDERED), ("leaves", 1, MAX_LEAVES)):
            value = getattr(self, name)
            if not (type(value) is int and least <= value <= most):
                raise OptionError(f"{name} must be {least} to {most}, not {quote(value)}")
        for name in OPTIONS_DTYPE.names or ():
            if OPTIONS_DTYPE[name] == np.float64 and not (
                is_finite(getattr(self, name)) and getattr(self, name) >= 0
            ):
                raise OptionError(f"{name} must be at least 0, not {quote(getattr(self, name))}")
        if self.noise_share > 1:
            raise OptionError(f"noise_share must be 0 to 1, not {quote(self.noise_share)}")

    def record(self, *, no_moves_draws: bool) -> Options:
        """Return the options as a record for the kernels."""
        numbers = {name: getattr(self, name) for name in OPTIONS_DTYPE.names or () if hasattr(self, name)}
        numbers |= {"no_moves_draws": no_moves_draws, "root": ROOTS.index(self.root)}
        row = tuple(numbers[name] for name in OPTIONS_DTYPE.names or ())
        return np.array([row], dtype=OPTIONS_DTYPE).view(np.recarray)


class BatchSearchWorkspace(NamedTuple):
    """Kernels and arrays of a search with n trees, each with up to k leaves that wait for evaluations.

    A tree has nodes and edges, which are rows of these arrays. Node 0 is the root, and the edges of a
    node are next to each other, in the order of its actions. Values and totals are for side 0, whichever
    side moves, because a side may move twice in a row.

    Attributes
    ----------
    legal_moves, apply, side_to_move, outcome, outcome_at_limit, observe : kernels
        The rules, and what networks see.
    roots, leaves : uint64[n, words], uint64[n k, words]
        The positions of the roots and of the leaves that wait.
    positions : uint64[3 n, words]
        For each tree, two rows that alternate for the positions of a descent, and one row to look ahead.
    moves : int64[n, actions]
        The legal moves of a leaf.
    plies_left : int64[n]
        Plies from the root after which a limit ends the match.
    budgets, done, waiting : int64[n]
        Number of simulations that a tree gets, that are done, and that wait for evaluations.
    noisy : int64[n]
        0 for the trees whose root gets no Dirichlet noise and no forced playouts.
    nodes_used, edges_used : int64[n]
        Number of nodes and edges; -1 nodes before a tree is started.
    node_first, node_count : int32[n, nodes]
        The first edge of a node, and the number of its edges.
    node_side, node_proof : int8[n, nodes]
        The side to move; the proof, which is the result of perfect play + 1, or 0 if that is unknown.
    node_value : float32[n, nodes]
        The value from the network; NaN while the node waits for it.
    edge_action, edge_child : int32[n, edges]
        The action, and the node that it leads to, or `NO_NODE`.
    edge_visits, edge_waiting : int32[n, edges]
        Number of simulations that are done, and that wait for evaluations.
    edge_prior, edge_total : float32[n, edges], float64[n, edges]
        The prior, which is NaN until the node is evaluated, and the sum of the returns.
    edge_proof : int8[n, edges]
        The proof of the position after the move.
    root_noise, root_scores, root_policy : float32[n, actions]
        For each edge of the root, its noise, its score at a Gumbel root, and its share of the policy.
    path_nodes, path_edges : int32[n k, MAX_DEPTH]
        The path to each leaf that waits.
    path_length, path_end, path_row : int64[n k]
        The number of edges of this path, its last node, and the row of its evaluation, or -1 if nothing
        waits.
    random_states : uint64[n, 1]
        A random generator for each tree, so that results do not depend on other trees.
    options : one record
        The options of the search.
    """

    legal_moves: LegalMovesKernel
    apply: ApplyKernel
    side_to_move: SideToMoveKernel
    outcome: OutcomeKernel
    outcome_at_limit: OutcomeKernel
    observe: Annotated[Callable[[Words, int, Bytes], None], Observe]
    roots: Annotated[Words, WORDS_STACK]
    leaves: Annotated[Words, WORDS_STACK]
    positions: Annotated[Words, WORDS_STACK]
    moves: Annotated[Actions, ACTIONS_STACK]
    plies_left: Annotated[Actions, ACTIONS_OUT]
    budgets: Annotated[Actions, ACTIONS_OUT]
    done: Annotated[Actions, ACTIONS_OUT]
    waiting: Annotated[Actions, ACTIONS_OUT]
    noisy: Annotated[Actions, ACTIONS_OUT]
    nodes_used: Annotated[Actions, ACTIONS_OUT]
    edges_used: Annotated[Actions, ACTIONS_OUT]
    node_first: Annotated[Integers, INTEGERS_STACK]
    node_count: Annotated[Integers, INTEGERS_STACK]
    node_side: Annotated[Bytes, BYTES_STACK]
    node_proof: Annotated[Bytes, BYTES_STACK]
    node_value: Annotated[Floats, FLOATS_STACK]
    edge_action: Annotated[Integers, INTEGERS_STACK]
    edge_child: Annotated[Integers, INTEGERS_STACK]
    edge_visits: Annotated[Integers, INTEGERS_STACK]
    edge_waiting: Annotated[Integers, INTEGERS_STACK]
    edge_prior: Annotated[Floats, FLOATS_STACK]
    edge_total: Annotated[Reals, REALS_STACK]
    edge_proof: Annotated[Bytes, BYTES_STACK]
    root_noise: Annotated[Floats, FLOATS_STACK]
    root_scores: Annotated[Floats, FLOATS_STACK]
    root_policy: Annotated[Floats, FLOATS_STACK]
    path_nodes: Annotated[Integers, INTEGERS_STACK]
    path_edges: Annotated[Integers, INTEGERS_STACK]
    path_length: Annotated[Actions, ACTIONS_OUT]
    path_end: Annotated[Actions, ACTIONS_OUT]
    path_row: Annotated[Actions, ACTIONS_OUT]
    random_states: Annotated[Words, WORDS_STACK]
    options: Annotated[Options, OPTIONS]


unpack = unpacker(BatchSearchWorkspace)
