"""The searches of LKC-privacy, compiled: the same functions as kernels.reference.lkc."""

from incrowd.kernels.cpu.lkc.frequent import maximal_sets
from incrowd.kernels.cpu.lkc.suppression import project_sets, suppress
from incrowd.kernels.cpu.lkc.violating import violating_sets

__all__ = ["maximal_sets", "project_sets", "suppress", "violating_sets"]
