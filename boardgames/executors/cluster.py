"""A Dask cluster as an executor (extra `cluster`): a local one, or a scheduler given by its address.

Dask carries tasks to workers; which worker gets which task is decided here, because a worker gets a
task only after it has reported the same code as ours (`boardgames.installation`), and because each
kind of task starts on one worker of each host, which compiles the kernels for the others.

The local cluster's workers preload this module, which makes them ignore Ctrl-C.
"""

import gc
import logging
import math
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from boardgames.errors import (
    BoardgamesError,
    ClusterError,
    MissingExtraError,
    WorkerError,
    describe_error,
    quote,
)
from boardgames.executors.pool import MAX_ATTEMPTS, pack, run_packed, sigint_blocked, unpack
from boardgames.installation import Needs, changed_since_start, describe, differences, needs_of
from boardgames.plugins import registry

CLUSTER_TIMEOUT_S = 10.0
"""How long a scheduler may take to answer."""
CONNECT_TIMEOUT_S = 0.8 * CLUSTER_TIMEOUT_S
"""How long to try to connect; the rest of the time is left for the answer."""
WORKERS_TIMEOUT_S = 30.0
"""How long a cluster may be without workers."""
REPORT_TIMEOUT_S = 60.0
"""How long a worker may take to report its code; it may have to import the packages first."""
POLL_S = 1.0
"""How often the scheduler is asked for its workers."""
QUIET_S = 20.0
"""A task that has compiled nothing for this long is assumed to have all its kernels."""
CHECKED_S = 1.0
"""A worker checks at most this often whether its files have changed."""
MAX_NAMED_WORKERS = 3
"""In a message."""
LOCAL = "local"
"""Address that starts a cluster on this machine, for the duration of the `with` block."""

_LOGGERS = ("distributed", "distributed.client")

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Announce = Callable[[str], object]


@contextmanager
def open_cluster(workers: int, address: str, announce: Announce = lambda text: None) -> Iterator[Executor]:
    """Connect to a cluster for a `with` block. A local cluster listens on loopback only.

    Raises
    ------
    MissingExtraError, ClusterError
        If `distributed` is not installed, no scheduler answers, there are no workers, or the
        scheduler or a worker has other code.
    """
    try:
        distributed: Any = import_module("distributed")  # it is only partially typed
    except ImportError:
        raise MissingExtraError("cluster", "a cluster") from None
    if not address.strip():
        raise ClusterError(
            f"the cluster must be {LOCAL!r} or the address of a scheduler, not {quote(address)}"
        )
    settings = {
        "threads_per_worker": 1,
        "dashboard_address": None,
        "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"},  # any free port, without a warning
        "silence_logs": "CRITICAL",
        "preload": [__name__],
    }
    with ExitStack() as stack:
        stack.enter_context(_logs_silenced())
        scheduler = address
        if address == LOCAL:
            with sigint_blocked():  # its threads and processes inherit this
                scheduler = distributed.LocalCluster(n_workers=workers, host="127.0.0.1", **settings)
                stack.callback(_close, scheduler)
        else:
            _check_is_scheduler(distributed, address)
        client, reason = _connect(distributed, scheduler)
        if client is None:
            gc.collect()  # distributed deadlocks if the failed client is collected while another one starts
            raise _no_scheduler(address, reason)
        stack.callback(_close, client)
        executor = ClusterExecutor(client, address, announce)
        stack.callback(executor.kill)
        executor.start()
        yield executor


