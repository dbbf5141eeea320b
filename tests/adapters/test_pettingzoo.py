"""Games as environments of PettingZoo: its own tests, what agents see, and how matches end."""

import importlib
import pickle
import random
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import boardgames
from boardgames import MatchRules
from boardgames.adapters import pettingzoo
from boardgames.errors import (
    BoardgamesError,
    IllegalMoveError,
    MatchError,
    MissingExtraError,
    OptionError,
    PositionError,
)

Environment = Any  # PettingZoo has no types
Make = Callable[..., Environment]

FOR_ITS_OWN_GAMES = (
    "Observation space for each agent probably should be gymnasium.spaces.box",
    "Observation is not a NumPy array",
    "Action mask numpy array is all zeros",
    "Observation numpy array is all zeros",
)
"""What PettingZoo warns of although its own board games do the same; it knows them by name."""


@pytest.fixture
def make(name: str, options: dict[str, int]) -> Make:
    def make(**settings: Any) -> Environment:
        return pettingzoo.env(name, **options, **settings)

    return make


@pytest.fixture
def _strict() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in FOR_ITS_OWN_GAMES:
            warnings.filterwarnings("ignore", message=message)
        yield


@pytest.mark.usefixtures("_strict")
def test_every_game_passes_the_api_test(make: Make) -> None:
    api_test(make(), num_cycles=200)


@pytest.mark.usefixtures("_strict")
def test_every_game_passes_the_seed_test(make: Make) -> None:
    seed_test(make, num_cycles=30)


