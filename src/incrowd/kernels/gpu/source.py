"""CUDA sources -> compiled kernels, one set for 32-bit and one for 64-bit costs; the hash a receipt carries."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
THREADS = 256


def sources() -> list[Path]:
    """All files that decide what runs on the GPU, in order."""
    kernels = sorted([*HERE.glob("*.py"), *(HERE / "cuda").glob("*.cuh")])
    return [*kernels, HERE.parents[1] / "anonymize" / "glove_card.py"]


def digest() -> str:
    """A hash of the GPU sources; it changes with every edit."""
    found = hashlib.sha256()
    for path in sources():
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


@cache
def module(wide: bool) -> Any:
    """The compiled kernels; CuPy keeps the binaries on disk."""
    import cupy

    text = "".join(path.read_text() for path in sorted((HERE / "cuda").glob("*.cuh")))
    return cupy.RawModule(code=text, options=("-std=c++17", f"-DWIDE={int(wide)}"))


def launch(wide: bool, kernel: str, blocks: int | tuple[int, ...], args: tuple[Any, ...], **options: Any) -> None:
    """Queue a kernel with so many blocks; `threads` and `shared` (bytes) may be given."""
    threads, shared = options.get("threads", THREADS), options.get("shared", 0)
    grid = blocks if isinstance(blocks, tuple) else (blocks,)
    if grid[0]:
        function(wide, kernel)(grid, (threads,), args, shared_mem=shared)


@cache
def function(wide: bool, kernel: str) -> Any:
    """One kernel, looked up once."""
    return module(wide).get_function(kernel)
