"""An executor that keeps the results of finished tasks, so that an experiment can be resumed.

Each finished task has a file of its own in JSON, named after a hash of the task: its
function and arguments, which include its seed. A task that is submitted again is not
run; its result is read from the file. The result is rebuilt with the type that the
task's function declares, so no class is ever looked up by a name in a file.

Results are kept if they consist of numbers, text, None, arrays, lists, tuples and
dataclasses, and if the function declares their type. All other tasks are run again.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import FunctionType, NoneType, UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from boardgames.errors import FileError
from boardgames.executors import worker_count
from boardgames.paths import read_text, write_atomic

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

Hint = Any  # a type hint: a class, or a generic type such as `list[int]`
Tree = Any  # what JSON can hold

NUMERIC_KINDS = "biuf"
"""Kinds of arrays that are kept: booleans, integers and floating-point numbers."""


class ResumableExecutor(Executor):
    """Runs only tasks whose results are not in `folder` yet, and keeps the results there.

    Parameters
    ----------
    executor : Executor
        Runs the tasks.
    folder : Path
        Created when the first task has finished.
    code : str
        Stamp of the code; results of other code are not used. See `boardgames.installation.code_stamp`.

    Examples
    --------
    >>> import tempfile
    >>> from boardgames.executors import InProcess
    >>> def square(number: int) -> int:
    ...     print("squaring", number)
    ...     return number * number
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     executor = ResumableExecutor(InProcess(), Path(folder), "v1")
    ...     [executor.submit(square, number).result() for number in (3, 3)], executor.finished
    squaring 3
    ([9, 9], 1)
    """

    def __init__(self, executor: Executor, folder: Path, code: str) -> None:
        self._executor = executor
        self._folder = folder
        self._code = code

    @property
    def workers(self) -> int:
        """Return the number of tasks that run at a time."""
        return worker_count(self._executor)

    @property
    def finished(self) -> int:
        """Return the number of tasks whose results are kept."""
        return len(list(self._folder.glob(f"{self._code}-*.json")))

    def submit(
        self, fn: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> "Future[Result]":
        """Return the future of a task; it is already done if the result was kept.

        The future raises FileError if the result cannot be written.
        """
        task = partial(fn, *args, **kwargs)  # if `fn` is a partial, this has its function and arguments
        try:
            key, declared = _describe(task)
        except (TypeError, NameError, KeyError):  # the result of this task cannot be kept
            return self._executor.submit(fn, *args, **kwargs)
        path = self._folder / f"{self._code}-{key}.json"
        future: Future[Result] = Future()
        try:
            future.set_result(decode(declared, json.loads(read_text(path))))
        except (FileError, ValueError, TypeError, KeyError):  # the file is missing or damaged
            running = self._executor.submit(fn, *args, **kwargs)
            running.add_done_callback(lambda done: _pass_on(done, future, path))
        return future


def _describe(task: "partial[Any]") -> tuple[str, Hint]:
    """Return a hash of a task's function and arguments, in hexadecimal, and the declared type of its result.

    Raises
    ------
    TypeError, NameError, KeyError
        If it is not a plain function, declares no type, or has arguments that JSON cannot represent.
    """
    function = task.func
    if not isinstance(function, FunctionType) or function.__closure__:
        raise TypeError(f"{function!r} has more state than its arguments")
    tree = encode([_name(function), task.args, sorted(task.keywords.items())])
    return hashlib.sha256(json.dumps(tree).encode()).hexdigest()[:32], get_type_hints(function)["return"]


def _pass_on(done: "Future[Result]", future: "Future[Result]", path: Path) -> None:
    """Write the result of a task to `path`, then pass it on to `future`."""
    if done.cancelled():
        future.cancel()
        return
    error = done.exception()
    if error is None:
        try:
            write_atomic(path, json.dumps(encode(done.result())))
        except FileError as problem:
            error = problem
        except TypeError:  # results of this type are not kept
            pass
    if error is None:
        future.set_result(done.result())
    else:
        future.set_exception(error)


def encode(value: object) -> Tree:
    """Return a value as a tree for JSON; equal values have equal trees, and a list equals a tuple.

    Raises
    ------
    TypeError
        If the value has parts other than numbers, text, None, arrays, lists, tuples and dataclasses.

    Examples
    --------
    >>> encode((1, [0.5, None]))
    [1, [0.5, None]]
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [encode(part) for part in value]
    if isinstance(value, np.ndarray) and value.dtype.kind in NUMERIC_KINDS:
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"dtype": value.dtype.str, "shape": list(value.shape), "data": data}
    if is_dataclass(value) and not isinstance(value, type):
        content = {field.name: encode(getattr(value, field.name)) for field in fields(value)}
        return {"class": _name(type(value)), "fields": content}
    raise TypeError(f"a {type(value).__name__} cannot be kept")


def decode(hint: Hint, tree: Tree) -> Any:
    """Return the value that a tree represents, given its declared type.

    Raises
    ------
    TypeError, ValueError, KeyError
        If the tree does not represent a value of this type.

    Examples
    --------
    >>> decode(tuple[int, list[float | None]], [1, [0.5, None]])
    (1, [0.5, None])
    """
    origin: Any = get_origin(hint)  # the class of a declared type, or a special form
    arguments = get_args(hint)
    if origin in (Union, UnionType):
        return _decode_union(arguments, tree)
    if origin is list:
        return [decode(arguments[0], part) for part in _checked(list, tree)]
    if origin is tuple:
        hints = arguments[:1] * len(tree) if arguments[1:] == (...,) else arguments
        return tuple(decode(one, part) for one, part in zip(hints, _checked(list, tree), strict=True))
    if origin is np.ndarray:
        data = base64.b64decode(tree["data"], validate=True)
        return np.frombuffer(data, dtype=np.dtype(tree["dtype"])).reshape(tree["shape"]).copy()
    if is_dataclass(hint) and isinstance(hint, type):
        return _decode_dataclass(hint, tree)
    if hint is float and isinstance(tree, int) and not isinstance(tree, bool):
        return tree  # Python takes an int for a float, too
    if hint in (bool, int, float, str, NoneType):
        return _checked(hint, tree)
    raise TypeError(f"{hint} is not a type of result that can be stored")


def _decode_union(hints: tuple[Hint, ...], tree: Tree) -> Any:
    """Return the value of the first type that fits."""
    for hint in hints:
        try:
            return decode(hint, tree)
        except (TypeError, ValueError, KeyError):
            continue
    raise TypeError(f"no type of {hints} fits")


def _decode_dataclass(declared: type, tree: Mapping[str, Tree]) -> Any:
    if tree["class"] != _name(declared):  # a subclass
        raise TypeError(f"{tree['class']} is not {_name(declared)}")
    hints, parts = get_type_hints(declared), _checked(dict, tree["fields"])
    return declared(**{name: decode(hints[name], part) for name, part in parts.items()})


def _checked(kind: type, tree: Tree) -> Any:
    if type(tree) is not kind:
        raise TypeError(f"a {type(tree).__name__} instead of a {kind.__name__}")
    return tree


def _name(function: Any) -> str:  # a function or class
    return f"{function.__module__}.{function.__qualname__}"
