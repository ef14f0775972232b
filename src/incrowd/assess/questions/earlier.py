"""Yesterday counts: people who are recognised by what was published before, row by row or in counts."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import Any, Literal

import numpy as np

from incrowd.arrays import Ints
from incrowd.assess.dataset import Dataset
from incrowd.assess.earlier_pair import (
    APART,
    BELIED,
    MOST,
    SOME_UNKNOWN,
    UNVOUCHED,
    Pair,
    Views,
)
from incrowd.assess.earlier_releases import FIRST_RUN, EarlierRelease, EarlierReleases, listed
from incrowd.assess.question import Finding, Inapplicable, Number, Question, drawn_note
from incrowd.assess.questions.counting import membership_finding
from incrowd.assess.questions.earlier_boxes import in_both_crowds, looked_up
from incrowd.assess.questions.linking import (
    NAMED_RIGHTLY,
    SURE,
    drawn_people,
    later_memory,
    later_s,
    named_rightly,
    named_surely,
    only,
)
from incrowd.assess.questions.lookup import half_right, mean_of, no_release
from incrowd.assess.questions.standing_out import STANDING_OUT, standing_out
from incrowd.attack import Linkage, link
from incrowd.attack.link.sides import as_visits
from incrowd.data import Counts, Fingerprints, Release, Visits
from incrowd.data.visits import SAME_M
from incrowd.discretize import alike
from incrowd.errors import DataError
from incrowd.measure.uniqueness.question import wilson
from incrowd.plain import percent, printed, several

PAIR_S = 7.5e-8  # seconds on one core per pair of people, where each earlier release is compared with everybody
KNOWN_AGAIN = 0.1  # of the new rows, that are better than the right one on average where a link file is believed
STANDARD_ERRORS = 3
HARDLY_ANY = 0.01  # of the earlier rows: so few cannot exceed a limit by themselves


def _earlier(data: Dataset) -> Finding:
    """The worst that any of the earlier releases does."""
    earlier: EarlierReleases = data.options.earlier
    if earlier.first:
        raise Inapplicable(FIRST_RUN)
    if earlier.fault:
        raise DataError(earlier.fault)
    limit = data.options.limit
    findings = [(one, finding) for one in earlier.releases for finding in _against(one, data)]
    if not findings:
        raise Inapplicable("no earlier release has rows of people, and rows cannot be linked to counts")
    one, worst = max(
        findings,
        key=lambda pair: (
            any(limit(number.limit).exceeded(number.judged) for number in pair[1].judged),
            float(pair[1].judged[0].judged),
        ),
    )
    many = f"attacked with {listed(earlier.releases, earlier.older)}; the worst is {one.name}"
    numbers = {"releases": earlier.to_dict(), "worst": one.name, "attack": worst.numbers}
    return replace(worst, numbers=numbers, note="; ".join(filter(None, (many, worst.note))))


def _against(one: EarlierRelease, data: Dataset) -> Iterator[Finding]:
    """What an attacker gets who holds one earlier release."""
    from incrowd.read import release

    one.check()
    table = release(one.folder)
    if data.publishes_counts:
        yield membership_finding(
            data, _in_cells_of(table, data) if isinstance(table, Counts) else _on_counts(table, data)
        )
    elif not isinstance(table, Counts):
        pair = Pair.of(one, table, data)
        chosen, linkages = _linked(pair, data)
        yield _scored(linkages, pair, chosen) if pair.scored else _unscored(linkages, pair)
        for doubted in _doubts(one, pair, chosen, linkages):
            yield _unscored(_linked(doubted, data)[1], doubted)
        if isinstance(table, Fingerprints) and isinstance(data.published, Fingerprints):
            if pair.scored:
                yield looked_up(pair, table, data)
            yield from in_both_crowds(pair, table)


def _in_cells_of(counts: Counts, data: Dataset) -> Counts:
    """The counts that were published before, if most cells of the new ones are among theirs."""
    from scipy.spatial import KDTree

    new: Any = data.published
    if counts.xy is not None and new.xy is not None and (KDTree(counts.xy).query(new.xy)[0] <= SAME_M).mean() < MOST:
        raise DataError(APART)
    return counts


def _on_counts(table: Any, data: Dataset) -> Visits:
    """Rows that were published before, as visits to the cells that are counted."""
    if isinstance(table, Visits):
        return table
    return as_visits(table, data.visits) if isinstance(table, Fingerprints) else alike(table, data.visits)


def _linked(pair: Pair, data: Dataset) -> tuple[Ints, list[Linkage]]:
    """Rows of the earlier release linked to rows of the new one, by several attackers; and the rows that were asked."""
    known, target = pair.earlier, Release(pair.target, pair.subject.release.members)
    chosen = drawn_people(known, data.options.people, data.seed) if pair.scored else np.arange(len(known))
    sample = Release(only(known, chosen), pair.members)
    how: list[tuple[Literal["evidence", "histogram"], Views]] = [("evidence", views) for views in pair.views]
    how.append(("histogram", pair.views[0]))
    return chosen, [
        link(sample, target, score=score, views=views, one_to_one=one_to_one)
        for score, views in how
        for one_to_one in ((False, True) if pair.single else (False,))
    ]


def _doubts(one: EarlierRelease, pair: Pair, chosen: Ints, linkages: list[Linkage]) -> Iterator[Pair]:
    """The pair as if it were not known who is who, as far as the link file cannot be taken at its word.

    It names people by labels; where these went to other people since, it scores the wrong ones: they rank low among the
    new rows, and more earlier rows stand out than it says are recognised.
    """
    if not pair.scored:
        return
    if not one.vouched:
        yield pair.without_link(UNVOUCHED)
        return
    unknown = pair.unknown
    if min(len(unknown), pair.room) > HARDLY_ANY * len(pair.members):
        hit = max(float(linkage.hit[1] or 0.0) for linkage in linkages)
        yield pair.without_link(SOME_UNKNOWN, unknown, hit * (len(pair.members) - len(unknown)))
    if any(_belied(linkage, pair, chosen) for linkage in linkages):
        yield pair.without_link(BELIED)


def _belied(linkage: Linkage, pair: Pair, chosen: Ints) -> bool:
    """Whether the people whom a link names rank low, and more rows stand out than it says are recognised."""
    rank = linkage.rank[~np.isnan(linkage.rank)]
    if linkage.score != "evidence" or linkage.one_to_one or (rank - 1).mean() <= KNOWN_AGAIN * linkage.target:
        return False
    rows = chosen[~np.isnan(linkage.right[chosen])]
    more = standing_out(linkage, pair, rows) - linkage.right[rows]
    return bool(more.mean() > STANDARD_ERRORS * more.std() / sqrt(len(more)))


def _scored(linkages: list[Linkage], pair: Pair, chosen: Ints) -> Finding:
    """The share of people recognised, and of those named rightly at a claimed 0.9, each by its best attacker."""
    there = int((np.diff(pair.earlier.offsets) > 0).sum())
    drawn = drawn_note(len(chosen), there).replace("people", "earlier rows")
    right = max(linkages, key=lambda one: float(one.hit[1] or 0.0))
    asked = np.flatnonzero(~np.isnan(right.right))
    if not len(asked):
        raise DataError("nobody of the earlier release has a row in the new one that could be compared")
    sure = max(named_rightly(one, pair.subject.crowd) for one in linkages) / len(asked)
    crowd = pair.crowd_of(asked)
    hit = min(Fraction(right.hit[1] or 0.0), mean_of(crowd))  # a float beside its exact bound
    numbers = (
        Number(limit="earlier", what="people recognised", value=hit, interval=right.interval, cap=mean_of(crowd)),
        Number(limit="worst", what=NAMED_RIGHTLY, value=sure, interval=wilson(sure, len(asked)), cap=half_right(crowd)),
    )
    notes = (
        f"best of {several(len(linkages), 'attack')}: {right.attacker}",
        f"{percent(sure)} are named rightly at {percent(SURE, 0)}",
        drawn,
    )
    return Finding(
        judged=numbers,
        number=printed(float(numbers[0].value), len(asked)),
        numbers={"judged": right.attacker, "scored": len(asked), "named": sure, "chance": dict(right.chance)},
        results=(right,),
        note="; ".join(filter(None, notes)),
        chance=right.chance[1],
        concerned=right.scored if right.without else None,
        stands_out="what was published of them before",
    )


def _unscored(linkages: list[Linkage], pair: Pair) -> Finding:
    """The share of the new rows that an attacker names at 0.9, rightly or not, and what must be right of the rest."""
    there = np.flatnonzero(np.diff(pair.earlier.offsets))
    asked = there if pair.asked is None else np.intersect1d(pair.asked, there)
    rows, others = int((np.diff(pair.target.offsets) > 0).sum()), len(there) - len(asked)
    people = others + min(len(asked), pair.subject.crowd[np.diff(pair.target.offsets) > 0].sum())
    sure = (named_surely(one, pair.subject.crowd) for one in linkages)
    named = max(len(np.unique(row[np.isin(known, asked)])) for known, row in sure)
    share = Fraction(named, max(rows, 1))
    alike_ = max(
        (max(float(standing_out(linkage, pair, asked).sum()), 0.0) + pair.recognised) / max(people, 1)
        for linkage in linkages
        if linkage.score == "evidence" and not linkage.one_to_one
    )
    numbers = (
        Number(limit="worst", what="rows of the new release named at 90 %, not scored", value=share),
        Number(limit="earlier", what="earlier rows that stand out in the new release", value=min(alike_, 1.0)),
    )
    return Finding(
        judged=numbers,
        number=f"{percent(float(share))} ({named:,} of {several(rows, 'row')}, not scored)",
        numbers={"named": named, "rows": rows, "standing_out": alike_, "scored": False},
        note=f"{pair.why_unscored}; {percent(min(alike_, 1.0))} of earlier rows {STANDING_OUT}",
    )


def _lacks(data: Dataset) -> str:
    unnamed = "" if data.options.earlier is not None else "no earlier releases were named (--earlier)"
    return no_release(data) or unnamed


def _seconds(data: Dataset) -> float:
    """Each earlier release is linked like a later period of the data, once more where it is not scored."""
    earlier: EarlierReleases = data.options.earlier
    everybody = PAIR_S * float(len(data.visits)) ** 2
    return len(earlier.releases) * (later_s(data) + everybody)


EARLIER = Question(
    name="earlier",
    about="linkability",
    asks="Can people be recognised by what was published before?",
    attacker=lambda _: (
        "The attacker holds releases that were published before and compares their rows, boxes or counts with those of "
        "the new one"
    ),
    seconds=_seconds,
    memory=later_memory,  # one release after the other
    run=_earlier,
    lacks=_lacks,
)
