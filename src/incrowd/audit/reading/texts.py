"""Everything readable in a release: words of the table, and the text around it."""

import base64
import json
import os
import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Ints, rows_of
from incrowd.audit.reading.parquet import printable
from incrowd.audit.reading.published import Published
from incrowd.audit.reading.tables import is_text
from incrowd.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

Leaf = tuple["pa.Array", Ints]
_MOST_FILES, _LARGEST = 10_000, 1 << 22  # a larger README fails, and cells.csv holds numbers alone
_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{8,200}={0,6}")
_BYTES = re.compile(r"(?:[0-9A-Fa-f]{2}[ :-]){5,100}[0-9A-Fa-f]{2}")
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]+")
_DIGITS = re.compile(r"(?<!\d)\d{1,18}(?!\d)", re.ASCII)  # what 64 bits hold


def around(release: Published) -> Iterator[tuple[str, str]]:
    """(where, text) of the files beside the data, their names, and what the data file says of itself."""
    yield "the column names", "\n".join(["user", *release.table.numbers, *release.table.extras.column_names])
    yield "the metadata of the data file", _without_centres(release.metadata)
    if release.folder is None:
        return
    files = _beside(release)
    yield "the file names", "\n".join(str(path.relative_to(release.folder)) for path in files)
    for position, path in enumerate(path for path in files if stat.S_ISREG(path.lstat().st_mode)):
        yield f"file {position} beside the data", _read(path)


def stated(release: Published) -> Iterator[str]:
    """The words that a publisher chose in a manifest: names, reasons, notes and values."""
    parts = ("parameters", "claims", "attributes", "ledger", "suppressed", "merged")
    waiting: list[Any] = [(release.manifest or {}).get(part) for part in parts]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value


def page_text(release: Published) -> str:
    """Whatever reads as text in the decompressed bytes of a Parquet file, values or not."""
    if release.file is None or release.footer is None:
        return ""
    return b"\n".join(printable(release.file, release.footer)).decode("utf-8", "replace")


def disguised(text: str) -> Iterator[str]:
    """A text backwards, and what is encoded in it as hexadecimal digits, base 64 or base 32.

    >>> sorted(set(disguised("see cmlkZXItMDAwNQ==")))
    ['==QNwADMtIXZklmc ees', 'rider-0005']
    """
    yield text[::-1]
    apart = {re.sub("[ :-]", "", match) for match in _BYTES.findall(text)}
    for token in apart | set(_TOKEN.findall(text)):
        yield from (plain.decode("ascii") for plain in decodings(token) if plain.isascii() and _is_printable(plain))


def decodings(token: str) -> Iterator[bytes]:
    """What a token may stand for."""
    if len(token) % 2 == 0 and _HEXADECIMAL.fullmatch(token):
        yield bytes.fromhex(token)
    bare = token.rstrip("=")
    for decode, size in ((base64.b64decode, 4), (base64.urlsafe_b64decode, 4), (base64.b32decode, 8)):
        padded = bare + "=" * (-len(bare) % size)
        try:
            yield decode(padded.upper() if size == 8 else padded)
        except ValueError:
            continue


def _is_printable(data: bytes) -> bool:
    return all(32 <= byte < 127 for byte in data)


def _beside(release: Published) -> list[Path]:
    """The files of the folder but the table, some of those in folders within it too; links are not followed."""
    if release.folder is None:
        return []
    walk = ((Path(at), names) for at, _, names in os.walk(release.folder))
    paths = islice((at / name for at, names in walk for name in names), _MOST_FILES)
    return sorted(path for path in paths if path != release.file)


def inside(metadata: str) -> dict[str, Any]:
    """The object that incrowd writes into a Parquet file, empty where there is none."""
    for line in metadata.splitlines():
        key, _, value = line.partition(" ")
        if key == "incrowd":
            try:
                parsed = json.loads(value)
            except (ValueError, RecursionError):
                return {}
            return parsed if isinstance(parsed, dict) else {}
    return {}


def _without_centres(metadata: str) -> str:
    """Cell centres are packed as text in which any short word occurs by chance; they stay if they are no numbers."""
    packed = inside(metadata).get("xy")
    if not isinstance(packed, str) or not packed:
        return metadata
    try:
        centres = np.frombuffer(base64.b64decode(packed, validate=True), "<f8")
    except ValueError:
        return metadata
    return metadata.replace(packed, "") if np.isfinite(centres).all() else metadata


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace")
    except OSError as error:
        raise DataError(f"{path.name} cannot be read; check its permissions.") from error


