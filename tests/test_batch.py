"""Matches that are played side by side are those that positions play one by one."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from maze import Maze, PlainMaze, random_maze
from nim import Nim
from reference.match import SlowMatch

import boardgames
from boardgames.batch import Batch
from boardgames.errors import IllegalMoveError, LimitError, OptionError, PluginError, PositionError
from boardgames.game import Game
from boardgames.plain_game import PlainGame

pytestmark = pytest.mark.plain

GAMES: dict[str, Callable[[], Game]] = {
    "abalone": lambda: boardgames.load("abalone"),
    "abalone by score": lambda: boardgames.load("abalone", limit="score"),
    "connect4": lambda: boardgames.load("connect4", columns=4, rows=4),
    "hexifence": lambda: boardgames.load("hexifence", dimension=2),
    "tictactoe": lambda: boardgames.load("tictactoe"),
    "nim, moving again": lambda: Nim(again=True, stuck=True),
    "maze, drawn": lambda: Maze(rooms=random_maze(1), repetition="draw:3"),
    "maze, lost": lambda: Maze(rooms=random_maze(2), repetition="loss", again=True),
    "maze, forbidden": lambda: Maze(rooms=random_maze(3), repetition="forbidden"),
    "plain maze": lambda: PlainMaze(rooms=random_maze(2), repetition="loss"),
}
PLY_LIMIT = 12


@pytest.mark.parametrize("name", GAMES)
def test_a_batch_plays_as_positions_do(name: str) -> None:
    game = GAMES[name]()
    batch = Batch(game, 6, ply_limit=PLY_LIMIT, seed=3)
    slow = [SlowMatch(game.start(), PLY_LIMIT) for _ in range(6)]
    ends = 0
    for _ in range(40):
        actions = batch.sample()
        masks, sides = batch.masks(), batch.sides
        for number, match in enumerate(slow):
            assert tuple(np.flatnonzero(masks[number])) == match.actions
            assert batch.position(number) == match.positions[-1]
            assert actions[number] in match.actions or (actions[number] == -1 and not match.actions)
            if match.actions:
                assert sides[number] == match.positions[-1].side_to_move
        was_over = batch.over
        step = batch.step(actions)
        for number, match in enumerate(slow):
            if not was_over[number]:
                match.positions.append(match.positions[-1].apply_action(int(actions[number])))
            end = None if was_over[number] else match.end()
            winner, is_truncated = (None, False) if end is None else end
            rewards = [0, 0] if winner is None else [1 - 2 * winner, 2 * winner - 1]
            assert step.rewards[number].tolist() == rewards
            assert step.terminated[number] == (end is not None and not is_truncated)
            assert step.truncated[number] == is_truncated
            assert batch.plies[number] == len(match.positions) - 1
        again = batch.over & (np.arange(6) % 2 == 0)  # the others stay as they are
        ends += int(again.sum())
        batch.reset(again)
        for number in np.flatnonzero(again).tolist():
            slow[number] = SlowMatch(game.start(), PLY_LIMIT)
    assert ends > 0


@pytest.mark.parametrize("name", GAMES)
def test_observations_are_those_of_the_positions(name: str) -> None:
    game = GAMES[name]()
    batch = Batch(game, 4, ply_limit=50, seed=1)
    for _ in range(5):
        by_mover, by_first = batch.observations(), batch.observations(0)
        for number in np.flatnonzero(~batch.over).tolist():
            position = batch.position(number)
            assert by_mover[number].tolist() == position.observation().tolist()
            assert by_first[number].tolist() == position.observation(0).tolist()
        by_each = batch.observations(np.array([0, 1, 1, 0]))
        assert by_each[1].tolist() == batch.position(1).observation(1).tolist()
        batch.step(batch.sample())


def test_samples_do_not_depend_on_the_number_of_threads() -> None:
    first, second = (Batch(boardgames.load("connect4"), 50, seed=2, threads=threads) for threads in (1, 3))
    other = Batch(boardgames.load("connect4"), 50, seed=3)
    differs = False
    for _ in range(12):
        actions = first.sample()
        assert actions.tolist() == second.sample().tolist()
        differs |= actions.tolist() != other.sample().tolist()
        assert first.observations().tolist() == second.observations().tolist()
        assert first.masks().tolist() == second.masks().tolist()
        for left, right in zip(first.step(actions), second.step(actions), strict=True):
            assert left.tolist() == right.tolist()
        other.step(other.sample())
    assert differs


def test_each_legal_action_is_sampled_equally_often() -> None:
    batch = Batch(boardgames.load("connect4"), 1400, seed=5)
    counts = np.bincount(np.concatenate([batch.sample() for _ in range(5)]), minlength=7)
    assert counts.min() > 880  # 1000 expected, with a standard deviation of 29
    assert counts.max() < 1120


def test_an_illegal_action_is_named_and_changes_nothing() -> None:
    game = boardgames.load("connect4", columns=4, rows=4)
    batch = Batch(game, 3, start=game.parse("1111"))
    with pytest.raises(IllegalMoveError, match="match 1: illegal action 0 in"):
        batch.step([1, 0, 7])
    for wrong in (4, -1, 2**62, -(2**62)):
        with pytest.raises(IllegalMoveError, match=f"match 2: illegal action {wrong} in"):
            batch.step([1, 2, wrong])
    assert batch.plies.tolist() == [0, 0, 0]
    assert batch.position(0) == game.parse("1111")


def test_the_action_of_a_match_that_is_over_does_not_matter() -> None:
    game = boardgames.load("connect4", columns=4, rows=4)
    batch = Batch(game, 2, start=game.parse("121212"))
    step = batch.step([0, 2])
    assert step.terminated.tolist() == [True, False]
    assert batch.winners.tolist() == [0, -1]
    again = batch.step([77, 3])
    assert not again.terminated.any()
    assert again.rewards.tolist() == [[0, 0], [0, 0]]
    assert batch.plies.tolist() == [1, 2]


def test_matches_start_where_reset_says() -> None:
    game = boardgames.load("connect4")
    batch = Batch(game, 3, start=game.parse("44"))
    batch.step([0, 1, 2])
    batch.reset([False, True, False], start=game.parse("7"))
    assert [str(batch.position(number)) for number in range(3)] == [
        str(game.parse(text)) for text in ("441", "7", "443")
    ]
    assert batch.sides.tolist() == [1, 1, 1]
    batch.reset()
    assert batch.position(-1) == game.parse("44")


def test_a_batch_can_start_where_a_match_is_over() -> None:
    game = boardgames.load("connect4", columns=4, rows=4)
    batch = Batch(game, 2, start=game.parse("1212121"))
    assert batch.over.all()
    assert batch.sample().tolist() == [-1, -1]
    assert not batch.masks().any()


def test_results_stay_as_they_were_after_later_steps() -> None:
    batch = Batch(boardgames.load("connect4"), 2, seed=1)
    sides, masks, planes = batch.sides, batch.masks(), batch.observations()
    before = sides.tolist(), masks.tolist(), planes.tolist()
    actions = batch.sample()
    step, chosen = batch.step(actions), actions.tolist()
    rewards = step.rewards.tolist()
    for _ in range(30):
        batch.step(batch.sample())
    assert (sides.tolist(), masks.tolist(), planes.tolist()) == before
    assert (step.rewards.tolist(), actions.tolist()) == (rewards, chosen)


@pytest.mark.parametrize("copied", [Batch.copy, copy.copy, copy.deepcopy])
def test_a_copy_is_independent(copied: Callable[[Batch], Batch]) -> None:
    batch = Batch(Maze(rooms=random_maze(1), repetition="draw:3"), 8, ply_limit=20, seed=4)
    for _ in range(3):
        batch.step(batch.sample())
    other = copied(batch)
    before = [batch.position(number) for number in range(8)]
    steps = []
    for one in (other, batch):
        steps += [[part.tolist() for part in one.step(one.sample())] for _ in range(6)]
        if one is other:
            assert [batch.position(number) for number in range(8)] == before
    assert steps[:6] == steps[6:]
    other.reset()
    assert other.position(0) == batch.game.start()


def test_a_batch_is_not_pickled() -> None:
    with pytest.raises(TypeError, match="a Batch cannot be pickled: make one in each process"):
        pickle.dumps(Batch(boardgames.load("connect4"), 2))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"size": 0}, LimitError, "size must be 1 to 4,194,304, not 0"),
        ({"size": 2.0}, LimitError, "size must be"),
        ({"size": True}, LimitError, "size must be"),
        ({"ply_limit": 0}, LimitError, "ply_limit must be at least 1, not 0"),
        ({"threads": 0}, LimitError, "threads must be 1 to 1,024, not 0"),
        ({"seed": "x"}, OptionError, "seed must be an integer, not 'x'"),
        ({"start": "44"}, PositionError, "a position must be a Position"),
    ],
)
def test_wrong_arguments_are_named(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Batch(boardgames.load("connect4"), **{"size": 2, **arguments})


def test_a_start_of_another_game_is_refused() -> None:
    other = boardgames.load("connect4", columns=5).start()
    with pytest.raises(PositionError, match=r"not a position of <game connect4 7x6>: <connect4 "):
        Batch(boardgames.load("connect4"), 2, start=other)


@pytest.mark.parametrize("actions", [[0], [0.0, 1.0], [[0, 1]], "01", [True, False], [None, 1]])
def test_actions_of_another_type_or_shape_are_refused(actions: Any) -> None:
    with pytest.raises(LimitError, match=r"actions must be integers of the shape \(2,\), not"):
        Batch(boardgames.load("connect4"), 2).step(actions)


def test_rows_of_different_lengths_are_refused() -> None:
    batch = Batch(boardgames.load("connect4"), 2)
    for call in (batch.step, batch.reset, batch.observations):
        with pytest.raises(LimitError, match=r"must be an array, not \[\[1\], \[2, 3\]\]"):
            call([[1], [2, 3]])


@pytest.mark.parametrize("which", [[0, 1], [True], 1])
def test_matches_to_reset_are_chosen_by_booleans(which: Any) -> None:
    batch = Batch(boardgames.load("connect4"), 2)
    with pytest.raises(LimitError, match=r"matches must be chosen by bool\[2\], not (int64|bool)\["):
        batch.reset(which)
    with pytest.raises(LimitError, match=r"matches must be chosen by bool\[2\], not (int64|bool)\["):
        batch.step([0, 0], which=which)


def test_a_step_can_leave_matches_out() -> None:
    game = boardgames.load("connect4")
    batch = Batch(game, 3)
    step = batch.step([3, 99, 4], which=[True, False, True])
    assert not step.terminated.any()
    assert [str(batch.position(number)) for number in range(3)] == [
        str(game.parse(text)) for text in ("4", "-", "5")
    ]
    assert batch.plies.tolist() == [1, 0, 1]


def test_a_seed_at_reset_repeats_the_samples() -> None:
    batch = Batch(boardgames.load("connect4"), 20, seed=1)
    first = batch.sample().tolist()
    assert batch.sample().tolist() != first
    batch.reset(seed=1)
    assert batch.sample().tolist() == first


@pytest.mark.parametrize("sides", [2, -1, [0, 2]])
def test_observations_by_no_side_are_refused(sides: Any) -> None:
    with pytest.raises(PositionError, match="the side of an observation must be 0 or 1, not"):
        Batch(boardgames.load("connect4"), 2).observations(sides)


class Broken(PlainGame[int, int]):
    """A game whose rules fail after the first move."""

    name, sides = "broken", ("a", "b")

    def initial_state(self) -> int:
        """Return the start."""
        return 0

    def side_to_move(self, state: int) -> int:
        """Return the side to move."""
        return state % 2

    def legal_moves(self, state: int) -> list[int]:
        """Return the only move, or fail."""
        return [1 // (1 - state)]

    def apply(self, state: int, move: int) -> int:
        """Return the next state."""
        return state + 1

    def outcome(self, state: int) -> None:
        """Return None."""


def test_a_game_without_any_limit_needs_one() -> None:
    with pytest.raises(LimitError, match="a batch of broken needs a ply_limit"):
        Batch(Broken(), 2)


def test_an_error_in_plain_rules_is_reported() -> None:
    batch = Batch(Broken(), 2, ply_limit=9)
    with pytest.raises(PluginError, match="legal_moves"):
        batch.step(batch.sample())
