"""Games against agents as environments of Gymnasium: its own check, rewards, masks, and both sides."""

import importlib
import pickle
import re
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import boardgames
from boardgames import Choice, MatchRules, Player
from boardgames.adapters.gymnasium import ENVIRONMENT, VersusEnv
from boardgames.errors import (
    BoardgamesError,
    MatchError,
    MissingExtraError,
    OptionError,
    PluginError,
    PositionError,
    UnknownNameError,
)
from boardgames.game import Move, Position

CONNECT4 = boardgames.load("connect4")


class Scripted(Player):
    """Plays columns from a list, or resigns if it is empty."""

    name = "scripted"

    def __init__(self, columns: str) -> None:
        super().__init__(CONNECT4, seed=0)
        self.columns = list(columns)
        self.ends: list[object] = []

    def choose(self, position: Position, limit: object = None, context: object = None) -> Choice:
        if not self.columns:
            return Choice(None)
        column = self.columns.pop(0)
        return Choice(Move(int(column) - 1, column))

    def match_ended(self, outcome: object) -> None:
        self.ends.append(outcome)


def play(env: VersusEnv, seed: int) -> tuple[list[int], float]:
    """Play a match at random; return the learner's actions and the last reward."""
    env.reset(seed=seed)
    generator, actions, reward, is_over = np.random.default_rng(seed), list[int](), 0.0, False
    while not is_over:
        actions.append(int(generator.choice(np.flatnonzero(env.action_masks()))))
        _, reward, terminated, truncated, _ = env.step(actions[-1])
        is_over = terminated or truncated
    return actions, reward


def test_every_game_passes_the_check_of_gymnasium(name: str, options: dict[str, int]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        settings: dict[str, Any] = {"game": name, "opponent": "random", "side": "random", **options}
        made = gymnasium.make(ENVIRONMENT, **settings)
        check_env(made.unwrapped)


def test_the_mask_has_the_legal_actions_of_the_learner(name: str, options: dict[str, int]) -> None:
    for side in (0, 1):
        env = VersusEnv(name, "random", side=side, **options)  # type: ignore[arg-type]  # several types
        _, info = env.reset(seed=3)
        while env.outcome is None:
            assert env.position.side_to_move == side == info["side"]
            assert np.flatnonzero(env.action_masks()).tolist() == list(env.position.actions)
            assert np.array_equal(info["action_mask"], env.action_masks())
            *_, info = env.step(env.position.actions[0])
        assert not info["action_mask"].any()


@pytest.mark.parametrize("opponent", ["random", "mcts:simulations=20"])
def test_a_pickled_environment_goes_on_from_its_position(opponent: str) -> None:
    env = VersusEnv("connect4", opponent, side=1)
    env.reset(seed=3)
    env.step(env.position.actions[0])
    copied = pickle.loads(pickle.dumps(env))
    assert copied.position == env.position
    assert play(copied, 3) == play(env, 3)


def test_the_reward_is_the_return_of_the_learner() -> None:
    rewards = set()
    for side in (0, 1):
        env = VersusEnv("connect4", "random", side=side)
        for seed in range(10):
            _, reward = play(env, seed)
            assert env.outcome is not None
            assert reward == env.outcome.returns[side]
            rewards.add(reward)
    assert rewards >= {1.0, -1.0}


def test_equal_seeds_give_equal_matches_on_a_side_that_is_drawn() -> None:
    first, second = (VersusEnv("connect4", "random", side="random") for _ in range(2))
    sides = set()
    for seed in range(8):
        assert play(first, seed) == play(second, seed)
        assert first.position == second.position
        sides.add(first.side)
    assert sides == {0, 1}


def test_a_limit_of_plies_truncates() -> None:
    env = VersusEnv("connect4", Scripted("1"), rules=MatchRules(ply_limit=2))
    env.reset()
    _, reward, terminated, truncated, _ = env.step(3)
    assert (reward, terminated, truncated) == (0.0, False, True)


def test_an_illegal_action_loses_and_the_info_says_why() -> None:
    opponent = Scripted("1")
    env = VersusEnv("connect4", opponent)
    env.reset()
    _, reward, terminated, truncated, info = env.step(np.int64(7))
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"].startswith("illegal action 7 in ")
    assert not env.action_masks().any()
    assert len(opponent.ends) == 1
    with pytest.raises(MatchError, match=r"^the match is over: call reset$"):
        env.step(0)


def test_an_opponent_that_resigns_has_lost() -> None:
    env = VersusEnv("connect4", Scripted(""))
    env.reset()
    _, reward, terminated, _, _ = env.step(0)
    assert (reward, terminated) == (1.0, True)


def test_an_opponent_that_breaks_the_rules_is_an_error() -> None:
    env = VersusEnv("connect4", Scripted("9"))
    env.reset()
    with pytest.raises(PluginError, match=r"the opponent .scripted. chose .*, which is not a legal move in"):
        env.step(0)


def test_a_match_can_start_from_a_position() -> None:
    env = VersusEnv("connect4", Scripted("5"), side=1)
    env.reset(options={"start": CONNECT4.start().apply_moves("4 4")})
    assert env.position == CONNECT4.start().apply_moves("4 4 5")


def test_the_text_of_the_board_is_rendered() -> None:
    env = VersusEnv("connect4", Scripted("1"), render_mode="ansi")
    env.reset()
    assert env.render() == CONNECT4.start().board()
    env.close()


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"game": "conect4"}, UnknownNameError, "no such game 'conect4'; did you mean 'connect4'?"),
        ({"opponent": "gredy"}, UnknownNameError, "connect4 has no agent 'gredy'; did you mean 'greedy'?"),
        ({"opponent": "alphabeta:depth=0"}, OptionError, "depth must be "),
        ({"opponent": "human"}, OptionError, "the opponent must be an agent, such as 'greedy', not <player"),
        ({"opponent": None}, OptionError, "the opponent must be an agent, such as 'greedy', not None"),
        ({"opponent": boardgames.load_player("random", boardgames.load("abalone"))}, OptionError,
         "the opponent must play <game connect4"),
        ({"side": 2}, OptionError, "the side must be 0, 1 or 'random', not 2"),
        ({"render_mode": "svg"}, OptionError, "no such render_mode 'svg'"),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused_on_one_line(
    settings: dict[str, Any], error: type[BoardgamesError], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}") as raised:
        VersusEnv(**{"game": "connect4", **settings})
    assert "\n" not in str(raised.value)


