"""The types of signatures, named as in Numba: `types.int64(types.uint64)`.

Importing Numba takes longer than everything else that is needed to draw a board, so signatures
consist of the types in this module. `numba_type` converts them to Numba's types for compilation.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np


class Kind:
    """The type of an argument, result or field. Calling a type with argument types returns a signature.

    Examples
    --------
    >>> int64(float64, Array(uint64, 1, "C"))
    (float64, uint64[::1]) -> int64
    """

    def __init__(self, *parts: Any) -> None:  # names, numbers and other types
        self._parts = (type(self).__name__, *parts)

    def __call__(self, *args: Any) -> "Signature":  # of this module or, for intrinsics, of Numba
        """Return the signature of a kernel with these arguments and this type of result."""
        return Signature(self, args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        name, *parts = self._parts
        return f"{name}({', '.join(map(repr, parts))})"


class Scalar(Kind):
    """A number, a truth value, or `void` for a kernel without a result."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __repr__(self) -> str:
        return self.name

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of arrays of such values."""
        return np.dtype(np.bool_ if self.name == "boolean" else self.name)


class Record(Kind):
    """A record of a structured dtype."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        super().__init__(dtype)
        self.dtype = dtype


class Array(Kind):
    """A contiguous array; `item` is the type of its elements."""

    def __init__(
        self, item: Scalar | Record, ndim: int, layout: str = "C", *, readonly: bool = False
    ) -> None:
        super().__init__(item, ndim, layout, readonly)
        self.item, self.ndim, self.layout, self.mutable = item, ndim, layout, not readonly

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the array in Python."""
        return self.item.dtype

    def __repr__(self) -> str:
        axes = ", ".join([":"] * (self.ndim - 1) + ["::1"])
        return f"{self.item!r}[{axes}]" if self.mutable else f"readonly {self.item!r}[{axes}]"


class Tuple(Kind):
    """A tuple of values of given types."""

    def __init__(self, items: Sequence[Kind]) -> None:
        super().__init__(*items)
        self.items = tuple(items)


class UniTuple(Tuple):
    """A tuple of `count` values of one type."""

    def __init__(self, item: Kind, count: int) -> None:
        super().__init__([item] * count)


class NamedTuple(Kind):
    """A named tuple, with the types of its fields."""

    def __init__(self, items: Sequence[Kind], fields: type[Any]) -> None:
        super().__init__(tuple(items), fields, fields._fields)
        self.items, self.fields = tuple(items), fields


class FunctionType(Kind):
    """A kernel of a given signature as an argument of another kernel."""

    def __init__(self, signature: "Signature") -> None:
        super().__init__(signature)
        self.signature = signature


class Signature:
    """The types of the arguments of a kernel and of its result.

    Examples
    --------
    >>> void(int64).args
    (int64,)
    """

    def __init__(self, return_type: Kind, args: tuple[Any, ...]) -> None:
        self.return_type, self.args = return_type, args

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Signature):
            return NotImplemented
        return (self.return_type, self.args) == (other.return_type, other.args)

    def __hash__(self) -> int:
        return hash((self.return_type, self.args))

    def __repr__(self) -> str:
        return f"({', '.join(map(repr, self.args))}) -> {self.return_type!r}"


void, boolean = Scalar("void"), Scalar("boolean")
int8, int16, int32, int64 = Scalar("int8"), Scalar("int16"), Scalar("int32"), Scalar("int64")
uint8, uint16, uint32, uint64 = Scalar("uint8"), Scalar("uint16"), Scalar("uint32"), Scalar("uint64")
float32, float64 = Scalar("float32"), Scalar("float64")


@cache
def numba_type(kind: Any) -> Any:  # Numba has no type stubs
    """Convert a type or signature of this module to Numba's; Numba's own types are returned unchanged."""
    from numba import types
    from numba.core.typing import signature
    from numba.np.numpy_support import from_dtype

    if isinstance(kind, Signature):
        return signature(numba_type(kind.return_type), *map(numba_type, kind.args))
    if isinstance(kind, Scalar):
        return getattr(types, kind.name)
    if isinstance(kind, Record):
        return from_dtype(kind.dtype)
    if isinstance(kind, Array):
        return types.Array(numba_type(kind.item), kind.ndim, kind.layout, readonly=not kind.mutable)
    if isinstance(kind, UniTuple):
        return types.UniTuple(numba_type(kind.items[0]), len(kind.items))
    if isinstance(kind, Tuple):
        return types.Tuple([numba_type(item) for item in kind.items])
    if isinstance(kind, NamedTuple):
        return types.NamedTuple([numba_type(item) for item in kind.items], kind.fields)
    if isinstance(kind, FunctionType):
        return types.FunctionType(numba_type(kind.signature))
    return kind
