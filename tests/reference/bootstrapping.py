"""TreeStrap and TD-leaf self-play in plain Python, written from the formulas.

The search is alpha-beta without killer moves, history or quiescence. TD-leaf is computed without traces,
as the forward view of its paper, from all searches of a match together.
"""

import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from boardgames.declarations import FeatureSet
from boardgames.game import Move, Position, Termination
from boardgames.kernels import next_random, random_below
from boardgames.search.rules import DRAWN, UNFINISHED

TACTICAL = 1 << 50


@dataclass(frozen=True)
class Value:
    """The value of a search for a side: a return at the end of a line of play, `plies` ahead."""

    amount: float
    plies: int
    leaf: Position | None
    """None if the match is over there."""

    @property
    def order(self) -> tuple[float, float]:
        """Return the sort key of a value: quick wins are best, quick losses are worst."""
        if self.leaf is None and self.amount:
            return (2.0 * self.amount, -self.amount * self.plies)
        return (self.amount, 0.0)

    @property
    def negated(self) -> "Value":
        return Value(-self.amount, self.plies, self.leaf)


BEST, WORST = Value(3.0, 0, None), Value(-3.0, 0, None)


@dataclass
class Searched:
    """One search of a match, for TD-leaf."""

    side: int
    ply: int
    value: float
    gradient: list[float]


