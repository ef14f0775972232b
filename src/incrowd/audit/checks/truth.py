"""Is every published box true for every member, what became of every original record, and does the ledger close?"""

from collections.abc import Iterator, Mapping
from itertools import islice, pairwise, product
from math import isqrt
from typing import Any

import numpy as np

from incrowd.arrays import Flags, Ints, distinct_rows, row_order
from incrowd.audit.checks.accounts import (
    SWAPPED,
    Steps,
    closes,
    dropped_by,
    expected_size,
    since_original,
    steps_from,
    swapped,
    users_of,
)
from incrowd.audit.checks.compared import Compared, Silence, Space
from incrowd.audit.checks.contain import compare_boxes, compare_rows
from incrowd.audit.checks.placing import differing, placed, runs_of, space_of, whole
from incrowd.audit.reading.origin import DISCRETIZING, Original
from incrowd.audit.reading.published import BARE, Published, exact, is_count, part_of
from incrowd.audit.verdict import Check, failed, idle, judged, unasked, uncheckable
from incrowd.data import Fingerprints, Groups, Traces, Visits
from incrowd.plain import several

TRUTH = "truthfulness"
MOVED = "points of a published trajectory may be moved, so no row is promised to be true."
_EFFORT = 20_000_000  # records, all tries together, in search of a grain
_LARGEST = 100_000  # divisor looked for
RECORDS = "records"


def compare(release: Published, original: Original | None) -> Compared | Silence | str:
    """How the release relates to its original through the link, or why that cannot be compared.

    Nothing is expected of people whom the link lists as held out.
    """
    comparison = _compare(release, original)
    return _excused(release, comparison) if isinstance(comparison, Compared) else comparison


def _excused(release: Published, comparison: Compared) -> Compared:
    """The same with the records of people held out as if they were published."""
    covered = comparison.covered | np.isin(comparison.person, list(release.held_out))
    if (covered == comparison.covered).all():
        return comparison
    return comparison._replace(covered=covered, lost=np.ones(int((~covered).sum()), np.int64))


def _compare(release: Published, original: Original | None) -> Compared | Silence | str:
    if original is None:
        return Silence("no original is given.")
    if release.members is None:
        return Silence("who stands behind a pseudonym is not known; give the link file.")
    if not release.rows:
        none, nothing = np.zeros(0, np.bool_), np.zeros(original.records, np.bool_)
        return Compared(0, 0, -1, 0, none, nothing, original.owner, np.ones(original.records, np.int64))
    if release.noun == "Traces" and isinstance(original, Traces):
        return Silence(MOVED)
    if release.noun == "Visits" and isinstance(original, Visits):
        return _visits(release, original, release.members)
    if release.noun == "Fingerprints" and isinstance(original, Fingerprints):
        return _fingerprints(release, original, release.members)
    if release.noun in ("Visits", "Fingerprints") and isinstance(original, Traces):
        return _traces(release, original, release.members)
    kind = type(original).__name__
    return f"published {release.noun} cannot be compared with original {kind}; give the data the method was given."


def not_compared(reason: str) -> Check:
    """A check fails that needs what the release states: it is not so, or nothing can be checked."""
    return failed(TRUTH, reason) if reason.startswith("the release states") else uncheckable(TRUTH, reason)


def truthfulness(release: Published, comparison: Compared | Silence | str) -> Check:
    """Every published box holds a sample of every member, so that no row is fabricated [gramaglia2015, Sec. 2.2]."""
    if isinstance(comparison, Silence):
        return idle(TRUTH, comparison) if comparison == MOVED else unasked(TRUTH, comparison)
    if isinstance(comparison, str):
        return not_compared(comparison)
    faults = []
    if comparison.orphans:
        faults.append(f"{comparison.orphans} rows have no person behind their pseudonym ({release.untold})")
    if comparison.missing:
        faults.append(
            f"{comparison.missing} of {comparison.pairs:,} pairs of row and member hold no sample of the member, "
            f"first at row {comparison.first}"
        )
        if comparison.missing <= swapped(since_original(release.ledger, comparison)):
            faults.append(SWAPPED)
    return judged(TRUTH, faults, f"all {comparison.pairs:,} pairs of row and member hold a sample of the member.")


def _visits(release: Published, original: Visits, members: Groups) -> Compared | str:
    if differ := differing(release, original):
        return differ
    mine = [original.slot, original.cell]
    published = [whole(release.table.numbers[name], own) for name, own in zip(("slot", "cell"), mine, strict=True)]
    return compare_rows(published, release.table.code, mine, original.offsets, members)


def _fingerprints(release: Published, original: Fingerprints, members: Groups) -> Compared | str:
    spaces = space_of(release, original)
    return spaces if isinstance(spaces, str) else compare_boxes(*spaces[:2], members, runs=spaces[2])


def _traces(release: Published, original: Traces, members: Groups) -> Compared | str:
    ground = placed(release, original)
    if isinstance(ground, str):
        return ground
    boxes, points, slack = ground
    comparison = _excused(release, compare_boxes(boxes, points, members, slack, runs=runs_of(release)))
    if comparison.covered.all():
        return comparison
    return comparison._replace(lost=_together(points, ~comparison.covered, *_grain(release, points)))


