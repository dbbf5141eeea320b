"""Agents of the original program: `double`, the best visible move without search.

Source: J. Tran and M. Farrugia's Hexifence agent (COMP30024, University of Melbourne, 2016).
"""

from typing import ClassVar

import numpy as np

from boardgames.game import Game, Position
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Context, Limit, Player
from boardgames_hexifence.edges import load, new_edge_set
from boardgames_hexifence.endgame import best_visible_move, new_scratch


class Double(Player):
    """Plays by the chains and loops on the board, and hands out cells to keep control."""

    name: ClassVar[str] = "double"
    respects_limits: ClassVar[bool] = False

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._edge_set = new_edge_set(game.start().words)
        self._scratch = new_scratch(int(game.options["dimension"] or 0))

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the best visible move; equal ones are drawn from the player's random generator."""
        self._check_position(position)
        load(position.words, self._edge_set)
        state = self.random.integers(2**64, size=1, dtype=np.uint64)
        edge = best_visible_move(self._edge_set, self._scratch, state)
        return Choice(position.game.decode(position, int(edge)))
