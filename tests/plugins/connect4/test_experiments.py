"""The experiment `perfection`: positions, exact losses, equal results on any number of workers."""

import pytest
from reference.connect4 import ReferencePosition, ReferenceSolver

import boardgames
from boardgames.errors import UnknownNameError
from boardgames.executors import InProcess, ProcessPool
from boardgames.experiments import Measurements, load_experiment
from boardgames_connect4.experiments import losses_of, sample

OPTIONS = (("columns", 7), ("rows", 6))
WIN_AT_ONCE = (30 + 1 - 12) // 2
"""The score of a win with the thirteenth stone."""


def test_sampled_positions_have_a_choice_and_the_scores_of_a_slow_solver() -> None:
    solver = ReferenceSolver(7, 6)
    game = boardgames.load("connect4")
    for scored in sample(OPTIONS, 34, 10, seed=1):
        position = game.parse(scored.text)
        assert sum(scored.text.count(stone) for stone in "rb") == 34
        assert len(set(scored.scores)) > 1
        columns = zip(*reversed(scored.text.split("/")), strict=True)
        reference = ReferencePosition(tuple("".join(column).rstrip(".") for column in columns), 6)
        assert max(scored.scores) == solver.score(reference)
        for move, score in zip(position.legal_moves, scored.scores, strict=True):
            after = reference.apply(int(str(move)))
            if after.outcome is None:
                assert score == -solver.score(after)


def test_the_loss_of_a_move_is_how_far_it_is_below_the_best() -> None:
    positions = tuple(sample(OPTIONS, 30, 40, seed=2))
    assert losses_of(OPTIONS, "solver", positions, seed=1) == [0] * 40
    losses = losses_of(OPTIONS, "random", positions, seed=1)
    for loss, scored in zip(losses, positions, strict=True):
        assert max(scored.scores) - loss in scored.scores
    assert sum(losses) > 0


@pytest.mark.slow
def test_results_do_not_depend_on_the_workers() -> None:
    game = boardgames.load("connect4", layout="5x5")
    experiment = load_experiment("perfection", game, agents="random greedy", positions=3, first=10, last=18)
    with ProcessPool(2) as pool:
        results = [experiment.run(executor, 5) for executor in (InProcess(), pool)]
    assert results[0] == results[1]
    assert isinstance(results[0], Measurements)
    assert results[0].grids[0].columns == ("10", "14", "18", "all")


@pytest.mark.slow
def test_positions_are_those_of_the_agent_that_plays_them() -> None:
    # a side that looks two plies ahead rarely leaves the other a win at once; random moves often do
    options = (("columns", 6), ("rows", 5))  # solved in a moment
    found = sample(options, 12, 20, 1, "alphabeta:depth=2")
    assert all(sum(scored.text.count(stone) for stone in "rb") == 12 for scored in found)
    winning = [
        sum(max(scored.scores) == WIN_AT_ONCE for scored in group)
        for group in (found, sample(options, 12, 20, 1))
    ]
    assert winning[0] < winning[1]


def test_unknown_agent_is_reported_before_the_work() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'greedy'"):
        load_experiment("perfection", boardgames.load("connect4"), played_by="gredy")
