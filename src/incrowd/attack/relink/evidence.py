"""Pieces joined by the evidence that they are of one person, one partner each."""

from dataclasses import replace

import numpy as np

from incrowd.arrays import Ints, offsets_of
from incrowd.attack.gain import Match
from incrowd.attack.link import DEFAULT_VIEWS, pair_scores
from incrowd.attack.link.matching import one_to_one
from incrowd.attack.link.postings import Meeting
from incrowd.attack.link.views import View, has_clock
from incrowd.clock import DAY_MIN
from incrowd.data import Visits


def grouped(data: Visits, whose: Ints, pieces: Ints, ends: Ints) -> Visits:
    """The visits of some pieces, one person for each of the ends; pieces with the same number belong together."""
    number = np.full(len(data), -1, np.int64)
    number[whose[ends]] = np.arange(len(ends))
    mine = pieces[number[whose[pieces]] >= 0]
    size = np.diff(data.offsets)[mine]
    starts = np.append(0, np.cumsum(size))
    rows = np.repeat(data.offsets[mine] - starts[:-1], size) + np.arange(starts[-1])
    owner = np.repeat(number[whose[mine]], size)
    order = np.lexsort((data.cell[rows], data.slot[rows], owner))
    rows, owner = rows[order], owner[order]
    offsets = offsets_of(owner, len(ends))
    users = np.arange(len(ends))
    return replace(data, users=users, offsets=offsets, cell=data.cell[rows], slot=data.slot[rows], attributes={})


def match_by_evidence(ends: Visits, later: Visits) -> Match:
    """Pairs of greatest total evidence; the time of day counts if both sides span whole days.

    Total and bound are negative evidence in nats, hence the total is no less than the bound, as it is for gains.
    """
    views: tuple[View, ...] = ("places",)
    if has_clock(ends) and all(_spans_a_day(side) for side in (ends, later)):
        views = DEFAULT_VIEWS
    matching = one_to_one(pair_scores(ends, later, "evidence", views, Meeting(), 0))
    return Match(matching.partner, -matching.total, -matching.bound, np.zeros(0))


def _spans_a_day(visits: Visits) -> bool:
    width = visits.slot_min or DAY_MIN
    return bool(visits.records) and int(visits.slot.max() - visits.slot.min() + 1) * width > DAY_MIN // 2
