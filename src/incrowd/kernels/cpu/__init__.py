"""The same functions as kernels.reference, compiled by numba."""

import atexit
import os
import shutil
import tempfile
import warnings

from numba import config, njit, set_num_threads

from incrowd.errors import IncrowdWarning
from incrowd.threads import threads


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
set_num_threads(min(threads(), config.NUMBA_NUM_THREADS))
