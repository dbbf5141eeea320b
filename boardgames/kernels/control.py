"""The control array of a long kernel: what its caller sets and what it reports.

`int64[CONTROL_SIZE]`. The stop flag and the limit of nodes (0: none) may be set
from any thread and at any time; the kernel counts its nodes.
"""

import numpy as np
from numba import types

from boardgames.kernels.abi import ACTIONS_OUT, Control, kernel
from boardgames.kernels.rows import peek

STOP = 0
NODES = 1
NODE_LIMIT = 2
CONTROL_SIZE = 8


@kernel(types.boolean(ACTIONS_OUT))
def is_stopped(control: Control) -> bool:
    """Say whether the stop flag is set or the node limit reached."""
    limit = peek(control, NODE_LIMIT)
    return peek(control, STOP) != 0 or (limit > 0 and control[NODES] >= limit)


def new_control(node_limit: int = 0) -> Control:
    """Return a control array with no flag set."""
    control = np.zeros(CONTROL_SIZE, dtype=np.int64)
    control[NODE_LIMIT] = node_limit
    return control
