"""Feature sets of Abalone, for learners.

`simple` has the three terms of the agent of this name: average distance to the centre, density
(the mean distance between marbles) and marbles lost.

`classic14` has the seven numbers per side of an Abalone program that learned by
temporal differences: marbles in the centre, in the middle and on the border, material
advantage, protection, average distance to the centre and marbles threatened.
`extended` adds seven numbers per side that other programs have used, and `decisive`
two more: whether a side can win at once, or could if it were to move. The feature set
`engine` is in `terms`.

A *push* (sumito) is an in-line move that moves opposing marbles; each marble that can
be the tail of a push counts as one. A marble is *threatened* if the opponent, if it
were to move, could push it. It is in *edge danger* if it stands at the edge with an
opposing marble directly behind it, on the line that leads off the board. A *flower* is
a marble with six own neighbours; a *pair* is two neighbouring marbles of one side.
"""

import numpy as np

from boardgames.declarations import Feature, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Features, Reals, Words, kernel, popcount, types
from boardgames.kernels.abi import REALS_OUT, WORDS
from boardgames_abalone.board import BOARD_HIGH, BOARD_LOW, OUTER_RINGS
from boardgames_abalone.rules import ONE, PAIR, STATUS, ZERO, behind
from boardgames_abalone.terms import ENGINE, centre_distance, density, engine_features, marbles_lost

SIMPLE_TERMS = (
    Feature("centre distance", "cells", 0.0, 4.0, "average distance of the marbles to the centre"),
    Feature("density", "cells", 0.0, 8.0, "mean distance between marbles; small means compact"),
    Feature("lost", "marbles", 0.0, 6.0, "marbles lost"),
)
CLASSIC_TERMS = (
    Feature("centre", "marbles", 0.0, 7.0, "marbles on the centre cell or next to it"),
    Feature("middle", "marbles", 0.0, 14.0, "marbles two or three steps from the centre"),
    Feature("border", "marbles", 0.0, 14.0, "marbles on the border"),
    Feature("material", "marbles", -6.0, 6.0, "marbles on the board minus the opponent's"),
    Feature("protection", "marbles", 0.0, 4.0, "marbles with six own neighbours, called flowers"),
    SIMPLE_TERMS[0],
    Feature("threatened", "marbles", 0.0, 14.0, "marbles that the opponent could push"),
)
EXTRA_TERMS = (
    SIMPLE_TERMS[1],
    SIMPLE_TERMS[2],
    Feature("mobility", "moves", 0.0, 120.0, "legal moves of this side if it were to move"),
    Feature("pushes", "moves", 0.0, 20.0, "moves of this side that push"),
    Feature("push-offs", "moves", 0.0, 10.0, "moves of this side that push a marble off"),
    Feature("edge danger", "marbles", 0.0, 14.0, "edge marbles with an opposing marble right behind them"),
    Feature("groups", "groups", 0.0, 14.0, "connected groups of marbles"),
)
DECISIVE_TERMS = (
    Feature("win", "moves", 0.0, 1.0, "1 if this side is to move and can push off the last marble"),
    Feature("winning threat", "moves", 0.0, 1.0, "the same for the side that is not to move"),
)
PUSH_OFFS = 11
"""Index of the term push-offs among the terms of a side in `extended`."""
DECISIVE_SIZE, ENGINE_SIZE = 32, len(ENGINE.features)
LAST_MARBLE = 5.0
"""Number of marbles lost by a side that loses the match with the next one."""
PUSHES = types.UniTuple(types.uint64, 4)
"""Result of `pushes`: two counts and a bitboard."""


@kernel(Features)
def simple_features(position: Words, side: int, out: Reals) -> None:
    """Write the three terms of `side`, then those of the opponent, into `out`, `float64[6]`."""
    for index in range(2):
        player = side if index == 0 else 1 - side
        low, high = position[2 * player], position[2 * player + 1]
        out[3 * index] = centre_distance(low, high)
        out[3 * index + 1] = density(low, high)
        out[3 * index + 2] = marbles_lost(position[STATUS], player)


@kernel(types.int64(types.uint64, types.uint64, types.int64))
def count_beyond(low: np.uint64, high: np.uint64, distance: int) -> int:
    """Return how many cells of a set are at least `distance` steps (1 to 4) from the centre."""
    return popcount(low & OUTER_RINGS[distance - 1, 0]) + popcount(high & OUTER_RINGS[distance - 1, 1])


