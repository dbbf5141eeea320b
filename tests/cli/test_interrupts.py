import os
import signal
import subprocess
import sys
import time

import pytest
from waiting import TIMEOUT_S

from boardgames.cli.interrupts import stop_on_interrupt


def wait_for_stop(is_set: object) -> None:
    deadline = time.monotonic() + TIMEOUT_S
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


LATE_REACTION = """
from hashlib import pbkdf2_hmac  # like a kernel, it sees no signal before it returns
from boardgames.cli.interrupts import end_if_stuck, interrupts

with interrupts(), end_if_stuck(seconds=2):
    try:
        print("next", flush=True)
        pbkdf2_hmac("sha256", b"", b"", 500_000)
    except KeyboardInterrupt:
        print("next", flush=True)
    pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
"""
GOING_ON = """
import time
from boardgames.cli.interrupts import end_if_stuck, interrupts

with interrupts(), end_if_stuck(seconds=0.5):
    while True:
        try:
            print("next", flush=True)
            time.sleep(600)
        except BaseException:
            pass
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize(
    ("program", "presses"), [(LATE_REACTION, 2), (GOING_ON, 3)], ids=["a hang after a reaction", "caught"]
)
def test_ctrl_c_ends_a_program_that_has_reacted_to_an_earlier_one(program: str, presses: int) -> None:
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        for press in range(presses):
            assert process.stdout.readline() == "next\n"
            time.sleep(0.5 if press else 0.0)
            process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT_S) == 130
    finally:
        process.kill()
        process.communicate()
