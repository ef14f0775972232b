"""Is every column of the table one that is looked at, and is any published time finer than the release says?"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags
from incrowd.audit.reading.published import Published
from incrowd.audit.reading.tables import codes_of, is_text
from incrowd.audit.reading.texts import unreadable
from incrowd.audit.verdict import Check, idle, judged
from incrowd.data.table import COLUMNS as CANONICAL

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = "columns"
GRAIN = "time grain"
BLOCK = 1 << 22  # rows looked at together


def columns(release: Published, *, sensitive: str | None, longest: int | None) -> Check:
    """The table has the columns of its noun and published attributes, one value for each pseudonym, and no other.

    What a manifest does not declare is a fault. A plain table declares nothing: there, more columns are part of a
    fingerprint for k-anonymity, and a fault for LKC-privacy, which speaks of visits and a sensitive value alone.
    """
    names = release.table.extras.column_names
    if release.noun == "Counts" and not names:
        return judged(COLUMNS, [], "those of Counts.")
    declared = (_declared(release) | {sensitive}) - CANONICAL
    foreign = [at for at, name in enumerate(names) if name not in declared]
    lost = unreadable(release)
    faults = (
        [f"{len(lost)} columns are of a kind that cannot be read, the first extra column {lost[0]}"] if lost else []
    )
    if longest is not None:
        foreign = [at for at, name in enumerate(names) if name != sensitive]
    if foreign and (release.manifest is not None or longest is not None):
        why = "no part of LKC-privacy" if longest is not None else "no published attribute"
        faults.append(
            f"{len(foreign)} columns are none of {release.noun} and {why}, the first extra column {foreign[0]}"
        )
    faults += _impossible(release)
    undelivered = _listed(release) - set(names)
    if undelivered:
        faults.append(f"{len(undelivered)} declared attributes are not in the table")
    varying = [at for at, name in enumerate(names) if name in declared and _varies(release, name)]
    if varying:
        faults.append(f"{len(varying)} attributes change within a pseudonym, the first extra column {varying[0]}")
    if foreign and not faults:
        return idle(
            COLUMNS, f"{len(foreign)} columns beside those of {release.noun}: part of a fingerprint for k alone."
        )
    return judged(COLUMNS, faults, f"those of {release.noun} and {len(names)} published attributes.")


def _impossible(release: Published) -> list[str]:
    """Values that no such data have: boxes of no extent, places that are not on the earth."""
    numbers = release.table.numbers
    wrong = np.zeros(release.rows, np.bool_)
    for name in ("dx", "dy", "dt"):
        wrong |= numbers[name] < 1 if name in numbers else False
    for name, most in (("lon", 180), ("lat", 90)):
        wrong |= np.abs(numbers[name]) > most if name in numbers else False
    if not wrong.any():
        return []
    return [f"{int(wrong.sum())} rows hold no possible place or extent, the first is row {int(np.argmax(wrong))}"]


def _declared(release: Published) -> set[str | None]:
    """The attributes that the manifest says are published; a release in memory shows those it claims."""
    # In format 2 every attribute is declared.
    return {release.claims.get("sensitive") if release.format != 2 else None, *_listed(release)}


def _listed(release: Published) -> set[str]:
    listed = (release.manifest or {}).get("attributes")
    return {name for name in listed if isinstance(name, str)} if isinstance(listed, list) else set()


def _varies(release: Published, name: str) -> bool:
    value, code = codes_of(release.table.extras[name]), release.table.code
    first = np.empty(len(release), np.int64)
    first[code] = value
    return bool((first[code] != value).any())


def grain(release: Published) -> Check:
    """Published times lie on a grid of the stated grain; slots are whole numbers of slot_min, which is no finer.

    Times may begin anywhere: what counts is that all but a shared offset is a multiple of the grain.
    """
    grain_s, slot_min = release.clock.get("grain_s"), release.clock.get("slot_min")
    if grain_s is None:
        return idle(GRAIN, "no grain is stated.")
    faults = []
    for name, unit_s in _units(release.noun, slot_min).items():
        offset = None if name == "t" else 0.0
        off = _off_grid(release.table.numbers[name], unit_s, grain_s, offset)
        if off.any():
            faults.append(
                f"{int(off.sum())} values of column {name} are finer than {grain_s} s, first row {np.argmax(off)}"
            )
    for position, name in enumerate(release.table.extras.column_names):
        off = _off_clock(release.table.extras[name], grain_s)
        if off.any():
            faults.append(
                f"extra column {position} has {int(off.sum())} times finer than {grain_s} s, first row {np.argmax(off)}"
            )
    return judged(GRAIN, faults, f"no time is finer than {grain_s} s.")


def _units(noun: str, slot_min: Any) -> dict[str, float]:
    """The time columns of a noun, and the seconds of their unit."""
    if noun in ("Visits", "Counts"):
        return {"slot": 60.0 * (slot_min or 1)}
    return {"t": 60.0, "dt": 60.0} if noun == "Fingerprints" else {"t": 1.0}


def _off_grid(values: NDArray[Any], unit_s: float, grain_s: float, offset: float | None) -> Flags:
    if offset is None:
        distinct, times = np.unique((values * unit_s) % grain_s, return_counts=True)
        offset = distinct[np.argmax(times)]
    off = np.empty(len(values), np.bool_)
    for first in range(0, len(values), BLOCK):  # a whole column of seconds would take as much memory as the release
        part = slice(first, first + BLOCK)
        off[part] = (values[part] * unit_s) % grain_s != offset
    return off


def _off_clock(column: "pa.ChunkedArray", grain_s: float) -> Flags:
    """Points in time beside the canonical columns."""
    import pyarrow as pa

    if not (pa.types.is_timestamp(column.type) or is_text(column.type)):
        return np.zeros(len(column), np.bool_)
    try:
        nanos = column.cast(pa.timestamp("ns")).cast(pa.int64()).fill_null(0).to_numpy()
    except pa.ArrowInvalid:  # no times, or of years that no nanosecond reaches
        return np.zeros(len(column), np.bool_)
    return _off_grid(nanos, 1, round(grain_s * 1e9), None)