@kernel(types.int64(types.uint64, types.uint64))
def flowers(low: np.uint64, high: np.uint64) -> int:
    """Return how many cells of a set have all six neighbours in it."""
    inner_low, inner_high = low, high
    for direction in range(6):
        next_low, next_high = behind(low, high, direction)
        inner_low, inner_high = inner_low & next_low, inner_high & next_high
    return popcount(inner_low) + popcount(inner_high)


@kernel(PUSHES(types.uint64, types.uint64, types.uint64, types.uint64))
def pushes(
    own_low: np.uint64, own_high: np.uint64, other_low: np.uint64, other_high: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Count the pushes that the owner of the `own` marbles would have if it were to move.

    Returns
    -------
    tuple of four uint64
        Number of pushes, number of push-offs among them, and the opposing marbles
        that at least one push would move, as a low and a high word.
    """
    vacant_low, vacant_high = ~(own_low | other_low), ~(own_high | other_high)  # this includes the guard bits
    count = push_offs = 0
    moved_low = moved_high = ZERO
    for direction in range(6):
        back = (direction + 3) % 6
        on_low, on_high = behind(BOARD_LOW, BOARD_HIGH, direction)
        low, high = behind(vacant_low, vacant_high, direction)
        last_low, last_high = other_low & low, other_high & high  # foremost of the pushed marbles
        low, high = behind(last_low, last_high, direction)
        first_low, first_high = other_low & low, other_high & high  # the one behind it, if two are pushed
        # tails of columns: two against one, three against one, three against two
        low, high = behind(last_low, last_high, direction)
        one_low, one_high = own_low & low, own_high & high
        low, high = behind(one_low, one_high, direction)
        pair_low, pair_high = own_low & low, own_high & high
        low, high = behind(pair_low, pair_high, direction)
        trio_low, trio_high = own_low & low, own_high & high
        low, high = behind(first_low, first_high, direction)
        two_low, two_high = own_low & low, own_high & high
        low, high = behind(two_low, two_high, direction)
        two_low, two_high = own_low & low, own_high & high
        low, high = behind(two_low, two_high, direction)
        full_low, full_high = own_low & low, own_high & high
        count += popcount(pair_low) + popcount(pair_high) + popcount(trio_low) + popcount(trio_high)
        count += popcount(full_low) + popcount(full_high)
        # back from the tails to the marbles that they push
        low, high = behind(pair_low, pair_high, back)
        single_low, single_high = behind(low, high, back)
        low, high = behind(full_low, full_high, back)
        low, high = behind(low, high, back)
        near_low, near_high = behind(low, high, back)
        far_low, far_high = behind(near_low, near_high, back)
        moved_low |= single_low | near_low | far_low
        moved_high |= single_high | near_high | far_high
        # a marble at the edge is pushed off; a column of three can do that in two moves, of two
        # marbles or of three
        single_low, single_high = single_low & ~on_low, single_high & ~on_high
        far_low, far_high = far_low & ~on_low, far_high & ~on_high
        push_offs += popcount(single_low) + popcount(single_high) + popcount(far_low) + popcount(far_high)
        low, high = behind(single_low, single_high, direction)
        low, high = behind(low, high, direction)
        low, high = behind(low, high, direction)
        push_offs += popcount(low & trio_low) + popcount(high & trio_high)
    return np.uint64(count), np.uint64(push_offs), moved_low, moved_high


@kernel(types.int64(types.uint64, types.uint64, types.uint64, types.uint64, types.boolean))
def quiet_moves(
    own_low: np.uint64, own_high: np.uint64, other_low: np.uint64, other_high: np.uint64, broadside: bool
) -> int:
    """Return the number of moves without a push that the side of the `own` marbles would have."""
    empty_low = ~(own_low | other_low) & BOARD_LOW
    empty_high = ~(own_high | other_high) & BOARD_HIGH
    count = 0
    for direction in range(6):
        low, high = behind(empty_low, empty_high, direction)
        free_low, free_high = own_low & low, own_high & high
        low, high = behind(free_low, free_high, direction)
        pair_low, pair_high = own_low & low, own_high & high
        low, high = behind(pair_low, pair_high, direction)
        count += popcount(free_low) + popcount(free_high) + popcount(pair_low) + popcount(pair_high)
        count += popcount(own_low & low) + popcount(own_high & high)
        if broadside:
            for turn in range(1, 3):
                low, high = behind(free_low, free_high, (direction + turn) % 6)
                two_low, two_high = free_low & low, free_high & high
                low, high = behind(two_low, two_high, (direction + turn) % 6)
                count += popcount(two_low) + popcount(two_high)
                count += popcount(free_low & low) + popcount(free_high & high)
    return count


@kernel(types.int64(types.uint64, types.uint64, types.uint64, types.uint64))
def edge_danger(low: np.uint64, high: np.uint64, other_low: np.uint64, other_high: np.uint64) -> int:
    """Return the number of edge marbles with an opposing marble directly behind them."""
    danger_low = danger_high = ZERO
    for direction in range(6):
        on_low, on_high = behind(BOARD_LOW, BOARD_HIGH, direction)
        attacked_low, attacked_high = behind(other_low, other_high, (direction + 3) % 6)
        danger_low |= low & ~on_low & attacked_low
        danger_high |= high & ~on_high & attacked_high
    return popcount(danger_low) + popcount(danger_high)


@kernel(PAIR(types.uint64, types.uint64))
def _lowest(low: np.uint64, high: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the lowest cell of a set that is not empty."""
    if low != ZERO:
        return low & (~low + np.uint64(1)), ZERO
    return ZERO, high & (~high + np.uint64(1))


@kernel(types.int64(types.uint64, types.uint64))
def groups(low: np.uint64, high: np.uint64) -> int:
    """Return the number of connected groups in a set."""
    count = 0
    while low != ZERO or high != ZERO:
        group_low, group_high = _lowest(low, high)
        size = 0
        while size != popcount(group_low) + popcount(group_high):
            size = popcount(group_low) + popcount(group_high)
            for direction in range(6):
                next_low, next_high = behind(group_low, group_high, direction)
                group_low, group_high = group_low | (next_low & low), group_high | (next_high & high)
        low, high = low & ~group_low, high & ~group_high
        count += 1
    return count


@kernel(PUSHES(WORDS, types.int64))
def pushes_of(position: Words, side: int) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return `pushes` for a side of a position."""
    return pushes(position[2 * side], position[2 * side + 1], position[2 - 2 * side], position[3 - 2 * side])


@kernel(types.void(WORDS, types.int64, types.int64, types.int64, REALS_OUT))
def _write_classic(position: Words, side: int, threatened: int, start: int, out: Reals) -> None:
    """Write the seven terms of `classic14` for a side into `out` from index `start`."""
    low, high = position[2 * side], position[2 * side + 1]
    other_low, other_high = position[2 - 2 * side], position[3 - 2 * side]
    marbles = popcount(low) + popcount(high)
    outer, border = count_beyond(low, high, 2), count_beyond(low, high, 4)
    out[start] = marbles - outer
    out[start + 1] = outer - border
    out[start + 2] = border
    out[start + 3] = marbles - popcount(other_low) - popcount(other_high)
    out[start + 4] = flowers(low, high)
    out[start + 5] = centre_distance(low, high)
    out[start + 6] = threatened


@kernel(types.void(WORDS, types.int64, types.boolean, types.int64, types.int64, types.int64, REALS_OUT))
def _write_extra(
    position: Words, side: int, broadside: bool, push_count: int, push_offs: int, start: int, out: Reals
) -> None:
    """Write the seven terms that `extended` adds for a side into `out` from index `start`."""
    low, high = position[2 * side], position[2 * side + 1]
    other_low, other_high = position[2 - 2 * side], position[3 - 2 * side]
    out[start] = density(low, high)
    out[start + 1] = marbles_lost(position[STATUS], side)
    out[start + 2] = quiet_moves(low, high, other_low, other_high, broadside) + push_count
    out[start + 3] = push_count
    out[start + 4] = push_offs
    out[start + 5] = edge_danger(low, high, other_low, other_high)
    out[start + 6] = groups(low, high)


@kernel(Features)
def classic14_features(position: Words, side: int, out: Reals) -> None:
    """Write the seven terms of `side`, then those of the opponent, into `out`, `float64[14]`."""
    for index in range(2):
        player = side if index == 0 else 1 - side
        against = pushes_of(position, 1 - player)
        _write_classic(position, player, popcount(against[2]) + popcount(against[3]), 7 * index, out)


@kernel(types.void(WORDS, types.int64, types.boolean, REALS_OUT))
def _write_extended(position: Words, side: int, broadside: bool, out: Reals) -> None:
    """Write the fourteen terms of `side`, then those of the opponent, into `out`."""
    own, others = pushes_of(position, side), pushes_of(position, 1 - side)
    for index in range(2):
        player = side if index == 0 else 1 - side
        made, against = (own, others) if index == 0 else (others, own)
        threatened = popcount(against[2]) + popcount(against[3])
        _write_classic(position, player, threatened, 14 * index, out)
        _write_extra(position, player, broadside, np.int64(made[0]), np.int64(made[1]), 14 * index + 7, out)


@kernel(Features)
def extended_features(position: Words, side: int, out: Reals) -> None:
    """Write the fourteen terms of `side`, then those of the opponent, into `out`, `float64[28]`."""
    _write_extended(position, side, True, out)


@kernel(Features)
def extended_features_in_line(position: Words, side: int, out: Reals) -> None:
    """Write the terms of `extended` for the game without broadside moves, `float64[28]`."""
    _write_extended(position, side, False, out)


@kernel(types.void(WORDS, types.int64, types.boolean, REALS_OUT))
def _write_decisive(position: Words, side: int, broadside: bool, out: Reals) -> None:
    """Write the sixteen terms of `side`, then those of the opponent, into `out`."""
    _write_extended(position, side, broadside, out)
    out[30:32] = 0.0
    for index in range(13, -1, -1):  # make room between the two sides
        out[16 + index] = out[14 + index]
    out[14:16] = 0.0
    mover = np.int64(position[STATUS] & ONE)
    for index in range(2):
        player = side if index == 0 else 1 - side
        if out[16 * index + PUSH_OFFS] > 0 and marbles_lost(position[STATUS], 1 - player) == LAST_MARBLE:
            out[16 * index + (14 if player == mover else 15)] = 1.0


@kernel(Features)
def decisive_features(position: Words, side: int, out: Reals) -> None:
    """Write the sixteen terms of `side`, then those of the opponent, into `out`, `float64[32]`."""
    _write_decisive(position, side, True, out)


@kernel(Features)
def decisive_features_in_line(position: Words, side: int, out: Reals) -> None:
    """Write the terms of `decisive` for the game without broadside moves, `float64[32]`."""
    _write_decisive(position, side, False, out)


@kernel(types.void(WORDS, types.int64, types.boolean, REALS_OUT))
def _write_full(position: Words, side: int, broadside: bool, out: Reals) -> None:
    """Write the terms of `decisive`, then those of `engine`, into `out`."""
    engine_features(position, side, out)
    for index in range(ENGINE_SIZE - 1, -1, -1):  # backwards, since source and target overlap
        out[DECISIVE_SIZE + index] = out[index]
    _write_decisive(position, side, broadside, out)


@kernel(Features)
def full_features(position: Words, side: int, out: Reals) -> None:
    """Write the terms of `decisive`, then those of `engine`, into `out`, `float64[66]`."""
    _write_full(position, side, True, out)


@kernel(Features)
def full_features_in_line(position: Words, side: int, out: Reals) -> None:
    """Write the terms of `full` for the game without broadside moves, `float64[66]`."""
    _write_full(position, side, False, out)


def simple(game: Game) -> FeatureSet:
    """Return the feature set `simple`: six numbers."""
    return FeatureSet("simple", simple_features, _for_both_sides(SIMPLE_TERMS))


def classic14(game: Game) -> FeatureSet:
    """Return the feature set `classic14`: fourteen numbers."""
    return FeatureSet("classic14", classic14_features, _for_both_sides(CLASSIC_TERMS))


def extended(game: Game) -> FeatureSet:
    """Return the feature set `extended`: twenty-eight numbers."""
    kernel_of = extended_features if game.options["broadside"] else extended_features_in_line
    return FeatureSet("extended", kernel_of, _for_both_sides((*CLASSIC_TERMS, *EXTRA_TERMS)))


def decisive(game: Game) -> FeatureSet:
    """Return the feature set `decisive`: thirty-two numbers."""
    kernel_of = decisive_features if game.options["broadside"] else decisive_features_in_line
    terms = (*CLASSIC_TERMS, *EXTRA_TERMS, *DECISIVE_TERMS)
    return FeatureSet("decisive", kernel_of, _for_both_sides(terms))


def full(game: Game) -> FeatureSet:
    """Return the feature set `full`: sixty-six numbers."""
    kernel_of = full_features if game.options["broadside"] else full_features_in_line
    return FeatureSet("full", kernel_of, (*decisive(game).features, *ENGINE.features))


def _for_both_sides(terms: tuple[Feature, ...]) -> tuple[Feature, ...]:
    return tuple(
        Feature(f"{whose} {term.name}", term.unit, term.low, term.high, term.summary)
        for whose in ("own", "opponent's")
        for term in terms
    )
