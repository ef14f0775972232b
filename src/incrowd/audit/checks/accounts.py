"""Does the ledger close, and does it account for every original record that is not published?"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from incrowd.arrays import Ints, distinct_rows
from incrowd.audit.checks.compared import Compared, Silence, Unlinked
from incrowd.audit.checks.people import Places, own_places
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import BARE, Published, is_count, part_of
from incrowd.audit.verdict import Check, idle, judged, passed, unasked, uncheckable
from incrowd.data import Groups, Traces
from incrowd.plain import several

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
TIMES, SPACE = "times swapped", "moved in space"  # notes of cleaning and of moved points
HELD_OUT = "held out"  # the reason for which records of people leave whom the link lists without a pseudonym
SWAPPED = (
    "cleaning exchanged times of at least as many records, which are no longer where the log has them; compare with "
    "the cleaned data"
)
Steps = tuple[Mapping[str, Any], ...]


class Removed(NamedTuple):
    """What the ledger says it removed: records before they fell together for good, and rows after that."""

    records: int
    rows: int  # each with all that had fallen together into it
    merged: int = 0  # records that fell together early, and may have left as one of the records


def expected_size(release: Published, original: Original) -> tuple[int, int]:
    """Records and people of the original that the ledger begins with: without those held out before its first step."""
    held_out = _before(release.ledger, release.held_out)
    out = np.fromiter(held_out, np.int64, len(held_out))
    return original.records - int(np.diff(original.offsets)[out].sum()), len(original) - len(out)


def coverage(
    release: Published,
    comparison: Compared | Silence | str,
    whole: Unlinked | str | None = None,
    original: Original | None = None,
) -> Check:
    """Originals in no published row of their person are as many as the ledger dropped since, and people likewise.

    A record that fell together with others is where they are, published or not: such drops account for nothing, and
    what is dropped later takes with it all that fell together before.
    """
    if isinstance(comparison, Silence):
        moved = original is not None and release.noun == "Traces" and release.members is not None
        return _of_moved(release, original) if moved and original else _without_link(release, comparison, whole)
    if isinstance(comparison, str) or release.members is None:
        return uncheckable(COVERAGE, comparison)
    total, bare = _expected(release, comparison)
    evidence = f"{total - bare:,} of {total:,} original records are in a published row of their person"
    if release.is_plain:
        return (
            idle(COVERAGE, f"{evidence}; a plain table accounts for none of the others.")
            if bare
            else passed(COVERAGE, f"{evidence}.")
        )
    if not bare and not release.ledger:
        return passed(COVERAGE, f"{evidence}.")
    since = since_original(release.ledger, comparison, release.held_out)
    due = _of_published(since)
    credit = _of_originals(due, split=release.parameters.get("reshape") == "split")
    removed = _removed(credit) if release.rows else Removed(0, sum(dropped_by(credit).values()))
    stated, sets = removed.records + removed.rows, len(comparison.lost)
    others = several(bare, "other") + (f" ({sets:,} at the grain of the release)" if sets < bare else "")
    faults = []
    early = _early(since) if release.held_out else 0
    if not _accounts_for(removed, comparison.lost) or _overstated(release, removed, sets, bare, early):
        first = int(comparison.person[np.argmin(comparison.covered)]) if bare else -1
        faults.append(f"{evidence}, the ledger removed {stated:,} of the {others}; first person at {first}")
    there = comparison.person[distinct_rows(comparison.person)]
    absent = np.setdiff1d(there, np.append(release.members.positions, np.array(list(release.held_out), np.int64)))
    if len(absent) != (hidden := _people_lost(release, release.members, due)):
        where = f"; first at {absent[0]}" if len(absent) else ""
        faults.append(f"{len(absent):,} people are not published, the ledger lost {hidden:,}{where}")
    if faults and not since:
        faults.append(f"no step of the ledger reads the {total:,} records of the original, so it accounts for none")
    if faults and (swaps := swapped(since)) and bare - stated <= swaps:
        faults.append(SWAPPED)
    if faults and release.untold:
        faults.append(release.untold)
    return judged(COVERAGE, faults, f"{evidence}; the ledger removed the {others}{_more(stated - bare)}.")


def _expected(release: Published, comparison: Compared) -> tuple[int, int]:
    """Records that a release may be expected to show, and how many of them it does not; held-out people have none."""
    out = int(np.isin(comparison.person, list(release.held_out)).sum()) if release.held_out else 0
    return len(comparison.covered) - out, int((~comparison.covered).sum())


def _overstated(release: Published, removed: Removed, sets: int, bare: int, early: int) -> bool:
    """Whether the ledger drops more than is missing, if what is missing can be counted exactly.

    Of the early drops some may be records of people who were held out later.
    """
    if release.noun != "Visits" or (removed.records and (removed.rows or removed.merged)):
        return False
    return not 0 <= removed.records + removed.rows - (bare if removed.records else sets) <= early


def _of_moved(release: Published, original: Original) -> Check:
    """Points may be moved, so that people are counted: who is not in the link, and how many records they have."""
    members = release.members.positions if release.members is not None else np.zeros(0, np.int64)
    absent = np.setdiff1d(np.arange(len(original)), [*members, *release.held_out])
    records, people = expected_size(release, original)
    since = _of_published(steps_from(release.ledger, records, people))
    if not since:
        return (
            idle(COVERAGE, "no ledger accounts for moved points.")
            if not release.ledger
            else uncheckable(COVERAGE, "no step of the ledger reads the records of the original.")
        )
    hidden = sum(max(before - after, 0) for before, after in (users_of(step, 0) for step in since))
    dropped = sum(n for reason, n in dropped_by(since).items() if reason not in MERGED)
    lost = int(np.diff(original.offsets)[absent].sum())
    faults = []
    if len(absent) != hidden:
        faults.append(f"{len(absent):,} people are not published, the ledger lost {hidden:,}")
    if lost > dropped:
        faults.append(f"people who are not published have {lost:,} records, the ledger dropped {dropped:,}")
    if isinstance(original, Traces) and release.members is not None and not faults:
        faults += _unmoved(release, own_places(release, original, release.members), since)
    return judged(
        COVERAGE, faults, f"{several(len(absent), 'person is', 'people are')} left out, as the ledger states."
    )


def _unmoved(release: Published, places: Places, since: Steps) -> list[str]:
    """What the ledger says of moved and repeated points, against the points that stayed in their place."""
    stayed = np.unique(np.stack([release.table.code[places.own], places.place[places.own]]), axis=1).shape[1]
    created = sum(sum(_values(step, "created")) for step in since)
    faults = []
    if created > release.rows - stayed:
        faults.append(
            f"the ledger created {created:,} records, and {stayed:,} of {release.rows:,} rows are original ones"
        )
    moved, noted = int((~places.own).sum()), part_of(since[-1], "notes").get(SPACE)
    if is_count(noted) and moved > noted:
        faults.append(f"{moved:,} rows are not where their person was, the ledger moved {noted:,}")
    return faults


def _without_link(release: Published, comparison: str, whole: Unlinked | str | None) -> Check:
    """What can be counted if nobody knows who is who."""
    if not isinstance(whole, Unlinked) or whole.absent is None or release.is_plain:
        return unasked(COVERAGE, comparison)
    dropped = sum(n for reason, n in dropped_by(release.ledger).items() if reason not in MERGED)
    evidence = f"{several(whole.absent, 'original record is', 'original records are')} in no row of anybody"
    faults = [f"{evidence}, the ledger dropped {dropped:,}"] if whole.absent > dropped else []
    return judged(COVERAGE, faults, f"{evidence}, no more than the {dropped:,} that the ledger dropped.")


def _more(count: int) -> str:
    """Why a ledger may remove more than is missing."""
    return f" and {count:,} more that a published row holds all the same" if count > 0 else ""


def _removed(steps: Steps) -> Removed:
    last = max((i for i, step in enumerate(steps) if (MERGED - {BOXED}) & part_of(step, "dropped").keys()), default=-1)
    before, after = dropped_by(steps[: last + 1]), dropped_by(steps[last + 1 :])
    merged = sum(n for reason, n in before.items() if reason in MERGED)
    # Into cells and slots go only records that stay.
    merged -= dropped_by(steps[last : last + 1]).get(GRAIN, 0) if last >= 0 else 0
    records, rows = (sum(n for reason, n in reasons.items() if reason not in MERGED) for reasons in (before, after))
    return Removed(records, rows, merged)


def _accounts_for(removed: Removed, lost: Ints) -> bool:
    """Whether every set of lost records is one removed row, the largest first, or else as many removed records."""
    rest = np.sort(lost)[: max(len(lost) - removed.rows, 0)]
    return len(rest) <= removed.records and int(rest.sum()) <= removed.records + removed.merged


def closes(step: Mapping[str, Any]) -> bool:
    """Whether a step accounts for every record: read + created = kept + dropped, and no more is created than kept."""
    counts = [step.get("read"), step.get("kept"), *_values(step, "dropped"), *_values(step, "created")]
    if not all(map(is_count, counts)):
        return False
    created, dropped = sum(_values(step, "created")), sum(_values(step, "dropped"))
    return bool(step["read"] + created == step["kept"] + dropped and created <= step["kept"])


def _values(step: Mapping[str, Any], name: str) -> list[Any]:
    return list(part_of(step, name).values())


def dropped_by(steps: Steps) -> dict[str, int]:
    """Records that steps dropped, by reason."""
    reasons: dict[str, int] = {}
    for step in steps:
        for reason, n in part_of(step, "dropped").items():
            reasons[reason] = reasons.get(reason, 0) + (n if isinstance(n, int) else 0)
    return {reason: n for reason, n in reasons.items() if n}


def since_original(steps: Steps, comparison: Compared, held_out: frozenset[int] = frozenset()) -> Steps:
    """From the first step that read as many records, and no fewer users, than the original has; else none."""
    out = _before(steps, held_out)
    due = ~np.isin(comparison.person, list(out)) if out else np.ones(len(comparison.covered), np.bool_)
    return steps_from(steps, int(due.sum()), int(comparison.person.max(initial=-1)) + 1 - len(out))


def steps_from(steps: Steps, records: int, users: int) -> Steps:
    """The steps from the first on that read so many records, and no fewer users; else none."""
    fits = (i for i, step in enumerate(steps) if step.get("read") == records and users_of(step, users)[0] >= users)
    return steps[next(fits, len(steps)) :]


def _before(steps: Steps, held_out: frozenset[int]) -> frozenset[int]:
    """People who were held out before the ledger begins: nobody, if it has a step that holds them out."""
    return held_out if _of_published(steps) == steps else frozenset()


def _of_published(steps: Steps) -> Steps:
    """The steps without the one that held people out, of whom nothing is expected."""
    return tuple(step for step in steps if HELD_OUT not in part_of(step, "dropped"))


def _early(steps: Steps) -> int:
    """Records that were dropped for good before people were held out."""
    at = next((i for i, step in enumerate(steps) if HELD_OUT in part_of(step, "dropped")), 0)
    return sum(n for reason, n in dropped_by(steps[:at]).items() if reason not in MERGED)


def _of_originals(steps: Steps, *, split: bool) -> Steps:
    """Until a step creates records, other than pieces of boxes: what leaves from then on may be what was created."""
    for i, step in enumerate(steps):
        removed = sum(n for reason, n in dropped_by((step,)).items() if reason not in MERGED)
        # n boxes begin and end at 2 n times, between which lie fewer than 2 n pieces.
        pieces = split and closes(step) and step["kept"] <= 2 * (step["read"] - removed)
        if any(_values(step, "created")) and not pieces:
            return steps[:i]
    return steps


def swapped(steps: Steps) -> int:
    """Records that these steps say had their times exchanged."""
    return 2 * sum(n for step in steps for note, n in part_of(step, "notes").items() if note == TIMES and is_count(n))


def users_of(step: Mapping[str, Any], unsaid: int) -> tuple[int, int]:
    """Users before and after a step, all the same where it does not say."""
    users = step.get("users")
    fine = isinstance(users, (list, tuple)) and len(users) == 2 and all(map(is_count, users))
    return (users[0], users[1]) if fine and users else (unsaid, unsaid)


def _people_lost(release: Published, members: Groups, steps: Steps) -> int:
    """Users whom the steps say they lost: fewer of them, or some without a row; not those in the crowd of another."""
    pairs = [users_of(step, 0) for step in steps]
    bare: int = sum(n for step in steps for note, n in part_of(step, "notes").items() if note == BARE and is_count(n))
    if release.noun == "Fingerprints":
        grouped = len(np.unique(members.positions)) - len(release)
        return max(bare + sum(int(before - after) for before, after in pairs) - grouped, 0)
    # Cutting makes more users out of fewer, which brings nobody back.
    return bare + sum(max(int(before - after), 0) for before, after in pairs)
