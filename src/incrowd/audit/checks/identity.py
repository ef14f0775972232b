"""Is an original identifier in the release, in any column, file or name?"""

import re
from collections.abc import Mapping
from dataclasses import replace
from math import exp, log
from typing import NamedTuple

import numpy as np

from incrowd.arrays import Ints, owners, rows_of
from incrowd.audit.checks.compared import Compared
from incrowd.audit.checks.contain import compare_rows
from incrowd.audit.checks.truth import compare
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import Published, exact
from incrowd.audit.reading.texts import around, disguised, page_text, whole_numbers, words
from incrowd.audit.verdict import ALPHA, Check, idle, judged, passed, unasked
from incrowd.data import Groups, Traces
from incrowd.plain import several


def poisson_tail(count: int, expected: float) -> float:
    """P(X >= count) for a Poisson variable; an upper bound beyond its mean.

    >>> poisson_tail(0, 1.0), poisson_tail(1, 1e-9) < 1e-6, poisson_tail(3, 3.0) > 0.5
    (1.0, True, True)
    """
    if count == 0 or count <= expected:
        return 1.0
    term, total = 1.0, 0.0
    if expected > 600:  # exp underflows; the Chernoff bound is enough
        ratio = count / expected
        return exp(-expected * (ratio * log(ratio) - ratio + 1))
    for i in range(count):
        total += term
        term *= expected / (i + 1)
    return max(0.0, 1.0 - exp(-expected) * total)


# Of docs/release.md: the files and the manifest with its keys; then the page for readers; then methods and ledgers.
FORMAT_WORDS = frozenset(
    """
    parquet manifest manifest.json readme.md data.parquet cells.csv incrowd incrowd-release format software method
    parameters guarantee claims sensitive values delta_m clock slot_min time_zone grain_s cell_m counts pseudonyms
    people ledger dropped created suppressed records attributes merged residual_risk operating system seeded unknown
    visits fingerprints traces
    release mobility pseudonym columns column centre metres minutes seconds without number published promised finer
    opposed never residual measured sources source folder method parameter nothing alone releases drawn equal
    window_h windows start_slot min_support scores static recompute same_time refuse limit_s limit_gib max_extent_m
    max_extent_min reshape leftover shard_users device shards suppress generalize discarded extent
    radius_m keep_zero trashed trajectory earlier another shares
    duplicates still_users sparse_users displaced duplicate repeated sample outvoted minority implausible speed
    before outside location
    """.split()  # noqa: SIM905
)


OTHERS = 99  # people that each pair is compared with
_EFFORT = 10**10  # characters times labels
_PAIRS, _ROWS = 400, 24  # pairs, and rows of each, that are looked at: enough to tell from chance


class Fit(NamedTuple):
    """How many of the pairs fit better than all others, and how many chance would let."""

    best: int
    expected: float
    first: int  # pseudonym of the first, -1 for none


def fit(release: Published, original: Original, pseudonym: Ints, person: Ints) -> Fit | None:
    """Compare the rows of each pseudonym with its person and with others drawn at random.

    Where pseudonyms are random, the person of a pair is as good as any other, so that it is strictly the best of 1 + n
    with a chance of at most 1 / (1 + n). None where the release cannot be compared with the original.
    """
    others = min(OTHERS, len(original) - 1)
    if not len(pseudonym) or others < 1:
        return Fit(0, 0.0, -1)
    sampled = np.unique(np.linspace(0, len(pseudonym) - 1, _PAIRS).astype(np.int64))
    pseudonym, person = pseudonym[sampled], person[sampled]
    steps = np.random.default_rng(0).integers(1, len(original), (len(sampled), others))
    people = np.column_stack([person, (person[:, None] + steps) % len(original)])
    rows = _rows_of(release, pseudonym)
    held = _held(release, original, np.repeat(rows, 1 + others, axis=0).reshape(len(sampled), 1 + others, -1), people)
    if held is None:
        return None
    best = held[:, 0] > held[:, 1:].max(axis=1)
    return Fit(int(best.sum()), len(best) / (1 + others), int(pseudonym[np.argmax(best)]) if best.any() else -1)


