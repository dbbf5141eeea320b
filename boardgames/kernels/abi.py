"""The kernel interface: array types, one typed signature a kernel, the decorator.

A kernel is compiled when its module is imported, for exactly one signature,
and kept in a cache folder that is named by everything it depends on
(`boardgames.kernels.cache`). Generic code takes kernels as arguments of the
types in `first_class`, so one compilation serves every game.

With `NUMBA_DISABLE_JIT=1` kernels run as plain Python behind a wrapper that
casts as the signature says and makes inputs read-only.
"""

import functools
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, TypeVar

import numba
import numpy as np
import numpy.typing as npt
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError
from numba.core.typeinfer import register_dispatcher
from numba.np.numpy_support import from_dtype

from boardgames.errors import KernelError
from boardgames.kernels.cache import StampedCache, counts_references

Words = npt.NDArray[np.uint64]
"""Words of a packed position, `uint64[n]` or, as a stack of them, `uint64[m, n]`."""
Actions = npt.NDArray[np.int64]
"""Actions, `int64[n]`, or one buffer a ply, `int64[m, n]`."""
Reals = npt.NDArray[np.float64]
"""Features, weights or values, `float64[n]`."""
JIT = not numba.config.DISABLE_JIT
"""False where `NUMBA_DISABLE_JIT=1` makes every kernel plain Python."""

WORDS = types.Array(types.uint64, 1, "C", readonly=True)
WORDS_OUT = types.Array(types.uint64, 1, "C")
WORDS_STACK = types.Array(types.uint64, 2, "C")
ACTIONS = types.Array(types.int64, 1, "C", readonly=True)
ACTIONS_OUT = types.Array(types.int64, 1, "C")
ACTIONS_STACK = types.Array(types.int64, 2, "C")
REALS = types.Array(types.float64, 1, "C", readonly=True)
REALS_OUT = types.Array(types.float64, 1, "C")
REALS_STACK = types.Array(types.float64, 2, "C")

LegalMoves = types.int64(WORDS, ACTIONS_OUT)
"""`legal_moves(position, moves) -> count`: the legal actions, ascending."""
Apply = types.void(WORDS, types.int64, WORDS_OUT)
"""`apply(position, action, successor)`: writes the successor of a legal action."""
SideToMove = types.int64(WORDS)
"""`side_to_move(position) -> 0 or 1`."""
OutcomeOf = types.int64(WORDS)
"""`outcome(position) -> -1` going on, `0` or `1` that side has won, `2` drawn."""
Features = types.void(WORDS, types.int64, REALS_OUT)
"""`features(position, side, out)`: the features as `side` sees the position."""
Evaluate = types.float64(WORDS, REALS)
"""`evaluate(position, weights)`: static estimate for the side to move."""
MoveOrder = types.int64(WORDS, types.int64)
"""`move_order(position, action)`: larger is tried earlier, first of all what `tactical_moves` gives."""
PassTurn = types.void(WORDS, WORDS_OUT)
"""`pass_turn(position, successor)`: the position if the side to move made none, which no rule allows."""
PositionKey = types.uint64(WORDS)
"""`key(position)`: 64 mixed bits; equal for positions that search may take for one another."""

TACTICAL = 100
"""Rank in `move_order` from which on no move of the root is reduced; below, what `tactical_moves` gives."""
FORCING = 10_000
"""Rank from which on a move threatens to win at once: the answers are looked at a ply deeper."""

_NO_REASON = ("Failed in", "During", "File ", "- ", "<", "This error", "There are", "Known signatures")

Function = TypeVar("Function", bound=Callable[..., Any])  # any signature: Numba's, not Python's


def record_array(dtype: np.dtype[Any], *, readonly: bool = False) -> Any:  # Numba has no type stubs
    """Return the type of an array of records of a structured dtype, as a kernel takes it."""
    return types.Array(from_dtype(dtype), 1, "C", readonly=readonly)


def first_class(signature: Any) -> Any:  # Numba has no type stubs
    """Return the type under which a generic kernel takes kernels of `signature`."""
    return types.FunctionType(signature)


def kernel(
    signature: Any, *, inline: bool = False
) -> Callable[[Function], Function]:  # Numba has no type stubs
    """Compile a function for `signature` now, or take it from the cache.

    Parameters
    ----------
    signature : numba signature
        One of the signatures of this module, or `boardgames.kernels.abi`
        types put together for a helper: `types.uint64(types.uint64)`.
    inline : bool
        Put the code into every kernel that calls it, however long it is.

    Returns
    -------
    decorator
        The decorated function releases the GIL, is compiled for this one
        signature only, and can be called from Python, from other kernels,
        and as a first-class function.

    Raises
    ------
    KernelError
        If the function takes another number of arguments.
    """

    def decorate(function: Function) -> Any:  # the compiled one: Numba has no type stubs
        if not isinstance(function, FunctionType):
            raise KernelError(f"expected a Python function to compile for {signature}: {function!r}")
        expected = len(signature.args)
        if function.__code__.co_argcount != expected:
            raise KernelError(
                f"expected a kernel of {expected} arguments for {signature}: "
                f"{function.__qualname__} takes {function.__code__.co_argcount}"
            )
        if not JIT:
            return _plain(function, signature)
        if not _must_count(function, signature):
            with suppress(Exception):  # whatever Numba makes of it: the next attempt says what is wrong
                return _compiled(function, signature, inline, counts=False)
        try:
            return _compiled(function, signature, inline, counts=True)
        except NumbaError as error:
            raise KernelError(_complaint(function, str(error))) from error

    return decorate


