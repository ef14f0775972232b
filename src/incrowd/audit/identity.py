"""Is an original identifier in the release, in any column, file or name?"""

import re
from collections.abc import Mapping
from math import exp

import numpy as np

from incrowd.arrays import Ints, owners
from incrowd.audit.origin import Original
from incrowd.audit.published import Published
from incrowd.audit.texts import around, whole_numbers, words
from incrowd.audit.verdict import Check, idle, judged

IDENTIFIERS, NUMBERS = "identifiers", "numeric identifiers"
SHORTEST = 6  # characters; shorter labels are met by chance
SHORTEST_DIGITS = 12  # digits alone in running text may be counts, times or metres
ALPHA = 1e-6


def identifiers(release: Published, original: Original | None) -> Check:
    """No original label is a word of a text column, of the metadata, of another file or of a file name."""
    if original is None:
        return idle(IDENTIFIERS, "no original is given.")
    labels = {str(label).lower(): position for position, label in enumerate(original.users.tolist())}
    long = {label: position for label, position in labels.items() if len(label) >= SHORTEST}
    if not long:
        return idle(IDENTIFIERS, f"all {len(labels):,} labels are shorter than {SHORTEST} characters, met by chance.")
    spoken = {label: p for label, p in long.items() if not label.isdigit() or len(label) >= SHORTEST_DIGITS}
    places = [(where, long.keys() & {word.lower() for word in found}) for where, found in words(release)]
    places += [(where, spoken_in(text.lower(), spoken)) for where, text in around(release)]
    faults = [
        f"{len(met)} labels stand in {where}, the first at position {min(long[label] for label in met)} of the original"
        for where, met in places
        if met
    ]
    return judged(
        IDENTIFIERS, faults, f"none of {len(long):,} labels of {SHORTEST} or more characters is in the release."
    )


def spoken_in(text: str, labels: Mapping[str, int]) -> set[str]:
    """Labels that stand in a text, not within a longer word.

    >>> spoken_in("file of user-12, not of user-123", {"user-12": 0, "ser-12": 1})
    {'user-12'}
    """
    lengths = {len(label) for label in labels}
    found = set()
    for match in re.finditer(r"(?<!\w)(?=\S)|(?=[^\w\s])", text):
        for end in (match.start() + length for length in lengths):
            if text[match.start() : end] in labels and not (end < len(text) and text[end - 1 : end + 1].isalnum()):
                found.add(text[match.start() : end])
    return found


def numeric_identifiers(release: Published, original: Original | None) -> Check:
    """Whole numbers meet original labels no more often than chance, each its own or any beyond a plain count.

    Numbers 0 to P mean nothing by themselves: a dense numbering meets any other. Where members are known, pseudonyms
    that equal the label of their own member are compared with a random assignment; both by a Poisson tail.
    """
    if original is None:
        return idle(NUMBERS, "no original is given.")
    label = _as_numbers(original)
    columns = list(whole_numbers(release))
    if label is None or not columns:
        return idle(NUMBERS, "the original labels, or all published identifiers, are no whole numbers.")
    faults = []
    for where, value, pseudonym in columns:
        beyond, expected = _beyond(value, label, len(release))
        if poisson_tail(len(beyond), expected) < ALPHA:
            faults.append(f"{len(beyond)} labels stand in {where}, the first at position {beyond[0]} of the original")
        own, expected = _own(value, pseudonym, label, release)
        if poisson_tail(len(own), expected) < ALPHA:
            faults.append(
                f"{len(own)} numbers in {where} are their own person's label, the first at pseudonym {own[0]}"
            )
    known = "members known" if release.members is not None else "members not known"
    return judged(NUMBERS, faults, f"{len(columns)} columns of whole numbers meet labels as chance would ({known}).")


def _as_numbers(original: Original) -> Ints | None:
    """Labels as numbers, -1 for those that are none."""
    if original.users.dtype.kind == "i":
        return original.users.astype(np.int64)
    texts = original.users.tolist()
    numbers = np.array([int(t) if t.isascii() and t.isdigit() and len(t) < 19 else -1 for t in texts], np.int64)
    return numbers if (numbers >= 0).any() else None


def _beyond(value: Ints, label: Ints, count: int) -> tuple[Ints, float]:
    """Positions of labels met by values above the number of pseudonyms, and how many chance would meet."""
    high = np.unique(value[value > count])
    if not len(high):
        return high, 0.0
    met = np.flatnonzero(np.isin(label, high))
    within = int(((label > count) & (label <= high[-1])).sum())
    return met, within * len(high) / (int(high[-1]) - count)


def _own(value: Ints, pseudonym: Ints, label: Ints, release: Published) -> tuple[Ints, float]:
    """Pseudonyms whose value is the label of a member, and how many a random assignment would give."""
    if release.members is None:
        return value[:0], 0.0
    given = np.full(len(release), -1)
    given[pseudonym] = value
    who = owners(release.members.offsets)
    mine = given[who]
    order = np.sort(label)
    bearers = np.searchsorted(order, mine, "right") - np.searchsorted(order, mine, "left")
    own = np.unique(who[(mine >= 0) & (label[release.members.positions] == mine)])
    return own, float(bearers[mine >= 0].sum()) / len(label)


def poisson_tail(found: int, expected: float) -> float:
    """P(X >= found) for a Poisson variable; an upper bound beyond its mean.

    >>> poisson_tail(0, 1.0), poisson_tail(1, 1e-9) < 1e-6, poisson_tail(3, 3.0) > 0.5
    (1.0, True, True)
    """
    if found == 0 or found <= expected:
        return 1.0
    term, total = 1.0, 0.0
    if expected > 600:  # exp underflows; the Chernoff bound is enough
        ratio = found / expected
        return exp(-expected * (ratio * np.log(ratio) - ratio + 1))
    for i in range(found):
        total += term
        term *= expected / (i + 1)
    return max(0.0, 1.0 - exp(-expected) * total)
