"""Settings and fixtures of all tests."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# no deadline: the first example may compile kernels, and the machine may be busy
settings.register_profile(
    "default", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# only test modules are collected, since looking for doctests in helpers would import and compile them twice
FOLDER = Path(__file__).parent
collect_ignore = [str(path) for path in FOLDER.rglob("*.py") if not path.name.startswith("test_")]

# a shell starts background processes with interrupts ignored, and child processes would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)


COMPILED_FIRST = (
    """
import boardgames.search.alphabeta.searcher
import boardgames.selfplay
import boardgames.selfplay.bootstrapping
import boardgames.learning.pattern_fit
import boardgames_abalone.game
import boardgames_abalone.passive
import boardgames_abalone.patterns
import boardgames_hexifence.control
import boardgames_hexifence.farrugiulian
import faulty
import nim
import othello
import reference.tactics
""",
    """
import boardgames
import boardgames.batch
import boardgames.search.mcts.searcher
import boardgames.search.minimax
import boardgames.testing.oracle
for options in ({}, {"columns": 5, "rows": 4}, {"columns": 4, "rows": 4}):
    boardgames.load("connect4", **options)
boardgames.load("hexifence", dimension=2)
import boardgames_connect4.patterns
import boardgames_connect4.solver
import boardgames_connect4.value_iteration.policy
import boardgames_hexifence.agents
""",
)
"""Two programs that each compile half of the kernels that most tests need."""


def pytest_configure(config: pytest.Config) -> None:
    """Compile kernels once before the workers start, because otherwise every worker would compile them."""
    is_controller = not hasattr(config, "workerinput") and getattr(config.option, "numprocesses", None)
    if is_controller and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
        programs = [subprocess.Popen([sys.executable, "-c", code], cwd=FOLDER) for code in COMPILED_FIRST]
        for program in programs:
            program.wait()


def pytest_collection_finish() -> None:
    """Exclude collected tests from garbage collection, since the server starts one for each match."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def frozen_objects() -> None:
    """Keep the objects of earlier modules out of garbage collections, too."""
    gc.freeze()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that replaces the user's folders."""
    folder = tmp_path / "home"
    monkeypatch.setenv("BOARDGAMES_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def named_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo the registration of packages as plug-ins after each test, since `tests` is such a package."""
    from boardgames import faults

    monkeypatch.setattr(faults, "_plugins", faults._plugins.copy())


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that makes a plug-in offer objects for Connect Four through a hook."""
    from installed import add_offers  # not needed by the process that starts the workers

    return partial(add_offers, monkeypatch)
