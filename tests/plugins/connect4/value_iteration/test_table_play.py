"""Players with tables: which moves they choose, and what the record of a match says."""

import numpy as np
import pytest

import boardgames
from boardgames.game import Position
from boardgames.kernels import new_control
from boardgames.kernels.bundles import Bundle
from boardgames.search.rules import UNFINISHED
from boardgames.selfplay.contest import new_workspaces
from boardgames.selfplay.temporal import RESULTS
from boardgames_connect4.value_iteration.abstraction import find_abstraction
from boardgames_connect4.value_iteration.policy import ChoiceOptions
from boardgames_connect4.value_iteration.table_play import (
    ACTION,
    BY_TABLE,
    NEXT,
    NO_STATE,
    REACHED,
    SIDE,
    STATE,
    TablePlayWorkspace,
    best_move,
    choose,
    new_workspace,
    play_match,
)

pytestmark = pytest.mark.plain

GAME = boardgames.load("connect4", columns=5, rows=4)
TOPS = find_abstraction("tops", GAME)
LENGTH = 20


def workspace(options: ChoiceOptions, seed: int | None = None) -> TablePlayWorkspace:
    """Return a workspace with random tables, or with zeros if there is no seed."""
    random = np.random.default_rng(seed)
    scale = 0.0 if seed is None else 2.0
    table = scale * random.random((TOPS.states, GAME.facts.actions))
    success = scale / 2 * random.random((2, TOPS.states))
    return new_workspace(GAME, TOPS, table, success, options.record(), control=new_control(), plies=LENGTH)


def chosen(work: TablePlayWorkspace, position: Position, seed: int = 1) -> int:
    work.positions[0] = position.words
    count = GAME.kernels.legal_moves(position.words, work.moves[0])
    return int(choose(Bundle(work).words, count, np.array([seed], dtype=np.uint64)))


def choices(work: TablePlayWorkspace, position: Position) -> set[str]:
    """Return the columns that are chosen with 60 seeds."""
    return {str(chosen(work, position, seed) + 1) for seed in range(60)}


def random_positions() -> list[Position]:
    random, positions = np.random.default_rng(4), []
    for _ in range(6):
        position = GAME.start()
        while position.outcome is None:
            positions.append(position)
            position = position.apply(position.legal_moves[random.integers(len(position.legal_moves))])
    return positions


# --- choices ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "board_reward"),
    [((1.0, 0.0), True), ((0.0, 1.0), True), ((1.0, 0.5), True), ((1.0, 0.5), False)],
    ids=str,
)
def test_value_is_the_weighted_sum_of_reward_table_and_success(
    weights: tuple[float, float], board_reward: bool
) -> None:
    work = workspace(ChoiceOptions(*weights, board_reward), seed=1)
    for position in random_positions():
        side, state = position.side_to_move, TOPS.state(position.words, position.side_to_move)
        expected = []
        for move in position.legal_moves:
            after = position.apply(move).words
            value = work.table[state, move.action] + (TOPS.reward(after, side) if board_reward else 0.0)
            success = work.success[side, TOPS.state(after, side)]
            expected.append(weights[0] * value + weights[1] * success)
        work.positions[0] = position.words
        count = GAME.kernels.legal_moves(position.words, work.moves[0])
        best = best_move(Bundle(work).words, count, np.array([1], dtype=np.uint64))
        assert work.values[:count].tolist() == pytest.approx(expected, abs=1e-12)
        assert expected[best] == pytest.approx(max(expected), abs=1e-12)


def test_choice_among_equal_moves_is_random() -> None:
    assert choices(workspace(ChoiceOptions(value_weight=0.0)), GAME.start()) == set("12345")


def test_win_at_once_comes_before_a_guard_unless_that_is_switched_off() -> None:
    position = GAME.parse("314422")  # red has brrr., blue .b.b. above it
    assert choices(workspace(ChoiceOptions()), position) == {"5"}
    assert choices(workspace(ChoiceOptions(wins_first=False)), position) == {"3"}


