"""Self-play with TD(lambda) in plain Python, written from the formulas."""

import math

import numpy as np

from boardgames.declarations import FeatureSet
from boardgames.game import Position
from boardgames.kernels import next_random, random_below
from boardgames.search.rules import DRAWN, UNFINISHED


class PlainLearner:
    """Trains weights in self-play, with hyperparameters from `TDParameters.record`."""

    def __init__(self, features: FeatureSet, weights: np.ndarray, parameters: np.ndarray, seed: int) -> None:
        self.features = features
        self.weights = [list(row) for row in weights]
        self.parameters = [parameters[side % len(parameters)] for side in (0, 1)]
        self.tanh, self.shared, self.plies = (
            int(parameters[0][name]) for name in ("tanh", "shared", "plies")
        )
        self.errors = [[[0.0, 0.0] for _ in row] for row in self.weights]
        self.state = np.array([seed], dtype=np.uint64)

    def scaled_features(self, position: Position, side: int) -> list[float]:
        out = np.zeros(len(self.features.features))
        self.features.kernel(position.words, side, out)
        ranges = [(feature.low, feature.high) for feature in self.features.features]
        return [
            (x - (low + high) / 2) / ((high - low) / 2)
            for x, (low, high) in zip(out.tolist(), ranges, strict=True)
        ]

    def value(self, side: int, features: list[float]) -> float:
        total = 0.0
        for weight, number in zip(self.weights[0 if self.shared else side], features, strict=True):
            total += weight * number
        return math.tanh(total) if self.tanh else total

    def update(self, side: int, target: float) -> None:
        parameters, before = self.parameters[side], self.before[side]
        assert before is not None
        value = self.value(side, before)
        slope = 1 - value**2 if self.tanh else 1.0
        self.traces[side] = [
            parameters["gamma"] * parameters["trace_decay"] * trace + slope * number
            for trace, number in zip(self.traces[side], before, strict=True)
        ]
        row, errors = ((self.weights, self.errors)[part][0 if self.shared else side] for part in (0, 1))
        for index, trace in enumerate(self.traces[side]):
            error = (target - value) * trace
            total, size = errors[index]
            coherence = 1.0
            if size > 0 and parameters["beta"]:
                coherence = math.exp(parameters["beta"] * (abs(total) / size - 1))
            row[index] += parameters["alpha"] * coherence * error
            errors[index] = [total + error, size + abs(error)]

    def uniform(self) -> float:
        return float(int(next_random(self.state)) >> 11) * 2.0**-53

    def value_after(self, position: Position, side: int) -> float:
        if position.outcome is not None and position.outcome.termination == "rules":
            return position.outcome.returns[side]
        return self.value(side, self.scaled_features(position, side))

    def searched_value(self, position: Position, side: int) -> float:
        """Return the value to `side` of a position after its move; with two plies, after the best reply."""
        if self.plies == 1 or position.outcome is not None or position.side_to_move == side:
            return self.value_after(position, side)
        replies = [position.apply(move) for move in position.legal_moves]
        return min(-self.value_of_reply(reply, 1 - side, side) for reply in replies)

    def value_of_reply(self, position: Position, mover: int, side: int) -> float:
        """Return the value to `mover`, which has just moved, by the weights of `side`."""
        if position.outcome is not None and position.outcome.termination == "rules":
            return position.outcome.returns[mover]
        return self.value(side, self.scaled_features(position, mover))

    def play(self, position: Position, ply_limit: int, opening: int = 0) -> int:
        """Play a match after a random opening; return the winner, DRAWN or UNFINISHED."""
        self.before: list[list[float] | None] = [None, None]
        self.traces = [[0.0] * len(self.weights[0])] * 2
        plies, learned = 0, set()
        while position.outcome is None and plies < ply_limit:
            side = position.side_to_move
            explores = plies < opening or self.uniform() < self.parameters[side]["epsilon"]
            successors = [position.apply(move) for move in position.legal_moves]
            if explores:
                position = successors[int(random_below(self.state, len(successors)))]
                self.traces[side] = [0.0] * len(self.weights[0])
            else:
                values = [self.searched_value(successor, side) for successor in successors]
                position = successors[values.index(max(values))]
                target = self.value_after(position, side) * (
                    1.0 if position.outcome is not None else self.parameters[side]["gamma"]
                )
                if self.before[side] is not None:
                    self.update(side, target)
            if position.outcome is not None:
                learned.add(side)
            self.before[side] = self.scaled_features(position, side)
            plies += 1
        outcome = position.outcome
        for side in (0, 1):
            if side not in learned and self.before[side] is not None:
                self.update(side, 0.0 if outcome is None else outcome.returns[side])
        return UNFINISHED if outcome is None else DRAWN if outcome.winner is None else outcome.winner
