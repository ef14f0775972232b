"""How long work will take and how much memory, before it is started.

>>> print(Estimate(seconds=600, bytes=3 << 28).about)
about 10 min, 768 MiB
"""

from dataclasses import dataclass
from typing import Any

from incrowd.plain import about
from incrowd.threads import free_memory

MIB = 1 << 20
MOST_MIB = 10_000  # more are written in GiB


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """About how many seconds work takes, and bytes of memory on top of its data; None where they are not estimated.

    `compile_s` are the seconds that compiling adds to the first run on a machine, if it is one.
    """

    seconds: float
    bytes: int | None = None
    compile_s: float | None = None

    @property
    def about(self) -> str:
        """Both, roughly, in words."""
        compiling = f", and {about(self.compile_s)} once to compile" if self.compile_s else ""
        return f"{about(self.seconds)}{'' if self.bytes is None else f', {self._memory}'}{compiling}"

    @property
    def _memory(self) -> str:
        """The memory, and that it is more than there is."""
        needed, free = self.bytes or 0, free_memory()
        return memory(needed) if needed <= free else f"{memory(needed)} (more than the {memory(free)} of free memory)"

    def to_dict(self) -> dict[str, Any]:
        """What is estimated."""
        return {name: value for name, value in vars(self).items() if value is not None}


def memory(size: int) -> str:
    """An amount of memory, roughly.

    >>> memory(900), memory(310 * MIB), memory(20_000 * MIB)
    ('1 MiB', '310 MiB', '19.5 GiB')
    """
    mib = size / MIB
    return f"{max(mib, 1):,.0f} MiB" if mib < MOST_MIB else f"{mib / 1024:,.1f} GiB"
