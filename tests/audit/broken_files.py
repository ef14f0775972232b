"""Folders, files and bytes that are not those of a release."""

import json
import os
from collections.abc import Callable

import pyarrow as pa

from audit.breaking import PARQUET, TEXT, breaks, raw, reseal
from audit.cases import Case
from audit.honest import BASES


def readme(what: str, change: Callable[[str], str]) -> None:
    def apply(case: Case) -> None:
        path = case.folder / "README.md"
        path.write_text(change(path.read_text()))
        reseal(case)

    breaks(what, "alone", "cut", "glove", "w4m-csv", "counts")(apply)


readme(
    "the README says k = 100", lambda text: text.replace("**What is promised.** ", "**What is promised.** k = 100. ")
)
readme("the README says differentially private", lambda text: text + "\nThis release is differentially private.\n")
readme("the README names a person", lambda text: text + "\nThanks to rider-0007.\n")
readme("the README has a trailing blank", lambda text: text + " ")


@breaks("a file more", "alone", *BASES)
def _(case):
    (case.folder / "notes.txt").write_text("x")
    reseal(case)


@breaks("a hidden file more", "alone", "cut", "glove-csv")
def _(case):
    (case.folder / ".link").write_text("x")
    reseal(case)


@breaks("a second table", "alone", "cut", "lkc")
def _(case):
    (case.folder / "data.csv").write_text("user,cell,slot\n0,1,2\n")
    reseal(case)


@breaks("a folder within", "alone", "glove")
def _(case):
    (case.folder / "raw").mkdir()


@breaks("a file missing", "alone", *BASES)
def _(case):
    (case.folder / "README.md").unlink()


@breaks("another digest", "alone", "cut", "counts-csv")
def _(case):
    files = case.manifest()["files"]
    case.say(files={name: digest[::-1] for name, digest in files.items()})


@breaks("no digest at all", "alone", "cut", "glove")
def _(case):
    case.say(files={})


@breaks("a symlinked README", "alone", "cut", "w4m")
def _(case):
    outside = case.folder.parent / "README.md"
    (case.folder / "README.md").rename(outside)
    (case.folder / "README.md").symlink_to(outside)


@breaks("a symlinked table", "alone", "cut", "glove-csv")
def _(case):
    name = case.data.name
    outside = case.folder.parent / f"elsewhere{case.data.suffix}"
    case.data.rename(outside)
    (case.folder / name).symlink_to(outside)


@breaks("a FIFO as manifest.json", "alone", "cut")
def _(case):
    (case.folder / "manifest.json").unlink()
    os.mkfifo(case.folder / "manifest.json")


@breaks("a FIFO as README.md", "alone", "cut")
def _(case):
    (case.folder / "README.md").unlink()
    os.mkfifo(case.folder / "README.md")


@breaks("a device as manifest.json", "alone", "glove")
def _(case):
    (case.folder / "manifest.json").unlink()
    (case.folder / "manifest.json").symlink_to("/dev/zero")


@breaks("names before the CSV header", "alone", *TEXT)
def _(case):
    case.data.write_bytes(b"rider-0001,rider-0002,rider-0003\n" + case.data.read_bytes())
    reseal(case)


@breaks("a byte order mark before the CSV header", "alone", "cut-csv", "counts-csv")
def _(case):
    case.data.write_bytes(b"\xef\xbb\xbf" + case.data.read_bytes())
    reseal(case)


@breaks("a blank line in the CSV file", "alone", "cut-csv", "glove-csv")
def _(case):
    lines = case.data.read_text().splitlines()
    case.data.write_text("\n".join([*lines[:3], "", *lines[3:]]) + "\n")
    reseal(case)


@breaks("a comment after the last line of the CSV file", "alone", *TEXT)
def _(case):
    case.data.write_text(case.data.read_text() + "# rider-0001\n")
    reseal(case)


@breaks("numbers with leading zeros in the CSV file", "alone", "cut-csv", "generalize-csv")
def _(case):
    head, first, *rest = case.data.read_text().splitlines()
    case.data.write_text("\n".join([head, f"00{first}", *rest]) + "\n")
    reseal(case)


@breaks("a name after the last line of cells.csv", "alone", "cut", "generalize", "lkc", "counts")
def _(case):
    path = case.folder / "cells.csv"
    path.write_text(path.read_text() + "rider-0007,1,2\n")
    reseal(case)


