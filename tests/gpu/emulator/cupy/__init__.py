"""As much of CuPy as the GPU code uses, over NumPy: kernels are compiled by g++ and run by `cuda.hpp`, one at a time.

New arrays hold waste, and each ends where its page of memory does: reading or writing past it ends the process.
"""

import ctypes
import mmap
import re
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

SHIM = Path(__file__).parents[1] / "cuda.hpp"
ALIGN = 16
RNG = np.random.default_rng(0)
int32 = np.int32
LIBC = ctypes.CDLL(None, use_errno=True)


class OnCard(np.ndarray):
    """An array on the card."""

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.ctypes.data)

    def get(self) -> np.ndarray:
        return np.array(self)


def empty(shape: Any, dtype: Any = float) -> Any:
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    size = -(-max(count * dtype.itemsize, 1) // ALIGN) * ALIGN
    pages = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, pages + mmap.PAGESIZE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if LIBC.mprotect(ctypes.c_void_p(base + pages), ctypes.c_size_t(mmap.PAGESIZE), 0):
        raise OSError(ctypes.get_errno(), "mprotect")
    np.frombuffer(memory, np.uint8, pages)[:] = RNG.integers(256)
    whole = np.frombuffer(memory, dtype, count, offset=pages - size)
    return whole.reshape(shape).view(OnCard)


def asarray(values: Any, dtype: Any = None) -> Any:
    return values if isinstance(values, OnCard) and dtype in (None, values.dtype) else array(values, dtype)


def array(values: Any, dtype: Any = None) -> Any:
    values = np.asarray(values, dtype)
    made = empty(values.shape, values.dtype)
    made[...] = values
    return made


def _on_card(name: str) -> Any:
    return lambda *args, **options: array(getattr(np, name)(*args, **options))


zeros, ones, full, arange, append, cumsum, flatnonzero, where, tile, stack, diff = map(
    _on_card, ("zeros", "ones", "full", "arange", "append", "cumsum", "flatnonzero", "where", "tile", "stack", "diff")
)
searchsorted, lexsort = map(_on_card, ("searchsorted", "lexsort"))


def argsort(values: Any) -> Any:
    return array(np.argsort(values, kind="stable"))


class RawModule:
    """Kernels from their source."""

    def __init__(self, code: str, options: tuple[str, ...]) -> None:
        kernels = re.findall(r'extern "C" __global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)\(', code)
        code = re.sub(r"extern __shared__ (\w+) (\w+)\[\];", r"\1* \2 = (\1*)emulator::now->dynamic.data();", code)
        calls = [
            f"static void call_{k}(void** given) {{ emulator::call({k}, given); }}\n"
            f'extern "C" void emulate_{k}(const int* grid, int threads, long shared, void** given, unsigned toss) {{\n'
            f"    emulator::launch(call_{k}, grid, threads, shared, given, toss);\n}}\n"
            f'extern "C" int sizes_{k}(int* bytes) {{ return emulator::sizes({k}, bytes); }}\n'
            for k in kernels
        ]
        with tempfile.TemporaryDirectory() as folder:
            source, library = Path(folder, "kernels.cpp"), Path(folder, "kernels.so")
            source.write_text(f'#include "{SHIM}"\n#line 1 "kernels"\n{code}\n{"".join(calls)}')
            flags = (
                "-O2",
                "-fPIC",
                "-shared",
                "-U_FORTIFY_SOURCE",
                "-Wall",
                "-Werror",
                "-Wno-unknown-pragmas",
                "-Wno-sign-compare",
            )
            subprocess.run(["g++", *flags, *options, "-o", library, source], check=True)
            self.library = ctypes.CDLL(str(library))

    def get_function(self, name: str) -> Any:
        return Kernel(self.library, name)


class Kernel:
    def __init__(self, library: Any, name: str) -> None:
        self.name, self.run = name, getattr(library, f"emulate_{name}")
        sizes = (ctypes.c_int * 64)()
        self.sizes = sizes[: getattr(library, f"sizes_{name}")(sizes)]
        self.max_dynamic_shared_size_bytes = 0

    def __call__(self, grid: tuple[int, ...], block: tuple[int], args: tuple[Any, ...], shared_mem: int = 0) -> None:
        held = [_held(arg) for arg in args]
        sizes = [len(h) for h in held]
        assert sizes == self.sizes, f"{self.name} takes arguments of {self.sizes} bytes, and is given {sizes}"
        at = (ctypes.c_void_p * len(held))(*(ctypes.addressof(h) for h in held))
        x, y = (*grid, 1)[:2]
        self.run((ctypes.c_int * 2)(x, y), block[0], ctypes.c_long(shared_mem), at, int(RNG.integers(1 << 31)))


def _held(arg: Any) -> Any:
    """An argument as bytes: an array of the card by its address, everything else by value."""
    if isinstance(arg, OnCard):
        arg = np.uint64(arg.data.ptr)
    raw = np.asarray(arg).tobytes()
    return (ctypes.c_char * len(raw)).from_buffer_copy(raw)


POOL = SimpleNamespace(free_bytes=lambda: 0, free_all_blocks=lambda: None, total_bytes=lambda: 0)


def get_default_memory_pool() -> Any:
    return POOL


cuda = SimpleNamespace(
    memory=SimpleNamespace(OutOfMemoryError=type("OutOfMemoryError", (Exception,), {})),
    set_allocator=lambda *_: None,
    get_current_stream=lambda: SimpleNamespace(synchronize=lambda: None),
    Device=lambda: SimpleNamespace(
        id=0, compute_capability="90", attributes={"MultiProcessorCount": 6}, synchronize=lambda: None
    ),
    runtime=SimpleNamespace(
        CUDARuntimeError=RuntimeError,
        getDeviceCount=lambda: 1,
        getDeviceProperties=lambda _: {"name": b"emulated"},
        memGetInfo=lambda: (1 << 33, 1 << 33),
    ),
)