class _CountsError(Exception):
    """Raised where code that does not count references calls some that makes arrays, or hands them back."""


def _must_count(function: FunctionType, signature: Any) -> bool:
    """Say whether a function hands back an array, or calls one that Numba compiles on its own terms."""
    if _holds_array(signature.return_type):
        return True
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # a function that is inside itself is not there yet
            named.append(cell.cell_contents)
    return any(
        isinstance(one, Dispatcher) and not isinstance(getattr(one, "_cache", None), StampedCache)
        for one in named
    )


def _holds_array(kind: Any) -> bool:
    return isinstance(kind, types.Array) or any(map(_holds_array, getattr(kind, "types", ())))


def _compiled(function: FunctionType, signature: Any, inline: bool, *, counts: bool) -> Any:
    """Return the compiled function, which counts references to arrays only if `counts` says so.

    Callers keep the arrays alive that they hand over, and to count took up to
    half the time of a short kernel. What makes arrays of its own has to count.

    Raises
    ------
    _CountsError
        If it does not count and what it calls does.
    """
    dispatcher = numba.njit(nogil=True, forceinline=inline, _nrt=counts)(function)
    cache = StampedCache(function, may_count=counts)
    dispatcher._cache = cache
    # a recursive kernel finds itself by its name
    with _interrupt_waiting(), register_dispatcher(dispatcher), _symbols_apart(function, cache.identity):
        dispatcher.compile(signature)
    if not counts and counts_references(dispatcher.overloads[signature.args].library):
        raise _CountsError
    dispatcher.disable_compile()
    return dispatcher


@contextmanager
def _interrupt_waiting() -> Iterator[None]:
    """Let Ctrl-C wait until a kernel is whole: a callback from LLVM swallows it, and breaks the kernel."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            handler(*came[0])


def _complaint(function: FunctionType, text: str) -> str:
    """Return where a kernel does not compile and Numba's own reason, in one clause.

    Numba's messages run over dozens of lines: the place stands last, the
    reason is the first line that is neither a frame nor a quotation.
    """
    code = function.__code__
    file, line = (
        re.findall(r'File "([^"]+)", line (\d+)', text) or [(code.co_filename, code.co_firstlineno)]
    )[-1]
    lines = [part.strip() for part in text.splitlines() if part.strip()]
    reasons = [part for part in lines if not part.startswith(_NO_REASON) and "^" not in part]
    reason = (reasons or lines)[0]
    if reason.endswith("signature:"):
        reason += next((part.removeprefix(">>>") for part in lines if part.startswith(">>>")), "")
    return f"expected a kernel that compiles: {function.__name__} at {Path(file).resolve()}:{line}: {reason}"


@contextmanager
def _symbols_apart(function: FunctionType, identity: str) -> Iterator[None]:
    """Have the symbols of a function's code begin with its identity.

    Numba tells functions of one name apart by a number that is unique in one
    process only: code of two sizes of a game, compiled in two processes and
    loaded in a third, would meet under one symbol, and one be called for both.
    """
    name = function.__qualname__
    function.__qualname__ = f"{identity}.{name}"
    try:
        yield
    finally:
        function.__qualname__ = name


def check_kernel(name: str, function: Any, signature: Any) -> None:
    """Make sure that `function` is a kernel compiled for `signature`.

    Raises
    ------
    KernelError
        If it is not; the message gives both signatures.
    """
    if not JIT:
        found = getattr(function, "kernel_signature", None)
    else:
        compiled = getattr(function, "nopython_signatures", None)
        found = compiled[0] if compiled and len(compiled) == 1 else None
    expected = (signature.args, signature.return_type)
    if found is None or (found.args, found.return_type) != expected:
        what = f"compiled for {found}" if found is not None else "not made by `kernel`"
        raise KernelError(f"expected the kernel {name} to be {signature}: {function!r} is {what}")


def _plain(function: Function, signature: Any) -> Function:
    """Wrap a kernel for running without compilation, as strict as the compiled one."""
    casts = [_CASTS.get(kind) for kind in signature.args]
    frozen = [isinstance(kind, types.Array) and not kind.mutable for kind in signature.args]
    result = _CASTS.get(signature.return_type)

    @functools.wraps(function)
    def plain(*arguments: Any) -> Any:
        given = list(arguments)
        for index, cast in enumerate(casts):
            if cast is not None:
                given[index] = cast(given[index])
            elif frozen[index]:
                given[index] = given[index].view()
                given[index].flags.writeable = False
        with np.errstate(over="ignore"):
            value = function(*given)
        return result(value) if result is not None else value

    plain.kernel_signature = signature  # type: ignore[attr-defined]
    return plain  # type: ignore[return-value]


_CASTS: dict[Any, Callable[[Any], Any]] = {
    types.int64: np.int64,
    types.uint64: np.uint64,
    types.float64: np.float64,
    types.boolean: bool,
}
