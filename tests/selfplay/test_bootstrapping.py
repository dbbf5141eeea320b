"""TreeStrap and TD-leaf: updates by hand, and whole matches against plain Python."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from reference.bootstrapping import PlainTrainer
from reference.minimax import minimax_value, reached

import boardgames
from boardgames.declarations import FeatureSet
from boardgames.game import Game, Position
from boardgames.kernels import Reals, new_control
from boardgames.kernels.bundles import Bundle
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.search import pvs
from boardgames.search.alphabeta.workspace import new_workspace as new_search
from boardgames.search.rules import INFINITY, UNFINISHED, WIN
from boardgames.selfplay.bootstrapping import (
    NEVER,
    change_weights,
    discounted,
    learn_match,
    learn_result,
    learn_search,
    learn_value,
    new_parameters,
    new_workspace,
    search_tree,
    trace_leaf,
)
from boardgames.selfplay.temporal import RESULTS
from boardgames.weights.linear import linear_evaluation

PLAIN = SearchOptions.plain()
ORDERED = replace(SearchOptions.plain(), killers=True, history=True)

GAMES = pytest.mark.parametrize(
    ("name", "features", "options"),
    [
        pytest.param("connect4", "lines", {"columns": 5, "rows": 4}, id="connect4", marks=pytest.mark.plain),
        pytest.param("abalone", "classic14", {}, id="abalone"),
        pytest.param("hexifence", "simple", {"dimension": 2}, id="hexifence"),
    ],
)
ALGORITHMS = pytest.mark.parametrize("whole_tree", [True, False], ids=["treestrap", "td-leaf"])


class Compiled:
    """The kernels with their buffers; `weights` are changed."""

    def __init__(
        self,
        game: Game,
        features: FeatureSet,
        weights: Reals,
        parameters: np.ndarray,
        *,
        seed: int = 1,
        options: SearchOptions = PLAIN,
    ) -> None:
        evaluation = linear_evaluation(game, features, weights, tanh=bool(parameters[0].tanh))
        search = new_search(game, evaluation, options.record(game, evaluation), pvs, new_control(), rows=12)
        self.search = search._replace(weights=search.weights.copy())
        self.work = new_workspace(features, weights, self.search.weights, parameters)
        self.work.traces.fill(1.0)  # each match must begin with new traces
        self.work.random_state[0] = seed
        self.searched = Bundle(self.search)
        self.learned = Bundle(self.work)
        change_weights(self.learned.words, 0.0)  # so that the constant is added up as in plain Python

    def play(self, start: Position, ply_limit: int, opening: int = 0) -> int:
        """Play a match and return its result."""
        self.search.positions[0] = start.words
        return int(learn_match(self.searched.words, self.learned.words, opening, ply_limit)) % RESULTS

    def value(self, position: Position, depth: int) -> float:
        """Search a position, and return its value."""
        self.search.positions[0] = position.words
        return float(search_tree(self.searched.words, self.learned.words, 0, depth, -INFINITY, INFINITY))


def random_weights(features: FeatureSet, seed: int = 1) -> Reals:
    return np.random.default_rng(seed).uniform(-0.5, 0.5, len(features.features))


@GAMES
@ALGORITHMS
@pytest.mark.parametrize("tanh", [False, True], ids=["linear", "tanh"])
@pytest.mark.parametrize("depth", [1, 2])
def test_matches_give_the_weights_of_plain_python(
    name: str, features: str, options: dict[str, Any], whole_tree: bool, tanh: bool, depth: int
) -> None:
    game = boardgames.load(name, **options)
    known = boardgames.load_features(features, game)
    parameters = new_parameters(
        alpha=0.05, gamma=0.9, trace_decay=0.6, epsilon=0.2, tanh=tanh, depth=depth, whole_tree=whole_tree
    )
    weights = random_weights(known)
    before = weights.copy()
    plain = PlainTrainer(known, weights.tolist(), parameters, seed=7)
    quick = Compiled(game, known, weights, parameters, seed=7)
    limit = 6 if name == "abalone" and depth == 2 else 30
    for _ in range(2):
        assert quick.play(game.start(), limit, 3) == plain.play(game.start(), limit, 3)
    assert np.abs(weights - np.array(plain.weights)).max() <= 1e-10
    assert np.abs(weights - before).max() > 1e-3


@pytest.mark.parametrize(("limit", "result"), [("score", 1), ("draw", UNFINISHED)])
def test_a_game_may_say_who_wins_at_the_limit(limit: str, result: int) -> None:
    game = boardgames.load("abalone", limit=limit)
    known = boardgames.load_features("classic14", game)
    quick = Compiled(game, known, random_weights(known), new_parameters(depth=1, whole_tree=False))
    assert quick.play(game.parse(f"{game.start()}".replace("0:0", "2:1")), 3) == result


@ALGORITHMS
def test_matches_of_the_example_game_give_the_weights_of_plain_python(whole_tree: bool) -> None:
    game = boardgames.load("tictactoe")
    known = boardgames.load_features("lines", game)
    parameters = new_parameters(alpha=0.1, gamma=0.95, depth=3, whole_tree=whole_tree)
    weights = random_weights(known)
    plain = PlainTrainer(known, weights.tolist(), parameters, seed=3)
    quick = Compiled(game, known, weights, parameters, seed=3)
    results = [(quick.play(game.start(), 9, 1), plain.play(game.start(), 9, 1)) for _ in range(6)]
    assert all(first == second for first, second in results)
    assert np.abs(weights - np.array(plain.weights)).max() <= 1e-10


def test_killer_moves_and_history_do_not_change_the_value_of_a_search() -> None:
    game = boardgames.load("connect4", columns=5, rows=4)
    known = boardgames.load_features("lines", game)
    weights = random_weights(known)
    evaluation = linear_evaluation(game, known, weights, tanh=True)
    for seed in range(6):
        position = reached(game, 5, seed)
        compiled = Compiled(game, known, weights.copy(), new_parameters(alpha=0.0), options=ORDERED)
        expected = minimax_value(position, position.side_to_move, 4, evaluation=evaluation)
        assert compiled.value(position, 4) == pytest.approx(expected, abs=1e-9)
        assert compiled.search.history.max() > 0


# --- updates by hand ----------------------------------------------------------


@pytest.mark.plain
def test_a_win_counts_less_the_further_away_it_is() -> None:
    assert discounted(WIN - 5, 2, 4, 0.5) == 0.5**3
    assert discounted(5 - WIN, 2, 4, 0.5) == -(0.5**3)
    assert discounted(0.8, 2, 4, 0.5) == pytest.approx(0.8 * 0.5**4)


def quick_on(text: str, **parameters: object) -> tuple[Compiled, Position]:
    """Return the kernels for Connect Four with weights of 0, and a position."""
    game = boardgames.load("connect4")
    known = boardgames.load_features("lines", game)
    given: dict[str, object] = {"tanh": False, "epsilon": 0.0, **parameters}
    return Compiled(game, known, np.zeros(11), new_parameters(**given)), game.parse(text)  # type: ignore[arg-type]


def scaled_features(position: Position) -> Reals:
    """Return the features of the side that has just moved, on the scale of -1 to 1."""
    known = boardgames.load_features("lines", position.game)
    out = np.zeros(11)
    known.kernel(position.words, 1 - position.side_to_move, out)
    return known.normalised(out)


@pytest.mark.plain
def test_treestrap_learns_from_a_win_of_the_side_to_move() -> None:
    """The side to move wins at once, so the evaluation for the other side should be -1; it is 0."""
    compiled, position = quick_on("112233", depth=1, alpha=0.5)
    compiled.play(position, 1)
    assert compiled.work.weights == pytest.approx(0.5 * -1.0 * scaled_features(position), abs=1e-12)


@pytest.mark.plain
def test_treestrap_averages_over_the_positions_of_the_tree() -> None:
    """The sum of the changes from 4 positions is 3 (1, 2, ...), and the learning rate 0.5: 0.5 * 3 / 4."""
    compiled, position = quick_on("44", alpha=0.5)
    compiled.search.positions[0] = position.words
    compiled.work.change[:] = 3.0 * np.arange(1, 12)
    compiled.work.totals[0, 0] = 4.0
    learn_search(compiled.searched.words, compiled.learned.words, 2, 0.0)
    assert compiled.work.weights == pytest.approx(0.375 * np.arange(1, 12), abs=1e-12)
    assert compiled.work.change.tolist() == [0.0] * 11


@pytest.mark.plain
def test_searches_use_the_changed_weights() -> None:
    compiled, position = quick_on("4453")
    compiled.work.change[:] = np.linspace(-1, 1, 11)
    change_weights(compiled.learned.words, 1.0)
    expected = -float(np.linspace(-1, 1, 11) @ scaled_features(position))
    assert compiled.value(position, 0) == pytest.approx(expected, abs=1e-12)


@pytest.mark.plain
def test_nothing_is_learned_if_the_evaluation_is_within_the_bound() -> None:
    compiled, position = quick_on("44", depth=1)
    compiled.search.positions[0] = position.words
    arguments = compiled.searched.words, compiled.learned.words, 0, 1
    for value, alpha, beta, teaches in [
        (0.3, -1.0, 1.0, True),
        (0.3, 0.5, 1.0, False),  # at most 0.3, and the evaluation is 0
        (-0.3, 0.5, 1.0, True),
        (-0.3, -1.0, -0.5, False),  # at least -0.3
        (0.3, -1.0, -0.5, True),
    ]:
        compiled.work.change.fill(0.0)
        learn_value(*arguments, value, alpha, beta)
        assert bool(compiled.work.change.any()) == teaches


@pytest.mark.plain
def test_td_leaf_learns_that_the_last_search_should_have_found_the_result() -> None:
    """Side 0 wins two plies after a search that found 0.25: 0.9^2 - 0.25 = 0.56. Side 1 has not searched."""
    compiled, _ = quick_on("-", alpha=0.5, gamma=0.9, whole_tree=False)
    work = compiled.work
    work.searched[:], work.values[:] = [4, NEVER], [0.25, 0.5]
    work.traces[0] = np.arange(1, 12)
    learn_result(compiled.learned.words, 6, 0)
    assert work.weights == pytest.approx(0.5 * 0.56 * np.arange(1, 12), abs=1e-12)


@pytest.mark.plain
def test_a_win_that_a_search_has_found_does_not_depend_on_the_weights() -> None:
    """A line shorter than the search depth means that the match is over, so it adds nothing to the traces."""
    compiled, position = quick_on("44", depth=3, gamma=0.9, whole_tree=False)
    compiled.search.positions[0] = position.words
    compiled.search.lines[0, 0] = 0
    compiled.work.traces[0] = np.arange(1, 12)
    trace_leaf(compiled.searched.words, compiled.learned.words, WIN - 2, 0.5)
    assert compiled.work.traces[0].tolist() == (0.5 * np.arange(1, 12)).tolist()
    assert compiled.work.values[0] == pytest.approx(0.9**2)


@ALGORITHMS
def test_a_match_that_is_stopped_changes_nothing(whole_tree: bool) -> None:
    compiled, position = quick_on("112233", depth=1, whole_tree=whole_tree)
    compiled.search.control[0].stop = 1
    compiled.play(position, 42)
    assert not compiled.work.weights.any()
