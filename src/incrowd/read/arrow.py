"""Data frames and Arrow columns -> numpy: values without copies, labels as dense codes, attributes per user."""

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Flags, Floats, Ints, Labels
from incrowd.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

Row = NDArray[Any]
_TABLE = 1 << 24  # whole-number labels below this are looked up in an array


def stream_of(frame: Any) -> "pa.RecordBatchReader":
    """The rows of a data frame that supports Arrow; columns of one name, or of several types, are refused."""
    import pyarrow as pa

    twice = [count for count in Counter(map(str, getattr(frame, "columns", ()))).values() if count > 1]
    if twice and hasattr(frame, "iloc"):
        # pandas cannot hand such a frame over; the name is left out, as it may be a value.
        raise DataError(f"the data frame has {max(twice)} columns of one name; rename all but one.")
    try:
        # A GeoDataFrame inherits a way out that does not know its points, and has its own that does. Once GeoPandas is
        # imported, frames of pandas have set_geometry too, but not to_arrow.
        of_places = hasattr(frame, "set_geometry") and hasattr(frame, "to_arrow")
        return pa.RecordBatchReader.from_stream(frame.to_arrow() if of_places else frame)
    except (pa.ArrowException, TypeError):
        # The library's own message would quote the value it stumbled over.
        raise DataError("a column of the data frame mixes types; give each column one type.") from None


def values(column: "pa.Array", kind: Any) -> Row:
    """A fixed-width column as it is in memory; anything where a value is missing.

    pyarrow's own way to numpy loads pandas where it can.
    """
    width = np.dtype(kind).itemsize
    return np.frombuffer(column.buffers()[1], kind, len(column), width * column.offset)


def is_text(kind: "pa.DataType") -> bool:
    """Whether a column of this type holds text."""
    import pyarrow as pa

    return pa.types.is_string(kind) or pa.types.is_large_string(kind)  # type: ignore[no-any-return]


def floats(column: "pa.Array") -> Floats:
    """A float column, not a number where a value is missing."""
    numbers: Floats = values(column, np.float64)
    return np.where(missing(column), np.nan, numbers) if column.null_count else numbers


def missing(column: "pa.Array") -> Flags:
    """True where a value is missing."""
    if not column.null_count:
        return np.zeros(len(column), np.bool_)
    return truth(column.is_null())


def truth(column: "pa.Array") -> Flags:
    """A column of bits; anything where one is missing."""
    bits = np.unpackbits(np.frombuffer(column.buffers()[1], np.uint8), bitorder="little")
    return bits[column.offset : column.offset + len(column)].astype(np.bool_)


def to_arrow(numbers: Ints) -> "pa.Array":
    """Whole numbers as an Arrow column."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


class TextLabels(Exception):
    """Labels taken for whole numbers are text after all, such as 007; read them again as text."""


class Coder:
    """Gives each distinct value the next number when it first appears."""

    def __init__(self) -> None:
        self._type: pa.DataType | None = None
        self._values: pa.Array | None = None
        self._fresh: list[pa.Array] = []  # appended to the values when they are next needed
        self._table = np.full(0, -1, np.int32)
        self._size = 0
        self._widths = np.zeros(0, np.uint8)

    def __len__(self) -> int:
        return self._size

    def codes(self, labels: "pa.Array") -> Codes:
        """The number of each value; none is missing."""
        import pyarrow as pa

        if len(labels) == 0:
            return np.zeros(0, np.int32)
        if self._type not in (None, labels.type):
            raise TextLabels
        direct = pa.types.is_int64(labels.type) and (self._type is None or len(self._table))
        self._type = labels.type
        if direct:
            numbers = values(labels, np.int64)
            if numbers.min() >= 0 and numbers.max() < _TABLE:
                return self._looked_up(numbers)
            self._table = self._table[:0]
        seen = self.values()
        joined = labels if seen is None else pa.concat_arrays([seen, labels])
        coded = joined.dictionary_encode()
        self._values = coded.dictionary
        start, self._size = self._size, len(coded.dictionary)
        return values(coded.indices, np.int32)[start:]

    def codes_as_written(self, numbers: "pa.Array", digits: "pa.Array") -> Codes:
        """The number of each whole-number label; a label not written as we would write it is text."""
        codes = self.codes(numbers)
        if self._size > len(self._widths):
            new = values(self.values()[len(self._widths) :], np.int64).astype(np.str_)
            self._widths = np.concatenate([self._widths, np.strings.str_len(new).astype(np.uint8)])
        if (self._widths[codes] != values(digits, np.uint8)).any():
            raise TextLabels
        return codes

    def _looked_up(self, numbers: Ints) -> Codes:
        import pyarrow.compute as pc

        top = int(numbers.max()) + 1
        if top > len(self._table):
            grown = np.full(min(_TABLE, 2 * top), -1, np.int32)
            grown[: len(self._table)] = self._table
            self._table = grown
        codes = self._table[numbers]
        unknown = codes < 0
        if unknown.any():
            new = pc.unique(to_arrow(numbers[unknown]))
            self._table[values(new, np.int64)] = np.arange(self._size, self._size + len(new))
            self._size += len(new)
            self._fresh.append(new)
            codes = self._table[numbers]
        return codes

    def values(self) -> "pa.Array":
        """The distinct values, by number."""
        import pyarrow as pa

        if self._fresh:
            known = [] if self._values is None else [self._values]
            self._values, self._fresh = pa.concat_arrays([*known, *self._fresh]), []
        return self._values

    def labels(self) -> Labels:
        """The distinct values as a numpy column of whole numbers or text."""
        known = self.values()
        if self._type == "int64":
            return values(known, np.int64).copy()
        return np.array(known.to_pylist(), np.str_)


class Values:
    """The distinct values of one attribute for each user."""

    def __init__(self) -> None:
        self._coder = Coder()
        self._pairs = np.zeros(0, np.int64)  # user << 32 | value, distinct

    def add(self, users: Codes, column: "pa.Array") -> None:
        """Values of some records; a list counts as each of its members, a missing value as none."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_list(column.type):
            users, column = users[values(pc.list_parent_indices(column), np.int64)], column.flatten()
        users = users[~missing(column)]
        pairs = users.astype(np.int64) << 32 | self._coder.codes(column.drop_null())
        self._pairs = np.union1d(self._pairs, pairs)

    def per_user(self, users: int) -> list[Any]:
        """The one value of each user, a set if there are several, None if there is none."""
        distinct = self._coder.values()
        known = [] if distinct is None else distinct.to_pylist()
        groups: list[list[Any]] = [[] for _ in range(users)]
        for pair in self._pairs.tolist():
            groups[pair >> 32].append(known[pair & 0xFFFFFFFF])
        return [frozenset(group) if len(group) > 1 else (group[0] if group else None) for group in groups]
