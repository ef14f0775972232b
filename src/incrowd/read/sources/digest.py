"""Records in the order in which they were read -> one SHA-256 that no batch, library or file format changes."""

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from incrowd.read.arrow import missing, values

if TYPE_CHECKING:
    import pyarrow as pa


class RecordDigest:
    """The digest of records by column: which values are there, how long texts and lists are, and the values.

    >>> import pyarrow as pa
    >>> one, two = (pa.record_batch({"user": ["a", None]}), pa.record_batch({"user": ["a"]}))
    >>> first, second = RecordDigest(one.schema), RecordDigest(one.schema)
    >>> first.add(one), second.add(one.slice(0, 1)), second.add(one.slice(1)), first.hexdigest() == second.hexdigest()
    (None, None, None, True)
    """

    def __init__(self, schema: "pa.Schema") -> None:
        self._names = [f"{field.name}\0{field.type}" for field in schema]
        self._parts: dict[tuple[int, str], hashlib._Hash] = {}

    def add(self, batch: "pa.RecordBatch") -> None:
        """Take in the next records."""
        for place, column in enumerate(batch.columns):
            self._column(place, column, "")

    def hexdigest(self) -> str:
        """The digest of all records so far."""
        whole = hashlib.sha256()
        for place, name in enumerate(self._names):
            whole.update(name.encode())
            for (_, part), digest in sorted((key, value) for key, value in self._parts.items() if key[0] == place):
                whole.update(part.encode() + digest.digest())
        return whole.hexdigest()

    def _column(self, place: int, column: "pa.Array", depth: str) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.types as types

        if types.is_dictionary(column.type):
            column = column.dictionary_decode()
        absent = missing(column)
        self._feed(place, f"{depth}missing", absent.astype(np.uint8).tobytes())
        if types.is_list(column.type) or types.is_large_list(column.type):
            lengths = pc.fill_null(pc.list_value_length(column), 0).cast(pa.int64())
            self._feed(place, f"{depth}length", values(lengths, np.int64).tobytes())
            self._column(place, column.drop_null().flatten(), f"{depth}item ")
        elif types.is_string(column.type) or types.is_binary(column.type) or types.is_large_string(column.type):
            texts = column.drop_null().cast(pa.large_binary())
            self._feed(place, f"{depth}length", values(pc.binary_length(texts), np.int64).tobytes())
            self._feed(place, f"{depth}value", _joined(texts))
        else:
            self._feed(place, f"{depth}value", _fixed(column.drop_null()))

    def _feed(self, place: int, part: str, data: bytes) -> None:
        self._parts.setdefault((place, part), hashlib.sha256()).update(data)


def _joined(texts: "pa.Array") -> bytes:
    """All texts of a column, one behind the other."""
    _, offsets, data = texts.buffers()
    if data is None:
        return b""
    ends = np.frombuffer(offsets, np.int64)
    return bytes(data[int(ends[texts.offset]) : int(ends[texts.offset + len(texts)])])


def _fixed(column: "pa.Array") -> bytes:
    """The bytes of values of one width, whatever they mean."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    width = column.type.bit_width // 8
    data = column.buffers()[1]
    return b"" if data is None else bytes(data[width * column.offset : width * (column.offset + len(column))])
