"""Many matches against an opponent as a vector environment of Gymnasium (extra `rl`), in compiled code.

from boardgames.adapters.vector import VersusVectorEnv

envs = VersusVectorEnv("connect4", 256)
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from boardgames.adapters.environments import (
    MAX_SEED,
    Planes,
    check_learner,
    checked_options,
    loaded_game,
    loaded_opponent,
    reply_of,
)
from boardgames.batch import Batch
from boardgames.errors import MatchError, MissingExtraError, OptionError, PositionError, quote
from boardgames.game import Game, observation_of
from boardgames.kernels import Actions
from boardgames.match_setup import DEFAULT_LIMIT
from boardgames.player import Limit, Player
from boardgames.plugins import close_player

try:
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise MissingExtraError("rl", "a vector environment for Gymnasium") from None

Masks = npt.NDArray[np.bool_]
Rewards = npt.NDArray[np.float32]
Policy = Callable[[Planes, Masks], npt.ArrayLike]
"""Takes the observations and masks of several matches, and returns an action for each match."""
MOST_BEGINNINGS = 100
"""How many times a match may begin again because it is over before the learner's first move."""
RESIGNED = -1
"""Stands for a resignation among the actions of an opponent."""


class VersusVectorEnv(VectorEnv[Planes, Actions, npt.NDArray[Any]]):
    """Many matches side by side, in each of which the learner plays one side and an opponent the other.

    Rewards, illegal actions and `infos["action_mask"]`, `bool[n, actions]`, are as in `VersusEnv`. A match
    ends by the rules of the game, including its repetition rule, or at a limit of plies; the other limits
    of `VersusEnv` for matches between agents do not apply. A match that is over before the learner's first
    move begins again.

    Parameters
    ----------
    game : Game or str
        A game, or the name of one.
    num_envs : int
        Number of matches.
    opponent : str, Player or function
        `random`; or a function that takes observations, `int8[m, planes, rows, columns]`, and masks,
        `bool[m, actions]`, of the matches in which the opponent is to move, and returns `int[m]`; or an
        agent, which moves in one match after the other and is therefore slow.
    side : 0, 1 or "random"
        The side of the learner; `random` draws it at the start of each match.
    autoreset_mode : AutoresetMode
        When a new match replaces one that is over: with the next step, within the same step, or by
        `reset` with the option `reset_mask`, `bool[n]`.
    ply_limit : int, optional
        Number of plies after which a match ends; by default the limit of the game.
    opponent_limit : Limit
        What an agent may spend on a move.
    layout, options
        As for `boardgames.load`, if the name of a game is given.

    Raises
    ------
    UnknownNameError, OptionError
        If there is no such game, agent, side, mode or option, or if the opponent is an agent and the game
        has a repetition rule, since the agent would have to know the whole match.
    LimitError
        If the number of matches or the limit is out of range.

    Examples
    --------
    >>> envs = VersusVectorEnv("connect4", 3, side=1)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations.shape, infos["action_mask"].all()
    ((3, 2, 6, 7), np.True_)
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.array([3, 3, 2]))
    >>> rewards.tolist()
    [0.0, 0.0, 0.0]
    """

    _is_own = False  # some versions of Gymnasium close an object that could not be made

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        opponent: str | Player | Policy = "random",
        *,
        side: Literal[0, 1, "random"] = 0,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        ply_limit: int | None = None,
        opponent_limit: Limit = DEFAULT_LIMIT,
        **options: Any,  # of the types that the game declares
    ) -> None:
        check_learner(side, opponent_limit)
        if not isinstance(autoreset_mode, AutoresetMode):
            raise OptionError(f"autoreset_mode must be an AutoresetMode, not {quote(autoreset_mode)}")
        game = loaded_game(game, options)
        self.batch = Batch(game, num_envs, ply_limit=ply_limit)
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": autoreset_mode}
        self.single_observation_space = spaces.Box(-128, 127, observation_of(game).shape, np.int8)
        self.single_action_space = spaces.Discrete(game.facts.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._mode, self._side, self._limit = autoreset_mode, side, opponent_limit
        self._is_own = isinstance(opponent, str) and opponent != "random"
        self._opponent: str | Player | Policy = opponent
        if isinstance(opponent, type) or not (callable(opponent) or opponent == "random"):
            self._opponent = loaded_opponent(opponent, game)
        if isinstance(self._opponent, Player) and self.batch.remembers:
            raise OptionError(
                f"{game.facts.name} has a repetition rule, so an agent must know the whole match; "
                "use VersusEnv, or a function as opponent"
            )
        self.sides: Actions = np.zeros(num_envs, dtype=np.int64)
        """The side of the learner in each match, `int64[n]`."""
        self._is_over, self._has_begun = np.ones(num_envs, dtype=np.bool_), False

    @property
    def game(self) -> Game:
        """Return the game."""
        return self.batch.game

    def reset(
        self,
        *,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,  # of any type
    ) -> tuple[Planes, dict[str, Any]]:
        """Begin matches, and make the opponent's moves where it moves first.

        Parameters
        ----------
        seed : int, optional
            Seed of the sides that are drawn, and of the opponent's random choices.
        options : mapping, optional
            `reset_mask`, `bool[n]`, says which matches to begin; by default all of them.
        """
        super().reset(seed=seed)
        given = checked_options(options).get("reset_mask")
        which = np.ones(self.num_envs, dtype=np.bool_) if given is None else np.asarray(given)
        if seed is not None:
            number = int(self.np_random.integers(MAX_SEED))
            self.batch.reset(which, seed=number)
            if isinstance(self._opponent, Player):
                self._opponent.reseed(number)
        self._begin(which)
        self._has_begun = True
        return self._observed()

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Planes, Rewards, npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Take an action in each match, and make the opponent's replies.

        Raises
        ------
        MatchError
            If `reset` has not been called.
        LimitError
            If the array has the wrong type or shape.
        """
        if not self._has_begun:
            raise MatchError("no match has begun: call reset")
        again = self._is_over & (self._mode is AutoresetMode.NEXT_STEP)
        moving = ~self._is_over
        given = np.asarray(actions)
        is_legal = self._are_legal(given)
        lost = moving & ~is_legal
        rewards, terminated, truncated = self._moved(given, moving & is_legal)
        rewards[lost], terminated[lost] = -1, True
        self._is_over = self._is_over | terminated | truncated
        if again.any():
            self._begin(again)
        observations, infos = self._observed()
        if self._mode is AutoresetMode.SAME_STEP and self._is_over.any():
            ended = self._is_over.copy()
            self._begin(ended)
            infos = {"final_obs": observations, "final_info": infos}
            infos |= dict.fromkeys(("_final_obs", "_final_info"), ended)
            observations, more = self._observed()
            infos |= more
        return observations, rewards, terminated, truncated, infos

    def close_extras(self, **kwargs: Any) -> None:  # as Gymnasium declares it
        """Close the opponent if it was loaded by its name."""
        if self._is_own and isinstance(self._opponent, Player):
            close_player(self._opponent)

    def _begin(self, which: npt.NDArray[np.bool_]) -> None:
        """Begin the chosen matches, and begin again those that are over before the learner's first move."""
        for _ in range(MOST_BEGINNINGS):
            self.batch.reset(which)
            if self._side == "random":
                self.sides[which] = self.np_random.integers(2, size=self.num_envs)[which]
            else:
                self.sides[which] = self._side
            self._is_over[which] = False
            _, terminated, truncated = self._replied()
            which = which & (terminated | truncated)
            if not which.any():
                return
        raise PositionError(
            f"a match has ended {MOST_BEGINNINGS} times before the learner's first move: "
            "the opponent resigns or wins, or the limit of plies is too small"
        )

    def _moved(self, actions: Actions, which: npt.NDArray[np.bool_]) -> tuple[Rewards, Masks, Masks]:
        """Take actions, make the opponent's replies, and return rewards, terminations and truncations."""
        step = self.batch.step(actions, which=which)
        replies = self._replied()
        rewards = (step.rewards + replies[0])[np.arange(self.num_envs), self.sides]
        return rewards, step.terminated | replies[1], step.truncated | replies[2]

    def _replied(self) -> tuple[Rewards, Masks, Masks]:
        """Make the opponent's moves until the learner is to move; return the same values as `_moved`."""
        rewards = np.zeros((self.num_envs, 2), dtype=np.float32)
        terminated, truncated = np.zeros_like(self._is_over), np.zeros_like(self._is_over)
        while True:
            waiting = ~self.batch.over & ~self._is_over & (self.batch.sides != self.sides)
            if not waiting.any():
                return rewards, terminated, truncated
            actions = self._replies(waiting)
            resigned = waiting & (actions == RESIGNED) & isinstance(self._opponent, Player)
            step = self.batch.step(actions, which=waiting & ~resigned)
            rewards += step.rewards
            rewards[resigned, self.sides[resigned]] = 1
            terminated |= step.terminated | resigned
            truncated |= step.truncated
            self._is_over = self._is_over | resigned

    def _replies(self, waiting: npt.NDArray[np.bool_]) -> Actions:
        """Return the opponent's actions where it is to move; `RESIGNED` where it resigns."""
        if self._opponent == "random":
            return self.batch.sample()
        actions, numbers = np.zeros(self.num_envs, dtype=np.int64), np.flatnonzero(waiting)
        if isinstance(self._opponent, Player):
            for number in numbers.tolist():
                action = reply_of(self._opponent, self.batch.position(number), self._limit)
                actions[number] = RESIGNED if action is None else action
        else:
            assert callable(self._opponent)
            chosen = self._opponent(self.batch.observations()[numbers], self.batch.masks()[numbers])
            replies = np.asarray(chosen)
            if replies.dtype.kind not in "iu" or replies.shape != numbers.shape:
                raise OptionError(
                    f"the opponent must return integers of the shape {numbers.shape}, not {quote(chosen)}"
                )
            actions[numbers] = replies
        return actions

    def _are_legal(self, actions: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return which actions are legal; all if type or shape is wrong, so that the batch rejects them."""
        if actions.dtype.kind not in "iu" or actions.shape != (self.num_envs,):
            return np.ones(self.num_envs, dtype=np.bool_)
        count = self.game.facts.actions
        is_action = (actions >= 0) & (actions < count)
        matches = np.arange(self.num_envs)
        legal: npt.NDArray[np.bool_] = self.batch.masks()[matches, actions.clip(0, count - 1)]
        return is_action & legal

    def _observed(self) -> tuple[Planes, dict[str, Any]]:
        masks = self.batch.masks()
        masks[self._is_over] = False
        return self.batch.observations(self.sides), {"action_mask": masks, "side": self.sides.copy()}
