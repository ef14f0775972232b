"""GLOVE, as the definitions read."""
