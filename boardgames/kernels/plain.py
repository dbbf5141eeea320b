"""Kernels as plain Python: with the JIT off, or until they are loaded if the rules are interpreted."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types
from numba.extending import _Intrinsic

JIT = not numba.config.DISABLE_JIT
"""False where `NUMBA_DISABLE_JIT=1` makes every kernel plain Python."""

_CALLBACK = "is_callback"
Function = TypeVar("Function", bound=Callable[..., Any])  # any signature: Numba's, not Python's


def plain_kernel(function: Function, signature: Any) -> Function:  # Numba has no type stubs
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


def callback(function: Function) -> Function:
    """Mark a Python function that kernels call by its name, in blocks of `numba.objmode`."""
    function.__dict__[_CALLBACK] = True
    return function


def is_callback(function: Callable[..., Any]) -> bool:
    """Return True if a function is marked as a callback, and so is not part of the kernels that call it."""
    return bool(function.__dict__.get(_CALLBACK))


def compiled_by(
    code: Callable[..., Any], *, prefer_literal: bool = False
) -> Callable[[Function], Function]:  # Numba has no type stubs
    """Return a decorator for a Python function; `code` generates the code of its calls in kernels.

    Parameters
    ----------
    code : callable
        What `numba.extending.intrinsic` takes: called with the typing context and the types of the arguments.
    prefer_literal : bool
        Whether constants are passed to it as literal types.
    """

    def decorate(function: Function) -> Any:  # Numba has no type stubs
        if not JIT:
            return function
        intrinsic = _CallableIntrinsic(function.__name__, code, prefer_literal)
        functools.update_wrapper(intrinsic, function)
        intrinsic._register()
        return intrinsic

    return decorate


class _CallableIntrinsic(_Intrinsic):  # type: ignore[misc]  # Numba has no type stubs
    """An intrinsic that can be called from Python, too."""

    def __call__(self, *arguments: Any) -> Any:
        return self.__wrapped__(*arguments)