@breaks("a cell more in cells.csv", "alone", "cut", "generalize", "counts")
def _(case):
    path = case.folder / "cells.csv"
    path.write_text(path.read_text() + "99999,1.000,2.000\n")
    reseal(case)


@breaks("a cell less in cells.csv", "alone", "cut", "generalize", "lkc")
def _(case):
    path = case.folder / "cells.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    reseal(case)


@breaks("a column more in cells.csv", "alone", "cut", "generalize")
def _(case):
    path = case.folder / "cells.csv"
    head, *rest = path.read_text().splitlines()
    path.write_text("\n".join([f"{head},who", *(f"{line},rider-0001" for line in rest)]) + "\n")
    reseal(case)


@breaks("a cell moved in cells.csv", "original", "cut", "lkc")
def _(case):
    path = case.folder / "cells.csv"
    head, first, *rest = path.read_text().splitlines()
    cell, x, y = first.split(",")
    path.write_text("\n".join([head, f"{cell},{float(x) + 3000:.3f},{y}", *rest]) + "\n")
    reseal(case)


@breaks("no cells.csv", "alone", "generalize", "cut", "counts")
def _(case):
    (case.folder / "cells.csv").unlink()
    reseal(case)


@breaks("names between the columns and the footer of the Parquet file", "alone", *PARQUET)
def _(case):
    def insert(data: bytes) -> bytes:
        begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        return data[:begin] + b"rider-0001 is 7" + data[begin:]

    raw(case, insert)


@breaks("names behind the footer of the Parquet file", "alone", "cut", "glove")
def _(case):
    def insert(data: bytes) -> bytes:
        length = int.from_bytes(data[-8:-4], "little") + 9
        return data[:-8] + b"rider-000" + length.to_bytes(4, "little") + b"PAR1"

    raw(case, insert)


@breaks("a name as the writer of the Parquet file", "alone", *PARQUET)
def _(case):
    raw(case, lambda data: data.replace(b"parquet-cpp-arrow version", b"rider-0001 is pseudonym 7"))


@breaks("a key more in the Parquet footer", "alone", *PARQUET)
def _(case):
    table = case.table()
    case.write(table.replace_schema_metadata({**(table.schema.metadata or {}), b"pandas": b"{}"}))


@breaks("a note more in the Parquet file", "alone", *PARQUET)
def _(case):
    table = case.table()
    notes = json.loads(table.schema.metadata[b"incrowd"])
    case.write(table.replace_schema_metadata({b"incrowd": json.dumps({**notes, "people": ["rider-0001"]})}))


@breaks("notes of a column in the Parquet file", "alone", "cut", "glove")
def _(case):
    table = case.table()
    noted = table.schema.field(0).with_metadata({b"who": b"rider-0001 and others"})
    case.write(table.cast(table.schema.set(0, noted)))


@breaks("a page index in the Parquet file", "alone", "cut", "w4m")
def _(case):
    case.write(case.table(), write_page_index=True)


@breaks("a damaged column name in the Parquet file", "alone", "cut", "glove", "counts")
def _(case):
    name = {"Counts": b"cell", "Visits": b"slot"}.get(case.manifest()["noun"], b"crowd")
    raw(case, lambda data: data[:-600] + data[-600:].replace(name, b"\xff\xfe" + name[2:]))


@breaks("dictionary entries that no row uses", "alone", "lkc")
def _(case):
    table = case.table()
    values = table["ill"].to_pylist()
    words = [*sorted(set(values)), *(f"rider-{i:04d}" for i in range(60))]
    coded = pa.DictionaryArray.from_arrays(pa.array([words.index(v) for v in values], pa.int32()), pa.array(words))
    case.write(table.set_column(table.column_names.index("ill"), "ill", coded))


@breaks("false statistics in the Parquet file", "alone", "cut", "glove")
def _(case):
    column = {"Visits": "slot", "Fingerprints": "dt"}[case.manifest()["noun"]]
    table = case.table()
    last = int(max(table[column].to_pylist()))
    case.write(table, use_dictionary=False, compression="none")
    old, new = (value.to_bytes(8, "little") for value in (last, last + 1))

    def lie(data: bytes) -> bytes:
        begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        return data[:begin] + data[begin:].replace(old, new)

    raw(case, lie)


@breaks("half of the table is missing", "alone", *PARQUET)
def _(case):
    raw(case, lambda data: data[: len(data) // 2])
