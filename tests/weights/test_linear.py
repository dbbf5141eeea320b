"""Weights as an evaluation: compared with plain NumPy on many positions, and caching of the compiled code."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boardgames
from boardgames.declarations import MAX_VALUE, Evaluation, FeatureSet
from boardgames.game import Game, Move, Position
from boardgames.kernels import JIT
from boardgames.score import RETURN
from boardgames.weights.linear import WEIGHTED_SUM, linear_evaluation

CASES = [
    ("abalone", {}, "classic14"),
    ("abalone", {}, "simple"),
    ("abalone", {}, "extended"),
    ("abalone", {"broadside": False}, "extended"),
    ("connect4", {}, "lines"),
    ("connect4", {"columns": 5, "rows": 4}, "lines"),
    ("hexifence", {"dimension": 2}, "simple"),
]
SETS = pytest.mark.parametrize(
    ("name", "options", "features"), CASES, ids=[f"{name} {features}" for name, _, features in CASES]
)
TANH = pytest.mark.parametrize("tanh", [False, True], ids=["sum", "tanh"])


def random_positions(game: Game, matches: int, longest: int = 60) -> Iterator[Position]:
    """Yield the positions of random matches."""
    random = np.random.default_rng(4)
    for _ in range(matches):
        position = game.start()
        for _ in range(longest):
            yield position
            if position.outcome is not None:
                break
            position = position.apply(Move(int(random.choice(position.actions)), ""))


def expected_value(features: FeatureSet, weights: np.ndarray, position: Position, *, tanh: bool) -> float:
    """Return the value for the side to move: minus that for the other side, from which features are seen."""
    numbers = np.zeros(len(features.features))
    features.kernel(position.words, 1 - position.side_to_move, numbers)
    low, high = (np.array([getattr(f, end) for f in features.features]) for end in ("low", "high"))
    width = np.where(high > low, high - low, 2)
    total = float(np.sum(weights * (2 * numbers - low - high) / width))
    return -np.tanh(total) if tanh else -total


def value(evaluation: Evaluation, position: Position) -> float:
    return evaluation.value(position.words)


@pytest.mark.plain
@TANH
@SETS
def test_evaluation_is_minus_the_value_to_the_side_that_has_just_moved(
    name: str, options: dict[str, Any], features: str, tanh: bool
) -> None:
    game = boardgames.load(name, **options)
    known = boardgames.load_features(features, game)
    weights = np.random.default_rng(1).uniform(-1, 1, len(known.features))
    evaluation = linear_evaluation(game, known, weights, tanh=tanh)
    seen = [
        (value(evaluation, position), expected_value(known, weights, position, tanh=tanh))
        for position in random_positions(game, 3 if JIT else 1)
    ]
    values, expected = np.array(seen).T
    assert np.abs(values - expected).max() <= 1e-12
    assert len(np.unique(values)) > len(values) // 2
    assert np.abs(values).max() <= evaluation.bound
    assert evaluation.unit is (RETURN if tanh else WEIGHTED_SUM)
    assert features in evaluation.name


@pytest.mark.plain
def test_sum_is_clipped_to_the_range_of_search() -> None:
    game = boardgames.load("connect4")
    lines = boardgames.load_features("lines", game)
    for sign in (1, -1):
        evaluation = linear_evaluation(game, lines, np.full(11, sign * 1e6), tanh=False)
        assert value(evaluation, game.start()) == sign * MAX_VALUE


def test_equal_games_and_features_share_a_kernel() -> None:
    def kernel_of(features: str, *, tanh: bool = True, **options: Any) -> object:
        game = boardgames.load("abalone", **options)
        known = boardgames.load_features(features, game)
        return linear_evaluation(game, known, np.ones(len(known.features)), tanh=tanh).kernel

    assert kernel_of("classic14") is kernel_of("classic14")
    assert kernel_of("extended") is not kernel_of("extended", broadside=False)
    assert len({kernel_of("classic14"), kernel_of("simple"), kernel_of("classic14", tanh=False)}) == 3


FEATURES = """
import boardgames
from boardgames.declarations import Feature, FeatureSet
from boardgames.kernels import Features, kernel
from weighedgame.board import SIZE

@kernel(Features)
def sizes(position, side, out):
    out[0] = SIZE

SIZES = FeatureSet("sizes", sizes, (Feature("size", "cells", -1.0, 1.0, "constant"),))
"""
SHOW = """
import numpy as np
from pathlib import Path
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    import boardgames
    from boardgames.weights.linear import linear_evaluation
    from weighedgame.features import SIZES
    game = boardgames.load("connect4")
    made = linear_evaluation(game, SIZES, np.ones(1), tanh=False)
print(made.value(game.start().words), len(recorder.buffer) // 2, made.kernel.dispatcher._cache.cache_path)
"""


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="needs the compiler")
def test_code_is_cached_with_that_of_the_features(tmp_path: Path) -> None:
    package = tmp_path / "weighedgame"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "features.py").write_text(FEATURES)
    environment = os.environ | {
        "BOARDGAMES_HOME": str(tmp_path / "home"),
        "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }

    def show(size: float) -> tuple[float, int, Path]:
        """Return value, number of compilations and cache folder, from another process."""
        (package / "board.py").write_text(f"SIZE = {size}\n")
        done = subprocess.run(
            [sys.executable, "-c", SHOW], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        first, second, third = done.stdout.split(maxsplit=2)
        return float(first), int(second), Path(third.strip())

    first, compiled, folder = show(0.5)
    assert first == -0.5
    assert compiled > 0
    assert folder.is_relative_to(tmp_path / "home" / "cache" / "kernels" / "weighedgame")
    assert [path for path in folder.iterdir() if "evaluate" in path.name]
    assert show(0.5) == (-0.5, 0, folder)
    assert show(0.75)[0] == -0.75
