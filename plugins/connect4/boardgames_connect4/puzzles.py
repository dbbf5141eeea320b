"""Candidates for puzzles, by how the solution wins: late positions of matches between careless sides."""

from collections.abc import Callable, Iterator

import numpy as np

from boardgames.game import Game, Move, Position
from boardgames.puzzles import Candidate

EMPTY_AT_LEAST, EMPTY_AT_MOST = 8, 24
"""Smallest and largest number of empty cells; the solver scores such positions at once."""


def two_threats(game: Game, generator: np.random.Generator) -> Iterator[Candidate]:
    """Yield positions in which a move makes two threats, so that one of them cannot be blocked."""
    return _candidates(game, generator, lambda after: _threats(after) > 1)


def zugzwang(game: Game, generator: np.random.Generator) -> Iterator[Candidate]:
    """Yield positions in which a move makes at most one threat, but every reply lets its side win."""
    return _candidates(game, generator, lambda after: _threats(after) <= 1)


def _candidates(
    game: Game, generator: np.random.Generator, fits: Callable[[Position], bool]
) -> Iterator[Candidate]:
    """Yield positions of matches between careless sides, in which a move wins whatever the reply is.

    Both sides complete a line of four if they can, and mostly keep the other one from doing so.

    Parameters
    ----------
    fits : callable
        Called with the position after such a move; returns whether the move is of the right kind.
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
    """Return the number of columns in which the side that has moved would win if it could move again."""
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
    """Return the moves after which the other side does not win at once, or all if there are none."""
    moves = list(position.legal_moves)
    return [move for move in moves if not _winning(position.apply(move))] or moves
