"""The control record: stop flag and node limit, set while a kernel runs."""

import threading
from collections.abc import Callable

import pytest

from boardgames.kernels import JIT, Control, is_stopped, kernel, load_stop, new_control, types
from boardgames.kernels.control import CONTROL

TIMEOUT_S = 20.0


@kernel(types.int64(CONTROL))
def spin(control: Control) -> int:
    rounds = 0
    while not is_stopped(control):
        rounds += 1
    return rounds


@kernel(types.int64(CONTROL))
def spin_on_the_flag(control: Control) -> int:
    # nothing here writes to memory: LLVM would move a plain load out of the loop
    rounds = 0
    while load_stop(control) == 0:
        rounds += rounds ^ 3
    return rounds


@kernel(types.void(CONTROL))
def count_nodes(control: Control) -> None:
    while not is_stopped(control):
        control[0].nodes += 1


@pytest.mark.plain
def test_a_new_control_stops_nothing() -> None:
    assert not is_stopped(new_control())


@pytest.mark.plain
@pytest.mark.parametrize("flag", ["stop", "superseded"])
def test_a_kernel_stops_when_a_flag_is_set(flag: str) -> None:
    control = new_control()
    setattr(control[0], flag, 1)
    assert is_stopped(control)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("limit", "nodes", "stopped"),
    [(10, 9, False), (10, 10, True), (10, 11, True), (0, 10**12, False)],
    ids=["below", "at the limit", "above", "no limit"],
)
def test_a_kernel_stops_when_the_node_limit_is_reached(limit: int, nodes: int, stopped: bool) -> None:
    control = new_control(limit)
    control[0].nodes = nodes
    assert is_stopped(control) == stopped


@pytest.mark.plain
def test_a_new_control_has_the_given_limit_and_no_counts() -> None:
    assert new_control(7)[0].tolist() == (0, 0, 7, 0, 0, 0, 0)


@pytest.mark.plain
def test_a_counting_kernel_stops_exactly_at_its_limit() -> None:
    control = new_control(1000)
    count_nodes(control)
    assert control[0].nodes == 1000


def run_in_thread(control: Control, loop: Callable[[Control], int] = spin) -> threading.Thread:
    thread = threading.Thread(target=loop, args=(control,), daemon=True)
    thread.start()
    return thread


@pytest.mark.skipif(not JIT, reason="plain Python needs no atomic load")
@pytest.mark.parametrize("loop", [spin, spin_on_the_flag])
def test_a_compiled_loop_stops_when_another_thread_sets_the_flag(loop: Callable[[Control], int]) -> None:
    control = new_control()
    thread = run_in_thread(control, loop)
    thread.join(0.1)
    was_running = thread.is_alive()
    control[0].stop = 1
    thread.join(TIMEOUT_S)
    assert was_running
    assert not thread.is_alive()


@pytest.mark.skipif(not JIT, reason="plain Python threads take turns anyway")
def test_a_kernel_releases_the_lock_of_the_interpreter() -> None:
    controls = [new_control(), new_control()]
    threads = [run_in_thread(control) for control in controls]
    # this line is reached only if the running kernels have released the lock
    for control in controls:
        control[0].stop = 1
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert not any(thread.is_alive() for thread in threads)
