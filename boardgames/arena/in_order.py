"""InOrder: a sequential test that looks at an arena's pairs in their order, however they come.

Short matches end first; a test that took them as they come would see too many
of these, and would stop at another pair with another number of workers.
"""

from collections.abc import Mapping
from typing import Literal

from boardgames.arena.pentanomial import Pairs
from boardgames.arena.play import Played
from boardgames.arena.report import SprtState
from boardgames.arena.sprt import Sprt


class InOrder:
    """A test of two agents and the pairs it has seen, from the first on without a gap.

    A pair that repeats another one, both matches alike, says nothing new and is
    passed over: two agents without chance would else decide by one opening.

    Attributes
    ----------
    seen : int
        Pairs that were looked at.
    decision : {"H0", "H1"} or None
        Once there is one, nothing more is looked at.
    """

    def __init__(self, test: Sprt) -> None:
        self.test = test
        self.seen = 0
        self.decision: Literal["H0", "H1"] | None = None
        self._pairs = Pairs()
        self._courses: set[tuple[bytes, bytes]] = set()

    def look(self, results: Mapping[int, tuple[Played, Played]]) -> None:
        """Look at the pairs that come next in order, as many as are there, until they decide."""
        while self.decision is None and self.seen in results:
            first, second = results[self.seen]
            self.seen += 1
            if (first.moves_hash, second.moves_hash) in self._courses:
                continue
            self._courses.add((first.moves_hash, second.moves_hash))
            self._pairs += Pairs.of([first.points(0) + second.points(0)])
            self.decision = self.test.decision(self._pairs)

    @property
    def state(self) -> SprtState:
        """Return how far the test has come."""
        return SprtState(self.test, self.test.llr(self._pairs), self.decision)
