"""What kernels are made of: array types, typed signatures, the `kernel` decorator, bits.

Rules, features and evaluations of a game are written with these alone. See
docs/kernels.md for what compiled code may and may not do.
"""

from boardgames.kernels.abi import (
    FORCING,
    JIT,
    TACTICAL,
    Actions,
    Apply,
    Control,
    Evaluate,
    Features,
    LegalMoves,
    MoveOrder,
    OutcomeOf,
    PassTurn,
    PositionKey,
    Reals,
    SideToMove,
    Words,
    kernel,
)
from boardgames.kernels.bits import (
    bit,
    bits_of,
    has_bit,
    lowest_bit,
    mixed,
    next_random,
    popcount,
    random_below,
    real_of,
)
from boardgames.kernels.control import NODE_LIMIT, NODES, STOP, is_stopped, new_control
from boardgames.kernels.rows import peek, prefetch, row, row_out

__all__ = [
    "FORCING",
    "JIT",
    "NODES",
    "NODE_LIMIT",
    "STOP",
    "TACTICAL",
    "Actions",
    "Apply",
    "Control",
    "Evaluate",
    "Features",
    "LegalMoves",
    "MoveOrder",
    "OutcomeOf",
    "PassTurn",
    "PositionKey",
    "Reals",
    "SideToMove",
    "Words",
    "bit",
    "bits_of",
    "has_bit",
    "is_stopped",
    "kernel",
    "lowest_bit",
    "mixed",
    "new_control",
    "next_random",
    "peek",
    "popcount",
    "prefetch",
    "random_below",
    "real_of",
    "row",
    "row_out",
]
