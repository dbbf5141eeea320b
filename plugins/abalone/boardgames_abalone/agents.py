"""The agent `simple`, the player of the simple Abalone project, and the path of the opening book."""

from pathlib import Path
from typing import ClassVar

from boardgames.declarations import Evaluation
from boardgames.options import Option
from boardgames.players.alphabeta import SearchPlayer
from boardgames.search.rules import MAX_DEPTH
from boardgames_abalone.evaluation import CLASSIC

OPENING_BOOK = Path(__file__).parent / "data" / "opening.book"


class Simple(SearchPlayer):
    """Alpha-beta to a fixed depth with the evaluation `classic`.

    It never changes, so that progress can be measured against it.
    """

    name: ClassVar[str] = "simple"
    declared_options = (Option("depth", int, 3, "search depth in plies", minimum=1, maximum=MAX_DEPTH),)

    def evaluation(self) -> Evaluation:
        """Return the evaluation `classic`."""
        return CLASSIC
