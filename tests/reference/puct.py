"""A slow PUCT search with proofs and virtual losses, which shares no code with the kernels."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from reference.match import SlowMatch

from boardgames.repetition import outcome_after

LOSS, DRAW, WIN = -1, 0, 1


@dataclass
class Edge:
    """A move; values are for the side that makes it."""

    action: int
    prior: float = 0.0
    visits: int = 0
    waiting: int = 0
    total: float = 0.0
    proof: int | None = None
    node: "Node | None" = None

    def value(self, unseen: float) -> float:
        if self.proof is not None:
            return float(self.proof)
        return (self.total - self.waiting) / self.seen if self.seen else unseen

    @property
    def seen(self) -> int:
        """The visits, with those that wait for an evaluation and count as losses."""
        return self.visits + self.waiting


@dataclass
class Node:
    """A position of a match; values are for its side to move."""

    match: SlowMatch
    edges: list[Edge] = field(default_factory=list)
    value: float = 0.0
    proof: int | None = None
    waits: bool = False

    @property
    def side(self) -> int:
        return self.match.positions[-1].side_to_move

    def prove(self) -> None:
        proofs = [edge.proof for edge in self.edges]
        if WIN in proofs:
            self.proof = WIN
        elif None not in proofs:
            self.proof = max(proof for proof in proofs if proof is not None)


Evaluate = Callable[[SlowMatch], tuple[np.ndarray, float]]


def return_of(winner: int | None, side: int) -> int:
    """Return the result of a match for a side."""
    return DRAW if winner is None else WIN if winner == side else LOSS


def expand(match: SlowMatch, side: int, evaluate: Evaluate) -> Node:
    """Return a new node. `side` was to move before; if the match is over, its proof is for `side`."""
    end = match.end()
    node = Node(match)
    if end is not None:
        node.proof = return_of(end[0], side)
        return node
    for action in match.actions:
        edge = Edge(action)
        after = match.after(action)
        last, outcome = after.positions[-1], outcome_after(after.positions, match.repetition)
        is_stuck = last.outcome is not None or match.repetition.meaning == "forbidden"
        if last.game.kernels.outcome(last.words) >= 0 or (outcome is not None and not is_stuck):
            assert outcome is not None
            edge.proof = return_of(
                outcome.winner, node.side
            )  # a lack of moves is seen when the move is tried
        node.edges.append(edge)
    node.prove()
    if node.proof is None:
        policy, node.value = evaluate(match)
        total = sum(policy[edge.action] for edge in node.edges)
        for edge in node.edges:
            edge.prior = float(policy[edge.action]) / total
    return node


def choose(node: Node, exploration: float, reduction: float) -> Edge:
    """Return the edge with the highest bound."""
    visits = sum(edge.visits for edge in node.edges)
    mean = (node.value + sum(edge.total for edge in node.edges)) / (1 + visits)
    seen = sum(edge.prior for edge in node.edges if edge.seen)
    unseen = mean - reduction * math.sqrt(seen)
    seen_by_all = sum(edge.seen for edge in node.edges)
    weight = exploration * (1 + math.log(1 + seen_by_all / 5000)) * math.sqrt(max(seen_by_all, 1))
    open_edges = [edge for edge in node.edges if edge.proof != LOSS]
    return max(open_edges, key=lambda edge: edge.value(unseen) + weight * edge.prior / (1 + edge.seen))


@dataclass
class Leaf:
    """A new node that waits for its evaluation, and the path to it."""

    node: Node
    path: list[tuple[Node, Edge]]


def simulate(root: Node, evaluate: Evaluate, exploration: float, reduction: float) -> Leaf | bool:
    """Run one simulation. Return a leaf that waits, or whether the simulation has ended with a value.

    A simulation that comes to a leaf that already waits changes nothing.
    """
    node, path = root, []
    while True:
        edge = choose(node, exploration, reduction)
        path.append((node, edge))
        if edge.proof is not None:
            backpropagate(path, float(edge.proof), node.side)
            return True
        if edge.node is None:
            edge.node = expand(node.match.after(edge.action), node.side, evaluate)
            if edge.node.proof is None:
                edge.node.waits = True
                for _, one in path:
                    one.waiting += 1
                return Leaf(edge.node, path)
            same = not edge.node.edges or edge.node.side == node.side  # at the end, the proof is for `side`
            edge.proof = edge.node.proof if same else -edge.node.proof
            backpropagate(path, float(edge.proof), node.side)
            return True
        node = edge.node
        if node.waits:
            return False


def backpropagate(path: list[tuple[Node, Edge]], value: float, side: int) -> None:
    """Add a value for a side to all edges of a path, and prove what follows."""
    for place, one in reversed(path):
        one.visits += 1
        one.total += value if place.side == side else -value
    for place, one in reversed(path):
        if one.proof is None and one.node is not None and one.node.proof is not None:
            one.proof = one.node.proof if one.node.side == place.side else -one.node.proof
        place.prove()


def search(
    match: SlowMatch,
    evaluate: Evaluate,
    *,
    simulations: int,
    leaves: int,
    exploration: float,
    reduction: float,
) -> Node:
    """Return the root after a number of simulations, or earlier if it is proven.

    Up to `leaves` leaves wait at the same time; they are evaluated together.
    """
    root = expand(match, match.positions[-1].side_to_move, evaluate)
    done = 0
    while root.proof is None and done < simulations:
        waiting: list[Leaf] = []
        while len(waiting) < leaves and done + len(waiting) < simulations and root.proof is None:
            ended = simulate(root, evaluate, exploration, reduction)
            if ended is False:
                break
            if isinstance(ended, Leaf):
                waiting.append(ended)
            else:
                done += 1
        for leaf in waiting:
            leaf.node.waits = False
            for _, edge in leaf.path:
                edge.waiting -= 1
            backpropagate(leaf.path, leaf.node.value, leaf.node.side)
            done += 1
    return root
