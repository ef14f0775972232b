"""Is there a GPU, and does the work fit into its memory?"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec

from incrowd.errors import MissingExtra, ParameterError

GIB = 1 << 30
OLDEST = 75  # compute capability 7.5, the oldest the kernels were compiled for


class NoRoom(ParameterError):
    """The GPU cannot hold what it was given; a CPU may."""


@cache
def missing() -> str:
    """Why there is no GPU to use, as one sentence; empty where there is one."""
    if find_spec("cupy") is None:
        return "device 'gpu' needs CuPy; run: pip install 'incrowd[gpu]'."
    try:
        import cupy
    except ImportError:
        return "device 'gpu' needs CuPy, which is installed but does not load; reinstall it for your CUDA."
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        count = 0
    if not count:
        return "device 'gpu' needs an NVIDIA GPU and its driver, and none answers; pass device='cpu'."
    capability = int(cupy.cuda.Device().compute_capability)
    if capability < OLDEST:
        return f"device 'gpu' needs compute capability 7.5, and this GPU has {capability / 10}; pass device='cpu'."
    return ""


def check_gpu() -> None:
    """Refuse where no GPU can be used."""
    if missing():
        raise MissingExtra(missing())


def name() -> str:
    """The GPU in its maker's words."""
    import cupy

    gpu_name: str = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()
    return gpu_name


def free_bytes() -> int:
    """Memory that can still be taken."""
    import cupy

    pool = cupy.get_default_memory_pool()
    return int(cupy.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())


def check_room(needed: int, users: int) -> None:
    """Refuse what the card cannot hold, before anything is sent there."""
    if needed > free_bytes():
        raise NoRoom(f"{_room(users)} about {needed / GIB:.1f} GiB")


@contextmanager
def within_memory(users: int, way_out: str) -> Iterator[None]:
    """End the sentence about what the card cannot hold with a way out, be it foreseen or met while it runs."""
    import cupy

    try:
        yield
    except NoRoom as error:
        raise NoRoom(f"{error}; {way_out}.") from None
    except cupy.cuda.memory.OutOfMemoryError:
        raise NoRoom(f"{_room(users)} more; {way_out}.") from None


def _room(users: int) -> str:
    return f"the GPU has {free_bytes() / GIB:.1f} GiB free, and these {users:,} fingerprints need"
