"""Means: what a search makes use of, as options and as the settings of its kernels."""

from dataclasses import dataclass

import numpy as np

from boardgames.declarations import Evaluation, Facts, no_pass_turn, no_tactical_moves
from boardgames.game import Game
from boardgames.kernels import Actions
from boardgames.search.tree import (
    EXACT_AT_END,
    EXTENSIONS,
    HISTORY,
    KILLERS,
    MARGIN,
    MILLION,
    NO_MOVES_DRAWS,
    PASSES,
    PRINCIPAL_SETTINGS,
    QUIESCENCE,
    RANKS,
    REDUCED_DEPTHS,
    REDUCED_PLACES,
    REDUCES,
    REDUCTIONS,
    REPETITION,
    SCOUTS,
    TABLE,
)


def _reduction_table() -> Actions:
    """Return by how many plies late moves are reduced: more with the logarithms of depth and place."""
    depth = np.log(np.maximum(np.arange(REDUCED_DEPTHS), 1))[:, None]
    place = np.log(np.maximum(np.arange(REDUCED_PLACES), 1))[None, :]
    plies = (0.5 + depth * place / 2.0).astype(np.int64)
    plies[:, :3] = 0
    return np.minimum(plies, np.maximum(np.arange(REDUCED_DEPTHS) - 2, 0)[:, None]).ravel()


REDUCTION_TABLE = _reduction_table()


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a search makes use of; each can be switched off, to see what it is worth.

    Attributes
    ----------
    table : int
        MB of the transposition table, 0 for none.
    threads : int
        That search at the same time.
    quiescence : int
        Plies that tactical moves are followed beyond the horizon.
    scouts : bool
        Empty windows for all but the first move.
    aspiration : bool
        A narrow window around the value of the depth before.
    killers, history : bool
        Quiet moves in the order of what they refuted elsewhere.
    reductions : bool
        Late quiet moves less deep, hopeless ones not at all, where the game
        allows it. Without, every value is what full minimax gives.
    passes : bool
        What is good enough without a move is so with one, where the game
        allows it and reductions are on; near the horizon without a search,
        where the evaluation has a margin.
    extensions : bool
        Answers to forcing moves a ply deeper.
    repetition : bool
        A position that was there before is a draw, in games without an end of
        their own.
    symmetry : bool
        Positions that a symmetry of the game maps onto each other are one, if
        the game has a key for that; to come back to one of them is a draw then.
    """

    table: int = 64
    threads: int = 1
    quiescence: int = 4
    scouts: bool = True
    aspiration: bool = True
    killers: bool = True
    history: bool = True
    reductions: bool = True
    passes: bool = True
    extensions: bool = True
    repetition: bool = True
    symmetry: bool = False

    def minds_repetition(self, facts: Facts) -> bool:
        """Say whether a position that was there before is a draw in a game."""
        return self.repetition and facts.longest_match is None

    def settings(self, game: Game, evaluation: Evaluation) -> Actions:
        """Return the settings of the kernels, `int64[PRINCIPAL_SETTINGS]`, but those of one search."""
        facts = game.facts
        settings = np.zeros(PRINCIPAL_SETTINGS, dtype=np.int64)
        settings[NO_MOVES_DRAWS], settings[EXACT_AT_END] = facts.no_moves_draws, evaluation.exact_at_end
        settings[QUIESCENCE], settings[EXTENSIONS] = self.quiescence, self.extensions
        settings[SCOUTS], settings[TABLE] = self.scouts, self.table > 0
        settings[REPETITION] = self.minds_repetition(facts)
        settings[KILLERS], settings[HISTORY] = self.killers, self.history
        settings[REDUCES] = self.reductions and facts.allows_reductions
        settings[PASSES] = self.passes and game.kernels.pass_turn is not no_pass_turn
        settings[RANKS] = game.kernels.tactical_moves is no_tactical_moves
        if settings[RANKS] == 0:  # there are tactical moves
            settings[MARGIN] = round(evaluation.margin * MILLION)
        settings[REDUCTIONS:] = REDUCTION_TABLE
        return settings
