"""Generic compiled algorithms over any game's kernels.

Each is compiled once, takes the kernels of a game as typed first-class
functions, and can be stopped from another thread.
"""

from boardgames.search.deepening import search
from boardgames.search.perft import divide, perft
from boardgames.search.playout import Playouts, playouts
from boardgames.search.tree import EVALUATION_BOUND, MAX_DEPTH, WIN

__all__ = ["EVALUATION_BOUND", "MAX_DEPTH", "WIN", "Playouts", "divide", "perft", "playouts", "search"]
