"""Generic search, compiled once for every game.

`alphabeta` and `mcts` are the two engines, and `minimax` is the search to read
first. `perft` counts leaf positions, and `playout` plays random matches. All of
them can be stopped from another thread.
"""

from boardgames.search.perft import divide, perft
from boardgames.search.playout import Playouts, playouts

__all__ = ["Playouts", "divide", "perft", "playouts"]
