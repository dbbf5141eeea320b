"""Work in another thread: what it returns and raises, and what ends it."""

import _thread
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextvars import ContextVar
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import boardgames
from boardgames.errors import MatchError
from boardgames.kernels import Control, new_control
from boardgames.player import Limit, Stop
from boardgames.search.alphabeta import searcher as alphabeta
from boardgames.search.mcts import searcher as mcts
from boardgames.search.runner import IDLE, SEARCHING, run

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


def test_the_work_is_done_in_another_thread() -> None:
    assert run(threading.current_thread, new_control()) is not threading.current_thread()


def test_the_work_is_done_in_the_context_of_the_caller() -> None:
    variable = ContextVar("variable", default="default")
    token = variable.set("set")
    try:
        assert run(variable.get, new_control()) == "set"
    finally:
        variable.reset(token)
    assert run(variable.get, new_control()) == "default"


def test_later_work_gets_the_same_thread() -> None:
    first, second = (run(threading.current_thread, new_control()) for _ in range(2))
    assert first is second


def test_work_at_the_same_time_has_different_threads() -> None:
    def outer() -> tuple[threading.Thread, threading.Thread]:
        return threading.current_thread(), run(threading.current_thread, new_control())

    first, second = run(outer, new_control())
    assert first is not second


def test_the_thread_has_its_name_only_while_it_works() -> None:
    thread, name = run(lambda: (threading.current_thread(), threading.current_thread().name), new_control())
    assert (name, thread.name) == (SEARCHING, IDLE)


def test_work_is_forgotten_when_it_has_ended() -> None:
    table = np.zeros(10)
    reference = weakref.ref(table)
    run(partial(table.sum), new_control())
    del table
    deadline = time.monotonic() + TIMEOUT_S
    while reference() is not None and time.monotonic() < deadline:
        time.sleep(0.001)  # the thread forgets the work just after `run` returns
    assert reference() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_starts_its_own_threads() -> None:
    run(lambda: None, new_control())
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        assert pool.submit(_run_in_child).result(TIMEOUT_S) == "done"


def _run_in_child() -> str:
    return run(lambda: "done", new_control())


def test_the_flag_is_not_set_before_the_work_is_done() -> None:
    control = new_control()
    assert run(lambda: int(control[0].stop), control, seconds=TIMEOUT_S) == 0


def test_time_sets_the_flag() -> None:
    control = new_control()
    assert run(lambda: until_stopped(control), control, seconds=0.01) == "stopped"


def test_a_time_limit_of_zero_sets_the_flag() -> None:
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


@pytest.mark.parametrize("module", [alphabeta, mcts], ids=["alphabeta", "mcts"])
def test_the_time_for_a_search_begins_when_its_code_is_loaded(
    module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    prepare = module.Searcher.prepare

    def prepared(searcher: Any) -> None:
        prepare(searcher)
        events.append("code")

    def timed(*arguments: Any, seconds: float | None = None, **others: Any) -> Any:
        events.extend(["clock"] if seconds is not None else [])
        return run(*arguments, seconds=seconds, **others)

    monkeypatch.setattr(module.Searcher, "prepare", prepared)
    monkeypatch.setattr(module, "run", timed)
    game = boardgames.load("connect4")
    player = boardgames.load_player(module.__name__.split(".")[-2], game)
    player.analyse(game.start(), Limit(seconds=0.05))
    assert events == ["code", "clock"]
