"""Kernels that import Numba only when they are compiled or loaded from the cache.

To draw the first board of a match, the rules are needed only as plain Python, and importing Numba
would take longer than everything else.
"""

import functools
import weakref
from collections.abc import Callable
from contextlib import suppress
from types import FunctionType
from typing import Any

from boardgames.compiling import is_interpreted
from boardgames.kernels.plain import plain_kernel
from boardgames.kernels.types import Signature


class Kernel:
    """A function with a signature, which is compiled, or loaded from the cache, when it is first needed.

    Parameters
    ----------
    function : function
        The function in Python.
    signature : Signature
        The types of its arguments and result.
    inline : bool
        Whether the code is inlined into every kernel that calls it.
    identity : str
        A hash of everything that its code depends on (`boardgames.kernels.identity`).
    make_dispatcher : callable
        Called with this kernel when it is first needed; returns its `KernelDispatcher`.
    """

    __slots__ = ("__call__", "__dict__", "__weakref__")  # `__call__` as a slot makes calls faster

    def __init__(
        self,
        function: FunctionType,
        signature: Signature,
        *,
        inline: bool,
        identity: str,
        make_dispatcher: Callable[["Kernel"], Any],  # Numba has no type stubs
    ) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self.signature, self.inline = function, signature, inline
        self.identity = identity
        self._make_dispatcher = make_dispatcher
        self.__call__ = self._call_first

    def __repr__(self) -> str:
        return f"<kernel {self.py_func.__module__}.{self.py_func.__qualname__}>"

    @property
    def dispatcher(self) -> Any:  # Numba has no type stubs
        """The dispatcher that compiles and runs the code."""
        known = self.__dict__.get("_dispatcher")
        # several threads may create a dispatcher; `setdefault` keeps the first
        return known or self.__dict__.setdefault("_dispatcher", self._make_dispatcher(self))

    @property
    def is_loaded(self) -> bool:
        """True if the code has been loaded or compiled in this process."""
        known = self.__dict__.get("_dispatcher")
        return known is not None and known.is_loaded

    @property
    def _numba_type_(self) -> Any:  # Numba has no type stubs
        """The type of this object in other kernels, for Numba."""
        return self.dispatcher._numba_type_

    def __wrapper_address__(self) -> int:
        """Return the address that Numba passes to a kernel that takes this kernel as an argument."""
        return self.dispatcher.addresses()[0]  # type: ignore[no-any-return]  # Numba has no type stubs

    def _call_first(self, *arguments: Any) -> Any:
        """Run a kernel that may not be loaded yet: as plain Python if the rules are interpreted."""
        if is_interpreted() and not self.is_loaded:
            with suppress(Exception):  # the kernel may work only when compiled
                return self._plain(*arguments)
        if self.is_loaded:
            self.__call__ = self.dispatcher
        return self.dispatcher(*arguments)

    @functools.cached_property
    def _plain(self) -> Callable[..., Any]:
        return plain_kernel(self.py_func, self.signature)


deferred: list[weakref.ref[Kernel]] = []
"""Kernels that will be compiled on their first call, as far as they are not known to be compiled."""


def load_kernel(kernel: Any) -> None:  # a kernel, or a function without compilation
    """Load or compile a kernel without calling it; do nothing if it is plain Python.

    Raises
    ------
    KernelError
        If the kernel does not compile.
    """
    if isinstance(kernel, Kernel):
        kernel.dispatcher.load()


def compile_deferred() -> None:
    """Compile the deferred kernels that are neither loaded nor in the cache, in order of definition.

    Raises
    ------
    KernelError
        If a kernel does not compile.
    """
    for reference in tuple(deferred):
        kernel = reference()
        if kernel is not None and not kernel.dispatcher.is_compiled():
            kernel.dispatcher.load()


def uncompiled_kernels() -> set[str]:
    """Return the modules of the deferred kernels that are neither loaded nor in the cache."""
    modules = set()
    for reference in list(deferred):
        kernel = reference()
        if kernel is None or kernel.dispatcher.is_compiled():
            with suppress(ValueError):  # another thread has removed it
                deferred.remove(reference)
        else:
            modules.add(kernel.py_func.__module__)
    return modules
