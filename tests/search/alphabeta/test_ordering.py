"""Move ordering: which moves come first, and what a cut-off leaves behind."""

import numpy as np
import pytest
from reference.minimax import reached

import boardgames
from boardgames.game import Position
from boardgames.kernels import Actions
from boardgames.kernels.bundles import Bundle
from boardgames.search.alphabeta.ordering import (
    MAX_HISTORY,
    defer_move,
    pick_move,
    rank_moves,
    restore_move,
    update_killers_and_history,
)
from boardgames.selfplay.contest import new_workspaces

pytestmark = pytest.mark.plain

PLY = 1
PUSHING = boardgames.load("abalone").parse(
    "...../....../...bbw./......../......bbw/......../......./bw..../bb...:b:0:0"
)


class Ply:
    """The workspace of a search that has reached a position at ply 1."""

    def __init__(self, position: Position) -> None:
        self.work = new_workspaces(position.game, [position.game.evaluation], 5)[0]
        self.bundle = Bundle(self.work)
        self.options = self.work.options[0]
        self.options.killers = self.options.history = 1
        self.work.killers.fill(-1)
        self.work.positions[PLY] = position.words
        self.actions, self.side = position.actions, position.side_to_move
        self.history = self.work.history[self.side]

    def order(self, table_move: int = -1) -> list[int]:
        """Return the actions in the order in which they are searched."""
        count = len(self.actions)
        self.work.moves[2 * PLY, :count] = self.actions
        rank_moves(self.bundle.words, PLY, count, self.side, table_move)
        return [int(pick_move(self.work.moves, PLY, index, count)) for index in range(count)]

    def cut_off_at(self, place: int, depth: int = 3) -> None:
        """Record a cut-off by the move at a place of the order."""
        update_killers_and_history(self.bundle.words, PLY, place, depth, self.side)

    def refute(self, action: int) -> None:
        """Record a cut-off by an action that was searched first."""
        self.order(table_move=action)
        self.cut_off_at(0)


def tactical_of(position: Position) -> list[int]:
    actions: Actions = np.zeros(position.game.facts.actions, dtype=np.int64)
    count = position.game.kernels.tactical_moves(position.words, actions)
    return [int(action) for action in actions[:count]]


def quiet_of(position: Position) -> list[int]:
    tactical = tactical_of(position)
    return [action for action in position.actions if action not in tactical]


def test_every_move_is_searched_once() -> None:
    assert sorted(Ply(PUSHING).order()) == list(PUSHING.actions)


def test_tactical_moves_come_first_in_the_order_of_the_game() -> None:
    order, tactical = Ply(PUSHING).order(), tactical_of(PUSHING)
    assert set(order[: len(tactical)]) == set(tactical)
    ranks = [PUSHING.game.kernels.move_order(PUSHING.words, action) for action in order[: len(tactical)]]
    assert len(set(ranks)) > 1
    assert ranks == sorted(ranks, reverse=True)


def test_the_table_move_comes_first() -> None:
    worst = Ply(PUSHING).order()[-1]
    assert Ply(PUSHING).order(table_move=worst)[0] == worst


def test_killers_come_after_tactical_moves_and_before_quiet_ones() -> None:
    ply = Ply(PUSHING)
    killers = quiet_of(PUSHING)[-2:]
    for action in killers:
        ply.refute(action)
    pushes = len(tactical_of(PUSHING))
    assert pushes
    assert ply.order()[pushes : pushes + 2] == killers[::-1]  # the latest one first


def test_a_move_with_a_better_history_comes_before_other_quiet_moves() -> None:
    ply = Ply(PUSHING)
    ply.options.killers = 0
    last = ply.order()[-1]
    ply.refute(last)
    assert next(action for action in ply.order() if action in quiet_of(PUSHING)) == last


def test_moves_that_caused_no_cut_off_come_later() -> None:
    ply = Ply(PUSHING)
    ply.options.killers = 0
    tried = quiet_of(PUSHING)
    order = ply.order()
    first, second = (action for action in order if action in tried[:2])
    place = order.index(second)
    ply.cut_off_at(place)
    after = ply.order()
    assert after.index(second) < after.index(first)
    assert ply.history[first] < 0


def test_history_is_kept_separately_for_each_side() -> None:
    ply = Ply(PUSHING)
    ply.refute(quiet_of(PUSHING)[0])
    assert ply.work.history[ply.side].any()
    assert not ply.work.history[1 - ply.side].any()


@pytest.mark.parametrize("heuristic", ["killers", "history"])
def test_a_heuristic_that_is_switched_off_learns_nothing(heuristic: str) -> None:
    ply = Ply(PUSHING)
    before = getattr(ply.work, heuristic).copy()
    setattr(ply.options, heuristic, 0)
    ply.refute(quiet_of(PUSHING)[0])
    assert np.array_equal(getattr(ply.work, heuristic), before)


def test_history_is_halved_before_it_grows_too_large() -> None:
    ply = Ply(PUSHING)
    one, other = quiet_of(PUSHING)[:2]
    ply.history[[one, other]] = MAX_HISTORY, 1000
    ply.refute(one)
    assert ply.history[one] == (MAX_HISTORY + 9) // 2
    assert ply.history[other] == 500


def test_killers_come_before_the_largest_history() -> None:
    ply = Ply(PUSHING)
    quiet = quiet_of(PUSHING)
    ply.history[quiet[0]] = MAX_HISTORY
    ply.work.killers[0, PLY] = quiet[1]
    order = ply.order()
    assert order.index(quiet[1]) < order.index(quiet[0])


def test_ordering_changes_no_position() -> None:
    position = reached(boardgames.load("abalone"), 20, 1)
    ply = Ply(position)
    assert sorted(ply.order()) == list(position.actions)
    assert np.array_equal(ply.work.positions[PLY], position.words)


def test_deferred_moves_come_last_with_their_ranks_and_know_their_places() -> None:
    moves = np.array([[9] * 4, [9] * 4, [5, 6, 7, 8], [50, 60, 70, 80]], dtype=np.int64)
    defer_move(moves, 1, 1, 4, 1)  # the action 6
    defer_move(moves, 1, 1, 4, 2)  # and now 7
    assert [restore_move(moves, 1, index) for index in (2, 3)] == [1, 2]
    assert moves.tolist() == [[9] * 4, [9] * 4, [5, 8, 6, 7], [50, 80, 60, 70]]
