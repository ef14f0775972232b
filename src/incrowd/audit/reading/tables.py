"""Batches of a table of any tool -> numpy columns in file order, as narrow as their values allow."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, Labels, distinct_rows
from incrowd.columns import first_seen
from incrowd.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

_WHOLE = "^(0|-?[1-9][0-9]{0,17})$"  # a whole number as we would write it, within 64 bits
ROLES = {
    "Visits": ("user", "cell", "slot"),
    "Fingerprints": ("user", "x", "dx", "y", "dy", "t", "dt"),
    "Traces": ("user", "t", "lon", "lat"),
    "planar Traces": ("user", "t", "x", "y"),
    "Counts": ("cell", "slot", "n"),
}
FRACTIONS = {kind: set[str]() for kind in ROLES} | {  # columns that need not be whole numbers
    "Traces": {"lon", "lat"},
    "planar Traces": {"x", "y"},
    "Counts": {"n"},
}
_NARROW = ("cell", "slot")  # nothing is computed with them before they are widened


class Columns(NamedTuple):
    """The canonical columns as numbers; `extras` holds what is left."""

    noun: str
    users: Labels  # distinct pseudonyms in order of first appearance
    code: NDArray[Any]  # position among them of the pseudonym of each row, 32 bits if they suffice
    numbers: dict[str, NDArray[Any]]  # integers or float64, in file order
    extras: "pa.Table"
    text: frozenset[str] = frozenset()  # columns of CSV whose numbers are not written as we would


def noun_of(names: Iterable[str], noun: str | None = None) -> str:
    """The richest kind of data whose columns are there."""
    there = set(names)
    fitting = [kind for kind, roles in ROLES.items() if there >= set(roles) and kind.endswith(noun or "")]
    if fitting and not (fitting[0] == "Counts" and "user" in there):
        return fitting[0]
    # In a file without a header the names are somebody's values, so that only ours are said.
    ours = sorted(there & {role for roles in ROLES.values() for role in roles})
    raise DataError(
        f"the {len(list(names))} columns ({', '.join(ours) or 'none'} among them) are not those of a release; name "
        "them user, cell, slot, or user, x, dx, y, dy, t, dt, crowd, or user, t, lon, lat, or cell, slot, n."
    )


def columns_of(
    names: list[str],
    batches: Iterable["pa.RecordBatch"],
    *,
    noun: str | None = None,
    called: Mapping[str, str] | None = None,
) -> Columns:
    """Gather batches; `called` maps canonical names to those of a foreign table."""
    import pyarrow as pa

    ours = {own: name for name, own in (called or {}).items()}
    names = [ours.get(name, name) for name in names]
    kind = noun_of(names, noun)
    roles = [*ROLES[kind], *(["crowd"] if "crowd" in names and kind == "Fingerprints" else [])]
    pieces: dict[str, list[Any]] = {name: [] for name in roles}
    others: list[Any] = []
    rest = [at for at, name in enumerate(names) if name not in roles]
    for batch in batches:
        for name in roles:
            pieces[name].append(_piece(batch.column(names.index(name)), name))
        others.append(pa.Table.from_batches([batch]).select(rest))
    rows = sum(len(piece) for piece in pieces[roles[0]])
    if not rows and noun is None:  # a Release, whose noun is known, may be empty by right
        raise DataError("the published table has no row; there is nothing to check.")
    extras = pa.concat_tables(others, promote_options="permissive") if others else pa.table({})
    extras = extras.rename_columns([names[at] for at in rest]) if others else extras
    odd = {name for name in roles if any(_is_oddly_written(piece, name in FRACTIONS[kind]) for piece in pieces[name])}
    users, code = _users(_joined(pieces.pop("user"))) if "user" in pieces else (np.zeros(0, np.int64), None)
    numbers = {name: _numbers(pieces.pop(name), name) for name in roles if name != "user"}
    code = np.zeros(rows, np.int32) if code is None else code
    _give_back()
    return Columns(kind.split()[-1], users, code, numbers, extras, frozenset(odd))


def _give_back() -> None:
    """Return what many small batches took to the operating system, where the C library can."""
    import ctypes

    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _piece(column: "pa.Array", name: str) -> Any:
    """A batch of a column: narrow numbers if it holds whole numbers, else as it is."""
    import pyarrow as pa

    if column.null_count:
        raise DataError(f"column {name!r} has {column.null_count} missing values; every published row is complete.")
    if is_text(column.type):
        whole = _as_whole(column)
        column = column if whole is None else whole
    if pa.types.is_integer(column.type) and not pa.types.is_uint64(column.type):
        return _narrow(column.to_numpy(zero_copy_only=False), name)
    return column


def _as_whole(column: "pa.Array") -> "pa.Array | None":
    """Text as whole numbers, if all of it is written as we would."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pc.all(pc.match_substring_regex(column, _WHOLE)).as_py():
        return None
    return column.cast(pa.int64())


def _is_oddly_written(piece: Any, fraction: bool) -> bool:
    """Whether numbers of a text file have another spelling than we would give them, in which more could be said."""
    import pyarrow as pa

    if isinstance(piece, np.ndarray) or not is_text(piece.type):
        return False
    try:
        return not fraction or not piece.cast(pa.float64()).cast(pa.string()).equals(piece.cast(pa.string()))
    except pa.ArrowInvalid:
        return True


