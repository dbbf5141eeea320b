"""The kernel interface: array types, the typed signature of each kernel, and the `kernel` decorator.

A kernel is compiled for exactly one signature when its module is imported, and cached
(`boardgames.kernels.cache`); cached code is loaded when it is first used. Generic code takes
kernels as first-class functions, so one compilation serves every game. If compilation is deferred,
Numba is imported only when a kernel has to be compiled or loaded.

With `NUMBA_DISABLE_JIT=1` kernels run as plain Python, behind a wrapper that
casts arguments to the types of the signature and makes inputs read-only.
"""

import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from boardgames.compiling import waits_for_call
from boardgames.errors import KernelError
from boardgames.kernels import types
from boardgames.kernels.identity import identity
from boardgames.kernels.lazy import Kernel, deferred
from boardgames.kernels.plain import JIT, Function, plain_kernel

Words = npt.NDArray[np.uint64]
"""Words of a packed position, `uint64[n]`, or of a stack of positions, `uint64[m, n]`."""
Actions = npt.NDArray[np.int64]
"""Actions, `int64[n]`, or a buffer for each ply, `int64[m, n]`."""
Reals = npt.NDArray[np.float64]
"""Features, weights or values, `float64[n]`."""
Floats = npt.NDArray[np.float32]
"""Tables of weights, `float32[n]`."""
Shorts = npt.NDArray[np.int16]
"""Tables of weights, `int16[n]`, or a row for each phase of a match, `int16[m, n]`."""

Bytes = npt.NDArray[np.int8]
"""Planes of an observation, `int8[n]`."""

WORDS = types.Array(types.uint64, 1, "C", readonly=True)
WORDS_OUT = types.Array(types.uint64, 1, "C")
WORDS_STACK = types.Array(types.uint64, 2, "C")
ACTIONS = types.Array(types.int64, 1, "C", readonly=True)
ACTIONS_OUT = types.Array(types.int64, 1, "C")
ACTIONS_STACK = types.Array(types.int64, 2, "C")
REALS = types.Array(types.float64, 1, "C", readonly=True)
REALS_OUT = types.Array(types.float64, 1, "C")
REALS_STACK = types.Array(types.float64, 2, "C")
FLOATS = types.Array(types.float32, 1, "C", readonly=True)
FLOATS_OUT = types.Array(types.float32, 1, "C")
FLOATS_STACK = types.Array(types.float32, 2, "C")
SHORTS = types.Array(types.int16, 1, "C", readonly=True)
SHORTS_TABLE = types.Array(types.int16, 2, "C", readonly=True)
BYTES = types.Array(types.int8, 1, "C", readonly=True)
BYTES_OUT = types.Array(types.int8, 1, "C")
BYTES_STACK = types.Array(types.int8, 2, "C")
REALS_TABLE = types.Array(types.float64, 2, "C", readonly=True)

LegalMoves = types.int64(WORDS, ACTIONS_OUT)
"""`legal_moves(position, moves) -> count`: writes the legal actions in ascending order."""
Apply = types.void(WORDS, types.int64, WORDS_OUT)
"""`apply(position, action, successor)`: writes the successor of a legal action."""
SideToMove = types.int64(WORDS)
"""`side_to_move(position) -> 0 or 1`."""
OutcomeOf = types.int64(WORDS)
"""`outcome(position)`: -1 if the match is not over, 0 or 1 if that side has won, 2 for a draw."""
Features = types.void(WORDS, types.int64, REALS_OUT)
"""`features(position, side, out)`: writes the features from the point of view of `side`."""
Cells = types.void(WORDS, types.int64, ACTIONS_OUT)
"""`cells(position, side, out)`: writes the value of each cell from the point of view of `side`."""
Observe = types.void(WORDS, types.int64, BYTES_OUT)
"""`observe(position, side, out)`: writes what a network sees, from the point of view of `side`."""
Phase = types.int64(WORDS, types.int64)
"""`phase(position, side)`: the index of the tables of weights in which the position is looked up."""
Evaluate = types.float64(WORDS, REALS)
"""`evaluate(position, weights)`: static evaluation for the side to move."""
MoveOrder = types.int64(WORDS, types.int64)
"""`move_order(position, action)`: a rank; moves with larger ranks are searched earlier."""
PassTurn = types.void(WORDS, WORDS_OUT)
"""`pass_turn(position, successor)`: writes the position after a null move, which is never legal."""
PositionKey = types.uint64(WORDS)
"""`key(position)`: a 64-bit hash; equal for positions that search may treat as the same."""

