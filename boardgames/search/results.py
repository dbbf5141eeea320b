"""Conversion of the values and actions of search kernels into scores and moves."""

from collections.abc import Iterable

from boardgames.declarations import Evaluation
from boardgames.errors import PluginError
from boardgames.game import Move, Position
from boardgames.score import Score
from boardgames.search.rules import EVALUATION_BOUND, WIN

MAX_LINE_LENGTH = 100
"""Maximum number of plies of a principal variation that tree searches report."""


def score_of(value: float, evaluation: Evaluation) -> Score:
    """Convert a value that a search with `evaluation` returns into a score.

    Examples
    --------
    >>> from boardgames.declarations import NO_EVALUATION
    >>> [str(score_of(value, NO_EVALUATION)) for value in (WIN - 5, 4 - WIN, 0.25)]
    ['win in 3 moves (5 plies)', 'loss in 2 moves (4 plies)', '62.5%']

    Raises
    ------
    PluginError
        If the evaluation returned NaN or values beyond its bound.
    """
    if not abs(value) <= WIN:
        raise PluginError(
            f"evaluation {evaluation.name!r} returns NaN or values beyond ±{evaluation.bound:g}"
        )
    if value > EVALUATION_BOUND:
        return Score.win(round(WIN - value))
    if value < -EVALUATION_BOUND:
        return Score.loss(round(WIN + value))
    return evaluation.score(value)


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
