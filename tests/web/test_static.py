"""The unit tests of the page's modules, which Node.js runs."""

import shutil
import subprocess
from pathlib import Path

import pytest
from browsers import skip_unless_required

TESTS = sorted((Path(__file__).parent / "static").glob("*.test.js"))


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_module_of_the_page(path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        skip_unless_required("there is no Node.js on this machine; on Debian: apt install nodejs")
    assert node is not None
    ran = subprocess.run([node, "--test", path], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
