"""One kernel call per block of rows, on all cores: compiled kernels let go of the interpreter while they run."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def in_blocks(work: Callable[[slice], None], size: int, *, block: int) -> None:
    """Do the work slice by slice; one slice runs where it is, so that small work costs no threads.

    >>> sums = [0] * 3
    >>> def work(part):
    ...     sums[part.start // 4] = sum(range(part.start, part.stop))
    >>> in_blocks(work, 10, block=4)
    >>> sums
    [6, 22, 17]
    """
    parts = [slice(a, min(a + block, size)) for a in range(0, size, block)]
    if len(parts) == 1:
        work(parts[0])
    elif parts:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(work, parts))
