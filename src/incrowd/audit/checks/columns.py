"""Is every column of the table one that is looked at?"""

import numpy as np

from incrowd.audit.reading.published import Published
from incrowd.audit.reading.tables import codes_of
from incrowd.audit.reading.texts import unreadable
from incrowd.audit.verdict import Check, idle, judged
from incrowd.data.table import COLUMNS as CANONICAL

COLUMNS = "columns"


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
