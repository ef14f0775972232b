"""Work on several threads under a limit of time and memory; a caller's interrupt ends it too."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np

from incrowd.arrays import Ints
from incrowd.errors import ParameterError
from incrowd.progress import tell

Part = TypeVar("Part")
Result = TypeVar("Result")

_LOOK_S = 0.05


class Watch:
    """Tells running kernels to stop once `limit_s` seconds are over or their results outgrow `limit_gib`.

    A kernel that lets go of the interpreter gets two views: stop[0] turns 1 when it should return, and in usage[0]
    it keeps how many 4-byte numbers it holds.
    """

    def __init__(self, *, what: str, advice: str, limit_s: float, limit_gib: float) -> None:
        self.what, self.advice, self.limit_s, self.limit_gib = what, advice, limit_s, limit_gib
        self._deadline = time.monotonic() + limit_s
        self._held = 0
        self._stop = np.zeros(1, np.int64)

    def run(self, work: Callable[[Part, Ints, Ints], Result], parts: Sequence[Part], threads: int) -> list[Result]:
        """work(part, stop, usage) for every part, in order of parts."""
        counts = np.zeros((len(parts), 1), np.int64)
        with ThreadPoolExecutor(threads) as pool:
            try:
                jobs = [pool.submit(work, part, self._stop, counts[i]) for i, part in enumerate(parts)]
                left = set(jobs)
                while left:
                    done, left = wait(left, _LOOK_S, FIRST_COMPLETED)
                    for job in done:
                        job.result()
                    if left:
                        self._look(int(counts.sum()))
                    tell(self.what, len(parts) - len(left), len(parts))
            finally:
                self._stop[0] = bool(left)
                pool.shutdown(cancel_futures=True)
        self._held += int(counts.sum())
        return [job.result() for job in jobs]

    def _look(self, held: int) -> None:
        if time.monotonic() > self._deadline:
            limit = f"within {self.limit_s:g} s (limit_s)"
        elif 4 * (self._held + held) > self.limit_gib * 2**30:
            limit = f"within {self.limit_gib:g} GiB (limit_gib)"
        else:
            return
        raise ParameterError(f"{self.what} did not finish {limit}; {self.advice}, or raise the limit.")
