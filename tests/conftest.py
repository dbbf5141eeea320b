"""Settings and fixtures of all tests."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# no deadline: the first example may compile kernels, and the machine may be busy
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# a shell starts background processes with interrupts ignored, and child processes would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that replaces the user's folders."""
    folder = tmp_path / "home"
    monkeypatch.setenv("BOARDGAMES_HOME", str(folder))
    return folder