@pytest.mark.usefixtures("_strict")
def test_every_game_passes_the_render_test(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(make)
    assert capsys.readouterr().out.strip()


@pytest.mark.usefixtures("_strict")
def test_every_game_passes_the_parallel_api_test(name: str, options: dict[str, int]) -> None:
    parallel_api_test(pettingzoo.parallel_env(name, **options), num_cycles=30)


def test_a_parallel_step_needs_an_action_of_the_agent_to_move() -> None:
    environment = pettingzoo.parallel_env("connect4")
    environment.reset()
    environment.step({"player_0": 3})
    wrong: list[Any] = [{"player_0": 3}, {}, None, 3]
    for actions in wrong:
        with pytest.raises(MatchError, match="a step needs an action of 'player_1', which is to move, not "):
            environment.step(actions)
    environment.step({"player_1": 3})
    assert str(environment.unwrapped.position) == "......./......./......./......./...b.../...r..."


def play(environment: Environment, seed: int = 1) -> list[tuple[str, int, tuple[float, ...]]]:
    """Play a match at random; return the agents, their actions, and all rewards after each."""
    generator, played = random.Random(seed), []
    environment.reset()
    for agent in environment.agent_iter():
        observation, _, terminated, truncated, _ = environment.last()
        if terminated or truncated:
            environment.step(None)
            continue
        action = generator.choice(np.flatnonzero(observation["action_mask"]).tolist())
        environment.step(action)
        played.append((agent, action, tuple(environment.rewards.values())))
    return played


def test_agents_are_the_sides_and_their_rewards_the_returns(make: Make, name: str) -> None:
    environment = make()
    for seed in range(5):
        played = play(environment, seed)
        state = boardgames.MatchState(environment.unwrapped.game.start())
        for agent, action, rewards in played:
            assert agent == pettingzoo.AGENTS[state.side_to_move]
            state.push(action)
            assert rewards == ((0.0, 0.0) if state.outcome is None else state.outcome.returns)
        assert state.outcome is not None
        assert state.position == environment.unwrapped.position


def test_agents_see_the_position_from_their_own_side() -> None:
    environment = pettingzoo.env("connect4")
    environment.reset(options={"start": boardgames.load("connect4").start().apply_moves("4 4 5")})
    for side, agent in enumerate(pettingzoo.AGENTS):
        seen = environment.observe(agent)
        assert np.array_equal(seen["observation"], environment.unwrapped.position.observation(side))
        assert seen["action_mask"].sum() == (7 if agent == environment.agent_selection else 0)
    assert environment.agent_selection == "player_1"
    assert np.array_equal(environment.state(), environment.observe("player_0")["observation"])


def ends(environment: Environment) -> tuple[set[bool], set[bool]]:
    return set(environment.truncations.values()), set(environment.terminations.values())


def test_a_limit_of_plies_truncates_and_a_win_terminates() -> None:
    environment = pettingzoo.env("connect4", rules=MatchRules(ply_limit=3))
    environment.reset()
    for action in (3, 3, 3):
        environment.step(action)
    assert (set(environment.truncations.values()), set(environment.terminations.values())) == (
        {True},
        {False},
    )
    environment = pettingzoo.env("connect4")
    environment.reset(options={"start": "......./......./......./r....../rb...../rb....."})
    assert environment.agent_selection == "player_1"
    environment.step(5)
    environment.step(0)
    assert environment.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert (set(environment.truncations.values()), set(environment.terminations.values())) == (
        {False},
        {True},
    )


def test_an_image_shows_the_last_move() -> None:
    environment = pettingzoo.env("abalone", render_mode="rgb_array")
    environment.reset()
    before = environment.render()
    environment.step(environment.unwrapped.position.actions[0])
    after = environment.render()
    assert isinstance(before, np.ndarray)
    assert isinstance(after, np.ndarray)
    assert before.shape == after.shape
    assert (before != after).any()


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    environment = pettingzoo.env("connect4")
    environment.reset()
    before = environment.unwrapped.position
    for action in (7, -1, None, "4", 2.0):
        with pytest.raises(IllegalMoveError, match=rf"^illegal action {re.escape(repr(action))} in "):
            environment.step(action)
    assert environment.unwrapped.position is before


def test_a_wrapper_makes_an_illegal_action_lose() -> None:
    environment = TerminateIllegalWrapper(pettingzoo.env("abalone"), illegal_reward=-1)
    environment.reset()
    mask = environment.observe("player_0")["action_mask"]
    environment.step(int(np.flatnonzero(mask == 0)[0]))
    assert environment.rewards == {"player_0": -1.0, "player_1": 0}


def test_use_before_reset_and_after_the_end_is_refused() -> None:
    environment = pettingzoo.env("connect4", rules=MatchRules(ply_limit=1))
    with pytest.raises(AttributeError, match=r"^call reset before using agent_selection$"):
        environment.step(3)
    environment.reset()
    for action in (3, None, None):
        environment.step(action)
    with pytest.raises(MatchError, match=r"^the match is over and no agent is left: call reset$"):
        environment.step(3)
    assert not hasattr(environment, "possible_agent")


def test_there_is_no_number_of_agents_before_reset() -> None:
    environment = pettingzoo.env("connect4")
    with pytest.raises(AttributeError, match=r"^call reset before using num_agents$"):
        _ = environment.num_agents
    environment.reset()
    assert environment.num_agents == 2


def test_a_game_without_a_board_has_no_images() -> None:
    pytest.importorskip("pyspiel")
    with pytest.raises(OptionError, match=r"^spiel:chess has no board to draw; use render_mode='ansi'$"):
        pettingzoo.env("spiel:chess", render_mode="rgb_array")
    environment = pettingzoo.env("spiel:chess", render_mode="ansi")
    environment.reset()
    assert "rnbqkbnr" in environment.render()


def test_an_environment_can_be_pickled() -> None:
    environment = pettingzoo.env("abalone")
    environment.reset()
    environment.step(environment.unwrapped.position.actions[3])
    copied = pickle.loads(pickle.dumps(environment))
    assert copied.unwrapped.position == environment.unwrapped.position
    assert play(copied, 2) == play(environment, 2)


CONNECT4 = boardgames.load("connect4")


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"game": "conect4"}, BoardgamesError, "no such game 'conect4'; did you mean 'connect4'?"),
        ({"game": "connect4", "render_mode": "rgb"}, OptionError, "no such render_mode 'rgb'"),
        ({"game": "connect4", "colums": 8}, OptionError, "game 'connect4' has no option 'colums'"),
        ({"game": CONNECT4, "columns": 8}, OptionError, "options need the name of a game"),
        ({"game": 4}, OptionError, "a game must be a Game or the name of one, not 4"),
        ({"game": "connect4", "rules": 40}, OptionError, "rules must be a MatchRules, not 40"),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused_on_one_line(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}") as raised:
        pettingzoo.env(**settings)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (boardgames.load("abalone").start(), "the start must be a position of <game connect4"),
        ("x", "7x6 has 42 cells, not 1: 'x'"),
        ("......./......./r....../rb...../rb...../rb.....", "the match is over in"),
    ],
)  # fmt: skip
def test_a_start_from_which_no_match_can_be_played_is_refused(start: object, message: str) -> None:
    environment = pettingzoo.env("connect4")
    with pytest.raises(PositionError, match=f"^{re.escape(message)}"):
        environment.reset(options={"start": start})


@pytest.mark.parametrize("module", ["pettingzoo", "gymnasium"])
def test_without_the_library_one_line_names_the_extra(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    for name in ("pettingzoo", "environments"):
        monkeypatch.delitem(sys.modules, f"boardgames.adapters.{name}")
    with pytest.raises(MissingExtraError, match=r"needs the extra 'rl': run pip install") as raised:
        importlib.import_module("boardgames.adapters.pettingzoo")
    assert "\n" not in str(raised.value)
