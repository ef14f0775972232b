"""Releases -> verdicts: checks written from the definitions, that trust nobody and share no code with the makers."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from incrowd.audit.checks.accounts import coverage
from incrowd.audit.checks.columns import COLUMNS, GRAIN, grain
from incrowd.audit.checks.columns import columns as published_columns
from incrowd.audit.checks.compared import Compared, Silence, Unlinked
from incrowd.audit.checks.counts import NOISE, RULE, noise, rule
from incrowd.audit.checks.cylinder import CYLINDER
from incrowd.audit.checks.digests import HASHES, hashed_identifiers
from incrowd.audit.checks.files import files, layout
from incrowd.audit.checks.groups import CROWD, K, crowd
from incrowd.audit.checks.identity import IDENTIFIERS, NUMBERS, identifiers, numeric_identifiers
from incrowd.audit.checks.lkc import LKC, Share
from incrowd.audit.checks.manifest import manifest, nothing_private, pseudonym_source, wording
from incrowd.audit.checks.people import ATTRIBUTES, LINK, PEOPLE, attributes, linked, people
from incrowd.audit.checks.promises import RISK, Demands, promises, residual_risk
from incrowd.audit.checks.pseudonyms import (
    APART,
    CUT,
    PSEUDONYMS,
    RANKS,
    ROWS,
    SORTED,
    cutting,
    independence,
    pseudonym_order,
    ranks,
    row_order,
    rows_by_pseudonym,
)
from incrowd.audit.checks.tightness import TIGHT, tightness
from incrowd.audit.checks.truth import TRUTH, compare, not_compared, records, truthfulness
from incrowd.audit.checks.unlinked import unlinked
from incrowd.audit.reading.opened import published
from incrowd.audit.reading.origin import Original, original_of, with_members
from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import Check, Verdict, idle, judged
from incrowd.data import Release
from incrowd.errors import DataError, public

__all__ = ["Check", "Verdict", "check"]

UNFORESEEN = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError, OSError)
NO_ROW = "the published table has no row."


@public
def check(
    release: Release | str | Path,
    *,
    original: Original | str | Path | None = None,
    link: str | Path | None = None,
    k: int | None = None,
    l: int | None = None,  # noqa: E741
    c: Share | None = None,
    sensitive: str | None = None,
    values: Iterable[Any] | None = None,
    delta_m: float | None = None,
    columns: Mapping[str, str] | None = None,
) -> Verdict:
    """Does the release meet the guarantees it states, and those asked for? One check after the other.

    What a manifest claims adds checks and removes none. What is missing, unknown or cannot be checked fails.

    Args:
        release: a Release, its folder, or a Parquet or CSV table of any tool.
        original: the data the method was given; a path is read.
        link: the link file of the release: who is behind each pseudonym.
        k: people that must share every whole trajectory; with l or delta_m, people of that guarantee.
        l: longest sequence of visits that an attacker may know (LKC-privacy).
        c: largest share of one sensitive value (LKC-privacy).
        sensitive: name of the sensitive attribute.
        values: sensitive values that count; all if none are given.
        delta_m: diameter of the cylinder that k people must share.
        columns: what a table of another tool calls the columns, as in `read.table`.

    >>> from incrowd import Visits
    >>> one = Release.from_arrays(Visits.from_arrays([0, 1], cell=[4, 4], slot=[0, 1]), members=[[0], [1]])
    >>> check(one, k=2)["k-anonymity"].status
    'fail'
    """
    demands = Demands(k=k, l=l, c=c, sensitive=sensitive, values=values, delta_m=delta_m)
    demands.refuse_nonsense()
    source = None if original is None else original_of(original)
    try:
        opened = with_members(published(release, columns), source, link)
        demands.refuse_half(opened.claims)
        checks = tuple(_checks(opened, source, demands) if opened.rows else _of_nothing(opened, source))
    except UNFORESEEN as error:
        if isinstance(release, Release):
            raise
        raise DataError("the release is damaged in a way that cannot be audited; check the copy.") from error
    wanted = {"original": source, "link": opened.members}
    if opened.noun == "Counts":
        wanted.pop("link")
    lacking = tuple(name for name, given in wanted.items() if given is None)
    return Verdict(checks, demands.parameters(opened.claims), lacking)


def _checks(release: Published, original: Original | None, demands: Demands) -> Iterator[Check]:
    yield from promises(release, demands)
    yield from _against(release, original, demands)
    yield from _alone(release, demands)


def _of_nothing(release: Published, original: Original | None) -> Iterator[Check]:
    """The checks of a release without a row: only its ledger and its manifest can be looked at."""
    comparison = compare(release, original)
    yield from (idle(name, NO_ROW) for name in (K, LKC, CYLINDER, TRUTH, TIGHT))
    yield coverage(release, comparison, None, original)
    yield records(release, comparison, original)
    names = (PEOPLE, LINK, ATTRIBUTES, NOISE, RULE, IDENTIFIERS, NUMBERS, HASHES, PSEUDONYMS, ROWS, CUT, APART)
    yield from (idle(name, NO_ROW) for name in (*names, CROWD, COLUMNS, RANKS, SORTED, GRAIN))
    yield from (manifest(release), wording(release))
    yield idle(RISK, NO_ROW)
    yield from (files(release), layout(release), nothing_private(release), pseudonym_source(release))


def _against(release: Published, original: Original | None, demands: Demands) -> Iterator[Check]:
    """What needs the original, and most of it also the link."""
    comparison = compare(release, original)
    whole = _whole(release, original, comparison)
    yield _truth(release, comparison, whole)
    yield tightness(release, original, comparison)
    yield coverage(release, comparison, whole, original)
    yield records(release, comparison, original)
    yield people(release, original)
    yield linked(release, original, comparison)
    yield attributes(release, original, demands.attribute(release.claims))
    yield from (noise(release, original), rule(release, original))
    yield from (identifiers(release, original), numeric_identifiers(release, original))
    yield hashed_identifiers(release, original)
    yield from (pseudonym_order(release, original), row_order(release, original))
    yield from (cutting(release), independence(release))


def _whole(release: Published, original: Original | None, comparison: Compared | str) -> Unlinked | str | None:
    """The comparison that needs no link, if there is none or points may be moved."""
    if original is None or not release.rows or release.noun == "Counts" or not isinstance(comparison, Silence):
        return None
    return unlinked(release, original)


def _truth(release: Published, comparison: Compared | Silence | str, whole: Unlinked | str | None) -> Check:
    if isinstance(whole, Unlinked):
        return judged(TRUTH, whole.faults, f"{whole.evidence}; who is who was not needed for this.")
    if isinstance(whole, str):
        return not_compared(whole)
    return truthfulness(release, comparison)


def _alone(release: Published, demands: Demands) -> Iterator[Check]:
    """What the release shows by itself."""
    yield crowd(release)
    wanted = {"sensitive": demands.attribute(release.claims), "longest": demands.longest(release.claims)}
    yield published_columns(release, **wanted)
    yield from (ranks(release), rows_by_pseudonym(release))
    yield grain(release)
    yield from (manifest(release), wording(release), residual_risk(release))
    yield from (files(release), layout(release))
    yield from (nothing_private(release), pseudonym_source(release))
