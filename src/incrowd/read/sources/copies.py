"""Objects of an S3-compatible store, standard input, or a sheet of a workbook (as CSV) -> files in a folder."""

import csv
import datetime as dt
import os
import sys
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit
from zipfile import BadZipFile

from incrowd.data.release_folder import sha256_of
from incrowd.errors import DataError, MissingExtra, check_file
from incrowd.progress import tell

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo

COPY = "copied sheet.csv"
_TOLD = 10_000  # rows between two messages of progress
_CONNECT_S = 10
_CHUNK = 1 << 22
_MAGIC = {b"PAR1": ".parquet", b"PK\x03\x04": ".xlsx", b"SQLite format 3\0": ".sqlite"}
_REGION = "us-east-1"  # what stores that have no regions expect
_REASONS = {
    "NO_SUCH_BUCKET": "there is no such bucket",
    "NoSuchBucket": "there is no such bucket",
    "ACCESS_DENIED": "access was denied",
    "INVALID_ACCESS_KEY_ID": "the access key is unknown",
    "SIGNATURE_DOES_NOT_MATCH": "the secret key is wrong",
    "HTTP status 403": "access was denied",
    "NETWORK_CONNECTION": "the server cannot be reached",
    "Couldn't connect": "the server cannot be reached",
    "resolve host": "the server cannot be reached",
}


def fetched(address: str, folder: Path) -> tuple[str, str]:
    """Copy every object that an address means; the address of the bucket, and the path or glob within the folder."""
    import pyarrow as pa

    bucket, _, key = address.partition("://")[2].partition("/")
    if not bucket:
        raise DataError("the address names no bucket; write s3://BUCKET/KEY.")
    try:
        store = _store()
        objects = _objects(store, bucket, key)
        for object_ in objects:
            target = folder / _relative(object_.path, bucket)
            target.parent.mkdir(parents=True, exist_ok=True)
            # The bytes as they are, packed or not: the digest is then that of the object.
            with store.open_input_stream(object_.path, compression=None) as stream, target.open("xb") as file:
                copy_bytes(stream, file, f"fetching {len(objects):,} objects", object_.size or 0)
    except (pa.ArrowException, OSError) as error:
        raise _unreachable(error, address) from None
    return f"s3://{bucket}", key.rstrip("/") or "."


def _store() -> Any:
    """The store that the environment names, as other tools for S3 read it."""
    from pyarrow.fs import S3FileSystem

    given = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    options: dict[str, Any] = {"connect_timeout": _CONNECT_S}
    if given:
        endpoint = urlsplit(given if "://" in given else f"https://{given}")
        if "@" in endpoint.netloc:
            raise DataError("AWS_ENDPOINT_URL holds a login; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead.")
        options |= {"endpoint_override": endpoint.netloc, "scheme": endpoint.scheme, "region": region or _REGION}
    elif region:
        options["region"] = region
    return S3FileSystem(**options)


def _objects(store: Any, bucket: str, key: str) -> list["FileInfo"]:
    """The objects of a key, a prefix or a glob, in the order of their names."""
    from pyarrow.fs import FileSelector, FileType

    if not has_magic(key):
        one = store.get_file_info(f"{bucket}/{key.rstrip('/')}".rstrip("/"))
        if one.type is FileType.File:
            return [one]
        if one.type is FileType.NotFound:
            raise DataError(f"there is no object s3://{bucket}/{key}; check the bucket and the key.")
    fixed = PurePosixPath(*_fixed(key)) if has_magic(key) else PurePosixPath(key)
    base = f"{bucket}/{fixed}".removesuffix("/.")
    inside = store.get_file_info(FileSelector(base, recursive=True, allow_not_found=True))
    files = sorted((one for one in inside if one.type is FileType.File and one.size), key=lambda one: one.path)
    if has_magic(key):
        files = [one for one in files if fnmatchcase(_relative(one.path, bucket), key)]
    if not files:
        raise DataError(f"no object matches s3://{bucket}/{key}; check the pattern or the prefix.")
    return files


def _fixed(key: str) -> list[str]:
    """The folders of a glob before its first star."""
    parts = PurePosixPath(key).parts
    return list(parts[: next(place for place, part in enumerate(parts) if has_magic(part))])


def _relative(path: str, bucket: str) -> str:
    """The path of an object within its bucket, which cannot lead out of a folder."""
    inside = path.removeprefix(f"{bucket}/")
    if ".." in PurePosixPath(inside).parts or inside.startswith("/"):
        raise DataError(f"an object of s3://{bucket} has .. or / where a name should be; name the others in a glob.")
    return inside


def _unreachable(error: Exception, address: str) -> DataError:
    """The sentence for a store that does not answer, in words of our own: those of the store may hold a key."""
    message = str(error)
    reason = next((words for mark, words in _REASONS.items() if mark in message), "the store refused")
    return DataError(
        f"cannot read {address}: {reason}; check AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY."
    )


def from_stdin(folder: Path) -> Path:
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


def as_text(workbook: Path, folder: Path, sheet: str | None) -> tuple[Path, str]:
    """Write a sheet as CSV; its path, and the digest of the workbook."""
    check_file(workbook, there=True)
    target = folder / COPY
    with target.open("x", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(_rows(workbook, sheet))
    return target, sha256_of(workbook)


def _rows(workbook: Path, sheet: str | None) -> Iterator[list[str]]:
    """The texts of every row from the first that has any; an empty row stays an empty line."""
    try:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError as error:
        raise MissingExtra("workbooks need openpyxl; install it with: pip install 'incrowd[excel]'.") from error
    try:
        book = openpyxl.load_workbook(workbook, read_only=True, data_only=True, keep_links=False)
        try:
            pages = _sheet(book, sheet, workbook)
            # The size that a workbook notes may be wrong; without it, rows are read to the last.
            pages.reset_dimensions()
            yield from _texts(pages.iter_rows(values_only=True), f"{workbook}")
        finally:
            book.close()
    except (InvalidFileException, BadZipFile, KeyError, ValueError, OSError):
        # The cause is left out: it may quote a value.
        raise DataError(f"{workbook} is not a readable .xlsx workbook; save it again as .xlsx.") from None


def _sheet(book: Any, name: str | None, workbook: Path) -> Any:
    names = book.sheetnames
    if name is None and len(names) == 1:
        return book[names[0]]
    if name not in names:
        missing = "has several sheets" if name is None else f"has no sheet {name!r}"
        raise DataError(f"{workbook} {missing} ({', '.join(names)}); name one with table=NAME (--table NAME).")
    return book[name]


def _texts(rows: Iterable[tuple[Any, ...]], place: str) -> Iterator[list[str]]:
    width = 0
    for number, row in enumerate(rows, 1):
        texts = [_text(value) for value in row]
        while len(texts) > width and not texts[-1]:
            texts.pop()
        if width == 0:
            width = len(texts)
        texts += [""] * (width - len(texts))
        # A row of blanks is a blank line, which readers of CSV skip.
        yield texts if any(texts) else []
        if number % _TOLD == 0:
            tell("reading the workbook", number, 1 << 20)
    if not width:
        raise DataError(f"the sheet of {place} is empty; name another with table=NAME (--table NAME).")


def _text(value: Any) -> str:
    """A cell as CSV has it: ISO 8601 times, numbers with every digit, nothing for an empty cell."""
    if value is None:
        return ""
    if isinstance(value, dt.datetime):
        return value.isoformat(" ")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value)
