"""Any game as an environment of PettingZoo (extra `rl`), with observations and action masks.

    from boardgames.adapters import pettingzoo

    env = pettingzoo.env("abalone")

Its agents are `player_0` and `player_1`, the sides of the game. A side may move several times in a row.
"""

from collections.abc import Mapping
from typing import Any

from boardgames.adapters.environments import RENDER_MODES, Board, Planes
from boardgames.draw.pixels import Image
from boardgames.errors import MatchError, MissingExtraError, quote
from boardgames.game import Game, Position
from boardgames.match_state import MatchRules

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper
except ImportError:
    raise MissingExtraError("rl", "an environment for PettingZoo") from None

AGENTS = "player_0", "player_1"
"""The agents, by side."""

_SET_BY_RESET = frozenset(
    {
        "agents", "agent_selection", "infos", "num_agents", "rewards", "terminations", "truncations",
        "_cumulative_rewards",
    }
)  # fmt: skip

Observation = dict[str, Planes]
"""`observation`, `int8[planes, rows, columns]`, and `action_mask`, `int8[actions]`."""


def env(game: Game | str, **settings: Any) -> AECEnv[str, Observation, int | None]:  # as for `raw_env`
    """Return the environment of a game, with the parameters of `raw_env`.

    It needs no wrappers: an illegal action, or use before `reset`, raises an error.

    Examples
    --------
    >>> environment = env("hexifence", dimension=2)
    >>> environment.reset()
    >>> observation, reward, termination, truncation, info = environment.last()
    >>> environment.agent_selection, observation["action_mask"].sum().item(), reward
    ('player_0', 30, 0.0)
    """
    return raw_env(game, **settings)


def parallel_env(
    game: Game | str,
    **settings: Any,  # as for `raw_env`
) -> ParallelEnv[str, Observation, int | None]:
    """Return the environment of a game in which each step takes actions from both agents.

    Only the action of the agent to move counts, and the others may be missing; the action mask of the other
    agent is empty. The parameters are those of `raw_env`.
    """
    return _Parallel(env(game, **settings))


class _Parallel(turn_based_aec_to_parallel_wrapper):  # type: ignore[misc]  # no types
    """The environment of a game in which each step takes actions from both agents."""

    def step(self, actions: Mapping[str, int | None]) -> Any:  # five dictionaries
        """Take the action of the agent to move; raise MatchError if there is none."""
        if self.agents:
            mover = self.aec_env.agent_selection
            if not (isinstance(actions, Mapping) and mover in actions):
                raise MatchError(
                    f"a step needs an action of {mover!r}, which is to move, not {quote(actions)}"
                )
        return super().step(actions)


class raw_env(AECEnv[str, Observation, int | None]):  # type: ignore[misc]  # noqa: N801 - no types; the name that its games have
    """The environment of a game, without wrappers.

    Parameters
    ----------
    game : Game or str
        A game, or the name of one.
    render_mode : str, optional
        `human` writes the board to the terminal after each step, `ansi` returns it as text, and
        `rgb_array` returns an image, `uint8[height, width, 3]`.
    rules : MatchRules, optional
        What ends a match besides the rules of the game; by default as in a match between agents. Agents
        are truncated if a limit of plies or moves ends it, otherwise terminated.
    layout, options
        As for `boardgames.load`, if the name of a game is given.

    Raises
    ------
    UnknownNameError, OptionError
        If there is no such game, layout, option or render mode.
    """

    def __init__(
        self,
        game: Game | str,
        *,
        render_mode: str | None = None,
        rules: MatchRules | None = None,
        **options: Any,  # of the types that the game declares
    ) -> None:
        super().__init__()
        self._board = Board(game, render_mode, rules, options)
        name = self._board.game.facts.name
        self.metadata = {
            "name": f"{name}_v0",
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "is_parallelizable": True,
        }
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self._spaces = {
            agent: spaces.Dict(
                {"observation": self._board.observation_space, "action_mask": self._board.mask_space}
            )
            for agent in AGENTS
        }
        self._actions = {agent: spaces.Discrete(self.game.facts.actions) for agent in AGENTS}

    def __getattr__(self, name: str) -> Any:  # the attributes that `reset` sets
        if name in _SET_BY_RESET:
            raise AttributeError(f"call reset before using {name}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def game(self) -> Game:
        """Return the game."""
        return self._board.game

    @property
    def position(self) -> Position:
        """Return the current position."""
        return self._board.position

    def observation_space(self, agent: str) -> spaces.Space[Any]:  # PettingZoo's type for dictionaries
        """Return the space of observations."""
        return self._spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:  # NumPy's integers
        """Return the space of actions."""
        return self._actions[agent]

    def reset(
        self,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,  # of any type
    ) -> None:
        """Begin a match; `options` may contain `start`, a position or its text.

        The seed has no effect, since nothing in these games is random.
        """
        self._board.reset(options)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self._board.state.side_to_move]
        self._skip_agent_selection = None

    def step(self, action: int | None) -> None:
        """Take an action of the selected agent.

        Raises
        ------
        IllegalMoveError
            If the action is not legal; the match does not change.
        """
        agent = self.agent_selection
        if agent not in self.agents:
            raise MatchError("the match is over and no agent is left: call reset")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        state = self._board.state
        state.push(action)  # type: ignore[arg-type]  # `push` rejects None
        self._cumulative_rewards[agent] = 0.0
        outcome = state.outcome
        if outcome is None:
            self.agent_selection = AGENTS[state.side_to_move]
        else:
            ends = self.truncations if state.is_truncated else self.terminations
            ends.update(dict.fromkeys(AGENTS, True))
            self.rewards = dict(zip(AGENTS, outcome.returns, strict=True))
            self._accumulate_rewards()
            self.agent_selection = AGENTS[1 - AGENTS.index(agent)]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, and its action mask, which is empty unless it is to move."""
        side = AGENTS.index(agent)
        is_to_move = agent == self.agent_selection
        return {
            "observation": self._board.observation(side),
            "action_mask": self._board.mask(is_empty=not is_to_move),
        }

    def state(self) -> Planes:
        """Return what `player_0` sees, `int8[planes, rows, columns]`: nothing is hidden in these games."""
        return self._board.observation(0)

    def render(self) -> str | Image | None:
        """Return the board in the form of `render_mode`; in the mode `human`, write it to the terminal."""
        return self._board.render()

    def close(self) -> None:
        """Do nothing, since no window is open; PettingZoo requires this method."""
        return
