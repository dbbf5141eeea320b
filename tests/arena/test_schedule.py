"""Who meets whom, for any number of agents."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.arena.schedule import gauntlet, round_robin, swiss_round, swiss_rounds
from boardgames.errors import LimitError


@given(st.integers(2, 12))
def test_in_a_round_robin_all_meet_all_once(agents: int) -> None:
    assert sorted(round_robin(agents)) == sorted(combinations(range(agents), 2))


@given(st.integers(2, 12), st.data())
def test_in_a_gauntlet_one_meets_all_others(agents: int, data: st.DataObject) -> None:
    champion = data.draw(st.integers(0, agents - 1))
    assert {first for first, _ in gauntlet(agents, champion)} == {champion}
    assert sorted(other for _, other in gauntlet(agents, champion)) == [
        agent for agent in range(agents) if agent != champion
    ]


@given(st.integers(2, 9), st.data())
def test_in_a_swiss_nobody_meets_twice_or_rests_twice_and_everybody_has_a_place(
    agents: int, data: st.DataObject
) -> None:
    scores, met = [0.0] * agents, {}
    for _ in range(min(swiss_rounds(agents), (agents + 1) // 2)):
        meetings, resting = swiss_round(scores, met)
        seated = [agent for meeting in meetings for agent in meeting] + [resting] * (resting is not None)
        assert sorted(seated) == list(range(agents))
        assert all(met.get(meeting, 0) == 0 and meeting[0] < meeting[1] for meeting in meetings)
        assert resting is None or met.get((resting, resting), 0) == 0
        for meeting in [*meetings, *([(resting, resting)] if resting is not None else [])]:
            met[meeting] = met.get(meeting, 0) + 1
        for meeting in meetings:
            winner = data.draw(st.sampled_from(meeting))
            scores[winner] += 1
        if resting is not None:
            scores[resting] += 1


def test_neighbours_in_the_standing_meet() -> None:
    assert swiss_round([0, 3, 1, 3, 1, 0], {})[0] == [(1, 3), (2, 4), (0, 5)]


def test_who_has_met_meets_somebody_else_unless_nobody_is_left() -> None:
    assert swiss_round([1, 1, 0, 0], {(0, 1): 1, (2, 3): 1})[0] == [(0, 2), (1, 3)]
    assert swiss_round([1, 0], {(0, 1): 1})[0] == [(0, 1)]


def test_the_pairing_of_a_late_round_among_many_is_found_or_given_up_soon() -> None:
    scores, met = [0.0] * 40, {}
    for _ in range(swiss_rounds(40, 39)):
        meetings, _ = swiss_round(scores, met)
        assert sorted(agent for meeting in meetings for agent in meeting) == list(range(40))
        for first, second in meetings:
            met[first, second] = met.get((first, second), 0) + 1
            scores[first] += 1


def test_the_last_who_has_not_rested_rests() -> None:
    assert swiss_round([2, 1, 0], {})[1] == 2
    assert swiss_round([2, 1, 0], {(2, 2): 1})[1] == 1


@pytest.mark.parametrize(("agents", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (64, 6)])
def test_a_swiss_has_rounds_enough_to_leave_one_unbeaten(agents: int, rounds: int) -> None:
    assert swiss_rounds(agents) == rounds


@pytest.mark.parametrize(("agents", "rounds"), [(4, 0), (4, 4), (5, 6), (2, 2), (4, -1)])
def test_rounds_that_must_repeat_a_meeting_are_refused(agents: int, rounds: int) -> None:
    with pytest.raises(LimitError, match="rounds among"):
        swiss_rounds(agents, rounds)
