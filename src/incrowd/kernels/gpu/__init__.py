"""The same functions as kernels.cpu for GLOVE and the k-gap, on an NVIDIA GPU: CUDA C++ in `cuda`, driven by CuPy."""
