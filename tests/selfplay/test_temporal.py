"""TD(lambda): three moves by hand, and whole matches against plain Python."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from reference.temporal import PlainLearner

import boardgames
from boardgames.declarations import FeatureSet
from boardgames.game import Game, Position
from boardgames.kernels.bundles import Bundle
from boardgames.selfplay.temporal import RESULTS, TDParameters, learn, learn_match, new_workspace, value_of

CONNECT4 = boardgames.load("connect4")
LINES = boardgames.load_features("lines", CONNECT4)

GAMES = pytest.mark.parametrize(
    ("name", "features", "options"),
    [
        pytest.param("connect4", "lines", {"columns": 5, "rows": 4}, id="connect4", marks=pytest.mark.plain),
        pytest.param("abalone", "classic14", {}, id="abalone"),
        pytest.param("hexifence", "simple", {"dimension": 2}, id="hexifence"),
    ],
)


class Lesson:
    """The kernel `learn` with arrays for a few features; the game does not matter."""

    def __init__(self, weights: np.ndarray, **parameters: float) -> None:
        given: dict[str, float] = {"epsilon": 0.0, "tanh": False, **parameters}
        workspace = new_workspace(CONNECT4, LINES, weights, TDParameters(**given).record())  # type: ignore[arg-type]
        shape = weights.shape
        self.work = workspace._replace(traces=np.zeros(shape), previous=np.zeros(shape))
        self.bundle = Bundle(self.work)

    def learn(self, side: int, features: npt.ArrayLike, target: float) -> None:
        """Learn that the position with these features is worth `target`."""
        self.work.previous[side] = features
        learn(self.bundle.words, side, target)


@pytest.mark.plain
def test_three_moves_agree_with_a_calculation_by_hand() -> None:
    """Features (1, 0), (0, 1), (1, 1); alpha 0.5, gamma 1, lambda 0.5; the match is won after the third.

    delta = 0 + 0 - 0 = 0, e = (1, 0); delta = 0, e = (0.5, 1); at the end delta = 1, e = (1.25, 1.5),
    w = (0.625, 0.75).
    """
    weights = np.zeros((2, 2))
    lesson = Lesson(weights, alpha=0.5, gamma=1.0, trace_decay=0.5)
    for features, target in (((1.0, 0.0), 0.0), ((0.0, 1.0), 0.0), ((1.0, 1.0), 1.0)):
        lesson.learn(0, features, target)
    assert lesson.work.traces[0].tolist() == [1.25, 1.5]
    assert weights.tolist() == [[0.625, 0.75], [0.0, 0.0]]


@pytest.mark.plain
def test_three_moves_with_known_values_agree_with_a_calculation_by_hand() -> None:
    """Features (1, 0), (0, 1), (1, 1), weights (0.2, 0.4), alpha 0.1, gamma 0.9, lambda 0.5; then it is won.

    delta = 0 + 0.9 * 0.4 - 0.2 = 0.16, e = (1, 0), w = (0.216, 0.4);
    delta = 0 + 0.9 * (0.216 + 0.4) - 0.4 = 0.1544, e = (0.45, 1), w = (0.222948, 0.41544);
    delta = 1 - (0.222948 + 0.41544) = 0.361612, e = (1.2025, 1.45), w = (0.266431843, 0.46787374).
    """
    weights = np.array([[0.2, 0.4], [0.0, 0.0]])
    lesson = Lesson(weights, alpha=0.1, gamma=0.9, trace_decay=0.5)
    expected = [[0.216, 0.4], [0.222948, 0.41544], [0.266431843, 0.46787374]]
    steps = zip(((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)), (0.36, 0.5544, 1.0), expected, strict=True)
    for features, target, after in steps:
        lesson.learn(0, features, target)
        assert weights[0] == pytest.approx(after, abs=1e-12)
    assert lesson.work.traces[0] == pytest.approx([1.2025, 1.45], abs=1e-12)


RECORDED = "4435261"
"""A match of Connect Four: the first side has four in the lowest row."""


def scaled_features(position: Position, side: int) -> list[float]:
    """Return the features of a position on the scale of -1 to 1."""
    known = boardgames.load_features("lines", position.game)
    out = np.zeros(len(known.features))
    known.kernel(position.words, side, out)
    return [
        (x - (feature.low + feature.high) / 2) / ((feature.high - feature.low) / 2)
        for x, feature in zip(out.tolist(), known.features, strict=True)
    ]


def learn_plainly(first: list[float], path: list[list[float]], result: float) -> list[float]:
    """Return the weights after a side's positions; the target of the last one is the result."""
    weights, trace = list(first), [0.0] * len(first)

    def value(seen: list[float]) -> float:
        return math.tanh(sum(weight * x for weight, x in zip(weights, seen, strict=True)))

    for place, seen in enumerate(path):
        now = value(seen)
        delta = (0.9 * value(path[place + 1]) if place + 1 < len(path) else result) - now
        trace = [0.9 * 0.5 * e + (1 - now**2) * x for e, x in zip(trace, seen, strict=True)]
        weights = [weight + 0.1 * delta * e for weight, e in zip(weights, trace, strict=True)]
    return weights


def test_both_sides_learn_from_a_recorded_match_as_in_plain_python() -> None:
    game = boardgames.load("connect4")
    outcome = game.parse(RECORDED).outcome
    assert outcome is not None
    assert outcome.winner == 0
    first = np.random.default_rng(1).uniform(-0.5, 0.5, (2, 11))
    paths = [  # after a side's moves; a won position has no value except for the result
        [scaled_features(game.parse(RECORDED[:plies]), side) for plies in range(side + 1, 7, 2)]
        for side in (0, 1)
    ]
    weights = first.copy()
    lesson = Lesson(weights, tanh=True)
    for side, path in enumerate(paths):
        for place, seen in enumerate(path):
            target = outcome.returns[side]
            if place + 1 < len(path):
                target = 0.9 * value_of(weights, side, np.array(path[place + 1]), True)
            lesson.learn(side, seen, target)
        plain = learn_plainly(first[side].tolist(), path, outcome.returns[side])
        assert np.abs(weights[side] - plain).max() <= 1e-12
    assert np.abs(weights - first).max() > 0.01


