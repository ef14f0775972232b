"""Who carries which sensitive value, and how often a crowd may share one."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from incrowd.arrays import Ints, tally
from incrowd.data import Visits
from incrowd.errors import ParameterError
from incrowd.kernels.types import Items

Share = float | Fraction | tuple[int, int]


@dataclass(frozen=True, eq=False, repr=False)
class Carriers:
    """User u carries the sensitive values codes[offsets[u]:offsets[u+1]], numbered; only those that count."""

    offsets: Ints
    codes: Items
    absent: int  # values asked for that nobody carries


def share_of(c: Share) -> float | Fraction:
    """A share above 0 and at most 1: a float, a Fraction, or numerator and denominator."""
    try:
        share = Fraction(*c) if isinstance(c, tuple) else c if isinstance(c, Fraction) else float(c + 0)
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise ParameterError("c must be a number, a Fraction, or a pair of whole numbers.") from error
    if not 0 < share <= 1:
        raise ParameterError(f"c must be in (0, 1], got {c}.")
    return share


def carriers_of(visits: Visits, c: Share, sensitive: str | None, values: Collection[Any] | None) -> Carriers:
    """The values of the attribute `sensitive` that count: those in `values`, or all there are; None is no value."""
    if sensitive is None:
        if share_of(c) < 1 or values is not None:
            raise ParameterError("c and values need a sensitive attribute; pass its name as sensitive=.")
        return Carriers(np.zeros(len(visits) + 1, np.int64), np.zeros(0, np.int32), 0)
    if sensitive not in visits.attributes:
        known = ", ".join(sorted(visits.attributes)) or "none"
        raise ParameterError(f"visits have no attribute {sensitive!r} (they have: {known}); pass one of them.")
    counted = _counted(values)
    codes: dict[Any, int] = {}
    carried = [
        [codes.setdefault(v, len(codes)) for v in _held(held) if counted is None or v in counted]
        for held in visits.attributes[sensitive]
    ]
    offsets = np.concatenate([[0], np.cumsum([len(mine) for mine in carried])]).astype(np.int64)
    flat = np.array([code for mine in carried for code in mine], np.int32)
    return Carriers(offsets, flat, len((counted or set()) - codes.keys()))


def heavy(who: Carriers, allowed: Ints, k: int) -> Carriers:
    """Without the values too rare to break C: a crowd of n >= k may hold allowed[n] >= allowed[k] of each."""
    often = np.bincount(who.codes) > allowed[min(k, len(allowed) - 1)]
    keep = often[who.codes]
    offsets = np.concatenate([[0], np.cumsum(tally(keep, who.offsets))])
    renumbered = (np.cumsum(often) - 1)[who.codes[keep]].astype(np.int32)
    return Carriers(offsets, renumbered, who.absent)


def _counted(values: Collection[Any] | None) -> set[Any] | None:
    if values is None:
        return None
    try:
        counted = {values} if isinstance(values, str) else set(values) if isinstance(values, Collection) else None
    except TypeError:
        counted = None
    if not counted:
        raise ParameterError("values must list at least one sensitive value, as a list or a set; or leave it out.")
    return counted


def _held(value: Any) -> Iterable[Any]:
    several = value if isinstance(value, frozenset) else (value,)
    return (v for v in several if v is not None and v == v)


def allowed_counts(c: Share, users: int) -> Ints:
    """For n = 0..users, how many of n records may share a value: the most whose quotient count / n is at most c.

    A float c is compared with the rounded quotient, so that 29 of 100 are 0.29; a Fraction exactly.

    >>> allowed_counts(0.29, 100)[100], allowed_counts(Fraction(1, 3), 3).tolist()
    (np.int64(29), [0, 0, 0, 1])
    """
    share = share_of(c)
    if isinstance(share, Fraction):
        return np.array([n * share.numerator // share.denominator for n in range(users + 1)], np.int64)
    n = np.arange(1, users + 1)
    most = np.floor(share * n).astype(np.int64)
    most += (most + 1) / n <= share
    most -= most / n > share
    return np.concatenate([[0], most])
