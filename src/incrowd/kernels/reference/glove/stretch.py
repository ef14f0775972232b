"""How far fingerprints must be stretched to look alike, as the definitions read; whole numbers throughout.

A fingerprint is `corners`, one row (t, t end, x, x end, y, y end) per sample in lexicographic order, which is the
canonical order, and the number of people it hides. A stretch is a numerator P over n·m·full(scale), where n people
are hidden in both and m samples are summed over.
"""

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.types import Scale


def outreach(a: Ints, b: Ints, n_a: int, n_b: int) -> tuple[int, int]:
    """Metres (or cells) and minutes by which the people of two samples are stretched [gramaglia2015, Eqs. 4-9]."""
    stretch = []
    for low, high in ((0, 1), (2, 3), (4, 5)):
        union = max(a[high], b[high]) - min(a[low], b[low])
        stretch.append(n_a * (union - (a[high] - a[low])) + n_b * (union - (b[high] - b[low])))
    return int(stretch[1] + stretch[2]), int(stretch[0])


def parts(a: Ints, b: Ints, n_a: int, n_b: int, scale: Scale) -> tuple[int, int]:
    """The weighted and capped share of space and of time in a sample stretch [gramaglia2015, Eqs. 1-3]."""
    space, time = outreach(a, b, n_a, n_b)
    n = n_a + n_b
    return scale.space * min(space, scale.space_cap * n), scale.time * min(time, scale.time_cap * n)


def closest(sample: Ints, others: Ints, n_a: int, n_b: int, scale: Scale, uncapped: bool) -> int:
    """The other sample at the smallest stretch; ties go to the smallest without caps, if so asked, then the first."""
    keys = []
    for j, other in enumerate(others):
        space, time = outreach(sample, other, n_a, n_b)
        beyond = scale.space * space + scale.time * time if uncapped else 0
        keys.append((sum(parts(sample, other, n_a, n_b, scale)), beyond, j))
    return min(keys)[2]


def sample_parts(a: Ints, b: Ints, n_a: int, n_b: int, scale: Scale) -> tuple[Ints, Ints]:
    """Space and time shares of each sample of a at its closest sample of b."""
    pairs = [parts(i, b[closest(i, b, n_a, n_b, scale, False)], n_a, n_b, scale) for i in a]
    space, time = np.array(pairs, np.int64).T
    return space, time


def directed(a: Ints, b: Ints, n_a: int, n_b: int, scale: Scale) -> int:
    """Numerator of the mean stretch of the samples of a to their closest of b."""
    return sum(min(sum(parts(i, j, n_a, n_b, scale)) for j in b) for i in a)


def stretch(a: Ints, b: Ints, n_a: int, n_b: int, scale: Scale) -> tuple[int, bool]:
    """Numerator of the fingerprint stretch, and whether it is a that is summed over [gramaglia2015, Eq. 10].

    Differs from [gramaglia2015]: of two equal lengths the smaller sum counts, so that the stretch is symmetric.
    """
    if len(a) != len(b):
        return (directed(a, b, n_a, n_b, scale), True) if len(a) > len(b) else (directed(b, a, n_b, n_a, scale), False)
    there, back = directed(a, b, n_a, n_b, scale), directed(b, a, n_b, n_a, scale)
    return (there, True) if there <= back else (back, False)
