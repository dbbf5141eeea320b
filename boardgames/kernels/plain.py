"""Kernels as plain Python: if the JIT is off, or rules are interpreted and the kernel is not loaded yet."""

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from boardgames.kernels import types

JIT = os.environ.get("NUMBA_DISABLE_JIT", "0").strip() in ("", "0")
"""False if `NUMBA_DISABLE_JIT=1` makes every kernel plain Python."""

_CALLBACK = "is_callback"
Function = TypeVar("Function", bound=Callable[..., Any])  # any signature: Numba's, not Python's


def plain_kernel(function: Function, signature: types.Signature) -> Function:
    """Wrap a kernel so that it runs without compilation, but with the argument types of its signature."""
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


_CASTS: dict[types.Kind, Callable[[Any], Any]] = {
    types.int64: np.int64,
    types.uint64: np.uint64,
    types.float64: np.float64,
    types.boolean: bool,
}


def callback(function: Function) -> Function:
    """Mark a Python function that kernels call by name, in blocks of `numba.objmode`."""
    function.__dict__[_CALLBACK] = True
    return function


def is_callback(function: Callable[..., Any]) -> bool:
    """Return True if a function is marked as a callback, which is not part of its callers' identities."""
    return bool(function.__dict__.get(_CALLBACK))


def compiled_by(
    code: Callable[..., Any], *, prefer_literal: bool = False
) -> Callable[[Function], Function]:  # Numba has no type stubs
    """Return a decorator for a Python function whose calls in kernels are compiled by `code`.

    Parameters
    ----------
    code : callable
        Called with the typing context and Numba's types of the arguments. It returns the signature of
        the call and the function that generates its code, as for `numba.extending.intrinsic`, or None
        if the function does not support these types.
    prefer_literal : bool
        Whether `code` gets literal types for constant arguments.
    """

    def decorate(function: Function) -> Any:  # Numba has no type stubs
        return Intrinsic(function, code, prefer_literal=prefer_literal) if JIT else function

    return decorate


class Intrinsic:
    """A Python function for which kernels use separately generated code."""

    def __init__(self, function: Function, code: Callable[..., Any], *, prefer_literal: bool) -> None:
        functools.update_wrapper(self, function)
        self.code, self.prefer_literal = code, prefer_literal

    def __call__(self, *arguments: Any) -> Any:
        """Call the Python function."""
        return self.__wrapped__(*arguments)  # type: ignore[attr-defined]  # set by update_wrapper

    @functools.cached_property
    def _numba_type_(self) -> Any:  # Numba has no type stubs
        """The type of this object in kernels, for Numba."""
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic

        @functools.wraps(self.code)
        def code(*arguments: Any) -> Any:
            found = self.code(*arguments)
            return found and (types.numba_type(found[0]), found[1])

        known = intrinsic(prefer_literal=self.prefer_literal)(code)
        cpu_target.typing_context.refresh()  # otherwise it would not know the new intrinsic
        return cpu_target.typing_context.resolve_value_type(known)
