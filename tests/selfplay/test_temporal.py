"""TD(lambda): by hand for three moves, and against plain Python on whole matches."""

import numpy as np
import pytest
from reference.temporal import Plain

import boardgames
from boardgames.declarations import FeatureSet
from boardgames.game import Position
from boardgames.kernels import new_control
from boardgames.selfplay.temporal import RESULTS, learn, learn_match

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
    known = boardgames.feature_set(features, game)
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
    known = boardgames.feature_set("lines", game)
    courses = set()
    for seed in range(8):
        lesson = Compiled(known, np.full((2, 11), 0.3), settings(), seed=seed)
        lesson.play(game.start(), 60, 4)
        courses.add(int(lesson.state[1]))
    assert len(courses) > 5
