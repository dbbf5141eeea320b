"""The kernel interface: array types, the typed signature of each kernel, and the `kernel` decorator.

A kernel is compiled for exactly one signature when its module is imported, and
cached (`boardgames.kernels.cache`). Generic code takes kernels as first-class
functions, so that one compilation serves every game.

With `NUMBA_DISABLE_JIT=1` kernels run as plain Python, behind a wrapper that
casts arguments to the types of the signature and makes inputs read-only.
"""

import functools
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, TypeVar

import numba
import numpy as np
import numpy.typing as npt
from numba import types
from numba.core import event, ir
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError
from numba.core.typeinfer import register_dispatcher
from numba.np.numpy_support import from_dtype

from boardgames.compiling import report
from boardgames.errors import KernelError
from boardgames.kernels.cache import KernelCache, counts_references

Words = npt.NDArray[np.uint64]
"""Words of a packed position, `uint64[n]` or, as a stack of them, `uint64[m, n]`."""
Actions = npt.NDArray[np.int64]
"""Actions, `int64[n]`, or one buffer per ply, `int64[m, n]`."""
Reals = npt.NDArray[np.float64]
"""Features, weights or values, `float64[n]`."""
Floats = npt.NDArray[np.float32]
"""Tables of weights, `float32[n]`."""
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
FLOATS_OUT = types.Array(types.float32, 1, "C")

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
Phase = types.int64(WORDS, types.int64)
"""`phase(position, side)`: which of several tables of weights the position belongs to."""
StateOf = types.int64(WORDS, types.int64)
"""`state(position, side)`: the number of the abstract state from the point of view of `side`."""
RewardOf = types.float64(WORDS, types.int64)
"""`reward(position, side)`: the reward of `side` for the move that led to `position`."""
GuardAction = types.int64(WORDS, types.int64)
"""`guard_action(position, enabled)`: the action that the enabled guards demand, or -1."""
Evaluate = types.float64(WORDS, REALS)
"""`evaluate(position, weights)`: static evaluation for the side to move."""
MoveOrder = types.int64(WORDS, types.int64)
"""`move_order(position, action)`: a rank; moves with larger ranks are searched earlier."""
PassTurn = types.void(WORDS, WORDS_OUT)
"""`pass_turn(position, successor)`: writes the position after a null move, which is never legal."""
PositionKey = types.uint64(WORDS)
"""`key(position)`: a 64-bit hash; equal for positions that search may treat as one."""

TACTICAL = 100
"""Rank in `move_order` from which root moves are never reduced."""
FORCING = 10_000
"""Rank of moves that win or threaten to win at once, which are searched a ply deeper."""

_NOISE_PREFIXES = ("Failed in", "During", "File ", "- ", "<", "This error", "There are", "Known signatures")

_FLOAT_OPERATOR = re.compile(r"signature: (?P<name>\w+)\((?:.*\), )?(?:\w+, )?float64")
"""Numba's reason where a float64 is an operand, `and_(uint64, float64)`, or an index."""
_SYMBOLS = {
    **dict.fromkeys(("and_", "iand"), "&"),
    **dict.fromkeys(("or_", "ior"), "|"),
    **dict.fromkeys(("xor", "ixor"), "^"),
    **dict.fromkeys(("lshift", "ilshift"), "<<"),
    **dict.fromkeys(("rshift", "irshift"), ">>"),
    "invert": "~",
    "getitem": "an index",
    "setitem": "an index",
}
_USE_UINT64 = "uint64 mixed with int64 gives float64, so use np.uint64(...) constants"

Function = TypeVar("Function", bound=Callable[..., Any])  # any signature: Numba's, not Python's


def record_array(dtype: np.dtype[Any], *, readonly: bool = False) -> Any:  # Numba has no type stubs
    """Return the type that a kernel declares for an array of records of a structured dtype."""
    return types.Array(from_dtype(dtype), 1, "C", readonly=readonly)


def first_class(signature: Any) -> Any:  # Numba has no type stubs
    """Return the type of an argument that is itself a kernel of `signature`."""
    return types.FunctionType(signature)


