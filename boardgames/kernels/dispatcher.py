"""Numba dispatchers of kernels, for one signature: compiled, or loaded from the cache when first needed.

This relies on private parts of Numba, as `boardgames.kernels.cache` does.
"""

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, Literal

from numba import objmode, types
from numba.core import event, ir
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher
from numba.core.typeinfer import register_dispatcher
from numba.core.typing import make_concrete_template
from numba.experimental.function_type import _get_jit_address, _get_wrapper_address

from boardgames.compiling import report
from boardgames.errors import KernelError
from boardgames.kernels.cache import KernelCache, counts_references
from boardgames.kernels.lazy import Kernel
from boardgames.kernels.types import numba_type

_NOISE_PREFIXES = ("Failed in", "During", "File ", "- ", "<", "This error", "There are", "Known signatures")

_FLOAT_OPERATOR = re.compile(r"signature: (?P<name>\w+)\((?:.*\), )?(?:\w+, )?float64")
"""Matches Numba's message about a float64 as an operand, as in `and_(uint64, float64)`, or as an index."""
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
_PLAIN_WORDS = (
    (r"No conversion from none to .* for '\$\w*return_value", "not every path returns a value"),
    (
        r"No conversion from .* to none for '\$\w*return_value",
        "it returns a value, but its signature has none",
    ),
    (r"setitem\(readonly array", "inputs such as position are read-only; write to an output array"),
    (
        r"Cannot unify (?P<one>.+) and (?P<other>.+) for '(?P<name>[^'.]+)",
        "the type of {name} is {one} on one path and {other} on another; use the same type on both",
    ),
    (
        r"Cannot infer the type of variable '(?P<name>\w+)', have imprecise type: (?P<one>\w+)",
        "nothing shows what is in the {one} {name}; a kernel works with numbers and arrays",
    ),
    (
        r"Untyped global name '(?P<name>\w+)': Cannot determine Numba type of <class '(?P<one>[\w.]+)'>",
        "{name} is of type {one}; compiled code can use numbers, tuples, arrays and kernels",
    ),
)
"""Patterns of Numba's messages, and the same in plain words."""
_PYTHON_TYPES = {"Tuple": "tuple", "UniTuple": "tuple", "DictType": "dict"}
_USE_UINT64 = "uint64 mixed with int64 gives float64, so use np.uint64(...) constants"
_NO_FLOATS = f"{_USE_UINT64}; fractions and / give float64 too, so use integers and //"


class _CountsError(Exception):
    """A kernel was compiled without reference counting, but calls code that counts references to arrays."""


def _calls_python(function: FunctionType) -> bool:
    """Return True if a function has blocks that run as plain Python."""
    names = function.__code__.co_names
    return "objmode" in names or any(function.__globals__.get(name) is objmode for name in names)


def _needs_counting(function: FunctionType, signature: Any) -> bool:
    """Return True if a function returns an array, or calls a function that Numba's own `jit` compiles."""
    if _holds_array(signature.return_type):
        return True
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # the name of a recursive function is not defined yet
            named.append(cell.cell_contents)
    return any(isinstance(one, Dispatcher) for one in named)


