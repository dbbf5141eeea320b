"""Clusters of `distributed`: the same code everywhere, and what happens when a part of one fails.

Most tests use a client that only seems to be connected; those marked slow start processes.
"""

import math
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import executor_tasks as tasks
import pytest
from clusters import started_cluster
from waiting import TIMEOUT_S

from boardgames.compiling import report
from boardgames.errors import ClusterError, WorkerError
from boardgames.executors import cluster, open_executor, worker_progress
from boardgames.executors.cluster import ClusterExecutor
from boardgames.executors.pool import pack
from boardgames.executors.scaling import Scaling
from boardgames.installation import Code, describe, needs_of

GOOD, OTHER, THIRD = "tcp://10.0.0.1:4001", "tcp://10.0.0.1:4002", "tcp://10.0.0.2:4003"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Look at the cluster more often, and stop waiting for compilers sooner."""
    pytest.importorskip("distributed")
    if request.node.get_closest_marker("slow") is None:
        monkeypatch.setattr(cluster, "POLL_S", 0.01)
        monkeypatch.setattr(cluster, "QUIET_S", 0.05)


# --- addresses ----------------------------------------------------------------------


@pytest.mark.parametrize("address", ["", " ", "127.0.0.1:1", "nonsense", "tcp://"])
def test_unreachable_scheduler_is_reported(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CLUSTER_TIMEOUT_S", 0.3)
    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT_S", 0.2)
    with pytest.raises(ClusterError, match="scheduler"), open_executor(cluster=address):
        pass


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "scheduler.json"),
        ("", "is not a scheduler file"),
        ("[1]", "has no address"),
        ('{"address": ""}', "has no address"),
        ('{"address": 5}', "has no address"),
        ('{"address": "tcp://127.0.0.1:1"}', "tcp://127.0.0.1:1"),
    ],
)
def test_a_scheduler_file_without_a_scheduler_is_reported(
    content: str | None, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CLUSTER_TIMEOUT_S", 0.3)
    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT_S", 0.2)
    file = tmp_path / "scheduler.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ClusterError, match=re.escape(words)), open_executor(cluster=str(file)):
        pass


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.0 400 Bad Request\r\nServer: other\r\n\r\n", b"\0" * 64])
def test_a_port_of_another_service_is_reported(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CLUSTER_TIMEOUT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        open_sockets = []

        def serve() -> None:
            connection, _ = server.accept()
            open_sockets.append(connection)
            connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ClusterError, match=r"no scheduler answers .* within 0\.5 s"):  # noqa: SIM117
            with open_executor(cluster=address):
                pass
        for connection in open_sockets:
            connection.close()


# --- a client that seems to be connected ---------------------------------------------


class SeemingFuture:
    """A future of distributed whose worker the test plays."""

    def __init__(self, call: Callable[[], object], worker: str) -> None:
        self.call, self.worker = call, worker
        self.status = "pending"
        self._answer: Future[Any] = Future()

    def finish(self) -> None:
        self._end("finished", self.call())

    def cancel(self) -> None:
        self._end("cancelled", None)

    def result(self) -> object:
        return self._answer.result()

    def add_done_callback(self, function: Callable[["SeemingFuture"], None]) -> None:
        self._answer.add_done_callback(lambda answer: function(self))

    def _end(self, status: str, result: object) -> None:
        self.status = status
        if not self._answer.done():
            self._answer.set_result(result)


class SeemingClient:
    """A client of a cluster whose workers are entries in a dictionary."""

    def __init__(self, *addresses: str, slots: int = 1) -> None:
        self.slots = dict.fromkeys(addresses, slots)
        self.status = "running"
        self.futures: list[SeemingFuture] = []
        self.code: dict[str, dict[str, str] | Exception] = {}
        self.compiling: set[str] = set()
        self.reports: Counter[str] = Counter()
        self.hanging: set[str] = set()
        self.has_time_passed = threading.Event()

    def nthreads(self, **_: object) -> dict[str, int]:
        if self.status != "running":
            raise OSError("connection closed")
        return dict(self.slots)

    def run(self, function: Callable[..., Any], *arguments: object, workers: list[str], **_: object) -> Any:
        if self.hanging.intersection(workers):
            assert self.has_time_passed.wait(TIMEOUT_S)
            raise TimeoutError
        if function is describe:
            self.reports.update(workers)
            return {
                address: _with_versions(function(*arguments), answer) if isinstance(answer, dict) else answer
                for address, answer in ((address, self.code.get(address, {})) for address in workers)
            }
        return {address: 0.0 if address in self.compiling else math.inf for address in workers}

    def run_on_scheduler(self, function: Callable[..., Any], *arguments: object, **_: object) -> Any:
        if function is cluster._names_of_workers:
            return {address: f"name of {address}" for address in self.slots}
        return self.run(function, *arguments, workers=["scheduler"])["scheduler"]

    def submit(
        self, function: Callable[..., Any], *arguments: object, workers: list[str], pure: bool
    ) -> SeemingFuture:
        self.futures.append(SeemingFuture(lambda: function(*arguments), workers[0]))
        return self.futures[-1]

    @property
    def busy(self) -> list[str]:
        """Return the workers that have a task, in the order in which they got it."""
        return [future.worker for future in self.futures if future.status == "pending"]

    def finish(self, worker: str) -> None:
        next(one for one in self.futures if one.worker == worker and one.status == "pending").finish()


def _with_versions(code: Code, versions: dict[str, str]) -> Code:
    return replace(code, versions={**code.versions, **versions})


@contextmanager
def executing(
    client: SeemingClient, announced: list[str] | None = None, scaling: Scaling | None = None
) -> Iterator[ClusterExecutor]:
    texts: list[str] = [] if announced is None else announced
    executor = ClusterExecutor(client, "tcp://10.0.0.9:8786", texts.append)
    executor.scaling = scaling
    executor.start()
    try:
        yield executor
    finally:
        executor.kill()


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


# --- code ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "answer", "words"),
    [
        (OTHER, {"boardgames-core": "0.1.0 0"}, "worker 10.0.0.1:4002 has boardgames-core"),
        ("scheduler", {"Numba": "0.1"}, "the scheduler has Numba 0.1 instead of"),
        (OTHER, {"Python": "3.9.1", "NumPy": "0.9"}, r"4002 has Python 3\.9\.1 .*, NumPy 0\.9"),
        (
            OTHER,
            ModuleNotFoundError("No module named 'boardgames'", name="boardgames"),
            "4002 has no boardgames-core",
        ),
        (OTHER, ImportError("cannot import name 'describe'"), "has boardgames-core with other code"),
        (OTHER, ValueError("odd"), "has not reported its code .ValueError: odd."),
        (OTHER, PermissionError(13, "denied"), "4002 has not reported its code .PermissionError: .*denied."),
    ],
)
def test_other_code_is_refused_before_the_work_begins(
    place: str, answer: dict[str, str] | Exception, words: str
) -> None:
    client = SeemingClient(GOOD, OTHER)
    client.code[place] = answer
    with pytest.raises(ClusterError, match=words), executing(client):
        pass
    assert client.futures == []


def test_a_plugin_that_is_first_used_later_is_checked_at_that_time() -> None:
    client = SeemingClient(GOOD, OTHER)
    with executing(client) as executor:
        client.code[OTHER] = {"executor_tasks": ""}
        with pytest.raises(ClusterError, match="4002 has no executor_tasks"):
            executor.submit(tasks.square, 3)
    assert client.futures == []


def test_only_the_worker_that_hangs_is_blamed() -> None:
    client = SeemingClient(GOOD, OTHER)
    client.hanging.add(OTHER)
    client.has_time_passed.set()
    with pytest.raises(ClusterError, match=r"^worker 10\.0\.0\.1:4002 has not .* 60 s\): [^;]*$"):  # noqa: SIM117
        with executing(client):
            pass


@pytest.mark.parametrize("is_same", [True, False])
def test_a_worker_that_joins_gets_tasks_only_if_it_has_the_same_code(is_same: bool) -> None:
    client = SeemingClient(GOOD)
    with executing(client) as executor:
        running = [executor.submit(tasks.square, number) for number in range(3)]
        client.finish(GOOD)
        if is_same:
            client.slots[OTHER] = 1
            wait_until(lambda: set(client.busy) == {GOOD, OTHER})
        else:
            client.code[OTHER] = {"executor_tasks": "? other"}
            with pytest.warns(RuntimeWarning, match="4002 has executor_tasks with other code: it gets no"):  # noqa: PT031
                client.slots[OTHER] = 1
                wait_until(lambda: OTHER in executor._refused)
        while client.busy:
            client.finish(client.busy[0])
        assert [future.result(TIMEOUT_S) for future in running] == [0, 1, 4]
    assert (OTHER in {future.worker for future in client.futures}) == is_same


def test_a_worker_that_joins_and_hangs_does_not_keep_others_from_joining() -> None:
    client = SeemingClient(GOOD)
    with executing(client) as executor:
        for number in range(3):
            executor.submit(tasks.square, number)
        client.finish(GOOD)
        client.hanging.add(OTHER)
        client.slots |= {OTHER: 1, THIRD: 1}
        wait_until(lambda: set(client.busy) == {GOOD, THIRD})
        with pytest.warns(RuntimeWarning, match="4002 has not reported its code .* it gets no tasks"):  # noqa: PT031
            client.has_time_passed.set()
            wait_until(lambda: OTHER in executor._refused)


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_worker_that_joins_and_cannot_report_its_code_is_refused_unless_it_is_gone(is_gone: bool) -> None:
    from distributed.comm.core import CommClosedError

    client = SeemingClient(GOOD)
    client.code[OTHER] = CommClosedError() if is_gone else PermissionError(13, "denied")
    with executing(client) as executor:
        if is_gone:
            client.slots[OTHER] = 1
            wait_until(lambda: client.reports[OTHER] > 1)
            client.code.clear()
            wait_until(lambda: executor.workers == 2)
            return
        with pytest.warns(RuntimeWarning, match="4002 has not reported its code .PermissionError"):  # noqa: PT031
            client.slots[OTHER] = 1
            wait_until(lambda: OTHER in executor._refused)


def test_an_unreadable_file_of_the_client_is_not_blamed_on_the_scheduler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def denied(functions: object = ()) -> object:
        raise PermissionError(13, "denied", "game.py")

    with executing(SeemingClient(GOOD)) as executor:
        monkeypatch.setattr(cluster, "needs_of", denied)
        with pytest.raises(PermissionError, match=r"game\.py"):
            executor.submit(tasks.square, 3)


def test_a_worker_whose_files_change_during_the_work_contributes_nothing_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = SeemingClient(GOOD, OTHER, slots=2)
    with executing(client) as executor:
        executor.submit(tasks.square, 1)
        client.finish(GOOD)
        running = [executor.submit(tasks.square, number) for number in (2, 3, 4, 5)]
        assert sorted(client.busy) == [GOOD, GOOD, OTHER, OTHER]
        with monkeypatch.context() as patch, pytest.warns(RuntimeWarning, match="4002 has .*changed since"):  # noqa: PT031
            patch.setattr(
                cluster,
                "describe",
                lambda needs, **_: Code(dict.fromkeys(executor._expected.versions, "0.1.0 changed"), {}),
            )
            client.finish(OTHER)
        while client.busy:
            assert OTHER not in client.busy
            client.finish(GOOD)
        assert [future.result(TIMEOUT_S) for future in running] == [4, 9, 16, 25]


def test_errors_of_the_package_name_the_worker() -> None:
    client = SeemingClient(GOOD)
    with executing(client) as executor:
        failed = executor.submit(tasks.raise_worker_error)
        client.finish(GOOD)
        with pytest.raises(WorkerError, match=r"^worker 10\.0\.0\.1:4001: "):
            failed.result(TIMEOUT_S)


# --- failures ------------------------------------------------------------------------


def test_the_task_of_a_worker_that_is_gone_is_done_by_another() -> None:
    client = SeemingClient(GOOD, THIRD)
    with executing(client) as executor:
        running = [executor.submit(tasks.square, number) for number in (2, 3)]
        assert set(client.busy) == {GOOD, THIRD}
        del client.slots[GOOD]
        wait_until(lambda: client.busy == [THIRD])
        client.finish(THIRD)
        client.finish(THIRD)
        assert [future.result(TIMEOUT_S) for future in running] == [4, 9]


def test_a_task_whose_workers_die_three_times_fails_alone() -> None:
    client = SeemingClient(GOOD)
    with executing(client) as executor:
        bad = executor.submit(tasks.square, 2)
        for dying, next_one in ((GOOD, OTHER), (OTHER, THIRD), (THIRD, GOOD)):
            wait_until(lambda: client.busy == [dying])  # noqa: B023 - called at once
            client.slots = {next_one: 1}
        with pytest.raises(WorkerError, match=r"3 workers died .* the last was worker 10\.0\.0\.2:4003"):
            bad.result(TIMEOUT_S)
        good = executor.submit(tasks.square, 3)
        wait_until(lambda: client.busy == [GOOD])
        client.finish(GOOD)
        assert good.result(TIMEOUT_S) == 9


def test_a_cluster_without_workers_is_an_error_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "WORKERS_TIMEOUT_S", 0.1)
    with (
        pytest.raises(ClusterError, match=r"has had no workers for 0\.1 s; `dask worker`"),
        executing(SeemingClient()),
    ):
        pass


def test_a_cluster_whose_workers_are_all_gone_is_an_error_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "WORKERS_TIMEOUT_S", 0.1)
    client = SeemingClient(GOOD)
    with executing(client) as executor:
        running = [executor.submit(tasks.square, number) for number in (2, 3)]
        client.slots.clear()
        for future in running:
            with pytest.raises(ClusterError, match=r"has had no workers for 0\.1 s"):
                future.result(TIMEOUT_S)
        with pytest.raises(ClusterError, match="no workers"):
            executor.submit(tasks.square, 4)


def test_a_scheduler_that_dies_ends_all_tasks() -> None:
    client = SeemingClient(GOOD)
    with executing(client) as executor:
        running = [executor.submit(tasks.square, number) for number in (2, 3)]
        client.status = "connecting"
        client.futures[0].cancel()
        for future in running:
            with pytest.raises(ClusterError, match=r"the scheduler at .*:8786' has died"):
                future.result(TIMEOUT_S)


def test_an_error_of_the_client_is_not_blamed_on_the_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    client = SeemingClient(GOOD)

    def fail(*arguments: object, **more: object) -> None:
        raise ValueError("odd")

    monkeypatch.setattr(client, "submit", fail)
    with executing(client) as executor:
        failed = executor.submit(tasks.square, 2)
        with pytest.raises(ClusterError, match="the cluster failed: ValueError: odd"):
            failed.result(TIMEOUT_S)


# --- the end -------------------------------------------------------------------------


def test_tasks_are_done_after_a_shutdown_that_does_not_wait() -> None:
    client = SeemingClient(GOOD)
    with executing(client) as executor:
        running = [executor.submit(tasks.square, number) for number in (2, 3)]
        executor.shutdown(wait=False)
        with pytest.raises(RuntimeError, match="shut down"):
            executor.submit(tasks.square, 4)
        client.slots = {OTHER: 1}  # workers are still watched
        for _ in running:
            wait_until(lambda: client.busy == [OTHER])
            client.finish(OTHER)
        assert [future.result(TIMEOUT_S) for future in running] == [4, 9]


def test_a_shutdown_that_waits_takes_no_more_tasks() -> None:
    client = SeemingClient(GOOD)
    with executing(client) as executor:
        running = [executor.submit(tasks.square, number) for number in (2, 3)]
        waiting = threading.Thread(target=executor.shutdown)
        waiting.start()
        wait_until(lambda: executor._is_shut_down)
        with pytest.raises(RuntimeError, match="shut down"):
            executor.submit(tasks.square, 4)
        assert waiting.is_alive()
        for _ in running:
            wait_until(lambda: client.busy)
            client.finish(GOOD)
        waiting.join(TIMEOUT_S)
        assert not waiting.is_alive()
        assert [future.result(TIMEOUT_S) for future in running] == [4, 9]


def test_a_shutdown_cancels_no_task_that_waits_to_be_repeated() -> None:
    client = SeemingClient(GOOD, THIRD)
    with executing(client) as executor:
        first, second, queued = (executor.submit(tasks.square, number) for number in (2, 3, 4))
        del client.slots[GOOD]
        wait_until(lambda: client.busy == [THIRD])
        executor.shutdown(wait=False, cancel_futures=True)
        for _ in range(2):
            wait_until(lambda: client.busy)
            client.finish(THIRD)
        assert (first.result(TIMEOUT_S), second.result(TIMEOUT_S)) == (4, 9)
        assert queued.cancelled()


def test_leaving_the_block_ends_running_tasks_and_cancels_queued_ones() -> None:
    with executing(SeemingClient(GOOD)) as executor:
        running, queued = (executor.submit(tasks.square, number) for number in (2, 3))
    assert queued.cancelled()
    with pytest.raises(ClusterError, match="shut down"):
        running.result(TIMEOUT_S)
    with pytest.raises(RuntimeError, match="shut down"):
        executor.submit(tasks.square, 4)


# --- compiling -----------------------------------------------------------------------


def test_each_host_starts_with_one_worker_until_that_has_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "POLL_S", TIMEOUT_S)  # without polls, only the end of a task shows it
    client = SeemingClient(GOOD, OTHER, THIRD, slots=2)
    with executing(client) as executor:
        for number in range(9):
            executor.submit(tasks.square, number)
        assert sorted(client.busy) == [GOOD, THIRD]
        client.finish(GOOD)
        assert sorted(client.busy) == [GOOD, GOOD, OTHER, OTHER, THIRD]
        client.finish(THIRD)
        assert sorted(client.busy) == [GOOD, GOOD, OTHER, OTHER, THIRD, THIRD]


def test_compiling_is_announced_and_other_workers_do_not_wait_for_a_long_task_that_compiles_nothing() -> None:
    client = SeemingClient(GOOD, OTHER, THIRD)
    announced: list[Any] = []
    client.compiling = {GOOD, THIRD}
    with executing(client, announced) as executor:
        for number in range(3):
            executor.submit(tasks.square, number)
        wait_until(lambda: announced)
        # one host if it was announced before the second one had a task
        assert announced[0].startswith(("compiling kernels on 1 host:", "compiling kernels on 2 hosts:"))
        assert OTHER not in client.busy
        client.compiling.clear()
        wait_until(lambda: OTHER in client.busy)
        wait_until(lambda: len(announced) == 2)
        assert announced[1].startswith("kernels compiled in ")


def test_a_worker_knows_how_long_ago_a_task_compiled_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_last_compiling", -math.inf)
    needs = needs_of()

    def run(call: Callable[[], object]) -> float:
        assert cluster._run_checked(needs, Code({}, {}), pack(call))[0] == []
        return cluster._seconds_since_compiling()

    assert run(partial(tasks.square, 2)) == math.inf
    assert run(partial(report, "nim.rules", 1)) == 0.0
    assert 0 <= run(partial(report, "", 1)) < math.inf


def test_work_goes_on_if_an_announcement_cannot_be_printed() -> None:
    def closed(text: str) -> None:
        raise BrokenPipeError

    client = SeemingClient(GOOD, OTHER)
    client.compiling = {GOOD}
    executor = ClusterExecutor(client, "tcp://10.0.0.9:8786", closed)
    executor.start()
    running = [executor.submit(tasks.square, number) for number in (2, 3)]
    wait_until(lambda: executor._compiling_since)
    client.compiling.clear()
    wait_until(lambda: OTHER in client.busy)
    for address in (GOOD, OTHER):
        client.finish(address)
    assert [future.result(TIMEOUT_S) for future in running] == [4, 9]
    executor.kill()


# --- numbers of workers --------------------------------------------------------------


def test_the_work_of_each_worker_is_announced_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    client, announced = SeemingClient(GOOD, THIRD), list[str]()
    with executing(client, announced) as executor, executor.rates_announced():
        futures = [executor.submit(tasks.square, number) for number in range(3)]
        for address in (GOOD, THIRD, GOOD):
            client.finish(address)
        assert [future.result(TIMEOUT_S) for future in futures] == [0, 1, 4]
        for worker in executor._workers.values():
            monkeypatch.setattr(worker, "since", time.monotonic() - 1000)
        assert announced == []
    assert announced == ["2 workers: 0.002 and 0.001 tasks/s"]


def test_work_of_workers_that_have_left_is_announced_too() -> None:
    client, announced = SeemingClient(GOOD, OTHER), list[str]()
    with executing(client, announced) as executor, executor.rates_announced():
        executor.submit(tasks.square, 3)
        client.finish(client.busy[0])
        del client.slots[GOOD]
        wait_until(lambda: len(executor._workers) == 1)
    assert re.fullmatch(r"2 workers: \S+ and \S+ tasks/s", announced[-1])


def test_the_work_of_the_workers_is_not_announced_after_an_error() -> None:
    client, announced = SeemingClient(GOOD), list[str]()
    with executing(client, announced) as executor:
        executor.submit(tasks.square, 3)
        client.finish(GOOD)
        with pytest.raises(ClusterError), executor.rates_announced():
            raise ClusterError("it has died")
        assert announced == []
        with pytest.raises(KeyboardInterrupt), executor.rates_announced():
            raise KeyboardInterrupt
        assert announced[0].startswith("1 worker: ")


def test_progress_has_the_number_of_workers_and_their_rate() -> None:
    client = SeemingClient(GOOD)
    with executing(client) as executor:
        client.slots[OTHER] = 1
        wait_until(lambda: re.fullmatch(r"2 workers, 0 tasks/s", worker_progress(executor)))
        executor.submit(tasks.square, 3)
        client.finish(client.busy[0])
        wait_until(lambda: re.fullmatch(r"2 workers, [0-9.]*[1-9][0-9]* tasks/s", worker_progress(executor)))


class SeemingScaling(Scaling):
    """Stops the workers whose names the test puts into `closing`."""

    def __init__(self) -> None:
        super().__init__(None, 1, 20)
        self.closing: set[str] = set()
        self.calls: list[tuple[int, frozenset[str], frozenset[str]]] = []

    def choose(self, wanted: int, joined: Collection[str], idle: Collection[str]) -> set[str]:
        self.calls.append((wanted, frozenset(joined), frozenset(idle)))
        return self.closing

    def apply(self) -> None:
        return


def test_the_number_of_workers_follows_the_tasks_and_idle_workers_are_known() -> None:
    client, scaled = SeemingClient(GOOD, OTHER), SeemingScaling()
    client.compiling = {GOOD, OTHER}
    with executing(client, scaling=scaled) as executor:
        assert executor.workers == 20  # so that callers submit enough tasks for all
        for number in range(5):
            executor.submit(tasks.square, number)  # one worker compiles while the other is idle
        busy, idle = client.busy[0], ({GOOD, OTHER} - set(client.busy)).pop()
        names = frozenset({f"name of {busy}", f"name of {idle}"})
        wait_until(lambda: scaled.calls and scaled.calls[-1] == (5, names, frozenset({f"name of {idle}"})))


def test_a_worker_that_is_being_stopped_gets_no_more_tasks() -> None:
    client, scaled = SeemingClient(GOOD, OTHER), SeemingScaling()
    with executing(client, scaling=scaled) as executor:
        scaled.closing = {f"name of {OTHER}"}
        wait_until(lambda: OTHER not in executor._workers)
        scaled.closing = set()
        polls, asked = len(scaled.calls), client.reports[OTHER]
        wait_until(lambda: len(scaled.calls) > polls + 3)
        assert client.reports[OTHER] == asked  # the worker is not asked for its code again
        futures = [executor.submit(tasks.square, number) for number in range(3)]
        while client.busy:
            assert client.busy == [GOOD]
            client.finish(GOOD)
        assert [future.result(TIMEOUT_S) for future in futures] == [0, 1, 4]


# --- processes -----------------------------------------------------------------------


@pytest.mark.slow
def test_local_cluster_behaves_like_a_pool() -> None:
    with open_executor(2, cluster="local") as executor:
        assert list(executor.map(tasks.square, range(10))) == [number**2 for number in range(10)]
        with pytest.raises(ZeroDivisionError):
            executor.submit(tasks.divide, 7, by=0).result(TIMEOUT_S)


@pytest.mark.slow
def test_workers_and_schedulers_of_a_real_cluster_are_checked_watched_and_replaced(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "executor_tasks.py").write_text(Path(str(tasks.__file__)).read_text() + "# changed\n")
    with started_cluster(tmp_path) as started:
        first = started.start_worker()
        with open_executor(cluster=started.address) as executor:
            assert executor.submit(tasks.square, 3).result(TIMEOUT_S) == 9
            with pytest.warns(RuntimeWarning, match="has executor_tasks with other code: it gets no tasks"):  # noqa: PT031
                started.start_worker(other)
                assert isinstance(executor, ClusterExecutor)
                wait_until(lambda: executor._refused)
            with (
                open_executor(cluster=str(tmp_path / "scheduler.json")) as second,
                pytest.raises(ClusterError, match=r"worker 127\..* has executor_tasks with other code"),
            ):
                second.submit(tasks.square, 3)
            path = tmp_path / "pid"
            hanging = executor.submit(tasks.hang_first_time, path)
            wait_until(path.exists)
            first.kill()
            started.start_worker()
            assert hanging.result(TIMEOUT_S) == "second attempt"
            endless = executor.submit(time.sleep, 600)
            started.scheduler.kill()
            with pytest.raises(ClusterError, match="has died"):
                endless.result(TIMEOUT_S)
