"""Nim for money: a game whose evaluation has a unit that no other game and no module of the core knows.

Its kernel counts cents, and its unit is a penny worth ten cents, so tests notice if the two are confused.
"""

import sys
from types import ModuleType

import numpy as np
from nim import Nim

from boardgames.declarations import Evaluation
from boardgames.hookspecs import Entry, hookimpl
from boardgames.kernels import Evaluate, Reals, Words, kernel
from boardgames.score import Unit

PENNY = Unit("penny", "pence", digits=1, half_return=4.0, bound=25.0)
CENTS = 10.0


@kernel(Evaluate)
def evaluate(position: Words, weights: Reals) -> float:
    """Return -3 pence if the other side can always leave a multiple of four stones, otherwise 3."""
    return -weights[0] if position[0] % np.uint64(4) == np.uint64(0) else weights[0]


class Coins(Nim):
    """Nim with an evaluation."""

    def prepare(self) -> None:
        """Set the facts, kernels and evaluation."""
        super().prepare()
        object.__setattr__(self.facts, "name", "coins")
        self.evaluation = Evaluation("cents", evaluate, np.array([30.0]), PENNY, bound=1000.0, scale=CENTS)


def as_plugin() -> ModuleType:
    """Return a plug-in module, importable as `coins_plugin`, that offers the game."""

    @hookimpl
    def bg_games() -> list[Entry]:
        return [Entry("coins", "Nim for money", f"{__name__}:Coins")]

    module = ModuleType("coins_plugin", "A game with a unit of its own.")
    module.bg_games = bg_games  # type: ignore[attr-defined]  # a module made by hand
    sys.modules["coins_plugin"] = module
    return module