def _narrow(values: NDArray[Any], name: str) -> NDArray[Any]:
    wide = values.astype(np.int64, copy=False)
    fits = len(wide) and int(wide.min()) >= -(2**31) and int(wide.max()) < 2**31
    return wide.astype(np.int32) if fits and name in (*_NARROW, "user") else wide


def _joined(pieces: list[Any]) -> Any:
    """One array of numbers if every piece is one, else one Arrow column."""
    import pyarrow as pa

    if all(isinstance(piece, np.ndarray) for piece in pieces):
        return np.concatenate(pieces) if pieces else np.zeros(0, np.int64)
    arrays = [pa.array(piece) if isinstance(piece, np.ndarray) else piece for piece in pieces]
    if len({array.type for array in arrays}) > 1:
        arrays = [array.cast(pa.string()) for array in arrays]
    return pa.chunked_array(arrays)


def _numbers(pieces: list[Any], name: str) -> NDArray[Any]:
    column = _joined(pieces)
    return column if isinstance(column, np.ndarray) else numbers(column, name)


def numbers(column: "pa.ChunkedArray", name: str) -> NDArray[Any]:
    """int64 where every value is whole, float64 where not, points in time as seconds; refused where that loses."""
    import pyarrow as pa

    if column.null_count:
        raise DataError(f"column {name!r} has {column.null_count} missing values; every published row is complete.")
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _seconds(column, name)
    if pa.types.is_decimal(kind) or pa.types.is_uint64(kind):
        column = column.cast(pa.string())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or is_text(kind)):
        raise DataError(f"column {name!r} holds {kind} values; a release has numbers there.")
    values = _parsed(column, name) if is_text(column.type) else column.to_numpy()
    if values.dtype.kind != "f":
        return values.astype(np.int64, copy=False)
    if not np.isfinite(values).all():
        raise DataError(f"column {name!r} has missing or infinite values; every published row is complete.")
    whole = bool((values == np.floor(values)).all()) and float(np.abs(values).max(initial=0)) < 2**53
    return values.astype(np.int64 if whole else np.float64)


def is_text(kind: "pa.DataType") -> bool:
    """Whether a column holds text."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _seconds(column: "pa.ChunkedArray", name: str) -> NDArray[Any]:
    import pyarrow as pa

    try:
        micros: Ints = column.cast(pa.timestamp("us")).cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        raise DataError(
            f"column {name!r} has times finer than a microsecond or too far away; round them first."
        ) from None
    return micros // 1_000_000 if not (micros % 1_000_000).any() else micros / 1e6


def _parsed(column: "pa.ChunkedArray", name: str) -> NDArray[Any]:
    """Text as whole numbers, numbers or points in time, whichever is the first that all of it is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(column)
    for kind in (pa.int64(), pa.float64(), pa.timestamp("us"), pa.timestamp("us", "UTC")):
        try:
            cast = texts.cast(kind)
        except pa.ArrowInvalid:
            continue
        if pa.types.is_timestamp(kind):
            return _seconds(cast, name)
        if pa.types.is_floating(kind):
            _refuse_rounded(texts, name)
        parsed: NDArray[Any] = cast.to_numpy()
        return parsed
    raise DataError(f"column {name!r} holds text; a release has numbers there.")


def _refuse_rounded(texts: "pa.ChunkedArray", name: str) -> None:
    """Different numbers may not become the same one."""
    import pyarrow as pa

    distinct = texts.unique()
    values = distinct.cast(pa.float64()).to_numpy(zero_copy_only=False)
    order = np.argsort(values)
    for at in np.flatnonzero(values[order[1:]] == values[order[:-1]]).tolist():
        if Decimal(distinct[order[at]].as_py()) != Decimal(distinct[order[at + 1]].as_py()):
            raise DataError(f"column {name!r} has numbers of more digits than 64 bits can tell apart; shorten them.")


def _users(column: Any) -> tuple[Labels, NDArray[Any]]:
    """Pseudonyms by run of equal neighbours: a table in their order is told apart without sorting its rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, np.ndarray):
        return _runs(column)
    encoded = _as_words(column).dictionary_encode().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    words = encoded.dictionary
    users, code = _runs(encoded.indices.to_numpy().astype(np.int64))
    whole = bool(pc.all(pc.match_substring_regex(words, _WHOLE)).as_py())
    names = words.cast(pa.int64()).to_numpy() if whole else np.array(words.to_pylist(), np.str_)
    return names[users], code


def _as_words(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    import pyarrow as pa

    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:  # bytes that are no text
        return pa.chunked_array([pa.array([value.hex() for value in column.to_pylist()])])
    except pa.ArrowNotImplementedError:
        raise DataError("column 'user' holds no single values; a pseudonym is a number or a text.") from None


def codes_of(column: "pa.ChunkedArray") -> Ints:
    """Whole numbers that are equal where the values are, whatever these are; -1 for a missing value."""
    import pyarrow as pa

    try:
        encoded = column.dictionary_encode().combine_chunks()
    except pa.ArrowNotImplementedError:  # nested values
        encoded = pa.array([None if value is None else repr(value) for value in column.to_pylist()]).dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    codes: Ints = encoded.indices.fill_null(-1).to_numpy().astype(np.int64)
    return codes


def _runs(values: NDArray[Any]) -> tuple[Labels, NDArray[Any]]:
    starts = np.flatnonzero(distinct_rows(values))
    users, code = first_seen(values[starts])
    narrow = code.astype(np.int32) if len(users) < 2**31 else code
    return users.astype(np.int64), np.repeat(narrow, np.diff(starts, append=len(values)))
