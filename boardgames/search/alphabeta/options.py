"""The options of alpha-beta search. Every technique can be switched off, to measure what it contributes."""

from dataclasses import dataclass

import numpy as np

from boardgames.declarations import Evaluation, Facts, no_pass_turn, no_tactical_moves
from boardgames.game import Game
from boardgames.search.alphabeta.workspace import OPTIONS_DTYPE, Options
from boardgames.search.rules import UNLIMITED

MARGIN_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """The techniques that an alpha-beta search uses, each of which can be switched off.

    Late-move reductions, futility and null-move pruning apply only if the game
    allows selective search (`Facts.allows_reductions`). With all three off,
    every value equals that of full minimax.

    Attributes
    ----------
    table : int
        Size of the transposition table in MB; 0 for no table.
    threads : int
        Number of threads that search the same position.
    quiescence : int
        Number of plies for which quiescence search follows tactical moves.
    pvs : bool
        Search all but the first move of a position with a null window.
    aspiration : bool
        Search with a narrow window around the value of the previous depth.
    killers, history : bool
        Order quiet moves by the cut-offs that they caused in other positions.
    lmr : bool
        Late-move reductions: search quiet moves that come late in the order to a reduced
        depth first.
    futility : bool
        Near the horizon, prune quiet moves that cannot reach the window, and
        positions far above it, if the evaluation declares a `margin`.
    null_move : bool
        Cut off positions that are good enough even after a pass, in games that allow one.
    extensions : bool
        Search forcing moves one ply deeper.
    repetition : bool
        Count a position that occurred before as a draw, in games whose rules set no
        limit to a match.
    symmetry : bool
        Treat symmetric positions as the same position in the table and for repetitions, if
        the game has a `symmetric_key`.
    """

    table: int = 64
    threads: int = 1
    quiescence: int = 4
    pvs: bool = True
    aspiration: bool = True
    killers: bool = True
    history: bool = True
    lmr: bool = True
    futility: bool = True
    null_move: bool = True
    extensions: bool = True
    repetition: bool = True
    symmetry: bool = False

    @classmethod
    def plain(cls, *, quiescence: int = 0, extensions: bool = False) -> "SearchOptions":
        """Return the options of plain alpha-beta, which uses none of the techniques."""
        return cls(
            table=0,
            quiescence=quiescence,
            pvs=False,
            aspiration=False,
            killers=False,
            history=False,
            lmr=False,
            futility=False,
            null_move=False,
            extensions=extensions,
            repetition=False,
        )

    def detects_repetition(self, facts: Facts) -> bool:
        """Return True if a search of a game counts repeated positions as draws."""
        return self.repetition and facts.longest_match is None

    def record(self, game: Game, evaluation: Evaluation) -> Options:
        """Return the options record for a game, without the fields that belong to a single search."""
        facts, kernels = game.facts, game.kernels
        record: Options = np.zeros(1, dtype=OPTIONS_DTYPE).view(np.recarray)
        here = record[0]
        here.no_moves_draws, here.exact_at_end = facts.no_moves_draws, evaluation.exact_at_end
        here.quiescence, here.extensions = self.quiescence, self.extensions
        here.pvs, here.table = self.pvs, self.table > 0
        here.repetition = self.detects_repetition(facts)
        here.plies_left = UNLIMITED
        here.killers, here.history = self.killers, self.history
        has_tactics = kernels.tactical_moves is not no_tactical_moves
        has_pass = kernels.pass_turn is not no_pass_turn
        here.order_quiet_moves = not (has_tactics and self.history)
        if facts.allows_reductions:
            here.selective = self.lmr or self.futility or self.null_move
            here.lmr, here.null_move = self.lmr, self.null_move and has_pass
            if self.futility and has_tactics:
                here.futility_margin = round(evaluation.margin, MARGIN_DIGITS)
                here.reverse_futility = has_pass
        return record
