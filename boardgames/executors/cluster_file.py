"""Clusters that a TOML file describes: on a batch system, over SSH or on Kubernetes.

`slurm:FILE` names the kind of the cluster and the file. The keys of the file are the keyword arguments
of a class of dask-jobqueue, distributed or dask-kubernetes, which starts the cluster; its table
`[workers]` says how many workers there are. The whole file is checked before anything is started.
"""

import inspect
import signal
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from boardgames.errors import ClusterError, MissingExtraError, OptionError, describe_error, quote, suggest
from boardgames.executors.pool import MAX_WORKERS
from boardgames.paths import read_text

MAX_FILE_BYTES = 1 << 16
SSH_TIMEOUT_S = 30.0
"""How long a cluster over SSH may be without workers, unless the file says otherwise."""
KUBERNETES_TIMEOUT_S = 600.0
"""The same on Kubernetes, where a node may have to start and load the image."""
QUEUE_TIMEOUT_S = 3600.0
"""The same on a batch system, where jobs wait in a queue."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of cluster that a file can describe.

    Attributes
    ----------
    package, module, name : str
        The package to install, and the class or function that starts the cluster.
    extra : str
        The extra that installs the package.
    timeout_s : float
        How long the cluster may be without workers.
    required : tuple of str
        Keys that every file must have.
    defaults : mapping
        Values for keys that a file leaves out; tables in the file are completed, not replaced.
    is_resizable : bool
        False if the file lists the workers.
    """

    package: str
    module: str
    name: str
    extra: str = "cluster"
    timeout_s: float = QUEUE_TIMEOUT_S
    required: tuple[str, ...] = ("cores", "memory")
    defaults: tuple[tuple[str, object], ...] = (
        # a fixed port could be taken if two people share the machine
        ("scheduler_options", {"dashboard_address": "127.0.0.1:0"}),
    )
    is_resizable: bool = True

    def is_batch_system(self) -> bool:
        """Return whether workers are jobs in a queue."""
        return self.package == "dask-jobqueue"


def _batch_system(name: str, *more: str) -> Kind:
    return Kind("dask-jobqueue", "dask_jobqueue", name, required=("cores", "memory", *more))


KINDS: Mapping[str, Kind] = {
    "htcondor": _batch_system("HTCondorCluster", "disk"),
    "kubernetes": Kind(
        "dask-kubernetes",
        "dask_kubernetes.operator",
        "KubeCluster",
        extra="kubernetes",
        timeout_s=KUBERNETES_TIMEOUT_S,
        required=(),
        defaults=(("quiet", True),),
    ),
    "lsf": _batch_system("LSFCluster"),
    "moab": _batch_system("MoabCluster"),
    "oar": _batch_system("OARCluster"),
    "pbs": _batch_system("PBSCluster"),
    "sge": _batch_system("SGECluster"),
    "slurm": _batch_system("SLURMCluster"),
    "ssh": Kind(
        "asyncssh",
        "distributed",
        "SSHCluster",
        extra="ssh",
        timeout_s=SSH_TIMEOUT_S,
        required=("hosts",),
        defaults=(
            ("scheduler_options", {"dashboard_address": "127.0.0.1:0"}),
            ("worker_options", {"nthreads": 1}),
        ),
        is_resizable=False,
    ),
}
"""The kinds of clusters that a file can describe."""

NOT_FOR_FILES = frozenset(
    {
        *("asynchronous", "cluster", "create_mode", "job_cls", "loop", "scheduler", "scheduler_cls", "self"),
        *(
            "dashboard_address",
            "host",
            "silence_logs",
        ),  # the first two belong in scheduler_options
        *("env_extra", "extra", "header_skip", "job_extra"),  # old names, which only give warnings
        "n_workers",  # set in the table [workers]
    }
)
"""Arguments of the classes that a file must not set."""


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and 0 < float(value) < float("inf")  # type: ignore[arg-type] # just checked


def _is_count(value: object) -> bool:
    return type(value) is int and value > 0


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_size(value: object) -> bool:
    dask: Any = import_module("dask.utils")  # it is only partially typed
    try:
        return isinstance(value, str) and dask.parse_bytes(value) > 0
    except (ValueError, KeyError):
        return False


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


@dataclass(frozen=True, slots=True)
class _Type:
    description: str
    checks: tuple[Callable[[object], bool], ...]

    def accepts(self, value: object) -> bool:
        return any(check(value) for check in self.checks)


