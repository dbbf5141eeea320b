"""Vector environments: the same matches as in single environments, and every way to begin them again."""

from typing import Any, Literal

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from maze import Maze, random_maze

import boardgames
from boardgames import Choice, MatchRules, Player
from boardgames.adapters.gymnasium import ENVIRONMENT, VersusEnv
from boardgames.adapters.vector import VersusVectorEnv
from boardgames.errors import (
    BoardgamesError,
    IllegalMoveError,
    LimitError,
    MatchError,
    OptionError,
    PositionError,
    UnknownNameError,
)
from boardgames.game import Position
from boardgames.players.simple import Random

CONNECT4 = boardgames.load("connect4")


class First(Player):
    """Plays the first legal move."""

    name = "first"

    def choose(self, position: Position, limit: object = None, context: object = None) -> Choice:
        return Choice(position.legal_moves[0])


class Resigning(Player):
    """Resigns at once."""

    name = "resigning"

    def choose(self, position: Position, limit: object = None, context: object = None) -> Choice:
        return Choice(None)


def first(observations: Any, masks: Any) -> Any:
    """Return the first legal action of each match, as `First` does."""
    return masks.argmax(axis=1)


def chosen(masks: Any, seed: int) -> Any:
    """Return a legal action for each mask, and 0 where there is none."""
    generator = np.random.default_rng(seed)
    return np.array([generator.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])


@pytest.mark.parametrize("side", [0, 1])
def test_matches_are_those_of_single_environments(name: str, options: Any, side: Literal[0, 1]) -> None:
    game = boardgames.load(name, **options)
    envs = VersusVectorEnv(game, 3, first, side=side, ply_limit=30, autoreset_mode=AutoresetMode.DISABLED)
    rules = MatchRules(ply_limit=30)
    singles = [VersusEnv(game, First(game), side=side, rules=rules) for _ in range(3)]
    observations, infos = envs.reset(seed=1)
    assert envs.observation_space.contains(observations)
    is_over = [False] * 3
    for env, seen in zip(singles, observations, strict=True):
        assert env.reset(seed=1)[0].tolist() == seen.tolist()
    for number in range(40):
        actions = chosen(infos["action_mask"], number)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        for match, env in enumerate(singles):
            if is_over[match]:
                assert not any((terminated[match], truncated[match], rewards[match]))
                continue
            seen, reward, *ends, info = env.step(actions[match])
            assert seen.tolist() == observations[match].tolist()
            assert (reward, *ends) == (rewards[match], terminated[match], truncated[match])
            assert info["action_mask"].tolist() == infos["action_mask"][match].astype(int).tolist()
            is_over[match] = any(ends)
    assert all(is_over)


def test_a_match_begins_again_with_the_next_step() -> None:
    envs = VersusVectorEnv(boardgames.load("connect4", columns=4, rows=4), 2, first)
    _, infos = envs.reset(seed=1)
    ended = np.zeros(2, dtype=bool)
    for number in range(60):
        before = envs.batch.plies
        _, rewards, terminated, truncated, infos = envs.step(chosen(infos["action_mask"], number))
        assert (envs.batch.plies[ended] == 0).all()  # the action of a match that was over is ignored
        assert not rewards[ended].any()
        assert (envs.batch.plies[~ended] > before[~ended]).all()
        ended = terminated | truncated
        assert not infos["action_mask"][ended].any()


def test_a_match_begins_again_within_the_same_step() -> None:
    game = boardgames.load("connect4", columns=4, rows=4)
    envs = VersusVectorEnv(game, 4, first, autoreset_mode=AutoresetMode.SAME_STEP)
    _, infos = envs.reset(seed=1)
    ends = 0
    for number in range(40):
        observations, rewards, terminated, truncated, infos = envs.step(chosen(infos["action_mask"], number))
        ended = terminated | truncated
        assert infos["action_mask"].any(axis=1).all()
        assert ("final_obs" in infos) == bool(ended.any())
        if ended.any():
            assert infos["_final_obs"].tolist() == ended.tolist()
            assert not observations[ended].any()  # empty boards
            assert infos["final_obs"][ended].any(axis=(1, 2, 3)).all()
            assert not infos["final_info"]["action_mask"][ended].any()
            ends += int(ended.sum())
        assert not rewards[~ended].any()
    assert ends > 4