def test_without_gymnasium_one_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    for name in ("gymnasium", "environments"):
        monkeypatch.delitem(sys.modules, f"boardgames.adapters.{name}")
    with pytest.raises(MissingExtraError, match=r"needs the extra 'rl': run pip install"):
        importlib.import_module("boardgames.adapters.gymnasium")


def test_a_learner_moves_only_when_it_is_its_turn() -> None:
    env = VersusEnv(CONNECT4, Scripted("4"), side=1)
    with pytest.raises(MatchError, match="it is not the learner's turn: call reset"):
        env.step(3)
    env.reset()
    env.step(3)  # the opponent has no move left and resigns
    with pytest.raises(MatchError, match="the match is over: call reset"):
        env.step(3)


@pytest.mark.parametrize(("opponent", "more"), [("", {}), ("random", {"rules": MatchRules(ply_limit=1)})])
def test_a_match_that_ends_before_the_learner_moves_is_refused(opponent: str, more: Any) -> None:
    env = VersusEnv(CONNECT4, opponent or Scripted(""), side=1, **more)
    with pytest.raises(PositionError, match="the match is over before the learner's first move"):
        env.reset()


def test_a_start_that_is_refused_changes_nothing() -> None:
    env = VersusEnv(CONNECT4, "random")
    env.reset(seed=1)
    with pytest.raises(PositionError, match="it cannot start there"):
        env.reset(options={"start": "1212121"})
    assert env.position == CONNECT4.start()


@pytest.mark.parametrize("action", [None, 3.7, "3"])
def test_an_action_must_be_an_integer(action: Any) -> None:
    env = VersusEnv(CONNECT4, "random")
    env.reset(seed=1)
    with pytest.raises(TypeError):
        env.step(action)


@pytest.mark.parametrize("answer", [Choice(Move(77, "x")), Choice("4"), "4", Move(3, "4")])  # type: ignore[arg-type]
def test_an_opponent_that_chooses_no_legal_move_is_named(answer: Any) -> None:
    class Wrong(Player):
        """Chooses something else than a legal move."""

        name = "wrong"

        def choose(self, position: Position, limit: object = None, context: object = None) -> Choice:
            return answer  # type: ignore[no-any-return]

    env = VersusEnv(CONNECT4, Wrong(CONNECT4))
    env.reset()
    with pytest.raises(BoardgamesError, match=r"(the opponent 'wrong' chose|Wrong\.choose returned)"):
        env.step(3)


def test_options_of_reset_must_be_a_mapping() -> None:
    with pytest.raises(OptionError, match="the options of reset must be a mapping, not 5"):
        VersusEnv(CONNECT4).reset(options=5)  # type: ignore[arg-type]
