"""Files of named arrays with one JSON header: safetensors, and never a pickle.

The header is one string, since the format keeps several in no fixed order:
equal arrays and facts give equal bytes.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boardgames.errors import FileError, WeightsError
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
    """
    write_atomic(path, as_bytes(arrays, header))


def as_bytes(arrays: Mapping[str, Array], header: Mapping[str, object]) -> bytes:
    """Return the content of such a file."""
    from safetensors.numpy import save

    text = json.dumps(header, sort_keys=True, allow_nan=False)
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

    try:
        with path.open("rb") as file:  # says what is wrong with the file itself
            if path.stat().st_size > LARGEST_FILE:
                raise WeightsError(f"expected a file of at most {LARGEST_FILE:,} bytes: {path}")
            file.read(1)
        with safe_open(path, framework="np") as opened:
            text = (opened.metadata() or {}).get(HEADER)
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 - no mapping
    except WeightsError:
        raise
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise FileError(f"expected a readable file: {path} ({reason})") from None
    except (SafetensorError, TypeError, KeyError, AttributeError) as error:
        raise WeightsError(f"expected a file of weights: {path} ({error})") from None
    try:
        header = json.loads(text or "")
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise WeightsError(f"expected a file of weights that boardgames has written: {path}")
    return arrays, header
