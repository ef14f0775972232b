"""Records of numbered pairs -> their minimal violating sets, as the definition reads."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints

Ids = NDArray[np.int32]


def violating_sets(
    items: Ids, offsets: Ints, code_offsets: Ints, codes: Ids, longest: int, k: int, allowed: Ints, watch: Any
) -> list[Ids]:
    """One matrix of sets in order for each length 1..longest [mohammed2009, Def. 3.1, 4.1].

    Record u holds items[offsets[u]:offsets[u+1]] in order and the sensitive values
    codes[code_offsets[u]:code_offsets[u+1]]; n records may share a value at most allowed[n] times.
    """
    del watch
    counted: dict[tuple[int, ...], list[int]] = {}
    for u in range(len(offsets) - 1):
        mine = items[offsets[u] : offsets[u + 1]].tolist()
        for size in range(1, longest + 1):
            for known in combinations(mine, size):
                counted.setdefault(known, []).append(u)
    bad = {known for known, who in counted.items() if _violates(who, code_offsets, codes, k, allowed)}
    minimal = sorted(known for known in bad if not any(p in bad for p in _parts(known)))
    sized = [[known for known in minimal if len(known) == size] for size in range(1, longest + 1)]
    return [np.array(sets, np.int32).reshape(-1, size) for size, sets in enumerate(sized, 1)]


def _violates(who: list[int], code_offsets: Ints, codes: Ids, k: int, allowed: Ints) -> bool:
    shared = [code for u in who for code in codes[code_offsets[u] : code_offsets[u + 1]].tolist()]
    return len(who) < k or max((shared.count(code) for code in set(shared)), default=0) > allowed[len(who)]


def _parts(known: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [part for size in range(1, len(known)) for part in combinations(known, size)]