@dataclass
class PlainTrainer:
    """Trains weights in self-play, with hyperparameters from `selfplay.bootstrapping.new_parameters`."""

    features: FeatureSet
    weights: list[float]
    parameters: np.ndarray
    seed: int
    updates: list[tuple[float, list[float]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        names = self.parameters.dtype.names
        assert names is not None
        given = dict(zip(names, self.parameters[0].tolist(), strict=True))
        self.alpha, self.gamma, self.decay = given["alpha"], given["gamma"], given["trace_decay"]
        self.epsilon, self.tanh, self.depth = given["epsilon"], given["tanh"], given["depth"]
        self.whole_tree = given["whole_tree"]
        self.state = np.array([self.seed], dtype=np.uint64)

    # --- values -----------------------------------------------------------------

    def raw_features(self, position: Position) -> list[float]:
        out = np.zeros(len(self.features.features))
        self.features.kernel(position.words, 1 - position.side_to_move, out)
        return list(out.tolist())

    def evaluate(self, position: Position, side: int) -> float:
        """Return the evaluation for `side`, with the kernel's order of operations, so equal values tie."""
        slopes, constant = [], 0.0
        for weight, feature in zip(self.weights, self.features.features, strict=True):
            slopes.append(weight / ((feature.high - feature.low) / 2))
            constant -= slopes[-1] * (feature.high + feature.low) / 2
        total = constant
        for slope, number in zip(slopes, self.raw_features(position), strict=True):
            total += slope * number
        value = math.tanh(total) if self.tanh else total
        return -value if position.side_to_move == side else value

    def gradient(self, position: Position, side: int) -> list[float]:
        """Return the derivatives of the evaluation for `side`."""
        value = self.evaluate(position, side)
        slope = 1 - value**2 if self.tanh else 1.0
        sign = -1 if position.side_to_move == side else 1
        return [
            sign * slope * (number - (feature.high + feature.low) / 2) / ((feature.high - feature.low) / 2)
            for number, feature in zip(self.raw_features(position), self.features.features, strict=True)
        ]

    def discounted(self, value: Value, depth: int) -> float:
        return float(value.amount * self.gamma ** (value.plies if value.leaf is None else depth))

    # --- search -----------------------------------------------------------------

    def ordered(self, position: Position) -> list[int]:
        """Return the actions in the order of the kernels: tactical moves first, sorted by swaps."""
        kernels, buffer = position.game.kernels, np.zeros(position.game.facts.actions, dtype=np.int64)
        tactical = set(buffer[: kernels.tactical_moves(position.words, buffer)].tolist())
        actions = list(position.actions)
        ranks = {
            action: int(kernels.move_order(position.words, action)) + TACTICAL * (action in tactical)
            for action in actions
        }
        for place in range(len(actions)):
            best = max(range(place, len(actions)), key=lambda index: (ranks[actions[index]], -index))
            actions[place], actions[best] = actions[best], actions[place]
        return actions

    def search(
        self, position: Position, depth: int, low: Value = WORST, high: Value = BEST
    ) -> tuple[Value, list[int]]:
        """Return the value for the side to move, and the principal variation."""
        side, outcome = position.side_to_move, position.outcome
        if outcome is not None and (depth > 0 or outcome.termination is Termination.RULES):
            return Value(outcome.returns[side], 0, None), []
        if depth == 0:
            return Value(self.evaluate(position, side), 0, position), []
        best, line = WORST, list[int]()
        for action in self.ordered(position):
            after = position.apply(Move(action, ""))
            floor = max(low, best, key=lambda value: value.order)
            same = after.side_to_move == side
            window = (floor, high) if same else (high.negated, floor.negated)
            found, below = self.search(after, depth - 1, _sooner(window[0]), _sooner(window[1]))
            found = Value(found.amount, found.plies + 1, found.leaf)
            found = found if same else found.negated
            if found.order > best.order:
                best, line = found, [action, *below]
            if best.order >= high.order:
                break
        is_lower, is_upper = best.order >= high.order, best.order <= low.order
        if self.whole_tree:
            delta = self.discounted(best, depth) - self.evaluate(position, side)
            if (is_lower and delta < 0) or (is_upper and delta > 0):
                delta = 0.0
            self.updates.append((delta, self.gradient(position, side)))
        return best, line

    # --- a match ------------------------------------------------------------------

    def uniform(self) -> float:
        return float(int(next_random(self.state)) >> 11) * 2.0**-53

    def change(self, rate: float, updates: list[tuple[float, list[float]]]) -> None:
        for index in range(len(self.weights)):
            total = 0.0
            for delta, gradient in updates:
                total += delta * gradient[index]
            self.weights[index] += rate * total

    def play(self, position: Position, ply_limit: int, opening: int = 0) -> int:
        """Play a match after a random opening; return the winner, DRAWN or UNFINISHED."""
        plies, chains, open_chains = 0, list[list[Searched]](), dict[int, list[Searched]]()
        while position.outcome is None and plies < ply_limit:
            explores = plies < opening or self.uniform() < self.epsilon
            action = (
                position.actions[int(random_below(self.state, len(position.actions)))] if explores else -1
            )
            if plies >= opening:
                self.updates = []
                value, line = self.search(position, self.depth)
                action = action if explores else line[0]
                if self.whole_tree:
                    self.change(self.alpha / len(self.updates), self.updates)
                side = position.side_to_move
                gradient = [0.0] * len(self.weights)
                if value.leaf is not None:
                    factor = self.gamma**self.depth
                    gradient = [factor * number for number in self.gradient(value.leaf, side)]
                searched = Searched(side, plies, self.discounted(value, self.depth), gradient)
                open_chains.setdefault(side, []).append(searched)
            if explores:
                chains += open_chains.values()
                open_chains = {}
            position = position.apply(Move(action, ""))
            plies += 1
        outcome = position.outcome
        if not self.whole_tree:
            for side, chain in open_chains.items():
                reward = 0.0 if outcome is None else outcome.returns[side]
                chain.append(Searched(side, plies, reward, []))
            self.learn_from([*chains, *open_chains.values()])
        return UNFINISHED if outcome is None else DRAWN if outcome.winner is None else outcome.winner

    def learn_from(self, chains: list[list[Searched]]) -> None:
        """Change the weights after a match, by each search's gradient times the sum of all later deltas."""
        updates = []
        for chain in chains:
            deltas = [self.gamma ** (b.ply - a.ply) * b.value - a.value for a, b in pairwise(chain)]
            for first, searched in enumerate(chain[:-1]):
                total = 0.0
                for later in range(first, len(deltas)):
                    plies = chain[later].ply - searched.ply
                    total += self.gamma**plies * self.decay ** (later - first) * deltas[later]
                updates.append((total, searched.gradient))
        self.change(self.alpha, updates)


def _sooner(value: Value) -> Value:
    """Return an edge of the window for positions one ply further from the root."""
    return Value(value.amount, value.plies - 1, value.leaf) if value.leaf is None else value
