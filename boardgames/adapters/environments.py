"""Common parts of the environments for reinforcement learning: the game, its spaces, and rendering."""

import sys
from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from boardgames.draw.pixels import Image, pixels
from boardgames.errors import OptionError, PluginError, PositionError, quote, suggest
from boardgames.game import Game, Move, Position, observation_of
from boardgames.match_state import MatchRules, MatchState
from boardgames.player import NO_CONTEXT, Choice, Context, Limit, Player
from boardgames.plugins import load, load_player

try:
    from gymnasium import spaces
except ImportError:
    from boardgames.errors import MissingExtraError

    raise MissingExtraError("rl", "an environment for reinforcement learning") from None

MAX_SEED = 2**31
"""Seeds for opponents are smaller than this number."""
RenderMode = Literal["human", "ansi", "rgb_array"]
RENDER_MODES: tuple[str, ...] = get_args(RenderMode)

Planes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.int8]


def loaded_game(game: Game | str, options: Mapping[str, Any]) -> Game:  # of the types that it declares
    """Return the given game, or load it with the options if its name is given.

    Raises
    ------
    UnknownNameError, OptionError
        If there is no such game or option, or if options are given with a game instead of its name.
    """
    if isinstance(game, str):
        return load(game, **options)
    if not isinstance(game, Game):
        raise OptionError(f"a game must be a Game or the name of one, not {quote(game)}")
    if options:
        raise OptionError(f"options need the name of a game: {game!r} already has its options")
    return game


def loaded_opponent(opponent: object, game: Game) -> Player:
    """Return the opponent of a learner as a player; raise OptionError unless it is an agent of the game."""
    if isinstance(opponent, str):
        opponent = load_player(opponent, game)
    if not isinstance(opponent, Player) or opponent.is_human:
        raise OptionError(f"the opponent must be an agent, such as 'greedy', not {quote(opponent)}")
    if opponent.game != game:
        raise OptionError(f"the opponent must play {game!r}: {opponent!r} plays {opponent.game!r}")
    return opponent


def reply_of(opponent: Player, position: Position, limit: Limit, context: Context = NO_CONTEXT) -> int | None:
    """Return the action that an opponent chooses, or None if it resigns.

    Raises
    ------
    PluginError
        If it does not choose a legal move.
    """
    choice: object = opponent.choose(position, limit, context)
    move = choice.move if isinstance(choice, Choice) else choice
    if isinstance(choice, Choice) and move is None:
        return None
    if not (isinstance(move, Move) and move.action in context.legal_actions(position)):
        raise PluginError(
            f"the opponent {opponent.name!r} chose {quote(move)}, which is not a legal move in {position}"
        )
    return move.action


def checked_options(options: object) -> Mapping[str, Any]:  # may be anything
    """Return the options of `reset`, which may be None; raise OptionError if they are not a mapping."""
    if options is not None and not isinstance(options, Mapping):
        raise OptionError(f"the options of reset must be a mapping, not {quote(options)}")
    return options or {}


def check_learner(side: object, limit: object) -> None:
    """Raise OptionError unless the side of a learner and the limit of its opponent are valid."""
    if not (side == "random" if isinstance(side, str) else type(side) is int and side in (0, 1)):
        raise OptionError(f"the side must be 0, 1 or 'random', not {quote(side)}")
    if not isinstance(limit, Limit):
        raise OptionError(f"opponent_limit must be a Limit, not {quote(limit)}")


class Board:
    """A match in an environment, whose state is replaced at each reset.

    Parameters
    ----------
    game : Game or str
        A game, or the name of one.
    render_mode : str, optional
        `human` writes the board to the terminal after each move, `ansi` returns it as text, and
        `rgb_array` as an image.
    rules : MatchRules, optional
        What ends a match; by default as in a match between agents.
    layout, options
        As for `boardgames.load`, if the name of a game is given.

    Raises
    ------
    UnknownNameError, OptionError
        If there is no such game, layout, option or render mode, or the game has no board to draw as an image.
    """

    def __init__(
        self,
        game: Game | str,
        render_mode: str | None,
        rules: MatchRules | None,
        options: Mapping[str, Any],  # of the types that the game declares
    ) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(f"no such render_mode {quote(render_mode)}{suggest(render_mode, RENDER_MODES)}")
        if not isinstance(rules, MatchRules | None):
            raise OptionError(f"rules must be a MatchRules, not {quote(rules)}")
        game = loaded_game(game, options)
        if render_mode == "rgb_array" and not game.start().picture().cells:
            raise OptionError(f"{game.facts.name} has no board to draw; use render_mode='ansi'")
        self.game, self.render_mode = game, render_mode
        self.rules = MatchRules.between_agents(game) if rules is None else rules
        shape = observation_of(game).shape
        self.observation_space: spaces.Space[Planes] = spaces.Box(-128, 127, shape, np.int8)
        self.mask_space: spaces.Space[Mask] = spaces.Box(0, 1, (game.facts.actions,), np.int8)
        self._start = game.start()
        self.state = MatchState(self._start, self.rules)

    @property
    def position(self) -> Position:
        """Return the current position."""
        return self.state.position

    def reset(self, options: Mapping[str, Any] | None) -> None:  # other environments ignore most of them
        """Begin a match, in the position `options["start"]` if that is given: a Position or its text."""
        start = checked_options(options).get("start")
        if start is None:
            start = self._start
        elif isinstance(start, str):
            start = self.game.parse(start)
        elif not (isinstance(start, Position) and start.game == self.game):
            raise PositionError(
                f"the start must be a position of {self.game!r} or its text, not {quote(start)}"
            )
        state = MatchState(start, self.rules)
        if state.outcome is not None:
            raise PositionError(f"the match is over in {start}, so it cannot start there")
        self.state = state

    def observation(self, side: int) -> Planes:
        """Return what a side sees, `int8[planes, rows, columns]`."""
        return observation_of(self.game).array(self.position.words, side)

    def mask(self, *, is_empty: bool = False) -> Mask:
        """Return which actions are legal, `int8[actions]`; none if `is_empty`."""
        mask = np.zeros(self.game.facts.actions, dtype=np.int8)
        if not is_empty:
            mask[list(self.state.actions)] = 1
        return mask

    def render(self) -> str | Image | None:
        """Return the board in the form of `render_mode`; in the mode `human`, write it to the terminal."""
        if self.render_mode == "rgb_array":
            positions = self.state.positions
            picture = positions[-1].picture()
            return pixels(picture.since(positions[-2].picture()) if len(positions) > 1 else picture)
        if self.render_mode == "ansi":
            return self.position.board()
        if self.render_mode == "human":
            sys.stdout.write(f"{self.position.board()}\n\n")
        return None
