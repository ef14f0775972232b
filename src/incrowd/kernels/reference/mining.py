"""Records of numbered pairs -> their maximal frequent sets, as the definition reads."""

from itertools import combinations
from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.reference.sequences import Ids


def maximal_sets(items: Ids, offsets: Ints, min_support: int, watch: Any) -> tuple[Ints, Ids]:
    """Sets held by at least min_support records, no superset of which is; set j at starts[j]:starts[j+1]."""
    del watch
    support: dict[tuple[int, ...], int] = {}
    for u in range(len(offsets) - 1):
        mine = items[offsets[u] : offsets[u + 1]].tolist()
        for size in range(1, len(mine) + 1):
            for part in combinations(mine, size):
                support[part] = support.get(part, 0) + 1
    frequent = [part for part, n in support.items() if n >= min_support]
    maximal = [part for part in frequent if not any(set(part) < set(other) for other in frequent)]
    return flattened(sorted(maximal, key=lambda part: (len(part), part)))


def flattened(sets: list[tuple[int, ...]]) -> tuple[Ints, Ids]:
    """Starts and members of some sets."""
    starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return starts, np.array([item for part in sets for item in part], np.int32)