def _rows_of(release: Published, pseudonym: Ints) -> Ints:
    """Rows of each pseudonym spread over all it has; some twice where it has few."""
    order = np.argsort(release.table.code, kind="stable")
    start = np.searchsorted(release.table.code[order], pseudonym)
    size = np.searchsorted(release.table.code[order], pseudonym, "right") - start
    rows: Ints = order[start[:, None] + np.linspace(0, size - 1, _ROWS).astype(np.int64).T]
    return rows


def _held(release: Published, original: Original, rows: Ints, people: Ints) -> Ints | None:
    """How many of its rows each candidate has: [pair, candidate]."""
    code = np.repeat(np.arange(people.size), rows.shape[-1])
    flat = rows.ravel()
    numbers = {name: column[flat] for name, column in release.table.numbers.items()}
    table = release.table._replace(users=np.arange(people.size), code=code, numbers=numbers)
    members = Groups(np.arange(people.size + 1), people.ravel().copy())
    comparison = _compared(replace(release, table=table, members=members), original, members)
    return None if isinstance(comparison, str) else comparison.held.reshape(rows.shape).sum(axis=2)


def _compared(release: Published, original: Original, members: Groups) -> Compared | str:
    """As for truthfulness; traces are compared point by point, which no truthful method would publish."""
    if not (release.noun == "Traces" and isinstance(original, Traces)):
        return compare(release, original)
    names = ("t", "x", "y") if original.planar else ("t", "lon", "lat")
    if not set(names) <= release.table.numbers.keys():
        return "the release and the original are not in the same plane."
    published = [exact(release.table.numbers[name].astype(np.float64)) for name in names]
    mine = [exact(np.asarray(column, np.float64)) for column in (original.t, *original.coordinates)]
    return compare_rows(published, release.table.code, mine, original.offsets, members)


IDENTIFIERS, NUMBERS = "identifiers", "numeric identifiers"
FEWEST = 20  # people of whom half are not met by chance, however short their labels
SHORTEST = 6  # characters; shorter labels are met by chance
SHORTEST_BYTES = 8  # the same among bytes, which are many
SHORTEST_DIGITS = 12  # digits alone in running text may be counts, times or metres


def identifiers(release: Published, original: Original | None) -> Check:
    """No original label is in a text column, the metadata, another file or a file name, as it is or in disguise.

    Labels are looked for whole or within a text, backwards, and encoded in hexadecimal digits, base 64 or base 32; in
    the bytes of a Parquet file too. A single short label is met by chance; half of all labels in one column are not.
    """
    if original is None:
        return unasked(IDENTIFIERS, "no original is given.")
    labels = {str(label).lower(): position for position, label in enumerate(original.users.tolist())}
    spoken = {label: at for label, at in labels.items() if not label.isdigit() or len(label) >= SHORTEST_DIGITS}
    spoken.pop("", None)
    long = {label: at for label, at in spoken.items() if len(label) >= SHORTEST}
    places = [(where, _labels_in(texts, spoken, len(labels))) for where, texts in words(release)]
    few = long if len(labels) < FEWEST else spoken
    beside = [(where, _hidden_in(text, few) - _ordinary(release)) for where, text in around(release)]
    places += [(where, met if 2 * len(met) >= len(labels) else met & long.keys()) for where, met in beside]
    longest = {label: at for label, at in long.items() if len(label) >= SHORTEST_BYTES}
    places.append(("the bytes of the data file", spoken_in(page_text(release).lower(), longest) if longest else set()))
    faults = [
        f"{len(met)} labels are in {where}, the first at position {min(map(labels.__getitem__, met))} of the original"
        for where, met in places
        if met
    ]
    if not long and not faults:
        return passed(IDENTIFIERS, f"all {len(labels):,} labels are numbers or short: too few to find anything.")
    return judged(
        IDENTIFIERS, faults, f"none of {len(long):,} labels of {SHORTEST} or more characters is in the release."
    )


def _hidden_in(text: str, labels: Mapping[str, int]) -> set[str]:
    """The labels in a text, as it is or in disguise; long ones with a digit even within a longer word."""
    if not labels:
        return set()
    met = set[str]().union(*(spoken_in(form.lower(), labels) for form in (text, *disguised(text))))
    if len(text) * len(labels) <= _EFFORT:
        low = text.lower()
        met |= {label for label in labels if len(label) >= SHORTEST_BYTES and not label.isalpha() and label in low}
    return met


