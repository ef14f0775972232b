"""CUDA sources -> compiled kernels, one set for 32-bit and one for 64-bit costs; the hash a receipt carries."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
THREADS, WARPS = 256, 8  # of a block
TAKE, AHEAD, SEEDS, PICKERS = 4, 16, 32, 256  # of Algorithm 1; f_greedy.cuh says what they are
STATES, CHARTERS = 96, 8
COMMON_SHARED = 8 << 10  # bytes that a kernel may ask for on top of its own without being allowed to
SIDE = 45  # strips of regions, and regions in a strip
MOST_LONGER, MINUTES = 512, 2  # longer bins of silence, and the unit of their bytes
KEY_BYTES, ENTRY_BYTES, CHART_BYTES = 32, 24, 8 * SIDE**2 + 8 + 2 * MOST_LONGER + 32
SHARED = (  # with the kernels
    *("THREADS", "WARPS", "TAKE", "AHEAD", "SEEDS", "PICKERS", "STATES", "CHARTERS", "SIDE", "MOST_LONGER", "MINUTES"),
    *("KEY_BYTES", "ENTRY_BYTES", "CHART_BYTES"),
)
HOST = ("anonymize/glove/gpu.py", "measure/glove/gpu.py", "kernels/reference/glove/stretch.py")  # what drives them


def sources() -> list[Path]:
    """All files that decide what runs on the GPU, in order."""
    kernels = sorted([*HERE.rglob("*.py"), *(HERE / "cuda").glob("*.cuh")])
    return [*kernels, *(HERE.parents[1] / path for path in HOST)]


def digest() -> str:
    """A hash of the GPU sources; it changes with every edit."""
    sha = hashlib.sha256()
    for path in sources():
        sha.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return sha.hexdigest()


@cache
def module(wide: bool) -> Any:
    """The compiled kernels; CuPy keeps the binaries on disk."""
    import cupy

    text = "".join(path.read_text() for path in sorted((HERE / "cuda").glob("*.cuh")))
    return cupy.RawModule(code=text, options=options(wide))


def options(wide: bool) -> tuple[str, ...]:
    """How the kernels are compiled."""
    return "-std=c++17", f"-DWIDE={int(wide)}", *(f"-D{name}={globals()[name]}" for name in SHARED)


def launch(wide: bool, kernel: str, blocks: int | tuple[int, ...], args: tuple[Any, ...], **options: Any) -> None:
    """Queue a kernel with so many blocks; `threads` and `shared` (bytes) may be given."""
    threads, shared = options.get("threads", THREADS), options.get("shared", 0)
    grid = blocks if isinstance(blocks, tuple) else (blocks,)
    if grid[0]:
        called = function(wide, kernel)
        if shared > COMMON_SHARED:
            called.max_dynamic_shared_size_bytes = shared
        called(grid, (threads,), args, shared_mem=shared)


@cache
def function(wide: bool, kernel: str) -> Any:
    """One kernel, looked up once."""
    return module(wide).get_function(kernel)
