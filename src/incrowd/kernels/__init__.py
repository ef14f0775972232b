"""Hot loops on arrays alone: reference (as the definitions read), cpu (numba) and gpu, same signatures; limits."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import contextmanager
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Literal, TypeVar

import numpy as np

from incrowd.arrays import Ints
from incrowd.errors import ParameterError
from incrowd.progress import tell
from incrowd.threads import Pool

# CPU seconds to compile what a step uses, by `python -m benchmarks compiling` (docs/benchmarks.md says on what).
COMPILE_S = {
    "cleaning": 1,
    "crowds": 1,
    "exposure": 5,
    "gain": 3,
    "glove": 13,
    "link": 2,
    "lkc": 10,
    "matching": 1,
    "recovery_score": 2,
    "sweep": 2,
    "transport": 20,
    "uniqueness": 1,
    "w4m": 1,
}
_chosen = ["cpu"]
Part = TypeVar("Part")
Result = TypeVar("Result")
_LOOK_S = 0.05


def kernel(step: str) -> ModuleType:
    """The kernels of a step, such as uniqueness: the compiled ones, or those chosen by `using`."""
    return import_module(f"incrowd.kernels.{_chosen[-1]}.{step}")


@contextmanager
def using(kernels: Literal["cpu", "reference"]) -> Iterator[None]:
    """Compute with other kernels inside, to compare them; nothing computed outside is reused."""
    _chosen.append(kernels)
    try:
        yield
    finally:
        _chosen.pop()


def chosen() -> str:
    """Which kernels are in use."""
    return _chosen[-1]


def compile_s(step: str) -> float | None:
    """About how many seconds compiling adds to the first use of a step; None if its kernels are compiled already."""
    package = kernel(step)
    modules = [import_module(f"{package.__name__}.{m.name}") for m in iter_modules(getattr(package, "__path__", []))]
    things = [thing for module in (package, *modules) for thing in vars(module).values()]
    caches: list[Any] = [getattr(thing, "_cache", None) for thing in things]
    files = [cache._cache_file for cache in caches if hasattr(cache, "_cache_file")]  # noqa: SLF001
    compiled = any(file._load_index() for file in files)  # noqa: SLF001
    return None if compiled else float(COMPILE_S[step])


class Watch:
    """Tells running kernels to stop once `limit_s` seconds are over or their results outgrow `limit_gib`.

    A kernel that lets go of the interpreter gets two views: stop[0] turns 1 when it should return; in usage[0] it
    keeps how many 4-byte numbers it holds, and in usage[1], if its part takes long, how many millionths are done.
    """

    def __init__(self, *, what: str, advice: str, limit_s: float, limit_gib: float) -> None:
        self.what, self.advice, self.limit_s, self.limit_gib = what, advice, limit_s, limit_gib
        self._deadline = time.monotonic() + limit_s
        self._held = 0
        self._stop = np.zeros(1, np.int64)

    def run(self, work: Callable[[Part, Ints, Ints], Result], parts: Sequence[Part], threads: int) -> list[Result]:
        """work(part, stop, usage) for every part, in order of parts."""
        usage = np.zeros((len(parts), 2), np.int64)
        with Pool(threads) as pool:
            try:
                jobs = [pool.submit(work, part, self._stop, usage[i]) for i, part in enumerate(parts)]
                left = set(jobs)
                while left:
                    done, left = wait(left, _LOOK_S, FIRST_COMPLETED)
                    for job in done:
                        job.result()
                    if left:
                        self._look(int(usage[:, 0].sum()))
                    begun = sum(int(usage[i, 1]) for i, job in enumerate(jobs) if job in left)
                    tell(self.what, len(parts) - len(left) + begun / 1e6, len(parts))
            finally:
                self._stop[0] = bool(left)
                pool.shutdown(cancel_futures=True)
        self._held += int(usage[:, 0].sum())
        return [job.result() for job in jobs]

    def _look(self, held: int) -> None:
        if time.monotonic() > self._deadline:
            limit = f"within {self.limit_s:g} s (limit_s)"
        elif 4 * (self._held + held) > self.limit_gib * 2**30:
            limit = f"within {self.limit_gib:g} GiB (limit_gib)"
        else:
            return
        raise ParameterError(f"{self.what} did not finish {limit}; {self.advice}, or raise the limit.")
