"""What the threads of one search have found: who is the first to reach a depth ends it for all."""

import threading

from boardgames.game import Position
from boardgames.kernels import NODE_LIMIT, Control
from boardgames.search.deepening import Found


class Team:
    """The threads of one search of a position, which go deeper together.

    A thread that is still at a depth that another one has finished is stopped
    by a node limit of 1 in its control array; its own comes back in `end`. The
    stop flag is not touched, so that no other wish to end is lost.
    """

    def __init__(self, position: Position) -> None:
        self._done = [Found.nothing(position)]
        self._under_way: dict[int, tuple[int, int, Control]] = {}
        self._lock = threading.Lock()

    @property
    def deepest(self) -> Found:
        """Return what is known of the deepest depth that somebody has finished."""
        return self._done[-1]

    def begin(self, depth: int, known: Found, control: Control) -> Found:
        """Start a thread on a depth; return what is known, perhaps of that depth by now.

        Parameters
        ----------
        depth : int
            What the thread is to search: one more than somebody has finished.
        known : Found
            Of the depth before.
        control : int64[CONTROL_SIZE]
            The thread's own.
        """
        with self._lock:
            if depth < len(self._done):
                return self._done[depth]
            self._under_way[id(control)] = depth, int(control[NODE_LIMIT]), control
            return known

    def end(self, found: Found, control: Control) -> Found:
        """Return what a thread found at its depth, or what another had found by then."""
        with self._lock:
            depth, limit, _ = self._under_way.pop(id(control))
            control[NODE_LIMIT] = limit
            if depth < len(self._done):
                return self._done[depth]
            if found.depth == depth:
                self._done.append(found)
                for _, _, others in self._under_way.values():  # at this depth, or stopped already
                    others[NODE_LIMIT] = 1
            return found