_COUNT = _Type("a whole number above 0", (_is_count,))
_SECONDS = _Type("a number of seconds above 0", (_is_number,))
_TEXT = _Type("text in quotes", (_is_text,))
_SIZE = _Type('text such as "4 GB"', (_is_size,))
_TEXTS = _Type('a list of texts, such as ["a", "b"]', (_is_texts,))
_TRUTH = _Type("true or false", (lambda value: isinstance(value, bool),))
_TABLE = _Type("a table", (_is_table,))

_TYPES: Mapping[str, _Type] = {
    **dict.fromkeys(("cores", "job_cpu", "mem", "ncpus", "processes", "scheduler_forward_port"), _COUNT),
    **dict.fromkeys(("death_timeout", "idle_timeout", "resource_timeout"), _SECONDS),
    **dict.fromkeys(("disk", "memory"), _SIZE),
    **dict.fromkeys(
        (
            *(
                "account",
                "config_name",
                "image",
                "interface",
                "job_mem",
                "job_name",
                "local_directory",
            ),
            *("log_directory", "lsf_units", "memory_per_core_property_name", "name", "namespace"),
            *("project", "protocol", "python", "queue", "resource_spec", "scheduler_service_type"),
            *("shared_temp_directory", "shebang", "walltime", "worker_class"),
        ),
        _TEXT,
    ),
    **dict.fromkeys(
        (
            *("cancel_command_extra", "hosts", "job_directives_skip", "job_script_prologue"),
            *("submit_command_extra", "worker_extra_args"),
        ),
        _TEXTS,
    ),
    **dict.fromkeys(
        (
            "jupyter",
            "nanny",
            "port_forward_cluster_ip",
            "quiet",
            "security",
            "shutdown_on_close",
            "use_stdin",
        ),
        _TRUTH,
    ),
    **dict.fromkeys(("resources", "scheduler_options", "worker_options"), _TABLE),
    "connect_options": _Type("a table, or a list with a table for each host", (_is_table, _is_tables)),
    "custom_cluster_spec": _Type("the path of a file, or a table", (_is_text, _is_table)),
    "env": _Type("a table, or a list of tables", (_is_table, _is_tables)),
    "job_extra_directives": _Type("a list of texts, or for HTCondor a table", (_is_texts, _is_table)),
    "remote_python": _Type("text in quotes, or a list with a text for each host", (_is_text, _is_texts)),
    "worker_command": _Type("text in quotes, or a list of texts", (_is_text, _is_texts)),
}
"""The required types of values by key; Dask checks the values of other keys."""


@dataclass(frozen=True, slots=True)
class ClusterFile:
    """A cluster that a file describes, checked but not started.

    Attributes
    ----------
    path : Path
        The file.
    kind : Kind
        How the cluster is started.
    arguments : dict
        Keyword arguments of the class or function that starts the cluster.
    minimum, maximum : int
        Range of the number of workers; equal if the number is fixed, and 0 if the file lists the workers.
    timeout_s : float
        How long the cluster may be without workers.
    """

    path: Path
    kind: Kind
    arguments: dict[str, object]
    minimum: int
    maximum: int
    timeout_s: float

    @classmethod
    def read(cls, kind_name: str, path: Path) -> "ClusterFile":
        """Read and check a file.

        Raises
        ------
        FileError, OptionError
            If the file cannot be read or has an error.
        MissingExtraError
            If the package that starts such clusters is not installed.
        """
        kind = KINDS[kind_name]
        content = _content(path)
        workers = content.pop("workers", None)
        minimum, maximum, timeout_s = _worker_numbers(path, kind, workers)
        _check_types(path, content)
        _check_keys(path, kind, kind_name, content)
        return cls(path, kind, _with_defaults(kind, content), minimum, maximum, timeout_s)

    def start(self) -> Any:  # the classes are not typed
        """Start the cluster, initially without workers unless the file lists them.

        Raises
        ------
        ClusterError
            If the cluster cannot be started.
        """
        start = _loaded(self.kind)
        arguments: dict[str, object] = {"n_workers": 0} if self.kind.is_resizable else {}
        if self.kind.is_batch_system():
            arguments["silence_logs"] = "CRITICAL"
        try:
            return start(**self.arguments, **arguments)
        except Exception as error:  # noqa: BLE001 - report any failure of the package in one line
            raise ClusterError(f"cannot start the cluster of {self.path}: {cause_of(error)}") from None


