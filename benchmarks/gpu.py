"""GLOVE and the k-gap on a GPU beside the CPU, and how near the card is to its limit: `python3 -m benchmarks.gpu`.

It needs numpy, scipy, numba and CuPy alone, and writes one JSON line a case.
"""

import functools
import json
import multiprocessing
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed
from benchmarks.gpu_points import points
from incrowd.anonymize.glove import Glove
from incrowd.kernels.gpu.device import missing, name
from incrowd.kernels.gpu.source import digest
from incrowd.measure.glove import kgap, tails
from incrowd.measure.glove.stretch import layout

TOWERS, DAYS = 1200, 14
DENSE = 19.4  # records a day that leave 223 samples in two weeks; the paper's have 217
PAPER_PAIRS = 50_000  # fingerprint pairs a second on its GPU [gramaglia2015, Sec. 6.3]
SPARSE = 7.4  # records a day that leave 94 samples; those of the paper's larger data have 92


@functools.cache
def calls(users: int, records_a_day: float | None = None) -> ic.Fingerprints:
    """What ic.read.synthetic_city gives for the profile cdr, made by all cores."""
    from incrowd.read.city import CHUNK_CELLS, City, _people
    from incrowd.read.city.people import PROFILES, SLOTS, lay_out

    kind = PROFILES["cdr"]
    if records_a_day is not None:
        kind = replace(kind, records_a_day=records_a_day)
    chunk = max(1, CHUNK_CELLS // (DAYS * SLOTS))
    sizes = [min(chunk, users - first) for first in range(0, users, chunk)]
    first, *others = (np.random.default_rng(s) for s in np.random.SeedSequence(0).spawn(1 + len(sizes)))
    ground = lay_out(kind, TOWERS, first)
    tasks = [(kind, ground, size, DAYS, rng) for size, rng in zip(sizes, others, strict=True)]
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        parts = pool.starmap(_people, tasks)
    home, work, count, second, place = (np.concatenate(column) for column in zip(*parts, strict=True))
    offsets = np.concatenate([[0], np.cumsum(count)])
    start = 1_704_067_200
    return City("cdr", 0, DAYS, 0.0, ground.xy, home, work, offsets, second + start, place, None).fingerprints()


def _sizes(data: ic.Fingerprints) -> dict[str, Any]:
    size = np.diff(data.offsets).astype(float)
    return {
        "users": len(data),
        "samples": data.records,
        "mean_length": data.records / len(data),
        "pairs": len(data) * (len(data) - 1) / 2,
        "sample_pairs": float((size.sum() ** 2 - (size**2).sum()) / 2),
    }


def _rates(result: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Unordered pairs a second, those of Algorithm 1's first table, and the sample pairs behind them."""
    return {
        **result,
        "pairs_per_s": result["pairs"] / seconds,
        "times_the_paper": result["pairs"] / seconds / PAPER_PAIRS,
        "sample_pairs_per_s": result["sample_pairs"] / seconds,
    }


def _warm() -> None:
    few = calls(300)
    for k in (2, 3):
        Glove(k=k, device="gpu")(few)
    kgap(few, device="gpu")


def gap(users: int, k: int = 2) -> dict[str, Any]:
    data = calls(users, DENSE)
    _warm()
    result = {"k": k, **_sizes(data)}
    with timed(result, "kgap"):
        gaps = kgap(data, k=k, device="gpu")
    return _rates({**result, "exact": gaps.exact_pairs, "compared": gaps.compared}, result["kgap_s"])


def hidden(users: int, k: int, records_a_day: float = DENSE) -> dict[str, Any]:
    import cupy

    data = calls(users, records_a_day)
    _warm()
    result = {"k": k, **_sizes(data)}
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    with timed(result, "glove"):
        release = Glove(k=k, device="gpu")(data)
    result["gpu_mib"] = pool.total_bytes() >> 20
    work = {f"work_{name}": value for name, value in release.provenance["work"].items()}
    return _rates({**result, **work, "groups": len(release.data)}, result["glove_s"])


def beside_cpu(users: int = 8000, k: int = 2) -> dict[str, Any]:
    """Both on the same data in the same run, and the same result."""
    data = calls(users)
    _warm()
    kgap(calls(300), device="cpu")
    Glove(k=k, device="cpu")(calls(300))
    result: dict[str, Any] = {"k": k, "cores": os.cpu_count(), **_sizes(data)}
    found: dict[str, Any] = {}
    for device in ("cpu", "gpu"):
        with timed(result, f"kgap_{device}"):
            found[device] = kgap(data, device=device)
        with timed(result, f"glove_{device}"):
            found[f"glove_{device}"] = Glove(k=k, device=device)(data)
    same = found["glove_cpu"].provenance["merges"] == found["glove_gpu"].provenance["merges"]
    result["same"] = same and bool((found["cpu"].value == found["gpu"].value).all())
    for what in ("kgap", "glove"):
        result[f"{what}_ratio"] = result[f"{what}_cpu_s"] / result[f"{what}_gpu_s"]
    return result


def tail(users: int = 20_000) -> dict[str, Any]:
    data = calls(users)
    tails(calls(300), device="gpu")
    result = _sizes(data)
    with timed(result, "tails"):
        tails(data, device="gpu")
    return result


BRUTE = r"""
extern "C" __global__ void brute(const int* t, const int* x, const int* y, const int2* pair, int size, int* out) {
    extern __shared__ int other[];
    const int a = pair[blockIdx.x].x * size, b = pair[blockIdx.x].y * size;
    for (int j = threadIdx.x; j < size; j += blockDim.x) {
        other[3 * j] = t[b + j], other[3 * j + 1] = x[b + j], other[3 * j + 2] = y[b + j];
    }
    __syncthreads();
    int sum = 0;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        int ti = t[a + i], xi = x[a + i], yi = y[a + i], best = 1 << 30;
        for (int j = 0; j < size; j++) {
            int space = abs(other[3 * j + 1] - xi) + abs(other[3 * j + 2] - yi), time = abs(other[3 * j] - ti);
            best = min(best, 12 * min(space, 200) + 5 * min(time, 480));
        }
        sum += best;
    }
    atomicAdd(out + blockIdx.x, sum);
}
"""
PEAK = r"""
extern "C" __global__ void peak(int* out, int n) {
    int a[8];
    for (int i = 0; i < 8; i++) a[i] = threadIdx.x + i * n;
    for (int r = 0; r < n; r++)
        for (int i = 0; i < 8; i++) a[i] = max(a[i] + r, a[(i + 1) & 7]);
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += a[i];
    if (sum == 12345) out[0] = sum;
}
"""


def limit() -> dict[str, Any]:
    """What the card can do at most: additions and maxima, bytes copied, and samples compared by brute force."""
    import cupy

    result: dict[str, Any] = {}
    kernel, out = cupy.RawKernel(PEAK, "peak"), cupy.zeros(1, np.int32)
    blocks, rounds = 132 * 16, 20_000
    seconds = _events(lambda: kernel((blocks,), (256,), (out, np.int32(rounds))))
    result["int_ops_per_s"] = blocks * 256 * rounds * 16 / seconds  # an addition and a maximum
    one, two = cupy.empty(1 << 28, np.int32), cupy.empty(1 << 28, np.int32)
    seconds = _events(lambda: cupy.copyto(two, one))
    result["copied_bytes_per_s"] = 2 * one.nbytes / seconds
    size, pairs = 224, 400_000
    columns = [cupy.random.randint(0, 20_000, 2000 * size, dtype=np.int32) for _ in range(3)]
    some = cupy.random.randint(0, 2000, (pairs, 2), dtype=np.int32)
    sums, brute = cupy.zeros(pairs, np.int32), cupy.RawKernel(BRUTE, "brute")
    call = ((pairs,), (224,), (*columns, some, np.int32(size), sums))
    seconds = _events(lambda: brute(*call, shared_mem=12 * size))
    result["brute_pairs_per_s"], result["brute_sample_pairs_per_s"] = pairs / seconds, pairs * size**2 / seconds
    return result


def phases(users: int = 82_000, records_a_day: float = DENSE) -> dict[str, Any]:
    """Where the seconds of a run go: laying out, one search of all, the rest."""
    import cupy

    from incrowd.kernels.gpu.glove.nearest import Crowd, search
    from incrowd.kernels.gpu.glove.prints import prints_of

    data = calls(users, records_a_day)
    _warm()
    result = _sizes(data)
    with timed(result, "layout"):
        laid = layout(data)
    with timed(result, "fill"):
        prints = prints_of(laid.corners, laid.offsets, laid.people, laid.scale)
        cupy.cuda.Device().synchronize()
    crowd = Crowd(prints, cupy.arange(len(data)), prints.rank())
    work = cupy.zeros(5, np.uint64)
    seconds = _events(lambda: search(prints, crowd.slots, crowd, 4, below=False, work=work), once=True)
    counts = dict(zip(("pairs", "near", "close", "exact", "compared"), work.get().tolist(), strict=True))
    result["search_s"] = seconds
    return {
        **result,
        **{f"search_{k}": v for k, v in counts.items()},
        "pairs_looked_at_per_s": counts["pairs"] / seconds,
    }


def _events(action: Any, *, once: bool = False) -> float:
    """Seconds between two events of the device; the median of five unless it is long."""
    import cupy

    if not once:
        action()
    taken = []
    for _ in range(1 if once else 5):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        action()
        end.record()
        end.synchronize()
        taken.append(cupy.cuda.get_elapsed_time(start, end) / 1000)
    return float(np.median(taken))


_ALL: dict[str, Callable[[], dict[str, Any]]] = {
    "limit": limit,
    "phases_82000": phases,
    "kgap_82000": functools.partial(gap, 82_000),
    "k2_82000": functools.partial(hidden, 82_000, 2),
    "k5_82000": functools.partial(hidden, 82_000, 5),
    "beside_cpu_8000": beside_cpu,
    "tails_20000": tail,
    "uniqueness": points,
    "k2_320000_sparse": functools.partial(hidden, 320_000, 2, SPARSE),
    "k2_1000000_sparse": functools.partial(hidden, 1_000_000, 2, SPARSE),
}
CASES = {} if missing() else _ALL  # `make bench` leaves them out where there is no GPU


def main() -> None:
    if missing():
        sys.exit(missing())
    wanted = [n for n in CASES if not sys.argv[1:] or any(n.startswith(w) for w in sys.argv[1:])]
    for case in wanted:
        result = CASES[case]()
        rounded = {k: round(v, 3) if isinstance(v, float) else v for k, v in result.items()}
        print(json.dumps({"case": f"gpu.{case}", **rounded, "device": name(), "sources": digest()}), flush=True)


if __name__ == "__main__":
    main()
