"""Files of named arrays with one JSON header, in the safetensors format; never pickles.

The header is a single entry of the file's metadata, because the order of entries
is not fixed: equal arrays and headers give equal bytes.
"""

import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boardgames.errors import FileError, WeightsError, quote
from boardgames.paths import write_atomic

HEADER = "boardgames"
"""Key of the header in the file's metadata."""
MAX_BYTES = 1 << 30

Array = npt.NDArray[Any]  # any dtype that the format supports


def write_arrays(path: Path, arrays: Mapping[str, Array], header: Mapping[str, object]) -> None:
    """Write arrays and a header of JSON values atomically.

    Raises
    ------
    FileError
        If the file cannot be written; an existing file is not changed.
    WeightsError
        If the header has values that JSON cannot represent.
    """
    write_atomic(path, as_bytes(arrays, header))


def as_bytes(arrays: Mapping[str, Array], header: Mapping[str, object]) -> bytes:
    """Return the content of the file that `write_arrays` writes."""
    from safetensors.numpy import save

    try:
        text = json.dumps(header, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise WeightsError(f"the header of a file must have JSON values: {quote(str(error))}") from None
    # copies in C order: the format writes memory as it is
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
        If it is damaged, too large, or was written by another program.
    """
    from safetensors import SafetensorError, safe_open

    _check_file(path)
    try:
        with safe_open(path, framework="np") as opened:
            text = (opened.metadata() or {}).get(HEADER)
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 - not a mapping
    except (SafetensorError, OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise WeightsError(f"{path} is not a file of weights: {quote(str(error))}") from None
    try:
        header = json.loads(text or "", parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise WeightsError(f"{path} is not a file of weights that boardgames has written")
    return arrays, header


def _check_file(path: Path) -> None:
    """Raise if there is something wrong with the file itself, before safetensors opens it."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # a pipe would block
            raise FileError(f"{path} is not a regular file")
        if status.st_size > MAX_BYTES:
            raise WeightsError(f"{path} is not a file of weights: it has more than {MAX_BYTES:,} bytes")
        with path.open("rb") as file:
            file.read(1)
    except (FileError, WeightsError):
        raise
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise FileError(f"cannot read {path}: {reason}") from None


def _reject_constant(constant: str) -> None:
    """Reject NaN and Infinity, which are not JSON."""
    raise ValueError(constant)
