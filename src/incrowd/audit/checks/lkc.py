"""LKC-privacy from its definition: every sequence of at most L visits is shared by K, and gives nothing away."""

import re
from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from math import comb
from typing import Any, NamedTuple

import numpy as np

from incrowd.arrays import Flags, Ints, distinct_rows, owners
from incrowd.audit.reading.published import Published, is_count, part_of
from incrowd.audit.verdict import Check, failed, passed, unasked, uncheckable
from incrowd.errors import ParameterError
from incrowd.progress import tell

LKC = "LKC-privacy"
ABSENT = "sensitive values nobody carries"  # a note of ledgers
Share = float | Fraction
_BUDGET = 4_000_000  # sequences at a time
_MOST = 10**12
_TRUTH = {"true": "1", "false": "0"}
_DECIMAL = re.compile(r"(-?(?:0|[1-9]\d*))(\.\d+)?")


class _RecordPaths(NamedTuple):
    """Records as runs of items in one total order, and who carries which sensitive value."""

    offsets: Ints
    item: Ints
    record: Ints  # of each row
    end: Ints  # one past the last row of its record, for each row
    carries: list[Flags]  # per sensitive value, per record


class _Found(NamedTuple):
    """A violating sequence by position: visits of one record, its support and its most common sensitive share."""

    record: int
    visits: tuple[int, ...]
    support: int
    most: int


def lkc(
    release: Published,
    *,
    longest: int | None,
    k: int | None,
    c: Share | None,
    sensitive: str | None,
    values: Iterable[Any] | None = None,
    claimed: bool = False,
) -> Check:
    """No supported sequence of 1 to L visits is in fewer than K records, or has P(value | sequence) > C.

    [mohammed2009, Sec. 3]; records are sets of (slot, cell) in one total order, so a subsequence is a subset;
    every supported sequence is enumerated, and shares are compared as correctly rounded quotients.
    """
    if longest is None:
        return unasked(LKC, "no l is claimed or asked for.")
    if release.noun != "Visits":
        return uncheckable(LKC, f"it is defined for visits and these are {release.noun.lower()}.")
    if sensitive is not None and sensitive not in release.table.extras.column_names:
        if not claimed:
            raise ParameterError(f"the release has no column {sensitive!r}; leave sensitive out to check k alone.")
        return uncheckable(LKC, "the sensitive attribute is not a column of the table.")
    if sensitive is None and c is not None and c < 1:
        return uncheckable(LKC, "c is a share of sensitive values and no attribute is named.")
    k, c = 1 if k is None else k, 1.0 if c is None else c
    names, carries, vain = _carriers(release, sensitive, values)
    if vain and claimed:  # what the auditor asks for counts as given
        return uncheckable(LKC, f"{vain}.")
    paths = _paths(release, carries)
    longest = min(int(longest), int(np.diff(paths.offsets).max()))
    if _too_many(paths, longest):
        raise ParameterError(f"l = {longest} means more than {_MOST:.0e} sequences; lower l.")
    violation = next(_grown(paths, np.arange(len(paths.item))[:, None], paths.item, longest, k, c), None)
    parameters = f"l = {longest}, k = {k}, c = {float(c):g}" + ("" if names is None else f", {names} sensitive values")
    if violation is None:
        return passed(
            LKC, f"every sequence of up to {longest} visits holds over {len(release):,} records ({parameters})."
        )
    why = (
        f"is in {violation.support} records"
        if violation.support < k
        else f"has {violation.most} of {violation.support} with one value"
    )
    visits = ", ".join(map(str, violation.visits))
    return failed(
        LKC,
        f"visits {visits} of the pseudonym at position {violation.record} form a sequence that {why} ({parameters}).",
    )


def _carriers(release: Published, sensitive: str | None, values: Any) -> tuple[str | None, list[Flags], str]:
    """How many sensitive values count, in words, which records carry each, and why counting them would be in vain."""
    if sensitive is None:
        return None, [], ""
    owned = _owned(release, sensitive)
    listed = [values] if isinstance(values, str) else values
    if listed is not None and not isinstance(listed, Collection):
        raise ParameterError("values must list the sensitive values that count; or leave it out.")
    carried = set[str]().union(*owned)
    counted = {name_of(value) for value in listed} if listed else carried
    absent = counted - carried
    vain = "no record carries any of the sensitive values that count" if listed and not counted & carried else ""
    if vain and (release.bare or len(absent) <= noted_absent(release)):
        vain = ""  # whoever carries them may have lost every visit
    if {value.strip().casefold() for value in absent} & {value.strip().casefold() for value in carried - counted}:
        vain = "a sensitive value that counts is written otherwise in the table"
    carries = [np.fromiter((value in mine for mine in owned), np.bool_, len(owned)) for value in sorted(counted)]
    return f"{len(counted)}" + (f" ({len(absent)} of them on no record)" if absent else ""), carries, vain


