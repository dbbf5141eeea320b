"""Agents of the original program: `double`, which searches little or nothing, and `farrugiulian`.

Source: J. Tran and M. Farrugia's Hexifence agent (COMP30024, University of Melbourne, 2016).
"""

import time
from typing import ClassVar

import numpy as np

from boardgames.errors import OptionError
from boardgames.game import Game, Position
from boardgames.kernels import new_control
from boardgames.options import Option
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Context, Limit, Player
from boardgames.search.runner import run
from boardgames_hexifence.edges import load, new_edge_set, number_of
from boardgames_hexifence.endgame import best_visible_move
from boardgames_hexifence.farrugiulian import MOST_SAFE, best_move, best_safe_edge, new_workspaces
from boardgames_hexifence.features import CAPTURING, FREE, SAFE
from boardgames_hexifence.game import Hexifence, lead_of
from boardgames_hexifence.sacrifices import new_workspace

SECONDS, SECONDS_ON_LARGE_BOARDS = 3.0, 0.9
LARGE = 5
"""Minimum dimension with the shorter default time; there, a search from 30 safe edges seldom ends in time."""
TIME = Option(
    "time",
    float,
    None,
    "seconds per move; default 3, or 0.9 from dimension 5 on",
    minimum=0.001,
    maximum=86_400,
    role="limit",
)
SAFE_EDGES = Option(
    "safe", int, 30, "maximum number of safe edges that are searched", minimum=0, maximum=MOST_SAFE
)
SEARCHED_EDGES = Option(
    "safe",
    int,
    0,
    "maximum number of safe edges that are searched; the original program searched 17",
    minimum=0,
    maximum=MOST_SAFE,
)
TABLE = Option("table", bool, False, "keep results of searched sets of safe edges in a table")


class Double(Player):
    """Considers the chains and loops on the board, and hands out cells to keep control.

    With the option `safe`, it searches the last safe edges for a winning one. The search assumes that both
    sides draw safe edges as long as there are any, and then always open the smallest chain or loop.
    """

    name: ClassVar[str] = "double"
    respects_limits: ClassVar[bool] = False
    declared_options = (SEARCHED_EDGES,)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        dimension = _dimension_of(game, self.name)
        self._edge_set = new_edge_set(game.start().words)
        self._most_safe = int(self.options[SEARCHED_EDGES.name] or 0)
        control = new_control()
        if self._most_safe > 0:
            self._search, self._workspace = new_workspaces(
                self._edge_set, dimension, control, has_table=True, leaf_nodes=0
            )
        else:
            self._workspace = new_workspace(self._edge_set, dimension, control)

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the move of the original's strategy; equally good moves are drawn at random."""
        self._check_position(position)
        load(position.words, self._edge_set)
        state = self.random.integers(2**64, size=1, dtype=np.uint64)
        edge_set = self._edge_set
        is_quiet = number_of(edge_set, FREE) + number_of(edge_set, CAPTURING) == 0
        if is_quiet and 0 < number_of(edge_set, SAFE) <= self._most_safe:
            edge = best_safe_edge(self._search.words, self._workspace.words, lead_of(position), state)
        else:
            edge = best_visible_move(self._workspace.words, state)
        return Choice(position.game.decode(position, int(edge)))


class Farrugiulian(Player):
    """Draws random safe edges at first, and later searches for a win by safe edges and then by sacrifices."""

    name: ClassVar[str] = "farrugiulian"
    declared_options = (TIME, SAFE_EDGES, TABLE)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        dimension = _dimension_of(game, self.name)
        self._edge_set = new_edge_set(game.start().words)
        self._control = new_control()
        default = SECONDS if dimension < LARGE else SECONDS_ON_LARGE_BOARDS
        self._own_limit = Limit(seconds=self.options[TIME.name] or default)  # type: ignore[arg-type]  # read by kind
        self._workspaces = new_workspaces(
            self._edge_set, dimension, self._control, has_table=bool(self.options[TABLE.name])
        )

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the move of the original's strategy, within the limits of time and nodes."""
        self._check_position(position)
        lead = lead_of(position)
        limit = limit.tightened(self._own_limit)
        started = time.monotonic()
        load(position.words, self._edge_set)
        state = self.random.integers(2**64, size=1, dtype=np.uint64)
        self._control[0].stop = self._control[0].nodes = 0
        self._control[0].node_limit = limit.nodes or 0
        most_safe = int(self.options[SAFE_EDGES.name] or 0)
        edge = run(
            lambda: best_move(self._workspaces[0].words, self._workspaces[1].words, lead, most_safe, state),
            self._control,
            seconds=limit.budget(position.side_to_move),
            stop=context.stop,
        )
        return Choice(
            position.game.decode(position, int(edge)),
            nodes=int(self._control[0].nodes),
            seconds=time.monotonic() - started,
        )


def _dimension_of(game: Game, agent: str) -> int:
    if not isinstance(game, Hexifence):
        raise OptionError(f"the agent {agent!r} plays Hexifence, not {game.facts.title}")
    return game.dimension