def _grain(release: Published, points: Space) -> tuple[int, float]:
    """Seconds and metres within which records of a person fall together, the coarsest that may have been.

    Too coarse a grain leaves fewer sets of records than the discretizing step kept; without a better one each record
    is for itself.
    """
    counts = [step.get("kept") for step in release.ledger if step.get("step") in DISCRETIZING]
    least, every = max(filter(is_count, counts), default=len(points.owner) + 1), np.ones(len(points.owner), np.bool_)
    tried = islice(_grains(release), max(_EFFORT // len(every), 1))
    return next((grain for grain in tried if len(_together(points, every, *grain)) >= least), (1, 0.0))


def _grains(release: Published) -> Iterator[tuple[int, float]]:
    """The grain of visits; sides of boxes are whole numbers of samples, so that those of a sample divide them all."""
    numbers = release.table.numbers
    if release.noun == "Visits":
        return iter([(release.clock["slot_min"] * 60, release.plane["cell_m"])])
    time, space = (np.concatenate([numbers[name] for name in names]) for names in (("t", "dt"), ("x", "dx", "y", "dy")))
    if space.dtype.kind == "f" or time.dtype.kind == "f":
        return iter(())
    slots, cells = (_divisors(max(int(np.gcd.reduce(sides)), 1)) for sides in (time, space))
    coarse_first = sorted(product(slots, cells), key=lambda grain: -grain[0] * grain[1] ** 2)
    return ((slot * 60, float(cell)) for slot, cell in coarse_first)


def _divisors(n: int) -> list[int]:
    small = [i for i in range(1, min(isqrt(n), _LARGEST) + 1) if n % i == 0]
    return sorted({*small, *(n // i for i in small)})


def _together(points: Space, chosen: Flags, slot_s: int, cell_m: float) -> Ints:
    """How many of some points each person has in a cell and slot, where any; cells are counted from 0."""
    t, x, y = (column[chosen] for column in points.low)
    cells = (exact(np.floor(side / cell_m) if cell_m else side) for side in (x, y))
    keys: list[Ints] = [points.owner[chosen], exact(t // slot_s), *cells]
    order = row_order(*keys)
    first = distinct_rows(*(keys if order is None else [key[order] for key in keys]))
    return np.diff(np.flatnonzero(first), append=len(first))


def records(release: Published, comparison: Compared | str, original: Original | None = None) -> Check:
    """Every step reads what the step before kept, loses nothing unsaid, and the last one kept the published rows.

    For fingerprints the last step may count rows, rows times people, or the original samples that are covered.
    """
    steps = release.ledger
    if not steps:
        due = release.manifest is not None and release.noun != "Counts"
        return failed(RECORDS, "the manifest has no ledger.") if due else idle(RECORDS, "there is no ledger.")
    faults = [f"step {i} does not add up" for i, step in enumerate(steps) if not closes(step)]
    if not faults:
        pairs = pairwise(steps)
        faults += [
            f"step {i} reads not what step {i - 1} kept" for i, (a, b) in enumerate(pairs, 1) if a["kept"] != b["read"]
        ]
        faults += _unchained(steps)
        if steps[-1]["kept"] not in _kept(release, comparison):
            faults.append(f"the last step kept {steps[-1]['kept']:,} records, the table has {release.rows:,} rows")
        people = len(release) + release.bare
        if (left := users_of(steps[-1], people)[1]) != people:
            faults.append(f"the last step ends with {left:,} users, the release with {several(people, 'pseudonym')}")
    noted = part_of(steps[-1], "notes").get(BARE, release.bare)
    if release.manifest is not None and noted != release.bare:
        faults.append(f"the ledger notes {noted} users without a visit, the manifest counts {release.bare}")
    if release.manifest is not None and not faults and _stated_drops(release.manifest) != dropped_by(steps):
        faults.append("what the manifest calls suppressed or merged is not what the ledger dropped")
    if original is not None and not faults and not release.is_plain:
        faults += _beginning(release, original)
    stated = "" if original is None else _stated_only(release, original)
    ends = (
        f"{several(len(steps), 'step closes and ends', 'steps close and end')} with the {release.rows:,} published rows"
    )
    stated += f"; {several(len(release.held_out), 'person', 'people')} held out by the link" if release.held_out else ""
    return judged(RECORDS, faults, f"{ends}{stated}.")


def _unchained(steps: Steps) -> list[str]:
    """Steps that begin with another number of people than the step before ended with."""
    pairs = enumerate(pairwise(users_of(step, -1) for step in steps), 1)
    return [
        f"step {i} begins with other people than step {i - 1} ended with"
        for i, (a, b) in pairs
        if -1 not in (a[1], b[0]) and a[1] != b[0]
    ]


def _beginning(release: Published, original: Original) -> list[str]:
    """The step that reads the original reads all of its records and people."""
    records, users = expected_size(release, original)
    since = steps_from(release.ledger, records, users)
    if not since:
        return [f"no step of the ledger reads the {records:,} records of the original"]
    before = users_of(since[0], users)[0]
    return [] if before == users else [f"the ledger begins with {before:,} people, the original has {users:,}"]


def _stated_only(release: Published, original: Original) -> str:
    """The steps before the original, whose numbers nobody can check here."""
    since = steps_from(release.ledger, *expected_size(release, original))
    before = [str(step.get("step")) for step in release.ledger[: len(release.ledger) - len(since)]]
    known = [step for step in before if step != "given"]
    return f"; stated, not checked: {', '.join(known)}" if known and len(known) < 20 and since else ""


def _kept(release: Published, comparison: Compared | str) -> set[int]:
    if release.noun != "Fingerprints":
        return {release.rows}
    covered = set()
    if not isinstance(comparison, str):
        covered = {int((comparison.covered & ~np.isin(comparison.person, list(release.held_out))).sum())}
    return {release.rows, int(release.crowd[release.table.code].sum()), *covered}


def _stated_drops(manifest: Mapping[str, Any]) -> dict[str, int]:
    """What the manifest calls suppressed, and what merged."""
    stated = [part_of(part_of(manifest, "suppressed"), "records"), part_of(manifest, "merged")]
    return dropped_by(tuple({"dropped": reasons} for reasons in stated))
