"""The player that looks at everything; its searches are compiled for it alone."""

from dataclasses import replace
from typing import ClassVar

from boardgames.game import Position
from boardgames.player import Analysis, Context, Limit
from boardgames.players.search import DEPTH, EXTENSIONS, NODES, QUIESCENCE, TIME, WEIGHTS, Searcher
from boardgames.search.full import search_fully
from boardgames.search.minimax import minimax


class Minimax(Searcher):
    """Full search without pruning: the teaching agent, and the oracle for other searches."""

    name: ClassVar[str] = "minimax"
    declared_options = (
        DEPTH,
        TIME,
        NODES,
        WEIGHTS,
        replace(QUIESCENCE, default=0),
        replace(EXTENSIONS, default=False),
    )
    node = minimax

    def _search(self, position: Position, limit: Limit, context: Context, *, lines: int | None) -> Analysis:
        quiescence, extensions = int(self.options["quiescence"] or 0), bool(self.options["extensions"])
        if not (quiescence or extensions):
            return super()._search(position, limit, context, lines=lines)
        self._check_open(position)
        found = search_fully(
            position,
            self.evaluation(),
            self._limit(limit),
            context,
            quiescence=quiescence,
            extensions=extensions,
            all_moves=lines != 1,
        )
        return replace(found, moves=found.moves[:lines])
