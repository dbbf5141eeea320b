"""The order of moves: what comes before what, and what a refutation leaves behind."""

import numpy as np
import pytest
from boardgames.search.ordering import (
    LARGEST_HISTORY,
    MEMORY_ROWS,
    bring_best_forward,
    extend_line,
    rank_moves,
    remember,
    turn_round,
)
from boardgames.search.tree import HISTORY, KILLERS, PRINCIPAL_SETTINGS
from reference.minimax import reached

import boardgames
from boardgames.game import Position
from boardgames.kernels import Actions

pytestmark = pytest.mark.plain

ROWS, PLY = 8, 1
PUSHING = boardgames.load("abalone").parse(
    "...../....../...bbw./......../......bbw/......../......./bw..../bb...:b:0:0"
)


class Ply:
    """The buffers of a search at one position of Abalone."""

    def __init__(self, position: Position) -> None:
        facts, self.kernels = position.game.facts, position.game.kernels
        self.positions = np.zeros((ROWS, facts.words), dtype=np.uint64)
        self.positions[PLY] = position.words
        self.moves = np.zeros((2 * ROWS, facts.actions), dtype=np.int64)
        self.memory = np.zeros((MEMORY_ROWS, facts.actions), dtype=np.int64)
        self.memory[:2] = -1
        self.count = len(position.actions)
        self.moves[2 * PLY, : self.count] = position.actions
        self.side = position.side_to_move
        self.settings: Actions = np.zeros(PRINCIPAL_SETTINGS, dtype=np.int64)
        self.settings[[KILLERS, HISTORY]] = 1

    def order(self, known: int = -1) -> list[int]:
        """Return the actions in the order in which they are tried."""
        rank_moves(
            self.kernels.move_order,
            self.kernels.tactical_moves,
            self.positions,
            self.moves,
            self.memory,
            PLY,
            self.count,
            self.side,
            known,
            self.settings,
        )
        return [bring_best_forward(self.moves, PLY, index, self.count) for index in range(self.count)]

    def refute(self, action: int, depth: int = 3) -> None:
        """Note that a quiet move refuted the position, the others after it."""
        self.order(known=action)
        remember(self.moves, self.memory, PLY, 0, depth, self.side, self.settings)


def tactical_of(position: Position) -> list[int]:
    found: Actions = np.zeros(position.game.facts.actions, dtype=np.int64)
    count = position.game.kernels.tactical_moves(position.words, found)
    return [int(action) for action in found[:count]]


def quiet_of(position: Position) -> list[int]:
    tactical = tactical_of(position)
    return [action for action in position.actions if action not in tactical]


def test_every_move_is_tried_once() -> None:
    assert sorted(Ply(PUSHING).order()) == list(PUSHING.actions)


def test_tactical_moves_come_first_as_the_game_orders_them() -> None:
    order, tactical = Ply(PUSHING).order(), tactical_of(PUSHING)
    assert set(order[: len(tactical)]) == set(tactical)
    ranks = [PUSHING.game.kernels.move_order(PUSHING.words, action) for action in order[: len(tactical)]]
    assert len(set(ranks)) > 1
    assert ranks == sorted(ranks, reverse=True)


def test_the_move_of_the_table_comes_first() -> None:
    worst = Ply(PUSHING).order()[-1]
    assert Ply(PUSHING).order(known=worst)[0] == worst


def test_killers_come_after_tactical_moves_and_before_quiet_ones() -> None:
    ply = Ply(PUSHING)
    killers = quiet_of(PUSHING)[-2:]
    for action in killers:
        ply.refute(action)
    pushes = len(tactical_of(PUSHING))
    assert pushes
    assert ply.order()[pushes : pushes + 2] == killers[::-1]  # the last one first


def test_a_move_that_refuted_before_comes_before_other_quiet_ones() -> None:
    ply = Ply(PUSHING)
    ply.settings[KILLERS] = 0
    last = ply.order()[-1]
    ply.refute(last)
    assert next(action for action in ply.order() if action in quiet_of(PUSHING)) == last


def test_moves_that_did_not_refute_come_later() -> None:
    ply = Ply(PUSHING)
    ply.settings[KILLERS] = 0
    tried = quiet_of(PUSHING)
    order = ply.order()
    first, second = (action for action in order if action in tried[:2])
    place = order.index(second)
    remember(ply.moves, ply.memory, PLY, place, 3, ply.side, ply.settings)
    after = ply.order()
    assert after.index(second) < after.index(first)
    assert ply.memory[2 + ply.side, first] < 0


def test_history_belongs_to_a_side() -> None:
    ply = Ply(PUSHING)
    ply.refute(quiet_of(PUSHING)[0])
    assert ply.memory[2 + ply.side].any()
    assert not ply.memory[3 - ply.side].any()


@pytest.mark.parametrize(("setting", "row"), [(KILLERS, 0), (HISTORY, 2)], ids=["killers", "history"])
def test_what_is_switched_off_is_not_remembered(setting: int, row: int) -> None:
    ply = Ply(PUSHING)
    before = ply.memory.copy()
    ply.settings[setting] = 0
    ply.refute(quiet_of(PUSHING)[0])
    assert np.array_equal(ply.memory[row : row + 2], before[row : row + 2])


def test_history_is_halved_before_it_grows_too_large() -> None:
    ply = Ply(PUSHING)
    one, other = quiet_of(PUSHING)[:2]
    ply.memory[2 + ply.side, [one, other]] = LARGEST_HISTORY, 1000
    ply.refute(one)
    assert ply.memory[2 + ply.side, one] == (LARGEST_HISTORY + 9) // 2
    assert ply.memory[2 + ply.side, other] == 500


def test_the_largest_history_does_not_make_a_quiet_move_a_killer() -> None:
    ply = Ply(PUSHING)
    quiet = quiet_of(PUSHING)
    ply.memory[2 + ply.side, quiet[0]] = LARGEST_HISTORY
    ply.memory[0, PLY] = quiet[1]
    order = ply.order()
    assert order.index(quiet[1]) < order.index(quiet[0])


def test_a_line_is_its_first_move_and_the_line_after_it() -> None:
    lines = np.zeros((4, 5), dtype=np.int64)
    lines[2, :3] = 2, 8, 9
    extend_line(lines, 1, 7)
    assert lines[1, :4].tolist() == [3, 7, 8, 9]


def test_positions_and_actions_are_left_as_they_were() -> None:
    position = reached(boardgames.load("abalone"), 20, 1)
    ply = Ply(position)
    assert sorted(ply.order()) == list(position.actions)
    assert np.array_equal(ply.positions[PLY], position.words)


@pytest.mark.parametrize(
    ("first", "end", "turned"),
    [(0, 4, [3, 2, 1, 0]), (1, 4, [0, 3, 2, 1]), (1, 3, [0, 2, 1, 3]), (2, 2, [0, 1, 2, 3])],
)
def test_moves_that_were_put_off_are_turned_round_with_their_ranks(
    first: int, end: int, turned: list[int]
) -> None:
    moves = np.array([[9] * 4, [9] * 4, [0, 1, 2, 3], [10, 11, 12, 13]], dtype=np.int64)
    turn_round(moves, 1, first, end)
    assert moves.tolist() == [[9] * 4, [9] * 4, turned, [10 + place for place in turned]]
