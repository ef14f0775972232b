"""Each method at a few strengths, with the kind of data it takes, all made from the same samples."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from incrowd.anonymize import LKC, W4M, Anonymizer, Cut, Generalize, Glove
from incrowd.anonymize.w4m_points import points_of
from incrowd.data import Fingerprints, Groups, Release, Traces, Visits
from incrowd.data.fingerprints import BOX
from incrowd.discretize import grid

WINDOWS_H = (24, 6, 1)
GRAINS = ((1_000, 60), (5_000, 240), (20_000, 480), (50_000, 1440))  # the third is the coarsest of [gramaglia2015]
EXTENT_M, EXTENT_MIN = 15_000, 360  # suppression of [gramaglia2015, Table 2]
DELTA_M = 2_000  # W4M of [gramaglia2015, Table 2]
LKC_LIMIT_S = 60.0


@dataclass(frozen=True)
class Source:
    """The samples of the people, and what the methods take made of them."""

    prints: Fingerprints
    cell_m: int
    slot_min: int

    @cached_property
    def points(self) -> Traces:
        """The centres of the samples."""
        return points_of(self.prints)

    @cached_property
    def visits(self) -> Visits:
        """Every cell of a slot."""
        return grid(self.points, cell_m=self.cell_m, slot_min=self.slot_min)

    @cached_property
    def voted(self) -> Visits:
        """The cell of a slot with most samples."""
        return grid(self.points, cell_m=self.cell_m, slot_min=self.slot_min, keep="vote")


@dataclass(frozen=True)
class Setting:
    """A method at one strength; `takes` names the data it is given."""

    method: str
    words: str
    run: Anonymizer
    takes: str  # an attribute of Source
    reach_m: float | None = None  # how far a published point may be moved and still agree

    def data(self, source: Source) -> Any:
        """What the method is given."""
        return getattr(source, self.takes)

    def release(self, source: Source, *, seed: int) -> Release:
        """Run it; pseudonyms play no role in a comparison, so that nothing hangs on their being random."""
        return self.run(self.data(source), seed=seed)


@dataclass(frozen=True)
class Wanted:
    """What the strengths of a method depend on."""

    k: int
    points: int
    slot_min: int


def settings(method: str, wanted: Wanted) -> list[Setting]:
    """The strengths at which a method is tried."""
    return list(STRENGTHS[method](wanted))


def untouched(prints: Fingerprints) -> Release:
    """The samples as they are, each person under a pseudonym: what every method is compared with."""
    rows = np.arange(prints.records)
    alone = Groups(np.arange(len(prints) + 1), np.arange(len(prints)))
    boxes = {name: getattr(prints, name) for name in BOX}
    told = {"box": rows, "row": rows, "boxes": {**boxes, "group": prints.owner}, "discarded_users": rows[:0]}
    return Release(prints, alone, params={"method": "none"}, ledger=prints.ledger, provenance=told)


def _glove(wanted: Wanted) -> Iterator[Setting]:
    yield Setting("glove", f"k={wanted.k}", Glove(k=wanted.k), "prints")
    for k in (wanted.k, 2 * wanted.k):
        run = Glove(k=k, max_extent_m=EXTENT_M, max_extent_min=EXTENT_MIN)
        yield Setting("glove", f"k={k}, 15 km, 6 h", run, "prints")


def _w4m(wanted: Wanted) -> Iterator[Setting]:
    for k in (wanted.k, 2 * wanted.k):
        yield Setting("w4m", f"k={k}, 2 km", W4M(k=k, delta_m=DELTA_M), "points", reach_m=DELTA_M)


def _cut(wanted: Wanted) -> Iterator[Setting]:
    for hours in WINDOWS_H:
        if 60 * hours >= wanted.slot_min:
            yield Setting("cut", f"{hours} h", Cut(window_h=hours), "visits")


def _generalize(_wanted: Wanted) -> Iterator[Setting]:
    for cell_m, slot_min in GRAINS:
        run = Generalize(cell_m=cell_m, slot_min=slot_min)
        yield Setting("generalize", f"{cell_m / 1000:g} km, {slot_min / 60:g} h", run, "points")


def _lkc(wanted: Wanted) -> Iterator[Setting]:
    for known in sorted({1, 2, wanted.points}):
        run = LKC(l=known, k=wanted.k, limit_s=LKC_LIMIT_S)
        yield Setting("lkc", f"l={known}, k={wanted.k}", run, "voted")


STRENGTHS: Mapping[str, Callable[[Wanted], Iterator[Setting]]] = {
    "glove": _glove,
    "w4m": _w4m,
    "cut": _cut,
    "generalize": _generalize,
    "lkc": _lkc,
}
