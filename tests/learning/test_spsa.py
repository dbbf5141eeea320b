"""The learner `spsa`: one step by hand, optimisation of a quadratic, and its opponents."""

from typing import Any

import numpy as np
import pytest
from learning.helpers import TARGET, QuadraticSpsa, Recording, make, small, train

from boardgames.executors import InProcess
from boardgames.executors.counting import CountingExecutor


def test_a_step_agrees_with_a_calculation_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Along two directions the weights gain 0.5 and lose 0.25."""
    learner = make("spsa", directions=2, rate=0.2, change=0.1, test_matches=0)
    seen: list[Any] = []

    def gains(mean: Any, changes: Any, executor: Any, seed: int) -> Any:
        seen.append(changes)
        return np.array([0.5, -0.25])

    monkeypatch.setattr(learner, "gains", gains)
    before = learner.start(1)
    after, metrics = learner.step(before, InProcess())
    assert set(np.abs(seen[0]).ravel()) == {0.1}
    directions = seen[0] / 0.1
    expected = 0.2 * (0.5 * directions[0] - 0.25 * directions[1]) / 2
    assert after.arrays["mean"] == pytest.approx(before.arrays["mean"] + expected)
    assert (metrics["gain"], metrics["rate"], metrics["change"]) == (0.375, 0.2, 0.1)


def test_optimum_of_a_quadratic_is_found() -> None:
    learner = QuadraticSpsa(small(), steps=150, opponent="random", rate=1.0, test_matches=0)
    last = train(learner, seed=1)[-1]
    assert np.abs(last.arrays["mean"] - TARGET).max() < 0.02


def test_the_two_changed_players_meet_each_other_or_the_opponent() -> None:
    for options, players in (({}, 1), ({"opponent": "random"}, 2)):
        learner, tasks = make("spsa", **options), CountingExecutor(InProcess())
        learner.step(learner.start(1), tasks)
        assert tasks.done == learner.task_count(0) == players * 3 + 1


def test_a_win_of_the_changed_weights_moves_towards_them() -> None:
    """The gains are the points of the matches that were played, from -1 to 1."""
    learner, recorded = make("spsa", directions=1, fitness="wins", test_matches=0), Recording()
    changes = np.full((1, learner.space.size), 0.5)
    gains = learner.gains(learner.start_point, changes, recorded, seed=5)
    (matches,) = recorded.results
    points = [match.points for match in matches]
    assert len(points) == 4
    assert gains.tolist() == [2 * sum(points) / 4 - 1]
    opposite = learner.gains(learner.start_point, -changes, InProcess(), seed=5)
    assert -1 <= opposite[0] <= 1
