"""Layers of shared features -> scores of pairs of people, a block of known people at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from incrowd.arrays import Floats, Ints, distinct_rows, offsets_of, rows_by_code, rows_of, runs
from incrowd.attack.link.evidence import UNIT, Layer, Shared, by_value
from incrowd.attack.link.views import FeatureRows
from incrowd.data import Groups
from incrowd.kernels import kernel
from incrowd.kernels.reference.link import PairLists
from incrowd.kernels.types import Ids
from incrowd.progress import tell
from incrowd.threads import in_parts

BLOCK = 512  # known people per call of a kernel, at most
ENTRIES = 1 << 23  # weights per call; one person may need more
AT_ONCE = 1 << 18  # weights that are computed at once


class Lists(NamedTuple):
    """Candidates by feature and value."""

    starts: Ints
    postings: Ids
    value: Floats  # of each list
    first: Ints  # lists of feature f are first[f]:first[f+1]


class Ranking(NamedTuple):
    """The best candidates of each known person, and where the best true one stands."""

    best: Ints
    values: Ints  # in units
    above: Ints
    tied: Ints
    true_tied: Ints
    met: Ints


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of all pairs of known people and candidates, computed when asked for."""

    layers: Sequence[Layer]
    visits: tuple[Ints, Ints]  # of each known person and of each candidate
    everybody: bool  # whether who shares nothing has a score, too
    offsets: Ints
    rows: FeatureRows  # of the known, by person
    lists: Lists
    borders: Ints  # features of layer n are borders[n]:borders[n+1]

    @classmethod
    def over(cls, layers: Sequence[Layer], visits: tuple[Ints, Ints], *, everybody: bool) -> "PairScores":
        """Lay out the rows of both sides."""
        sizes = [1 + max(int(rows.feature.max(initial=-1)) for rows in (layer.known, layer.target)) for layer in layers]
        borders = np.append(0, np.cumsum(sizes))
        known = _together([layer.known for layer in layers], borders)
        order, offsets = rows_by_code(known.owner, len(visits[0]))
        known = known if order is None else known.at(order)
        lists = _lists(_together([layer.target for layer in layers], borders), int(borders[-1]))
        return cls(layers, visits, everybody, offsets, known, lists, borders)

    def turned(self) -> "PairScores":
        """The same pairs seen from the candidates."""
        layers = [layer.turned() for layer in self.layers]
        return PairScores.over(layers, self.visits[::-1], everybody=self.everybody)

    def rank(self, true: Groups, top: int, label: str = "ranking candidates") -> Ranking:
        """The best candidates of everybody known."""
        known = len(self.visits[0])
        columns = tuple(np.zeros((known, n), np.int64) for n in (top, top, 1, 1, 1, 1))

        def work(link: Any, lists: PairLists, part: slice) -> None:
            positions = true.offsets[part.start : part.stop + 1]
            for into, column in zip(
                columns, link.rank_candidates(lists, positions, true.positions, top, self.everybody), strict=True
            ):
                into[part] = column.reshape(len(column), -1)

        self._each_block(work, label)
        return Ranking(columns[0], columns[1], *(column.ravel() for column in columns[2:]))

    def log_sums(self, scale: float) -> Floats:
        """The log of the sum of exp(scale * score) over all candidates, for everybody known."""
        sums = np.zeros(len(self.visits[0]))

        def work(link: Any, lists: PairLists, part: slice) -> None:
            sums[part] = link.log_sums(lists, scale / UNIT)

        self._each_block(work, "weighing candidates")
        return sums

    def best_offers(self, prices: Ints) -> Ints:
        """The most that a candidate is worth to everybody known after its price, in units."""
        offers = np.zeros(len(self.visits[0]), np.int64)

        def work(link: Any, lists: PairLists, part: slice) -> None:
            offers[part] = link.best_offers(lists, prices)

        self._each_block(work, "checking all pairs")
        return offers

    def of(self, who: Ints) -> Ints:
        """Scores of some known people with all candidates, [who, candidates], in units."""
        scores = np.empty((len(who), len(self.visits[1])), np.int64)
        for part in self._parts(who):
            scores[part] = kernel("link").score_rows(self._pair_lists(who[part]))
        return scores

    def _each_block(self, work: Callable[[Any, PairLists, slice], None], label: str) -> None:
        size, done, link = len(self.visits[0]), [0], kernel("link")

        def block(part: slice) -> None:
            work(link, self._pair_lists(np.arange(part.start, part.stop)), part)
            done[0] += part.stop - part.start
            tell(label, done[0], size)

        in_parts(block, self._parts(np.arange(size)))

    def _parts(self, who: Ints) -> list[slice]:
        """Some known people in parts whose weights fit into memory, however many values each feature has."""
        starts, at = rows_of(self.offsets, who)
        sizes = np.diff(self.lists.first)[self.rows.feature[at]]
        entries = np.append(0, np.cumsum(sizes))[starts]
        return [
            slice(a, min(a + BLOCK, run.stop))
            for run in runs(entries, ENTRIES)
            for a in range(run.start, run.stop, BLOCK)
        ]

    def _pair_lists(self, who: Ints) -> PairLists:
        """What a kernel needs for some known people."""
        offsets, at = rows_of(self.offsets, who)
        feature, value = self.rows.feature[at], self.rows.value[at]
        order = np.lexsort((value, feature))
        new = distinct_rows(feature[order], value[order])
        distinct = order[new]
        first, size = self.lists.first[feature], np.diff(self.lists.first)[feature]
        ends = np.cumsum(size[distinct])
        place = np.empty(len(at), np.int64)
        place[order] = (ends - size[distinct])[np.cumsum(new) - 1]
        weights = self._weights(feature[distinct], value[distinct], np.append(0, ends))
        kinds = self._kinds(who)
        return PairLists(offsets, first, size, place, weights, self.lists.starts, self.lists.postings, *kinds)

    def _weights(self, feature: Ints, value: Floats, starts: Ints) -> Ints:
        """Of each feature and value of the known with each value of the candidates; features are in order."""
        weights = np.zeros(int(starts[-1]), np.int64)
        for number, layer in enumerate(self.layers):
            low, high = np.searchsorted(feature, self.borders[number : number + 2]).tolist()
            for run in runs(starts[low : high + 1], AT_ONCE):
                part = slice(low + run.start, low + run.stop)
                inside, lists = rows_of(self.lists.first, feature[part])
                each = np.diff(inside)
                of = np.repeat(feature[part] - self.borders[number], each)
                shared = Shared(of, np.repeat(value[part], each), self.lists.value[lists])
                weights[starts[part.start] : starts[part.stop]] = layer.weights(shared)
        return weights

    def _kinds(self, who: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """Kind of each known person, scores of nothing shared by kind, kind of each candidate, candidates by kind."""
        sizes, kind = np.unique(self.visits[0][who], return_inverse=True)
        others, *candidates = self._candidate_kinds
        apart = np.zeros((len(sizes), len(others)), np.int64)
        for layer in self.layers:
            apart += layer.apart(sizes, others)
        return kind, apart, *candidates  # type: ignore[return-value]

    @cached_property
    def _candidate_kinds(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The different numbers of visits of candidates, by which they are kinds."""
        others, kinds = np.unique(self.visits[1], return_inverse=True)
        return others, kinds, offsets_of(np.sort(kinds), len(others)), np.argsort(kinds, kind="stable")


def _together(rows: Sequence[FeatureRows], borders: Ints) -> FeatureRows:
    feature = [part.feature + border for part, border in zip(rows, borders.tolist(), strict=False)]
    return FeatureRows(
        np.concatenate([part.owner for part in rows]),
        np.concatenate(feature),
        np.concatenate([part.value for part in rows]),
    )


def _lists(rows: FeatureRows, features: int) -> Lists:
    order, begin = by_value(rows)
    head = order[begin]
    postings = rows.owner[order]
    narrow = postings.astype(np.int32) if postings.max(initial=0) < 2**31 else postings
    return Lists(np.append(begin, len(order)), narrow, rows.value[head], offsets_of(rows.feature[head], features))
