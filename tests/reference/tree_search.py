"""Helpers for tests of tree search: searches, walks through trees, and exact values of small games."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from nim import Nim
from reference.minimax import successors

import boardgames
from boardgames.game import Game, Position
from boardgames.kernels import Actions
from boardgames.player import NO_CONTEXT, Analysis, Context, Limit
from boardgames.search.mcts.options import MctsOptions
from boardgames.search.mcts.searcher import Searcher
from boardgames.search.mcts.tree import (
    ACTION_SHIFT,
    CHILDREN,
    COUNT_SHIFT,
    FACTS,
    INDEX_MASK,
    NO_PROOF,
    ONE,
    PRIOR_MASK,
    PRIOR_SHIFT,
    ROOT,
    SIDE_SHIFT,
    TOTAL,
    VISITS,
    WORDS_PER_NODE,
    Tree,
)

SMALL_GAMES: dict[str, tuple[Game, range]] = {
    "tictactoe": (boardgames.load("tictactoe"), range(7)),
    "connect4 of 4 x 4": (boardgames.load("connect4", columns=4, rows=4), range(7, 13)),
    "hexifence": (boardgames.load("hexifence", dimension=2), range(23, 28)),
    "nim": (Nim(), range(3)),
    "nim where one stone keeps the turn": (Nim(again=True), range(3)),
    "nim ended by lack of moves": (Nim(stuck=True), range(3)),
}
"""Games, and numbers of random plies after which all remaining matches can be played through."""

OPTIONS = {
    "default": MctsOptions(memory=1),
    "ucb1": MctsOptions(memory=1, prior="none"),
    "order": MctsOptions(memory=1, prior="order"),
    "evaluation": MctsOptions(memory=1, prior="evaluation", cutoff=0),
    "cutoff": MctsOptions(memory=1, prior="none", cutoff=2),
}


def searcher_for(game: Game, options: MctsOptions = OPTIONS["default"]) -> Searcher:
    """Return a new searcher with the game's own evaluation."""
    return Searcher(game, game.evaluation, options)


def search(
    position: Position,
    simulations: int = 1000,
    *,
    options: MctsOptions = OPTIONS["default"],
    searcher: Searcher | None = None,
    limit: Limit | None = None,
    context: Context = NO_CONTEXT,
    seed: int = 1,
    all_moves: bool = False,
) -> Analysis:
    """Search with a new or the given searcher, for a number of simulations or within `limit`."""
    searcher = searcher or searcher_for(position.game, options)
    return searcher.search(
        position,
        limit or Limit(simulations=simulations),
        context,
        seeds=np.arange(seed, seed + searcher.options.threads, dtype=np.uint64),
        all_moves=all_moves,
    )


@cache
def exact_return(position: Position) -> int:
    """Return the return of perfect play for side 0, by full minimax."""
    if position.outcome is not None:
        winner = position.outcome.winner
        return 0 if winner is None else 1 - 2 * winner
    choose = max if position.side_to_move == 0 else min
    return choose(exact_return(after) for after in successors(position))


def exact_value(position: Position, *, after: Position | None = None) -> int:
    """Return the exact return for the side to move in `position`, or of its move that leads to `after`."""
    return exact_return(after or position) * (1 - 2 * position.side_to_move)


@dataclass(frozen=True)
class Child:
    """A child of the root in a tree made by hand; `value` is for side 0."""

    visits: int = 0
    value: float = 0.0
    proof: int = NO_PROOF
    prior: float = 0.0


def tree_of(position: Position, children: Sequence[Child], *, visits: int = 0) -> Tree:
    """Return a tree whose root has these children, with actions numbered from 0."""
    tree = Tree(1)
    words = tree.set_root(position, ())
    first = ROOT + WORDS_PER_NODE
    words[ROOT + VISITS] = visits
    words[ROOT + CHILDREN] = first | len(children) << COUNT_SHIFT
    for action, child in enumerate(children):
        node = first + action * WORDS_PER_NODE
        words[node + VISITS], words[node + TOTAL] = child.visits, int(child.visits * child.value * ONE)
        words[node + FACTS] = (
            action << ACTION_SHIFT
            | int(child.prior * PRIOR_MASK) << PRIOR_SHIFT
            | (1 - position.side_to_move) << SIDE_SHIFT
            | child.proof
        )
    return tree


def children_of(words: Actions, node: int) -> list[int]:
    """Return the children of a node."""
    children = int(words[node + CHILDREN])
    first, count = children & INDEX_MASK, max(children, 0) >> COUNT_SHIFT
    return [first + index * WORDS_PER_NODE for index in range(count)]


def nodes_of(words: Actions, root: int = ROOT) -> Iterator[tuple[int, list[int]]]:
    """Yield all nodes of a tree, each with its children."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children = children_of(words, node)
        yield node, children
        waiting += children
