"""Dask clusters as executors (extra `cluster`): on this machine, described by a file, or already running.

Dask carries tasks to workers, but this module decides which worker gets which task: a worker gets a
task only after it has reported the same code as ours (`boardgames.installation`), and each kind of
task starts on one worker of each host, which compiles the kernels for the others.

The local cluster's workers preload this module, which makes them ignore Ctrl-C.
"""

import gc
import json
import logging
import math
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from boardgames.compiling import compilation_listener
from boardgames.errors import (
    BoardgamesError,
    ClusterError,
    FileError,
    MissingExtraError,
    WorkerError,
    describe_error,
    quote,
)
from boardgames.executors.cluster_file import ClusterFile, split_address
from boardgames.executors.pool import MAX_ATTEMPTS, pack, run_packed, sigint_blocked, unpack
from boardgames.executors.scaling import Scaling
from boardgames.installation import Code, Needs, changed_since_start, describe, differences, needs_of
from boardgames.paths import read_text
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
"""A task that has not compiled for this long is assumed to need no more kernels."""
CHECKED_S = 1.0
"""Minimum time between two checks of the files of a process for changes."""
RATE_POLLS = 30
"""Number of polls over which the rate in the progress display is averaged."""
MAX_LISTED_RATES = 4
"""Maximum number of workers whose rates are listed one by one."""
JOBS_ADVICE = "see what the jobs have printed, or raise 'timeout' in [workers] if they are still in the queue"
MAX_NAMED_WORKERS = 3
"""Maximum number of workers that an error names."""
LOCAL = "local"
"""Address that starts a cluster on this machine, for the duration of the `with` block."""
SCHEDULER_FILE = ".json"
"""Suffix of scheduler files."""
MAX_FILE_BYTES = 1 << 20

_LOGGERS = (
    "distributed",
    "distributed.client",
    "dask_jobqueue",
    "asyncssh",
    "kr8s",
    "httpx",
    "tornado",
    "asyncio",
)

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Announce = Callable[[str], object]


@contextmanager
def open_cluster(workers: int, address: str, announce: Announce = lambda text: None) -> Iterator[Executor]:
    """Connect to a cluster for a `with` block. A local cluster listens on loopback only.

    `address` is `local`, the address of a scheduler, the path of a scheduler file, which ends in .json,
    or `slurm:FILE` (see `boardgames.executors.cluster_file`). At the end, `announce` gets a line about
    the workers, unless the cluster has failed.

    Raises
    ------
    MissingExtraError, ClusterError, FileError, OptionError
        If `distributed` or the package that starts the cluster is not installed, a file has errors, no
        scheduler answers, there are no workers, or the scheduler or a worker has other code.
    """
    try:
        distributed: Any = import_module("distributed")  # it is only partially typed
    except ImportError:
        raise MissingExtraError("cluster", "a cluster") from None
    if not address.strip():
        raise ClusterError(
            f"the cluster must be {LOCAL!r}, the address of a scheduler or its file, not {quote(address)}"
        )
    described = split_address(address)
    file = None if described is None else ClusterFile.read(*described)
    if address.endswith(SCHEDULER_FILE) and file is None:
        address = _address_in(Path(address))
    with ExitStack() as stack:
        stack.enter_context(_logs_silenced())
        scheduler: Any = address  # or a cluster of distributed, which is only partially typed
        if address == LOCAL:
            scheduler = stack.enter_context(_local_cluster(distributed, workers))
        elif file is not None:
            announce(f"starting the cluster of {file.path}")
            scheduler = _started(file)
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
        if file is not None:
            executor.timeout_s = file.timeout_s
            executor.scaling = Scaling(scheduler, file.minimum, file.maximum) if file.maximum else None
        executor.start()
        with executor.rates_announced():
            yield executor


@contextmanager
def _local_cluster(distributed: Any, workers: int) -> Iterator[Any]:  # it is only partially typed
    with sigint_blocked():  # its threads and processes inherit this
        cluster = distributed.LocalCluster(
            n_workers=workers,
            host="127.0.0.1",
            threads_per_worker=1,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # any free port, without a warning
            silence_logs="CRITICAL",
            preload=[__name__],
        )
    try:
        yield cluster
    finally:
        _close(cluster)


