"""Repetition in matches: which moves it forbids, and how it ends a match.

Positions are compared by their packed words, so a repeated position has the same side to move. See
`boardgames.declarations.Repetition` for the rules.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from boardgames.declarations import Repetition
from boardgames.game import Move, Outcome, Position, Termination


def occurrences_of(positions: Sequence[Position]) -> Counter[bytes]:
    """Return how often each position occurs, by its packed words.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("connect4").start()
    >>> list(occurrences_of([start, start]).values())
    [2]
    """
    return Counter(position.words.tobytes() for position in positions)


def is_repeated(position: Position, action: int, occurrences: Mapping[bytes, int], count: int) -> bool:
    """Return True if the position after a legal action occurs for at least the `count`-th time."""
    after = position.apply(Move(action, ""))
    return occurrences.get(after.words.tobytes(), 0) + 1 >= count


def is_forbidden(
    position: Position, action: int, occurrences: Mapping[bytes, int], repetition: Repetition
) -> bool:
    """Return True if a legal action leads to a position that must not occur again.

    Parameters
    ----------
    occurrences : mapping of bytes to int
        How often each position has occurred in the match so far, including the current one.
    """
    is_rule = repetition.meaning == "forbidden"
    return is_rule and is_repeated(position, action, occurrences, repetition.count)


def allowed_actions(
    position: Position, history: Sequence[Position], repetition: Repetition
) -> tuple[int, ...]:
    """Return the legal actions that repetition does not forbid, in ascending order.

    Parameters
    ----------
    history : sequence of Position
        The positions of the match before this one.
    """
    if repetition.meaning != "forbidden":
        return position.actions
    occurrences = occurrences_of([*history, position])
    return tuple(
        action for action in position.actions if not is_forbidden(position, action, occurrences, repetition)
    )


def outcome_after(positions: Sequence[Position], repetition: Repetition) -> Outcome | None:
    """Return the outcome if the game's rules or repetition end a match with these positions, else None.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("connect4").start()
    >>> outcome_after([start, start], Repetition("draw", 2))
    Outcome(winner=None, termination=<Termination.REPETITION: 'repetition'>)
    """
    position, before = positions[-1], positions[-2:-1]
    if position.outcome is not None or repetition.meaning == "none":
        return position.outcome
    mover = before[0].side_to_move if before else position.side_to_move
    return outcome_by_repetition(position, mover, occurrences_of(positions), repetition)


def outcome_by_repetition(
    position: Position, mover: int, occurrences: Mapping[bytes, int], repetition: Repetition
) -> Outcome | None:
    """Return the outcome if repetition ends a match at a position, otherwise None.

    This is for positions at which the rules of the game do not end the match.

    Parameters
    ----------
    mover : int
        The side whose move led to the position.
    occurrences : mapping of bytes to int
        How often each position has occurred in the match so far, including the current one.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("connect4").start()
    >>> outcome_by_repetition(start, 0, occurrences_of([start, start]), Repetition("loss"))
    Outcome(winner=1, termination=<Termination.REPETITION: 'repetition'>)
    """
    if repetition.meaning == "none":
        return None
    if repetition.meaning == "forbidden":
        if not all(is_forbidden(position, one, occurrences, repetition) for one in position.actions):
            return None
        is_drawn = position.game.facts.no_moves_draws
        return Outcome(None if is_drawn else 1 - position.side_to_move, Termination.REPETITION)
    if occurrences.get(position.words.tobytes(), 0) < repetition.count:
        return None
    return Outcome(None if repetition.meaning == "draw" else 1 - mover, Termination.REPETITION)
