"""Crowds -> the numbers of a who-is-it question: the mean right guess, and the people guessed rightly half the time."""

from collections import Counter
from fractions import Fraction

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.assess.question import Number
from incrowd.measure.uniqueness.question import effective_interval, wilson
from incrowd.plain import percent, several

HALF = 2  # people in a crowd whose guess is right half of the time
EXACT = 300  # different sizes up to which a mean is a fraction
RIGHT = "right guesses on average"
WORST = "people guessed rightly half of the time or more"


def guesses(
    limit: str, crowd: Ints, *, drawn: bool, caps: Ints | None = None, bound: Fraction | None = None
) -> tuple[Number, Number]:
    """The mean of 1/crowd, and the share of crowds of one or two.

    Args:
        limit: Name of the limit of the mean.
        crowd: For each person asked about the people among whom it is guessed, 0 for a wrong guess.
        drawn: Whether known records, or the people, were drawn.
        caps: The same for an attacker who knows everything published.
        bound: The largest probability of a right guess that an audited guarantee allows.
    """
    n = len(crowd)
    most = [] if caps is None else [mean_of(caps)]
    close = [] if caps is None else [Fraction(_close(caps), n)]
    if bound is not None:
        most, close = [*most, bound], [*close, Fraction(int(bound * HALF >= 1))]
    return (
        Number(
            limit=limit,
            what=RIGHT,
            value=mean_of(crowd),
            interval=effective_interval(rights(crowd)) if drawn else None,
            cap=min(most, default=None),
        ),
        Number(
            limit="worst",
            what=WORST,
            value=Fraction(_close(crowd), n),
            interval=wilson(_close(crowd) / n, n) if drawn else None,
            cap=min(close, default=None),
        ),
    )


def mean_of(crowd: Ints) -> Fraction:
    """The mean of 1/crowd, exactly where few sizes make that easy; crowds of 0 add nothing.

    >>> mean_of(np.array([2, 2, 0, 4]))
    Fraction(5, 16)
    """
    sizes = Counter(crowd[crowd > 0].tolist())
    if len(sizes) > EXACT:
        return Fraction(float(rights(crowd).mean()))
    return sum((Fraction(many, size) for size, many in sizes.items()), Fraction(0)) / max(len(crowd), 1)


def rights(crowd: Ints) -> Floats:
    """The probability of a right guess for each person."""
    return np.divide(1.0, crowd, out=np.zeros(len(crowd)), where=crowd > 0)


def printed(number: Number, people: int) -> str:
    """A mean right guess as a share, with the number of people.

    >>> printed(Number(limit="lookup", what=RIGHT, value=Fraction(1, 8)), 1402)
    '12.5 % (175.2 of 1,402 people)'
    """
    expected = f"{float(number.value) * people:,.1f}".removesuffix(".0")
    return f"{percent(float(number.value))} ({expected} of {several(people, 'person', 'people')})"


def _close(crowd: Ints) -> int:
    return int(((crowd >= 1) & (crowd <= HALF)).sum())
