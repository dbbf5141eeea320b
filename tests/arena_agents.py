"""Agents for the tests of the arena, in a plug-in that the arena's `conftest` installs.

`steady` depends on its memory of the match, and `weighted` has a fingerprint. The other agents break
rules.
"""

from typing import ClassVar

from boardgames.errors import IllegalMoveError
from boardgames.game import Position
from boardgames.hookspecs import Entry, hookimpl
from boardgames.options import Option
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Context, Limit, Player
from boardgames.players.simple import Random

closed: list[str] = []
"""Names of the agents that have been closed."""


class FakeClock:
    """A clock that only `slow` advances."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


clock = FakeClock()


class Crasher(Random):
    """Raises an exception at its third move of a match."""

    name: ClassVar[str] = "crasher"

    def match_started(self, side: int) -> None:
        self.moves = 0

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        self.moves += 1
        if self.moves == 3:
            raise RuntimeError("lost my way")
        return super().choose(position, limit, context)

    def close(self) -> None:
        closed.append(self.name)


class Cheat(Player):
    """Makes an illegal move."""

    name: ClassVar[str] = "cheat"

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        raise IllegalMoveError("there is no move 'x9'")


class Slow(Random):
    """Takes 1.5 seconds per move on the fake clock."""

    name: ClassVar[str] = "slow"

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        clock.seconds += 1.5
        return super().choose(position, limit, context)


class Steady(Player):
    """Plays the second legal move, then the third, the fourth and so on, and begins again in every match."""

    name: ClassVar[str] = "steady"
    count = 0

    def match_started(self, side: int) -> None:
        self.count = 0

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        self.count += 1
        return Choice(position.legal_moves[self.count % len(position.legal_moves)])


class Weighted(Random):
    """Plays at random, with a fingerprint that an option sets."""

    name: ClassVar[str] = "weighted"
    declared_options = (Option("weights", str, "", "fingerprint"),)

    def fingerprint(self) -> str:
        return str(self.options["weights"])


@hookimpl
def bg_agents() -> list[Entry]:
    return [
        Entry(agent.name, "for a test", f"arena_agents:{agent.__name__}")
        for agent in (Crasher, Cheat, Slow, Steady, Weighted)
    ]
