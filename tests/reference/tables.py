"""TD(lambda) with temporal coherence for tables of weights, in plain Python from the formulas."""

import math
from collections import defaultdict

import numpy as np

from boardgames.game import Position
from boardgames.kernels import next_random, random_below
from boardgames.patterns import PatternSet
from boardgames.search.rules import DRAWN, UNFINISHED

Key = tuple[int, int, tuple[int, ...]]
"""Key of a weight: phase, number of the group, and values of the group's cells."""


def keys_of(patterns: PatternSet, position: Position, side: int) -> list[Key]:
    """Return the keys of the weights that a position looks up from the point of view of a side."""
    cells = np.zeros(patterns.cells, dtype=np.int64)
    patterns.kernel(position.words, side, cells)
    phase = int(patterns.phase(position.words, side))
    return [
        (phase, number, tuple(int(cells[image[cell]]) for cell in group))
        for number, group in enumerate(patterns.groups)
        for image in (range(patterns.cells), *patterns.symmetries)
    ]


def place_of(patterns: PatternSet, key: Key) -> int:
    """Return the place of a weight in the tables."""
    phase, number, values = key
    sizes = [patterns.values ** len(group) for group in patterns.groups]
    place: int = phase * sum(sizes) + sum(sizes[:number])
    place += sum(value * patterns.values**power for power, value in enumerate(reversed(values)))
    return place


class PlainTables:
    """Tables that play against themselves, with hyperparameters from `TableParameters.record`."""

    def __init__(self, patterns: PatternSet, parameters: np.ndarray, seed: int) -> None:
        self.patterns = patterns
        names = ("alpha", "beta", "gamma", "trace_decay", "epsilon", "opening", "ply_limit")
        self.alpha, self.beta, self.gamma, self.decay, self.epsilon, self.opening, self.ply_limit = (
            float(parameters[0][name]) for name in names
        )
        self.weights: dict[Key, float] = defaultdict(float)
        self.sums: dict[Key, float] = defaultdict(float)
        self.sizes: dict[Key, float] = defaultdict(float)
        self.state = np.array([seed], dtype=np.uint64)

    def value(self, keys: list[Key]) -> float:
        return math.tanh(sum(self.weights[key] for key in keys))

    def value_after(self, position: Position, side: int) -> float:
        if position.outcome is not None and position.outcome.termination == "rules":
            return position.outcome.returns[side]
        return self.value(keys_of(self.patterns, position, side))

    def choose(self, successors: list[Position], side: int) -> Position:
        """Return the best successor; ties are broken at random, as in the kernels."""
        best = values = None
        for successor in successors:
            value = self.value_after(successor, side)
            if values is None or value > values[0]:
                best, values = successor, [value]
            elif value == values[0]:
                values.append(value)
                if int(random_below(self.state, len(values))) == 0:
                    best = successor
        assert best is not None
        return best

    def update(self, keys: list[Key], goal: float) -> float:
        """Move the value of a position towards `goal`, and return its previous value."""
        value = self.value(keys)
        error = (goal - value) * (1 - value**2)
        for key in keys:
            coherence = abs(self.sums[key]) / self.sizes[key] if self.sizes[key] else 1.0
            change = self.alpha / len(keys) * math.exp(self.beta * (coherence - 1)) * error
            self.weights[key] = float(np.float32(self.weights[key] + change))
            self.sums[key] = float(np.float32(self.sums[key] + error))
            self.sizes[key] = float(np.float32(self.sizes[key] + abs(error)))
        return value

    def play(self, position: Position) -> int:
        """Play a match and learn from it; return the winner, DRAWN or UNFINISHED."""
        visited: list[tuple[Position, int, bool, float]] = []
        while position.outcome is None and len(visited) < self.ply_limit:
            side = position.side_to_move
            explores = len(visited) < self.opening or (
                float(int(next_random(self.state)) >> 11) * 2.0**-53 < self.epsilon
            )
            successors = [position.apply(move) for move in position.legal_moves]
            if explores:
                position = successors[int(random_below(self.state, len(successors)))]
            else:
                position = self.choose(successors, side)
            visited.append((position, side, explores, self.value_after(position, side)))
        outcome = position.outcome
        final = 0.0 if outcome is None else outcome.returns[0]
        goal, value, is_cut = final, final, False
        for after, side, explored, played in reversed(visited):
            sign = 1 if side == 0 else -1
            if after.outcome is None or after.outcome.termination != "rules":
                if is_cut:
                    goal = value = sign * played
                else:
                    goal = self.gamma * ((1 - self.decay) * value + self.decay * goal)
                    value = sign * self.update(keys_of(self.patterns, after, side), sign * goal)
            is_cut = explored
        return UNFINISHED if outcome is None else DRAWN if outcome.winner is None else outcome.winner