def test_matches_that_the_mask_names_begin_again_by_reset() -> None:
    envs = VersusVectorEnv("connect4", 3, first, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=1)
    envs.step([1, 2, 3])
    envs.reset(options={"reset_mask": np.array([True, False, True])})
    assert envs.batch.plies.tolist() == [0, 2, 0]
    with pytest.raises(LimitError, match="matches must be chosen by bool"):
        envs.reset(options={"reset_mask": [1, 0, 1]})


def test_an_illegal_action_loses() -> None:
    envs = VersusVectorEnv("connect4", 4, first, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset()
    _, rewards, terminated, truncated, _ = envs.step([3, 7, -1, 2**40])
    assert rewards.tolist() == [0, -1, -1, -1]
    assert terminated.tolist() == [False, True, True, True]
    assert not truncated.any()


def test_an_opponent_that_resigns_loses() -> None:
    envs = VersusVectorEnv("connect4", 2, Resigning(CONNECT4), autoreset_mode=AutoresetMode.DISABLED)
    envs.reset()
    _, rewards, terminated, *_ = envs.step([3, 3])
    assert rewards.tolist() == [1, 1]
    assert terminated.all()


def test_a_match_in_which_the_opponent_resigns_begins_again_with_the_next_step() -> None:
    envs = VersusVectorEnv("connect4", 2, Resigning(CONNECT4))
    envs.reset()
    observations, _, terminated, *_ = envs.step([3, 3])
    assert terminated.all()
    assert observations.any(axis=(1, 2, 3)).all()
    observations, rewards, terminated, *_ = envs.step([3, 3])
    assert not any(part.any() for part in (observations, rewards, terminated))


@pytest.mark.parametrize("opponent", [Resigning(CONNECT4), "random"])
def test_a_match_that_ends_before_the_learner_moves_is_refused(opponent: Any) -> None:
    envs = VersusVectorEnv(CONNECT4, 2, opponent, side=1, ply_limit=1)
    with pytest.raises(PositionError, match="a match has ended 100 times before the learner's first move"):
        envs.reset()


def test_a_match_in_which_the_opponent_resigns_at_once_begins_again() -> None:
    class Moody(First):
        """Resigns every third time."""

        calls = 0

        def choose(self, position: Position, limit: object = None, context: object = None) -> Choice:
            self.calls += 1
            return Choice(None) if self.calls % 3 == 0 else super().choose(position)

    envs = VersusVectorEnv(CONNECT4, 2, Moody(CONNECT4), side=1)
    _, infos = envs.reset()
    won = 0
    for number in range(20):
        _, rewards, terminated, _, infos = envs.step(chosen(infos["action_mask"], number))
        won += int((rewards[terminated] > 0).sum())
        assert (infos["action_mask"].any(axis=1) | terminated).all()
    assert won > 0


def test_a_step_needs_a_match() -> None:
    with pytest.raises(MatchError, match="no match has begun: call reset"):
        VersusVectorEnv("connect4", 2).step([3, 3])


def test_a_seed_and_a_mask_begin_only_the_matches_of_the_mask() -> None:
    envs = VersusVectorEnv("connect4", 3, first, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=1)
    envs.step([1, 2, 3])
    envs.reset(seed=2, options={"reset_mask": np.array([False, True, False])})
    assert envs.batch.plies.tolist() == [2, 0, 2]


@pytest.mark.parametrize(("returned", "shown"), [([3.7, 3.0], r"\[3.7, 3.0\]"), (3, "3")])
def test_a_policy_must_return_an_action_for_each_match(returned: Any, shown: str) -> None:
    envs = VersusVectorEnv("connect4", 2, lambda planes, masks: returned)
    envs.reset()
    with pytest.raises(OptionError, match=rf"must return integers of the shape \(2,\), not {shown}"):
        envs.step([3, 3])


def test_an_opponent_that_is_a_function_cannot_resign() -> None:
    envs = VersusVectorEnv("connect4", 2, lambda planes, masks: np.full(len(masks), -1))
    envs.reset()
    with pytest.raises(IllegalMoveError, match="illegal action -1"):
        envs.step([3, 3])


def test_agents_need_the_match_in_a_game_with_a_rule_about_repetition() -> None:
    game = Maze(rooms=random_maze(3), repetition="forbidden")
    with pytest.raises(OptionError, match="maze has a repetition rule"):
        VersusVectorEnv(game, 2, Random(game))
    VersusVectorEnv(game, 2, first).reset()


def test_sides_are_drawn_and_a_seed_repeats_everything() -> None:
    def play(seed: int) -> list[Any]:
        envs = VersusVectorEnv("connect4", 20, "random", side="random")
        observations, infos = envs.reset(seed=seed)
        played: list[Any] = [envs.sides.tolist(), observations.tolist()]
        for number in range(30):
            step = envs.step(chosen(infos["action_mask"], number))
            infos = step[4]
            played.append([part.tolist() for part in step[:4]])
        return played

    once = play(1)
    assert set(once[0]) == {0, 1}
    assert once == play(1)
    assert once != play(2)


def test_gymnasium_makes_the_environment_by_its_name() -> None:
    envs = gymnasium.make_vec(
        ENVIRONMENT, 3, vectorization_mode="vector_entry_point", game="connect4", side=1
    )
    assert isinstance(envs.unwrapped, VersusVectorEnv)
    observations, _ = envs.reset(seed=1)
    assert observations.any(axis=(1, 2, 3)).all()  # the opponent has moved
    assert gymnasium.wrappers.vector.RecordEpisodeStatistics(envs).reset(seed=1)[0].shape == (3, 2, 6, 7)


def test_an_agent_can_be_the_opponent() -> None:
    envs = VersusVectorEnv("connect4", 2, "alphabeta:depth=2", columns=4, rows=4)
    _, infos = envs.reset(seed=1)
    lost = 0
    for number in range(30):
        _, rewards, *_, infos = envs.step(chosen(infos["action_mask"], number))
        lost += int((rewards < 0).sum())
    envs.close()
    assert lost > 2


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"side": 2}, OptionError, "the side must be 0, 1 or 'random', not 2"),
        ({"side": 1.0}, OptionError, "the side must be 0, 1 or 'random', not 1.0"),
        ({"side": np.zeros(2)}, OptionError, "the side must be 0, 1 or 'random', not array"),
        ({"num_envs": 0}, LimitError, "size must be 1 to"),
        ({"opponent": 7}, OptionError, "the opponent must be an agent, such as 'greedy', not 7"),
        ({"opponent": First}, OptionError, "the opponent must be an agent, such as 'greedy', not <class"),
        ({"opponent": "human"}, OptionError, "the opponent must be an agent, such as 'greedy', not <player"),
        ({"opponent": First(boardgames.load("hexifence"))}, OptionError, "the opponent must play"),
        ({"opponent_limit": 3}, OptionError, "opponent_limit must be a Limit, not 3"),
        ({"opponent": "gredy"}, UnknownNameError, "did you mean 'greedy'"),
        ({"autoreset_mode": "next"}, OptionError, "autoreset_mode must be an AutoresetMode, not 'next'"),
        ({"columns": 5}, OptionError, "options need the name of a game"),
        ({"game": 7}, OptionError, "a game must be a Game or the name of one, not 7"),
        ({"game": "conect4"}, UnknownNameError, "did you mean 'connect4'"),
    ],
)
def test_wrong_arguments_are_named(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        VersusVectorEnv(**{"game": CONNECT4, "num_envs": 2, **arguments})


@pytest.mark.parametrize(
    "wrong", [{"game": "conect4"}, {"side": 3}, {"opponent": "gredy"}, {"ply_limit": 0}, {"unknown": 1}]
)
def test_what_could_not_be_made_can_be_closed(wrong: Any) -> None:
    envs = object.__new__(VersusVectorEnv)
    with pytest.raises(BoardgamesError):
        envs.__init__(**{"game": "connect4", "num_envs": 4} | wrong)  # type: ignore[misc]  # as Python calls it
    envs.close()  # some versions of Gymnasium do so when it is deleted


@pytest.mark.parametrize("actions", [[1], [0.5, 1.0], "12"])
def test_actions_of_another_shape_or_type_are_refused(actions: Any) -> None:
    envs = VersusVectorEnv("connect4", 2)
    envs.reset()
    with pytest.raises(LimitError, match="actions must be integers of the shape"):
        envs.step(actions)


def test_an_option_of_the_game_may_be_called_limit() -> None:
    envs = VersusVectorEnv("abalone", 2, limit="score")
    assert envs.game.options["limit"] == "score"
    assert VersusEnv("abalone", "random", limit="score").game.options["limit"] == "score"
