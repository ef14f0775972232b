"""Violating and frequent sets -> the pairs to suppress, in order, as the definition reads."""

from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.types import Items


def violating_sets(
    items: Items, offsets: Ints, code_offsets: Ints, codes: Items, longest: int, k: int, allowed: Ints, watch: Any
) -> list[Items]:
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


def _violates(who: list[int], code_offsets: Ints, codes: Items, k: int, allowed: Ints) -> bool:
    shared = [code for u in who for code in codes[code_offsets[u] : code_offsets[u + 1]].tolist()]
    return len(who) < k or max((shared.count(code) for code in set(shared)), default=0) > allowed[len(who)]


def _parts(known: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [part for size in range(1, len(known)) for part in combinations(known, size)]


def maximal_sets(items: Items, offsets: Ints, min_support: int, watch: Any) -> tuple[Ints, Items]:
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


def flattened(sets: list[tuple[int, ...]]) -> tuple[Ints, Items]:
    """Starts and members of some sets."""
    starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return starts, np.array([item for part in sets for item in part], np.int32)


def suppress(
    v_starts: Ints, v_items: Items, u_starts: Ints, u_items: Items, size: int, recompute: bool, watch: Any
) -> tuple[Items, Ints, Ints]:
    """The winner of each round with its PrivGain and UtilityLoss, until no violating set is left.

    Winner: highest PrivGain / (UtilityLoss + 1), then larger PrivGain, then the smallest item.
    """
    del size, watch
    violating, frequent = _sets(v_starts, v_items), _sets(u_starts, u_items)
    rounds: list[tuple[int, int, int]] = []
    while violating:
        scored = [(_count(item, violating), _count(item, frequent), item) for item in set().union(*violating)]
        gain, loss, winner = max(scored, key=lambda s: (Fraction(s[0], s[1] + 1), s[0], -s[2]))
        rounds.append((winner, gain, loss))
        violating = [v for v in violating if winner not in v]
        frequent = _without(frequent, {winner}) if recompute else [u for u in frequent if winner not in u]
    table = np.array(rounds, np.int64).reshape(-1, 3)
    return table[:, 0].astype(np.int32), table[:, 1], table[:, 2]


def project_sets(starts: Ints, items: Items, size: int, suppressed: Items, watch: Any) -> tuple[Ints, Items]:
    """Maximal elements of {x∖P : x in the sets}: the maximal frequent sets after P is suppressed."""
    del size, watch
    left = _without(_sets(starts, items), set(suppressed.tolist()))
    return flattened(sorted((tuple(sorted(x)) for x in left), key=lambda x: (len(x), x)))


def _sets(starts: Ints, items: Items) -> list[frozenset[int]]:
    return [frozenset(items[a:b].tolist()) for a, b in pairwise(starts.tolist())]


def _count(item: int, sets: list[frozenset[int]]) -> int:
    return sum(item in x for x in sets)


def _without(sets: list[frozenset[int]], gone: set[int]) -> list[frozenset[int]]:
    left = {x - gone for x in sets} - {frozenset()}
    return [x for x in left if not any(x < y for y in left)]
