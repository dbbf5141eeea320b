"""Agents of Abalone's own: the player of the simple Abalone project; where the opening book is."""

from pathlib import Path
from typing import ClassVar

from boardgames.declarations import Evaluation
from boardgames.options import Option
from boardgames.players.alphabeta import SearchPlayer
from boardgames.search.rules import MAX_DEPTH
from boardgames_abalone.evaluation import CLASSIC

OPENING_BOOK = Path(__file__).parent / "data" / "opening.book"


class Simple(SearchPlayer):
    """Alpha-beta to a fixed depth with the three simple terms.

    It stays as it is when search and evaluation grow, so that later strength
    is measured against it.
    """

    name: ClassVar[str] = "simple"
    declared_options = (Option("depth", int, 3, "plies to look ahead", minimum=1, maximum=MAX_DEPTH),)

    def evaluation(self) -> Evaluation:
        """Return the three terms with their first weights."""
        return CLASSIC
