"""Does uniqueness pay on a GPU? The index and the queries of song2014 there, beside the CPU, with the same answers."""

from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed
from benchmarks.uniqueness import USERS, _week
from incrowd.measure.uniqueness.index import index_of

POINTS = 4
QUERY = r"""
extern "C" __global__ void query(
    const long long* starts, const int* postings, const int* known, int points, int queries, int* count
) {
    int q = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (q >= queries) return;
    const int* lists = known + (long long)q * points;
    int least = 0;
    for (int i = 1; i < points; i++)
        if (starts[lists[i] + 1] - starts[lists[i]] < starts[lists[least] + 1] - starts[lists[least]]) least = i;
    int found = 0;
    for (long long at = starts[lists[least]] + lane; at < starts[lists[least] + 1]; at += 32) {
        int user = postings[at];
        bool all = true;
        for (int i = 0; i < points && all; i++) {
            long long low = starts[lists[i]], end = starts[lists[i] + 1], high = end;
            while (low < high) {
                long long middle = (low + high) >> 1;
                if (postings[middle] < user) low = middle + 1;
                else high = middle;
            }
            all = low < end && postings[low] == user;
        }
        found += all;
    }
    found = __reduce_add_sync(0xffffffffu, found);
    if (lane == 0) count[q] = found;
}
"""


def points(users: int = USERS) -> dict[str, Any]:
    """Index and one draw of four points a user; on the GPU with the way there and back."""
    import cupy

    visits = _week(users)
    ic.measure.uniqueness(_week(2000), points=POINTS)
    result: dict[str, Any] = {"users": users, "records": visits.records}
    with timed(result, "cpu_index"):
        index = index_of(visits)
    rng = np.random.default_rng(0)
    at = np.minimum((rng.random((users, POINTS)) * np.diff(visits.offsets)[:, None]).astype(np.int64), 10**9)
    known = index.ids[visits.offsets[:-1, None] + at].astype(np.int32)
    own = np.arange(users)
    with timed(result, "cpu_query"):
        expected = index.count(known, own)
    with timed(result, "cpu_whole"):
        ic.measure.uniqueness(visits, points=POINTS)
    kernel = cupy.RawKernel(QUERY, "query")
    _ask(kernel, *(cupy.asarray(part) for part in (index.starts, index.postings, known[:10])))
    with timed(result, "gpu_send"):
        starts, postings = cupy.asarray(index.starts), cupy.asarray(index.postings)
        cupy.cuda.Device().synchronize()
    with timed(result, "gpu_query"):
        found = _ask(kernel, starts, postings, cupy.asarray(known)).get()
    with timed(result, "gpu_index"):  # from numbered points, without finding the numbers
        ids, owner = (
            cupy.asarray(index.ids),
            cupy.asarray(np.repeat(np.arange(users, dtype=np.int32), np.diff(visits.offsets))),
        )
        order = cupy.argsort(ids, kind="stable")
        same = owner[order]
        cupy.cuda.Device().synchronize()
    result["same"] = bool((found == expected).all() and (same.get() == index.postings).all())
    return result


def _ask(kernel: Any, starts: Any, postings: Any, known: Any) -> Any:
    import cupy

    count = cupy.empty(len(known), np.int32)
    numbers = (np.int32(known.shape[1]), np.int32(len(known)))
    kernel((-(-len(known) // 8),), (256,), (starts, postings, known, *numbers, count))
    return count
