"""Building blocks of kernels: array types, signatures, the `kernel` decorator, bit operations.

The rules, features and evaluations of a game need nothing else. See
docs/kernels.md for what compiled code may and may not do.
"""

from boardgames.kernels.abi import (
    FORCING,
    TACTICAL,
    Actions,
    Apply,
    Cells,
    Evaluate,
    Features,
    LegalMoves,
    MoveOrder,
    OutcomeOf,
    PassTurn,
    Phase,
    PositionKey,
    Reals,
    SideToMove,
    Words,
    kernel,
)
from boardgames.kernels.bits import (
    bit,
    bits_to_float,
    float_to_bits,
    has_bit,
    lowest_bit,
    mix,
    next_random,
    popcount,
    random_below,
)
from boardgames.kernels.control import Control, is_stopped, load_stop, new_control
from boardgames.kernels.plain import JIT
from boardgames.kernels.rows import local_integers, local_reals, prefetch, row, row_out

__all__ = [
    "FORCING",
    "JIT",
    "TACTICAL",
    "Actions",
    "Apply",
    "Cells",
    "Control",
    "Evaluate",
    "Features",
    "LegalMoves",
    "MoveOrder",
    "OutcomeOf",
    "PassTurn",
    "Phase",
    "PositionKey",
    "Reals",
    "SideToMove",
    "Words",
    "bit",
    "bits_to_float",
    "float_to_bits",
    "has_bit",
    "is_stopped",
    "kernel",
    "load_stop",
    "local_integers",
    "local_reals",
    "lowest_bit",
    "mix",
    "new_control",
    "next_random",
    "popcount",
    "prefetch",
    "random_below",
    "row",
    "row_out",
]
