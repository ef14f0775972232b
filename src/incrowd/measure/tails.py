"""Fingerprints -> why users are hard to hide: how heavy the tails of their sample stretches are, in space and time."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from incrowd.arrays import Floats, Ints
from incrowd.data import Fingerprints
from incrowd.errors import DataError
from incrowd.measure.kgap import KGap, kgap
from incrowd.measure.stretch import Layout, layout
from incrowd.plain import Shown
from incrowd.progress import track

QUANTILES = (0.5, 0.75, 0.99)
GAUSSIAN = 2.3263478740408408 / 0.6744897501960817  # z(.99) / z(.75)


@dataclass(frozen=True)
class Tails(Shown):
    """Per user, over the sample stretches to the k - 1 nearest; a tail weight of 1 is Gaussian, 1.6 exponential."""

    k: int
    delta: Floats  # tail weight of the sample stretches; nan where they do not vary, inf where only the tail does
    space: Floats  # of their spatial part
    time: Floats  # of their temporal part
    ratio: Floats  # temporal over spatial effort; inf without any spatial, nan without any
    share: Floats  # temporal part of the whole effort; nan without any
    users: int
    device: str = "cpu"

    def __repr__(self) -> str:
        return f"Tails(k={self.k}, users={self.users:,})"


def tails(fingerprints: Fingerprints, *, k: int = 2, device: str = "auto", gap: KGap | None = None) -> Tails:
    """Disaggregate each user's k-gap into its samples [gramaglia2015, Sec. 5.3]; `gap` is theirs, if known already.

    >>> two = Fingerprints.from_arrays(["a", "b"], x=[0, 4000], y=[0, 0], t=[0, 96])
    >>> tails(two).ratio.tolist(), tails(two).share.tolist()
    ([1.0, 1.0], [0.5, 0.5])
    """
    gap = gap or kgap(fingerprints, k=k, device=device)
    if (gap.k, gap.users) != (k, len(fingerprints)):
        raise DataError(f"gap is the {gap.k}-gap of {gap.users} users; give the {k}-gap of these fingerprints.")
    laid, near = layout(fingerprints), gap.neighbours
    columns = _on_card(laid, near) if gap.device == "gpu" else _one_by_one(laid, near)
    names = ("delta", "space", "time", "ratio", "share")
    return Tails(k=k, users=len(near), device=gap.device, **dict(zip(names, columns, strict=True)))


def _one_by_one(laid: Layout, near: Ints) -> Floats:
    columns = np.empty((5, len(near)))
    for a, others in enumerate(track(near, "tails")):
        parts = [_parts(laid, a, b) for b in others.tolist()]
        space, time, delta = (np.concatenate(column) for column in zip(*parts, strict=True))
        effort = (space.sum(), time.sum())
        columns[:, a] = (
            tail_weight(delta),
            tail_weight(space),
            tail_weight(time),
            _ratio(effort[1], effort[0]),
            _ratio(effort[1], effort[0] + effort[1]),
        )
    return columns


def _on_card(laid: Layout, near: Ints) -> Floats:
    """The same five columns; a GPU sorts the stretches, the few that quantiles lie between come back."""
    from incrowd.kernels.gpu.prints import prints_of
    from incrowd.kernels.gpu.stretching import ordered_shares

    prints = prints_of(laid.corners, laid.offsets, laid.people, laid.scale)
    chosen, effort, samples = ordered_shares(prints, near, _between, laid.full)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = [tail_weights(rows, samples) for rows in chosen]
        return np.array([*weights, effort[1] / effort[0], effort[1] / (effort[0] + effort[1])])


def _between(samples: Ints) -> Ints:
    """The ranks on both sides of each quantile of so many samples, [2 quantiles, users]."""
    at = (samples - 1) * np.array(QUANTILES)[:, None]
    low = np.floor(at).astype(np.int64)
    return np.concatenate([low, np.minimum(low + 1, samples - 1)])


def tail_weights(rows: Floats, samples: Ints) -> Floats:
    """Tail weights from the values at the ranks of `_between`; interpolated as numpy.quantile does."""
    at = (samples - 1) * np.array(QUANTILES)[:, None]
    part = at - np.floor(at)
    low, high = np.split(rows, 2)
    middle, upper, top = np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1 - part))
    weights: Floats = (top - middle) / (upper - middle) / GAUSSIAN
    return weights


def tail_weight(values: ArrayLike) -> float:
    """Upper tail weight index of Hoaglin, Mosteller and Tukey, normalised to the Gaussian [gramaglia2015, Sec. 5.3].

    ((Q(.99) - Q(.5)) / (Q(.75) - Q(.5))) / (z(.99) / z(.75)); 0/0 is nan and x/0 inf.

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


def _parts(laid: Layout, a: int, b: int) -> tuple[Floats, Floats, Floats]:
    """Spatial and temporal parts, and their sum, of the samples of the longer at their closest of the shorter."""
    from incrowd.kernels.cpu import stretching

    a, b = min(a, b), max(a, b)  # of two equal directions the smaller id is the longer
    one, two = (laid.corners[laid.offsets[u] : laid.offsets[u + 1]] for u in (a, b))
    n_a, n_b = int(laid.people[a]), int(laid.people[b])
    scale = np.array(laid.scale)
    _, first = stretching.stretch(one, two, n_a, n_b, scale)
    pair = (one, two, n_a, n_b) if first else (two, one, n_b, n_a)
    space, time = stretching.sample_parts(*pair, scale)
    whole = (n_a + n_b) * laid.full
    return space / whole, time / whole, (space + time) / whole
