"""Two agents that never change, against which progress is measured, and the path of the opening book.

`simple` plays like a student's Abalone program: alpha-beta search with three terms whose weights were set
by hand. `tapered` searches like `alphabeta`, but with the evaluation `engine`, which has seventeen terms
and was the default before there were patterns.
"""

from pathlib import Path
from typing import ClassVar

from boardgames.declarations import Evaluation
from boardgames.options import Option
from boardgames.players.alphabeta import DEPTH, NODES, TIME, AlphaBeta, SearchPlayer
from boardgames.search.alphabeta.options import SEARCH_OPTIONS
from boardgames.search.rules import MAX_DEPTH
from boardgames_abalone.evaluation import CLASSIC, engine_evaluation

OPENING_BOOK = Path(__file__).parent / "data" / "opening.book"


class Simple(SearchPlayer):
    """Alpha-beta to a fixed depth with the evaluation `classic`.

    It never changes, so that progress can be measured against it.
    """

    name: ClassVar[str] = "simple"
    declared_options = (
        Option("depth", int, 3, "search depth in plies", minimum=1, maximum=MAX_DEPTH, role="limit"),
    )

    def evaluation(self) -> Evaluation:
        """Return the evaluation `classic`."""
        return CLASSIC


class Tapered(AlphaBeta):
    """Principal variation search with the evaluation `engine`, without an opening book.

    It never changes, so that progress can be measured against it.
    """

    name: ClassVar[str] = "tapered"
    declared_options = (DEPTH, TIME, NODES, *SEARCH_OPTIONS)

    def evaluation(self) -> Evaluation:
        """Return the evaluation `engine`."""
        return engine_evaluation()
