"""What threads do together: the first to reach a depth ends it for all, and no limit is lost."""

from dataclasses import replace

import pytest
from boardgames.search.deepening import Found
from boardgames.search.team import Team

import boardgames
from boardgames.kernels import NODE_LIMIT, NODES, STOP, Control, is_stopped, new_control

pytestmark = pytest.mark.plain

START = boardgames.load("connect4").start()


def depth_of(depth: int, value: float = 0.0) -> Found:
    found = Found.nothing(START)
    return replace(found, depth=depth, values=(value, *found.values[1:]))


def busy() -> Control:
    """Return the control array of a thread that has visited positions."""
    control = new_control(500)
    control[NODES] = 7
    return control


def test_the_first_at_a_depth_stops_the_others_there() -> None:
    team, one, other = Team(START), busy(), busy()
    for control in (one, other):
        team.begin(1, team.deepest, control)
    assert not is_stopped(other)
    first = depth_of(1, 5.0)
    assert team.end(first, one) is first
    assert is_stopped(other)
    assert not is_stopped(one)


def test_who_is_late_takes_what_was_found_and_has_its_own_limit_back() -> None:
    team, one, other = Team(START), busy(), busy()
    for control in (one, other):
        team.begin(1, team.deepest, control)
    first = depth_of(1, 5.0)
    team.end(first, one)
    assert team.end(depth_of(0), other) is first
    assert other[NODE_LIMIT] == 500
    assert not is_stopped(other)


def test_a_depth_that_is_done_is_not_begun_again() -> None:
    team, one, other = Team(START), busy(), busy()
    for depth in (1, 2):
        team.begin(depth, team.deepest, one)
        team.end(depth_of(depth, float(depth)), one)
    assert [team.begin(depth, team.deepest, other).values[0] for depth in (1, 2)] == [1.0, 2.0]
    assert team.deepest.depth == 2
    assert not is_stopped(other)


def test_a_thread_that_was_stopped_within_a_depth_ends_it_for_nobody() -> None:
    team, one, other = Team(START), busy(), busy()
    for control in (one, other):
        team.begin(1, team.deepest, control)
    one[STOP] = 1
    known = depth_of(0)
    assert team.end(known, one) is known
    assert not is_stopped(other)
    assert team.deepest.depth == 0
