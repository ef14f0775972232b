"""How long work of many like parts will take, said once the second part is done."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from incrowd import progress
from incrowd.cli.screen import note
from incrowd.plain import in_words, several


@contextmanager
def foretelling(label: str, one: str) -> Iterator[None]:
    """Say how many parts under a label of progress are left, and how long they take if all are like the second.

    The first part also loads and compiles the code, or was done before.
    """
    outer, begun = progress.current(), [time.monotonic()]

    def hear(name: str, done: float, total: float) -> None:
        if outer is not None:
            outer(name, done, total)
        if name == label and done == 1:
            begun[0] = time.monotonic()
        if name == label and done == 2 and total > 2:
            left, each = int(total) - 2, time.monotonic() - begun[0]
            note(f"{several(left, one)} more, {in_words(left * each)} if each takes as long as the last")

    with progress.listening(hear):
        yield
