"""TD(lambda): by hand for three moves, and against plain Python on whole matches."""

import math

import numpy as np
import pytest
from reference.temporal import Plain

import boardgames
from boardgames.declarations import FeatureSet
from boardgames.game import Position
from boardgames.kernels import new_control
from boardgames.selfplay.temporal import RESULTS, learn, learn_match, value_of

GAMES = pytest.mark.parametrize(
    ("name", "features", "options"),
    [
        pytest.param("connect4", "lines", {"columns": 5, "rows": 4}, id="connect4", marks=pytest.mark.plain),
        pytest.param("abalone", "classic14", {}, id="abalone"),
        pytest.param("hexifence", "simple", {"dimension": 2}, id="hexifence"),
    ],
)


def settings(
    *,
    alpha: float = 0.1,
    gamma: float = 0.9,
    trace: float = 0.5,
    epsilon: float = 0.0,
    squashes: bool = False,
    shares: bool = False,
) -> np.ndarray:
    return np.array([alpha, gamma, trace, epsilon, squashes, shares], dtype=np.float64)


@pytest.mark.plain
def test_three_moves_by_hand() -> None:
    """Features (1, 0), (0, 1), (1, 1); alpha 0.5, gamma 1, lambda 0.5; the match is won after the third.

    delta = 0 + 0 - 0 = 0, e = (1, 0); delta = 0, e = (0.5, 1); at the end delta = 1, e = (1.25, 1.5),
    w = (0.625, 0.75).
    """
    weights, traces, before = np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2))
    given = settings(alpha=0.5, gamma=1.0, trace=0.5)
    for features, target in (((1.0, 0.0), 0.0), ((0.0, 1.0), 0.0), ((1.0, 1.0), 1.0)):
        before[0] = features
        learn(weights, traces, before, 0, target, given)
    assert traces[0].tolist() == [1.25, 1.5]
    assert weights.tolist() == [[0.625, 0.75], [0.0, 0.0]]


@pytest.mark.plain
def test_three_moves_of_known_worth_by_hand() -> None:
    """Features (1, 0), (0, 1), (1, 1), weights (0.2, 0.4), alpha 0.1, gamma 0.9, lambda 0.5; then it is won.

    delta = 0 + 0.9 * 0.4 - 0.2 = 0.16, e = (1, 0), w = (0.216, 0.4);
    delta = 0 + 0.9 * (0.216 + 0.4) - 0.4 = 0.1544, e = (0.45, 1), w = (0.222948, 0.41544);
    delta = 1 - (0.222948 + 0.41544) = 0.361612, e = (1.2025, 1.45), w = (0.266431843, 0.46787374).
    """
    weights, traces, before = np.array([[0.2, 0.4], [0.0, 0.0]]), np.zeros((2, 2)), np.zeros((2, 2))
    expected = [[0.216, 0.4], [0.222948, 0.41544], [0.266431843, 0.46787374]]
    steps = zip(((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)), (0.36, 0.5544, 1.0), expected, strict=True)
    for features, target, after in steps:
        before[0] = features
        learn(weights, traces, before, 0, target, settings())
        assert weights[0] == pytest.approx(after, abs=1e-12)
    assert traces[0] == pytest.approx([1.2025, 1.45], abs=1e-12)


RECORDED = "4435261"
"""A match of Connect Four: the first side has four in the lowest row."""


def seen_by(position: Position, side: int) -> list[float]:
    """Return the features of a position on the scale of -1 to 1."""
    known = boardgames.load_features("lines", position.game)
    out = np.zeros(len(known.features))
    known.kernel(position.words, side, out)
    return [
        (x - (feature.low + feature.high) / 2) / ((feature.high - feature.low) / 2)
        for x, feature in zip(out.tolist(), known.features, strict=True)
    ]


