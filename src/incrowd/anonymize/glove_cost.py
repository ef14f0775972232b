"""What a GLOVE run will take, before it is started."""

import time
from dataclasses import dataclass

import numpy as np

from incrowd.anonymize.glove_greedy import expected_pairs
from incrowd.data import Fingerprints
from incrowd.errors import check_whole
from incrowd.measure.kgap import check_k
from incrowd.measure.stretch import layout

ROWS = 64
MIB = 1 << 20
SAMPLE_BYTES = 260  # corners, columns for search, provenance and published boxes, of one sample
USER_BYTES = 1200  # outline, lists and merge of one fingerprint


@dataclass(frozen=True)
class Cost:
    """About how much a run looks at and takes; memory is on top of the fingerprints themselves."""

    users: int
    samples: int
    k: int
    pairs: int
    seconds: float
    memory_mib: int

    def __str__(self) -> str:
        took = f"{self.seconds / 60:.0f} min" if self.seconds > 120 else f"{self.seconds:.0f} s"
        return f"{self.users:,} users, {self.samples:,} samples, k={self.k}: about {took}, {self.memory_mib:,} MiB"


def glove_cost(fingerprints: Fingerprints, *, k: int = 2, rows: int = ROWS) -> Cost:
    """Time the search for the nearest of a few users, and scale it up to all pairs a run looks at.

    >>> four = Fingerprints.from_arrays([1, 2, 3, 4], x=[0, 0, 1000, 0], y=[0, 0, 0, 0], t=[0, 40, 20, 400])
    >>> glove_cost(four).pairs
    20
    """
    from incrowd.anonymize.glove_lists import TAKE
    from incrowd.kernels.cpu.neighbours import nearest
    from incrowd.kernels.cpu.prints import prints_of

    check_k(k)
    check_whole(rows=rows)
    laid = layout(fingerprints)
    prints = prints_of(laid.corners, laid.offsets, laid.people, laid.scale)
    everybody = np.arange(len(fingerprints))
    asked = np.random.default_rng(0).permutation(everybody)[: int(rows)]
    nearest(prints, asked[:2], everybody[:2], TAKE, False)  # compiled or loaded now, not while the clock runs
    began = time.perf_counter()
    nearest(prints, asked, everybody, TAKE, False)
    per_pair = (time.perf_counter() - began) / (len(asked) * len(everybody))
    pairs = expected_pairs(int((laid.people < k).sum()), k)
    memory = fingerprints.records * SAMPLE_BYTES + len(fingerprints) * USER_BYTES + prints.silence.nbytes
    return Cost(len(fingerprints), fingerprints.records, k, int(pairs), pairs * per_pair, memory // MIB)
