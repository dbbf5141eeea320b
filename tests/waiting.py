"""How tests wait: long enough for a cold cache on a busy machine, and for interrupts."""

import _thread
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

PATIENCE_S = 300.0
"""What takes longer hangs; programs may have to compile kernels first, beside other tests."""


@contextmanager
def interrupted(seconds: float = 0.2) -> Iterator[None]:
    """Interrupt what is done, as Ctrl-C would, after some time; fail if it goes on or ends before."""
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - not sooner than it is expected
        threading.Timer(seconds, _thread.interrupt_main).start()
        yield
