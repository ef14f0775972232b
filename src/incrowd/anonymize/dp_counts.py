"""DPCounts: counts with noise that protects a person, not only a count."""

import os
import warnings
from dataclasses import dataclass
from math import sqrt
from operator import index
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from incrowd.anonymize.base import Anonymizer, guarantee, parameters
from incrowd.anonymize.cell_key import refuse_seed
from incrowd.arrays import Flags, Floats, Ints
from incrowd.clock import DAY_MIN, minute_of_day
from incrowd.data import Counts, Groups, Release, UserTable, Visits
from incrowd.data.counts import check_size
from incrowd.data.visits import SAME_M, centres_of
from incrowd.errors import (
    DataError,
    IncrowdWarning,
    MissingExtra,
    ParameterError,
    check_positive,
    check_share,
    check_whole,
    public,
)

ELSEWHERE, TOO_MANY = "outside the cells and slots", "beyond the slots or cells of a person"


@public
@dataclass(frozen=True)
class DPCounts(Anonymizer):
    """Publish counts with noise calibrated to a person: everybody keeps a few random slots, then noise is added.

    The number of people is public, so two datasets are neighbours if one person is replaced by another; the noise and
    its privacy map are those of OpenDP. Every given cell and slot is published, empty ones, too, and negative counts
    stay unless asked otherwise. Nobody's visits may depend on those of others, as they do if gaps are filled with cells
    that somebody visited (`discretize.filled` of visits on a grid).

    Args:
        epsilon: The probability of any published table changes by exp(epsilon) at most when one person is replaced.
        slots_per_person: Slots that a person counts in at most, drawn at random.
        delta: Probability with which epsilon may be exceeded; 0 adds discrete Laplace noise, else discrete Gaussian.
        cells_per_slot: Cells that a person counts in at most in a slot, drawn at random.
        keep_negative: Whether negative counts stay as they are; else they are published as 0.

    Guarantee: (epsilon, delta)-differential privacy per person: replacing one person changes the probability of any
    published table by a factor of at most exp(epsilon), except with probability delta.
    """

    PUBLISHES: ClassVar[type[UserTable]] = Counts  # type: ignore[assignment]

    epsilon: float
    slots_per_person: int
    delta: float = 0.0
    cells_per_slot: int = 1
    keep_negative: bool = True

    def __post_init__(self) -> None:
        check_positive(epsilon=self.epsilon)
        check_whole(slots_per_person=self.slots_per_person, cells_per_slot=self.cells_per_slot)
        check_share(delta=self.delta)
        if self.delta >= 1:
            raise ParameterError(f"delta must be below 1, got {self.delta!r}.")

    @property
    def sensitivity(self) -> float:
        """How far apart the counts of two neighbours are at most: in L1 for Laplace noise, in L2 for Gaussian."""
        places = 2 * self.slots_per_person * self.cells_per_slot
        return float(places) if self.delta == 0 else sqrt(places)

    @public
    def __call__(  # type: ignore[override]
        self,
        data: Visits,
        *,
        cells: ArrayLike,
        slots: tuple[int, int],
        seed: int | None = None,
        pseudonym_seed: int | None = None,
    ) -> Release:
        """The noisy counts as a release; kept slots and noise come from the operating system.

        Args:
            data: The visits to count.
            cells: Centres of all cells that are published, in metres; they must not come from the data.
            slots: The first slot that is published and how many; they must not come from the data.
            seed: Must be None, because whoever knows the seed can subtract the noise.
            pseudonym_seed: Must be None, because counts have no pseudonyms.
        """
        refuse_seed(seed, pseudonym_seed)
        measure, scale = measurement(self.epsilon, self.delta, self.sensitivity)
        xy = centres_of(cells)
        first, many = _slots(slots)
        check_size(many, len(xy))
        if data.slot_min is None:
            raise DataError("these visits have no slot_min; make them by incrowd.discretize, or give it.")
        refuse_own(data, xy)
        owner, cell, slot = inside(data, xy, len(xy), first, many)
        if data.records and not len(owner):
            warnings.warn(
                "none of the visits is in the cells and slots given, so only noise is published; give the centres of "
                "the cells that the visits are in, in the same plane.",
                IncrowdWarning,
                stacklevel=3,
            )
        kept = bounded(owner, slot, int(self.slots_per_person), int(self.cells_per_slot))
        true = np.bincount(slot[kept] * len(xy) + cell[kept], minlength=many * len(xy))
        n = np.array(measure(true.tolist()), np.int64).reshape(many, len(xy))
        begin = minute_of_day(data.start or 0, data.time_zone) + first * data.slot_min
        dropped = {ELSEWHERE: data.records - len(owner), TOO_MANY: len(owner) - int(kept.sum())}
        ledger = data.ledger.add(
            "dp_counts", read=data.records, kept=int(kept.sum()), dropped=dropped, users=(len(data), len(data))
        )
        noise = "discrete laplace" if self.delta == 0 else "discrete gaussian"
        return Release(
            Counts(n if self.keep_negative else np.maximum(n, 0), xy, data.slot_min, begin % DAY_MIN),
            Groups.nobody(),
            params={**parameters(self), "sensitivity": self.sensitivity, "scale": scale, "mechanism": noise},
            guarantee=guarantee(type(self)),
            claims={"epsilon": float(self.epsilon), "delta": float(self.delta), "unit": "person"},
            ledger=ledger,
        )


