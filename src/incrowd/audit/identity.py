"""Is an original identifier in the release, in any column, file or name?"""

import re
from collections.abc import Mapping

import numpy as np

from incrowd.arrays import Ints
from incrowd.audit.content import Fit, fit
from incrowd.audit.origin import Original
from incrowd.audit.poisson import ALPHA, poisson_tail
from incrowd.audit.published import Published
from incrowd.audit.texts import around, whole_numbers, words
from incrowd.audit.verdict import Check, idle, judged
from incrowd.audit.vocabulary import FORMAT_WORDS
from incrowd.plain import several

IDENTIFIERS, NUMBERS = "identifiers", "numeric identifiers"
SHORTEST = 6  # characters; shorter labels are met by chance
SHORTEST_DIGITS = 12  # digits alone in running text may be counts, times or metres


def identifiers(release: Published, original: Original | None) -> Check:
    """No original label stands in a text column, the metadata, another file or a file name, whole or within a text.

    A single short label is met by chance; half of all labels in one column are not.
    """
    if original is None:
        return idle(IDENTIFIERS, "no original is given.")
    labels = {str(label).lower(): position for position, label in enumerate(original.users.tolist())}
    spoken = {label: at for label, at in labels.items() if not label.isdigit() or len(label) >= SHORTEST_DIGITS}
    spoken.pop("", None)
    long = {label: at for label, at in spoken.items() if len(label) >= SHORTEST}
    places = [(where, _told(found, spoken, len(labels))) for where, found in words(release)]
    places += [(where, spoken_in(text.lower(), long) - _ordinary(release)) for where, text in around(release)]
    faults = [
        f"{len(met)} labels stand in {where}, the first at position {min(map(labels.__getitem__, met))} of the original"
        for where, met in places
        if met
    ]
    if not long and not faults:
        return idle(IDENTIFIERS, f"all {len(labels):,} labels are numbers or short, and met by chance.")
    return judged(
        IDENTIFIERS, faults, f"none of {len(long):,} labels of {SHORTEST} or more characters is in the release."
    )


def _told(texts: set[str], labels: Mapping[str, int], people: int) -> set[str]:
    """The labels in the texts of a column; short ones only where half of all people are met."""
    met = spoken_in("\n".join(texts).lower(), labels)
    return met if 2 * len(met) >= people else {label for label in met if len(label) >= SHORTEST}


def _ordinary(release: Published) -> frozenset[str]:
    """Words that say nothing about a person: those of the format, and of the promise."""
    said = str((release.manifest or {}).get("guarantee", "")).lower()
    return FORMAT_WORDS.union(re.findall(r"[a-z]+", said))


def spoken_in(text: str, labels: Mapping[str, int]) -> set[str]:
    """Labels that stand in a text, not within a longer word.

    >>> spoken_in("file of user-12, not of user-123", {"user-12": 0, "ser-12": 1})
    {'user-12'}
    """
    lengths = {len(label) for label in labels}
    found = set()
    for match in re.finditer(r"(?<![^\W_])(?=\S)|(?=[^\w\s])", text):
        for end in (match.start() + length for length in lengths):
            if text[match.start() : end] in labels and not (end < len(text) and text[end - 1 : end + 1].isalnum()):
                found.add(text[match.start() : end])
    return found


def numeric_identifiers(release: Published, original: Original | None) -> Check:
    """Whole numbers meet original labels no more often than chance, each its own or any beyond a plain count.

    Numbers 0 to P mean nothing by themselves: a dense numbering meets any other. Pseudonyms that equal the label of
    their own member, or that did what the person of that label did, are compared with a random assignment.
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
        own = _own(value, pseudonym, label, release, original)
        if own is not None and poisson_tail(own.found, own.expected) < ALPHA:
            faults.append(
                f"{own.found} numbers in {where} are their own person's label, first at pseudonym {own.first}"
            )
    known = release.untold or f"members are {'not ' if release.members is None else ''}known"
    if own is None:
        known += ", and the original cannot be compared"
    held = f"{several(len(columns), 'column holds', 'columns hold')} whole numbers that equal labels of the original"
    return judged(NUMBERS, faults, f"{held} no more often than chance would ({known}).")


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


def _own(value: Ints, pseudonym: Ints, label: Ints, release: Published, original: Original) -> Fit | None:
    """Pseudonyms whose value is the label of a member, and how many a random assignment would give.

    Where members are not known, the person with that label takes their place, and what both did is compared.
    """
    if release.members is None:
        order = np.argsort(label, kind="stable")
        at = order[np.minimum(np.searchsorted(label, value, sorter=order), len(label) - 1)]
        equal = (label[at] == value) & (value >= 0)
        return fit(release, original, pseudonym[equal], at[equal])
    offsets = release.members.offsets
    value, pseudonym = value[value >= 0], pseudonym[value >= 0]
    size = np.diff(offsets)[pseudonym]
    pair = np.repeat(np.arange(len(value)), size)
    member = release.members.positions[offsets[pseudonym][pair] + np.arange(len(pair)) - (np.cumsum(size) - size)[pair]]
    order = np.sort(label)
    bearers = np.searchsorted(order, value, "right") - np.searchsorted(order, value, "left")
    own = np.unique(pseudonym[pair[label[member] == value[pair]]])
    return Fit(len(own), float((bearers * size).sum()) / len(label), int(own[0]) if len(own) else -1)
