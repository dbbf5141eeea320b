"""Candidates for puzzles: late positions of matches between careless sides, in which two threats win."""

from collections.abc import Iterator

import numpy as np

from boardgames.game import Game, Move, Position
from boardgames.puzzles import Candidate

EMPTY_AT_LEAST, EMPTY_AT_MOST = 8, 24
"""Number of empty cells; the solver scores such positions at once."""


def two_threats(game: Game, generator: np.random.Generator) -> Iterator[Candidate]:
    """Yield positions of matches between careless sides, in which a move wins whatever the reply is.

    Both sides complete a line of four if they can, and mostly keep the other one from doing so.
    """
    while True:
        found, position = [], game.start()
        while position.outcome is None:
            winning = _winning(position)
            empty = str(position).count(".")
            if not winning and EMPTY_AT_LEAST <= empty <= EMPTY_AT_MOST:
                moves = [move for move in position.legal_moves if _wins_next(position.apply(move))]
                found += [Candidate(position, tuple(moves))] if moves else []
            careful = winning or _careful(position)
            position = position.apply(careful[int(generator.integers(len(careful)))])
        if found:
            yield found[int(generator.integers(len(found)))]


def _winning(position: Position) -> list[Move]:
    """Return the moves that win at once."""
    after = [(move, position.apply(move).outcome) for move in position.legal_moves]
    return [move for move, outcome in after if outcome is not None and outcome.winner is not None]


def _wins_next(position: Position) -> bool:
    """Return whether the side that has moved wins with its next move, whatever the reply is."""
    replies = position.legal_moves
    return bool(replies) and not _winning(position) and all(_winning(position.apply(one)) for one in replies)


def _careful(position: Position) -> list[Move]:
    """Return the moves after which the other side does not win at once, or all if there are none."""
    moves = list(position.legal_moves)
    return [move for move in moves if not _winning(position.apply(move))] or moves