def _holds_array(kind: Any) -> bool:
    return isinstance(kind, types.Array) or any(map(_holds_array, getattr(kind, "types", ())))


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]  # Numba has no type stubs
    """The code of a kernel, which is compiled for one signature or loaded from the cache.

    Most kernels do not count references to arrays: their callers keep the arrays alive, and counting
    took up to half the time of a short kernel. A kernel that creates arrays, or passes them to plain
    Python in a block of `numba.objmode`, has to count references.
    """

    def __init__(self, kernel: Kernel) -> None:
        function = kernel.py_func
        calls_python = _calls_python(function)
        options = {"nogil": not calls_python, "forceinline": kernel.inline}
        self._signature = numba_type(kernel.signature)
        self._must_count = calls_python or _needs_counting(function, self._signature)
        self._state: Literal["new", "loading", "loaded"] = "loading"  # "loading" while this method runs
        self._compiled: Any = {}
        super().__init__(function, targetoptions={**options, "nopython": True, "boundscheck": None})
        self._cache = KernelCache(kernel, check=partial(_check_merges, function))
        self._state = "new"

    @property
    def is_loaded(self) -> bool:
        """True if the code has been loaded or compiled."""
        return self._state == "loaded"

    def is_compiled(self) -> bool:
        """Return True if the kernel has been loaded or is in the cache."""
        return self.is_loaded or self._cache.contains(self._signature, self.targetctx)

    def addresses(self) -> tuple[int, int]:
        """Return the addresses of the code for callers in C and for compiled code."""
        return _get_wrapper_address(self, self._signature), _get_jit_address(self, self._signature)

    @property
    def overloads(self) -> Any:
        """The compiled code by argument types, for Numba, which reads and fills this mapping."""
        self.load()
        return self._compiled

    @overloads.setter
    def overloads(self, value: Any) -> None:
        self._compiled = value

    @property
    def nopython_signatures(self) -> list[Any]:
        """The signature. Neither this nor the next two methods load the code."""
        return [self._signature]

    def get_function_type(self) -> Any:
        """Return the type of this function as an argument of other kernels."""
        return types.FunctionType(self._signature)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the typing of a call in another kernel, in the form that Numba's own dispatchers use."""
        signature, folded = self._compiler.fold_argument_types(args, kws)
        name = self.py_func.__name__
        template = make_concrete_template(f"CallTemplate({name})", name, self.nopython_signatures)
        return template, signature, folded, {}

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Return the code for arguments whose types are new; Numba remembers it for later calls."""
        self.load()
        if not self._search_new_conversions(*args, **kws):
            self._explain_matching_error(*args, **kws)
        return self._compiled[self._signature.args].entry_point

    def load(self, *, is_defined: bool = True) -> None:
        """Load or compile the code if necessary; other threads wait until it is loaded.

        Raises
        ------
        KernelError
            If the kernel does not compile.
        """
        if self._state == "loaded":
            return
        with global_compiler_lock:
            if self._state != "new":  # Numba asks for code that it is just compiling
                return
            self._state = "loading"
            try:
                if is_defined:
                    self._cache.look_again()
                self._load_or_compile()
            finally:  # deferred interrupts are raised only once the code is complete
                self._state = "loaded" if self._compiled else "new"
                self._can_compile = not self._compiled

    def _load_or_compile(self) -> None:
        if not self._must_count:
            with suppress(Exception):  # if Numba fails, the next attempt reports why
                self._compile_counting(False)
                return
        try:
            self._compile_counting(True)
        except NumbaError as error:
            raise KernelError(_compile_error(self.py_func, str(error))) from error

    def _compile_counting(self, counts: bool) -> None:
        """Load or compile the code, which counts references to arrays only if `counts` is set.

        Raises
        ------
        _CountsError
            If `counts` is not set, but the function calls code that counts.
        """
        self._reset_overloads()
        self._compiler._failed_cache.clear()
        self.targetoptions["_nrt"] = self._cache.may_count = counts
        with _interrupts_deferred(), _recursive(self), _unique_symbols(self.py_func, self._cache.identity):
            self.compile(self._signature)
            if not counts and counts_references(self._compiled[self._signature.args].library):
                self._reset_overloads()
                raise _CountsError


class _CompilationReporter(event.Listener):  # type: ignore[misc]  # Numba has no type stubs
    """Reports the compilation of kernels, but not of other functions, which Numba compiles as parts of them.

    Numba holds its lock while it calls this, so only one kernel is reported at a time.
    """

    def __init__(self) -> None:
        self._count = 0
        self._last: FunctionType | None = None

    def on_start(self, event: Any) -> None:  # Numba has no type stubs
        if self._is_kernel(event):
            function = event.data["dispatcher"].py_func
            self._count += function is not self._last  # code that must count references is compiled twice
            self._last = function
            report(function.__module__, self._count)

    def on_end(self, event: Any) -> None:  # Numba has no type stubs
        if self._is_kernel(event):
            report("", self._count)

    def _is_kernel(self, event: Any) -> bool:  # Numba has no type stubs
        cache = getattr(event.data["dispatcher"], "_cache", None)  # a block in object mode has none
        return isinstance(cache, KernelCache)


event.register("numba:compile", _CompilationReporter())


@contextmanager
def _recursive(dispatcher: Any) -> Iterator[None]:  # Numba has no type stubs
    """Bind a recursive kernel's name to the kernel; after a reload, it would refer to the old kernel."""
    function = dispatcher.py_func
    variables, name = function.__globals__, function.__name__
    named = variables.get(name) if name == function.__qualname__ else None
    # changed only if the name refers to an older kernel, because other threads may read it meanwhile
    is_older = isinstance(named, Kernel) and named.__dict__.get("_dispatcher") is not dispatcher
    if is_older:
        variables[name] = dispatcher
    try:
        with register_dispatcher(dispatcher):
            yield
    finally:
        if is_older:
            variables[name] = named


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Defer Ctrl-C until a kernel is compiled; in a callback of LLVM, it would be lost and break the code."""
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
    """Return one line that says where and why a kernel does not compile.

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
            reason = f"{symbol} does not work with float64; {_NO_FLOATS}"
    reason = _in_plain_words(reason)
    return f"{function.__name__} does not compile: {reason} ({Path(file).resolve()}:{line})"


def _in_plain_words(reason: str) -> str:
    """Translate Numba's messages about frequent mistakes into plain words."""
    for pattern, words in _PLAIN_WORDS:
        if found := re.search(pattern, reason):
            parts = {name: _plain_name(text) for name, text in found.groupdict().items()}
            return words.format(**parts)
    return reason


def _plain_name(text: str) -> str:
    """Return the name of a variable or type as in Python: `int` for `Literal[int](1)`."""
    if text.startswith("$"):
        return "a conditional expression"
    text = re.sub(r"Literal\[(\w+)\]\([^()]*\)", r"\1", text)
    name = re.split(r"[(\[]", text)[0]
    return _PYTHON_TYPES.get(name, name)


def _check_merges(function: FunctionType, result: Any) -> None:  # Numba has no type stubs
    """Raise KernelError if a variable became a float64 that is a uint64 on one path and an int64 on another.

    Numba compiles such code, but the lowest bits of large words are lost.
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

    Numba distinguishes functions of the same name by a number that is unique only
    within one process. If two processes compiled code for two sizes of a game and a
    third process loaded both, both functions would have the same symbol, and one
    would be called instead of the other.
    """
    name = function.__qualname__
    function.__qualname__ = f"{identity}.{name}"
    try:
        yield
    finally:
        function.__qualname__ = name
