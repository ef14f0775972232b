"""Visits -> what an adversary could know that breaks LKC-privacy."""

from collections.abc import Collection
from typing import Any

from incrowd.data import Visits
from incrowd.errors import check_whole
from incrowd.measure.lkc.paths import Pair, Paths, Sequences, paths_of, stacked, watch
from incrowd.measure.lkc.sensitive import Carriers, Share, allowed_counts, carriers_of, heavy
from incrowd.measure.uniqueness.index import kernels


def frequent_sequences(
    visits: Visits,
    min_support: int,
    *,
    same_time: str = "refuse",
    limit_s: float = 600,
    limit_gib: float = 2,
    device: str = "cpu",
) -> list[tuple[Pair, ...]]:
    """Maximal frequent sequences: shared by at least min_support users, no longer one is [mohammed2009, Def. 3.2].

    Their number can explode on long, regular paths; the search then ends at a limit with an error.

    >>> frequent_sequences(Visits.from_arrays([1, 1, 2, 2, 3], cell=[5, 6, 5, 6, 7], slot=[0, 1, 0, 1, 0]), 2)
    [((5, 0), (6, 1))]
    """
    paths = paths_of(visits, same_time)
    return maximal_frequent(paths, min_support, limit_s=limit_s, limit_gib=limit_gib, device=device).to_list()


def maximal_frequent(paths: Paths, min_support: int, *, limit_s: float, limit_gib: float, device: str) -> Sequences:
    """Paths -> their maximal frequent sequences, as arrays."""
    check_whole(min_support=min_support)
    limits = watch("the search for frequent sequences", "raise min_support", limit_s, limit_gib)
    return paths.sequences(*kernels("lkc", device).maximal_sets(paths.items, paths.offsets, min_support, limits))


def violating_sequences(
    visits: Visits,
    l: int,  # noqa: E741
    k: int,
    c: Share = 1.0,
    sensitive: str | None = None,
    values: Collection[Any] | None = None,
    *,
    same_time: str = "refuse",
    limit_s: float = 600,
    limit_gib: float = 2,
    device: str = "cpu",
) -> list[tuple[Pair, ...]]:
    """Minimal sequences of at most l visits that break LKC-privacy; fewer is safer, none is private.

    Fewer than k users share such visits, or over a share c of them one sensitive value; no part of a minimal one
    does so [mohammed2009, Def. 3.1, 4.1].
    Differs from [mohammed2009, Alg. 1], which runs past l and, from l = 4 on, returns sequences that are not minimal.

    >>> violating_sequences(Visits.from_arrays([1, 1, 2, 3], cell=[5, 6, 5, 6], slot=[0, 1, 0, 1]), l=2, k=2)
    [((5, 0), (6, 1))]
    """
    paths, who = paths_of(visits, same_time), carriers_of(visits, c, sensitive, values)
    return minimal_violating(paths, who, l, k, c, limit_s=limit_s, limit_gib=limit_gib, device=device).to_list()


def minimal_violating(
    paths: Paths,
    who: Carriers,
    l: int,  # noqa: E741
    k: int,
    c: Share,
    *,
    limit_s: float,
    limit_gib: float,
    device: str,
) -> Sequences:
    """Paths and who carries what -> their minimal violating sequences, as arrays."""
    check_whole(l=l, k=k)
    l, k = int(l), int(k)  # noqa: E741
    search = kernels("lkc", device).violating_sets
    limits = watch("the search for violating sequences", "lower l", limit_s, limit_gib)
    allowed = allowed_counts(c, len(paths.offsets) - 1)
    who = heavy(who, allowed, k)
    return paths.sequences(*stacked(search(paths.items, paths.offsets, who.offsets, who.codes, l, k, allowed, limits)))
