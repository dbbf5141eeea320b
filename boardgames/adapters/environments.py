"""What environments for reinforcement learning have in common: the game, its spaces, and rendering."""

import sys
from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from boardgames.draw.pixels import Image, pixels
from boardgames.errors import OptionError, PositionError, quote, suggest
from boardgames.game import Game, Position, observation_of
from boardgames.match_state import MatchRules, MatchState
from boardgames.plugins import load

try:
    from gymnasium import spaces
except ImportError:
    from boardgames.errors import MissingExtraError

    raise MissingExtraError("rl", "an environment for reinforcement learning") from None

RenderMode = Literal["human", "ansi", "rgb_array"]
RENDER_MODES: tuple[str, ...] = get_args(RenderMode)

Planes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.int8]


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
        What ends a match; by default as between agents.
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
        render_mode: str | None,
        rules: MatchRules | None,
        options: Mapping[str, Any],  # of the types that the game declares
    ) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(f"no such render_mode {quote(render_mode)}{suggest(render_mode, RENDER_MODES)}")
        if not isinstance(rules, MatchRules | None):
            raise OptionError(f"rules must be a MatchRules, not {quote(rules)}")
        if isinstance(game, str):
            game = load(game, **options)
        elif not isinstance(game, Game):
            raise OptionError(f"a game must be a Game or the name of one, not {quote(game)}")
        elif options:
            raise OptionError(f"options need the name of a game: {game!r} has its options already")
        self.game, self.render_mode = game, render_mode
        self.rules = MatchRules.between_agents(game) if rules is None else rules
        self._observation = observation_of(game)
        self.observation_space: spaces.Space[Planes] = spaces.Box(-128, 127, self._observation.shape, np.int8)
        self.mask_space: spaces.Space[Mask] = spaces.Box(0, 1, (game.facts.actions,), np.int8)
        self._start = game.start()
        self.state = MatchState(self._start, self.rules)

    @property
    def position(self) -> Position:
        """Return the current position."""
        return self.state.position

    def reset(self, options: Mapping[str, Any] | None) -> None:  # other environments ignore most of them
        """Begin a match, in the position `options["start"]` if that is given: a Position or its text."""
        start = (options or {}).get("start")
        if start is None:
            start = self._start
        elif isinstance(start, str):
            start = self.game.parse(start)
        elif not (isinstance(start, Position) and start.game == self.game):
            raise PositionError(
                f"the start must be a position of {self.game!r} or its text, not {quote(start)}"
            )
        self.state = MatchState(start, self.rules)
        if self.state.outcome is not None:
            raise PositionError(f"the match is over in {start}, so it cannot start there")

    def observation(self, side: int) -> Planes:
        """Return what a side sees, `int8[planes, rows, columns]`."""
        return self._observation.array(self.position.words, side)

    def mask(self, *, is_empty: bool = False) -> Mask:
        """Return which actions can be made, `int8[actions]`; none if the mask `is_empty`."""
        mask = np.zeros(self.game.facts.actions, dtype=np.int8)
        if not is_empty:
            mask[list(self.state.actions)] = 1
        return mask

    def render(self) -> str | Image | None:
        """Return the board as the render mode says, or write it to the terminal in the mode `human`."""
        if self.render_mode == "rgb_array":
            positions = self.state.positions
            picture = positions[-1].picture()
            return pixels(picture.since(positions[-2].picture()) if len(positions) > 1 else picture)
        if self.render_mode == "ansi":
            return self.position.board()
        if self.render_mode == "human":
            sys.stdout.write(f"{self.position.board()}\n\n")
        return None
