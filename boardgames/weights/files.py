"""Files of named arrays with one JSON header: safetensors, and never a pickle.

The header is one string, since the format keeps several in no fixed order:
equal arrays and facts give equal bytes.
"""

import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boardgames.errors import FileError, WeightsError, shown
from boardgames.paths import write_atomic

HEADER = "boardgames"
"""Name under which the header stands in the file's metadata."""
LARGEST_FILE = 1 << 30
"""Bytes."""

Array = npt.NDArray[Any]  # any dtype that the format has


def write_arrays(path: Path, arrays: Mapping[str, Array], header: Mapping[str, object]) -> None:
    """Write C-contiguous arrays and a header of JSON values, atomically.

    Raises
    ------
    FileError
        If the file cannot be written; what was there stays.
    WeightsError
        If the header is not of JSON values.
    """
    write_atomic(path, as_bytes(arrays, header))


def as_bytes(arrays: Mapping[str, Array], header: Mapping[str, object]) -> bytes:
    """Return the content of such a file."""
    from safetensors.numpy import save

    try:
        text = json.dumps(header, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise WeightsError(f"expected a header of JSON values: {shown(str(error))}") from None
    # a copy in C order: the format writes the memory as it lies
    content: bytes = save(
        {name: np.array(array, order="C") for name, array in arrays.items()}, metadata={HEADER: text}
    )
    return content


def read_arrays(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """Return the arrays and the header of a file.

    Raises
    ------
    FileError
        If it cannot be read.
    WeightsError
        If it is damaged, another program's, or too large.
    """
    from safetensors import SafetensorError, safe_open

    _check_file(path)
    try:
        with safe_open(path, framework="np") as opened:
            text = (opened.metadata() or {}).get(HEADER)
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 - no mapping
    except (SafetensorError, OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise WeightsError(f"expected a file of weights: {path} ({shown(str(error))})") from None
    try:
        header = json.loads(text or "", parse_constant=_refuse)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise WeightsError(f"expected a file of weights that boardgames has written: {path}")
    return arrays, header


def _check_file(path: Path) -> None:
    """Raise what is wrong with the file itself, before another library opens it."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):  # a pipe would be waited for
            raise FileError(f"expected a file: {path} is none")
        if facts.st_size > LARGEST_FILE:
            raise WeightsError(f"expected a file of at most {LARGEST_FILE:,} bytes: {path}")
        with path.open("rb") as file:
            file.read(1)
    except (FileError, WeightsError):
        raise
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise FileError(f"cannot read {path}: {reason}") from None


def _refuse(constant: str) -> None:
    """Refuse NaN and Infinity, which are no JSON."""
    raise ValueError(constant)
