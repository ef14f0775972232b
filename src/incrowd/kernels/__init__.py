"""Hot loops on arrays alone: reference (plain, as the definitions read), cpu (numba) and gpu, same signatures."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Literal

# CPU seconds to compile what a step uses: cold less warm, on two cores of a 2026 server, Python 3.11, numba 0.62.
COMPILE_S = {"glove": 19, "lkc": 16, "sweep": 4, "transport": 25, "uniqueness": 2}
_chosen = ["cpu"]


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
    compiled = any(Path(file._index_path).exists() for file in files)  # noqa: SLF001
    return None if compiled else float(COMPILE_S[step])
