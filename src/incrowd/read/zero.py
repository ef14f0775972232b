"""What is said of records at (0, 0), where devices write records that have no position."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from incrowd.errors import IncrowdWarning
from incrowd.plain import several

_later: ContextVar[bool] = ContextVar("later", default=False)


def warn_of_zero(count: int) -> None:
    """Warn that so many records at (0, 0) are kept as any other place; the same words wherever they are."""
    if count and not _later.get():
        records, them = (several(count, "record"), "them") if count > 1 else ("1 record", "it")
        warnings.warn(
            f"{records} {'are' if count > 1 else 'is'} at (0, 0), which is often written if a device has no position; "
            f"incrowd clean --drop-zero (incrowd.clean.outside) removes {them}.",
            IncrowdWarning,
            stacklevel=3,
        )


@contextmanager
def zero_told_later() -> Iterator[None]:
    """Read without that warning, for a step that says itself what becomes of such records."""
    token = _later.set(True)
    try:
        yield
    finally:
        _later.reset(token)
