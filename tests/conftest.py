"""What all tests share: Hypothesis without deadlines, and a home of their own for what is saved."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# the first example may compile, and a busy machine is no fault
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


# a test run that a shell put into the background inherits that interrupts are ignored; its children would too
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that stands for all of the user's folders."""
    folder = tmp_path / "home"
    monkeypatch.setenv("BOARDGAMES_HOME", str(folder))
    return folder
