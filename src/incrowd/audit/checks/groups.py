"""Does every published fingerprint hide at least k people?"""

import os

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, rows_of
from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import Check, failed, idle, judged, passed, unasked
from incrowd.data import Groups

K = "k-anonymity"
CROWD = "crowd"
_CHUNK = 4_000_000


def k_anonymity(release: Published, k: int | None, sensitive: str | None = None) -> Check:
    """Every whole fingerprint (the set of rows of a pseudonym) is shared by at least k people.

    People are those behind distinct members where these are known, else what `crowd` says, else one per pseudonym.
    Every column but the sensitive one is part of a fingerprint. Equal sets are found by hashing and then compared
    row by row.
    """
    if k is None:
        return unasked(K, "no k is claimed or asked for.")
    group = _classes(release, sensitive)
    people = _people(release, group)
    weak = people[group] < k
    if weak.any():
        i = int(np.argmax(weak))
        return failed(
            K,
            f"{int(weak.sum()):,} of {len(release):,} pseudonyms share theirs among fewer than k = {k} people; "
            f"the one at position {i} among {int(people[group[i]])}{'; ' if release.untold else ''}{release.untold}.",
        )
    return passed(K, f"{len(people):,} distinct fingerprints, the rarest of {int(people.min()):,} people; k = {k}.")


def crowd(release: Published) -> Check:
    """The published crowd is one number per pseudonym, that of the people behind it, and nobody is counted twice.

    Pseudonyms with the same members, as where a group is repeated for each person, share them: they show the same
    and together stand for as many people.
    """
    if "crowd" not in release.table.numbers:
        return idle(CROWD, "no crowd is published.")
    stated, code = release.table.numbers["crowd"], release.table.code
    faults = []
    odd = (stated != release.crowd[code]) | (stated < 1)
    if odd.any():
        faults.append(
            f"{int(odd.sum())} rows disagree about the crowd of their pseudonym, first row {int(np.argmax(odd))}"
        )
    if release.members is not None:
        faults += _faults(release, release.members)
        faults += [release.untold] if faults and release.untold else []
    known = "and is that of the people behind it" if release.members is not None else "(members are not known)"
    return judged(CROWD, faults, f"one number for each of {len(release):,} pseudonyms {known}.")


def _faults(release: Published, members: Groups) -> list[str]:
    """What is wrong with the crowd of pseudonyms whose members are known."""
    bare = np.diff(members.offsets) == 0
    # Whoever has nobody behind it shares them with nobody.
    shared = np.where(bare, np.arange(len(release)), 0)
    shared[~bare] = len(release) + equal_sets(*_filled(members))
    _, first, shared = np.unique(shared, return_index=True, return_inverse=True)
    stated = np.bincount(shared, release.crowd).astype(np.int64)
    counted = np.bincount(members.owner, release.weight, len(release)).astype(np.int64)[first]
    faults = []
    wrong = stated != counted
    if wrong.any():
        worst = int(np.argmax(wrong))
        faults.append(
            f"{int(wrong.sum())} sets of members are not as many people as their pseudonyms say, the first at "
            f"position {int(first[worst])} ({int(stated[worst])} stated, {int(counted[worst])} counted)"
        )
    times = np.bincount(members.positions[np.isin(members.owner, first)])
    if (times > 1).any():
        faults.append(
            f"{int((times > 1).sum())} people are hidden in several pseudonyms at once, "
            f"the first at position {int(np.argmax(times > 1))} of the original"
        )
    published = _classes(release, None)
    apart = published != published[first][shared]
    if apart.any():
        faults.append(
            f"{int(apart.sum())} pseudonyms show something else than another one with the same members, "
            f"the first at position {int(np.argmax(apart))}"
        )
    return faults


def _filled(members: Groups) -> tuple[Ints, dict[str, Ints]]:
    """The members of those that have any, in order."""
    size = np.diff(members.offsets)
    order = np.lexsort((members.positions, members.owner))
    return np.append(0, np.cumsum(size[size > 0])), {"member": members.positions[order]}


def _classes(release: Published, sensitive: str | None) -> Ints:
    """Equal numbers for pseudonyms that show the same in every column but the sensitive one."""
    return equal_sets(*release.sets(name for name in release.table.extras.column_names if name != sensitive))


def _people(release: Published, group: Ints) -> Ints:
    """People in each class of equal fingerprints."""
    classes = int(group.max()) + 1
    if release.members is None:
        return np.bincount(group, release.crowd, classes).astype(np.int64)
    which = group[release.members.owner]
    size = int(release.members.positions.max(initial=0)) + 1
    distinct, first = np.unique(which * size + release.members.positions, return_index=True)
    return np.bincount(distinct // size, release.weight[first], classes).astype(np.int64)


def equal_sets(offsets: Ints, columns: dict[str, Ints]) -> Ints:
    """The class of each user: equal numbers mean equal sets of rows, without exception.

    A sum of 64-bit row hashes with secret constants proposes the classes; every user is then compared with the
    first of its class, and another draw of constants is taken in the (1 in 2**64 per pair) case that they differ.
    """
    rows = list(columns.values())
    while True:
        sums = _sums(offsets, rows)
        _, first, group = np.unique(sums, return_index=True, return_inverse=True)
        if _same(offsets, rows, first[group]):
            return group.astype(np.int64)


def _sums(offsets: Ints, rows: list[Ints]) -> NDArray[np.uint64]:
    """The sum of the hashes of each user's rows, some users at a time."""
    secret = np.frombuffer(os.urandom(8 * (len(rows) + 1)), np.uint64)
    sums = np.zeros(len(offsets) - 1, np.uint64)
    first = 0
    while first < len(sums):
        last = max(int(np.searchsorted(offsets, offsets[first] + _CHUNK, "right")) - 1, first + 1)
        part = slice(offsets[first], offsets[last])
        hashes = _hashes([column[part].astype(np.int64, copy=False) for column in rows], secret)
        sums[first:last] = np.add.reduceat(hashes, offsets[first:last] - offsets[first])
        first = last
    return sums


def _hashes(rows: list[Ints], secret: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed = np.full(len(rows[0]), secret[0])
    for column, key in zip(rows, secret[1:], strict=True):
        mixed = finalized(mixed + column.view(np.uint64) * (key | np.uint64(1)))
    return mixed


def finalized(mixed: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of splitmix64, a bijection that leaves no structure of the input."""
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _same(offsets: Ints, rows: list[Ints], first: Ints) -> bool:
    """Whether every user has exactly the rows of the user named as its first."""
    length = np.diff(offsets)
    if (length != length[first]).any():
        return False
    other = np.flatnonzero(first != np.arange(len(first)))
    cuts = np.searchsorted(np.cumsum(length[other]), np.arange(_CHUNK, length[other].sum() + _CHUNK, _CHUNK), "right")
    for users in np.split(other, np.unique(cuts)):
        mine, its = rows_of(offsets, users)[1], rows_of(offsets, first[users])[1]
        if not all((column[mine] == column[its]).all() for column in rows):
            return False
    return True