class ClusterExecutor(Executor):
    """Runs tasks on the workers of a Dask cluster that have the same code as this process.

    A task whose worker disappears is run again. After `MAX_ATTEMPTS` of them it raises
    WorkerError. If the scheduler dies, or all workers are gone for `WORKERS_TIMEOUT_S`, all tasks
    raise ClusterError.

    Parameters
    ----------
    client : distributed.Client
        Connected.
    address : str
        Address of the scheduler, for messages.
    announce : callable
        Called with a line of text when workers begin and end compiling kernels.
    """

    def __init__(self, client: Any, address: str, announce: Announce) -> None:  # it is only partially typed
        self._client, self._address, self._announce = client, address, announce
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._needs = needs_of()
        self._expected = _own_code(self._needs)
        self._functions: set[Callable[..., object]] = set()
        self._loaded = 0
        self._machines: dict[str, _Machine] = {}
        self._refused: set[str] = set()
        self._queues: dict[str, deque[_Task]] = {}
        self._compiled: set[tuple[str, str]] = set()  # kinds of tasks and hosts
        self._compiling_since: float | None = None
        self._failure: ClusterError | None = None
        self._seen = time.monotonic()  # when there were workers

    @property
    def workers(self) -> int:
        """Return the number of tasks that run at a time, at least 1."""
        return max(sum(machine.slots for machine in list(self._machines.values())), 1)

    def start(self) -> None:
        """Wait for workers, check them and the scheduler, and keep watching them from a thread.

        Raises
        ------
        ClusterError
            If there are no workers, or some code differs.
        """
        with self._blaming_scheduler():
            while not (slots := self._client.nthreads(callback_timeout=CLUSTER_TIMEOUT_S)):
                if time.monotonic() - self._seen > WORKERS_TIMEOUT_S:
                    raise ClusterError(f"{self._no_workers()}; `dask worker` starts one")
                time.sleep(POLL_S)
            self._check(self._needs, list(slots))
        self._machines = {address: _Machine(address, count) for address, count in slots.items()}
        with sigint_blocked():
            threading.Thread(target=self._watch, daemon=True).start()

    def submit(
        self, fn: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> "Future[Result]":
        """Queue a task and return its future.

        Raises
        ------
        ClusterError
            If the cluster has failed, or a worker lacks the code of the task.
        RuntimeError
            If the executor has been shut down.
        """
        call = partial(fn, *args, **kwargs)  # if `fn` is a partial, this has its function
        self._check_needs(call.func)
        future: Future[Result] = Future()
        kind = f"{getattr(call.func, '__module__', '')}.{getattr(call.func, '__qualname__', '')}"
        try:
            task = _Task(future, kind, pack(call))
        except Exception as error:  # noqa: BLE001 - as in a pool, the future has the reason
            future.set_exception(error)
            return future
        with self._lock:
            if self._closed.is_set():
                raise RuntimeError("cannot submit a task: the cluster has been shut down")
            if self._failure is not None:
                raise self._failure
            self._queues.setdefault(kind, deque()).append(task)
            self._send()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more tasks; wait for the current ones, or cancel those that are queued."""
        with self._lock:
            if cancel_futures:
                for queue in self._queues.values():
                    for task in queue:
                        task.future.cancel()
                    queue.clear()
            unfinished = [task.future for task in self._all_tasks()]
        if wait:
            for future in unfinished:
                with suppress(BaseException):  # whoever waits for it gets it
                    future.exception()
        self._closed.set()

    def kill(self) -> None:
        """Take no more tasks. Queued ones are cancelled; running ones raise ClusterError."""
        self.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._fail("the cluster was shut down before this task was done")

    # --- code ---------------------------------------------------------------

    def _check_needs(self, function: Callable[..., object]) -> None:
        """Check the workers again if they need more than was checked before."""
        loaded = len(registry().loaded)
        if function in self._functions and loaded == self._loaded:
            return
        with self._lock, self._blaming_scheduler():
            needs = needs_of([*self._functions, function])
            if needs != self._needs:
                self._check(needs, list(self._machines))
            self._functions.add(function)
            self._loaded = loaded

    def _check(self, needs: Needs, addresses: Sequence[str]) -> None:
        """Raise ClusterError unless the scheduler and these workers have the same code as this process."""
        expected = _own_code(needs)
        try:
            reported = self._client.run_on_scheduler(describe, needs, callback_timeout=REPORT_TIMEOUT_S)
        except Exception as error:  # noqa: BLE001 - it may come from the scheduler, with any code
            reported = error
        if self._client.status != "running":
            raise ClusterError(self._lost_scheduler())
        problems = [f"the scheduler has {problem}" for problem in _problems(expected, reported)[:1]]
        problems += [
            f"{_worker(address)} has {', '.join(found)}"
            for address, report in self._reports(needs, addresses).items()
            if (found := _problems(expected, report))
        ]
        if problems:
            shown = "; ".join(problems[:MAX_NAMED_WORKERS])
            more = len(problems) - MAX_NAMED_WORKERS
            raise ClusterError(
                shown
                + (f"; and {more} more differ" if more > 0 else "")
                + ": install the same versions everywhere and start the cluster again"
            )
        self._needs, self._expected = needs, expected

    @contextmanager
    def _blaming_scheduler(self) -> Iterator[None]:
        """Turn the errors of a connection into one that names the scheduler."""
        try:
            yield
        except OSError as error:  # TimeoutError, too
            if isinstance(error, ClusterError):
                raise
            raise ClusterError(self._lost_scheduler()) from None

    def _reports(self, needs: Needs, addresses: Sequence[str]) -> Mapping[str, object]:
        """Return what these workers report, or the exceptions that kept them from it."""
        try:
            found: Mapping[str, object] = self._client.run(
                describe,
                needs,
                workers=list(addresses),
                on_error="return",
                callback_timeout=REPORT_TIMEOUT_S,
            )
        except TimeoutError:
            return dict.fromkeys(addresses, TimeoutError(f"no report within {REPORT_TIMEOUT_S:g} s"))
        return {address: report for address, report in found.items() if not isinstance(report, OSError)}

    # --- tasks --------------------------------------------------------------

    def _all_tasks(self) -> "list[_Task]":
        running = [task for machine in self._machines.values() for task in machine.running]
        return running + [task for queue in self._queues.values() for task in queue]

    def _send(self) -> None:
        """Send queued tasks to workers that are free; the lock is held."""
        for kind, queue in self._queues.items():
            while queue and self._failure is None and (machine := self._free_machine(kind)) is not None:
                task = queue.popleft()
                if task.is_started or task.future.set_running_or_notify_cancel():
                    task.is_started = True
                    self._send_to(machine, task)

    def _free_machine(self, kind: str) -> "_Machine | None":
        """Return the least busy worker that may take a task of a kind, or None."""
        compiling = {
            machine.host
            for machine in self._machines.values()
            if (kind, machine.host) not in self._compiled
            and any(task.kind == kind for task in machine.running)
        }
        free = [
            machine
            for machine in self._machines.values()
            if len(machine.running) < machine.slots and machine.host not in compiling
        ]
        return min(free, key=lambda machine: len(machine.running) / machine.slots, default=None)

    def _send_to(self, machine: "_Machine", task: "_Task") -> None:
        machine.running.append(task)
        task.since = time.monotonic()
        arguments = self._needs, self._expected, task.request
        try:
            task.remote = self._client.submit(_run_checked, *arguments, workers=[machine.address], pure=False)
        except Exception:  # noqa: BLE001 - of various types
            self._fail(self._lost_scheduler())
            return
        task.remote.add_done_callback(partial(self._finish, machine, task))

    def _finish(self, machine: "_Machine", task: "_Task", remote: Any) -> None:  # it is only partially typed
        """Pass on the result of a task. Dask calls this in a thread."""
        try:
            problems, reply = remote.result()
        except BaseException as error:  # noqa: BLE001 - the caller waits for this future
            failed: BaseException | None = error
        else:
            failed = None
        with self._lock:
            if task.remote is not remote or self._failure is not None or self._closed.is_set():
                return
            task.remote = None
            if task in machine.running:
                machine.running.remove(task)
            if remote.status == "cancelled" or (failed is not None and _is_of_dask(failed)):
                self._repeat(machine, task)
            elif failed is None and problems:
                self._refuse(machine.address, problems)
                self._queues[task.kind].appendleft(task)
                for other in self._withdraw(machine):
                    self._queues[other.kind].appendleft(other)
            else:
                self._compiled.add((task.kind, machine.host))
                _settle(task.future, machine, failed, reply if failed is None else b"")
            self._send()

    def _withdraw(self, machine: "_Machine") -> "list[_Task]":
        """Forget a worker, and return the tasks that it was running; the lock is held."""
        self._machines.pop(machine.address, None)
        tasks, machine.running = machine.running, []
        for task in tasks:
            remote, task.remote = task.remote, None
            with suppress(Exception):  # the scheduler may be dead by now
                remote.cancel()
        return tasks

    def _repeat(self, machine: "_Machine", task: "_Task") -> None:
        """Queue a task again whose worker has disappeared; the lock is held."""
        if self._client.status == "running":
            task.attempts += 1
        if task.attempts < MAX_ATTEMPTS:
            self._queues[task.kind].appendleft(task)  # and fails there if the scheduler has died
        else:
            task.future.set_exception(
                WorkerError(
                    f"{MAX_ATTEMPTS} workers died while running this task, the last was "
                    f"{_worker(machine.address)}"
                )
            )

    def _fail(self, reason: str) -> None:
        """Let all tasks fail; the lock is held."""
        if self._failure is None:
            self._failure = ClusterError(reason)
            for task in self._all_tasks():
                if task.is_started or task.future.set_running_or_notify_cancel():
                    task.future.set_exception(self._failure)

    def _lost_scheduler(self) -> str:
        silence = f"has not answered for {CLUSTER_TIMEOUT_S:g} s"
        return f"the scheduler at {quote(self._address)} has died or {silence}"

    def _no_workers(self) -> str:
        same = " with the same code" if self._refused else ""
        return f"the cluster at {quote(self._address)} has had no workers{same} for {WORKERS_TIMEOUT_S:g} s"

    # --- watching -----------------------------------------------------------

    def _watch(self) -> None:
        """Notice workers that come, go or compile, and a scheduler that dies."""
        while not self._closed.wait(POLL_S) and self._failure is None:
            try:
                if self._client.status != "running":
                    raise TimeoutError
                self._update(self._client.nthreads(callback_timeout=CLUSTER_TIMEOUT_S))
                self._watch_compilers()
            except Exception as error:  # noqa: BLE001 - whatever it is, nobody must wait for ever
                if self._closed.is_set():
                    return
                is_lost = isinstance(error, OSError) or _is_of_dask(error)
                with self._lock:
                    self._fail(
                        self._lost_scheduler() if is_lost else f"the cluster failed: {describe_error(error)}"
                    )

    def _update(self, slots: Mapping[str, int]) -> None:
        """Update the list of workers."""
        with self._lock:
            for address in [address for address in self._machines if address not in slots]:
                machine = self._machines[address]
                for task in self._withdraw(machine):
                    self._repeat(machine, task)
            self._refused &= slots.keys()
            new = [address for address in slots if address not in {*self._machines, *self._refused}]
            needs, expected = self._needs, self._expected
        reports = self._reports(needs, new) if new else {}
        with self._lock:
            for address, report in reports.items():
                problems = _problems(expected, report)
                if problems:
                    self._refuse(address, problems)
                else:
                    self._machines[address] = _Machine(address, slots[address])
            if self._machines:
                self._seen = time.monotonic()
            elif time.monotonic() - self._seen > WORKERS_TIMEOUT_S:
                self._fail(self._no_workers())
            self._send()

    def _refuse(self, address: str, problems: Sequence[str]) -> None:
        self._refused.add(address)
        with suppress(Warning):  # warnings may be errors
            warnings.warn(
                f"{_worker(address)} has {', '.join(problems)}: it gets no tasks",
                RuntimeWarning,
                stacklevel=2,
            )

    def _watch_compilers(self) -> None:
        """Let the other workers of a host start once its first task of a kind has stopped compiling."""
        with self._lock:
            first = {
                (task.kind, machine.host): (machine.address, task.since)
                for machine in self._machines.values()
                for task in machine.running
                if (task.kind, machine.host) not in self._compiled
            }
        silent = self._seconds_since_compiling({address for address, _ in first.values()})
        now = time.monotonic()
        busy = {host for (_, host), (address, _) in first.items() if silent[address] <= QUIET_S}
        with self._lock:
            self._compiled |= {
                place
                for place, (address, since) in first.items()
                if min(silent[address], now - since) > QUIET_S
            }
            if busy and self._compiling_since is None:
                self._compiling_since = now
                hosts = f"{len(busy)} host{'s' if len(busy) > 1 else ''}"
                self._announce(f"compiling kernels on {hosts}, each with one worker while its others wait")
            elif not busy and self._compiling_since is not None:
                self._announce(f"compiled after {now - self._compiling_since:.0f} s")
                self._compiling_since = None
            self._send()

    def _seconds_since_compiling(self, addresses: Collection[str]) -> dict[str, float]:
        """Return how long ago workers compiled a kernel; infinity if never, or if they are gone."""
        if not addresses:
            return {}
        try:
            answers: Mapping[str, float] = self._client.run(
                _seconds_since_compiling,
                workers=list(addresses),
                on_error="ignore",
                callback_timeout=CLUSTER_TIMEOUT_S,
            )
        except TimeoutError:  # they are too busy to answer
            return dict.fromkeys(addresses, 0.0)
        return {address: answers.get(address, math.inf) for address in addresses}


@dataclass(slots=True, eq=False)
class _Task:
    future: "Future[Any]"  # the result may be anything
    kind: str
    request: bytes
    attempts: int = 0
    is_started: bool = False
    since: float = 0.0
    remote: Any = None  # a future of distributed, which is only partially typed


@dataclass(slots=True, eq=False)
class _Machine:
    """A worker that gets tasks."""

    address: str
    slots: int
    running: list[_Task] = field(default_factory=list)

    @property
    def host(self) -> str:
        return self.address.partition("://")[2].rpartition(":")[0]


def _settle(future: "Future[Any]", machine: _Machine, failed: BaseException | None, reply: bytes) -> None:
    """Set the result of a task from the reply of its worker, which errors name."""
    if failed is not None:
        future.set_exception(failed)
        return
    try:
        is_ok, result = unpack(reply)
    except Exception as error:  # noqa: BLE001 - the caller waits for this future
        is_ok, result = False, error
    if not is_ok and isinstance(result, BoardgamesError):
        result.args = (f"{_worker(machine.address)}: {result}", *result.args[1:])
    (future.set_result if is_ok else future.set_exception)(result)


def _worker(address: str) -> str:
    return f"worker {address.partition('://')[2] or address}"


def _own_code(needs: Needs) -> dict[str, str]:
    """Return what this process has; raises ClusterError if its files have changed since it loaded them."""
    code = describe(needs, max_age_s=CHECKED_S)
    changed = changed_since_start(code)
    if changed:
        raise ClusterError(f"the files of {', '.join(changed)} have changed; start the program again")
    return code


def _problems(expected: Mapping[str, str], report: object) -> list[str]:
    """Return the differences between a report and the expected one, as phrases that follow "has"."""
    if isinstance(report, Mapping):
        return differences(expected, report)
    if isinstance(report, ModuleNotFoundError) and report.name == "boardgames":
        return ["no boardgames-core"]
    if isinstance(report, ImportError | AttributeError):
        return ["boardgames-core with other code"]
    return [f"not reported its code ({describe_error(report)})"] if isinstance(report, Exception) else []


def _is_of_dask(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] == "distributed"


def _no_scheduler(address: str, reason: str) -> ClusterError:
    return ClusterError(f"no scheduler answers at {quote(address)} within {CLUSTER_TIMEOUT_S:g} s: {reason}")


def _check_is_scheduler(distributed: Any, address: str) -> None:  # it is only partially typed
    """Raise ClusterError unless a scheduler answers; a client might wait for ever if something else does."""
    runner = distributed.utils.LoopRunner(asynchronous=False)
    runner.start()
    try:
        identity = runner.run_sync(_identity, distributed, address, callback_timeout=CLUSTER_TIMEOUT_S)
    except TimeoutError:
        raise _no_scheduler(address, "whatever listens there is no scheduler, or it hangs") from None
    except OSError:
        raise _no_scheduler(address, "nothing can be reached there") from None
    except Exception as error:  # noqa: BLE001 - what a stranger sends may cause anything
        raise _no_scheduler(address, describe_error(error)) from None
    finally:
        runner.stop()
    kind = str(identity.get("type")).lower()
    if kind != "scheduler":
        raise ClusterError(f"{quote(address)} is not the address of a scheduler, but of a {kind}")


async def _identity(distributed: Any, address: str) -> Any:  # it is only partially typed
    arguments = distributed.Security().get_connection_args("client")
    async with distributed.rpc(address, timeout=CONNECT_TIMEOUT_S, connection_args=arguments) as remote:
        return await remote.identity()


def _connect(distributed: Any, scheduler: Any) -> tuple[Any, str]:  # it is only partially typed
    """Return a client, or None and the reason; the error itself would keep the failed client alive."""
    try:
        return distributed.Client(scheduler, timeout=CLUSTER_TIMEOUT_S, set_as_default=False), ""
    except (OSError, ValueError, TypeError) as error:
        return None, str(error)


def _close(ending: Any) -> None:  # a cluster or a client, without types
    """Close a part of the cluster; Ctrl-C takes effect afterwards."""
    with sigint_blocked():
        ending.close()


@contextmanager
def _logs_silenced() -> Iterator[None]:
    """Keep the logs of distributed off the terminal; our own messages say what matters."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


# --- in a worker ------------------------------------------------------------------


def dask_setup(worker: object) -> None:
    """Ignore Ctrl-C in a worker, so that only the main process handles it. Dask calls this by name."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run_checked(needs: Needs, expected: Mapping[str, str], request: bytes) -> tuple[list[str], bytes]:
    """Run a task if this worker has the expected code; return the differences, and the reply."""
    problems = differences(expected, describe(needs, max_age_s=CHECKED_S))
    if problems:
        return problems, b""
    _listen_to_compiler()
    return [], run_packed(request)


_compiler: Any = None  # Numba has no type stubs


def _listen_to_compiler() -> None:
    """Note when this process compiles kernels."""
    global _compiler  # noqa: PLW0603 - a process has one compiler
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]  # Numba has no type stubs
        running = 0
        last: float | None = None

        def on_start(self, event: object) -> None:
            self.running += 1
            self.last = time.monotonic()

        def on_end(self, event: object) -> None:
            self.running -= 1
            self.last = time.monotonic()

    if _compiler is None:
        _compiler = Listener()
        event.register("numba:compile", _compiler)


def _seconds_since_compiling() -> float:
    """Return how long ago this process compiled a kernel: 0 if it is doing so, infinity if it never did."""
    if _compiler is None or _compiler.last is None:
        return math.inf
    return 0.0 if _compiler.running > 0 else time.monotonic() - _compiler.last
