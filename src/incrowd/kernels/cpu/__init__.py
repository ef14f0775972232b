"""The same functions as kernels.reference, compiled by numba."""

import atexit
import gc
import hashlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from numba import config, njit, set_num_threads
from numba.core.event import Event, Listener, register
from numba.extending import register_jitable

from incrowd.errors import IncrowdWarning
from incrowd.kernels import COMPILE_S
from incrowd.plain import about
from incrowd.progress import COMPILING, tell
from incrowd.threads import threads

# All kernels have the same options, because numba compiles its own functions anew for each set of them. Nothing divides
# by zero, so that no branch looks for it, and nobody takes a pointer to a function of numba.
_njit = njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
# What only kernels call: the half of its compile time would go into what unpacks the arguments of a call from Python.
# Python can still call it, uncompiled.
helper = register_jitable(no_cfunc_wrapper=True, error_model="numpy")


def _sources(place: Any) -> Iterator[bytes]:
    """What the Python files of a folder hold, in order; the package may be in a zip file."""
    if place.is_file():
        yield place.read_bytes() if place.name.endswith(".py") else b""
    else:
        for inside in sorted(place.iterdir(), key=lambda each: str(each.name)):
            yield from _sources(inside)


# All that kernels are made of: their files, and those whose constants and types they share. By content, because copies
# and images of containers change the times of files.
_MADE_OF = (files("incrowd.kernels") / part for part in ("types.py", "reference", "cpu"))
_STAMP = hashlib.sha256(b"".join(text for place in _MADE_OF for text in _sources(place))).hexdigest()


def compiled(function: Any) -> Any:
    """A kernel that Python calls; what was compiled before is used as long as no source of kernels has changed.

    numba itself looks at the file of the kernel alone, and would go on with the helpers of other files as they were.
    """
    kernel = _njit(function)
    if hasattr(kernel, "_cache"):  # without NUMBA_DISABLE_JIT
        kernel._cache._cache_file._source_stamp = _STAMP  # noqa: SLF001
    return kernel


@helper
def copy_into(target: Any, source: Any) -> None:
    """Write an array into the beginning of another; in a kernel an assignment compiles ten times as long."""
    for i in range(len(source)):
        target[i] = source[i]


class _Compiling(Listener):  # type: ignore[misc]
    """Says that kernels are compiled, while they are; what was compiled before and kept says nothing.

    The garbage collector rests meanwhile: it would look at all that numba makes again and again, for a fifth of the
    time.
    """

    def __init__(self) -> None:
        self.depth, self.label, self.collected = 0, COMPILING, True

    def on_start(self, event: Event) -> None:
        """A kernel, or a helper inside one, begins to compile."""
        self.depth += 1
        if self.depth == 1:
            self.label = compiling(event.data["dispatcher"].py_func.__module__)
            self.collected = gc.isenabled()
            gc.disable()
        tell(self.label, 0, 1)

    def on_end(self, event: Event) -> None:  # noqa: ARG002
        """It is compiled."""
        self.depth -= 1
        if not self.depth:
            if self.collected:
                gc.enable()
            tell(self.label, 1, 1)


def compiling(module: str) -> str:
    """What is said while the kernels of a step compile: about how long all of them take, which come one by one.

    >>> compiling("incrowd.kernels.cpu.link"), compiling("elsewhere")
    ('compiling kernels, once: about 2 s (link)', 'compiling kernels, once')
    """
    step = module.removeprefix(f"{__name__}.").split(".")[0]
    return f"{COMPILING}: {about(COMPILE_S[step])} ({step})" if step in COMPILE_S else COMPILING


def _find_cache() -> None:
    """Compile into a private temporary folder if numba has no place to keep what it compiles.

    The name of the folder must be new: numba executes what it finds there, and others may write to a shared /tmp.
    """
    try:
        njit(cache=True)(_nothing)  # numba looks for its place when it decorates
    except RuntimeError:
        folder = tempfile.mkdtemp(prefix="incrowd-")
        atexit.register(_remove, folder, os.getpid())
        config.CACHE_DIR = folder
        os.environ.setdefault("MPLCONFIGDIR", folder)  # drawing needs such a folder too, and would complain
        warnings.warn(
            "compiled code cannot be kept, because neither the installation nor the home folder can be written; it is "
            "compiled anew in every run. Set NUMBA_CACHE_DIR to a folder that only you can write.",
            IncrowdWarning,
            stacklevel=2,
        )


def _nothing() -> None:
    pass


def _remove(folder: str, owner: int) -> None:
    """Unless this is a child process, which ends first."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


_find_cache()
register("numba:compile", _Compiling())
set_num_threads(min(threads(), config.NUMBA_NUM_THREADS))
