"""Fingerprints -> how hard each user is to hide among the k - 1 most alike, and why: the tails of sample stretches."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from incrowd.arrays import Floats, Ints
from incrowd.data import Fingerprints
from incrowd.errors import DataError, ParameterError, check_seed, check_whole, public
from incrowd.measure.glove.gpu import GAUSSIAN, QUANTILES, scan_on_card, tails_on_card
from incrowd.measure.glove.section import section_of_gaps, section_of_tails
from incrowd.measure.glove.stretch import (
    CornerTable,
    check_crowds,
    check_fingerprints,
    layout,
    on_device,
    where_it_fits,
)
from incrowd.progress import tell, track
from incrowd.show import Result, Section

MOST_K = 129  # that `auto` gives to a GPU, whose lists of the nearest are short
BLOCK = 256  # rows between two words of progress
Device = Literal["auto", "cpu", "gpu"]
NearBlock = tuple[Ints, Ints, Ints, Ints, Ints]  # rows, neighbours, numerators, denominators, work done


@dataclass(frozen=True, eq=False, repr=False)
class KGap(Result):
    """Per user: the k-gap in [0, 1], higher is harder to hide, and the k - 1 nearest positions, nearest first."""

    k: int
    value: Floats
    neighbours: Ints
    users: int
    device: str
    exact_pairs: int  # whose stretch was computed to the end, each counted from both sides; by one scan for every k
    compared: int  # sample pairs looked at
    people: int | None = None  # behind the users, who may be groups
    drawn: Ints | None = None  # positions of the users, if they were drawn; None is everybody
    among: int | None = None  # users they were drawn from, and compared with
    seed: int | None = None  # of the draw

    def __repr__(self) -> str:
        return f"KGap(k={self.k}, users={self.users:,}, median={np.median(self.value):.4f}, device={self.device!r})"

    def section(self) -> Section:
        """How much blurring hides everyone among k, in one section."""
        return section_of_gaps([self])

    @classmethod
    def together(cls, results: "Sequence[KGap]") -> Section:
        """The gaps of several k of the same people, a row each."""
        return section_of_gaps(results)

    def columns(self) -> Mapping[str, Any]:
        """A row for each person, by position: the k-gap, and the position of the most similar person."""
        position = np.arange(self.users) if self.drawn is None else self.drawn
        return {"position": position, "k_gap": self.value, "nearest": self.neighbours[:, 0]}


@public
def kgap(
    fingerprints: Fingerprints, *, k: int = 2, samples: int | None = None, device: Device = "auto", seed: int = 0
) -> KGap:
    """How much each person must be blurred to look like the k - 1 most similar others: 0 is not at all, 1 completely.

    The mean stretch to the k - 1 nearest other people; ties go to the first of them [gramaglia2015, Eq. 11].

    Args:
        fingerprints: Whose samples are compared.
        k: Size of the crowd to hide in.
        samples: Ask about this many people, drawn without replacement; each is still compared with everybody.
        device: Where the work runs; auto takes a GPU for many people if there is one. Samples run on the CPU.
        seed: Seed of the draw.

    >>> three = Fingerprints.from_arrays(["a", "b", "c"], x=[0, 0, 4000], y=[0, 0, 0], t=[0, 96, 0])
    >>> kgap(three, k=2).value.round(6).tolist()
    [0.1, 0.1, 0.1]
    """
    return kgaps(fingerprints, k=[k], samples=samples, device=device, seed=seed)[0]


@public
def kgaps(
    fingerprints: Fingerprints,
    *,
    k: Sequence[int],
    samples: int | None = None,
    device: Device = "auto",
    seed: int = 0,
) -> list[KGap]:
    """The k-gaps of several k, each once, from one search for the nearest of the largest.

    Args:
        fingerprints: Whose samples are compared.
        k: Sizes of the crowd to hide in.
        samples: Ask about this many people, drawn without replacement; each is still compared with everybody.
        device: Where the work runs; auto takes a GPU for many people if there is one. Samples run on the CPU.
        seed: Seed of the draw.

    >>> three = Fingerprints.from_arrays(["a", "b", "c"], x=[0, 0, 4000], y=[0, 0, 0], t=[0, 96, 0])
    >>> [gap.value.round(6).tolist() for gap in kgaps(three, k=[2, 3])]
    [[0.1, 0.1, 0.1], [0.1, 0.15, 0.15]]
    """
    check_fingerprints(fingerprints)
    most, users = check_crowds(k, len(fingerprints)), len(fingerprints)
    laid = layout(fingerprints)
    if samples is not None and _check_samples(samples, device, seed) < users:
        drawn = np.sort(np.random.default_rng(seed).permutation(users)[:samples])
        who, value, work = gathered(laid, most - 1, scan(laid, take=most - 1, order=drawn))
        gaps = gaps_of(k, (who[drawn], value[drawn], work), "cpu", people=int(fingerprints.crowd[drawn].sum()))
        return [replace(gap, drawn=drawn, among=users, seed=seed) for gap in gaps]
    chosen = on_device(device, users if most <= MOST_K else None)
    near, chosen = where_it_fits(
        lambda where: gathered(laid, most - 1, scan(laid, take=most - 1, device=where)), device, chosen
    )
    return gaps_of(k, near, chosen, people=int(fingerprints.crowd.sum()))


def _check_samples(samples: int, device: Device, seed: int) -> int:
    """How many to draw; what cannot be drawn is refused."""
    check_whole(samples=samples)
    check_seed(seed=seed)
    if device == "gpu":
        raise ParameterError("samples are searched on the CPU; leave device or samples out.")
    return samples


def gathered(laid: CornerTable, take: int, blocks: Iterable[NearBlock]) -> tuple[Ints, Floats, Ints]:
    """Who is nearest to each user, their stretches, and the work done, of blocks in any order."""
    users = len(laid.people)
    who, value, work = np.empty((users, take), np.int64), np.empty((users, take)), np.zeros(5, np.int64)
    for rows, near, over, under, done in blocks:
        who[rows], value[rows] = near, over / under / laid.full
        work += done
    return who, value, work


def gaps_of(k: Sequence[int], near: tuple[Ints, Floats, Ints], device: str, people: int) -> list[KGap]:
    """The k-gap of every size once, of the nearest of the largest."""
    who, value, work = near
    users, pairs, compared = len(who), int(work[3]), int(work[4])
    return [
        KGap(size, value[:, : size - 1].mean(axis=1), who[:, : size - 1], users, device, pairs, compared, people)
        for size in dict.fromkeys(k)
    ]


def search_order(users: int) -> Ints:
    """In random order blocks of users cost alike, and so do their halves on two cores."""
    return np.random.default_rng(0).permutation(users)


def scan(laid: CornerTable, *, take: int, device: str = "cpu", order: Ints | None = None) -> Iterator[NearBlock]:
    """The nearest of all users, or of those in `order`, block by block."""
    order, done = search_order(len(laid.people)) if order is None else order, 0
    tell("nearest fingerprints", done, len(order))
    for block in (scan_on_card if device == "gpu" else near_some)(laid, take, order):
        yield block
        done += len(block[0])
        tell("nearest fingerprints", done, len(order))


def near_some(laid: CornerTable, take: int, order: Ints) -> Iterator[NearBlock]:
    """The nearest of some users among all, block by block in this order."""
    from incrowd.kernels.cpu.glove.nearest import nearest
    from incrowd.kernels.cpu.glove.prints import prints_of

    prints, everybody = prints_of(laid.corners, laid.offsets, laid.people, laid.scale), np.arange(len(laid.people))
    for at in range(0, len(order), BLOCK):
        rows = order[at : at + BLOCK]
        who, over, under, work = nearest(prints, rows, everybody, take, False)
        yield rows, who, over, under, work.sum(axis=0)


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
    if upper == middle:
        return float("inf") if top > middle else float("nan")
    return float((top - middle) / (upper - middle)) / GAUSSIAN


def _parts(laid: CornerTable, a: int, b: int) -> tuple[Ints, Ints, int]:
    """Numerators of space and time of the samples of the longer at their closest of the shorter; that of 1."""
    from incrowd.kernels.cpu.glove import stretch

    a, b = min(a, b), max(a, b)  # of two equal directions the smaller id is the longer
    first, second = (laid.corners[laid.offsets[u] : laid.offsets[u + 1]] for u in (a, b))
    n_a, n_b = int(laid.people[a]), int(laid.people[b])
    scale = np.array(laid.scale)
    _, forth = stretch.stretch(first, second, n_a, n_b, scale)
    pair = (first, second, n_a, n_b) if forth else (second, first, n_b, n_a)
    space, time = stretch.sample_parts(*pair, scale)
    return space, time, (n_a + n_b) * laid.full
