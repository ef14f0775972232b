"""Boxes that were published before, looked up in the new ones; and the people who are in the crowds of both."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from incrowd.arrays import Ints, offsets_of, rows_of
from incrowd.assess.dataset import Dataset
from incrowd.assess.earlier_pair import Pair
from incrowd.assess.question import Finding
from incrowd.assess.questions.lookup import guesses
from incrowd.attack import lookup
from incrowd.clock import DAY_MIN, wall_at, zone_of
from incrowd.data import Fingerprints, Groups, Release
from incrowd.errors import DataError
from incrowd.plain import printed, several

SAME_TIME = "an earlier release has boxes of the same time, and it is not known how few people are in a crowd of both: "


def looked_up(pair: Pair, table: Fingerprints, data: Dataset) -> Finding:
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
    rows = pair.subject.rows
    starts, at = rows_of(rows.offsets, pair.members.positions)
    both = np.unique(np.stack([rows.positions[at], np.repeat(pair.members.owner, np.diff(starts))]), axis=1)
    return Groups(offsets_of(both[0], len(pair.subject.release.data)), both[1])


def in_both_crowds(pair: Pair, table: Fingerprints) -> Iterator[Finding]:
    """How few people share both the earlier and the new box, if some of both are of the same time.

    Who finds somebody in a crowd of each knows that the person was where the boxes of both overlap.
    """
    new: Any = pair.subject.release.data
    ours, theirs = (_period(side) for side in (table, new))
    if ours[0].min() >= theirs[1].max() or theirs[0].min() >= ours[1].max():
        return
    if not pair.scored:
        raise DataError(SAME_TIME + pair.why_unscored)
    people, rows = pair.members.positions, pair.subject.rows
    starts, at = rows_of(rows.offsets, people)
    person, earlier = (np.repeat(column, np.diff(starts)) for column in (people, pair.members.owner))
    beside = rows.positions[at]
    meet = (ours[0][earlier] < theirs[1][beside]) & (theirs[0][beside] < ours[1][earlier])
    _, which, sizes = np.unique(
        np.stack([earlier[meet], beside[meet]]), axis=1, return_inverse=True, return_counts=True
    )
    crowd = np.full(len(pair.subject.original), np.iinfo(np.int64).max)
    np.minimum.at(crowd, person[meet], sizes[which.ravel()])
    concerned = np.unique(person[meet])
    if not len(concerned):
        return
    mean, worst = guesses("earlier", crowd[concerned], drawn=False)
    yield Finding(
        judged=(mean, worst),
        number=printed(float(mean.value), len(concerned)),
        numbers={"in_both": len(concerned)},
        note="crowds of the same time share so few people",
        concerned=len(concerned),
        stands_out="being in a crowd of both releases",
    )


def _period(side: Any) -> tuple[Ints, Ints]:
    """The first and the last minute of each row, since 1970."""
    first, last = np.full(len(side), np.iinfo(np.int64).max), np.full(len(side), np.iinfo(np.int64).min)
    begin = (side.start or 0) // 60 + side.t
    np.minimum.at(first, side.owner, begin)
    np.maximum.at(last, side.owner, begin + side.dt)
    return first, last
