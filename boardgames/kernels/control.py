"""The control record of a long-running kernel: its stop flag, node limit and counters.

The record is the only element of an array. Any thread may set the flags `stop` and
`superseded` while a kernel runs; the kernel itself only updates the counters.
Kernels read the flags atomically, because LLVM would move a plain load out of a loop.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from boardgames.kernels import types
from boardgames.kernels.abi import kernel, record_array
from boardgames.kernels.atomics import field_loader

CONTROL_DTYPE = np.dtype(
    [
        ("stop", np.int64),
        ("superseded", np.int64),
        ("node_limit", np.int64),
        ("nodes", np.int64),
        ("evaluated", np.int64),
        ("finished_moves", np.int64),
        ("path_dependent", np.int64),
    ],
    align=True,
)
"""Fields of a control record.

stop : not 0 if the kernel should return as soon as possible
superseded : not 0 if the kernel should return because another thread has finished the same search
node_limit : maximum number of positions to visit, 0 for no limit
nodes : number of positions visited so far
evaluated : number of values so far that do not follow from the rules alone
finished_moves : number of root moves that have been searched completely
path_dependent : number of values so far that are valid only on the current path (repetitions)
"""

CONTROL = record_array(CONTROL_DTYPE)

Control = npt.NDArray[Any]  # one record of CONTROL_DTYPE: NumPy cannot annotate its fields
"""The record that a long-running kernel shares with its caller, `CONTROL_DTYPE[1]`."""

load_stop = field_loader(CONTROL_DTYPE, "stop")
load_superseded = field_loader(CONTROL_DTYPE, "superseded")


@kernel(types.boolean(CONTROL))
def is_stopped(control: Control) -> bool:
    """Return True if one of the flags is set or the node limit is reached."""
    node_limit = control[0].node_limit
    is_at_limit = node_limit > 0 and control[0].nodes >= node_limit
    return load_stop(control) != 0 or load_superseded(control) != 0 or is_at_limit


def new_control(node_limit: int = 0) -> Control:
    """Return a control record in which only the node limit is set."""
    control: Control = np.zeros(1, dtype=CONTROL_DTYPE).view(np.recarray)
    control[0].node_limit = node_limit
    return control
