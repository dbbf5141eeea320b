"""The ladder: everybody who has met, on one scale."""

import pytest

from boardgames.arena.ladder import ladder
from boardgames.store import PlayerKey, ResultCount

A, B, C, D = (PlayerKey(name) for name in "abcd")


def test_sides_make_no_difference_and_winners_rank_first() -> None:
    rungs = ladder(
        [
            ResultCount(A, B, 0, 30),
            ResultCount(B, A, 1, 30),
            ResultCount(A, B, 1, 20),
            ResultCount(B, A, None, 10),
        ]
    )
    assert [rung.player for rung in rungs] == [A, B]
    assert (rungs[0].wins, rungs[0].losses, rungs[0].draws, rungs[0].matches) == (60, 20, 10, 90)
    assert rungs[0].estimate.elo == pytest.approx(-rungs[1].estimate.elo)
    assert rungs[0].estimate.low > 0


def test_agents_that_never_met_are_compared_by_those_whom_both_met() -> None:
    met = [
        ResultCount(A, B, 0, 60),
        ResultCount(A, B, 1, 30),
        ResultCount(B, C, 0, 60),
        ResultCount(B, C, 1, 30),
    ]
    assert [rung.player for rung in ladder(met)] == [A, B, C]


def test_agents_of_one_name_with_other_weights_stand_apart() -> None:
    old, new = PlayerKey("td", "1"), PlayerKey("td", "2")
    rungs = ladder([ResultCount(old, new, 1, 9), ResultCount(new, old, 1, 3)])
    assert [rung.player for rung in rungs] == [new, old]


def test_groups_that_never_met_are_not_compared() -> None:
    met = [ResultCount(A, B, 0, 9), ResultCount(A, B, 1, 3), ResultCount(C, D, 0, 3), ResultCount(C, D, 1, 2)]
    rungs = ladder(met)
    assert {rung.player for rung in rungs if rung.estimate is None} == {C, D}
    assert {rung.player for rung in rungs[:2]} == {A, B}


def test_an_empty_store_has_an_empty_ladder() -> None:
    assert ladder([]) == []
