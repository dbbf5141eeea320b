"""The agent `minimax`: search without pruning, for teaching and comparison."""

from collections.abc import Callable
from typing import ClassVar

from boardgames.options import Option
from boardgames.players.alphabeta import DEPTH, NODES, TIME, WEIGHTS, SearchPlayer
from boardgames.search.minimax import minimax


class Minimax(SearchPlayer):
    """Minimax search within the limits on depth, time and nodes."""

    name: ClassVar[str] = "minimax"
    declared_options: ClassVar[tuple[Option, ...]] = (DEPTH, TIME, NODES, WEIGHTS)
    node: ClassVar[Callable[..., float]] = staticmethod(minimax)