def measurement(epsilon: float, delta: float, sensitivity: float) -> tuple[Any, float]:
    """OpenDP's measurement that adds the noise, and its scale; its own privacy map says that epsilon and delta hold."""
    try:
        import opendp.prelude as dp
        from opendp.mod import OpenDPException
    except ModuleNotFoundError as error:
        raise MissingExtra("DPCounts needs OpenDP; install it with: pip install 'incrowd[dp]'.") from error
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    if delta == 0:
        scale = sensitivity / epsilon
        measure = (domain, dp.l1_distance(T="i64")) >> dp.m.then_laplace(scale=scale)
        spent = measure.map(int(sensitivity))
    else:
        space = domain, dp.l2_distance(T="f64")

        def approximate(scale: float) -> Any:
            return dp.c.make_fix_delta(
                dp.c.make_zCDP_to_approxDP(space >> dp.m.then_gaussian(scale=scale)), delta=delta
            )

        try:
            scale = dp.binary_search_param(approximate, d_in=sensitivity, d_out=(epsilon, delta), T=float)
        except OpenDPException:
            raise ParameterError(
                f"OpenDP finds no Gaussian noise for epsilon {epsilon:g} and delta {delta:g}; choose others."
            ) from None
        measure = approximate(scale)
        spent = measure.map(sensitivity)[0]
    if spent > epsilon * (1 + 1e-9):
        raise DataError("OpenDP states a larger epsilon than was asked for; choose another epsilon or delta.")
    return measure, float(scale)


def bounded(
    owner: Ints, slot: Ints, slots_per_person: int, cells_per_slot: int, rng: np.random.Generator | None = None
) -> Flags:
    """Which visits are kept: of a person so many random slots, in each of them so many random cells.

    Randomness comes from the operating system; an attack that tries a method brings its own generator.
    """
    pair = np.unique(owner * (int(slot.max(initial=0)) + 1) + slot, return_inverse=True)[1] if len(owner) else owner
    person = np.zeros(int(pair.max(initial=-1)) + 1, np.int64)
    person[pair] = owner
    few = _first(person, slots_per_person, rng)[pair]
    return few & _first(pair, cells_per_slot, rng)


def _first(group: Ints, most: int, rng: np.random.Generator | None) -> Flags:
    """Some random ones of each group."""
    entropy = os.urandom(8 * len(group)) if rng is None else rng.bytes(8 * len(group))
    order = np.lexsort((np.frombuffer(entropy, np.uint64), group))
    ordered = group[order]
    begin = np.searchsorted(ordered, ordered)
    chosen = np.zeros(len(group), np.bool_)
    chosen[order[np.arange(len(group)) - begin < most]] = True
    return chosen


def _slots(slots: tuple[int, int]) -> tuple[int, int]:
    try:
        first, many = (index(value) for value in slots)
    except (TypeError, ValueError):
        raise ParameterError("slots must be the first slot and how many there are, two whole numbers.") from None
    check_whole(slots=many)
    return first, many


def refuse_own(visits: Visits, xy: Floats) -> None:
    """Refuse exactly the cells that people visited: the edge of the area is then one person's position.

    All cells of visits that are not squares of a grid are a list from outside, such as towers, even if all are visited.
    """
    if visits.xy is None:
        return
    visited = visits.xy[np.unique(visits.cell)]
    listed = visits.cell_m is None and len(visited) == len(visits.xy)
    if not listed and np.array_equal(np.unique(xy, axis=0), np.unique(visited, axis=0)):
        raise ParameterError(
            "these cells are exactly those that people visited, which says where somebody was; give all cells of an "
            "area that is chosen without the data (--towers, --box or --zones)."
        )


def inside(visits: Visits, xy: Floats | None, cells: int, first: int, many: int) -> tuple[Ints, Ints, Ints]:
    """Owner, cell and slot of the visits in some cells, found by their centres, and slots; both are numbered anew.

    Args:
        visits: The visits.
        xy: Centres of the cells; None if cells have the same numbers here and there.
        cells: How many cells there are.
        first: The first slot.
        many: How many slots there are.
    """
    number = visits.cell
    if visits.xy is not None and xy is not None and not np.array_equal(visits.xy, xy):
        from scipy.spatial import KDTree

        apart, near = KDTree(xy).query(np.nan_to_num(visits.xy, nan=1e12))
        number = np.where(apart <= SAME_M, near, -1)[visits.cell]
    slot = visits.slot - first
    real = (number >= 0) & (number < cells) & (slot >= 0) & (slot < many)
    return visits.owner[real], number[real], slot[real]
