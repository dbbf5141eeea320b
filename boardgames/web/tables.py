"""A common memory limit for the tables of all agents on the server."""

import gc
import threading
from weakref import WeakKeyDictionary

from boardgames.errors import OptionError
from boardgames.machine import free_memory
from boardgames.player import Player

UNKNOWN_MB = 64
"""Assumed size of the tables of an agent that analyses positions but has no option for their size."""
MEMORY_FRACTION = 0.5
"""The share of free memory that tables may take, measured when the server starts."""
UNKNOWN_FREE_MB = 2048
"""Assumed free memory if it cannot be measured."""


class TablesError(OptionError):
    """The tables of the agents would need more memory than the server may use."""


class Tables:
    """Counts the memory that agents need for tables, as long as the agents exist. Safe to use in threads.

    Parameters
    ----------
    megabytes : int, optional
        The memory that all tables together may take; by default half of the free memory.
    """

    def __init__(self, megabytes: int | None = None) -> None:
        free = free_memory()
        default = UNKNOWN_FREE_MB if free is None else int((free >> 20) * MEMORY_FRACTION)
        self._megabytes = default if megabytes is None else megabytes
        self._sizes: WeakKeyDictionary[Player, int] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def reserve(self, player: Player) -> None:
        """Reserve memory for the tables of a new agent, before the agent allocates them.

        Raises
        ------
        TablesError
            If there is not enough memory left.
        """
        size = size_of(player)
        with self._lock:
            if self._used() + size > self._megabytes:
                gc.collect()  # frees agents of matches that have ended
            if (used := self._used()) + size > self._megabytes:
                raise TablesError(
                    f"the agent needs {size} MB for its tables; all agents on this server may use "
                    f"{self._megabytes} MB, and {used} MB are in use: choose a smaller table or end a match"
                )
            self._sizes[player] = size

    def release(self, player: Player) -> None:
        """Release the memory reserved for an agent that has been closed."""
        with self._lock:
            self._sizes.pop(player, None)

    def _used(self) -> int:
        return sum(self._sizes.values())


def size_of(player: Player) -> int:
    """Return how many MB the tables of an agent may take."""
    sizes = [
        int(player.options.get(option.name) or 0)
        for option in player.declared_options
        if option.role == "memory"
    ]
    searches = type(player).analyse is not Player.analyse
    return sum(sizes) if sizes else UNKNOWN_MB * searches
