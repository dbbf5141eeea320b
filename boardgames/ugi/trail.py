"""Trail: a match as UGI tells it, a start and moves, and as positions one after another."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from boardgames.errors import MoveError
from boardgames.game import Position


class Trail:
    """The positions of a match and the moves between them.

    Parameters
    ----------
    positions : sequence of Position
        Oldest first, at least one.
    texts : sequence of str or None
        The move after each position but the last; None where no move leads
        from one to the next.

    Examples
    --------
    >>> import boardgames
    >>> trail = Trail([boardgames.load("connect4").start()]).follow(["4", "4"])
    >>> str(trail.position), trail.moves
    ('......./......./......./......./...b.../...r...', ('4', '4'))
    """

    def __init__(self, positions: Sequence[Position], texts: Sequence[str | None] = ()) -> None:
        self.positions = tuple(positions)
        self._texts = tuple(texts)

    @property
    def position(self) -> Position:
        """Return the last position."""
        return self.positions[-1]

    @property
    def start(self) -> Position:
        """Return the position from which `moves` lead to the last one."""
        return self.positions[len(self.positions) - 1 - len(self.moves)]

    @property
    def moves(self) -> tuple[str, ...]:
        """Return the moves since `start`."""
        texts: list[str] = []
        for text in reversed(self._texts):
            if text is None:
                break
            texts.append(text)
        return tuple(reversed(texts))

    def follow(self, texts: Sequence[str]) -> "Trail":
        """Return the trail of these moves from the first position; what is known is not played again.

        Raises
        ------
        MoveError
            If a move is none or not legal; the message ends with its ply.
        """
        known = _shared(texts, self._texts)
        positions = list(self.positions[: known + 1])
        for text in texts[known:]:
            try:
                positions.append(positions[-1].apply(text))
            except MoveError as error:
                raise type(error)(f"{error} (ply {len(positions)})") from None
        return Trail(positions, texts)

    def reach(self, positions: Sequence[Position]) -> "Trail":
        """Return the trail of these positions, the moves worked out where they are not known.

        That takes one `apply` for each legal move of a new position.
        """
        known = _shared_positions(positions, self.positions)
        texts = list(self._texts[: max(known - 1, 0)])
        texts += [_move_between(*pair) for pair in pairwise(positions[len(texts) :])]
        return Trail(positions, texts)


def _shared(first: Iterable[str], second: Iterable[str | None]) -> int:
    """Return the length of the common beginning."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


def _shared_positions(first: Sequence[Position], second: Sequence[Position]) -> int:
    """Return how many positions at the beginning are the same objects."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one is not other:
            break
        count += 1
    return count


def _move_between(before: Position, after: Position) -> str | None:
    """Return the text of the move that leads from one position to the next, or None."""
    game, words = before.game, after.words.tobytes()
    if before.outcome is not None:
        return None
    successor = np.empty_like(before.words)
    for action in before.actions:
        game.kernels.apply(before.words, action, successor)
        if successor.tobytes() == words:
            return game.format_action(before.words, action)
    return None