def words(release: Published) -> Iterator[tuple[str, set[str]]]:
    """(where, distinct texts) of every column that holds text or bytes, however deep."""
    if release.users.dtype.kind != "i":
        yield "the column user", set(release.users.tolist())
    for position, column in enumerate(release.table.extras.columns):
        texts = {text for values, _ in leaves(column) for text in _texts(values)}
        if texts:
            yield f"extra column {position}", texts


def whole_numbers(release: Published) -> Iterator[tuple[str, Ints, Ints]]:
    """(where, value, pseudonym) of whole numbers that could name a person, in text too: never cells or times."""
    if release.users.dtype.kind == "i":
        yield "the column user", release.users.astype(np.int64), np.arange(len(release))
    for position, column in enumerate(release.table.extras.columns):
        values = [np.stack([value, release.table.code[row]]) for value, row in map(_whole, leaves(column))]
        pairs = np.unique(np.concatenate([np.zeros((2, 0), np.int64), *values], axis=1), axis=1)
        if pairs.size:
            yield f"extra column {position}", pairs[0], pairs[1]


def unreadable(release: Published) -> list[int]:
    """Positions of extra columns of a kind that nothing here looks into."""
    columns = enumerate(release.table.extras.columns)
    return [at for at, column in columns if not all(_is_readable(values) for values, _ in leaves(column))]


def leaves(column: "pa.ChunkedArray") -> Iterator[Leaf]:
    """The flat arrays inside a column, out of lists, structs, maps and dictionaries; and the row of each value."""
    start = 0
    for chunk in column.chunks:
        yield from _inner(chunk, np.arange(start, start + len(chunk)))
        start += len(chunk)


def _inner(array: "pa.Array", row: Ints) -> Iterator[Leaf]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_dictionary(kind):
        yield from _inner(array.dictionary_decode(), row)
    elif isinstance(array, pa.ExtensionArray):
        yield from _inner(array.storage, row)
    elif pa.types.is_map(kind):
        pair = pa.struct([("key", kind.key_type), ("value", kind.item_type)])
        yield from _inner(array.cast(pa.list_(pair)), row)
    elif pa.types.is_struct(kind):
        for at in range(kind.num_fields):
            yield from _inner(pc.struct_field(array, [at]), row)
    elif any(is_list(kind) for is_list in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)):
        row, array = row[np.asarray(array.is_valid())], array.drop_null()
        yield from _inner(pc.list_flatten(array), row[pc.list_parent_indices(array).to_numpy()])
    else:
        yield array, row


def _is_binary(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    known = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary, pa.types.is_binary_view)
    return any(is_kind(kind) for is_kind in known)


def _is_readable(values: "pa.Array") -> bool:
    import pyarrow as pa

    kind = values.type
    flat = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_temporal)
    return is_text(kind) or _is_binary(kind) or pa.types.is_null(kind) or any(is_kind(kind) for is_kind in flat)


def _texts(values: "pa.Array") -> Iterator[str]:
    """Text as it is; bytes as hexadecimal digits, and as text where they are."""
    if is_text(values.type):
        yield from (text for text in values.unique().to_pylist() if text is not None)
    elif _is_binary(values.type):
        for value in values.unique().to_pylist():
            if value is not None:
                yield value.hex()
                yield value.decode("utf-8", "replace")


def _whole(leaf: Leaf) -> tuple[Ints, Ints]:
    """The whole numbers of a leaf and their rows; those in a text one by one."""
    import pyarrow as pa

    values, row = leaf
    there = np.asarray(values.is_valid())
    values, row = values.drop_null(), row[there]
    if pa.types.is_integer(values.type):
        return values.to_numpy(zero_copy_only=False).astype(np.int64), row
    if pa.types.is_floating(values.type):
        numbers = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
        whole = (numbers == np.floor(numbers)) & (np.abs(numbers) < 2**53)
        return numbers[whole].astype(np.int64), row[whole]
    if not (is_text(values.type) or pa.types.is_decimal(values.type)):
        return row[:0], row[:0]
    encoded = values.cast(pa.string()).dictionary_encode()
    runs = [_DIGITS.findall(text) for text in encoded.dictionary.to_pylist()]
    size = np.array([len(digit_runs) for digit_runs in runs], np.int64)
    code = encoded.indices.to_numpy(zero_copy_only=False)
    flat = np.array([int(digits) for digit_runs in runs for digits in digit_runs], np.int64)
    starts, at = rows_of(np.append(0, np.cumsum(size)), code)
    return flat[at], np.repeat(row, np.diff(starts))
