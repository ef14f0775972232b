"""The Thrift compact protocol, in which Parquet describes itself: bytes -> nested fields by number."""

from typing import Any

Struct = dict[int, Any]
_TRUE, _FALSE, _BYTE, _INTS, _DOUBLE, _BINARY, _LISTS, _MAP, _STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 11, 12
_DEEPEST = 16


class Damaged(ValueError):
    """Bytes that are no Thrift."""


class CompactReader:
    """Reads structs from bytes, and knows where it stands."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def struct(self, depth: int = 0) -> Struct:
        """The fields of a struct by number; a number that comes twice is damage."""
        if depth > _DEEPEST:
            raise Damaged("nested too deeply")
        fields: Struct = {}
        number = 0
        while (head := self._byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            if number in fields:
                raise Damaged("a field twice")
            fields[number] = self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return self._byte()
        if kind in _INTS:
            return self._zigzag()
        if kind == _DOUBLE:
            return self._take(8)
        if kind == _BINARY:
            return self._take(self._varint())
        if kind in _LISTS:
            return self._list(depth)
        if kind == _STRUCT:
            return self.struct(depth + 1)
        raise Damaged("an unknown type")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size = self._varint() if head >> 4 == 15 else head >> 4
        if size > len(self.data):
            raise Damaged("a list beyond the end")
        if head & 15 in (_TRUE, _FALSE):
            return [self._byte() == _TRUE for _ in range(size)]
        return [self._value(head & 15, depth + 1) for _ in range(size)]

    def _take(self, size: int) -> bytes:
        taken = self.data[self.at : self.at + size]
        if len(taken) < size:
            raise Damaged("bytes beyond the end")
        self.at += size
        return taken

    def _byte(self) -> int:
        return self._take(1)[0]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise Damaged("a number of more than 64 bits")

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
