"""Work in its own thread: what it returns and raises, and what ends it."""

import _thread
import signal
import threading
from collections.abc import Callable
from functools import partial

import pytest

from boardgames.errors import MatchError
from boardgames.kernels import Control, new_control
from boardgames.player import Stop
from boardgames.search.runner import run

TIMEOUT_S = 60


def until_stopped(control: Control, began: threading.Event | None = None) -> str:
    """Wait for the stop flag."""
    for _ in range(TIMEOUT_S * 1000):
        if began is not None:
            began.set()
        if control[0].stop:
            return "stopped"
        threading.Event().wait(0.001)
    return "never stopped"


def test_what_the_work_returns_is_returned() -> None:
    assert run(lambda: 42, new_control()) == 42


def test_what_the_work_raises_is_raised() -> None:
    def work() -> None:
        raise MatchError("expected this")

    with pytest.raises(MatchError, match="expected this"):
        run(work, new_control())


def test_the_work_has_a_thread_of_its_own() -> None:
    assert run(threading.current_thread, new_control()) is not threading.current_thread()


def test_the_flag_is_not_set_before_the_work_is_done() -> None:
    control = new_control()
    assert run(lambda: int(control[0].stop), control, seconds=TIMEOUT_S) == 0


def test_time_sets_the_flag() -> None:
    control = new_control()
    assert run(lambda: until_stopped(control), control, seconds=0.01) == "stopped"


def test_no_time_at_all_sets_the_flag() -> None:
    control = new_control()
    assert run(lambda: until_stopped(control), control, seconds=0.0) == "stopped"


def test_another_thread_sets_the_flag() -> None:
    control, stop, began = new_control(), Stop(), threading.Event()

    def other() -> None:
        began.wait(TIMEOUT_S)
        stop.set()

    thread = threading.Thread(target=other)
    thread.start()
    assert run(lambda: until_stopped(control, began), control, stop=stop) == "stopped"
    thread.join()


def test_a_stop_set_before_the_start_sets_the_flag() -> None:
    control, stop = new_control(), Stop()
    stop.set()
    assert run(lambda: until_stopped(control), control, stop=stop) == "stopped"


def test_a_stop_forgets_the_work_when_it_has_ended() -> None:
    control, stop = new_control(), Stop()
    run(lambda: None, control, stop=stop)
    control[0].stop = 0
    stop.set()
    assert control[0].stop == 0


@pytest.mark.parametrize(
    "interrupt",
    [
        pytest.param(_thread.interrupt_main, id="interrupt_main"),
        pytest.param(partial(signal.raise_signal, signal.SIGINT), id="raise_signal"),
    ],
)
def test_an_interrupt_ends_the_work_and_is_raised_again(interrupt: Callable[[], None]) -> None:
    control, began, ended = new_control(), threading.Event(), list[str]()

    def work() -> None:
        ended.append(until_stopped(control, began))

    def other() -> None:
        began.wait(TIMEOUT_S)
        interrupt()

    thread = threading.Thread(target=other)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run(work, control)
    thread.join()
    assert ended == ["stopped"]