def kernel(
    signature: Any, *, inline: bool = False
) -> Callable[[Function], Function]:  # Numba has no type stubs
    """Compile a function for `signature` now, or load it from the cache.

    Parameters
    ----------
    signature : numba signature
        One of the signatures of this module or, for a helper, a signature of
        Numba types: `types.uint64(types.uint64)`.
    inline : bool
        Inline the code into every kernel that calls it, however long it is.

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

    def decorate(function: Function) -> Any:  # a dispatcher: Numba has no type stubs
        if not isinstance(function, FunctionType):
            raise KernelError(f"only a Python function can be a kernel, not {function!r}")
        expected = len(signature.args)
        if function.__code__.co_argcount != expected:
            raise KernelError(
                f"{function.__qualname__} takes {function.__code__.co_argcount} arguments, "
                f"but its signature {signature} has {expected}"
            )
        if not JIT:
            return _plain(function, signature)
        if not _needs_counting(function, signature):
            with suppress(Exception):  # if Numba fails, the next attempt reports why
                return _compiled(function, signature, inline, counts=False)
        try:
            return _compiled(function, signature, inline, counts=True)
        except NumbaError as error:
            raise KernelError(_compile_error(function, str(error))) from error

    return decorate


class _CountsError(Exception):
    """A kernel compiled without reference counting calls code that creates or returns arrays."""


def _needs_counting(function: FunctionType, signature: Any) -> bool:
    """Return True if a function returns an array or calls one that is compiled outside of this module."""
    if _holds_array(signature.return_type):
        return True
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # the name of a recursive function is not defined yet
            named.append(cell.cell_contents)
    return any(
        isinstance(one, Dispatcher) and not isinstance(getattr(one, "_cache", None), KernelCache)
        for one in named
    )


def _holds_array(kind: Any) -> bool:
    return isinstance(kind, types.Array) or any(map(_holds_array, getattr(kind, "types", ())))


def _compiled(function: FunctionType, signature: Any, inline: bool, *, counts: bool) -> Any:
    """Return the compiled function, which counts references to arrays only if `counts` is set.

    Callers keep their arrays alive, so most kernels need not count, which took
    up to half the time of a short kernel. A kernel that creates arrays has to
    count.

    Raises
    ------
    _CountsError
        If `counts` is not set, but the function calls code that counts.
    """
    options = {"nogil": True, "forceinline": inline}
    dispatcher = numba.njit(**options, _nrt=counts)(function)
    check = partial(_check_merges, function)
    cache = KernelCache(function, (signature, options), may_count=counts, check=check)
    dispatcher._cache = cache
    with _interrupts_deferred(), _recursive(dispatcher), _unique_symbols(function, cache.identity):
        dispatcher.compile(signature)
    if not counts and counts_references(dispatcher.overloads[signature.args].library):
        raise _CountsError
    dispatcher.disable_compile()
    return dispatcher


class _CompilationReporter(event.Listener):  # type: ignore[misc]  # Numba has no type stubs
    """Reports kernels that are compiled; other functions of Numba are compiled as parts of them.

    Numba calls it while it holds its lock, so one kernel at a time.
    """

    def __init__(self) -> None:
        self._count = 0
        self._last: FunctionType | None = None

    def on_start(self, event: Any) -> None:  # Numba has no type stubs
        if self._is_kernel(event):
            function = event.data["dispatcher"].py_func
            self._count += function is not self._last  # one that has to count references is compiled twice
            self._last = function
            report(function.__module__, self._count)

    def on_end(self, event: Any) -> None:  # Numba has no type stubs
        if self._is_kernel(event):
            report("", self._count)

    def _is_kernel(self, event: Any) -> bool:  # Numba has no type stubs
        return isinstance(event.data["dispatcher"]._cache, KernelCache)


event.register("numba:compile", _CompilationReporter())


@contextmanager
def _recursive(dispatcher: Any) -> Iterator[None]:  # Numba has no type stubs
    """Let a recursive kernel find itself by its name, which after a reload still means the old kernel."""
    function = dispatcher.py_func
    variables, name = function.__globals__, function.__name__
    older = variables.get(name) if name == function.__qualname__ else None
    if isinstance(older, Dispatcher):
        variables[name] = dispatcher
    try:
        with register_dispatcher(dispatcher):
            yield
    finally:
        if isinstance(older, Dispatcher):
            variables[name] = older


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Defer Ctrl-C until a kernel is compiled: in a callback of LLVM it would be lost and break the code."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    received: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: received.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if received:
            handler(*received[0])


def _compile_error(function: FunctionType, text: str) -> str:
    """Return one line that says where a kernel does not compile, and Numba's reason.

    Numba's messages have dozens of lines: the place comes last, and the reason is
    the first line that is neither a stack frame nor quoted source.
    """
    code = function.__code__
    file, line = (
        re.findall(r'File "([^"]+)", line (\d+)', text) or [(code.co_filename, code.co_firstlineno)]
    )[-1]
    lines = [part.strip() for part in text.splitlines() if part.strip()]
    reasons = [part for part in lines if not part.startswith(_NOISE_PREFIXES) and "^" not in part]
    reason = (reasons or lines)[0]
    if reason.endswith("signature:"):
        reason += next((part.removeprefix(">>>") for part in lines if part.startswith(">>>")), "")
        if (found := _FLOAT_OPERATOR.search(reason)) and (symbol := _SYMBOLS.get(found["name"])):
            reason = f"{symbol} does not work with float64; {_USE_UINT64}"
    return f"{function.__name__} does not compile: {reason} ({Path(file).resolve()}:{line})"


def _check_merges(function: FunctionType, result: Any) -> None:  # Numba has no type stubs
    """Raise KernelError if a variable that is a uint64 on one path and an int64 on another became a float64.

    Numba compiles this, and the lowest bits of large words are lost.
    """
    annotation = result.type_annotation
    statements = [one for block in annotation.blocks.values() for one in block.find_insts(ir.Assign)]
    merged: dict[str, list[Any]] = {}
    for one in statements:
        if isinstance(one.value, ir.Var) and annotation.typemap[one.target.name] == types.float64:
            merged.setdefault(one.target.name, []).append(one.value)
    lines = {one.target.name: one.loc.line for one in statements}
    for name, sources in merged.items():
        kinds = [types.unliteral(annotation.typemap[source.name]) for source in sources]
        if types.uint64 in kinds and all(isinstance(kind, types.Integer) for kind in kinds):
            what = "a conditional expression" if name.startswith("$") else name.partition(".")[0]
            signed = [source for source, kind in zip(sources, kinds, strict=True) if kind != types.uint64]
            place = f"{Path(function.__code__.co_filename).resolve()}:{lines[signed[0].name]}"
            raise KernelError(
                f"{function.__name__} does not compile: {what} would be a float64, which loses bits; "
                f"{_USE_UINT64} ({place})"
            )


@contextmanager
def _unique_symbols(function: FunctionType, identity: str) -> Iterator[None]:
    """Prefix the symbols of a function's code with its identity.

    Numba tells functions of the same name apart by a number that is unique only
    within one process. If two processes compiled code for two sizes of a game and a
    third one loaded both, they would share a symbol, and one function would be
    called in place of the other.
    """
    name = function.__qualname__
    function.__qualname__ = f"{identity}.{name}"
    try:
        yield
    finally:
        function.__qualname__ = name


def check_kernel(name: str, function: Any, signature: Any) -> None:
    """Check that `function` is a kernel compiled for `signature`.

    Raises
    ------
    KernelError
        If it is not; the message contains both signatures.
    """
    if not JIT:
        actual = getattr(function, "kernel_signature", None)
    else:
        compiled = getattr(function, "nopython_signatures", None)
        actual = compiled[0] if compiled and len(compiled) == 1 else None
    expected = (signature.args, signature.return_type)
    if actual is None or (actual.args, actual.return_type) != expected:
        what = (
            f"is compiled for {actual}" if actual is not None else "is not a function decorated with `kernel`"
        )
        raise KernelError(f"the kernel {name} must have the signature {signature}, but {function!r} {what}")


def _plain(function: Function, signature: Any) -> Function:
    """Wrap a kernel so that it runs without compilation, but is as strict about types as the compiled one."""
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
