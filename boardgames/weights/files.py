"""Files of named arrays with a JSON header, in the safetensors format; pickle is never used.

Equal arrays and headers give equal bytes. Therefore the header is a single entry of
the file's metadata, in which the order of several entries would not be fixed. It
includes a checksum of the arrays and of the rest of the header, so that a damaged
file is not used.
"""

import hashlib
import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boardgames.errors import FileError, WeightsError, quote
from boardgames.paths import describe_os_error, write_atomic

HEADER = "boardgames"
"""Key of the header in the file's metadata."""
CHECKSUM = "sha256"
"""Key of the checksum in the header."""
MAX_BYTES = 1 << 30

Array = npt.NDArray[Any]  # any dtype that the format supports


def write_arrays(path: Path, arrays: Mapping[str, Array], header: Mapping[str, object]) -> None:
    """Write arrays and a header of JSON values atomically.

    Raises
    ------
    FileError
        If the file cannot be written; an existing file is not changed.
    WeightsError
        If the header has values that JSON cannot represent, or the file would be too large.
    """
    write_atomic(path, as_bytes(arrays, header))


def as_bytes(arrays: Mapping[str, Array], header: Mapping[str, object]) -> bytes:
    """Return the content of the file that `write_arrays` writes."""
    from safetensors.numpy import save

    # copies in C order, because the format has no strides
    copies = {name: np.array(array, order="C") for name, array in arrays.items()}
    try:
        plain = json.loads(json.dumps(header, allow_nan=False))  # the header as it will be read back
        text = json.dumps({**plain, CHECKSUM: _checksum(copies, plain)}, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise WeightsError(f"the header of a file must have JSON values: {quote(str(error))}") from None
    size = sum(array.nbytes for array in copies.values()) + len(text)
    if size > MAX_BYTES * 0.99:  # some bytes are needed for the names of arrays
        raise WeightsError(f"a file of weights can have at most {MAX_BYTES:,} bytes, not {size:,}")
    content: bytes = save(copies, metadata={HEADER: text})
    return content


def read_arrays(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """Return the arrays and the header of a file.

    Raises
    ------
    FileError
        If the file cannot be read.
    WeightsError
        If the file is damaged or too large, or was written by another program.
    """
    from safetensors import SafetensorError, safe_open

    _check_file(path)
    try:
        with safe_open(path, framework="np") as opened:
            text = (opened.metadata() or {}).get(HEADER)
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 - not a mapping
    except (SafetensorError, OSError, ValueError, TypeError, KeyError, AttributeError):
        raise WeightsError(f"{path} is not a file of weights: it is damaged or not safetensors") from None
    try:
        header = json.loads(text or "", parse_constant=_reject_constant)
        checksum = header.pop(CHECKSUM, None) if isinstance(header, dict) else None
        is_whole = checksum is not None and checksum == _checksum(arrays, header)
    except (ValueError, RecursionError):
        checksum = None
    if checksum is None:
        raise WeightsError(f"{path} is not a file of weights that boardgames has written")
    if not is_whole:
        raise WeightsError(f"the weights in {path} are damaged: their checksum does not match")
    return arrays, header


def read_header(path: Path) -> dict[str, Any]:
    """Return the header of a file without reading its arrays or verifying its checksum.

    Raises
    ------
    FileError
        If the file cannot be read.
    WeightsError
        If the file has no header.
    """
    from safetensors import SafetensorError, safe_open

    _check_file(path)
    try:
        with safe_open(path, framework="np") as opened:
            header = json.loads((opened.metadata() or {}).get(HEADER) or "", parse_constant=_reject_constant)
    except (SafetensorError, OSError, ValueError, TypeError, AttributeError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise WeightsError(f"{path} is not a file of weights that boardgames has written")
    header.pop(CHECKSUM, None)
    return header


def _checksum(arrays: Mapping[str, Array], header: Mapping[str, object]) -> str:
    """Return the SHA-256, in hexadecimal, of arrays in C order and a header without its checksum."""
    digest = hashlib.sha256(json.dumps(header, sort_keys=True, allow_nan=False).encode())
    for name, array in sorted(arrays.items()):
        digest.update(json.dumps([name, array.dtype.name, array.shape]).encode())
        digest.update(array.astype(array.dtype.newbyteorder("<"), copy=False).data)
    return digest.hexdigest()


def _check_file(path: Path) -> None:
    """Raise an error if something is wrong with the file itself, before safetensors opens it."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # opening a pipe would block
            raise FileError(f"{path} is not a regular file")
        if status.st_size > MAX_BYTES:
            raise WeightsError(f"{path} is not a file of weights: it has more than {MAX_BYTES:,} bytes")
        with path.open("rb") as file:
            file.read(1)
    except (FileError, WeightsError):
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {path}: {describe_os_error(error)}") from None


def _reject_constant(constant: str) -> None:
    """Reject NaN and Infinity, which are not JSON."""
    raise ValueError(constant)
