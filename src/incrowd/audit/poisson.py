"""How rarely chance alone meets so much."""

from math import exp, log

ALPHA = 1e-6  # what is rarer is no chance


def poisson_tail(found: int, expected: float) -> float:
    """P(X >= found) for a Poisson variable; an upper bound beyond its mean.

    >>> poisson_tail(0, 1.0), poisson_tail(1, 1e-9) < 1e-6, poisson_tail(3, 3.0) > 0.5
    (1.0, True, True)
    """
    if found == 0 or found <= expected:
        return 1.0
    term, total = 1.0, 0.0
    if expected > 600:  # exp underflows; the Chernoff bound is enough
        ratio = found / expected
        return exp(-expected * (ratio * log(ratio) - ratio + 1))
    for i in range(found):
        total += term
        term *= expected / (i + 1)
    return max(0.0, 1.0 - exp(-expected) * total)
