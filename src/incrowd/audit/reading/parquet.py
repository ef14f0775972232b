"""The layout of a Parquet file: does every byte of it belong to a value, and what text is in it besides?"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Struct = dict[int, Any]
_TRUE, _FALSE, _BYTE, _INTS, _DOUBLE, _BINARY, _LISTS, _MAP, _STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 11, 12
_DEEPEST = 16
MAGIC = b"PAR1"
WRITER = re.compile(rb"parquet-cpp-arrow version \d{1,3}(\.\d{1,3}){2}(-SNAPSHOT)?")
ROOT = b"schema"  # what that writer calls the whole of the columns
CODECS = {1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
_FOOTER, _GROUP = {1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 5, 6, 7}
_CHUNK, _META = {2, 3}, {1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 16}
_ELEMENT, STATISTICS = {*range(1, 9), 10}, set(range(1, 10))
_PAGE, _HEADS = {1, 2, 3, 5, 7, 8}, {5: set(range(1, 6)), 7: {1, 2, 3}, 8: set(range(1, 9))}
_DICTIONARY, _DATA = 2, {0: 5, 3: 8}  # kinds of pages, and the field with the head of each
SHORTEST = 6  # printable characters in a row that are looked at as text
_LARGEST_PAGE = 1 << 30


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


class Page(NamedTuple):
    """Values of a column that stand together, and what the file says of them."""

    values: int
    statistics: Struct


class Chunk(NamedTuple):
    """A column of a row group in the file."""

    group: int
    path: str  # of the column in the schema
    start: int
    end: int
    codec: int
    dictionary: int | None  # values in its dictionary
    kind: int  # physical type
    pages: list[Page]


class Footer(NamedTuple):
    """What a Parquet file says of itself, and what is wrong with its layout."""

    chunks: list[Chunk]
    keys: dict[bytes, bytes]
    faults: list[str]


def footer_of(path: Path) -> Footer:
    """Read the footer and the heads of all pages; every fault of the layout is named."""
    try:
        with path.open("rb") as file:
            return _footer(file, path.stat().st_size)
    except (Damaged, KeyError, TypeError, IndexError, ValueError, AttributeError, OverflowError, OSError):
        return Footer([], {}, ["the footer of the Parquet file is damaged"])


def _footer(file: Any, size: int) -> Footer:
    head = file.read(4)
    file.seek(max(size - 8, 0))
    tail = file.read(8)
    if size < 12 or head != MAGIC or tail[4:] != MAGIC:
        return Footer([], {}, ["the Parquet file does not begin and end with PAR1"])
    length = int.from_bytes(tail[:4], "little")
    begin = size - 8 - length
    if begin < 4:
        return Footer([], {}, ["the footer of the Parquet file is longer than the file"])
    file.seek(begin)
    reader = CompactReader(file.read(length))
    footer = reader.struct()
    faults = [] if reader.at == length else ["bytes lie behind the footer of the Parquet file"]
    faults += _unknown(footer)
    keys = {pair[1]: pair.get(2, b"") for pair in footer.get(5, [])}
    if len(keys) < len(footer.get(5, [])):
        faults.append("the footer of the Parquet file names a key twice")
    if not WRITER.fullmatch(footer.get(6, b"")):
        faults.append("the Parquet file does not name a program and its version as its writer")
    chunks, more = _chunks(file, footer, begin)
    return Footer(chunks, keys, faults + more)


def _unknown(footer: Struct) -> list[str]:
    """Fields of the footer that are no part of a plain table."""
    metas = [chunk.get(3, {}) for group in footer.get(4, []) for chunk in group.get(1, [])]
    parts = [
        ([footer], _FOOTER),
        (footer.get(2, []), _ELEMENT),
        (footer.get(4, []), _GROUP),
        ([chunk for group in footer.get(4, []) for chunk in group.get(1, [])], _CHUNK),
        (metas, _META),
        ([meta[12] for meta in metas if 12 in meta], STATISTICS),
    ]
    odd = any(set(part) - known for those, known in parts for part in those)
    stated = [meta[12] for meta in metas if 12 in meta]
    odd |= any(old in part and part[old] != part.get(new) for part in stated for old, new in ((1, 5), (2, 6)))
    odd |= footer[2][0].get(4) != ROOT or not _adds_up(footer)
    return ["the footer of the Parquet file holds fields or values that no release has"] if odd else []


def _adds_up(footer: Struct) -> bool:
    """Whether the sizes that the footer states of row groups are those of their columns."""
    groups = footer.get(4, [])
    rows = [group[3] for group in groups]
    good: bool = footer.get(3) == sum(rows)
    for number, group in enumerate(groups):
        metas = [chunk[3] for chunk in group[1]]
        begin = min(metas[0][9], metas[0].get(11) or metas[0][9])
        stated = {2: sum(m[6] for m in metas), 5: begin, 6: sum(m[7] for m in metas), 7: number}
        good &= all(group.get(field, value) == value for field, value in stated.items())
        good &= all(chunk.get(2, 0) in (0, begin) for chunk in group[1])
    return good


def _chunks(file: Any, footer: Struct, begin: int) -> tuple[list[Chunk], list[str]]:
    """Column chunks tile the file from its magic to its footer, and pages tile the chunks."""
    chunks, faults, at = [], [], 4
    for number, group in enumerate(footer.get(4, [])):
        for chunk in group[1]:
            meta = chunk[3]
            start = min(meta[9], meta.get(11) or meta[9])
            if start != at:
                faults.append("column chunks do not tile the Parquet file")
            at = start + meta[7]
            path = b".".join(meta[3]).decode("utf-8", "replace")
            entries, pages = _pages(file, start, min(at, begin), faults)
            if sum(page.values for page in pages) != meta[5]:
                faults.append("pages do not hold as many values as the Parquet file says")
            chunks.append(Chunk(number, path, start, at, meta[4], entries, meta[1], pages))
    if at != begin:
        faults.append("bytes lie between the columns and the footer of the Parquet file")
    return chunks, list(dict.fromkeys(faults))


def _pages(file: Any, start: int, end: int, faults: list[str]) -> tuple[int | None, list[Page]]:
    """Walk over the pages of a chunk; the number of entries of its dictionary, and what its pages state."""
    entries: int | None = None
    pages: list[Page] = []
    at = start
    while at < end:
        file.seek(at)
        reader = CompactReader(file.read(min(end - at, 1 << 16)))
        page = reader.struct()
        if not _is_known(page):
            faults.append("a page of the Parquet file is of a kind that no release has")
            return entries, pages
        if page[1] == _DICTIONARY:
            entries = page[7][1]
        else:
            head = page[_DATA[page[1]]]
            pages.append(Page(head[1], head.get(5 if page[1] == 0 else 8, {})))
        at += reader.at + page[3]
    if at != end:
        faults.append("pages do not tile their column in the Parquet file")
    return entries, pages


def _is_known(page: Struct) -> bool:
    """Whether a page has the fields of its kind and no other."""
    if set(page) - _PAGE or page[1] not in (*_DATA, _DICTIONARY) or page[3] < 0:
        return False
    head = 7 if page[1] == _DICTIONARY else _DATA[page[1]]
    return {field for field in _HEADS if field in page} == {head} and not set(page[head]) - _HEADS[head]


def printable(path: Path, footer: Footer) -> Iterator[bytes]:
    """Runs of printable characters in the decompressed pages, and in whatever lies outside of them."""
    import pyarrow as pa

    with path.open("rb") as file:
        for chunk in footer.chunks:
            at = chunk.start
            while at < chunk.end:
                try:
                    file.seek(at)
                    reader = CompactReader(file.read(min(chunk.end - at, 1 << 16)))
                    page = reader.struct()
                    yield from runs_of(reader.data[: reader.at])
                    file.seek(at + reader.at)
                    body = file.read(page[3])
                    yield from runs_of(_plain(pa, body, page, chunk.codec))
                except (Damaged, KeyError, TypeError, ValueError, AttributeError, OSError):
                    return
                at += reader.at + page[3]


def _plain(pa: Any, body: bytes, page: Struct, codec: int) -> bytes:
    if not codec or not 0 < page[2] < _LARGEST_PAGE:
        return body
    heads = page[8].get(5, 0) + page[8].get(6, 0) if page[1] == 3 else 0  # levels of version 2 are not compressed
    if page[1] == 3 and page[8].get(7) is False:
        return body
    unpacked: bytes = pa.decompress(body[heads:], page[2] - heads, codec=CODECS[codec], asbytes=True)
    return body[:heads] + unpacked


def runs_of(data: bytes) -> Iterator[bytes]:
    """Printable characters that stand together, found by numpy because most pages hold none."""
    codes = np.frombuffer(data, np.uint8)
    fine = (codes >= 32) & (codes != 127)
    edges = np.flatnonzero(np.diff(fine.astype(np.int8), prepend=0, append=0))
    starts, ends = edges[::2], edges[1::2]
    for i in np.flatnonzero(ends - starts >= SHORTEST).tolist():
        yield data[starts[i] : ends[i]]
