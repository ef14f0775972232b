"""How long work of many like parts will take, said once the first part is done."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from incrowd import progress
from incrowd.cli.screen import note
from incrowd.plain import several


@contextmanager
def foretelling(label: str, one: str, *, spent_s: float = 0.0) -> Iterator[None]:
    """Say how many parts under a label of progress are left, and how long they take if all are like the first.

    `spent_s` is what of the first part was done before. The first part also loads the code, so little work is
    overestimated.
    """
    outer, begun = progress.current(), [time.monotonic()]

    def hear(name: str, done: float, total: float) -> None:
        if outer is not None:
            outer(name, done, total)
        if name == label and done == 0:
            begun[0] = time.monotonic()
        if name == label and done == 1 and total > 1:
            left, each = int(total) - 1, spent_s + time.monotonic() - begun[0]
            note(f"{several(left, one)} more, {lasting(left * each)} if each takes as long as the first")

    with progress.listening(hear):
        yield


def lasting(seconds: float) -> str:
    """A time as a person says it.

    >>> lasting(0.3), lasting(75), lasting(900), lasting(9000)
    ('1 s', '75 s', '15 min', '2.5 h')
    """
    if seconds < 120:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
