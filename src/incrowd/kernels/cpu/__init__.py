"""The same functions as kernels.reference, compiled by numba."""
