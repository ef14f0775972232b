"""Yesterday counts: people who are recognised by what was published before, row by row or in counts."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import Any, Literal

import numpy as np

from incrowd.arrays import Floats, Ints, offsets_of
from incrowd.assess.dataset import Dataset
from incrowd.assess.earlier_pair import APART, BELIED, FEW_COMMON, MOST, UNVOUCHED, Pair, Views
from incrowd.assess.earlier_releases import FIRST_RUN, EarlierRelease, EarlierReleases, listed
from incrowd.assess.question import Finding, Inapplicable, Number, Question, drawn_note
from incrowd.assess.questions.counting import membership_finding
from incrowd.assess.questions.linking import MEET_S, SURE, drawn_people, later_s, only
from incrowd.assess.questions.lookup import guesses, mean_of, printed, rights
from incrowd.attack import Linkage, link, lookup
from incrowd.attack.link.sides import as_visits
from incrowd.attack.membership.crowds import SAME_M
from incrowd.attack.people import unlabelled
from incrowd.clock import DAY_MIN, wall_at, zone_of
from incrowd.data import Counts, Fingerprints, Groups, Release, Visits
from incrowd.discretize import alike
from incrowd.errors import DataError
from incrowd.measure.uniqueness.question import wilson
from incrowd.plain import percent, several

KNOWN_AGAIN = 0.1  # of the new rows, that are better than the right one on average where a link file is believed
STANDARD_ERRORS = 3
STANDING_OUT = "are more like a new row than like any other of their own time, net of the reverse"


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
        doubted = _doubted(one, pair, chosen, linkages)
        if doubted is not None:
            yield _unscored(_linked(doubted, data)[1], doubted)
        if pair.scored and isinstance(table, Fingerprints) and isinstance(data.published, Fingerprints):
            yield _looked_up(pair, table, data)


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


def _doubted(one: EarlierRelease, pair: Pair, chosen: Ints, linkages: list[Linkage]) -> Pair | None:
    """The pair as if it were not known who is who, if the link file cannot be taken at its word; None if it can.

    It names people by labels; where these went to other people since, it scores the wrong ones: they rank low among the
    new rows, and more earlier rows stand out than it says are recognised.
    """
    if not pair.scored:
        return None
    if not one.vouched:
        return pair.without_link(UNVOUCHED)
    if not pair.known_by_most:
        return pair.without_link(FEW_COMMON, pair.unknown)
    for linkage in linkages:
        if linkage.score == "evidence" and not linkage.one_to_one:
            rank = linkage.rank[~np.isnan(linkage.rank)]
            if (rank - 1).mean() <= KNOWN_AGAIN * linkage.target:
                return None
            rows = chosen[~np.isnan(linkage.right[chosen])]
            more = _standing_out(linkage, pair, rows) - linkage.right[rows]
            if more.mean() > STANDARD_ERRORS * more.std() / sqrt(len(more)):
                return pair.without_link(BELIED)
    return None


def _scored(linkages: list[Linkage], pair: Pair, chosen: Ints) -> Finding:
    """The share of people recognised, and of those named rightly at a claimed 0.9, each by its best attacker."""
    there = int((np.diff(pair.earlier.offsets) > 0).sum())
    drawn = drawn_note(len(chosen), there).replace("people", "earlier rows")
    right = max(linkages, key=lambda one: float(one.hit[1] or 0.0))
    asked = np.flatnonzero(~np.isnan(right.right))
    if not len(asked):
        raise DataError("nobody of the earlier release has a row in the new one that could be compared")
    sure = max(_sure(one, pair) for one in linkages) / len(asked)
    crowd = pair.crowd_of(asked)
    close = Fraction(int((rights(crowd) >= 0.5).sum()), len(asked))
    hit = min(Fraction(right.hit[1] or 0.0), mean_of(crowd))  # a float beside its exact bound
    numbers = (
        Number(limit="earlier", what="people recognised", value=hit, interval=right.interval, cap=mean_of(crowd)),
        Number(
            limit="worst", what="people named rightly at 90 %", value=sure, interval=wilson(sure, len(asked)), cap=close
        ),
    )
    how = f"{right.score} of {' and '.join(right.views)}{', one-to-one' if right.one_to_one else ''}"
    notes = (
        f"best of {several(len(linkages), 'attack')}: {how}",
        f"{percent(sure)} are named rightly at {percent(SURE, 0)}",
        drawn,
    )
    return Finding(
        judged=numbers,
        number=printed(float(numbers[0].value), len(asked)),
        numbers={"judged": how, "scored": len(asked), "named": sure, "chance": dict(right.chance)},
        results=(right,),
        note="; ".join(filter(None, notes)),
        chance=right.chance[1],
        concerned=right.scored if right.without else None,
        stands_out="what was published of them before",
    )


def _unscored(linkages: list[Linkage], pair: Pair) -> Finding:
    """The share of the new rows that an attacker names at 0.9, rightly or not, and what must be right of the rest."""
    rows = int((np.diff(pair.target.offsets) > 0).sum())
    named = max(len(np.unique(_named(one, pair)[1])) for one in linkages)
    share = Fraction(named, max(rows, 1))
    asked = np.flatnonzero(np.diff(pair.earlier.offsets)) if pair.asked is None else pair.asked
    alike_ = max(
        max(float(_standing_out(linkage, pair, asked).mean()), 0.0) if len(asked) else 0.0
        for linkage in linkages
        if linkage.score == "evidence"
    )
    numbers = (
        Number(limit="worst", what="rows of the new release named at 90 %, not scored", value=share),
        Number(limit="earlier", what="earlier rows that stand out in the new release", value=alike_),
    )
    return Finding(
        judged=numbers,
        number=f"{percent(float(share))} ({named:,} of {several(rows, 'row')}, not scored)",
        numbers={"named": named, "rows": rows, "standing_out": alike_, "scored": False},
        note=f"{pair.why_unscored}; {percent(alike_)} of earlier rows {STANDING_OUT}",
    )


def _standing_out(linkage: Linkage, pair: Pair, asked: Ints) -> Floats:
    """For each earlier row 1/crowd if a new row is more like it than any other of its own time is, minus if less.

    Rows of their own time belong to other people. If the new ones did too, either would be the more alike as often.
    """
    known = pair.earlier
    there = np.flatnonzero(np.diff(known.offsets))
    same: Any = {"score": linkage.score, "views": linkage.views}
    own = link(unlabelled(only(known, asked)), unlabelled(known), **same)
    first, last = (np.zeros(len(known), np.int64) for _ in range(2))
    first[there], last[there] = known.slot[known.offsets[there]], known.slot[known.offsets[there + 1] - 1]
    net = np.zeros(len(asked))
    for place, row in enumerate(asked.tolist()):
        others = own.best[row]
        beside = (others >= 0) & (others != row) & (first[others] <= last[row]) & (last[others] >= first[row])
        nearest = own.values[row][beside].max() if beside.any() else own.values[row].min()
        if linkage.matches[row] >= 0:
            worth = 1 / max(int(pair.subject.crowd[linkage.matches[row]]), 1)
            net[place] = worth * np.sign(np.round(linkage.values[row, 0] - nearest, 9))
    return net


def _sure(linkage: Linkage, pair: Pair) -> float:
    """How many people are named rightly at a claimed 0.9."""
    return float(np.nan_to_num(linkage.right[_named(linkage, pair)[0]]).sum())


def _named(linkage: Linkage, pair: Pair) -> tuple[Ints, Ints]:
    """The pairs named at 0.9; who is sure of a crowd names nobody in it, and histograms are never so sure."""
    if linkage.score != "evidence":
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    named = linkage.named(SURE)
    sure = named.confidence / pair.subject.crowd[named.target] >= SURE
    return named.known[sure], named.target[sure]


def _looked_up(pair: Pair, table: Fingerprints, data: Dataset) -> Finding:
    """Centres of earlier boxes looked up in the new ones; of another period, at the same time of the first day."""
    new: Any = pair.subject.release.data
    if None not in (table.crs, new.crs) and table.crs != new.crs:
        raise DataError("boxes of the two releases are counted from different origins; publish both with one origin")
    zones = [zone_of(side.time_zone) for side in (table, new)]
    late = sum(
        sign * wall_at(side.start or 0, zone) // 60
        for sign, side, zone in zip((1, -1), (table, new), zones, strict=True)
    )
    minute = table.t + table.dt // 2 + late
    if minute.max() < new.t.min() or minute.min() >= (new.t + new.dt).max():
        minute = minute - (int(minute.min()) // DAY_MIN - int(new.t.min()) // DAY_MIN) * DAY_MIN
    ones = np.ones(table.records, np.int64)
    columns: Any = {
        "x": table.x + table.dx // 2,
        "y": table.y + table.dy // 2,
        "t": minute,
        "dx": ones,
        "dy": ones,
        "dt": ones,
    }
    centres = replace(table, **columns, crowd=np.ones(len(table), np.int64), start=new.start)
    found = lookup(Release(new, _shared(pair)), centres, records=data.options.records, seed=data.seed)
    here = found.crowd >= 0
    mean, worst = guesses("earlier", found.crowd[here], drawn=True, caps=pair.crowd_of(np.flatnonzero(here)))
    return Finding(
        judged=(mean, worst),
        number=printed(float(mean.value), int(here.sum())),
        numbers=found.to_dict(),
        results=(found,),
        note=f"{several(data.options.records, 'earlier box', 'earlier boxes')} of each row looked up in the new ones",
        chance=1 / max(len(table), 1),
    )


def _shared(pair: Pair) -> Groups:
    """For each row of the new release the earlier rows that share a person with it."""
    row = np.repeat(np.arange(len(pair.members)), np.diff(pair.members.offsets))
    rows = pair.subject.rows
    owner = np.concatenate([np.zeros(0, np.int64), *(rows[person] for person in pair.members.positions.tolist())])
    repeated = np.repeat(row, np.diff(rows.offsets)[pair.members.positions])
    both = np.unique(np.stack([owner, repeated]), axis=1)
    return Groups(offsets_of(both[0], len(pair.subject.release.data)), both[1])


def _lacks(data: Dataset) -> str:
    if not data.is_release:
        return "no release was given (--release)"
    return "" if data.options.earlier is not None else "no earlier releases were named (--earlier)"


def _seconds(data: Dataset) -> float:
    """Each earlier release is linked like a later period of the data, once more where it is not scored."""
    earlier: EarlierReleases = data.options.earlier
    everybody = MEET_S * float(len(data.visits)) ** 2 / 4
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
    run=_earlier,
    lacks=_lacks,
)
