"""Hand-outs: the values of chains and loops by length.

The side that captures a chain or loop can leave its last cells, two of a chain or four of a loop, to
the opponent, who then has to move first in the rest. Chains of one or two cells and loops of three offer
no such *hand-out*, since a chain of two can be cut in the middle.

A chain or loop is *isolated* if its ends lead to no cell with three or more open edges. There are three
groups of isolated chains and loops: those without a hand-out, longer loops and longer chains. Of each
group, only the shortest needs to be opened. The reason is that if two positions differ only in the length
of one chain, play is the same in both until it is opened, and the side that takes it gets the difference.
So the values of the positions differ at most by the difference in length, and opening the longer chain
first cannot gain more than it costs.
"""

from boardgames.kernels import Actions, kernel, types
from boardgames.kernels.abi import ACTIONS_OUT, ACTIONS_STACK

SHORT, LOOP, CHAIN = 0, 1, 2
"""The groups of isolated chains and loops: too short to hand out cells, longer loops, and longer chains."""
GROUPS = 3
CHAIN_HANDOUT, LOOP_HANDOUT = 2, 4
"""Number of cells that have to be handed out to keep control, in a chain and in a loop."""
SHORTEST_LONG_CHAIN = 3
"""Minimum length of a chain that always lets the opponent hand out cells."""
UNBOUNDED = 1 << 20


@kernel(types.int64(types.int64, types.int64), inline=True)
def group_of(cells: int, is_loop: int) -> int:
    """Return the group of a chain or loop with a number of cells."""
    if is_loop != 0:
        return LOOP if cells >= LOOP_HANDOUT else SHORT
    return CHAIN if cells >= SHORTEST_LONG_CHAIN else SHORT


@kernel(types.int64(types.int64, types.int64), inline=True)
def hand_out_of(cells: int, is_loop: int) -> int:
    """Return how many cells can be handed out by the side that takes a chain or loop, 0 if none can."""
    group = group_of(cells, is_loop)
    return CHAIN_HANDOUT if group == CHAIN else LOOP_HANDOUT if group == LOOP else 0


@kernel(types.int64(types.int64, types.int64, types.int64), inline=True)
def value_of_opened(cells: int, hand_out: int, rest: int) -> int:
    """Return the value of taking an opened chain or loop, for the side that takes it.

    Parameters
    ----------
    cells : int64
        Number of cells that are taken.
    hand_out : int64
        Number of these cells that can be handed out instead, or 0.
    rest : int64
        The value of everything else, for the side that moves first in it.

    Examples
    --------
    >>> int(value_of_opened(5, 2, -4)), int(value_of_opened(5, 2, 4))  # hand out two cells, or take all
    (5, 9)
    """
    if hand_out == 0:
        return cells + rest
    return cells - hand_out + int(abs(rest + hand_out))


@kernel(types.int64(ACTIONS_OUT, types.int64, types.int64), inline=True)
def insert(entries: Actions, count: int, entry: int) -> int:
    """Insert an entry into the first `count` entries, which are in ascending order; return the new count."""
    place = count
    while place > 0 and entries[place - 1] > entry:
        entries[place] = entries[place - 1]
        place -= 1
    entries[place] = entry
    return count + 1


@kernel(types.int64(ACTIONS_STACK, types.int64, types.int64, types.int64, ACTIONS_OUT))
def value_of_isolated(lengths: Actions, shorts: int, loops: int, chains: int, values: Actions) -> int:
    """Return the value of isolated chains and loops for the side that has to open one.

    Parameters
    ----------
    lengths : int64[3, :]
        The lengths in each group, in ascending order.
    shorts, loops, chains : int64
        Number of members of each group.
    values : int64[:]
        Scratch memory for the values of what remains after the shortest members of each group are gone.
        Its size is at least the product of the three numbers, each increased by one.
    """
    after_chain = loops + 1
    after_short = (chains + 1) * after_chain
    for short in range(shorts, -1, -1):
        for chain in range(chains, -1, -1):
            for loop in range(loops, -1, -1):
                place = short * after_short + chain * after_chain + loop
                best = -UNBOUNDED
                if short < shorts:
                    best = -value_of_opened(lengths[SHORT, short], 0, values[place + after_short])
                if chain < chains:
                    rest = values[place + after_chain]
                    best = max(best, -value_of_opened(lengths[CHAIN, chain], CHAIN_HANDOUT, rest))
                if loop < loops:
                    rest = values[place + 1]
                    best = max(best, -value_of_opened(lengths[LOOP, loop], LOOP_HANDOUT, rest))
                values[place] = 0 if best == -UNBOUNDED else best
    return int(values[0])
