"""The options of alpha-beta search. Every technique can be switched off, to measure what it contributes."""

from dataclasses import dataclass, field, fields
from typing import Any, cast

import numpy as np

from boardgames.declarations import Evaluation, Facts, no_pass_turn, no_tactical_moves
from boardgames.game import Game
from boardgames.options import Option
from boardgames.search.alphabeta.table import MAX_MB
from boardgames.search.alphabeta.workspace import MAX_QUIESCENCE, OPTIONS_DTYPE, Options
from boardgames.search.rules import UNLIMITED

MARGIN_DIGITS = 6


def _technique(default: int, summary: str, **limits: Any) -> Any:  # a field of its own type
    """Return a field of `SearchOptions` that is also an option of agents, with this summary."""
    return field(default=default, metadata={"summary": summary, **limits})


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """The techniques that an alpha-beta search uses, each of which can be switched off.

    Late-move reductions, futility and null-move pruning apply only if the game
    allows selective search (`Facts.allows_reductions`). With all three off,
    every value equals that of full minimax.

    A technique is declared here and, if kernels read it, in `OPTIONS_DTYPE`.
    """

    table: int = _technique(
        64,
        "size of the transposition table in MB, 0 for none",
        minimum=0,
        maximum=MAX_MB,
        role="memory",
    )
    threads: int = _technique(1, "number of search threads", minimum=1, maximum=64, role="threads")
    quiescence: int = _technique(
        4,
        "maximum depth of quiescence search, which follows tactical moves beyond the horizon",
        minimum=0,
        maximum=MAX_QUIESCENCE,
    )
    pvs: bool = _technique(True, "search all but the first move with a null window")
    aspiration: bool = _technique(True, "search with a narrow window around the previous depth's value")
    killers: bool = _technique(True, "give priority to moves that refuted a sibling (killer heuristic)")
    history: bool = _technique(
        True, "order quiet moves by how often they caused cut-offs (history heuristic)"
    )
    lmr: bool = _technique(True, "late-move reductions, where the game allows selective search")
    futility: bool = _technique(True, "futility pruning in both directions next to the horizon")
    null_move: bool = _technique(True, "null-move pruning, where the game allows a pass")
    extensions: bool = _technique(True, "search forcing moves one ply deeper")
    repetition: bool = _technique(True, "count repeated positions as draws")
    symmetry: bool = _technique(False, "treat symmetric positions as one")

    @classmethod
    def plain(cls, *, quiescence: int = 0, extensions: bool = False) -> "SearchOptions":
        """Return the options of plain alpha-beta, with all techniques off except the given ones."""
        off = {one.name: False for one in fields(cls) if one.type is bool}
        return cls(**{**off, "extensions": extensions}, table=0, quiescence=quiescence)

    def detects_repetition(self, facts: Facts) -> bool:
        """Return True if a search of a game counts repeated positions as draws."""
        return self.repetition and facts.longest_match is None

    def record(self, game: Game, evaluation: Evaluation) -> Options:
        """Return the options record for a game, with defaults in the fields that each search sets."""
        facts, kernels = game.facts, game.kernels
        record: Options = np.zeros(1, dtype=OPTIONS_DTYPE).view(np.recarray)
        here = record[0]
        for one in fields(self):
            if one.name in FLAGS:
                here[one.name] = getattr(self, one.name)
        here.no_moves_draws, here.exact_at_end = facts.no_moves_draws, evaluation.exact_at_end
        here.table, here.plies_left = self.table > 0, UNLIMITED
        here.repetition = self.detects_repetition(facts)
        has_tactics = kernels.tactical_moves is not no_tactical_moves
        has_pass = kernels.pass_turn is not no_pass_turn
        here.order_quiet_moves = not (has_tactics and self.history)
        here.lmr = self.lmr and facts.allows_reductions
        here.null_move = self.null_move and facts.allows_reductions and has_pass
        if facts.allows_reductions:
            here.selective = self.lmr or self.futility or self.null_move
            if self.futility and has_tactics:
                here.futility_margin = round(evaluation.margin, MARGIN_DIGITS)
                here.reverse_futility = has_pass
        return record


FLAGS = frozenset(OPTIONS_DTYPE.names or ())
"""The names of all fields of the record, most of which are techniques."""
SEARCH_OPTIONS = tuple(
    Option(one.name, cast("type[int]", one.type), one.default, **one.metadata)
    for one in fields(SearchOptions)
)
"""The fields of `SearchOptions` as options of an agent."""
