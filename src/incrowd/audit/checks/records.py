"""Does the ledger close, step by step, from the original to the published rows?"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from incrowd.audit.checks.accounts import Steps, closes, dropped_by, expected_size, steps_from, users_of
from incrowd.audit.checks.compared import Compared
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import BARE, Published, part_of
from incrowd.audit.verdict import Check, failed, idle, judged
from incrowd.plain import several

RECORDS = "records"


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
