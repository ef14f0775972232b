"""Plain Python, as the definitions read; the truth the fast kernels are held against."""