def plain_lesson(first: list[float], path: list[list[float]], result: float) -> list[float]:
    """Return weights after a side's positions `path`, of which the last is valued by the result."""
    weights, trace = list(first), [0.0] * len(first)

    def value(seen: list[float]) -> float:
        return math.tanh(sum(weight * x for weight, x in zip(weights, seen, strict=True)))

    for place, seen in enumerate(path):
        now = value(seen)
        delta = (0.9 * value(path[place + 1]) if place + 1 < len(path) else result) - now
        trace = [0.9 * 0.5 * e + (1 - now**2) * x for e, x in zip(trace, seen, strict=True)]
        weights = [weight + 0.1 * delta * e for weight, e in zip(weights, trace, strict=True)]
    return weights


def test_a_recorded_match_teaches_both_sides_what_plain_python_learns() -> None:
    game, given = boardgames.load("connect4"), settings(squashes=True)
    outcome = game.parse(RECORDED).outcome
    assert outcome is not None
    assert outcome.winner == 0
    first = np.random.default_rng(1).uniform(-0.5, 0.5, (2, 11))
    paths = [  # after a side's moves; the position that is won has no worth but the result
        [seen_by(game.parse(RECORDED[:plies]), side) for plies in range(side + 1, 7, 2)] for side in (0, 1)
    ]
    weights, traces, before = first.copy(), np.zeros((2, 11)), np.zeros((2, 11))
    for side, path in enumerate(paths):
        for place, seen in enumerate(path):
            before[side] = seen
            target = outcome.returns[side]
            if place + 1 < len(path):
                target = 0.9 * value_of(weights, side, np.array(path[place + 1]), True)
            learn(weights, traces, before, side, target, given)
        plain = plain_lesson(first[side].tolist(), path, outcome.returns[side])
        assert np.abs(weights[side] - plain).max() <= 1e-12
    assert np.abs(weights - first).max() > 0.01


class Compiled:
    """The kernel with its buffers."""

    def __init__(self, features: FeatureSet, weights: np.ndarray, given: np.ndarray, seed: int) -> None:
        self.features, self.weights, self.given = features, weights, given
        self.state = np.array([seed, 0], dtype=np.uint64)

    def play(self, start: Position, ply_limit: int, opening: int = 0) -> int:
        facts, kernels, size = start.game.facts, start.game.kernels, len(self.features.features)
        scratch = np.zeros((4, size))
        scratch[2], scratch[3] = self.features.scale
        ended = learn_match(
            kernels.legal_moves,
            kernels.apply,
            kernels.side_to_move,
            kernels.outcome,
            self.features.kernel,
            np.array([start.words, start.words]),
            np.zeros((1, facts.actions), dtype=np.int64),
            self.weights,
            np.ones((2, size)),
            np.ones((2, size)),
            scratch,
            self.given,
            self.state,
            opening,
            ply_limit,
            facts.no_moves_draws,
            new_control(),
        )
        return int(ended) % RESULTS


@GAMES
@pytest.mark.parametrize("squashes", [False, True], ids=["linear", "tanh"])
@pytest.mark.parametrize("shares", [False, True], ids=["own weights", "shared weights"])
@pytest.mark.parametrize("opening", [0, 5], ids=["from the start", "after an opening"])
def test_matches_teach_what_plain_python_learns(
    name: str, features: str, options: dict[str, int], squashes: bool, shares: bool, opening: int
) -> None:
    game = boardgames.load(name, **options)
    known = boardgames.load_features(features, game)
    given = settings(alpha=0.02, epsilon=0.2, squashes=squashes, shares=shares)
    weights = np.random.default_rng(1).uniform(-0.5, 0.5, (2, len(known.features)))
    plain = Plain(known, weights, given, seed=7)
    quick = Compiled(known, weights, given, seed=7)
    for _ in range(3):
        assert quick.play(game.start(), 40, opening) == plain.play(game.start(), 40, opening)
    assert np.abs(weights - np.array(plain.weights)).max() <= 1e-12
    assert np.abs(weights).max() > 0


@pytest.mark.plain
def test_openings_differ_with_the_seed() -> None:
    game = boardgames.load("connect4", columns=5, rows=4)
    known = boardgames.load_features("lines", game)
    courses = set()
    for seed in range(8):
        lesson = Compiled(known, np.full((2, 11), 0.3), settings(), seed=seed)
        lesson.play(game.start(), 60, 4)
        courses.add(int(lesson.state[1]))
    assert len(courses) > 5
