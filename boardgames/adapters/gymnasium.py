"""Any game against an agent as an environment of Gymnasium (extra `rl`).

    from boardgames.adapters.gymnasium import VersusEnv

    env = VersusEnv("abalone", "greedy")

`gymnasium.make("boardgames/Versus-v0", game="abalone", opponent="greedy")` also makes it, once this module
has been imported. MaskablePPO of sb3-contrib calls `action_masks`.
"""

from collections.abc import Mapping
from operator import index
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from boardgames.adapters.environments import (
    MAX_SEED,
    RENDER_MODES,
    Board,
    Planes,
    check_learner,
    loaded_opponent,
    reply_of,
)
from boardgames.draw.pixels import Image
from boardgames.errors import (
    IllegalMoveError,
    MatchError,
    MissingExtraError,
    PositionError,
)
from boardgames.game import Game, Outcome, Position, Termination
from boardgames.match_setup import DEFAULT_LIMIT
from boardgames.match_state import MatchRules
from boardgames.player import Limit, Player
from boardgames.plugins import close_player

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise MissingExtraError("rl", "an environment for Gymnasium") from None

ENVIRONMENT = "boardgames/Versus-v0"


class VersusEnv(gymnasium.Env[Planes, np.int64]):
    """A game in which the learner plays one side and an agent the other.

    The reward is 1 for a win, -1 for a loss and 0 otherwise. An episode is truncated if a limit of plies
    or moves ends the match. An action that is not legal loses the match, as in the arena; `info` then says
    why. `info["action_mask"]` says which actions are legal, `int8[actions]`.

    Parameters
    ----------
    game : Game or str
        A game, or the name of one.
    opponent : str or Player
        An agent with its options, such as `alphabeta:depth=2`, or a player of the game, which the caller
        closes.
    side : 0, 1 or "random"
        The side of the learner; `random` draws it at each reset.
    opponent_limit : Limit
        What the opponent may spend on a move.
    render_mode : str, optional
        `human` writes the board to the terminal after each reset and step, `ansi` returns it as text, and
        `rgb_array` returns an image.
    rules : MatchRules, optional
        What ends a match besides the rules of the game; by default as in a match between agents.
    layout, options
        As for `boardgames.load`, if the name of a game is given.

    Raises
    ------
    UnknownNameError, OptionError
        If there is no such game, agent, side, option or render mode.

    Examples
    --------
    >>> env = VersusEnv("connect4", "random", side=1)
    >>> observation, info = env.reset(seed=1)
    >>> env.action_masks().tolist(), observation.shape
    ([True, True, True, True, True, True, True], (2, 6, 7))
    >>> observation, reward, terminated, truncated, info = env.step(3)
    >>> reward, terminated, truncated
    (0.0, False, False)
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        game: Game | str,
        opponent: str | Player = "random",
        *,
        side: Literal[0, 1, "random"] = 0,
        opponent_limit: Limit = DEFAULT_LIMIT,
        render_mode: str | None = None,
        rules: MatchRules | None = None,
        **options: Any,  # of the types that the game declares
    ) -> None:
        check_learner(side, opponent_limit)
        self._board = Board(game, render_mode, rules, options)
        self._is_own = isinstance(opponent, str)
        self.opponent = loaded_opponent(opponent, self.game)
        self.render_mode = render_mode
        self.observation_space = self._board.observation_space
        self.action_space = spaces.Discrete(self.game.facts.actions)
        self._side, self._limit = side, opponent_limit
        self.side: int = 0 if side == "random" else side
        self._ended: Outcome | None = None
        self._has_begun = False

    @property
    def game(self) -> Game:
        """Return the game."""
        return self._board.game

    @property
    def position(self) -> Position:
        """Return the current position."""
        return self._board.position

    @property
    def outcome(self) -> Outcome | None:
        """Return the outcome of the match, or None if it is not over."""
        return self._ended or self._board.state.outcome

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal, `bool[actions]`."""
        return self._board.mask(is_empty=self.outcome is not None).astype(np.bool_)

    def reset(
        self,
        *,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,  # of any type
    ) -> tuple[Planes, dict[str, Any]]:
        """Begin a match, and make the opponent's moves if it moves first.

        Parameters
        ----------
        seed : int, optional
            Seed of the side that is drawn, and of the opponent's random choices.
        options : mapping, optional
            `start` is a position, or its text, from which the match begins. Other options are ignored.

        Raises
        ------
        PositionError
            If the match is over before the learner's first move.
        """
        super().reset(seed=seed)
        if seed is not None:
            self.opponent.reseed(int(self.np_random.integers(MAX_SEED)))
        if self._side == "random":
            self.side = int(self.np_random.integers(2))
        self._board.reset(options)
        self._ended, self._has_begun = None, True
        self.opponent.match_started(1 - self.side)
        self._reply()
        if self.outcome is not None:
            raise PositionError(
                "the match is over before the learner's first move: begin in another position"
            )
        self._show()
        return self._board.observation(self.side), self._info()

    def step(self, action: np.int64 | int) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        """Take an action, and make the opponent's replies.

        Raises
        ------
        MatchError
            If the match is over or has not begun.
        TypeError
            If the action is not an integer.
        """
        state = self._board.state
        if self.outcome is not None:
            raise MatchError("the match is over: call reset")
        if not self._has_begun or state.side_to_move != self.side:
            raise MatchError("it is not the learner's turn: call reset")
        more: dict[str, Any] = {}
        try:
            state.push(index(action))
        except IllegalMoveError as error:
            self._end(Outcome(1 - self.side, Termination.ILLEGAL_MOVE))
            more["illegal_action"] = str(error)
        else:
            self._reply()
        outcome = self._board.state.outcome if self._ended is None else self._ended
        is_truncated = outcome is state.outcome and state.is_truncated
        self._show()
        return (
            self._board.observation(self.side),
            0.0 if outcome is None else outcome.returns[self.side],
            outcome is not None and not is_truncated,
            is_truncated,
            self._info() | more,
        )

    def render(self) -> str | Image | None:
        """Return the board in the form of `render_mode`; in the mode `human`, write it to the terminal."""
        return self._board.render()

    def close(self) -> None:
        """Close the opponent if it was loaded by its name."""
        if self._is_own:
            close_player(self.opponent)

    def _reply(self) -> None:
        """Make the opponent's moves until it is the learner's turn or the match is over."""
        state = self._board.state
        while state.outcome is None and state.side_to_move != self.side:
            action = reply_of(self.opponent, state.position, self._limit, state.context)
            if action is None:
                self._end(Outcome(self.side, Termination.RESIGNATION))
                return
            state.push(action)
        if state.outcome is not None:
            self.opponent.match_ended(state.outcome)

    def _end(self, outcome: Outcome) -> None:
        self._ended = outcome
        self.opponent.match_ended(outcome)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _info(self) -> dict[str, Any]:  # values of several types
        return {"action_mask": self.action_masks().astype(np.int8), "side": self.side}


gymnasium.register(
    id=ENVIRONMENT,
    entry_point=f"{__name__}:{VersusEnv.__name__}",
    vector_entry_point="boardgames.adapters.vector:VersusVectorEnv",
)
