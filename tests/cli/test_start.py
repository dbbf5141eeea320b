"""Ctrl-C while the program starts, ends, or handles an earlier Ctrl-C."""

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from waiting import TIMEOUT_S

from boardgames.cli import start

INTERRUPTED_IMPORT = """
import signal, sys
from boardgames.cli.start import main

class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == "boardgames.cli.main":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
main()
"""
LATE = """
import atexit, signal, sys
from boardgames.cli.start import main

atexit.register(signal.raise_signal, signal.SIGINT)
sys.argv = ["boardgames", "--version"]
main()
"""
UNRAISABLE = """
import signal, sys
import boardgames.cli.main as module
from boardgames.cli.start import main

class Interrupted:
    def __del__(self):
        raise KeyboardInterrupt

def run():
    Interrupted()
    for _ in range(10**9):
        pass

module.main = run
main()
"""


@pytest.fixture(autouse=True)
def _same_handlers() -> Iterator[None]:
    handler, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    yield
    signal.signal(signal.SIGINT, handler)
    sys.unraisablehook = hook


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize(
    ("source", "code"),
    [(INTERRUPTED_IMPORT, -signal.SIGINT), (LATE, -signal.SIGINT), (UNRAISABLE, 130)],
    ids=["import", "exit", "callback"],
)
def test_an_interrupt_outside_of_a_command_prints_nothing(source: str, code: int, home: object) -> None:
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert (done.returncode, done.stderr) == (code, "")


def test_an_interrupt_while_another_is_handled_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("boardgames.cli.main.main", interrupted)
    with pytest.raises(SystemExit) as caught:
        start.main()
    assert caught.value.code == 130
