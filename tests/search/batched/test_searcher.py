"""The batched search agrees with a slow one, proves only what is true, and keeps positions apart."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from maze import Maze, random_maze
from nim import Nim
from reference.match import SlowMatch
from reference.puct import search as slow_search

import boardgames
from boardgames.batch import Batch
from boardgames.errors import LimitError, OptionError, PositionError
from boardgames.game import Game
from boardgames.kernels import JIT
from boardgames.search.batched import BatchSearch, BatchSearchOptions, Evaluator
from boardgames.search.batched.options import ROOTS

pytestmark = pytest.mark.plain

GAMES: dict[str, Callable[[], Game]] = {
    "connect4": lambda: boardgames.load("connect4", columns=4, rows=4),
    "hexifence": lambda: boardgames.load("hexifence", dimension=2),
    "abalone by score": lambda: boardgames.load("abalone", limit="score"),
    "tictactoe": lambda: boardgames.load("tictactoe"),
    "nim, moving again": lambda: Nim(again=True, stuck=True),
    "maze, drawn": lambda: Maze(rooms=random_maze(1), repetition="draw:3"),
    "maze, lost": lambda: Maze(rooms=random_maze(2), repetition="loss", again=True),
    "maze, forbidden": lambda: Maze(rooms=random_maze(3), repetition="forbidden"),
}
PLY_LIMIT = 12
SIMULATIONS = 150 if JIT else 30


def taste(observation: npt.NDArray[np.int8], actions: int) -> tuple[npt.NDArray[np.float64], float]:
    """Return an arbitrary policy and value, which depend on every number of an observation."""
    seed = int((observation.ravel().astype(np.int64) * np.arange(1, observation.size + 1)).sum())
    generator = np.random.default_rng(abs(seed))
    return generator.random(actions) + 0.1, float(generator.uniform(-0.5, 0.5))


def tasteful(actions: int) -> Evaluator:
    def evaluate(
        observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]
    ) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        policies, values = zip(*(taste(one, actions) for one in observations), strict=True)
        return np.array(policies, dtype=np.float32), np.array(values, dtype=np.float32)

    return evaluate


@pytest.mark.parametrize("leaves", [1, 5])
@pytest.mark.parametrize("name", GAMES)
def test_a_tree_is_searched_as_by_a_slow_reference(name: str, leaves: int) -> None:
    game = GAMES[name]()
    actions = game.facts.actions
    options = BatchSearchOptions(root="plain", leaves=leaves)
    count = 4 if JIT else 2
    batch = Batch(game, count, ply_limit=PLY_LIMIT, seed=5)
    matches = [SlowMatch(game.start(), PLY_LIMIT) for _ in range(count)]
    for ply in range(3):
        moves = batch.sample()
        batch.step(moves, which=np.arange(count) >= ply)
        for number, match in enumerate(matches):
            if number >= ply and match.end() is None:
                match.positions.append(match.positions[-1].apply_action(int(moves[number])))
    search = BatchSearch(game, count, options=options, ply_limit=PLY_LIMIT)
    found = search.run(batch, tasteful(actions), simulations=SIMULATIONS)
    compared = 0
    for number, match in enumerate(matches):
        if match.end() is not None:
            assert found.actions[number] == -1
            continue
        root = slow_search(
            match,
            lambda one: taste(one.positions[-1].observation(), actions),
            simulations=SIMULATIONS,
            leaves=leaves,
            exploration=options.exploration,
            reduction=options.first_play_reduction,
        )
        visits = {edge.action: edge.visits for edge in root.edges}
        assert {action: int(found.visits[number, action]) for action in visits} == visits
        assert found.visits[number].sum() == sum(visits.values())
        if root.proof is None:
            assert found.results[number] == -1
            mean = (root.value + sum(edge.total for edge in root.edges)) / (1 + sum(visits.values()))
            assert found.values[number] == pytest.approx(mean, abs=1e-4)
        else:
            assert found.values[number] == root.proof
        compared += 1
    assert compared > 0


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("name", ["connect4", "hexifence", "tictactoe", "nim, moving again"])
def test_proofs_are_true_and_the_move_keeps_the_result(name: str, root: str) -> None:
    game = GAMES[name]()
    count = 40 if JIT else 6
    batch = Batch(game, count, ply_limit=100, seed=2)
    most = {"hexifence": 27, "connect4": 13, "tictactoe": 6}.get(name, 2)
    plies = most - np.arange(count) * most // (2 * count)
    while (going := (batch.plies < plies) & ~batch.over).any():
        batch.step(batch.sample(), which=going)
    options = BatchSearchOptions(root=root)  # type: ignore[arg-type]  # one of ROOTS
    search = BatchSearch(game, count, options=options, ply_limit=100, seed=1)
    found = search.run(batch, tasteful(game.facts.actions), simulations=400 if JIT else 100)
    exact: dict[object, int] = {}

    def solve(match: SlowMatch) -> int:
        """Return the result of perfect play for side 0."""
        last = match.positions[-1]
        if last not in exact:
            end = match.end()
            if end is not None:
                exact[last] = 0 if end[0] is None else 1 - 2 * end[0]
            else:
                results = [solve(match.after(action)) for action in match.actions]
                exact[last] = max(results) if last.side_to_move == 0 else min(results)
        return exact[last]

    proven = [number for number in range(count) if found.results[number] >= 0 and not batch.over[number]]
    assert proven
    for number in proven[:10]:
        position = batch.position(number)
        result = solve(SlowMatch(position, 100))
        assert {0: 1, 1: -1, 2: 0}[int(found.results[number])] == result
        assert found.values[number] == (result if position.side_to_move == 0 else -result)
        after = SlowMatch(position, 100).after(int(found.actions[number]))
        assert solve(after) == result
        for action in np.flatnonzero(found.policies[number]).tolist():
            assert solve(SlowMatch(position, 100).after(action)) == result


@pytest.mark.parametrize("root", ROOTS)
def test_the_search_of_a_position_does_not_depend_on_the_batch(root: str) -> None:
    game = boardgames.load("connect4")
    options = BatchSearchOptions(root=root)  # type: ignore[arg-type]  # one of ROOTS
    evaluate = tasteful(7)
    starts = [game.start(), *(game.parse(text) for text in ("4", "44", "435261"))]
    together = BatchSearch(game, 4, options=options, seed=7, threads=3).run(starts, evaluate, simulations=50)
    for number in range(4):
        others = [starts[0]] * number + [starts[number]]
        alone = BatchSearch(game, number + 1, options=options, seed=7, threads=1)
        budgets = np.full(number + 1, 3)
        budgets[-1] = 50
        found = alone.run(others, evaluate, simulations=budgets)
        assert found.visits[-1].tolist() == together.visits[number].tolist()
        assert found.policies[-1].tolist() == together.policies[number].tolist()
        assert found.actions[-1] == together.actions[number]


@pytest.mark.parametrize("leaves", [1, 4, 16])
def test_every_simulation_is_made_and_counted_once(leaves: int) -> None:
    game = boardgames.load("hexifence")
    options = BatchSearchOptions(root="plain", leaves=leaves)
    search = BatchSearch(game, 3, options=options)
    budgets = np.array([0, 1, 90])
    evaluated = []

    def evaluate(observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]) -> tuple[object, object]:
        evaluated.append(len(masks))
        assert masks.any(axis=1).all()
        return masks, np.zeros(len(masks))

    found = search.run([game.start()] * 3, evaluate, simulations=budgets)  # type: ignore[arg-type]  # bool too
    assert found.visits.sum(axis=1).tolist() == [0, 1, 90]
    assert search.simulations.tolist() == [0, 1, 90]
    assert search.done.all()
    assert sum(evaluated) == 3 + 91  # the roots, and a leaf for each simulation
    assert max(evaluated[1:]) <= leaves + 1
    assert found.policies.sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-5)


@pytest.mark.skipif(not JIT, reason="slow without compilation")
def test_trees_grow_as_long_as_there_is_memory() -> None:
    game = boardgames.load("abalone")
    search = BatchSearch(game, 2, options=BatchSearchOptions(root="plain"))
    found = search.run([game.start()] * 2, tasteful(game.facts.actions), simulations=np.array([300, 2]))
    assert found.visits.sum(axis=1).tolist() == [300, 2]


def test_a_search_that_only_meets_proofs_keeps_limits_of_time() -> None:
    game = boardgames.load("connect4", columns=4, rows=4)
    position = game.start().apply_moves("4 3 4 4 1 1 3 4 2 2 1 2 1")

    def insist(
        observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]
    ) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        policies = np.full(masks.shape, 1e-6)
        policies[:, 1] = 1
        return policies, np.zeros(len(masks))

    search = BatchSearch(game, 1, options=BatchSearchOptions(root="plain"))
    search.start([position], simulations=2**62)
    asked = list[None]()

    def is_over() -> bool:
        asked.append(None)
        return len(asked) == 3

    while (leaves := search.leaves(is_over)) is not None:
        search.update(*insist(*leaves))
    assert len(asked) == 3
    assert search.found().actions[0] in position.actions


@pytest.mark.skipif(not JIT, reason="slow without compilation")
def test_a_full_tree_ends_the_search() -> None:
    game = boardgames.load("abalone")
    search = BatchSearch(game, 1, options=BatchSearchOptions(root="plain"), memory=1)
    found = search.run([game.start()], tasteful(game.facts.actions), simulations=2000)
    assert 100 < found.visits.sum() < 1900
    assert found.actions[0] in game.start().actions


def test_positions_that_were_not_started_are_left_alone() -> None:
    game = boardgames.load("connect4")
    search = BatchSearch(game, 2, options=BatchSearchOptions(root="plain"))
    search.start([game.start()] * 2, simulations=10, which=np.array([True, False]))
    while (leaves := search.leaves()) is not None:
        assert len(leaves.masks) == 1
        search.update(*tasteful(7)(*leaves))
    found = search.found()
    assert search.done.tolist() == [True, False]
    assert found.actions[1] == -1
    assert not found.policies[1].any()


def test_waiting_leaves_count_as_losses_for_the_side_that_chose_them() -> None:
    game = boardgames.load("connect4")
    options = BatchSearchOptions(root="plain", leaves=6, exploration=1.0, first_play_reduction=0.0)
    search = BatchSearch(game, 1, options=options)
    search.start([game.start()], simulations=50)
    leaves = search.leaves()
    assert leaves is not None
    policy = np.array([0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    search.update(policy[None], [0.0])
    waiting = search.leaves()
    assert waiting is not None
    # without virtual losses, each descent would lead to the first of these leaves
    assert len(waiting.masks) == 6
    assert len({planes.tobytes() for planes in waiting.observations}) == 6


def test_a_search_can_start_again_while_others_go_on() -> None:
    game = boardgames.load("connect4")
    options, evaluate = BatchSearchOptions(root="plain"), tasteful(7)
    expected = BatchSearch(game, 2, options=options).run(
        [game.start(), game.parse("12")], evaluate, simulations=40
    )
    search = BatchSearch(game, 2, options=options)
    search.start([game.parse("7"), game.parse("12")], simulations=np.array([10, 40]))
    while not search.done[0]:
        leaves = search.leaves()
        assert leaves is not None
        search.update(*evaluate(*leaves))
    search.start([game.start()] * 2, simulations=40, which=np.array([True, False]))
    while (leaves := search.leaves()) is not None:
        search.update(*evaluate(*leaves))
    assert search.found().visits.tolist() == expected.visits.tolist()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((np.ones((1, 7)), np.zeros(2)), r"values of the shape \[1\], not \[2\]"),
        ((np.ones((2, 7)), np.zeros(1)), r"policies of the shape \[1, 7\], not \[2, 7\]"),
        ((np.full((1, 7), np.nan), np.zeros(1)), "policies that are not finite"),
        ((np.ones((1, 7)), np.array([np.inf])), "values that are not finite"),
        ((np.ones((1, 7)), ["win"]), "values as numbers"),
        ((np.ones((1, 7)), np.array([7.0])), "the value 7; values must be -1 to 1"),
        ((np.ones((1, 7)), np.array([-1.01])), "the value -1.01; values must be -1 to 1"),
        ((-np.ones((1, 7)), np.zeros(1)), "policies that are negative"),
        (None, "must return a pair of policies and values, not None"),
        (np.ones((1, 7)), "must return a pair of policies and values, not array"),
    ],
)
def test_answers_that_are_no_policies_and_values_are_refused(answer: object, message: str) -> None:
    game = boardgames.load("connect4")
    search = BatchSearch(game, 1)
    with pytest.raises(LimitError, match=message):
        search.run([game.start()], lambda observations, masks: answer, simulations=3)  # type: ignore[arg-type, return-value]  # wrong on purpose


def test_wrong_arguments_are_refused() -> None:
    game, other = boardgames.load("connect4"), boardgames.load("hexifence")
    evaluate = tasteful(7)
    with pytest.raises(OptionError, match="a search needs a Game"):
        BatchSearch("connect4", 1)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(LimitError, match="size must be 1 to 65,536, not 0"):
        BatchSearch(game, 0)
    search = BatchSearch(game, 2)
    with pytest.raises(PositionError):
        search.run([other.start()] * 2, evaluate, simulations=1)
    for nothing in (None, 7, game.start()):
        with pytest.raises(PositionError, match="a search needs a Batch, a list of positions or an array"):
            search.run(nothing, evaluate, simulations=1)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(OptionError, match="an evaluator must be a function, not None"):
        search.run([game.start()] * 2, None, simulations=1)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(LimitError, match="2 positions"):
        search.run([game.start()], evaluate, simulations=1)
    for wrong in (-1, [1, 2, 3], 0.5):
        with pytest.raises(LimitError, match="simulations must be"):
            search.run([game.start()] * 2, evaluate, simulations=wrong)
    with pytest.raises(LimitError, match="positions are chosen by"):
        search.start([game.start()] * 2, simulations=1, which=np.array([1, 0]))
    with pytest.raises(LimitError, match="ply_limit must be"):
        BatchSearch(game, 1, ply_limit=0)
