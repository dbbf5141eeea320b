"""What is known at an interrupt, and values as text."""

import signal
import time

import pytest

from boardgames.cli.values import number_text, stopping_on_interrupt, value_text


def wait_for_stop(is_set: object) -> None:
    deadline = time.monotonic() + 10
    while not is_set():  # type: ignore[operator]  # a bound method
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_the_first_interrupt_stops_and_the_second_one_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), stopping_on_interrupt() as stop:  # noqa: PT012 - that is the claim
        signal.raise_signal(signal.SIGINT)
        wait_for_stop(stop.is_set)
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.12345, "return", "+0.123"),
        (-0.0001, "return", "0.000"),
        (-12.345, "centimarble", "-12.3"),
        (3.0, "cell", "+3.0"),
        (999_999.0, "centimarble", "win in 1"),
        (-999_990.0, "sum", "loss in 10"),
    ],
)
def test_a_value_is_as_exact_as_its_unit(value: float, unit: str, text: str) -> None:
    assert value_text(value, unit, sign=True) == text


def test_a_plus_stands_only_where_it_is_wanted() -> None:
    assert (number_text(1.0, "cell"), number_text(1.0, "cell", sign=True)) == ("1.0", "+1.0")
