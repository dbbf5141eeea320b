"""Control when kernels are compiled, and report it, since it may take a minute and would look like a hang.

A kernel is compiled when its module is first imported, or within `compilation_deferred` when it is
first called, so it may happen in the middle of anything. A program registers a listener once,
before it imports kernels; `boardgames.kernels.dispatcher` reports.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from boardgames.errors import BoardgamesError

BACKGROUND_THREAD = "boardgames-background"
"""The name of the threads in which agents get ready for a match, and compile what they need."""

Listener = Callable[[str, int], object]
"""Called with the module of the kernel being compiled, empty when done, and the number compiled so far.

It is called in the thread that compiles. An exception that it raises is dropped.
"""

_listeners: list[Listener] = []
_current = ("", 0)
_is_refused: ContextVar[bool] = ContextVar("compilation refused", default=False)
_is_deferred: ContextVar[bool] = ContextVar("compilation deferred", default=False)
_is_in_background: ContextVar[bool] = ContextVar("compilation in background", default=False)


class NotCompiledError(BoardgamesError):
    """A kernel is not in the cache and compiling it is not allowed here."""


@contextmanager
def compilation_refused() -> Iterator[None]:
    """Raise NotCompiledError within the block, in this thread, instead of compiling a kernel.

    Imports that fail for this reason can be repeated.
    """
    token = _is_refused.set(True)
    try:
        yield
    finally:
        _is_refused.reset(token)


@contextmanager
def compilation_deferred() -> Iterator[None]:
    """Compile the kernels that are defined within the block, in this thread, when they are first called.

    Those that are never called are not compiled. A kernel that does not compile raises its
    KernelError at the first call. `compilation_refused` takes precedence.
    """
    with _setting(is_deferred=True):
        yield


@contextmanager
def compilation_at_import() -> Iterator[None]:
    """Compile kernels when their modules are imported within the block, in this thread, as is the default.

    This is for blocks within `compilation_deferred`.
    """
    with _setting(is_deferred=False):
        yield


@contextmanager
def _setting(*, is_deferred: bool) -> Iterator[None]:
    token = _is_deferred.set(is_deferred)
    try:
        yield
    finally:
        _is_deferred.reset(token)


@contextmanager
def compilation_in_background() -> Iterator[None]:
    """Tell listeners that nobody is waiting yet for what is compiled within the block, in this thread."""
    token = _is_in_background.set(True)
    try:
        yield
    finally:
        _is_in_background.reset(token)


def is_in_background() -> bool:
    """Return True within `compilation_in_background`, such as in a listener."""
    return _is_in_background.get()


def waits_for_call() -> bool:
    """Return True if a kernel that is defined now is compiled when it is first called."""
    return _is_deferred.get() and not _is_refused.get()


def check_allowed(kernel: str) -> None:
    """Raise NotCompiledError if nothing may be compiled here."""
    if _is_refused.get():
        raise NotCompiledError(f"the kernel {kernel} is not compiled yet")


def needs_compilation(error: BaseException) -> bool:
    """Return True if an error was raised because a kernel is not compiled yet."""
    causes, cause = [error], error.__cause__ or error.__context__
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return any(isinstance(one, NotCompiledError) for one in causes)


@contextmanager
def compilation_listener(listener: Listener) -> Iterator[None]:
    """Call `listener` before and after each kernel that is compiled within the block.

    If another thread is compiling, it is called at once. A kernel that is loaded from the cache is
    not reported.

    Examples
    --------
    >>> seen = []
    >>> with compilation_listener(lambda module, count: seen.append((module, count))):
    ...     report("boardgames_abalone.rules", 1)
    ...     report("", 1)
    >>> seen
    [('boardgames_abalone.rules', 1), ('', 1)]
    """
    _listeners.append(listener)
    if _current[0]:
        listener(*_current)
    try:
        yield
    finally:
        _listeners.remove(listener)


def report(module: str, count: int) -> None:
    """Tell all listeners which module's kernel is being compiled; an empty name means that it is done."""
    global _current  # noqa: PLW0603 - what is being compiled is a fact of the process
    _current = module, count
    for listener in tuple(_listeners):
        with suppress(Exception):  # such as a display that is gone; the kernel would fail to compile
            listener(module, count)
