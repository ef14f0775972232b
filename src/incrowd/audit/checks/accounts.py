"""Does the ledger close, and does it account for every original record that is not published?"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from incrowd.arrays import Ints
from incrowd.audit.checks.contain import Compared
from incrowd.audit.reading.published import BARE, Published, is_count, part_of
from incrowd.audit.verdict import Check, idle, judged, passed
from incrowd.data import Groups
from incrowd.plain import several

RECORDS = "records"
COVERAGE = "coverage"
GRAIN, BOXED = "same cell and slot", "sample generalised into a shared box"
MERGED = frozenset(  # reasons of incrowd for records that fall together with another, and share its fate
    (
        GRAIN,
        "repeated visit",
        "repeated sample",
        "exact duplicate",
        "same time and place",
        BOXED,
    )
)
TIMES = "times swapped"  # a note of cleaning
SWAPPED = (
    "cleaning exchanged times of at least as many records, which are no longer where the log has them; compare with "
    "the cleaned data"
)
Steps = tuple[Mapping[str, Any], ...]


def records(release: Published, comparison: Compared | str) -> Check:
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
        if steps[-1]["kept"] not in _kept(release, comparison):
            faults.append(f"the last step kept {steps[-1]['kept']:,} records, the table has {release.rows:,} rows")
        people = len(release) + release.bare
        if (left := _users(steps[-1], people)[1]) != people:
            faults.append(f"the last step ends with {left:,} users, the release with {several(people, 'pseudonym')}")
    if release.manifest is not None and not faults and _stated_drops(release.manifest) != _dropped(steps):
        faults.append("what the manifest calls suppressed or merged is not what the ledger dropped")
    return judged(RECORDS, faults, f"{len(steps)} steps close and end with the {release.rows:,} published rows.")


def coverage(release: Published, comparison: Compared | str) -> Check:
    """Originals in no published row of their person are no more than the ledger dropped since, and people likewise.

    A record that fell together with others is where they are, published or not: such drops account for nothing, and
    what is dropped later takes with it all that fell together before.
    """
    if isinstance(comparison, str) or release.members is None:
        return idle(COVERAGE, str(comparison))
    total, bare = len(comparison.covered), int((~comparison.covered).sum())
    evidence = f"{total - bare:,} of {total:,} original records are in a published row of their person"
    if not bare:
        return passed(COVERAGE, f"{evidence}.")
    if not release.ledger:
        return idle(COVERAGE, f"{evidence}; there is no ledger to account for the others.")
    since = since_original(release.ledger, comparison)
    credit = _of_originals(since, split=release.parameters.get("reshape") == "split")
    removed = _removed(credit) if release.rows else Removed(0, sum(_dropped(credit).values()))
    stated, sets = removed.records + removed.rows, len(comparison.lost)
    others = several(bare, "other") + (f" ({sets:,} at the grain of the release)" if sets < bare else "")
    faults = []
    if not _accounts_for(removed, comparison.lost):
        first = int(comparison.person[np.argmin(comparison.covered)])
        faults.append(f"{evidence}, the ledger removed {stated:,} of the {others}; first person at {first}")
    absent = np.setdiff1d(comparison.person, release.members.positions)
    if len(absent) > (hidden := _people_lost(release, release.members, since)):
        faults.append(f"{len(absent):,} people are not published, the ledger lost {hidden:,}; first at {absent[0]}")
    if faults and not since:
        faults.append(f"no step of the ledger reads the {total:,} records of the original, so that it answers for none")
    if faults and (swaps := swapped(since)) and bare - stated <= swaps:
        faults.append(SWAPPED)
    if faults and release.untold:
        faults.append(release.untold)
    return judged(COVERAGE, faults, f"{evidence}; the ledger removed the {others}{_more(stated - bare)}.")


def _more(count: int) -> str:
    """Why a ledger may remove more than is missing."""
    return f" and {count:,} more that a published row holds all the same" if count > 0 else ""


class Removed(NamedTuple):
    """What the ledger says it removed: records before they fell together for good, and rows after that."""

    records: int
    rows: int  # each with all that had fallen together into it
    merged: int = 0  # records that fell together early, and may have left as one of the records


def _removed(steps: Steps) -> Removed:
    last = max((i for i, step in enumerate(steps) if (MERGED - {BOXED}) & part_of(step, "dropped").keys()), default=-1)
    before, after = _dropped(steps[: last + 1]), _dropped(steps[last + 1 :])
    merged = sum(n for reason, n in before.items() if reason in MERGED)
    # Into cells and slots go only records that stay.
    merged -= _dropped(steps[last : last + 1]).get(GRAIN, 0) if last >= 0 else 0
    records, rows = (sum(n for reason, n in reasons.items() if reason not in MERGED) for reasons in (before, after))
    return Removed(records, rows, merged)


def _accounts_for(removed: Removed, lost: Ints) -> bool:
    """Whether every set of lost records is one removed row, the largest first, or else as many removed records."""
    rest = np.sort(lost)[: max(len(lost) - removed.rows, 0)]
    return len(rest) <= removed.records and int(rest.sum()) <= removed.records + removed.merged


def _kept(release: Published, comparison: Compared | str) -> set[int]:
    if release.noun != "Fingerprints":
        return {release.rows}
    covered = set() if isinstance(comparison, str) else {int(comparison.covered.sum())}
    return {release.rows, int(release.crowd[release.table.code].sum()), *covered}


def _closes(step: Mapping[str, Any]) -> bool:
    counts = [step.get("read"), step.get("kept"), *_values(step, "dropped"), *_values(step, "created")]
    if not all(map(is_count, counts)):
        return False
    return bool(step["read"] + sum(_values(step, "created")) == step["kept"] + sum(_values(step, "dropped")))


def _values(step: Mapping[str, Any], name: str) -> list[Any]:
    return list(part_of(step, name).values())


def _dropped(steps: Steps) -> dict[str, int]:
    reasons: dict[str, int] = {}
    for step in steps:
        for reason, n in part_of(step, "dropped").items():
            reasons[reason] = reasons.get(reason, 0) + (n if isinstance(n, int) else 0)
    return {reason: n for reason, n in reasons.items() if n}


def _stated_drops(manifest: Mapping[str, Any]) -> dict[str, int]:
    """What the manifest calls suppressed, and what merged."""
    stated = [part_of(part_of(manifest, "suppressed"), "records"), part_of(manifest, "merged")]
    return _dropped(tuple({"dropped": reasons} for reasons in stated))


def since_original(steps: Steps, comparison: Compared) -> Steps:
    """From the first step that read as many records, and no fewer users, than the original has; else none."""
    records, users = len(comparison.covered), int(comparison.person.max(initial=-1)) + 1
    fits = (i for i, step in enumerate(steps) if step.get("read") == records and _users(step, users)[0] >= users)
    return steps[next(fits, len(steps)) :]


def _of_originals(steps: Steps, *, split: bool) -> Steps:
    """Until a step creates records, other than pieces of boxes: what leaves from then on may be what was created."""
    for i, step in enumerate(steps):
        removed = sum(n for reason, n in _dropped((step,)).items() if reason not in MERGED)
        # n boxes begin and end at 2 n times, between which lie fewer than 2 n pieces.
        pieces = split and _closes(step) and step["kept"] <= 2 * (step["read"] - removed)
        if any(_values(step, "created")) and not pieces:
            return steps[:i]
    return steps


def swapped(steps: Steps) -> int:
    """Records that these steps say had their times exchanged."""
    return 2 * sum(n for step in steps for note, n in part_of(step, "notes").items() if note == TIMES and is_count(n))


def _users(step: Mapping[str, Any], unsaid: int) -> tuple[int, int]:
    """Users before and after a step, all the same where it does not say."""
    users = step.get("users")
    fine = isinstance(users, (list, tuple)) and len(users) == 2 and all(map(is_count, users))
    return (users[0], users[1]) if fine and users else (unsaid, unsaid)


def _people_lost(release: Published, members: Groups, steps: Steps) -> int:
    """Users whom the steps say they lost: fewer of them, or some without a row; not those in the crowd of another."""
    pairs = [_users(step, 0) for step in steps]
    bare: int = sum(n for step in steps for note, n in part_of(step, "notes").items() if note == BARE and is_count(n))
    if release.noun == "Fingerprints":
        grouped = len(np.unique(members.positions)) - len(release)
        return max(bare + sum(int(before - after) for before, after in pairs) - grouped, 0)
    # Cutting makes more users out of fewer, which brings nobody back.
    return bare + sum(max(int(before - after), 0) for before, after in pairs)
