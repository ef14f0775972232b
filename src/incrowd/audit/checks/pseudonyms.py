"""Are pseudonyms mere ranks, and are rows in the order and as often as the format says?"""

import numpy as np

from incrowd.arrays import Ints
from incrowd.audit.reading.published import ROWS_AT_ONCE, Published, ascend, exact
from incrowd.audit.verdict import Check, idle, judged
from incrowd.plain import several

RANKS, SORTED = "pseudonyms", "rows by pseudonym"
ORDER = {
    "Visits": ("slot", "cell"),
    "Fingerprints": ("t", "dt", "x", "dx", "y", "dy"),
    "Traces": ("t",),
    "Counts": ("slot", "cell"),
}
SPARSE = 100  # more bare pseudonyms than this for each with a row are room to hide numbers in


def ranks(release: Published) -> Check:
    """Pseudonyms are whole numbers from 0 to n - 1; those without a row are as many as the manifest counts as bare."""
    if release.noun == "Counts":
        return idle(RANKS, "counts have no pseudonyms.")
    if release.manifest is None:
        return idle(RANKS, "only a release folder has numbered pseudonyms.")
    total, users = len(release) + release.bare, release.users
    if users.dtype.kind != "i":
        return judged(RANKS, [f"{several(len(users), 'pseudonym')} are text, not numbers from 0 to n - 1"], "")
    outside = (users < 0) | (users >= total)
    faults = []
    if outside.any():
        faults.append(
            f"{int(outside.sum()):,} of {several(len(users), 'pseudonym')} are not numbers from 0 to {total - 1:,}, "
            f"the first at position {int(np.argmax(outside))}"
        )
    if release.bare > SPARSE * len(users):
        faults.append(f"only {len(users):,} of {total:,} pseudonyms have a row")
    return judged(RANKS, faults, f"{several(len(users), 'pseudonym')} from 0 to {total - 1:,}, {release.bare} bare.")


def rows_by_pseudonym(release: Published) -> Check:
    """Rows ascend by pseudonym, then time, then the rest, so that their order says nothing; none comes twice."""
    if release.is_plain:
        return idle(SORTED, "a plain table promises no order.")
    out, twice, first = 0, 0, -1
    names = ORDER[release.noun]
    place = _place(release)
    for start in range(0, max(release.rows - 1, 0), ROWS_AT_ONCE):
        at = slice(start, start + ROWS_AT_ONCE + 1)
        keys = [place[release.table.code[at]], *(exact(release.table.numbers[name][at]) for name in names)]
        less, equal = ascend(keys)
        if less.any() and first < 0:
            first = start + int(np.argmax(less)) + 1
        out, twice = out + int(less.sum()), twice + (int(equal.sum()) if release.noun != "Traces" else 0)
    faults = [f"{several(out, 'row is', 'rows are')} out of order, first at row {first}"] if out else []
    if twice and release.manifest is not None:
        faults.append(f"{several(twice, 'row is', 'rows are')} there twice")
    return judged(SORTED, faults, f"{several(release.rows, 'row ascends', 'rows ascend')} by pseudonym, then time.")


def _place(release: Published) -> Ints:
    """The rank of each pseudonym; texts in their own order."""
    if not len(release):
        return np.zeros(1, np.int64)
    place = np.empty(len(release), np.int64)
    place[np.argsort(release.users, kind="stable")] = np.arange(len(release))
    return place
