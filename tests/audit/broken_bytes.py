"""More in the bytes of a table than its values: spellings, ends of lines, names and statistics in Parquet."""

import json
from collections.abc import Callable

import pyarrow.parquet as pq

from audit.breaking import breaks, raw, reseal
from audit.cases import Case


def lines(what: str, change: Callable[[list[str]], list[str]], *bases: str) -> None:
    def apply(case: Case) -> None:
        case.data.write_text("\n".join(change(case.data.read_text().split("\n"))), newline="")
        reseal(case)

    breaks(what, "alone", *bases)(apply)


def in_row(change: Callable[[str], str], every: int = 3) -> Callable[[list[str]], list[str]]:
    return lambda rows: [change(row) if row and at % every == 1 else row for at, row in enumerate(rows)]


lines("lines that end in two ways", in_row(lambda row: row + "\r"), "cut-csv", "w4m-csv", "counts-csv")
lines("numbers in quotes", in_row(lambda row: '"' + row.replace(",", '",', 1)), "cut-csv", "w4m-csv", "glove-csv")
lines("a blank behind a number", in_row(lambda row: row + " "), "cut-csv", "w4m-csv", "glove-csv")
lines("digits behind those of a coordinate", in_row(lambda row: row + "000000000000000042", 99), "w4m-csv")
lines("coordinates with a zero more", in_row(lambda row: row + "0", 50), "w4m-csv")
lines("counts with a plus sign", in_row(lambda row: row[::-1].replace(",", "+,", 1)[::-1], 9), "counts-csv")
lines("blanks behind the header", lambda rows: [rows[0] + " \t ", *rows[1:]], "cut-csv", "w4m-csv")
lines("a last line that does not end", lambda rows: rows[:-1], "cut-csv", "glove-csv")
lines("zero bytes at the end", lambda rows: [*rows, "\x00" * 9], "cut-csv", "counts-csv")


@breaks("columns in another order", "alone", "cut", "glove", "w4m", "cut-csv")
def _(case):
    table = case.table()
    case.write(table.select(table.column_names[::-1]))


def noted(change: Callable[[str], str]) -> Callable[[Case], None]:
    def apply(case: Case) -> None:
        table = case.table()
        notes = change(table.schema.metadata[b"incrowd"].decode())
        case.write(table.replace_schema_metadata({b"incrowd": notes}), store_schema=False)

    return apply


ALL = ("cut", "glove", "w4m", "counts")
breaks("a note of the Parquet file twice", "alone", *ALL)(noted(lambda text: '{"noun": "Bob is 7", ' + text[1:]))
breaks("blanks among the notes of the Parquet file", "alone", *ALL)(noted(lambda text: text + " \t \t\t"))


@breaks("no notes in the Parquet file", "alone", *ALL)
def _(case):
    case.write(case.table().replace_schema_metadata(None), store_schema=False)


@breaks("a name as the root of the Parquet schema", "alone", *ALL)
def _(case):
    raw(case, lambda data: data.replace(b"\x06schema", b"\x06bob is", 1))


@breaks("a program that is a name as the writer of the Parquet file", "alone", "cut", "glove")
def _(case):
    raw(case, lambda data: data.replace(b"parquet-cpp-arrow version", b"bob-is-number-700 version"))


@breaks("checksums of pages in the Parquet file", "alone", "cut", "w4m")
def _(case):
    case.write(case.table(), store_schema=False, write_page_checksum=True)


@breaks("false statistics of a page of the Parquet file", "alone", "lkc")
def _(case):
    case.write(case.table(), store_schema=False, compression="none")
    most = max(case.table()["ill"].to_pylist()).encode()

    def lie(data: bytes) -> bytes:
        begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        head = data[:begin].rfind(bytes([len(most)]) + most)
        return data[: head + 1] + most[:-1] + b"~" + data[head + 1 + len(most) :]

    raw(case, lie)


@breaks("a size in the Parquet footer that holds a number", "alone", "cut", "counts")
def _(case):
    size = pq.ParquetFile(case.data).metadata.row_group(0).total_byte_size
    coded = [_varint(2 * n) for n in (size, size + 1)]

    def lie(data: bytes) -> bytes:
        begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        return data[:begin] + data[begin:].replace(b"\x16" + coded[0], b"\x16" + coded[1])

    raw(case, lie)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


@breaks("a manifest of a hundred megabytes", "alone", "cut")
def _(case):
    path = case.folder / "manifest.json"
    path.write_text(json.dumps(case.manifest()) + " " * (1 << 25))
