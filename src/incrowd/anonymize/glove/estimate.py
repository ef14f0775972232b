"""What a GLOVE run will take, before it is started."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.anonymize.glove.herd import TAKE, pairs_by_scan
from incrowd.anonymize.glove.release import shards
from incrowd.data import Fingerprints
from incrowd.errors import check_whole, public
from incrowd.estimate import MIB, Estimate
from incrowd.kernels import compile_s
from incrowd.measure.glove.stretch import CornerTable, check_k, extent_of
from incrowd.plain import several
from incrowd.show import Result, Section
from incrowd.threads import threads

TIMED_USERS = 64
ENOUGH_S = 0.5  # of searching tell how long a pair takes; of long fingerprints few users do
TIMED = 8  # shards that are timed
SAMPLE_BYTES = 260  # corners, columns for search, provenance and published boxes, of one sample
USER_BYTES = 1200  # outline, lists and merge of one fingerprint
WIDER = 1.9  # times as long as a first pair, one with a merged fingerprint: its wide boxes rule out fewer
SAMPLE_S = 3.8e-6  # merged, resolved and written, on one core


@dataclass(frozen=True, kw_only=True)
class GloveEstimate(Estimate, Result):
    """About how much a run looks at and takes on a CPU; memory is on top of the fingerprints themselves."""

    bytes: int
    users: int
    samples: int
    k: int
    pairs: int
    shards: int = 1
    device: str = "cpu"  # where it will run

    @property
    def memory_mib(self) -> int:
        """The memory in whole MiB."""
        return self.bytes // MIB

    def section(self) -> Section:
        """What a run takes, in one line."""
        parts = f" in {self.shards:,} shards" if self.shards > 1 else ""
        sizes = f"{several(self.users, 'user')}{parts}, {several(self.samples, 'sample')}, k = {self.k}"
        sooner = "; the GPU is faster" if self.device == "gpu" else ""
        answer = f"{sizes}: {self.about} on the CPU{sooner}"
        return Section("How long will GLOVE take?", answer, data=self)

    def to_dict(self) -> dict[str, Any]:
        """The fields, and the memory in MiB."""
        return {**super().to_dict(), "memory_mib": self.memory_mib}


@public
def glove_estimate(
    fingerprints: Fingerprints, *, k: int = 2, timed_users: int = TIMED_USERS, shard_users: int | None = None
) -> GloveEstimate:
    """About how long a run of GLOVE takes on this machine, and how much memory.

    The search for the nearest of a few users is timed and scaled up to all pairs a run looks at: seconds = per_pair
    (first / cores + 1.9 later) + 3.8e-6 samples, summed over shards. The first lists are made on all cores, a merged
    fingerprint looks for its nearest on one, and merging touches every sample a few times. `ties` makes no difference
    that could be measured.

    Args:
        fingerprints: Fingerprints of people.
        k: People who must share every published fingerprint.
        timed_users: Most users that are timed in each shard.
        shard_users: Most users in a shard. [default: one shard]

    >>> four = Fingerprints.from_arrays([1, 2, 3, 4], x=[0, 0, 1000, 0], y=[0, 0, 0, 0], t=[0, 40, 20, 400])
    >>> glove_estimate(four).pairs
    20
    """
    return glove_estimates(fingerprints, k=[k], timed_users=timed_users, shard_users=shard_users)[0]


def glove_estimates(
    fingerprints: Fingerprints, *, k: Sequence[int], timed_users: int = TIMED_USERS, shard_users: int | None = None
) -> list[GloveEstimate]:
    """The estimates of several k, the search timed once for all of them."""
    for size in k:
        check_k(size)
    check_whole(timed_users=timed_users)
    if shard_users is not None:
        check_whole(shard_users=shard_users)
    extent, compiling = extent_of(fingerprints), compile_s("glove")
    parts = shards(fingerprints, extent, None if shard_users is None else int(shard_users))
    sampled = parts[:: -(-len(parts) // TIMED)]
    timed = [_timed(extent.table(fingerprints, part), int(timed_users)) for part in sampled]
    per_pair = sum(cpu for cpu, _, _ in timed) / sum(pairs for _, pairs, _ in timed)
    memory = fingerprints.records * SAMPLE_BYTES + len(fingerprints) * USER_BYTES + max(index for _, _, index in timed)
    estimates = []
    for size in k:
        active = [int((fingerprints.crowd[part] < size).sum()) for part in parts]
        first, later = np.sum([pairs_by_scan(n, size) for n in active], axis=0)
        seconds = per_pair * (first / threads() + WIDER * later) + SAMPLE_S * fingerprints.records
        estimate = GloveEstimate(
            seconds=float(seconds),
            compile_s=compiling,
            bytes=memory,
            users=len(fingerprints),
            samples=fingerprints.records,
            k=size,
            pairs=int(first + later),
            shards=len(parts),
        )
        estimates.append(estimate)
    return estimates


def _timed(laid: CornerTable, users: int) -> tuple[float, int, int]:
    """CPU seconds of a few searches, the pairs they look at, and the bytes of the index; CPU, not the wall clock,
    which would count what else the machine does.
    """
    from incrowd.kernels.cpu.glove.nearest import nearest
    from incrowd.kernels.cpu.glove.prints import prints_of

    prints = prints_of(laid.corners, laid.offsets, laid.people, laid.scale)
    everybody = np.arange(len(laid.people))
    rows = np.random.default_rng(0).permutation(everybody)[:users]
    nearest(prints, rows[:2], everybody[:2], TAKE, False)  # compiled or loaded now, not while the clock runs
    cpu, done = 0.0, 0
    while done < len(rows) and cpu < ENOUGH_S:
        batch = rows[done : 2 * done + 2]  # twice as many each time
        began = time.process_time()
        nearest(prints, batch, everybody, TAKE, False)
        cpu, done = cpu + time.process_time() - began, done + len(batch)
    return cpu, done * len(everybody), prints.quiet.nbytes + prints.coarse.nbytes