def test_guards_choose_if_they_are_enabled() -> None:
    position = GAME.parse("223")  # .rr..: the third guard demands column 1
    indifferent = {guards: ChoiceOptions(value_weight=0.0, guards=guards) for guards in (4, 3)}
    assert choices(workspace(indifferent[4]), position) == {"1"}
    assert choices(workspace(indifferent[3]), position) == set("12345")


def test_random_move_is_only_played_if_it_is_worth_nearly_as_much() -> None:
    position = GAME.parse("33")  # a second stone in the middle column is worth 2 more
    work = workspace(ChoiceOptions(guards=0))
    values = {}
    for move in position.legal_moves:
        after = position.apply(move).words
        values[str(move)] = TOPS.reward(after, 0)
    best = max(values.values())
    assert {move for move, value in values.items() if value == best} == choices(work, position)
    for bound in (2.0, 2.1):
        near = {move for move, value in values.items() if best - value < bound}
        assert choices(workspace(ChoiceOptions(guards=0, epsilon=1.0, bound=bound)), position) == near
    assert len(set(values.values())) > 1
    assert choices(workspace(ChoiceOptions(guards=0, epsilon=1.0)), position) == set(values)


# --- matches ------------------------------------------------------------------


def played(
    first: TablePlayWorkspace, second: ChoiceOptions, depths: tuple[int, int], *, seed: int, opening: int = 0
) -> tuple[int, int]:
    """Play a match in the buffers of the first workspace; return the number of plies and the result."""
    first.positions[0] = GAME.start().words
    other = first._replace(parameters=second.record())
    search = new_workspaces(GAME, [GAME.evaluation], 2, first.control)[0]
    own, opponent, searching = Bundle(first), Bundle(other), Bundle(search)
    code = play_match(
        own.words,
        opponent.words,
        searching.words,
        np.array(depths, dtype=np.int64),
        np.array([seed], dtype=np.uint64),
        np.zeros(1, dtype=np.uint64),
        opening,
        LENGTH,
    )
    plies, result = divmod(int(code), RESULTS)
    return plies, result


@pytest.mark.parametrize("depths", [(BY_TABLE, BY_TABLE), (BY_TABLE, 0), (2, BY_TABLE), (0, 0)], ids=str)
def test_record_describes_every_move_of_the_match(depths: tuple[int, int]) -> None:
    work = workspace(ChoiceOptions(epsilon=0.3), seed=1)
    for seed in range(5):
        plies, result = played(work, ChoiceOptions(), depths, seed=seed, opening=2)
        path = [GAME.start()]
        for action in work.record[:plies, ACTION]:
            assert int(action) in path[-1].actions
            path.append(path[-1].apply(GAME.decode(path[-1], int(action))))
        outcome = path[-1].outcome
        assert outcome is not None
        assert result == (2 if outcome.winner is None else outcome.winner)
        for ply, position in enumerate(path[:-1]):
            side, record = position.side_to_move, work.record[ply]
            turns = [one for one in path[ply + 1 : -1] if one.side_to_move == side]
            assert record[SIDE] == side
            assert record[STATE] == TOPS.state(position.words, side)
            assert record[REACHED] == TOPS.state(path[ply + 1].words, side)
            assert record[NEXT] == (TOPS.state(turns[0].words, side) if turns else NO_STATE)
            assert work.rewards[ply] == TOPS.reward(path[ply + 1].words, side)


def test_each_side_plays_in_its_own_way() -> None:
    careless, careful = ChoiceOptions(value_weight=0.0, guards=0, wins_first=False), ChoiceOptions()
    results = [played(workspace(careful), careless, (BY_TABLE, BY_TABLE), seed=seed)[1] for seed in range(40)]
    assert results.count(0) > 30
    results = [played(workspace(careless), careful, (BY_TABLE, BY_TABLE), seed=seed)[1] for seed in range(40)]
    assert results.count(1) > 30


def test_stopped_match_is_unfinished() -> None:
    work = workspace(ChoiceOptions())
    work.control[0].stop = 1
    assert played(work, ChoiceOptions(), (BY_TABLE, BY_TABLE), seed=1) == (0, UNFINISHED)
