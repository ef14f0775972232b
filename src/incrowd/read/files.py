"""A path, list, glob or folder -> files of one shape, and the first rows of each."""

import csv
import glob
import io
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from incrowd.errors import DataError, check_file
from incrowd.read.layouts import Format, Layout

SAMPLE = 200  # rows that decide whether times and users are numbers
DELIMITERS = ",;\t|"  # of CSV
CHUNK = 1 << 22
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_SUFFIXES: dict[str, Format] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".plt", ".dat", ".psv"), "text"),
    **dict.fromkeys((".parquet", ".pq", ".geoparquet", ".parq"), "parquet"),
    ".gpx": "gpx",
}
Paths = str | Path | Sequence[str | Path]


@dataclass(frozen=True)
class Head:
    """The first rows of a text file, by which files of the same shape are read together."""

    delimiter: str
    fields: tuple[str, ...]  # of the header, or of the first row if there is none
    compression: str
    rows: tuple[tuple[str, ...], ...]
    line: int  # of the header or first row, from 1

    @property
    def shape(self) -> tuple[str, tuple[str, ...], str]:
        """Equal for files that can be read together."""
        return self.delimiter, self.fields, self.compression


def find_files(source: Paths, layout: Layout) -> list[Path]:
    """Every file meant, in a fixed order; something missing or ambiguous is refused."""
    given = [source] if isinstance(source, (str, Path)) else list(source)
    if not given:
        raise DataError("the list of files is empty; give at least one.")
    files = [file for one in given for file in _expand(Path(one), layout)]
    kinds = {format_of(file, layout) for file in files}
    if len(kinds) > 1:
        raise DataError(f"{given[0]} holds files of different kinds ({', '.join(sorted(kinds))}); give a glob of one.")
    return files


def format_of(file: Path, layout: Layout) -> Format:
    """Text, Parquet or GPX, by layout or by name."""
    if layout.kind:
        return layout.kind
    kind = _SUFFIXES.get(_suffix(file))
    if kind is None:
        raise DataError(f"cannot tell the format of {file}; end its name in .csv, .tsv, .parquet or .gpx.")
    return kind


def size_of(files: Iterable[Path]) -> int:
    """Bytes once unpacked, roughly: text rarely shrinks to less than a tenth."""
    return sum(file.stat().st_size * (10 if compression_of(file) != "none" else 1) for file in files)


def head_of(file: Path, layout: Layout, *, header: bool) -> Head | None:
    """Header, delimiter and first rows of a text file; None if it is empty."""
    try:
        with _opened(file, layout.encoding) as text:
            taken = list(islice(text, layout.skip, layout.skip + SAMPLE))
    except OSError as error:
        raise unreadable(file) from error
    numbered = [(number, line) for number, line in enumerate(taken, layout.skip + 1) if line.strip()]
    if not numbered:
        return None
    first, lines = numbered[0][0], [line for _, line in numbered]
    if "\ufffd" in lines[0]:
        raise DataError(f"line {layout.skip + 1} of {file} is not {layout.encoding} text; convert the file first.")
    delimiter = layout.delimiter or _delimiter(lines[0])
    whole = [row for line in lines[header:] if (row := _alone(line, delimiter, layout))]
    if header:
        fields = tuple(field.strip() for field in next(_reader(lines, delimiter, layout)))
    else:
        widths = [len(row) for row in whole] or [len(split(lines[0], delimiter, layout))]
        fields = tuple(map(str, range(max(widths, key=widths.count))))
    rows = [row for row in whole if len(row) == len(fields)]
    # Rows with a quote in a field decide nothing if there are others: it may be a stray one.
    plain = [row for row in rows if not layout.quote or not any(layout.quote in field for field in row)]
    return Head(delimiter, fields, compression_of(file), tuple(plain or rows), first)


def _alone(line: str, delimiter: str, layout: Layout) -> tuple[str, ...]:
    """The fields of a line by itself; none where its quotes do not pair around fields, as it may be part of a row."""
    try:
        return tuple(next(_reader([line], delimiter, layout, strict=True), ()))
    except csv.Error:
        return ()


def split(line: str, delimiter: str, layout: Layout) -> list[str]:
    """The fields of a line by itself."""
    return next(_reader([line], delimiter, layout), [])


def unpacked(file: Path) -> Any:
    """The bytes of a file, compressed or not."""
    import pyarrow as pa

    compression = compression_of(file)
    return pa.input_stream(str(file), compression=None if compression == "none" else compression)


def has_quote(file: Path, quote: bytes) -> bool:
    """Whether a file holds a quote; a compressed one is unpacked to its end, as a cut one can end at a line's end."""
    if compression_of(file) == "none":
        return bool(quote) and _holds(file, quote, 0)
    quoted = False
    try:
        with unpacked(file) as stream:
            while data := stream.read(CHUNK):
                quoted = quoted or (bool(quote) and quote in bytes(data))
    except OSError as error:
        raise unreadable(file) from error
    return quoted


def one_byte(encoding: str) -> bool:
    """Whether an encoding writes a quote as the one byte of ASCII: then bytes can be searched for it."""
    return '"'.encode(encoding) == b'"'


