"""A source that is no file -> a private copy of what it holds, read as any file and removed at the end.

A copy makes databases, object stores, workbooks and standard input one thing: files. What is judged, what is digested
and what is read are then the same records, in bounded memory, though the source may change meanwhile.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from glob import glob, has_magic
from pathlib import Path
from typing import IO, Any

from incrowd.errors import DataError, ParameterError, naming
from incrowd.progress import tell
from incrowd.read.sources.address import STDIN, SUFFIXES, Address, address_of, check_query

_CHUNK = 1 << 22
_MAGIC = {b"PAR1": ".parquet", b"PK\x03\x04": ".xlsx", b"SQLite format 3\0": ".sqlite"}


@dataclass(frozen=True)
class Copy:
    """What a copy stands for.

    Args:
        given: The source as it was given.
        name: What pages call it.
        sha256: Digest of the records as they were read, or of the workbook; empty if the copy has the same bytes.
        is_file: Whether it is a file, and not the records of a database.
    """

    given: str
    name: str
    sha256: str = ""
    is_file: bool = True


_COPIES: dict[str, Copy] = {}


def copy_at(path: str | Path) -> Copy | None:
    """What a path stands for if it is that of a copy."""
    return _COPIES.get(str(path))


def as_given(text: str) -> str:
    """A text in which copies are written as the sources that were given."""
    for path, copy in _COPIES.items():
        text = text.replace(path, copy.given)
    return text


@contextmanager
def local(source: Any, table: str | None = None, query: str | None = None) -> Iterator[Any]:
    """The same source as files that can be read, for as long as they are needed.

    Args:
        source: A path, a list of paths, an address, `-`, or anything else, which is left as it is.
        table: Table of a database, or sheet of a workbook.
        query: Query of a database.
    """
    listed = list(source) if isinstance(source, (list, tuple)) else [source]
    expanded = [one for given in listed for one in _matches(given)]
    addresses = [None if _is_copy(one) else address_of(one) for one in expanded]
    if not any(addresses):
        if not all(map(_is_copy, expanded)):  # a copy was made with these options
            check_unused(table, query)
        yield source
        return
    _check_options(addresses, table, query)
    folder = Path(tempfile.mkdtemp(prefix="incrowd-"))
    known = set(_COPIES)
    try:
        with naming() as names:
            made = []
            for place, (one, address) in enumerate(zip(expanded, addresses, strict=True)):
                inside = folder / str(place)
                inside.mkdir()
                made.append(one if address is None else _copied(address, inside, table, query, names))
            yield made[0] if len(made) == 1 else made
    finally:
        for path in set(_COPIES) - known:
            del _COPIES[path]
        shutil.rmtree(folder, ignore_errors=True)


def _matches(source: Any) -> list[Any]:
    """The database files and workbooks that a glob means; anything else as it is."""
    if isinstance(source, (str, Path)) and has_magic(str(source)) and Path(source).suffix.lower() in SUFFIXES:
        return sorted(glob(str(source), recursive=True)) or [source]  # noqa: PTH207 - may be absolute
    return [source]


def _is_copy(source: Any) -> bool:
    return isinstance(source, (str, Path)) and copy_at(source) is not None


def is_copied(source: Any) -> bool:
    """Whether some of a source is copied before it is read."""
    listed = source if isinstance(source, (list, tuple)) else [source]
    return any(address_of(one) is not None for given in listed for one in _matches(given))


def check_unused(table: str | None, query: str | None) -> None:
    """Refuse options that would be ignored."""
    if table is not None or query is not None:
        option = "table" if query is None else "query"
        raise ParameterError(f"this source is no database{' or workbook' * (query is None)}; leave {option} out.")


def _check_options(addresses: list[Address | None], table: str | None, query: str | None) -> None:
    check_query(query)
    if table is not None and query is not None:
        raise ParameterError("a table and a query were given; give one of them (--table or --query).")
    kinds = [address.kind for address in addresses if address is not None]
    if kinds.count("stdin") > 1:
        raise ParameterError("standard input can be read only once; give - once.")
    unused = {"s3", "stdin"} if query is None else {"s3", "stdin", "excel"}
    if unused.issuperset(kinds) and "s3" not in kinds:  # an object may be a workbook
        check_unused(table, query)


def _copied(address: Address, folder: Path, table: str | None, query: str | None, names: dict[str, str]) -> str:
    """Copy what an address means into a folder; the path that stands for it."""
    if address.kind == "s3":
        from incrowd.read.sources.objects import fetched

        root, inside = fetched(address.text, folder)
        _COPIES[str(folder)] = Copy(root, root)
        names[str(folder)] = root
        return _opened_again(str(folder / inside), folder, table, query, names)
    if address.kind == "stdin":
        path = _from_stdin(folder)
        _COPIES[str(path)] = Copy(STDIN, "standard input")
        names[str(path)] = names[path.name] = "standard input"
        return _opened_again(str(path), folder, table, query, names)
    if address.kind == "excel":
        from incrowd.read.sources.excel import as_text

        path, sha256 = as_text(Path(address.text), folder, table)
    else:
        from incrowd.read.sources.databases import as_parquet

        path, sha256 = as_parquet(address, folder, table, query)
    what = ", a query" if query is not None else f", {table}" if table is not None else ""
    _COPIES[str(path)] = Copy(address.text, f"{address.bare()}{what}", sha256, is_file=not address.is_database)
    names[str(path)] = names[path.name] = address.text
    return str(path)


def _opened_again(path: str, folder: Path, table: str | None, query: str | None, names: dict[str, str]) -> str:
    """A workbook or database file that came from elsewhere, as its records."""
    address = address_of(path)
    if address is None:
        return path
    inside = folder / "records"
    inside.mkdir()
    copy = _copied(address, inside, table, query, names)
    given = as_given(path)
    _COPIES[copy] = replace(_COPIES[copy], given=given)
    names[copy] = names[Path(copy).name] = given
    return copy


def _from_stdin(folder: Path) -> Path:
    """Standard input in a file whose ending says what its first bytes are."""
    stream = sys.stdin
    if stream is None or stream.closed:
        raise DataError("there is no standard input to read from; pipe a file into it.")
    if stream.isatty():
        raise DataError("standard input is a terminal; pipe a file into it, such as: zcat trips.csv.gz | incrowd … -")
    path = folder / "standard input"
    with path.open("xb") as file:
        size = copy_bytes(stream.buffer, file)
    if not size:
        raise DataError("standard input is empty; check the command before the pipe.")
    with path.open("rb") as file:
        start = file.read(1024)
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    ending = next((end for magic, end in _MAGIC.items() if start.startswith(magic)), None)
    ending = ending or (".gpx" if text.startswith((b"<?xml", b"<gpx")) else ".csv")
    return path.rename(path.with_name(f"standard input{ending}"))


def copy_bytes(stream: Any, file: IO[bytes], label: str = "copying", total: float = 0) -> int:
    """Copy a stream into a file; how many bytes it held."""
    size = 0
    while chunk := stream.read(_CHUNK):
        file.write(chunk)
        size += len(chunk)
        tell(label, size, max(total, size + 1))
    tell(label, size, size)
    return size
