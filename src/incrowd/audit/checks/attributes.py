"""Are published attributes those of the people behind the pseudonyms, and is the claimed sensitive one there?"""

from typing import Any

import numpy as np

from incrowd.audit.checks.lkc import name_of, noted_absent
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import Published, part_of
from incrowd.audit.verdict import Check, failed, idle, judged, unasked
from incrowd.plain import several

ATTRIBUTES = "attributes"


def attributes(release: Published, original: Original | None, sensitive: str | None) -> Check:
    """Every published attribute has, for each pseudonym, the value of each person behind it in the original."""
    names = release.table.extras.column_names
    if unsaid := _unsaid(release, original):
        return failed(ATTRIBUTES, f"{several(unsaid, 'attribute')} of the original are neither published nor left out.")
    if sensitive is not None and sensitive not in names:
        return failed(ATTRIBUTES, "the sensitive attribute is not a column of the published table.")
    if not names:
        return idle(ATTRIBUTES, "no attribute is published.")
    if original is None:
        return unasked(ATTRIBUTES, "no original is given.")
    missing = [at for at, name in enumerate(names) if name not in original.attributes]
    if missing and sensitive is not None and names.index(sensitive) in missing:
        return failed(ATTRIBUTES, "cannot be checked, because the original does not have the sensitive attribute.")
    if lost := _absent(release, original):
        return failed(ATTRIBUTES, lost)
    if release.members is None:
        return unasked(ATTRIBUTES, "who stands behind a pseudonym is not known; give the link file.")
    faults = []
    for at, name in enumerate(names):
        wrong = 0 if at in missing else _differing(release, name, original.attributes[name])
        if wrong:
            faults.append(f"extra column {at} differs from the original for {several(wrong, 'pseudonym')}")
    beside = f"; {several(len(missing), 'column is', 'columns are')} not in the original" if missing else ""
    return judged(ATTRIBUTES, faults, f"{several(len(names) - len(missing), 'column')} as in the original{beside}.")


def _unsaid(release: Published, original: Original | None) -> int:
    """Attributes of the original that the manifest calls neither published nor left out; methods keep their own."""
    if (
        original is None
        or release.manifest is None
        or release.method is None
        or type(original).__name__ != release.noun
    ):
        return 0
    gone = part_of(release.manifest, "suppressed").get("attributes")
    said = {*release.table.extras.column_names, *(name for name in gone or [] if isinstance(name, str))}
    return len(original.attributes.keys() - said)


def _absent(release: Published, original: Original) -> str:
    """Whether as many of the claimed sensitive values are on nobody as the ledger notes; why not, if not."""
    name, values = release.claims.get("sensitive"), release.claims.get("values") or []
    if name is None or name not in original.attributes or not release.ledger:
        return ""
    carried = set[str]().union(*(_names(value) for value in original.attributes[name].tolist()))
    absent = len({name_of(value) for value in values} - carried)
    noted = noted_absent(release)
    return (
        "" if absent == noted else f"{absent} sensitive values are on nobody of the original, the ledger notes {noted}."
    )


def _differing(release: Published, name: str, own: Any) -> int:
    """Pseudonyms that show another value than somebody behind them has."""
    first = np.zeros(len(release), np.int64)
    first[release.table.code[::-1]] = np.arange(release.rows)[::-1]
    shown = release.table.extras[name].take(first).to_pylist()
    members = release.members
    if members is None:
        return 0
    return sum(
        any(_names(own[person]) != _names(value) for person in members[user].tolist())
        for user, value in enumerate(shown)
    )


def _names(value: Any) -> frozenset[str]:
    several_values = value if isinstance(value, (list, frozenset, set, tuple)) else [value]
    return frozenset(name_of(v) for v in several_values if v is not None and v == v)
