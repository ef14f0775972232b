"""Fingerprints -> why users are hard to hide: how heavy the tails of their sample stretches are, in space and time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from incrowd.arrays import Floats, Ints
from incrowd.data import Fingerprints
from incrowd.errors import DataError, public
from incrowd.measure.glove.gpu import GAUSSIAN, QUANTILES, tails_on_card
from incrowd.measure.glove.kgap import Device, KGap, kgap
from incrowd.measure.glove.section import section_of_tails
from incrowd.measure.glove.stretch import CornerTable, layout, on_device, where_it_fits
from incrowd.progress import track
from incrowd.show import Result, Section


@dataclass(frozen=True, eq=False, repr=False)
class Tails(Result):
    """Per user, over the sample stretches to the k - 1 nearest; a tail weight of 1 is Gaussian, 1.6 exponential."""

    k: int
    delta: Floats  # tail weight of the sample stretches; nan if they do not vary, inf if only the tail does
    space: Floats  # of their spatial part
    time: Floats  # of their temporal part
    ratio: Floats  # temporal over spatial effort; inf if all of it is temporal, nan if there is none
    share: Floats  # temporal part of the whole effort; nan if there is none
    users: int
    device: str = "cpu"
    people: int | None = None  # behind the users, who may be groups

    def __repr__(self) -> str:
        return f"Tails(k={self.k}, users={self.users:,})"

    def section(self) -> Section:
        """Why people are hard to hide, in one section."""
        return section_of_tails(self)

    def columns(self) -> Mapping[str, Any]:
        """A row for each person, by position: tail weights, temporal over spatial effort, temporal share."""
        names = ("delta", "space", "time", "ratio", "share")
        return {"position": np.arange(self.users), **{name: getattr(self, name) for name in names}}


@public
def tails(fingerprints: Fingerprints, *, k: int = 2, device: Device = "auto", gap: KGap | None = None) -> Tails:
    """Why each person is hard to hide: how much of the blurring a few samples cause, in space and in time.

    Each k-gap is divided into the stretches of its samples [gramaglia2015, Sec. 5.3].

    Args:
        fingerprints: Whose samples are compared.
        k: Size of the crowd to hide in.
        device: Where the work runs; auto takes a GPU for many people if there is one.
        gap: The k-gap of the same people, if it is known already.

    >>> two = Fingerprints.from_arrays(["a", "b"], x=[0, 4000], y=[0, 0], t=[0, 96])
    >>> tails(two).ratio.tolist(), tails(two).share.tolist()
    ([1.0, 1.0], [0.5, 0.5])
    """
    if gap is None:
        gap = kgap(fingerprints, k=k, device=device)
    if not isinstance(gap, KGap):
        raise DataError(f"gap must be a KGap, got {type(gap).__name__}; give what incrowd.measure.kgap returns.")
    if (gap.k, gap.users) != (k, len(fingerprints)):
        raise DataError(f"gap is the {gap.k}-gap of {gap.users} users; give the {k}-gap of these fingerprints.")
    laid, near = layout(fingerprints), gap.neighbours
    (weights, sums), chosen = where_it_fits(
        lambda where: _weights(laid, near, where), device, on_device(device, len(near))
    )
    space, time = efforts(sums, laid, near)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio, share = time / space, time / (space + time)
    delta, in_space, in_time = weights
    return Tails(k, delta, in_space, in_time, ratio, share, users=len(near), device=chosen, people=gap.people)


def _weights(laid: CornerTable, near: Ints, device: str) -> tuple[Floats, Ints]:
    """The three tail weights of each user, and the numerators of space and time by neighbour, [2, users, near]."""
    if device == "gpu":
        return tails_on_card(laid, near)
    weights, sums = np.empty((3, len(near))), np.empty((2, *near.shape), np.int64)
    for a, others in enumerate(track(near, "tails")):
        parts = [_parts(laid, a, b) for b in others.tolist()]
        sums[:, a] = np.transpose([(space.sum(), time.sum()) for space, time, _ in parts])
        columns = [((space + time) / whole, space / whole, time / whole) for space, time, whole in parts]
        weights[:, a] = [tail_weight(np.concatenate(column)) for column in zip(*columns, strict=True)]
    return weights, sums


def efforts(sums: Ints, laid: CornerTable, near: Ints) -> Floats:
    """Space and time of each user, [2, users]: numerators over those of a stretch of 1, added up over neighbours."""
    whole = (laid.people[:, None] + laid.people[near]) * laid.full
    effort: Floats = np.ascontiguousarray(sums / whole).sum(axis=2)
    return effort


@public
def tail_weight(values: ArrayLike) -> float:
    """How heavy the upper tail of some values is: 1 as a Gaussian, 1.6 exponential, more if few values are far out.

    ((Q(.99) - Q(.5)) / (Q(.75) - Q(.5))) / (z(.99) / z(.75)), the index of Hoaglin, Mosteller and Tukey; 0/0 is nan
    and x/0 inf [gramaglia2015, Sec. 5.3].

    Args:
        values: The values, at least one.

    >>> round(tail_weight(np.arange(101) / 100), 5)
    0.56827
    """
    given = np.asarray(values)
    if not given.size:
        raise DataError("a tail weight needs at least one value, and there is none.")
    middle, upper, top = np.quantile(given, QUANTILES)
    return _ratio(top - middle, upper - middle) / GAUSSIAN


def _ratio(a: float, b: float) -> float:
    if b == 0:
        return float("inf") if a > 0 else float("nan")
    return float(a / b)


def _parts(laid: CornerTable, a: int, b: int) -> tuple[Ints, Ints, int]:
    """Numerators of space and time of the samples of the longer at their closest of the shorter; that of 1."""
    from incrowd.kernels.cpu.glove import stretch

    a, b = min(a, b), max(a, b)  # of two equal directions the smaller id is the longer
    one, two = (laid.corners[laid.offsets[u] : laid.offsets[u + 1]] for u in (a, b))
    n_a, n_b = int(laid.people[a]), int(laid.people[b])
    scale = np.array(laid.scale)
    _, first = stretch.stretch(one, two, n_a, n_b, scale)
    pair = (one, two, n_a, n_b) if first else (two, one, n_b, n_a)
    space, time = stretch.sample_parts(*pair, scale)
    return space, time, (n_a + n_b) * laid.full
