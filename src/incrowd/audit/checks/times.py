"""Is any published time finer than the release says?"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incrowd.audit.reading.published import Published
from incrowd.audit.reading.tables import is_text
from incrowd.audit.verdict import Check, idle, judged

if TYPE_CHECKING:
    import pyarrow as pa

GRAIN = "time grain"
BLOCK = 1 << 22  # rows looked at together


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


def _off_grid(values: NDArray[Any], unit_s: float, grain_s: float, offset: float | None) -> NDArray[np.bool_]:
    if offset is None:
        distinct, times = np.unique((values * unit_s) % grain_s, return_counts=True)
        offset = distinct[np.argmax(times)]
    off = np.empty(len(values), np.bool_)
    for first in range(0, len(values), BLOCK):  # a whole column of seconds would take as much memory as the release
        part = slice(first, first + BLOCK)
        off[part] = (values[part] * unit_s) % grain_s != offset
    return off


def _off_clock(column: "pa.ChunkedArray", grain_s: float) -> NDArray[np.bool_]:
    """Points in time beside the canonical columns."""
    import pyarrow as pa

    if not (pa.types.is_timestamp(column.type) or is_text(column.type)):
        return np.zeros(len(column), np.bool_)
    try:
        nanos = column.cast(pa.timestamp("ns")).cast(pa.int64()).fill_null(0).to_numpy()
    except pa.ArrowInvalid:  # no times, or of years that no nanosecond reaches
        return np.zeros(len(column), np.bool_)
    return _off_grid(nanos, 1, round(grain_s * 1e9), None)
