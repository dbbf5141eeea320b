"""Where searches are: the keys of the positions on the paths of all threads, in one array.

Each thread has a part of it, `settings[STRIDE]` long, with the keys of the
positions of the match first and of its path from the root on behind them. Two
threads that look at the same move at the same time do the same work, so one of
them takes another move first if there is one (T. Kerrigan's simplification of
J.-C. Weill, "The ABDADA distributed minimax search algorithm", 1996).
"""

import numpy as np
from numba import types

from boardgames.kernels import Actions, Words, kernel
from boardgames.kernels.abi import ACTIONS, WORDS_OUT
from boardgames.search.tree import FIRST, STRIDE


@kernel(types.boolean(WORDS_OUT, types.int64, ACTIONS))
def is_repeated(keys: Words, place: int, settings: Actions) -> bool:
    """Say whether the key at `place` stands in an earlier place of the same thread's."""
    key = keys[place]
    for other in range(place - 2, settings[FIRST] - 1, -1):  # noqa: SIM110 - compiled
        if keys[other] == key:
            return True
    return False


@kernel(types.boolean(WORDS_OUT, types.int64, types.uint64, ACTIONS))
def is_taken(keys: Words, place: int, key: np.uint64, settings: Actions) -> bool:
    """Say whether another thread was last at this position at the ply of `place`."""
    stride = settings[STRIDE]
    if stride == 0:
        return False
    for other in range(place % stride, keys.size, stride):  # noqa: SIM110 - compiled
        if other != place and keys[other] == key:
            return True
    return False
