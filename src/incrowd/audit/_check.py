"""A release -> the verdict on it: every check, in one order."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from incrowd.audit.checks.accounts import coverage, records
from incrowd.audit.checks.columns import COLUMNS, columns
from incrowd.audit.checks.cylinder import CYLINDER, cylinder
from incrowd.audit.checks.digests import HASHES, hashed_identifiers
from incrowd.audit.checks.files import files
from incrowd.audit.checks.groups import CROWD, K, crowd, k_anonymity
from incrowd.audit.checks.identity import IDENTIFIERS, NUMBERS, identifiers, numeric_identifiers
from incrowd.audit.checks.lkc import LKC, Share, lkc
from incrowd.audit.checks.manifest import manifest, nothing_private, pseudonym_source
from incrowd.audit.checks.order import PSEUDONYMS, ROWS, SORTED, pseudonym_order, row_order, rows_by_pseudonym
from incrowd.audit.checks.tightness import TIGHT, tightness
from incrowd.audit.checks.times import GRAIN, grain
from incrowd.audit.checks.truth import TRUTH, compare, truthfulness
from incrowd.audit.reading.opened import published
from incrowd.audit.reading.origin import Original, original_of, with_members
from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import Check, Verdict, failed, idle
from incrowd.data import Release
from incrowd.errors import ParameterError, check_positive, check_whole

NO_ROW = "the published table has no row."


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
) -> Verdict:
    """Check a release (in memory, a folder, or any table), against its original and the link file where given.

    What the release claims is checked without being asked for; an option that asks for more than is claimed rules.

    >>> from incrowd import Visits
    >>> one = Release.from_arrays(Visits.from_arrays([0, 1], cell=[4, 4], slot=[0, 1]), members=[[0], [1]])
    >>> check(one, k=2)["k-anonymity"].status
    'fail'
    """
    given = {"k": k, "l": l, "c": c, "delta_m": delta_m}
    _refuse(given, sensitive, values)
    source = None if original is None else original_of(original)
    opened = with_members(published(release), source, link)
    required = _stricter(given, opened.claims)
    _refuse_half(given, required, sensitive)
    params = {name: value for name, value in required.items() if value is not None}
    if not opened.rows:
        return Verdict(tuple(_of_nothing(opened, source)), params)
    named = sensitive if sensitive is not None else _claimed_column(opened)
    counted = values if values is not None else _claimed(opened, "values")
    fields = columns(opened, sensitive=named, longest=required["l"])
    checks = (*_promises(opened, given, required, named, counted), *_against(opened, source), fields, *_alone(opened))
    return Verdict(checks, params)


def _of_nothing(release: Published, original: Original | None) -> Iterator[Check]:
    """The checks of a release without a row: only its ledger and its manifest can be looked at."""
    comparison = compare(release, original)
    promised, revealing = (K, CROWD, LKC, CYLINDER, TRUTH, TIGHT), (IDENTIFIERS, NUMBERS, HASHES, PSEUDONYMS, ROWS)
    yield from (idle(name, NO_ROW) for name in promised)
    yield from (coverage(release, comparison), records(release, comparison))
    yield from (idle(name, NO_ROW) for name in (*revealing, COLUMNS, SORTED, GRAIN))
    yield from (manifest(release), files(release), nothing_private(release), pseudonym_source(release))


def _claimed(release: Published, name: str) -> Any:
    return release.claims.get(name, release.parameters.get(name))


def _promises(
    release: Published,
    given: dict[str, Any],
    required: dict[str, Any],
    sensitive: str | None,
    values: Iterable[Any] | None,
) -> Iterator[Check]:
    """The guarantees; a claimed k belongs to the model it is claimed for."""
    if required["l"] is not None:
        yield idle(K, "k is asked for as part of LKC-privacy.")
    elif given["delta_m"] is not None or ("delta_m" in release.claims and given["k"] is None):
        yield idle(K, "k is asked for as part of (k, delta)-anonymity.")
    else:
        yield k_anonymity(release, required["k"], sensitive)
    yield crowd(release)
    try:
        yield lkc(release, longest=required["l"], k=required["k"], c=required["c"], sensitive=sensitive, values=values)
    except ParameterError as error:
        if given["l"] is not None:
            raise
        yield failed(LKC, f"what is claimed cannot be checked: {error}")  # nobody asked but the release itself
    yield cylinder(release, required["k"], required["delta_m"])


def _against(release: Published, original: Original | None) -> Iterator[Check]:
    """What needs the original, and most of it also the link."""
    comparison = compare(release, original)
    yield truthfulness(release, comparison)
    yield tightness(release, original, comparison)
    yield coverage(release, comparison)
    yield records(release, comparison)
    yield identifiers(release, original)
    yield numeric_identifiers(release, original)
    yield hashed_identifiers(release, original)
    yield pseudonym_order(release, original)
    yield row_order(release, original)


def _alone(release: Published) -> Iterator[Check]:
    """What the release shows by itself."""
    yield rows_by_pseudonym(release)
    yield grain(release)
    yield manifest(release)
    yield files(release)
    yield nothing_private(release)
    yield pseudonym_source(release)


def _stricter(given: dict[str, Any], claims: Mapping[str, Any]) -> dict[str, Any]:
    """Of what is asked for and what is claimed, the harder one: the larger k and l, the smaller c and delta."""
    harder = {"k": max, "l": max, "c": min, "delta_m": min}
    required = {}
    for name, pick in harder.items():
        claimed = claims.get(name)
        numbers = [value for value in (given[name], claimed) if value is not None]
        required[name] = pick(numbers) if numbers else None
    return required


def _claimed_column(release: Published) -> str | None:
    """The sensitive attribute that the release names, where it is published at all."""
    named = _claimed(release, "sensitive")
    return named if isinstance(named, str) and named in release.table.extras.column_names else None


def _refuse(given: dict[str, Any], sensitive: str | None, values: Iterable[Any] | None) -> None:
    check_whole(**{name: given[name] for name in ("k", "l") if given[name] is not None})
    check_positive(**{name: given[name] for name in ("c", "delta_m") if given[name] is not None})
    if given["c"] is not None and given["c"] > 1:
        raise ParameterError(f"c must be a share of at most 1, got {given['c']}.")
    if values is not None and sensitive is None:
        raise ParameterError("values are those of a sensitive attribute; pass sensitive= too.")


def _refuse_half(given: dict[str, Any], required: dict[str, Any], sensitive: str | None) -> None:
    if required["l"] is None and (sensitive is not None or given["c"] is not None):
        raise ParameterError("c and sensitive are part of LKC-privacy; pass l= and k= too.")
    if given["l"] is not None and required["k"] is None and required["c"] is None:
        raise ParameterError("l alone asks for nothing; pass k=, or c= and sensitive=, too.")
    if given["delta_m"] is not None and required["k"] is None:
        raise ParameterError("delta_m alone asks for nothing; pass k= too.")
