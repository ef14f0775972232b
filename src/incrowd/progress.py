"""Long work tells how far it is; the command line listens, a library caller need not.

>>> with listening(lambda label, done, total: print(label, done, total)):
...     squares = [i * i for i in track(range(2), "squaring")]
squaring 0 2
squaring 1 2
squaring 2 2
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Listener = Callable[[str, float, float], None]  # label, done, total
T = TypeVar("T")
JOB = "INCROWD_JOB"  # of the environment: the folder where a command of the studio leaves its progress and sections
COMPILING = "compiling kernels, once"  # the label under which kernels tell that they are compiled

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send the progress of everything inside to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def current() -> Listener | None:
    """Who listens now, for a listener that passes on what it hears."""
    return _listener.get()


def tell(label: str, done: float, total: float) -> None:
    """Say how much of the work under this label is done."""
    listener = _listener.get()
    if listener is not None:
        listener(label, done, total)


def track(items: Iterable[T], label: str, total: float | None = None) -> Iterator[T]:
    """Pass items through and tell after each."""
    total = total if total is not None else len(items)  # type: ignore[arg-type]
    tell(label, 0, total)
    for done, item in enumerate(items, 1):
        yield item
        tell(label, done, total)
