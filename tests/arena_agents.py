"""Agents for the tests of the arena, offered by a plug-in that `conftest` of the arena installs.

`steady` goes by what it remembers of the match, `weighted` by its weights; the others break rules.
"""

import time
from typing import ClassVar

from boardgames.errors import IllegalMoveError
from boardgames.game import Position
from boardgames.hookspecs import Entry, hookimpl
from boardgames.options import Option
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Context, Limit, Player
from boardgames.players.simple import Random

closed: list[str] = []


class Crasher(Random):
    """Raises at its third move of a match."""

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
    """Makes a move that is not there."""

    name: ClassVar[str] = "cheat"

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        raise IllegalMoveError("expected a legal move: 'x9'")


class Slow(Random):
    """Takes more time than it is given."""

    name: ClassVar[str] = "slow"

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        time.sleep(1.5)
        return super().choose(position, limit, context)


class Steady(Player):
    """Plays the first, second, third ... legal move, counting on from where a match began."""

    name: ClassVar[str] = "steady"
    count = 0

    def match_started(self, side: int) -> None:
        self.count = 0

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        self.count += 1
        return Choice(position.legal_moves[self.count % len(position.legal_moves)])


class Weighted(Random):
    """Has a fingerprint that an option sets."""

    name: ClassVar[str] = "weighted"
    declared_options = (Option("weights", str, "", "what it plays with"),)

    def fingerprint(self) -> str:
        return str(self.options["weights"])


@hookimpl
def bg_agents() -> list[Entry]:
    return [
        Entry(agent.name, "for a test", f"arena_agents:{agent.__name__}")
        for agent in (Crasher, Cheat, Slow, Steady, Weighted)
    ]
