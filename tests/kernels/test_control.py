"""The control array: stop flag and node limit, set while a kernel runs."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
from numba import types

from boardgames.kernels import (
    JIT,
    NODE_LIMIT,
    NODES,
    STOP,
    Control,
    is_stopped,
    kernel,
    new_control,
    peek,
)
from boardgames.kernels.abi import ACTIONS_OUT

PATIENCE_S = 20.0


@kernel(types.int64(ACTIONS_OUT))
def spin(control: Control) -> int:
    rounds = 0
    while not is_stopped(control):
        rounds += 1
    return rounds


@kernel(types.int64(ACTIONS_OUT))
def spin_bare(control: Control) -> int:
    # nothing here writes to memory: a plain load would be lifted out of the loop
    rounds = 0
    while peek(control, STOP) == 0:
        rounds += rounds ^ 3
    return rounds


@kernel(types.void(ACTIONS_OUT))
def count_nodes(control: Control) -> None:
    while not is_stopped(control):
        control[NODES] += 1


@pytest.mark.plain
def test_a_new_control_stops_nothing() -> None:
    assert not is_stopped(new_control())


@pytest.mark.plain
def test_a_set_flag_stops() -> None:
    control = new_control()
    control[STOP] = 1
    assert is_stopped(control)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("limit", "nodes", "stopped"),
    [(10, 9, False), (10, 10, True), (10, 11, True), (0, 10**12, False)],
    ids=["below", "at the limit", "above", "no limit"],
)
def test_the_node_limit_stops_when_it_is_reached(limit: int, nodes: int, stopped: bool) -> None:
    control = new_control(limit)
    control[NODES] = nodes
    assert is_stopped(control) == stopped


@pytest.mark.plain
def test_a_new_control_holds_the_limit() -> None:
    control = new_control(7)
    assert control[NODE_LIMIT] == 7
    assert control.dtype == np.int64


@pytest.mark.plain
def test_a_counting_kernel_stops_exactly_at_its_limit() -> None:
    control = new_control(1000)
    count_nodes(control)
    assert control[NODES] == 1000


def run_in_thread(control: Control, loop: Callable[[Control], int] = spin) -> threading.Thread:
    thread = threading.Thread(target=loop, args=(control,), daemon=True)
    thread.start()
    return thread


@pytest.mark.skipif(not JIT, reason="plain Python needs no compiled load")
@pytest.mark.parametrize("loop", [spin, spin_bare])
def test_a_flag_set_by_another_thread_stops_a_compiled_loop(loop: Callable[[Control], int]) -> None:
    control = new_control()
    thread = run_in_thread(control, loop)
    thread.join(0.1)
    was_running = thread.is_alive()
    control[STOP] = 1
    thread.join(PATIENCE_S)
    assert was_running
    assert not thread.is_alive()


@pytest.mark.skipif(not JIT, reason="plain Python holds the lock in turns")
def test_a_kernel_leaves_the_other_threads_running() -> None:
    controls = [new_control(), new_control()]
    threads = [run_in_thread(control) for control in controls]
    # reached only if the running kernels have released the interpreter's lock
    for control in controls:
        control[STOP] = 1
    for thread in threads:
        thread.join(PATIENCE_S)
    assert not any(thread.is_alive() for thread in threads)
