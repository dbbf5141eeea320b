"""A time limit for waiting tests, and a way to interrupt the code under test."""

import _thread
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

TIMEOUT_S = 300.0
"""How long to wait before a test fails; a program may have to compile kernels while other tests run."""


@contextmanager
def interrupted(seconds: float = 0.2) -> Iterator[None]:
    """Interrupt a `with` block after some time, as Ctrl-C would; fail unless it raises KeyboardInterrupt."""
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - the interrupt may come at any point
        threading.Timer(seconds, _thread.interrupt_main).start()
        yield