def _started(file: ClusterFile) -> Any:  # the classes of clusters are only partially typed
    """Start a cluster, ignoring warnings of its packages that users can do nothing about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return file.start()


def _address_in(path: Path) -> str:
    """Return the address in a scheduler file."""
    example = "`dask scheduler --scheduler-file scheduler.json` writes one"
    try:
        content = json.loads(read_text(path, limit=MAX_FILE_BYTES))
    except FileError as error:
        raise ClusterError(f"{error}; {example}") from None
    except (ValueError, RecursionError):
        raise ClusterError(f"{path} is not a scheduler file; {example}") from None
    address = content.get("address") if isinstance(content, dict) else None
    if not isinstance(address, str) or not address.strip():
        raise ClusterError(f"the scheduler file {path} has no address; {example}")
    return address


class ClusterExecutor(Executor):
    """Runs tasks on the workers of a Dask cluster that have the same code as this process.

    A task whose worker disappears is run again. When this has happened `MAX_ATTEMPTS` times, the task
    raises WorkerError. If the scheduler dies, or there are no workers for `timeout_s`, all tasks raise
    ClusterError.

    Parameters
    ----------
    client : distributed.Client
        A connected client.
    address : str
        Address of the scheduler, for messages.
    announce : callable
        Called with a line of text when workers start and finish compiling kernels.

    Attributes
    ----------
    timeout_s : float
        How long the cluster may be without workers.
    scaling : Scaling or None
        Starts and stops workers; None if something else determines their number.
    """

    def __init__(self, client: Any, address: str, announce: Announce) -> None:  # it is only partially typed
        self._client, self._address, self._announce = client, address, announce
        self.timeout_s = WORKERS_TIMEOUT_S
        self.scaling: Scaling | None = None
        self._lock = threading.RLock()
        self._is_shut_down = False
        self._closed = threading.Event()  # no tasks are left and none can be added
        self._needs = needs_of()
        self._expected = _own_code(self._needs)
        self._functions: set[Callable[..., object]] = set()
        self._loaded = 0
        self._workers: dict[str, _Worker] = {}
        self._left: list[_Worker] = []
        self._stopped: set[str] = set()  # workers that are being stopped
        self._counts: deque[tuple[float, int]] = deque(maxlen=RATE_POLLS)  # times, and tasks done
        self._refused: set[str] = set()
        self._asked: dict[str, tuple[Needs, Future[object]]] = {}  # new workers asked for their code
        self._queues: dict[str, deque[_Task]] = {}
        self._compiled: set[tuple[str, str]] = set()  # kinds of tasks, and hosts that have compiled them
        self._compiling_since: float | None = None
        self._failure: ClusterError | None = None
        self._seen = time.monotonic()  # when the cluster last had workers

    @property
    def workers(self) -> int:
        """Return how many tasks can run at a time, at least 1 or, if larger, the maximum of `scaling`."""
        running = sum(worker.slots for worker in list(self._workers.values()))
        return max(running, 1 if self.scaling is None else self.scaling.maximum)

    def progress(self) -> str:
        """Return the number of workers and the rate at which they have recently done tasks, as text."""
        with self._lock:
            count, counts = len(self._workers), [*self._counts]
        text = f"{count} worker{'' if count == 1 else 's'}"
        if len(counts) < 2:
            return text
        (since, before), (now, done) = counts[0], counts[-1]
        return f"{text}, {_rate_text((done - before) / max(now - since, POLL_S))} tasks/s"

    @contextmanager
    def rates_announced(self) -> Iterator[None]:
        """Announce the rate of each worker at the end of a `with` block, unless the block fails.

        An interrupt does not count as a failure.
        """
        try:
            yield
        except Exception:
            raise
        except BaseException:
            self._announce_rates()
            raise
        self._announce_rates()

    def _announce_rates(self) -> None:
        now = time.monotonic()
        with self._lock:
            workers = [one for one in (*self._left, *self._workers.values()) if one.done or one.left is None]
        if any(worker.done for worker in workers):
            self._say(_rates_text([(_worker_name(one.address), one.rate(now)) for one in workers]))

    def start(self) -> None:
        """Wait for workers, check them and the scheduler, and keep watching them from a thread.

        Raises
        ------
        ClusterError
            If there are no workers, or some code differs.
        """
        if self.scaling is not None:
            self.scaling.start()
            self._say(f"waiting for workers, at most {self.timeout_s:g} s")
        self._seen = time.monotonic()
        while not (slots := self._slots()):
            if time.monotonic() - self._seen > self.timeout_s:
                advice = "`dask worker` starts one" if self.scaling is None else JOBS_ADVICE
                raise ClusterError(f"{self._no_workers()}; {advice}")
            time.sleep(POLL_S)
        self._check(self._needs, list(slots))
        now = time.monotonic()
        self._workers = {address: _Worker(address, count, since=now) for address, count in slots.items()}
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
        if not self._is_shut_down:
            self._check_needs(call.func)
        future: Future[Result] = Future()
        kind = f"{getattr(call.func, '__module__', '')}.{getattr(call.func, '__qualname__', '')}"
        try:
            task = _Task(future, kind, pack(call))
        except Exception as error:  # noqa: BLE001 - the future carries it, as in a pool
            future.set_exception(error)
            return future
        with self._lock:
            if self._is_shut_down:
                raise RuntimeError("cannot submit a task: the cluster has been shut down")
            if self._failure is not None:
                raise self._failure
            self._queues.setdefault(kind, deque()).append(task)
            self._send()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more tasks; wait for the current ones, or cancel those that are queued."""
        with self._lock:
            self._is_shut_down = True
            if cancel_futures:
                for kind, queue in self._queues.items():  # tasks to repeat cannot be cancelled
                    self._queues[kind] = deque(task for task in queue if not task.future.cancel())
            unfinished = [task.future for task in self._all_tasks()]
            self._send()
        if wait:
            for future in unfinished:
                with suppress(CancelledError):
                    future.exception()

    def kill(self) -> None:
        """Cancel queued tasks and fail running ones with ClusterError."""
        self.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._fail(ClusterError("the cluster was shut down before this task was done"))

    # --- code ---------------------------------------------------------------

    def _check_needs(self, function: Callable[..., object]) -> None:
        """Check the workers again if a function needs code that has not been checked yet."""
        loaded = len(registry().loaded)
        if function in self._functions and loaded == self._loaded:
            return
        with self._lock:
            needs = needs_of([*self._functions, function])
            if needs != self._needs:
                self._check(needs, list(self._workers))
            self._functions.add(function)
            self._loaded = loaded

    def _check(self, needs: Needs, addresses: Sequence[str]) -> None:
        """Raise ClusterError unless the scheduler and these workers have the same code as this process."""
        expected = _own_code(needs)
        asked = {address: self._ask(address, REPORT_TIMEOUT_S, describe, needs) for address in addresses}
        try:
            reported = self._client.run_on_scheduler(describe, needs, callback_timeout=REPORT_TIMEOUT_S)
        except Exception as error:  # noqa: BLE001 - the scheduler may run other code
            reported = error
        if self._client.status != "running":
            raise ClusterError(self._lost_scheduler())
        problems = [f"the scheduler has {problem}" for problem in _problems(expected, reported)[:1]]
        problems += [
            f"{_worker_name(address)} has {', '.join(found)}"
            for address, report in asked.items()
            if (found := _problems(expected, report.result()))
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

    # --- the client ---------------------------------------------------------

    @contextmanager
    def _client_errors(self) -> Iterator[None]:
        """Turn any exception of the client into a ClusterError."""
        try:
            yield
        except Exception as error:
            is_lost = isinstance(error, OSError) or _is_of_dask(error)  # TimeoutError, too
            raise ClusterError(self._lost_scheduler() if is_lost else _failure_text(error)) from error

    def _slots(self) -> Mapping[str, int]:
        """Return how many tasks each worker of the cluster can run at a time."""
        with self._client_errors():
            slots: Mapping[str, int] = self._client.nthreads(callback_timeout=CLUSTER_TIMEOUT_S)
        return slots

    def _ask(
        self, address: str, timeout_s: float, function: Callable[..., object], *arguments: object
    ) -> "Future[object]":
        """Call a function in a worker; the future's result is the function's result or its exception.

        Each worker is asked from its own thread, because the client returns the answers of several workers
        only when all have answered, and some may hang.
        """
        answer: Future[object] = Future()

        def ask() -> None:
            options = {"workers": [address], "on_error": "return", "callback_timeout": timeout_s}
            try:
                answer.set_result(self._client.run(function, *arguments, **options)[address])
            except TimeoutError:
                answer.set_result(TimeoutError(f"no answer within {timeout_s:g} s"))
            except Exception as error:  # noqa: BLE001 - the caller waits for an answer in any case
                answer.set_result(error)

        with sigint_blocked():
            threading.Thread(target=ask, daemon=True).start()
        return answer

    # --- tasks --------------------------------------------------------------

    def _all_tasks(self) -> "list[_Task]":
        running = [task for worker in self._workers.values() for task in worker.running]
        return running + [task for queue in self._queues.values() for task in queue]

    def _send(self) -> None:
        """Send queued tasks to free workers; the caller holds the lock."""
        for kind, queue in self._queues.items():
            while queue and self._failure is None and (worker := self._free_worker(kind)) is not None:
                task = queue.popleft()
                if task.is_started or task.future.set_running_or_notify_cancel():
                    task.is_started = True
                    self._send_to(worker, task)
        if self._is_shut_down and not self._all_tasks():
            self._closed.set()

    def _free_worker(self, kind: str) -> "_Worker | None":
        """Return the least busy worker that may take a task of a kind, or None."""
        compiling = {
            worker.host
            for worker in self._workers.values()
            if (kind, worker.host) not in self._compiled and any(task.kind == kind for task in worker.running)
        }
        free = [
            worker
            for worker in self._workers.values()
            if len(worker.running) < worker.slots and worker.host not in compiling
        ]
        return min(free, key=lambda worker: len(worker.running) / worker.slots, default=None)

    def _send_to(self, worker: "_Worker", task: "_Task") -> None:
        worker.running.append(task)
        task.since = time.monotonic()
        arguments = self._needs, self._expected, task.request
        try:
            with self._client_errors():
                task.remote = self._client.submit(
                    _run_checked, *arguments, workers=[worker.address], pure=False
                )
        except ClusterError as error:
            self._fail(error)
            return
        task.remote.add_done_callback(partial(self._finish, worker, task))

    def _finish(self, worker: "_Worker", task: "_Task", remote: Any) -> None:  # it is only partially typed
        """Pass on the result of a task. Dask calls this in a thread."""
        try:
            problems, reply = remote.result()
        except BaseException as error:  # noqa: BLE001 - the caller waits for this future
            failed: BaseException | None = error
        else:
            failed = None
        with self._lock:
            if task.remote is not remote or self._failure is not None:
                return
            task.remote = None
            if task in worker.running:
                worker.running.remove(task)
            if remote.status == "cancelled" or (failed is not None and _is_of_dask(failed)):
                self._repeat(worker, task)
            elif failed is None and problems:
                self._refuse(worker.address, problems)
                self._queues[task.kind].appendleft(task)
                for other in self._withdraw(worker):
                    self._queues[other.kind].appendleft(other)
            else:
                self._compiled.add((task.kind, worker.host))
                worker.done += 1
                _settle(task.future, worker, failed, reply if failed is None else b"")
            self._send()

    def _withdraw(self, worker: "_Worker") -> "list[_Task]":
        """Forget a worker, and return the tasks that it was running; the caller holds the lock."""
        if self._workers.pop(worker.address, None) is not None:
            worker.left = time.monotonic()
            self._left.append(worker)
        tasks, worker.running = worker.running, []
        for task in tasks:
            remote, task.remote = task.remote, None
            with suppress(Exception):  # the scheduler may be dead by now
                remote.cancel()
        return tasks

    def _repeat(self, worker: "_Worker", task: "_Task") -> None:
        """Return a task to the queue after its worker has disappeared; the caller holds the lock."""
        if self._client.status == "running":
            task.attempts += 1
        if task.attempts < MAX_ATTEMPTS:
            self._queues[task.kind].appendleft(task)  # the task fails in the queue if the scheduler has died
        else:
            task.future.set_exception(
                WorkerError(
                    f"{MAX_ATTEMPTS} workers died while running this task, the last was "
                    f"{_worker_name(worker.address)}"
                )
            )

    def _fail(self, failure: ClusterError) -> None:
        """Make all tasks fail; the caller holds the lock."""
        if self._failure is None:
            self._failure = failure
            self._closed.set()
            for task in self._all_tasks():
                if task.is_started or task.future.set_running_or_notify_cancel():
                    task.future.set_exception(failure)

    def _lost_scheduler(self) -> str:
        silence = f"has not answered for {CLUSTER_TIMEOUT_S:g} s"
        return f"the scheduler at {quote(self._address)} has died or {silence}"

    def _no_workers(self) -> str:
        same = " with the same code" if self._refused else ""
        problem = "" if self.scaling is None or not self.scaling.problem else f" ({self.scaling.problem})"
        cluster = f"the cluster at {quote(self._address)}"
        return f"{cluster} has had no workers{same} for {self.timeout_s:g} s{problem}"

    # --- watching -----------------------------------------------------------

    def _watch(self) -> None:
        """Track workers joining, leaving and compiling, and detect a dead scheduler."""
        while not self._closed.wait(POLL_S):
            try:
                if self._client.status != "running":
                    raise ClusterError(self._lost_scheduler())
                self._update(self._slots())
                self._scale()
                self._watch_compilers()
            except Exception as error:  # noqa: BLE001 - no task may wait forever, whatever happens
                failure = error if isinstance(error, ClusterError) else ClusterError(_failure_text(error))
                with self._lock:
                    if not self._closed.is_set():
                        self._fail(failure)

    def _update(self, slots: Mapping[str, int]) -> None:
        """Update the list of workers."""
        with self._lock:
            for address in [address for address in self._workers if address not in slots]:
                worker = self._workers[address]
                for task in self._withdraw(worker):
                    self._repeat(worker, task)
            self._refused &= slots.keys()
            self._stopped &= slots.keys()
            self._admit(slots)
            now = time.monotonic()
            self._counts.append((now, sum(one.done for one in (*self._left, *self._workers.values()))))
            if self._workers:
                self._seen = now
            elif now - self._seen > self.timeout_s:
                self._fail(ClusterError(self._no_workers()))
            self._send()

    def _scale(self) -> None:
        """Start and stop workers if `scaling` is set."""
        if self.scaling is None:
            return
        with self._client_errors():
            names: Mapping[str, str] = self._client.run_on_scheduler(
                _names_of_workers, callback_timeout=CLUSTER_TIMEOUT_S
            )
        with self._lock:
            per_worker = min((worker.slots for worker in self._workers.values()), default=1)
            wanted = math.ceil(len(self._all_tasks()) / per_worker)
            busy = {worker.address for worker in self._workers.values() if worker.running}
            idle = {name for address, name in names.items() if address not in busy}
            closing = self.scaling.choose(wanted, names.values(), idle)
            for address, name in names.items():
                if name in closing:
                    self._stopped.add(address)
                    if address in self._workers:
                        self._withdraw(self._workers[address])
        had_problem = self.scaling.problem
        self.scaling.apply()
        if self.scaling.problem and self.scaling.problem != had_problem:
            self._say(f"warning: cannot start workers: {self.scaling.problem}")

    def _admit(self, slots: Mapping[str, int]) -> None:
        """Ask new workers for their code; add or refuse those that answered. The caller holds the lock."""
        known = {*self._workers, *self._refused, *self._stopped}
        new = [address for address in slots if address not in known]
        self._asked = {address: asked for address, asked in self._asked.items() if address in new}
        for address in new:
            needs, answer = self._asked.get(address, (None, None))
            if answer is None or needs != self._needs:
                asked = self._ask(address, REPORT_TIMEOUT_S, describe, self._needs)
                self._asked[address] = self._needs, asked
            elif answer.done():
                del self._asked[address]
                if _is_gone(answer.result()):
                    continue
                problems = _problems(self._expected, answer.result())
                if problems:
                    self._refuse(address, problems)
                else:
                    self._workers[address] = _Worker(address, slots[address], since=time.monotonic())

    def _refuse(self, address: str, problems: Sequence[str]) -> None:
        self._refused.add(address)
        with suppress(Warning):  # warnings may be errors
            warnings.warn(
                f"{_worker_name(address)} has {', '.join(problems)}: it gets no tasks",
                RuntimeWarning,
                stacklevel=2,
            )

    def _watch_compilers(self) -> None:
        """Allow a host's other workers to start once its first task of a kind has stopped compiling."""
        with self._lock:
            first = {
                (task.kind, worker.host): (worker.address, task.since)
                for worker in self._workers.values()
                for task in worker.running
                if (task.kind, worker.host) not in self._compiled
            }
        silent = self._seconds_since_compiling({address for address, _ in first.values()})
        now = time.monotonic()
        busy = {host for (_, host), (address, _) in first.items() if silent[address] <= QUIET_S}
        text = ""
        with self._lock:
            self._compiled |= {
                place
                for place, (address, since) in first.items()
                if min(silent[address], now - since) > QUIET_S
            }
            if busy and self._compiling_since is None:
                self._compiling_since = now
                hosts = f"{len(busy)} host{'s' if len(busy) > 1 else ''}"
                text = f"compiling kernels on {hosts}: one worker per host compiles while the others wait"
            elif not busy and self._compiling_since is not None:
                text = f"kernels compiled in {now - self._compiling_since:.0f} s"
                self._compiling_since = None
            self._send()
        if text:
            self._say(text)

    def _say(self, text: str) -> None:
        with suppress(Exception):  # stderr may be closed, for example
            self._announce(text)

    def _seconds_since_compiling(self, addresses: Collection[str]) -> dict[str, float]:
        """Return how many seconds ago workers compiled a kernel; infinity if never, or if they are gone."""
        asked = {
            address: self._ask(address, CLUSTER_TIMEOUT_S, _seconds_since_compiling) for address in addresses
        }
        return {address: _seconds_of(answer.result()) for address, answer in asked.items()}


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
class _Worker:
    """A worker that gets tasks."""

    address: str
    slots: int
    since: float = 0.0
    left: float | None = None
    done: int = 0
    running: list[_Task] = field(default_factory=list)

    def rate(self, now: float) -> float:
        """Return how many tasks per second the worker did while it was in the cluster."""
        return self.done / max((now if self.left is None else self.left) - self.since, POLL_S)

    @property
    def host(self) -> str:
        return self.address.partition("://")[2].rpartition(":")[0]


def _settle(future: "Future[Any]", worker: _Worker, failed: BaseException | None, reply: bytes) -> None:
    """Set the result of a task from the reply of its worker; errors name the worker."""
    if failed is not None:
        future.set_exception(failed)
        return
    try:
        is_ok, result = unpack(reply)
    except Exception as error:  # noqa: BLE001 - the caller waits for this future
        is_ok, result = False, error
    if not is_ok and isinstance(result, BoardgamesError):
        result.args = (f"{_worker_name(worker.address)}: {result}", *result.args[1:])
    (future.set_result if is_ok else future.set_exception)(result)


def _rates_text(rates: Sequence[tuple[str, float]]) -> str:
    """Return the rates of all workers as text or, if there are many, only the slowest and the fastest.

    Examples
    --------
    >>> _rates_text([("worker a", 12.34), ("worker b", 11.8)])
    '2 workers: 12.3 and 11.8 tasks/s'
    >>> _rates_text([("worker a", 1), ("worker b", 2), ("worker c", 3), ("worker d", 150), ("worker e", 0.5)])
    '5 workers: 0.5 (worker e) to 150 tasks/s'
    """
    texts = [_rate_text(rate) for _, rate in rates]
    if len(texts) == 1:
        return f"1 worker: {texts[0]} tasks/s"
    if len(texts) <= MAX_LISTED_RATES:
        return f"{len(texts)} workers: {', '.join(texts[:-1])} and {texts[-1]} tasks/s"
    (slowest, least), (_, most) = (choice(rates, key=lambda item: item[1]) for choice in (min, max))
    return f"{len(texts)} workers: {_rate_text(least)} ({slowest}) to {_rate_text(most)} tasks/s"


def _rate_text(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}" if rate >= 1 else f"{rate:.2g}"


def _worker_name(address: str) -> str:
    return f"worker {address.partition('://')[2] or address}"


def _own_code(needs: Needs) -> Code:
    """Return the code of this process; raise ClusterError if its files have changed since it loaded them."""
    code = describe(needs, max_age_s=CHECKED_S)
    changed = changed_since_start(code)
    if changed:
        raise ClusterError(f"the files of {', '.join(changed)} have changed; start the program again")
    return code


def _problems(expected: Code, report: object) -> list[str]:
    """Return the differences between a report and the expected one, as phrases that follow "has"."""
    if isinstance(report, Code):
        return differences(expected, report)
    if _is_gone(report):
        return []
    if isinstance(report, ModuleNotFoundError) and report.name == "boardgames":
        return ["no boardgames-core"]
    if isinstance(report, Exception) and not isinstance(report, ImportError | AttributeError):
        return [f"not reported its code ({describe_error(report)})"]
    return ["boardgames-core with other code"]


def _seconds_of(answer: object) -> float:
    """Return the number in a worker's answer: 0 if it is too busy to answer, infinity if it is gone."""
    if isinstance(answer, float):
        return answer
    return 0.0 if isinstance(answer, TimeoutError) else math.inf


def _names_of_workers(dask_scheduler: Any) -> dict[str, str]:  # it is only partially typed
    """Return the names of all workers by address. Dask runs this in the scheduler, which it passes."""
    return {address: str(worker.name) for address, worker in dask_scheduler.workers.items()}


def _is_gone(report: object) -> bool:
    """Return True if a worker could not report because it has left the cluster."""
    return isinstance(report, OSError) and _is_of_dask(report)


def _failure_text(error: Exception) -> str:
    return f"the cluster failed: {describe_error(error)}"


def _is_of_dask(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] == "distributed"


def _no_scheduler(address: str, reason: str) -> ClusterError:
    return ClusterError(f"no scheduler answers at {quote(address)} within {CLUSTER_TIMEOUT_S:g} s: {reason}")


def _check_is_scheduler(distributed: Any, address: str) -> None:  # it is only partially typed
    """Raise ClusterError unless a scheduler answers; a client might wait forever if something else does."""
    runner = distributed.utils.LoopRunner(asynchronous=False)
    runner.start()
    try:
        identity = runner.run_sync(_identity, distributed, address, callback_timeout=CLUSTER_TIMEOUT_S)
    except TimeoutError:
        raise _no_scheduler(
            address, "something answers there, but it is not a Dask scheduler, or it hangs"
        ) from None
    except OSError:
        raise _no_scheduler(address, "nothing can be reached there") from None
    except Exception as error:  # noqa: BLE001 - another service may send anything
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
    with sigint_blocked(), suppress(AssertionError):  # raised for a job whose submission failed
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


def _run_checked(needs: Needs, expected: Code, request: bytes) -> tuple[list[str], bytes]:
    """Run a task if this worker has the expected code; return the differences and the reply."""
    problems = differences(expected, describe(needs, max_age_s=CHECKED_S))
    if problems:
        return problems, b""
    with compilation_listener(_note_compiling):
        return [], run_packed(request)


_last_compiling = -math.inf
"""When this process last compiled a kernel, by `time.monotonic`; infinity during a compilation."""


def _note_compiling(module: str, count: int) -> None:
    global _last_compiling  # noqa: PLW0603 - compilation concerns the whole process
    _last_compiling = math.inf if module else time.monotonic()


def _seconds_since_compiling() -> float:
    """Return how many seconds ago this process compiled a kernel: 0 if it is compiling, infinity if never."""
    return max(time.monotonic() - _last_compiling, 0.0)
