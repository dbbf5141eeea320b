"""Candidates for puzzles, from late positions of random matches, by the way in which the solution wins."""

from collections.abc import Callable, Iterator

import numpy as np

from boardgames.game import Game, Move, Position
from boardgames.puzzles import Candidate

EMPTY_AT_LEAST, EMPTY_AT_MOST = 8, 24
"""Minimum and maximum number of empty cells; the solver needs little time for these positions."""


def two_threats(game: Game, generator: np.random.Generator) -> Iterator[Candidate]:
    """Yield positions in which a move makes at least two threats, so that they cannot all be blocked."""
    return _candidates(game, generator, lambda after: _threats(after) > 1)


def zugzwang(game: Game, generator: np.random.Generator) -> Iterator[Candidate]:
    """Yield positions in which a move makes at most one threat, but wins next turn after every reply."""
    return _candidates(game, generator, lambda after: _threats(after) <= 1)


def _candidates(
    game: Game, generator: np.random.Generator, fits: Callable[[Position], bool]
) -> Iterator[Candidate]:
    """Yield positions from random matches in which, after some move, its side wins whatever the reply is.

    In the matches both sides win if they can, avoid moves that let the opponent win at once, and otherwise
    move at random.

    Parameters
    ----------
    fits : callable
        Called with the position after such a move; returns True if the solution is of the wanted kind.
    """
    while True:
        found, position = [], game.start()
        while position.outcome is None:
            winning = _winning(position)
            empty = str(position).count(".")
            if not winning and EMPTY_AT_LEAST <= empty <= EMPTY_AT_MOST:
                after = {move: position.apply(move) for move in position.legal_moves}
                moves = [move for move, later in after.items() if _wins_next(later) and fits(later)]
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


def _threats(position: Position) -> int:
    """Return the number of columns in which the side that has moved can win after a reply in another one."""
    replies = position.legal_moves
    return len(
        {
            move.action
            for reply in replies
            for move in _winning(position.apply(reply))
            if move.action != reply.action
        }
    )


def _careful(position: Position) -> list[Move]:
    """Return the moves after which the other side cannot win at once, or all moves if there is none."""
    moves = list(position.legal_moves)
    return [move for move in moves if not _winning(position.apply(move))] or moves
