"""A tree of simulations that is kept from move to move, and its memory."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from boardgames.errors import OptionError, shown
from boardgames.game import Position
from boardgames.kernels import Actions
from boardgames.machine import free_memory
from boardgames.search.nodes import NOBODY, NODE_WORDS, ROOT, keep_only, plant, successor_to

BYTES_PER_WORD = 8
BYTES_PER_LINE = 64
LARGEST_MB = 1 << 20
NOTHING = np.zeros(0, dtype=np.int64)


class Tree:
    """A tree of simulations that is kept from move to move.

    Parameters
    ----------
    megabytes : int
        Its size, in units of 2^20 bytes; taken when it is first grown.

    Attributes
    ----------
    words : int64[4 n]
        As `boardgames.search.nodes` describes; empty while no memory is taken.

    Raises
    ------
    OptionError
        If that is less than one or more than the machine has free.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("connect4").start()
    >>> tree = Tree(1)
    >>> tree.grown_from(start, ()).nbytes, tree.knows(start, ()), tree.knows(start.apply("4"), ())
    (1048576, True, False)
    """

    def __init__(self, megabytes: int) -> None:
        if not (type(megabytes) is int and 1 <= megabytes <= LARGEST_MB):
            raise OptionError(f"expected a tree of 1 to {LARGEST_MB} MB: {shown(megabytes)}")
        self.megabytes = megabytes
        self.words: Actions = NOTHING
        self._root: Position | None = None
        self._check_free()

    def forget(self) -> None:
        """Begin anew with the next position."""
        self._root = None

    def release(self) -> None:
        """Give the memory back."""
        self.words, self._root = NOTHING, None

    def knows(self, position: Position, history: Sequence[Position]) -> bool:
        """Say whether `grown_from` would find anything."""
        return self._found((*history, position)) != NOBODY

    def grown_from(self, position: Position, history: Sequence[Position]) -> Actions:
        """Return the tree with `position` as its root, and all that is known below it.

        Parameters
        ----------
        history : sequence of Position
            What was played before it: the way from the old root to the new one.

        Returns
        -------
        int64[4 n]
            As `boardgames.search.nodes` describes; `words` from now on.
        """
        if self.words.size == 0:
            self.words = self._allocated(position.game.facts.actions)
        node = self._found((*history, position))
        if node == NOBODY:
            plant(self.words, position.side_to_move)
        elif node != ROOT:
            keep_only(self.words, node)
        self._root = position
        return self.words

    def _found(self, path: Sequence[Position]) -> int:
        """Return the node of the last position of a path that leads there from the old root."""
        known = [index for index, position in enumerate(path) if position == self._root]
        if not known:
            return NOBODY
        node, rows = ROOT, np.zeros((3, path[-1].words.size), dtype=np.uint64)
        apply = path[-1].game.kernels.apply
        for before, after in pairwise(path[known[-1] :]):
            rows[0], rows[1] = before.words, after.words
            node = successor_to(apply, self.words, node, rows)
            if node == NOBODY:
                break
        return node

    def _allocated(self, actions: int) -> Actions:
        self._check_free()
        size = max(self.megabytes << 20, (actions + 2) * NODE_WORDS * BYTES_PER_WORD)
        try:
            whole = np.zeros((size + BYTES_PER_LINE) // BYTES_PER_WORD, dtype=np.int64)
        except MemoryError:
            raise OptionError(
                f"expected a tree that the system has memory for: {self.megabytes} MB"
            ) from None
        # two nodes fill one line of the cache
        first = (-whole.ctypes.data % BYTES_PER_LINE) // BYTES_PER_WORD
        return whole[first : first + size // BYTES_PER_WORD]

    def _check_free(self) -> None:
        free = free_memory()
        if free is not None and self.megabytes << 20 > free:
            raise OptionError(
                f"expected a tree that fits into the {free >> 20} MB that are free: {self.megabytes} MB"
            )
