"""Faults of plug-ins: whatever their code raises or returns becomes a PluginError that names the plug-in.

`Game` and `Player` guard the methods that plug-ins implement, and `translated_errors` guards other
calls. This package's own exceptions pass through, because plug-ins raise them on purpose. A user's
Ctrl-C does too; `must_propagate` distinguishes it from a KeyboardInterrupt that a plug-in raised.
"""

import functools
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any

from boardgames.errors import BoardgamesError, PluginError, describe_error, quote

CORE = "boardgames"

_plugins: dict[str, str] = {}
"""The names of plug-ins by their packages, for messages."""


class Interrupted(KeyboardInterrupt):
    """Raised by the command line for Ctrl-C, or another signal that ends the program."""


class HangError(BaseException):
    """A call of a plug-in does not return. Not an Exception, because the plug-in might catch it."""


def must_propagate(error: BaseException) -> bool:
    """Return True for a user's Ctrl-C or a HangError, which no plug-in is to blame for.

    Signals arrive in the main thread, where the command line turns them into `Interrupted`. In programs
    that keep Python's own handler, a KeyboardInterrupt in the main thread counts as a user's Ctrl-C.

    Examples
    --------
    >>> must_propagate(Interrupted()), must_propagate(SystemExit())
    (True, False)
    """
    if isinstance(error, Interrupted | HangError):
        return True
    if not isinstance(error, KeyboardInterrupt):
        return False
    is_in_main_thread = threading.current_thread() is threading.main_thread()
    return is_in_main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def name_package(package: str, plugin: str, *, is_own: bool) -> None:
    """Remember which plug-in a package belongs to, for messages.

    If several plug-ins use the package, this is the one whose own module is in it (`is_own`), or else
    the first.
    """
    if package == CORE:
        return
    if is_own:
        _plugins[package] = plugin
    else:
        _plugins.setdefault(package, plugin)


def plugin_at_fault(error: BaseException) -> str | None:
    """Return the innermost plug-in in the traceback of an error, or None if there is none."""
    trace, found = error.__traceback__, None
    while trace is not None:
        package = package_of(str(trace.tb_frame.f_globals.get("__name__")))
        if package != CORE:
            found = _plugins.get(package, found)
        trace = trace.tb_next
    return found


def package_of(target: str) -> str:
    """Return the top-level package of `package.module:attribute`."""
    return target.partition(":")[0].partition(".")[0]


def plugin_fault(
    module: str, what: str, reason: str, details: str = "", *, kind: type[PluginError] = PluginError
) -> PluginError:
    """Return the error that blames a plug-in for what its code has done.

    Parameters
    ----------
    module : str
        The module of the code.
    what : str
        The function, method or kernel.
    reason : str
        What it has done, such as `returned None, not a Picture`.
    details : str
        The text of the plug-in's own error.
    kind : type
        The class of the error.

    Examples
    --------
    >>> str(plugin_fault("my_game.view", "MyGame.draw", "returned None, not a Picture"))
    "the module 'my_game' is broken: MyGame.draw returned None, not a Picture"
    """
    package = package_of(module)
    source = f"plug-in {_plugins[package]!r}" if package in _plugins else f"the module {package!r}"
    return kind(f"{source} is broken: {what} {reason}", details)


def _raised(
    module: str, what: str, error: BaseException, where: str = "", *, kind: type[PluginError] = PluginError
) -> PluginError:
    """Return the error that blames a plug-in for an exception."""
    name, _, text = describe_error(error).partition(": ")
    if where:
        name, text = (name, f"{text} ({where})") if text else (f"{name} ({where})", "")
    return plugin_fault(module, what, f"raised {name}", text, kind=kind)


@contextmanager
def translated_errors(translate: Callable[[BaseException], BoardgamesError]) -> Iterator[None]:
    """Translate whatever the code of a plug-in raises, except for the package's own errors and Ctrl-C.

    Parameters
    ----------
    translate : callable
        Given an exception, returns the error to raise instead.
    """
    try:
        yield
    except BoardgamesError:
        raise
    except BaseException as error:
        if must_propagate(error):
            raise
        raise translate(error) from error


def as_exception(error: BaseException) -> Exception:
    """Return a thread's exception; as a PluginError if raising it again could end the program or a task."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    plugin = plugin_at_fault(error)
    source = "the program" if plugin is None else f"plug-in {plugin!r}"
    kind, _, text = describe_error(error).partition(": ")
    wrapped = PluginError(f"{source} is broken: it raised {kind}", text)
    wrapped.__cause__ = error
    return wrapped


def line_of(error: BaseException, module: str) -> str:
    """Return the innermost line of a module's package in a traceback as `file:line`, or '' if none.

    Examples
    --------
    >>> line_of(ValueError("not raised yet"), "my_game.rules")
    ''
    """
    found = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if package_of(str(frame.f_globals.get("__name__"))) == package_of(module):
            found = f"{Path(frame.f_code.co_filename).name}:{line}"
    return found


def guard_methods(
    cls: type,
    results: Mapping[str, type],
    kind: type[PluginError] = PluginError,
    describe: Callable[[BaseException, FunctionType, Sequence[Any]], str] | None = None,
) -> None:
    """Guard the methods that a plug-in's class implements, and check the types of their results.

    Parameters
    ----------
    cls : type
        A new subclass; classes of the core are not changed.
    results : mapping
        The names of the methods and the types of their results; `object` for any type.
    kind : type
        The class of the errors.
    describe : callable, optional
        Given an exception, the method that raised it and its arguments, returns where that was, for the
        message.
    """
    if package_of(cls.__module__) == CORE:
        return
    for name, expected in results.items():
        method = vars(cls).get(name)
        if isinstance(method, FunctionType):
            setattr(cls, name, _guarded(method, expected, kind, describe))


def _guarded(
    method: FunctionType,
    expected: type,
    kind: type[PluginError],
    describe: Callable[[BaseException, FunctionType, Sequence[Any]], str] | None,
) -> Callable[..., Any]:
    module, what = method.__module__, method.__qualname__.rpartition("<locals>.")[2]

    @functools.wraps(method)
    def call(*arguments: Any, **more: Any) -> Any:  # methods have various signatures
        try:
            result = method(*arguments, **more)
        except BoardgamesError:
            raise
        except BaseException as error:
            # exceptions of a person's player are not faults: the input may end, for example
            if must_propagate(error) or getattr(arguments[0], "is_human", False):
                raise
            where = describe(error, method, arguments) if describe is not None else ""
            raise _raised(module, what, error, where, kind=kind) from error
        if not isinstance(result, expected):
            article = "an" if expected.__name__[0] in "AEIOU" else "a"
            reason = f"returned {quote(result)}, not {article} {expected.__name__}"
            raise plugin_fault(module, what, reason, kind=kind)
        if expected is str and type(result) is not str:  # the methods of a subclass of str may do anything
            return str.__str__(result)
        return result

    return call
