"""The types of signatures, and those of Numba that they stand for."""

from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core.typing import signature
from numba.np.numpy_support import from_dtype

from boardgames.kernels import types
from boardgames.kernels.types import Array, Kind, Signature, numba_type

RECORD = np.dtype([("one", np.int64), ("two", np.float32)], align=True)
INTEGERS = numba.types.Array(numba.types.int64, 1, "C")


class Pair(NamedTuple):
    first: int
    second: float


class Other(NamedTuple):
    first: int
    third: float


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (types.int64, numba.types.int64),
        (types.uint8, numba.types.uint8),
        (types.float32, numba.types.float32),
        (types.boolean, numba.types.boolean),
        (types.void, numba.types.none),
        (Array(types.int64, 1), INTEGERS),
        (Array(types.int8, 2, readonly=True), numba.types.Array(numba.types.int8, 2, "C", readonly=True)),
        (Array(types.Record(RECORD), 1), numba.types.Array(from_dtype(RECORD), 1, "C")),
        (types.UniTuple(types.uint64, 3), numba.types.UniTuple(numba.types.uint64, 3)),
        (
            types.Tuple((types.int64, types.boolean)),
            numba.types.Tuple((numba.types.int64, numba.types.boolean)),
        ),
        (
            types.NamedTuple([types.int64, types.float64], Pair),
            numba.types.NamedTuple([numba.types.int64, numba.types.float64], Pair),
        ),
        (
            types.FunctionType(types.void(Array(types.int64, 1))),
            numba.types.FunctionType(signature(numba.types.none, INTEGERS)),
        ),
        (types.int64(), signature(numba.types.int64)),
        (numba.types.intp, numba.types.intp),
    ],
    ids=str,
)
def test_each_type_stands_for_one_of_numba(kind: Kind | Signature, expected: object) -> None:
    assert numba_type(kind) == expected


def test_equal_types_are_equal() -> None:
    for one, other in (
        (types.int64, types.uint64),
        (Array(types.int64, 1), Array(types.int64, 1, readonly=True)),
        (types.UniTuple(types.int64, 2), types.UniTuple(types.int64, 3)),
        (types.NamedTuple([types.int64] * 2, Pair), types.NamedTuple([types.int64] * 2, Other)),
        (types.int64(types.int64), types.int64(types.uint64)),
        (types.int64(types.int64), types.void(types.int64)),
    ):
        assert one != other
        assert repr(one) != repr(other)
    assert Array(types.int64, 1) == Array(types.int64, 1)
    assert len({types.void(types.int64), types.void(types.int64)}) == 1
