"""GLOVE and the k-gap, compiled."""
