"""Files that describe clusters: their errors are reported before anything is started."""

import re
import signal
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from boardgames.errors import BoardgamesError, ClusterError, FileError, MissingExtraError, OptionError
from boardgames.executors import open_executor
from boardgames.executors.cluster_file import ClusterFile, split_address

WORKERS = "[workers]\nnumber = 3\n"
JOBS = 'cores = 4\nmemory = "8GB"\n'

Write = Callable[[str], Path]


class KubeCluster:
    """Has some of the arguments of the class in dask-kubernetes."""

    def __init__(
        self, *, name: str = "", image: str = "", n_workers: int = 3, quiet: bool = False, **more: object
    ) -> None:
        self.given = {"name": name, "image": image, "n_workers": n_workers, "quiet": quiet, **more}


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for packages that are large, or that the tests do not need."""
    if find_spec("dask_jobqueue") is None:
        pytest.skip("dask-jobqueue is not installed")
    asyncssh, kubernetes = ModuleType("asyncssh"), ModuleType("dask_kubernetes.operator")
    vars(asyncssh).update(connect=_connect, SSHClientConnectionOptions=_Options)
    vars(kubernetes).update(KubeCluster=KubeCluster)
    monkeypatch.setitem(sys.modules, "asyncssh", asyncssh)
    monkeypatch.setitem(sys.modules, "dask_kubernetes", ModuleType("dask_kubernetes"))
    monkeypatch.setitem(sys.modules, "dask_kubernetes.operator", kubernetes)


def _connect(host: str, port: int = 22, **more: object) -> None: ...


class _Options:
    def prepare(self, username: str = "", client_keys: str = "") -> None: ...


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "cluster.toml"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("slurm", JOBS, "has no table [workers]: give it number = 8, or minimum = 2 and maximum = 20"),
        (
            "slurm",
            'queu = "long"\n' + JOBS + WORKERS,
            "SLURMCluster has no key 'queu'; did you mean 'queue'?",
        ),
        ("slurm", JOBS + "[worker]\nnumber = 3\n", "has no table [workers]"),
        ("slurm", JOBS + WORKERS + "[scheduler_option]\n", "has no table [scheduler_option]; did you mean"),
        (
            "slurm",
            'cores = "4"\nmemory = "8GB"\n' + WORKERS,
            "'cores' must be a whole number above 0, not '4'",
        ),
        ("slurm", 'cores = 4\nmemory = "8 cows"\n' + WORKERS, "'memory' must be text such as \"4 GB\""),
        ("slurm", 'queue = "x"\n' + WORKERS, "has no key 'cores': it must be a whole number above 0"),
        ("slurm", JOBS + "job_script_prologue = 'x'\n" + WORKERS, "'job_script_prologue' must be a list of"),
        ("slurm", "cores = \n", "is not valid TOML: invalid value (at line 1, column 9)"),
        ("slurm", JOBS + "workers = 3\n", "'workers' must be a table, not 3"),
        ("slurm", JOBS + "n_workers = 3\n" + WORKERS, "write 'number' in the table [workers]"),
        ("slurm", JOBS + WORKERS + 'queue = "x"\n', "[workers] has no key 'queue'; keys of the cluster come"),
        ("slurm", JOBS + "[workers]\nnumbr = 3\n", "[workers] has no key 'numbr'; did you mean 'number'?"),
        (
            "slurm",
            JOBS + "[workers]\nnumber = 0\n",
            "'number' in [workers] must be a whole number above 0, not 0",
        ),
        ("slurm", JOBS + "[workers]\nnumber = 9999\n", "'number' in [workers] must be 1 to 1024, not 9999"),
        ("slurm", JOBS + "[workers]\nmaximum = 3\n", "[workers] has no 'minimum'"),
        ("slurm", JOBS + WORKERS + "minimum = 3\n", "has both a number and a minimum or maximum"),
        ("slurm", JOBS + "[workers]\nminimum = 3\nmaximum = 2\n", "is 3, which is more than 'maximum', 2"),
        ("slurm", JOBS + WORKERS + "timeout = '1h'\n", "'timeout' in [workers] must be a number of seconds"),
        ("htcondor", JOBS + WORKERS, "has no key 'disk'"),
        ("ssh", "", "has no key 'hosts': it must be a list of texts"),
        (
            "ssh",
            'hosts = ["a"]',
            "'hosts' must list the host of the scheduler and then the hosts of the workers",
        ),
        ("ssh", 'hosts = ["a", "b"]\nremote_python = ["p"]', "'remote_python' has 1 entries for 2 hosts"),
        ("ssh", 'hosts = ["a", "b"]\n' + WORKERS, "[workers] cannot have 'number' over SSH"),
        (
            "ssh",
            'hosts = ["a", "b"]\n[connect_options]\nuser = "x"',
            "has no key 'user'; did you mean 'username'",
        ),
        ("kubernetes", "imag = 'x'\n" + WORKERS, "KubeCluster has no key 'imag'; did you mean 'image'?"),
    ],
)
def test_errors_in_a_file_name_the_file(kind: str, text: str, words: str, write: Write) -> None:
    path = write(text)
    with pytest.raises(OptionError, match=re.escape(words)) as caught:
        ClusterFile.read(kind, path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_nothing_is_started_if_the_file_is_wrong(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClusterFile, "start", lambda self: pytest.fail("started"))
    path = write(JOBS + "queu = 'x'\n" + WORKERS)
    with pytest.raises(OptionError, match="queu"), open_executor(cluster=f"slurm:{path}"):
        pass


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read .*none\.toml"):
        ClusterFile.read("slurm", tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("kind", "module", "extra"),
    [
        ("slurm", "dask_jobqueue", "cluster"),
        ("ssh", "asyncssh", "ssh"),
        ("kubernetes", "dask_kubernetes.operator", "kubernetes"),
    ],
)
def test_a_missing_package_is_named_with_the_extra_that_installs_it(
    kind: str, module: str, extra: str, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    path = write(WORKERS if kind == "kubernetes" else "")
    if kind == "slurm":
        path = write(JOBS + WORKERS)
    with pytest.raises(MissingExtraError, match=re.escape(f"pip install 'boardgames-core[{extra}]'")):
        ClusterFile.read(kind, path)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("slurm", "needs a file: slurm:FILE"),
        ("slurm: ", "needs a file: slurm:FILE"),
        ("slrum:x.toml", "no such kind of cluster 'slrum'; did you mean 'slurm'?"),
        ("x.toml", "say which kind of cluster x.toml describes, such as slurm:x.toml"),
    ],
)
def test_a_mistyped_kind_of_cluster_is_explained(address: str, words: str) -> None:
    with pytest.raises(OptionError, match=re.escape(words)):
        split_address(address)


def test_a_number_of_workers_cannot_be_given_with_a_file() -> None:
    with pytest.raises(BoardgamesError, match="leave out"), open_executor(3, cluster="slurm:x.toml"):
        pass


def test_jobs_get_a_process_for_each_core_unless_the_file_says_otherwise(write: Write) -> None:
    read = ClusterFile.read("slurm", write(JOBS + WORKERS))
    assert (read.arguments["processes"], read.minimum, read.maximum) == (4, 3, 3)
    text = JOBS + "processes = 2\n[workers]\nminimum = 2\nmaximum = 20\ntimeout = 60\n"
    read = ClusterFile.read("slurm", write(text))
    assert (read.arguments["processes"], read.minimum, read.maximum, read.timeout_s) == (2, 2, 20, 60)


def test_a_table_of_the_file_adds_to_the_defaults(write: Write) -> None:
    text = 'hosts = ["a", "b"]\n[worker_options]\nn_workers = 4\n[scheduler_options]\nport = 8786\n'
    read = ClusterFile.read("ssh", write(text))
    assert read.arguments["worker_options"] == {"nthreads": 1, "n_workers": 4}
    assert read.arguments["scheduler_options"] == {"dashboard_address": "127.0.0.1:0", "port": 8786}


def test_kubernetes_gets_the_arguments_of_the_file_and_no_workers_at_first(write: Write) -> None:
    started = ClusterFile.read("kubernetes", write('image = "me/games:1"\n' + WORKERS)).start()
    assert started.given == {"name": "", "image": "me/games:1", "n_workers": 0, "quiet": True}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_importing_a_package_keeps_the_signal_handlers(
    number: signal.Signals, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"import signal\nsignal.signal({int(number)}, lambda *given: None)\nclass SLURMCluster: ...\n"
    (tmp_path / "dask_jobqueue.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "dask_jobqueue", raising=False)
    before = signal.getsignal(number)
    try:
        with pytest.raises(OptionError, match="SLURMCluster has no key"):
            ClusterFile.read("slurm", write(JOBS + WORKERS))
        assert sys.modules["dask_jobqueue"].__file__ == str(tmp_path / "dask_jobqueue.py")
        assert signal.getsignal(number) is before
    finally:
        signal.signal(number, before)
        del sys.modules["dask_jobqueue"]


def test_a_cluster_that_cannot_be_started_gives_a_one_line_error(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object, **more: object) -> None:
        raise ValueError("no\nluck") from RuntimeError("the server\nis down")

    read = ClusterFile.read("kubernetes", write(WORKERS))
    monkeypatch.setattr(KubeCluster, "__init__", refuse)
    with pytest.raises(
        ClusterError, match=r"^cannot start the cluster of .*: RuntimeError: the server is down$"
    ):
        read.start()
