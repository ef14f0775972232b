"""Visits -> the patterns that make them useful."""

from incrowd.data import Visits
from incrowd.errors import check_whole
from incrowd.measure.index import kernels
from incrowd.measure.sequences import Pair, Paths, Sequences, paths_of, watch


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
    return paths.sequences(*kernels("mining", device).maximal_sets(paths.items, paths.offsets, min_support, limits))
