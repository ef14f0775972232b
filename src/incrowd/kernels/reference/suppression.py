"""Violating and frequent sets -> the pairs to suppress, in order, as the definition reads."""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.reference.mining import flattened
from incrowd.kernels.reference.sequences import Ids


def suppress(
    v_starts: Ints, v_items: Ids, u_starts: Ints, u_items: Ids, size: int, recompute: bool
) -> tuple[Ids, Ints, Ints]:
    """The winner of each round with its PrivGain and UtilityLoss, until no violating set is left.

    Winner: highest PrivGain / (UtilityLoss + 1), then larger PrivGain, then the smallest item.
    """
    del size
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


def project_sets(starts: Ints, items: Ids, size: int, suppressed: Ids) -> tuple[Ints, Ids]:
    """Maximal elements of {x∖P : x in the sets}: the maximal frequent sets after P is suppressed."""
    del size
    left = _without(_sets(starts, items), set(suppressed.tolist()))
    return flattened(sorted((tuple(sorted(x)) for x in left), key=lambda x: (len(x), x)))


def _sets(starts: Ints, items: Ids) -> list[frozenset[int]]:
    return [frozenset(items[a:b].tolist()) for a, b in pairwise(starts.tolist())]


def _count(item: int, sets: list[frozenset[int]]) -> int:
    return sum(item in x for x in sets)


def _without(sets: list[frozenset[int]], gone: set[int]) -> list[frozenset[int]]:
    left = {x - gone for x in sets} - {frozenset()}
    return [x for x in left if not any(x < y for y in left)]
