"""Does the ledger close, and does it account for every original record that is not published?"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from incrowd.audit.contain import Compared
from incrowd.audit.published import Published, part_of
from incrowd.audit.verdict import Check, idle, judged, passed

RECORDS = "records"
COVERAGE = "coverage"


def records(release: Published, found: Compared | str) -> Check:
    """Every step reads what the step before kept, loses nothing unsaid, and the last one kept the published rows.

    For fingerprints the last step may count rows, rows times people, or the original samples that are covered.
    """
    steps = release.ledger
    if not steps:
        return idle(RECORDS, "there is no ledger.")
    faults = [f"step {i} does not add up" for i, step in enumerate(steps) if not _closes(step)]
    if not faults:
        pairs = pairwise(steps)
        faults += [
            f"step {i} reads not what step {i - 1} kept" for i, (a, b) in enumerate(pairs, 1) if a["kept"] != b["read"]
        ]
        if steps[-1]["kept"] not in _kept(release, found):
            faults.append(f"the last step kept {steps[-1]['kept']:,} records, the table has {release.rows:,} rows")
    if release.manifest is not None and not faults and _said(release.manifest) != _dropped(steps):
        faults.append("what the manifest calls suppressed is not what the ledger dropped")
    return judged(RECORDS, faults, f"{len(steps)} steps close and end with the {release.rows:,} published rows.")


def coverage(release: Published, found: Compared | str) -> Check:
    """Originals in no published box of their person are no more than the ledger says were dropped since."""
    if isinstance(found, str):
        return idle(COVERAGE, found)
    total, lost = len(found.covered), int((~found.covered).sum())
    evidence = f"{total - lost:,} of {total:,} original records are in a published row of their person"
    if not lost:
        return passed(COVERAGE, f"{evidence}.")
    if not release.ledger:
        return idle(COVERAGE, f"{evidence}; there is no ledger to account for the others.")
    stated = _lost_since(release.ledger, total)
    first = int(found.person[np.argmin(found.covered)])
    fault = f"{evidence}, the ledger accounts for {stated:,} of the {lost:,} others; first person at position {first}"
    return judged(COVERAGE, [fault] if lost > stated else [], f"{evidence}; {stated:,} are stated as dropped.")


def _kept(release: Published, found: Compared | str) -> set[int]:
    if release.noun != "Fingerprints":
        return {release.rows}
    covered = set() if isinstance(found, str) else {int(found.covered.sum())}
    return {release.rows, int(release.crowd[release.table.code].sum()), *covered}


def _closes(step: Mapping[str, Any]) -> bool:
    counts = [step.get("read"), step.get("kept"), *_values(step, "dropped"), *_values(step, "created")]
    if not all(isinstance(n, int) and n >= 0 for n in counts):
        return False
    return bool(step["read"] + sum(_values(step, "created")) == step["kept"] + sum(_values(step, "dropped")))


def _values(step: Mapping[str, Any], name: str) -> list[Any]:
    return list(part_of(step, name).values())


def _dropped(steps: tuple[Mapping[str, Any], ...]) -> dict[str, int]:
    reasons: dict[str, int] = {}
    for step in steps:
        for reason, n in part_of(step, "dropped").items():
            reasons[reason] = reasons.get(reason, 0) + n
    return {reason: n for reason, n in reasons.items() if n}


def _said(manifest: Mapping[str, Any]) -> dict[str, Any]:
    said = part_of(part_of(manifest, "suppressed"), "records")
    return {reason: n for reason, n in said.items() if n}


def _lost_since(steps: tuple[Mapping[str, Any], ...], records: int) -> int:
    """Drops from the last step that read as many records as the original has; from the first if none did."""
    reading = [i for i, step in enumerate(steps) if step.get("read") == records]
    since = steps[reading[-1] if reading else 0 :]
    return sum(n for step in since for n in _values(step, "dropped") if isinstance(n, int))
