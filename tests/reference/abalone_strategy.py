"""The terms of Abalone's feature set `engine` by cells and moves, as they are defined."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reference.abalone import DIRECTIONS, Board, Cell, beside, groups, in_line, is_along, is_on_board

AXES = DIRECTIONS[:3]
MIDDLE = (0, 0, 0)


@dataclass(frozen=True)
class Push:
    """What a push does to the foremost marble that it moves."""

    is_off: bool
    is_to_edge: bool


def distance(cell: Cell) -> int:
    """Return the steps to the middle cell."""
    return max(map(abs, cell))


def pushes(board: Board, side: int) -> Iterator[Push]:
    """Give the pushes that a side has, were it to move."""
    board = replace(board, side=side)
    for group in groups(board.own):
        for direction in DIRECTIONS:
            if len(group) == 1 or not is_along(group, direction):
                continue
            after = in_line(board, group, direction)
            if after is None or after.marbles[1 - side] == board.other:
                continue
            new = after.marbles[1 - side] - board.other
            edges = [distance(cell) == 4 and distance(beside(cell, direction, -1)) < 4 for cell in new]
            yield Push(is_off=not new, is_to_edge=any(edges))


def spread(cells: frozenset[Cell]) -> float:
    """Return the sum of squared distances to the centre of mass, in the plane."""
    places = [complex(x, 0) + y * complex(0.5, 0.75**0.5) for x, y, _ in cells]
    middle = sum(places) / max(len(places), 1)
    return sum(abs(place - middle) ** 2 for place in places)


def own_terms(board: Board, side: int) -> dict[str, float]:
    """Return what one side has, without regard to the other one or the turn."""
    own, other = board.marbles[side], board.marbles[1 - side]
    made = list(pushes(board, side))
    held = [
        all(beside(cell, axis, step) in other for step in (-1, 1)) for cell in own for axis in AXES
    ]  # one for each marble and axis
    return {
        "off centre": sum(distance(cell) > 0 for cell in own),
        "outside 1": sum(distance(cell) > 1 for cell in own),
        "outside 2": sum(distance(cell) > 2 for cell in own),
        "border": sum(distance(cell) > 3 for cell in own),
        "pairs": sum(beside(cell, axis) in own for cell in own for axis in AXES),
        "flowers": sum(all(beside(cell, step) in own for step in DIRECTIONS) for cell in own),
        "edge danger": sum(
            any(
                not is_on_board(beside(cell, step)) and beside(cell, step, -1) in other for step in DIRECTIONS
            )
            for cell in own
        ),
        "sandwiched": sum(any(held[index : index + 3]) for index in range(0, len(held), 3)),
        "pushes": len(made),
        "push-offs": sum(push.is_off for push in made),
        "edge pressure": sum(push.is_to_edge for push in made),
        "spread": spread(own),
    }


def terms(board: Board, side: int) -> list[float]:
    """Return the seventeen terms as a side sees them."""
    own, other = own_terms(board, side), own_terms(board, 1 - side)
    lost, gained = board.lost[side], board.lost[1 - side]
    sign, (mover, waiter) = (1, (own, other)) if board.side == side else (-1, (other, own))
    less = ("off centre", "outside 1", "outside 2", "border")
    return [
        gained - lost,
        gained**2 - lost**2,
        *(other[name] - own[name] for name in less),
        *(own[name] - other[name] for name in ("pairs", "flowers")),
        *(other[name] - own[name] for name in ("edge danger", "sandwiched")),
        sign * mover["pushes"],
        -sign * waiter["pushes"],
        sign * mover["push-offs"],
        -sign * waiter["push-offs"],
        own["edge pressure"] - other["edge pressure"],
        other["spread"] - own["spread"],
        sign,
    ]


def features(board: Board, side: int) -> list[float]:
    """Return the thirty-four numbers of `engine`: early, then late."""
    late = min(1.0, sum(board.lost) / 8)
    found = terms(board, side)
    return [(1 - late) * term for term in found] + [late * term for term in found]
