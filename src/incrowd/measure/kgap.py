"""Fingerprints -> how hard each user is to hide among the k - 1 most alike."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.data import Fingerprints
from incrowd.errors import DataError, ParameterError
from incrowd.measure.stretch import Layout, check_fingerprints, layout, on_device
from incrowd.plain import Shown
from incrowd.progress import tell

MOST_K = 129  # that `auto` gives to a GPU, whose lists of the nearest are short
BLOCK = {"cpu": 256, "gpu": 1 << 14}  # rows between two words of progress


@dataclass(frozen=True)
class KGap(Shown):
    """Per user: the k-gap in [0, 1], higher is harder to hide, and the k - 1 nearest positions, nearest first."""

    k: int
    value: Floats
    neighbours: Ints
    users: int
    device: str
    exact_pairs: int  # whose stretch was computed to the end, each counted from both sides
    compared: int  # sample pairs looked at

    def __repr__(self) -> str:
        return f"KGap(k={self.k}, users={self.users:,}, median={np.median(self.value):.4f}, device={self.device!r})"


def kgap(fingerprints: Fingerprints, *, k: int = 2, device: str = "auto") -> KGap:
    """Mean stretch to the k - 1 nearest other users; ties go to the first user [gramaglia2015, Eq. 11].

    >>> three = Fingerprints.from_arrays(["a", "b", "c"], x=[0, 0, 4000], y=[0, 0, 0], t=[0, 96, 0])
    >>> kgap(three, k=2).value.round(6).tolist()
    [0.1, 0.1, 0.1]
    """
    check_k(k)
    check_fingerprints(fingerprints)
    users = len(fingerprints)
    device = on_device(device, users if k <= MOST_K else None)
    if users < k:
        raise DataError(f"a {k}-gap needs at least {k} users, and there are {users}; lower k.")
    laid = layout(fingerprints)
    who = np.empty((users, k - 1), np.int64)
    value = np.empty((users, k - 1))
    work = np.zeros(5, np.int64)
    for rows, found, over, under, done in scan(laid, take=k - 1, device=device):
        who[rows], value[rows] = found, over / under / laid.full
        work += done
    return KGap(k, value.mean(axis=1), who, users, device, int(work[3]), int(work[4]))


def check_k(k: int) -> None:
    """Refuse a k that hides nobody."""
    if not isinstance(k, (int, np.integer)) or k < 2:
        raise ParameterError(f"k must be a whole number of at least 2, got {k}.")


def scan(laid: Layout, *, take: int, device: str = "cpu") -> Iterator[tuple[Ints, Ints, Ints, Ints, Ints]]:
    """The nearest of all users, block by block: rows, neighbours, numerators, denominators, work done."""
    neighbours, prints = (import_module(f"incrowd.kernels.{device}.{topic}") for topic in ("neighbours", "prints"))
    block = BLOCK[device]
    laid_out = prints.prints_of(laid.corners, laid.offsets, laid.people, laid.scale)
    everybody = np.arange(len(laid.people))
    # In random order blocks cost alike, and so do their halves on two cores.
    order = np.random.default_rng(0).permutation(everybody)
    tell("nearest fingerprints", 0, len(order))
    for at in range(0, len(order), block):
        rows = order[at : at + block]
        who, over, under, work = neighbours.nearest(laid_out, rows, everybody, take, False)
        yield rows, who, over, under, work.sum(axis=0)
        tell("nearest fingerprints", at + len(rows), len(order))
