"""GLOVE and the k-gap on the GPU."""