def _labels_in(texts: set[str], labels: Mapping[str, int], people: int) -> set[str]:
    """The labels in the texts of a column; short ones only if half of all people are met."""
    joined = "\n".join(texts)
    met = _hidden_in(joined, labels)
    return met if 2 * len(met) >= people else {label for label in met if len(label) >= SHORTEST}


def _ordinary(release: Published) -> frozenset[str]:
    """Words that say nothing about a person: those of the format, and of the promise."""
    guarantee = str((release.manifest or {}).get("guarantee", "")).lower()
    return FORMAT_WORDS.union(re.findall(r"[a-z]+", guarantee))


def spoken_in(text: str, labels: Mapping[str, int]) -> set[str]:
    """Labels that stand in a text, not within a longer word.

    >>> spoken_in("file of user-12, not of user-123", {"user-12": 0, "ser-12": 1})
    {'user-12'}
    """
    lengths = {len(label) for label in labels}
    labels_met = set()
    for match in re.finditer(r"(?<![^\W_])(?=\S)|(?=[^\w\s])", text):
        for end in (match.start() + length for length in lengths):
            if text[match.start() : end] in labels and not (end < len(text) and text[end - 1 : end + 1].isalnum()):
                labels_met.add(text[match.start() : end])
    return labels_met


def numeric_identifiers(release: Published, original: Original | None) -> Check:
    """Whole numbers meet original labels no more often than chance, each its own or any beyond a plain count.

    Numbers 0 to P mean nothing by themselves: a dense numbering meets any other. Pseudonyms that equal the label of
    their own member, or that did what the person of that label did, are compared with a random assignment.
    """
    if original is None:
        return unasked(NUMBERS, "no original is given.")
    label, whole = _as_numbers(original)
    columns = list(whole_numbers(release))
    if label is None or not columns:
        return idle(NUMBERS, "the original labels have no digits, or the release has no whole numbers beside the data.")
    faults = []
    for where, value, pseudonym in columns:
        beyond, expected = _beyond(value, label if whole else label[label >= 10**SHORTEST], len(release))
        if poisson_tail(len(beyond), expected) < ALPHA:
            faults.append(f"{len(beyond)} labels stand in {where}, the first at position {beyond[0]} of the original")
        own = _own(value, pseudonym, label, release, original)
        if own is not None and poisson_tail(own.best, own.expected) < ALPHA:
            faults.append(f"{own.best} numbers in {where} are their own person's label, first at pseudonym {own.first}")
    known = release.untold or f"members are {'not ' if release.members is None else ''}known"
    if own is None:
        known += ", and the original cannot be compared"
    held = f"{several(len(columns), 'column holds', 'columns hold')} whole numbers that equal labels of the original"
    return judged(NUMBERS, faults, f"{held} no more often than chance ({known}; {_smallest(release)}).")


def _smallest(release: Published) -> str:
    """The smallest leak that is found almost surely: about one label would be a pseudonym's own by chance."""
    limit = next(n for n in range(1, 200) if poisson_tail(n, 1.0) < ALPHA)
    return f"{limit + 8} own labels among {several(len(release), 'pseudonym')} are found with probability 0.99"


def _as_numbers(original: Original) -> tuple[Ints | None, bool]:
    """The digits of each label as a number, -1 for those without; and whether labels are such numbers."""
    if original.users.dtype.kind == "i":
        return original.users.astype(np.int64), True
    texts = original.users.tolist()
    whole = any(text.isascii() and text.isdigit() for text in texts)
    digits = ["".join(filter(str.isdigit, text)) if text.isascii() else "" for text in texts]
    numbers = np.array([int(run) if 0 < len(run) < 19 else -1 for run in digits], np.int64)
    return numbers if (numbers >= 0).any() else None, whole


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
    value, pseudonym = value[value >= 0], pseudonym[value >= 0]
    starts, at = rows_of(release.members.offsets, pseudonym)
    pair, member = owners(starts), release.members.positions[at]
    order = np.sort(label)
    bearers = np.searchsorted(order, value, "right") - np.searchsorted(order, value, "left")
    own = np.unique(pseudonym[pair[label[member] == value[pair]]])
    return Fit(len(own), float((bearers * np.diff(starts)).sum()) / len(label), int(own[0]) if len(own) else -1)
