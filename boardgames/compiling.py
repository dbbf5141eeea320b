"""Control when kernels are compiled, and report it: compiling may take a minute and look like a hang.

A kernel is compiled when its module is first imported or, within `compilation_deferred`, when it is
first called, so this may happen at any time. A program registers a listener before it imports kernels;
`boardgames.kernels.dispatcher` calls `report` whenever it compiles one.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

BACKGROUND_THREAD = "boardgames-background"
"""The name of the threads in which agents prepare for a match and compile the kernels that they need."""

Listener = Callable[[str, int], object]
"""Called with the module of the kernel being compiled, and the number of kernels compiled so far.

The module is an empty string once the kernel is compiled. The listener is called in the thread that
compiles, and exceptions that it raises are ignored.
"""

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_listeners: list[Listener] = []
_current = ("", 0)
_is_deferred: ContextVar[bool] = ContextVar("compilation deferred", default=False)
_interprets_rules: ContextVar[bool] = ContextVar("rules interpreted", default=False)
_is_interpreted: ContextVar[bool] = ContextVar("kernels interpreted", default=False)
_is_in_background: ContextVar[bool] = ContextVar("compilation in background", default=False)


@contextmanager
def compilation_deferred() -> Iterator[None]:
    """Compile the kernels that are defined within the block, in this thread, when they are first called.

    Kernels that are never called are not compiled. A kernel that does not compile raises a
    KernelError when it is first called.
    """
    with _set(_is_deferred, True):
        yield


@contextmanager
def compilation_at_import() -> Iterator[None]:
    """Compile kernels when their modules are imported within the block, in this thread.

    This is the default; the function is for blocks within `compilation_deferred`.
    """
    with _set(_is_deferred, False):
        yield


@contextmanager
def compilation_in_background() -> Iterator[None]:
    """Tell listeners that nobody is waiting yet for compilations within the block, in this thread.

    Rules are not interpreted within the block.
    """
    with _set(_is_in_background, True), rules_compiled():
        yield


@contextmanager
def rules_interpreted() -> Iterator[None]:
    """Run the rules as plain Python within the block, in this thread, until their kernels are loaded.

    Loading the first kernel takes half a second, and compiling it takes longer, but drawing a board in
    plain Python takes only a few milliseconds. Only rules that are called through `Game` and `Position`
    are interpreted. If a kernel fails as plain Python, it is loaded.
    """
    with _set(_interprets_rules, True):
        yield


@contextmanager
def rules_compiled() -> Iterator[None]:
    """Load or compile kernels as usual within the block. This is for blocks within `rules_interpreted`."""
    with _set(_interprets_rules, False):
        yield


def rules_code(method: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Mark a method that runs the rules of a game, so that `rules_interpreted` applies to it."""

    @wraps(method)
    def call(*arguments: _Arguments.args, **more: _Arguments.kwargs) -> _Result:
        if not _interprets_rules.get():
            return method(*arguments, **more)
        with _set(_is_interpreted, True):
            return method(*arguments, **more)

    return call


def is_interpreted() -> bool:
    """Return True while kernels that have not been loaded run as plain Python."""
    return _is_interpreted.get()


@contextmanager
def _set(variable: ContextVar[bool], value: bool) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def is_in_background() -> bool:
    """Return True if called within `compilation_in_background`, for example by a listener."""
    return _is_in_background.get()


def waits_for_call() -> bool:
    """Return True if a kernel that is defined now is compiled when it is first called."""
    return _is_deferred.get()


@contextmanager
def compilation_listener(listener: Listener) -> Iterator[None]:
    """Call `listener` before and after each kernel that is compiled within the block.

    If another thread is compiling a kernel now, the listener is called immediately. Kernels that are
    loaded from the cache are not reported.

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
    """Tell all listeners that a kernel of `module` is being compiled or, if this is empty, is compiled."""
    global _current  # noqa: PLW0603 - compilation concerns the whole process
    _current = module, count
    for listener in tuple(_listeners):
        with suppress(Exception):  # the kernel must be compiled even if a display is gone, for example
            listener(module, count)
