import signal
import time

import pytest

from boardgames.cli.interrupts import stop_on_interrupt


def wait_for_stop(is_set: object) -> None:
    deadline = time.monotonic() + 10
    while not is_set():  # type: ignore[operator]  # a bound method
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_the_first_interrupt_stops_and_the_second_one_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), stop_on_interrupt() as stop:  # noqa: PT012 - that is the claim
        signal.raise_signal(signal.SIGINT)
        wait_for_stop(stop.is_set)
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
