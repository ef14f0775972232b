"""How many earlier rows are recognised in a new release where nobody knows who is who."""

from typing import Any

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.assess.earlier_pair import Pair
from incrowd.assess.questions.linking import only
from incrowd.attack import Linkage, link
from incrowd.attack.people import unlabelled

STANDING_OUT = "are more like a new row than like any other of their own time, net of chance"


def standing_out(linkage: Linkage, pair: Pair, asked: Ints) -> Floats:
    """For each earlier row 1/crowd if a new row is more like it than any other of its own time is, net of chance.

    Rows of their own time belong to other people. If the new ones did too, any of both would be the most alike as
    often; that a new release of more rows wins more often than not is not put down to chance.
    """
    known = pair.earlier
    there = np.flatnonzero(np.diff(known.offsets))
    same: Any = {"score": linkage.score, "views": linkage.views}
    own = link(unlabelled(only(known, asked)), unlabelled(known), **same)
    first, last = (np.zeros(len(known), np.int64) for _ in range(2))
    first[there], last[there] = known.slot[known.offsets[there]], known.slot[known.offsets[there + 1] - 1]
    beside_ = np.searchsorted(np.sort(first[there]), last, "right") - np.searchsorted(np.sort(last[there]), first)
    new = int((np.diff(pair.target.offsets) > 0).sum())
    chance = np.minimum(new / (new + np.maximum(beside_ - 1, 1)), 0.5)
    net = np.zeros(len(asked))
    for place, row in enumerate(asked.tolist()):
        others = own.best[row]
        beside = (others >= 0) & (others != row) & (first[others] <= last[row]) & (last[others] >= first[row])
        nearest = own.values[row][beside].max() if beside.any() else own.values[row].min()
        if linkage.matches[row] >= 0:
            worth = 1 / max(int(pair.subject.crowd[linkage.matches[row]]), 1)
            more = np.round(linkage.values[row, 0] - nearest, 9)
            net[place] = worth * (0 if more == 0 else 1 if more > 0 else -chance[row] / (1 - chance[row]))
    return net
