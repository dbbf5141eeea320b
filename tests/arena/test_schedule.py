"""Schedules for any number of agents."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.arena.schedule import gauntlet, round_robin, swiss_pairings, swiss_round_count
from boardgames.errors import LimitError


@given(st.integers(2, 12))
def test_round_robin_pairs_everybody_once(agents: int) -> None:
    assert sorted(round_robin(agents)) == sorted(combinations(range(agents), 2))


@given(st.integers(2, 12), st.data())
def test_gauntlet_pairs_the_champion_with_all_others(agents: int, data: st.DataObject) -> None:
    champion = data.draw(st.integers(0, agents - 1))
    assert {first for first, _ in gauntlet(agents, champion)} == {champion}
    assert sorted(other for _, other in gauntlet(agents, champion)) == [
        agent for agent in range(agents) if agent != champion
    ]


@given(st.integers(2, 9), st.data())
def test_swiss_repeats_no_pairing_or_bye_and_pairs_everybody(agents: int, data: st.DataObject) -> None:
    scores = [0.0] * agents
    played: dict[tuple[int, int], int] = {}
    for _ in range(min(swiss_round_count(agents), (agents + 1) // 2)):
        pairings, bye = swiss_pairings(scores, played)
        paired = [agent for pairing in pairings for agent in pairing]
        paired += [] if bye is None else [bye]
        assert sorted(paired) == list(range(agents))
        assert all(played.get(pairing, 0) == 0 and pairing[0] < pairing[1] for pairing in pairings)
        assert bye is None or played.get((bye, bye), 0) == 0
        for pairing in [*pairings, *([(bye, bye)] if bye is not None else [])]:
            played[pairing] = played.get(pairing, 0) + 1
        for pairing in pairings:
            scores[data.draw(st.sampled_from(pairing))] += 1
        if bye is not None:
            scores[bye] += 1


def test_swiss_pairs_neighbours_in_the_standings() -> None:
    assert swiss_pairings([0, 3, 1, 3, 1, 0], {})[0] == [(1, 3), (2, 4), (0, 5)]


def test_swiss_repeats_a_pairing_only_if_it_must() -> None:
    assert swiss_pairings([1, 1, 0, 0], {(0, 1): 1, (2, 3): 1})[0] == [(0, 2), (1, 3)]
    assert swiss_pairings([1, 0], {(0, 1): 1})[0] == [(0, 1)]


def test_swiss_finds_pairings_for_late_rounds_with_many_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardgames.arena.schedule.MAX_TRIES", 1000)
    scores = [0.0] * 40
    played: dict[tuple[int, int], int] = {}
    for _ in range(swiss_round_count(40, 39)):
        pairings, _ = swiss_pairings(scores, played)
        assert sorted(agent for pairing in pairings for agent in pairing) == list(range(40))
        for first, second in pairings:
            played[first, second] = played.get((first, second), 0) + 1
            scores[first] += 1


def test_bye_goes_to_the_lowest_agent_without_one() -> None:
    assert swiss_pairings([2, 1, 0], {})[1] == 2
    assert swiss_pairings([2, 1, 0], {(2, 2): 1})[1] == 1


@pytest.mark.parametrize(("agents", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (64, 6)])
def test_default_number_of_swiss_rounds_leaves_one_agent_unbeaten(agents: int, rounds: int) -> None:
    assert swiss_round_count(agents) == rounds


@pytest.mark.parametrize(("agents", "rounds"), [(4, 0), (4, 4), (5, 6), (2, 2), (4, -1)])
def test_more_rounds_than_opponents_are_rejected(agents: int, rounds: int) -> None:
    with pytest.raises(LimitError, match="rounds among"):
        swiss_round_count(agents, rounds)
