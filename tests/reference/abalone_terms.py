"""The terms of Abalone's feature set `engine`, computed from their definitions cell by cell."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reference.abalone import DIRECTIONS, Board, Cell, beside, groups, in_line, is_along, is_on_board

AXES = DIRECTIONS[:3]
LATE_LOSSES = 8


@dataclass(frozen=True)
class Push:
    """Effect of a push on the foremost marble that it moves: pushed off, or pushed to the border."""

    is_off: bool
    is_to_border: bool


def distance(cell: Cell) -> int:
    """Return the distance of a cell to the centre."""
    return max(map(abs, cell))


def pushes(board: Board, side: int) -> Iterator[Push]:
    """Yield the pushes that a side could make if it were to move."""
    board = replace(board, side=side)
    for group in groups(board.own):
        for direction in DIRECTIONS:
            if len(group) == 1 or not is_along(group, direction):
                continue
            after = in_line(board, group, direction)
            if after is None or after.marbles[1 - side] == board.other:
                continue
            new = after.marbles[1 - side] - board.other
            reaches_border = [
                distance(cell) == 4 and distance(beside(cell, direction, -1)) < 4 for cell in new
            ]
            yield Push(is_off=not new, is_to_border=any(reaches_border))


def spread(cells: frozenset[Cell]) -> float:
    """Return the sum of squared distances to the centre of mass, in the plane."""
    points = [complex(x, 0) + y * complex(0.5, 0.75**0.5) for x, y, _ in cells]
    mean = sum(points) / max(len(points), 1)
    return sum(abs(point - mean) ** 2 for point in points)


def is_sandwiched(cell: Cell, other: frozenset[Cell]) -> bool:
    """Return whether a cell lies between two opposing marbles on any axis."""
    return any(all(beside(cell, axis, step) in other for step in (-1, 1)) for axis in AXES)


def is_in_danger(cell: Cell, other: frozenset[Cell]) -> bool:
    """Return whether a cell is at the edge with an opposing marble directly behind it."""
    return any(not is_on_board(beside(cell, step)) and beside(cell, step, -1) in other for step in DIRECTIONS)


def side_terms(board: Board, side: int) -> dict[str, float]:
    """Return the numbers of one side, without those of the opponent."""
    own, other = board.marbles[side], board.marbles[1 - side]
    made = list(pushes(board, side))
    return {
        "off centre": sum(distance(cell) > 0 for cell in own),
        "outside ring 1": sum(distance(cell) > 1 for cell in own),
        "outside ring 2": sum(distance(cell) > 2 for cell in own),
        "border": sum(distance(cell) > 3 for cell in own),
        "pairs": sum(beside(cell, axis) in own for cell in own for axis in AXES),
        "flowers": sum(all(beside(cell, step) in own for step in DIRECTIONS) for cell in own),
        "edge danger": sum(is_in_danger(cell, other) for cell in own),
        "sandwiched": sum(is_sandwiched(cell, other) for cell in own),
        "pushes": len(made),
        "push-offs": sum(push.is_off for push in made),
        "edge pressure": sum(push.is_to_border for push in made),
        "spread": spread(own),
    }


def terms(board: Board, side: int) -> list[float]:
    """Return the seventeen terms from the point of view of a side."""
    own, other = side_terms(board, side), side_terms(board, 1 - side)
    lost, gained = board.lost[side], board.lost[1 - side]
    sign, (mover, waiter) = (1, (own, other)) if board.side == side else (-1, (other, own))
    return [
        gained - lost,
        gained**2 - lost**2,
        *(other[name] - own[name] for name in ("off centre", "outside ring 1", "outside ring 2", "border")),
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
    """Return the 34 numbers of `engine`: the terms weighted for the early and for the late phase."""
    late = min(1.0, sum(board.lost) / LATE_LOSSES)
    values = terms(board, side)
    return [(1 - late) * term for term in values] + [late * term for term in values]
