"""How long work of many like parts will take, said once the first part is done."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from incrowd import progress
from incrowd.cli.screen import note
from incrowd.plain import in_words, several


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
            note(f"{several(left, one)} more, {in_words(left * each)} if each takes as long as the first")

    with progress.listening(hear):
        yield