def split_address(address: str) -> tuple[str, Path] | None:
    """Return the kind and the file in `slurm:FILE`, or None if this is the address of a scheduler.

    Raises
    ------
    OptionError
        If the text cannot be either.

    Examples
    --------
    >>> kind, path = split_address("slurm:cluster.toml")
    >>> kind, str(path)
    ('slurm', 'cluster.toml')
    >>> split_address("tcp://10.0.0.1:8786")
    """
    kind, colon, file = address.partition(":")
    if kind in KINDS and file.strip():
        return kind, Path(file).expanduser()
    if kind in KINDS:
        raise OptionError(f"a cluster with {kind} needs a file: {kind}:FILE")
    if address.endswith(".toml"):
        if colon:
            raise OptionError(f"no such kind of cluster {quote(kind)}{suggest(kind, KINDS)}")
        raise OptionError(f"say which kind of cluster {address} describes, such as slurm:{address}")
    return None


def cause_of(error: BaseException) -> str:
    r"""Return why something could not be started, on one line: for a failed command, what it printed.

    Examples
    --------
    >>> cause_of(RuntimeError("failed\nCommand:\nsbatch x.sh\nstdout:\n\nstderr:\nno such partition\n"))
    'sbatch x.sh: no such partition'
    """
    while error.__cause__ is not None:
        error = error.__cause__
    _, _, command = str(error).partition("\nCommand:\n")
    if command:
        program, _, printed = command.partition("\nstdout:\n")
        output, _, errors = printed.partition("stderr:\n")
        return f"{program.strip()}: {' '.join((errors or output).split()) or 'failed'}"
    if isinstance(error, FileNotFoundError) and error.filename:
        return f"there is no {quote(str(error.filename))} on this machine"
    return describe_error(error)


_EXAMPLE = "give it number = 8, or minimum = 2 and maximum = 20"


def _content(path: Path) -> dict[str, Any]:
    text = read_text(path, limit=MAX_FILE_BYTES)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError also for numbers with thousands of digits
        reason = " ".join(str(error).split())
        raise OptionError(f"{path} is not valid TOML: {reason[:1].lower()}{reason[1:]}") from None


def _worker_numbers(path: Path, kind: Kind, table: object) -> tuple[int, int, float]:
    """Return the minimum and maximum number of workers, and how long the cluster may be without any."""
    if table is None and kind.is_resizable:
        raise OptionError(f"{path} has no table [workers]: {_EXAMPLE}")
    if not isinstance(table, dict | None):
        raise OptionError(f"{path}: 'workers' must be a table, not {quote(table)}: {_EXAMPLE}")
    table = table or {}
    for key, value in table.items():
        _check_worker_key(path, kind, key, value)
    timeout_s = float(table.get("timeout", kind.timeout_s))
    if not kind.is_resizable:
        return 0, 0, timeout_s
    if "number" in table and ("minimum" in table or "maximum" in table):
        raise OptionError(f"{path}: [workers] has both a number and a minimum or maximum: {_EXAMPLE}")
    keys = ("number", "number") if "number" in table else ("minimum", "maximum")
    for key in keys:
        if key not in table:
            raise OptionError(f"{path}: [workers] has no {key!r}: {_EXAMPLE}")
    least, most = (int(table[key]) for key in keys)
    if most > MAX_WORKERS:
        raise OptionError(f"{path}: {keys[1]!r} in [workers] must be 1 to {MAX_WORKERS}, not {most}")
    if least > most:
        raise OptionError(f"{path}: 'minimum' in [workers] is {least}, which is more than 'maximum', {most}")
    return least, most, timeout_s


def _check_worker_key(path: Path, kind: Kind, key: str, value: object) -> None:
    numbers = ("number", "minimum", "maximum")
    known = (*numbers, "timeout") if kind.is_resizable else ("timeout",)
    if key in numbers and not kind.is_resizable:
        raise OptionError(
            f"{path}: [workers] cannot have {key!r} over SSH: 'hosts' lists the machines, and 'n_workers' "
            "in [worker_options] says how many workers each of them gets"
        )
    if key not in known:
        hint = "; keys of the cluster come before the first table" if key in _TYPES else suggest(key, known)
        raise OptionError(f"{path}: [workers] has no key {quote(key)}{hint}")
    expected = _SECONDS if key == "timeout" else _COUNT
    if not expected.accepts(value):
        raise OptionError(f"{path}: {key!r} in [workers] must be {expected.description}, not {quote(value)}")


