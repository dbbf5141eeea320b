"""From the actions that kernels deal in to the moves that players see."""

from collections.abc import Iterable

from boardgames.game import Move, Position


def decode_line(position: Position, actions: Iterable[int]) -> tuple[Move, ...]:
    """Return the moves of a line of actions from `position`.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("connect4").start()
    >>> [str(move) for move in decode_line(start, [3, 3, 2])]
    ['4', '4', '3']
    """
    moves = []
    for action in actions:
        moves.append(position.game.decode(position, action))
        position = position.apply(moves[-1])
    return tuple(moves)
