"""Execute the notebooks in docs/notebooks, and write them with their outputs.

    python docs/run_notebooks.py [NOTEBOOK...]

Do this after a change of a notebook, or of what it shows. Each one runs in an empty folder.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent / "notebooks"
TIMEOUT_S = 600
"""Time that a cell may take; the first one of a new installation compiles code."""


def paths() -> list[Path]:
    """Return all notebooks, those with solutions last."""
    return sorted(FOLDER.glob("*.ipynb")) + sorted(FOLDER.glob("solutions/*.ipynb"))


def executed(path: Path) -> nbformat.NotebookNode:
    """Return a notebook with the outputs of a new run; raise CellExecutionError if a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=TIMEOUT_S,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": folder}},
        )
        client.execute()
    notebook.metadata["language_info"] = {"name": "python"}  # without the version of this machine's Python
    return notebook


if __name__ == "__main__":
    for path in [Path(name).resolve() for name in sys.argv[1:]] or paths():
        nbformat.write(executed(path), path)
