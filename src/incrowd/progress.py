"""Long work tells how far it is, a command what it found; who calls may listen, and need not.

>>> with listening(lambda label, done, total: print(label, done, total)):
...     squares = [i * i for i in track(range(2), "squaring")]
squaring 0 2
squaring 1 2
squaring 2 2
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import RLock
from typing import Any, TypeVar

Listener = Callable[[str, float, float], None]  # label, done, total
Reader = Callable[[Any], None]  # a section of an answer
T = TypeVar("T")
COMPILING = "compiling kernels, once"  # the label under which kernels tell that they are compiled

_one_at_a_time = RLock()
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_reader: ContextVar[Reader | None] = ContextVar("reader", default=None)


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
    """Say how much of the work under this label is done; a listener hears one thread at a time."""
    listener = _listener.get()
    if listener is not None:
        with _one_at_a_time:
            listener(label, done, total)


def track(items: Iterable[T], label: str, total: float | None = None) -> Iterator[T]:
    """Pass items through and tell after each."""
    total = total if total is not None else len(items)  # type: ignore[arg-type]
    tell(label, 0, total)
    for done, item in enumerate(items, 1):
        yield item
        tell(label, done, total)


@contextmanager
def reading_along(reader: Reader) -> Iterator[None]:
    """Send the section that a command inside answers with to the reader, too."""
    token = _reader.set(reader)
    try:
        yield
    finally:
        _reader.reset(token)


def answered(section: Callable[[], Any]) -> None:
    """Pass the section of an answer on to whoever reads along; it is made only then."""
    reader = _reader.get()
    if reader is not None:
        reader(section())
