"""The experiment `blind-spot`: exact comparisons, unsolved positions, shares, and any number of workers."""

import random

import pytest
from reference.hexifence_values import move_values

import boardgames
from boardgames.errors import OptionError
from boardgames.executors import InProcess, ProcessPool
from boardgames.experiments import Measurements, load_experiment
from boardgames.game import Game, Position
from boardgames_hexifence.experiments import NO, NO_LIMIT, UNSOLVED, YES, Finding, edges_of_kind, find, judge
from boardgames_hexifence.features import SACRIFICING, SAFE
from boardgames_hexifence.solver import Solver


def late_position(game: Game, most_open: int, chance: random.Random) -> Position:
    """Return a position with safe edges and few open ones, after random safe edges."""
    while True:
        position = game.start()
        while safe := edges_of_kind(position, SAFE):
            if len(position.actions) <= most_open:
                return position
            position = position.apply(game.decode(position, chance.choice(safe)))


@pytest.mark.parametrize("all_values", [True, False], ids=["table", "search"])
def test_moves_are_compared_by_the_values_of_a_plain_search(all_values: bool) -> None:
    game, chance, seen = boardgames.load("hexifence", dimension=2), random.Random(5), set()
    solver = Solver(game, table=4, all_values=all_values)
    for _ in range(50):
        position = late_position(game, chance.randint(10, 12), chance)
        values = move_values(2, sum(1 << edge for edge in position.actions))
        safe, sacrifices = (
            max((values[edge] for edge in edges_of_kind(position, kind)), default=-100)
            for kind in (SAFE, SACRIFICING)
        )
        finding = judge(position, solver, 0)
        assert finding.better == (YES if sacrifices > safe else NO)
        assert finding.wins == (YES if sacrifices > 0 > safe else NO)
        seen |= {finding.better, finding.wins}
    assert seen == {YES, NO}


def test_positions_beyond_the_node_limit_are_unsolved() -> None:
    game = boardgames.load("hexifence", dimension=3)
    position = late_position(game, 40, random.Random(1))
    assert judge(position, Solver(game, table=4), 1).better == UNSOLVED


def test_positions_with_too_many_safe_edges_are_left_out() -> None:
    everything, late = (find(2, 5, most, 0, seed=3) for most in (NO_LIMIT, 4))
    assert all(match[0].safe_edges == 30 for match in everything)
    assert late == [tuple(finding for finding in match if finding.safe_edges <= 4) for match in everything]


def test_shares_are_of_positions_and_of_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = [
        (Finding(2, YES, NO), Finding(1, NO, NO)),
        (Finding(2, NO, NO), Finding(1, UNSOLVED, NO)),
        (Finding(3, NO, UNSOLVED), Finding(1, YES, YES)),
        (Finding(1, NO, NO),),
    ]
    monkeypatch.setattr("boardgames_hexifence.experiments.find", lambda *arguments: matches)
    experiment = load_experiment("blind-spot", boardgames.load("hexifence", dimension=2), matches=4)
    measured = experiment.run(InProcess(), 1)
    assert isinstance(measured, Measurements)
    better, known, wins, _ = measured.grids
    assert better.columns == ("1", "2", "3", "all", "matches")
    assert better.values[0] == pytest.approx((1 / 3, 1 / 2, 0, 2 / 6, 2 / 3))
    assert [*known.values] == [(3, 2, 1, 6, 3), (1, 0, 0, 1, 1)]
    assert wins.values[0] == pytest.approx((1 / 4, 0, None, 1 / 6, 1 / 4))
    assert "strictly better somewhere in 2 of 3 matches" in measured.conclusion
    assert "with the 1 unsolved ones it is 50.0% to 75.0% of all" in measured.conclusion


@pytest.mark.slow
def test_results_do_not_depend_on_the_workers() -> None:
    experiment = load_experiment("blind-spot", boardgames.load("hexifence"), matches=12, safe=3)
    with ProcessPool(2) as pool:
        results = [experiment.run(executor, 5) for executor in (InProcess(), pool)]
    assert results[0] == results[1]


def test_boards_that_cannot_be_solved_are_rejected() -> None:
    with pytest.raises(OptionError, match="solves Hexifence up to dimension"):
        load_experiment("blind-spot", boardgames.load("hexifence", dimension=6))