LegalMovesKernel = Annotated[Callable[[Words, Actions], int], LegalMoves]
ApplyKernel = Annotated[Callable[[Words, int, Words], None], Apply]
SideToMoveKernel = Annotated[Callable[[Words], int], SideToMove]
OutcomeKernel = Annotated[Callable[[Words], int], OutcomeOf]
"""The types of the four kernels of the rules, for fields of a bundle (`boardgames.kernels.bundles`)."""

TACTICAL = 100
"""Root moves with at least this rank in `move_order` are never reduced."""
FORCING = 10_000
"""Moves with at least this rank win or threaten to win at once, and are searched one ply deeper."""


def record_array(dtype: np.dtype[Any], *, readonly: bool = False) -> types.Array:
    """Return the type that a kernel declares for an array of records of a structured dtype."""
    return types.Array(types.Record(dtype), 1, readonly=readonly)


def first_class(signature: types.Signature) -> types.FunctionType:
    """Return the type of an argument that is itself a kernel of `signature`."""
    return types.FunctionType(signature)


def kernel(signature: types.Signature, *, inline: bool = False) -> Callable[[Function], Function]:
    """Compile a function for `signature` now or, if it is in the cache, load it when it is first used.

    Parameters
    ----------
    signature : Signature
        One of the signatures of this module or, for a helper, a signature of
        `boardgames.kernels.types`: `types.uint64(types.uint64)`.
    inline : bool
        Inline the code into every kernel that calls it, regardless of its length.

    Returns
    -------
    decorator
        The compiled function releases the GIL and can be called from Python,
        from other kernels, and as a first-class function.

    Raises
    ------
    KernelError
        If the function does not compile or takes another number of arguments.
    """

    def decorate(function: Function) -> Any:  # a kernel, with the type of the function for mypy
        if not isinstance(function, FunctionType):
            raise KernelError(f"only a Python function can be a kernel, not {function!r}")
        if not isinstance(signature, types.Signature):
            raise KernelError(
                f"the signature of {function.__qualname__} must be made of `boardgames.kernels.types`, "
                f"which replace those of Numba, not {signature!r}"
            )
        expected = len(signature.args)
        if function.__code__.co_argcount != expected:
            raise KernelError(
                f"{function.__qualname__} takes {function.__code__.co_argcount} arguments, "
                f"but its signature {signature} has {expected}"
            )
        if not JIT:
            return plain_kernel(function, signature)
        made = Kernel(
            function,
            signature,
            inline=inline,
            identity=identity(function, signature, inline),
            make_dispatcher=_new_dispatcher,
        )
        if waits_for_call():
            deferred.append(weakref.ref(made))
        elif not made.dispatcher.is_compiled():
            made.dispatcher.load(is_defined=False)
        return made

    return decorate


def _new_dispatcher(made: Kernel) -> Any:  # Numba has no type stubs
    from boardgames.kernels.dispatcher import KernelDispatcher  # here, because it imports Numba

    return KernelDispatcher(made)


def check_kernel(name: str, function: Any, signature: types.Signature) -> None:
    """Check that `function` is a kernel compiled for `signature`.

    Raises
    ------
    KernelError
        If it is not a kernel, or has another signature; the message contains both signatures.
    """
    actual = (
        function.signature if isinstance(function, Kernel) else getattr(function, "kernel_signature", None)
    )
    if actual != signature:
        what = (
            f"is compiled for {actual}" if actual is not None else "is not a function decorated with `kernel`"
        )
        raise KernelError(f"the kernel {name} must have the signature {signature}, but {function!r} {what}")