def _check_types(path: Path, content: Mapping[str, object]) -> None:
    for key, value in content.items():
        if key in _TYPES and not _TYPES[key].accepts(value):
            raise OptionError(f"{path}: {key!r} must be {_TYPES[key].description}, not {quote(value)}")


def _check_keys(path: Path, kind: Kind, kind_name: str, content: Mapping[str, object]) -> None:
    """Check that the class has arguments with the names of all keys, and that no required key is missing."""
    known = _arguments_of(_loaded(kind))
    for key, value in content.items():
        if key == "n_workers":
            raise OptionError(f"{path}: 'n_workers' is not a key; write 'number' in the table [workers]")
        if key not in known:
            what = f"table [{key}]" if isinstance(value, dict) else f"key {quote(key)}"
            names = {*known, "workers"} if isinstance(value, dict) else known
            raise OptionError(f"{path}: {kind.name} has no {what}{suggest(key, names)}")
    for key in kind.required:
        if key not in content and not _is_configured(kind_name, key):
            raise OptionError(f"{path} has no key {key!r}: it must be {_TYPES[key].description}")
    hosts = content.get("hosts")
    if isinstance(hosts, list) and len(hosts) < 2:
        raise OptionError(
            f"{path}: 'hosts' must list the host of the scheduler and then the hosts of the workers, "
            f"not {quote(hosts)}"
        )
    for key in ("connect_options", "remote_python"):
        values = content.get(key)
        if isinstance(hosts, list) and isinstance(values, list) and len(values) != len(hosts):
            raise OptionError(f"{path}: {key!r} has {len(values)} entries for {len(hosts)} hosts")
    _check_connect_options(path, content.get("connect_options"))


def _check_connect_options(
    path: Path, options: Any
) -> None:  # `_check_types` has checked that it is a table or tables
    if options is None:
        return
    asyncssh: Any = import_module("asyncssh")  # an optional package; `_loaded` has imported it
    known = {*inspect.signature(asyncssh.SSHClientConnectionOptions.prepare).parameters} - {"self"}
    known |= {*inspect.signature(asyncssh.connect).parameters} - {"kwargs"}
    tables: list[dict[str, object]] = options if isinstance(options, list) else [options]
    for table in tables:
        for key in table:
            if key not in known:
                raise OptionError(f"{path}: [connect_options] has no key {quote(key)}{suggest(key, known)}")


def _is_configured(kind_name: str, key: str) -> bool:
    """Return True if Dask's own configuration, such as jobqueue.yaml, has a value for a key."""
    config: Any = import_module("dask.config")  # it is only partially typed
    return config.get(f"jobqueue.{kind_name}.{key}", None) is not None


def _loaded(kind: Kind) -> Any:  # the packages are optional, and not typed
    """Return the class or function that starts clusters."""
    try:
        with _signal_handlers_kept():
            if kind.package == "asyncssh":  # distributed imports it only when it connects
                import_module("asyncssh")
            return getattr(import_module(kind.module), kind.name)
    except ImportError:
        raise MissingExtraError(kind.extra, f"a cluster started by {kind.package}") from None


@contextmanager
def _signal_handlers_kept() -> Iterator[None]:
    """Restore the handlers of SIGINT and SIGTERM, because importing dask-jobqueue replaces the first."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)


def _arguments_of(start: Any) -> Collection[str]:  # the classes are not typed
    """Return the names of all keyword arguments, including those that a class passes on to its job class."""
    functions = [start]
    if inspect.isclass(start):
        job = getattr(start, "job_cls", None)
        classes = [*start.__mro__, *(job.__mro__ if inspect.isclass(job) else ())]
        package = start.__module__.partition(".")[0]  # these classes pass no arguments on to distributed
        own = [one for one in classes if one.__module__.partition(".")[0] == package]
        functions = [vars(one)["__init__"] for one in own if "__init__" in vars(one)]
    names: set[str] = set()
    for function in functions:
        names |= {
            parameter.name
            for parameter in inspect.signature(function).parameters.values()
            if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        }
    return names - NOT_FOR_FILES


def _with_defaults(kind: Kind, content: Mapping[str, object]) -> dict[str, object]:
    arguments = dict(content)
    for key, default in kind.defaults:
        given = arguments.get(key)
        if isinstance(default, dict) and isinstance(given, dict):
            arguments[key] = {**default, **given}
        else:
            arguments.setdefault(key, default)
    if kind.is_batch_system() and "processes" not in arguments and "cores" in arguments:
        arguments["processes"] = arguments["cores"]  # tasks need one core each
    return arguments
