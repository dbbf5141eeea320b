"""Connect Four games of several sizes and random matches on them, for the tests of this folder."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

REFERENCE = Path(__file__).parents[2] / "reference" / "connect4.py"


@pytest.fixture(scope="session")
def reference() -> ModuleType:
    """Return the module of slow rules."""
    spec = importlib.util.spec_from_file_location("reference_connect4", REFERENCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
