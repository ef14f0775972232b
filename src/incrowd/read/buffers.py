"""Arrow columns <-> numpy without copies, and without pyarrow's own way there, which loads pandas where it can."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints

if TYPE_CHECKING:
    import pyarrow as pa

Mask = NDArray[np.bool_]
Row = NDArray[Any]


def values(column: "pa.Array", kind: Any) -> Row:
    """A fixed-width column as it lies in memory; anything where a value is missing."""
    width = np.dtype(kind).itemsize
    return np.frombuffer(column.buffers()[1], kind, len(column), width * column.offset)


def floats(column: "pa.Array") -> Floats:
    """A float column, not a number where a value is missing."""
    numbers: Floats = values(column, np.float64)
    return np.where(missing(column), np.nan, numbers) if column.null_count else numbers


def missing(column: "pa.Array") -> Mask:
    """True where a value is missing."""
    if not column.null_count:
        return np.zeros(len(column), np.bool_)
    return truth(column.is_null())


def truth(column: "pa.Array") -> Mask:
    """A column of bits; anything where one is missing."""
    bits = np.unpackbits(np.frombuffer(column.buffers()[1], np.uint8), bitorder="little")
    return bits[column.offset : column.offset + len(column)].astype(np.bool_)


def to_arrow(numbers: Ints) -> "pa.Array":
    """Whole numbers as an Arrow column."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])