def holds_text(file: Path, text: str, encoding: str) -> bool:
    """Whether a text is on some line of a file, whatever its encoding."""
    with _opened(file, encoding) as lines:
        return bool(text) and any(text in line for line in lines)


def has_underscore(file: Path) -> bool:
    """Whether the lines after the first may hold an underscore; a search of the bytes costs next to nothing."""
    return compression_of(file) != "none" or _holds(file, b"_", 1)


def _holds(file: Path, what: bytes, after: int) -> bool:
    """Whether some bytes are in a file, after so many of its lines."""
    with file.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
        return data.find(what, max(0, data.find(b"\n")) if after else 0) >= 0


def mixed_ends(file: Path, encoding: str) -> int:
    """The first line that ends otherwise than the lines before it, from 1; 0 if there is none."""
    first = ""
    with _opened(file, encoding) as text:
        for number, line in enumerate(text, 1):
            end = line[len(line.rstrip("\r\n")) :]
            first = first or end
            if end and end != first:
                return number
    return 0


def unreadable(file: Path | str) -> DataError:
    """A file that breaks off or is not what its name says."""
    return DataError(f"{file} cannot be read to its end; it is cut short, damaged or of another format: copy it again.")


def different_ends(file: Path | str, line: int) -> DataError:
    """Files of Windows and of other systems, joined."""
    return DataError(
        f"line {line} of {file} ends otherwise than the lines before it (CR LF, LF or CR), as in joined exports; "
        "give the exports as a list of files, or make all line ends alike."
    )


def records_of(
    file: Path, delimiter: str, layout: Layout, *, header: bool, without: Container[int] = ()
) -> Iterator[tuple[int, int, str]]:
    """Of each record: its line as the engine counts (a quoted line break is none), its line from 1, its text.

    `without` are lines that the engine did not read.
    """
    pending: list[tuple[int, str]] = []
    with _opened(file, layout.encoding) as text:
        skipped = len(list(islice(text, layout.skip)))

        def lines() -> Iterator[str]:
            for number, line in enumerate(text, skipped + 1):
                if number not in without:
                    pending.append((number, line))
                    yield line

        rows = _reader(lines(), delimiter, layout)
        for counted, row in enumerate(rows, skipped + 1):
            start, raw = pending[0][0], "".join(line for _, line in pending).rstrip("\r\n")
            pending.clear()
            if row and not header:
                yield counted, start, raw
            header = header and not row


def _reader(lines: Iterable[str], delimiter: str, layout: Layout, *, strict: bool = False) -> Any:
    csv.field_size_limit(1 << 30)
    if layout.quote:
        return csv.reader(lines, delimiter=delimiter, quotechar=layout.quote, strict=strict)
    return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)


def from_path(file: Path, pattern: str) -> str:
    """The user of a whole file, from its path."""
    match = re.search(pattern, file.resolve().as_posix())
    if match is None:
        raise DataError(f"the path of {file} does not name its user; this layout expects it to match {pattern}.")
    return match.group(1)


def hive_keys(file: Path) -> dict[str, str]:
    """Values that folder names carry, as in user=7/part-0.parquet."""
    from urllib.parse import unquote

    pairs = (part.partition("=") for part in file.parts[:-1])
    return {key: unquote(value) for key, equals, value in pairs if key and equals}


def _expand(path: Path, layout: Layout) -> list[Path]:
    check_file(path)
    if path.is_file():
        return [path]
    if path.is_dir():
        wanted = sorted(file for file in path.rglob(layout.files) if file.is_file() and not _hidden(file, path))
        # Without a layout, other files than tables (a README, a licence) are not meant.
        known = [file for file in wanted if layout.kind or _suffix(file) in _SUFFIXES]
        if not known:
            raise DataError(f"the folder {path} holds no file to read; check the path or the layout.")
        return known
    if glob.has_magic(str(path)):
        matches = [Path(name) for name in sorted(glob.glob(str(path), recursive=True))]  # noqa: PTH207 - may be absolute
        files = [file for match in matches for file in _expand(match, layout)]
        if files:
            return files
        raise DataError(f"no file matches {path}; check the pattern.")
    raise DataError(f"{path} does not exist; check the path.")


def _hidden(file: Path, root: Path) -> bool:
    return any(part.startswith((".", "_")) for part in file.relative_to(root).parts)


def _suffix(file: Path) -> str:
    suffixes = [suffix.lower() for suffix in file.suffixes if suffix.lower() not in (".gz", ".zst", ".zstd")]
    return suffixes[-1] if suffixes else ""


def compression_of(file: Path) -> str:
    """How a file is packed, by its first bytes."""
    try:
        with file.open("rb") as stream:
            start = stream.read(4)
    except OSError as error:
        raise DataError(f"{file} cannot be opened; check its permissions.") from error
    return next((name for magic, name in _MAGIC.items() if start.startswith(magic)), "none")


def _opened(file: Path, encoding: str) -> io.TextIOWrapper:
    name = "utf-8-sig" if encoding == "utf-8" else encoding
    return io.TextIOWrapper(io.BufferedReader(unpacked(file), CHUNK), encoding=name, errors="replace", newline="")


def _delimiter(line: str) -> str:
    unquoted = re.sub(r'"[^"]*"', "", line)
    return max(DELIMITERS, key=unquoted.count)
