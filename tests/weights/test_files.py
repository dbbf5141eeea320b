"""Files of arrays: equal bytes for equal content, and one kind of error for damaged and other files."""

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from boardgames.errors import FileError, WeightsError
from boardgames.weights.files import HEADER, as_bytes, read_arrays, write_arrays

ARRAYS = {"weights": np.array([0.5, -1.0, 0.0]), "seeds": np.array([[1, 2], [3, 2**64 - 1]], dtype=np.uint64)}
FACTS = {"game": "connect4", "schema": 1, "provenance": {"seed": 7, "figures": [0.5, None, True]}}
WHOLE = as_bytes(ARRAYS, FACTS)


def framed(header: bytes, data: bytes = b"") -> bytes:
    """Return a safetensors file with any header."""
    return struct.pack("<Q", len(header)) + header + data


def described(**tensors: object) -> bytes:
    text = json.dumps({"__metadata__": {HEADER: json.dumps(FACTS)}, **tensors})
    return framed(text.encode(), bytes(64))


def test_arrays_and_header_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "state.safetensors"
    write_arrays(path, ARRAYS, FACTS)
    arrays, header = read_arrays(path)
    assert header == FACTS
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert np.array_equal(arrays[name], array)


def test_transposed_array_is_read_as_it_was_written(tmp_path: Path) -> None:
    transposed = np.arange(6.0).reshape(2, 3).T
    write_arrays(tmp_path / "x", {"array": transposed}, {})
    assert np.array_equal(read_arrays(tmp_path / "x")[0]["array"], transposed)


def test_equal_content_gives_equal_bytes_in_any_order() -> None:
    reordered = dict(reversed(FACTS.items()))
    assert as_bytes(dict(reversed(ARRAYS.items())), reordered) == WHOLE
    assert as_bytes(ARRAYS, {**FACTS, "schema": 2}) != WHOLE


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"bytes", {1, 2}, np.float64], ids=repr)
def test_header_of_other_values_is_rejected_before_anything_is_written(tmp_path: Path, value: object) -> None:
    with pytest.raises(WeightsError, match="must have JSON values"):
        write_arrays(tmp_path / "x", ARRAYS, {"figure": value})
    assert list(tmp_path.iterdir()) == []


def test_failed_write_leaves_the_existing_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot write"):
        write_arrays(tmp_path / "folder", ARRAYS, FACTS)
    assert (tmp_path / "folder").is_dir()


DAMAGED = {
    "empty": b"",
    "short": b"\x00\x01",
    "text": b"game = connect4\n" * 20,
    "pickle": b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01a\x94K\x01s." * 4,
    "numpy": b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'}" + bytes(100),
    "zip": b"PK\x03\x04" + bytes(200),
    "cut header": WHOLE[:40],
    "cut arrays": WHOLE[:-1],
    "added bytes": WHOLE + b"x",
    "huge header": struct.pack("<Q", 2**63) + WHOLE[8:],
    "header beyond the file": struct.pack("<Q", 10**6) + WHOLE[8:],
    "no json": framed(b"{not json}"),
    "deep json": framed(b'{"a":' * 50_000 + b"1" + b"}" * 50_000),
    "another program's": save(ARRAYS),
    "another header": save(ARRAYS, metadata={"format": "pt"}),
    "header no object": save(ARRAYS, metadata={HEADER: "[1, 2]"}),
    "header no json": save(ARRAYS, metadata={HEADER: "game: connect4"}),
    "header with nan": save(ARRAYS, metadata={HEADER: '{"game": NaN}'}),
    "header of deep json": save(ARRAYS, metadata={HEADER: "[" * 100_000}),
    "header with long number": save(ARRAYS, metadata={HEADER: '{"seed": ' + "9" * 10_000 + "}"}),
    "offsets beyond the file": described(weights={"dtype": "F64", "shape": [9], "data_offsets": [0, 72]}),
    "offsets of another size": described(weights={"dtype": "F64", "shape": [3], "data_offsets": [0, 64]}),
    "huge shape": described(weights={"dtype": "F64", "shape": [2**62, 8], "data_offsets": [0, 64]}),
    "negative shape": described(weights={"dtype": "F64", "shape": [-8], "data_offsets": [0, 64]}),
    "unknown dtype": described(weights={"dtype": "F65", "shape": [8], "data_offsets": [0, 64]}),
    "dtype numpy has not": described(weights={"dtype": "F8_E4M3", "shape": [64], "data_offsets": [0, 64]}),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_and_foreign_files_are_rejected_in_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(DAMAGED[name])
    with pytest.raises(WeightsError, match="is not a file of weights") as raised:
        read_arrays(path)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 400
    assert str(path) in str(raised.value)


def test_every_flipped_bit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    for place, byte in enumerate(WHOLE):
        path.write_bytes(_changed(WHOLE, [(place, byte ^ 1)]))
        with pytest.raises(WeightsError, match=r"is not a file of weights|their checksum does not match"):
            read_arrays(path)


def test_flipped_bit_in_an_array_is_called_damage(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(_changed(WHOLE, [(len(WHOLE) - 1, WHOLE[-1] ^ 0x40)]))
    with pytest.raises(WeightsError, match="their checksum does not match"):
        read_arrays(path)


def test_header_with_numbers_as_keys_is_read_again(tmp_path: Path) -> None:
    write_arrays(tmp_path / "x", {}, {"scores": {2: 0.5, 10: (1, 2)}})  # in JSON, "10" sorts before "2"
    assert read_arrays(tmp_path / "x")[1] == {"scores": {"2": 0.5, "10": [1, 2]}}


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 100, len(WHOLE) - 1])
def test_truncated_file_is_rejected(tmp_path: Path, count: int) -> None:
    (tmp_path / "x").write_bytes(WHOLE[:count])
    with pytest.raises(WeightsError):
        read_arrays(tmp_path / "x")


def test_missing_file_and_folder_have_their_own_errors(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_arrays(tmp_path / "x")
    with pytest.raises(FileError, match="is not a regular file"):
        read_arrays(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipe_is_rejected_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="is not a regular file"):
        read_arrays(tmp_path / "pipe")


def test_huge_file_is_rejected_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as file:
        file.truncate((1 << 30) + 1)
    with pytest.raises(WeightsError, match="more than 1,073,741,824 bytes"):
        read_arrays(tmp_path / "x")


changes = st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=100)
@given(
    st.one_of(
        st.binary(max_size=200),
        changes.map(lambda made: _changed(WHOLE, made)),
        st.dictionaries(st.text(max_size=8), json_values, max_size=3).map(
            lambda header: framed(json.dumps(header).encode(), bytes(16))
        ),
        json_values.map(lambda header: save(ARRAYS, metadata={HEADER: json.dumps(header)})),
    )
)
def test_any_file_is_read_or_rejected(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.safetensors"
    path.write_bytes(content)
    try:
        arrays, header = read_arrays(path)
    except (WeightsError, FileError):
        return
    assert as_bytes(arrays, header)


def _changed(content: bytes, made: list[tuple[int, int]]) -> bytes:
    changed = bytearray(content)
    for place, byte in made:
        changed[place] = byte
    return bytes(changed)