class Compiled:
    """The kernel `learn_match` with its buffers."""

    def __init__(
        self, game: Game, features: FeatureSet, weights: np.ndarray, parameters: np.ndarray, seed: int
    ) -> None:
        self.work = new_workspace(game, features, weights, parameters)
        self.work.traces.fill(1.0)  # each match must begin with new traces
        self.work.previous.fill(1.0)
        self.work.random_state[0] = seed
        self.bundle = Bundle(self.work)

    def play(self, start: Position, ply_limit: int, opening: int = 0) -> int:
        """Play a match and return its result."""
        self.work.positions[0] = start.words
        code = learn_match(self.bundle.words, opening, ply_limit, start.game.facts.no_moves_draws)
        return int(code) % RESULTS


@GAMES
@pytest.mark.parametrize("tanh", [False, True], ids=["linear", "tanh"])
@pytest.mark.parametrize("shared", [False, True], ids=["own weights", "shared weights"])
@pytest.mark.parametrize("opening", [0, 5], ids=["from the start", "after an opening"])
def test_matches_give_the_weights_of_plain_python(
    name: str, features: str, options: dict[str, Any], tanh: bool, shared: bool, opening: int
) -> None:
    game = boardgames.load(name, **options)
    known = boardgames.load_features(features, game)
    parameters = TDParameters(alpha=0.02, epsilon=0.2, tanh=tanh, shared=shared).record()
    weights = np.random.default_rng(1).uniform(-0.5, 0.5, (2, len(known.features)))
    plain = PlainLearner(known, weights, parameters, seed=7)
    quick = Compiled(game, known, weights, parameters, seed=7)
    for _ in range(3):
        assert quick.play(game.start(), 40, opening) == plain.play(game.start(), 40, opening)
    assert np.abs(weights - np.array(plain.weights)).max() <= 1e-12
    assert np.abs(weights).max() > 0


@GAMES
@pytest.mark.parametrize("shared", [False, True], ids=["own weights", "shared weights"])
def test_matches_with_two_plies_of_search_give_the_weights_of_plain_python(
    name: str, features: str, options: dict[str, Any], shared: bool
) -> None:
    game = boardgames.load(name, **options)
    known = boardgames.load_features(features, game)
    parameters = TDParameters(alpha=0.02, epsilon=0.2, shared=shared, plies=2).record()
    weights = np.random.default_rng(1).uniform(-0.5, 0.5, (2, len(known.features)))
    plain = PlainLearner(known, weights, parameters, seed=7)
    quick = Compiled(game, known, weights, parameters, seed=7)
    assert quick.play(game.start(), 8, 2) == plain.play(game.start(), 8, 2)
    assert np.abs(weights - np.array(plain.weights)).max() <= 1e-12


@GAMES
@pytest.mark.parametrize("shared", [False, True], ids=["own weights", "shared weights"])
def test_temporal_coherence_gives_the_weights_of_plain_python(
    name: str, features: str, options: dict[str, Any], shared: bool
) -> None:
    game = boardgames.load(name, **options)
    known = boardgames.load_features(features, game)
    parameters = TDParameters(alpha=0.05, epsilon=0.1, shared=shared, beta=2.7).record()
    weights, equal_steps = np.full((2, 2, len(known.features)), 0.2)
    plain = PlainLearner(known, weights, parameters, seed=7)
    quick = Compiled(game, known, weights, parameters, seed=7)
    others = Compiled(
        game, known, equal_steps, TDParameters(alpha=0.05, epsilon=0.1, shared=shared).record(), seed=7
    )
    for _ in range(3):
        others.play(game.start(), 40)
        assert quick.play(game.start(), 40) == plain.play(game.start(), 40)
    assert np.abs(weights - np.array(plain.weights)).max() <= 1e-12
    assert np.abs(weights - equal_steps).max() > 1e-3
    errors = np.stack([quick.work.sums, quick.work.sizes], axis=2)[: 1 if shared else 2]
    assert np.abs(errors - np.array(plain.errors)[: len(errors)]).max() <= 1e-12


@GAMES
def test_each_side_learns_with_its_own_parameters(name: str, features: str, options: dict[str, Any]) -> None:
    game = boardgames.load(name, **options)
    known = boardgames.load_features(features, game)
    both = (TDParameters(alpha=0.02, trace_decay=0.2, gamma=0.8, epsilon=0.0), TDParameters(alpha=0.05))
    parameters = np.concatenate([one.record() for one in both])
    weights = np.full((2, len(known.features)), 0.2)
    plain = PlainLearner(known, weights, parameters, seed=7)
    quick = Compiled(game, known, weights, parameters, seed=7)
    for _ in range(3):
        assert quick.play(game.start(), 40) == plain.play(game.start(), 40)
    assert np.abs(weights - np.array(plain.weights)).max() <= 1e-12


@pytest.mark.plain
def test_openings_differ_with_the_seed() -> None:
    game = boardgames.load("connect4", columns=5, rows=4)
    known = boardgames.load_features("lines", game)
    hashes = set()
    for seed in range(8):
        compiled = Compiled(game, known, np.full((2, 11), 0.3), TDParameters(epsilon=0.0).record(), seed=seed)
        compiled.play(game.start(), 60, 4)
        hashes.add(int(compiled.work.moves_hash[0]))
    assert len(hashes) > 5