def noted_absent(release: Published) -> int:
    """How many sensitive values the ledger says nobody of the original carries."""
    noted = part_of(release.ledger[-1], "notes").get(ABSENT) if release.ledger else None
    return noted if is_count(noted) else 0


def _owned(release: Published, name: str) -> list[set[str]]:
    """The values of each pseudonym over all its rows; a list column holds several at once, NaN is none."""
    column = release.table.extras[name].to_pylist()
    owned: list[set[str]] = [set() for _ in range(len(release))]
    for user, value in zip(release.table.code.tolist(), column, strict=True):
        several = value if isinstance(value, list) else [value]
        owned[user].update(name_of(v) for v in several if v is not None and v == v)
    return owned


def name_of(value: Any) -> str:
    """One name for a value however a file holds it: 1, 1.0, True, "true" and "1.0" are one, "007" is another."""
    text = _TRUTH.get(str(value).lower(), str(value))
    plain = _DECIMAL.fullmatch(text)
    return text if plain is None else plain[1] if not (plain[2] or "").strip(".0") else text.rstrip("0")


def _paths(release: Published, carries: list[Flags]) -> _RecordPaths:
    offsets, columns = release.sets()
    order = np.lexsort((columns["cell"], columns["slot"]))
    item = np.empty_like(order)
    item[order] = np.cumsum(distinct_rows(columns["slot"][order], columns["cell"][order])) - 1
    record = owners(offsets)
    return _RecordPaths(offsets, item, record, offsets[1:][record], carries)


def _too_many(paths: _RecordPaths, longest: int) -> bool:
    """Whether there are more sequences than can be enumerated, counted until there are."""
    work = 0
    for length, times in zip(*np.unique(np.diff(paths.offsets), return_counts=True), strict=True):
        for depth in range(1, min(longest, int(length)) + 1):
            work += comb(int(length), depth) * int(times)
            if work > _MOST:
                return True
    return False


def _grown(paths: _RecordPaths, chain: Ints, key: Ints, longest: int, k: int, c: Share) -> Iterator[_Found]:
    """Violating sequences, depth first in pieces that fit in memory.

    `chain` holds the rows of every occurrence of some sequences, `key` which sequence each is.
    """
    order = np.argsort(key, kind="stable")
    chain = chain[order]
    _, start = np.unique(key[order], return_index=True)
    size = np.diff(start, append=len(chain))
    yield from _judged(paths, chain, start, size, k, c)
    depth = chain.shape[1]
    if depth == longest:
        return
    later = paths.end[chain[:, -1]] - chain[:, -1] - 1  # rows that can follow
    for a, b in _pieces(start, np.add.reduceat(later, start), len(chain)):
        if depth == 1:
            tell("enumerating sequences", a, len(chain))
        count = later[a:b]
        if not count.any():
            continue
        prefix = np.repeat(np.searchsorted(start, np.arange(a, b), "right"), count)
        step = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        longer = np.repeat(chain[a:b], count, axis=0)
        row = longer[:, -1] + 1 + step
        named = (prefix - prefix[0]) * (int(paths.item.max()) + 1) + paths.item[row]
        yield from _grown(paths, np.column_stack([longer, row]), named, longest, k, c)


def _judged(paths: _RecordPaths, chain: Ints, start: Ints, size: Ints, k: int, c: Share) -> Iterator[_Found]:
    record = paths.record[chain[:, 0]]
    most = np.zeros(len(start), np.int64)
    for carries in paths.carries:
        np.maximum(most, np.add.reduceat(carries[record].astype(np.int64), start), out=most)
    for at in np.flatnonzero((size < k) | _above(most, size, c))[:1]:
        rows, who = chain[start[at]], int(record[start[at]])
        visits = tuple(int(row - paths.offsets[who]) for row in rows)
        yield _Found(who, visits, int(size[at]), int(most[at]))


def _above(most: Ints, size: Ints, c: Share) -> Flags:
    """Most / size > c: exactly for a fraction, by the correctly rounded quotient for a float."""
    if isinstance(c, Fraction):
        sizes, which = np.unique(size, return_inverse=True)
        limit = np.array([n * c.numerator // c.denominator for n in sizes.tolist()], np.int64)
        above: Flags = most > limit[which]
        return above
    return most / size > c


def _pieces(start: Ints, work: Ints, end: int) -> Iterator[tuple[int, int]]:
    """Runs of whole sequences whose extensions fit the budget, or a single sequence that does not."""
    total = np.cumsum(work)
    first = 0
    while first < len(start):
        done = total[first - 1] if first else 0
        last = max(int(np.searchsorted(total, done + _BUDGET, "right")), first + 1)
        yield int(start[first]), int(start[last]) if last < len(start) else end
        first = last
