"""Is the measured risk that a release states the risk it has?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import Check, failed, idle, judged
from incrowd.plain import percent, several

RISK = "residual risk"
DRAWS = 2_000
SPREAD = 5.0  # standard deviations; beyond these it is no chance
Z95, NEAR = 1.959963984540054, 1e-6


def residual_risk(release: Published) -> Check:
    """The stated uniqueness is what known points of some people, drawn here, single out."""
    stated = (release.manifest or {}).get("residual_risk")
    if stated is None:
        return idle(RISK, "none is stated.")
    if release.format == 1 or not isinstance(stated, list):
        return (
            failed(RISK, "cannot be checked, because it is not stated as release.md says.")
            if release.format != 1
            else idle(RISK, "stated in format 1, which does not say how it was measured: stated, not checked.")
        )
    if release.noun != "Visits":
        return failed(RISK, "cannot be checked, because uniqueness is that of visits.")
    faults, measured = [], []
    for risk in stated:
        try:
            own, wrong = _judged(release, risk)
        except (KeyError, TypeError, ValueError, OverflowError):
            return failed(RISK, "cannot be checked, because it is not stated as release.md says.")
        faults += wrong
        measured += [] if own is None else [own]
    shown = ", ".join(percent(own) for own in measured)
    return judged(RISK, faults, f"as stated, within chance ({shown} measured here).")


def _judged(release: Published, risk: Mapping[str, Any]) -> tuple[float | None, list[str]]:
    """The share of people singled out by points drawn here, and what is stated otherwise."""
    points, short, value = int(risk["points"]), str(risk["short"]), risk["value"]
    size, bare = np.diff(release.sets()[0]), release.bare
    asked = int((size >= points).sum()) if short == "drop" else len(size) + bare
    faults = []
    if (int(risk["population"]), int(risk["skipped"])) != (asked, len(size) + bare - asked):
        faults.append(f"the stated risk is not that of {several(asked, 'pseudonym')}")
    alone, draws = _alone(release, points, short)
    if (value is None) != (asked == 0):
        return None, [*faults, "a risk is stated that the table does not have, or the other way round"]
    if value is None or not draws:
        return None, faults
    own = alone / draws * (len(size) / asked if short != "drop" else 1.0)  # nobody is singled out by nothing
    people = min(asked, int(risk["samples"])) if risk["samples"] else asked
    spread = np.sqrt(max(own * (1 - own), 1 / draws) * (1 / draws + 1 / max(people, 1)))
    if abs(own - float(value)) > SPREAD * spread + 1e-9:
        faults.append(f"{percent(value)} is stated, {percent(own)} is measured from {several(draws, 'draw')}")
    return own, faults + _unlike_wilson(risk, float(value), asked)


def _unlike_wilson(risk: Mapping[str, Any], value: float, people: int) -> list[str]:
    """The interval is Wilson's at 95 % of so many draws, or nothing was drawn and it is the value."""
    low, high = (float(end) for end in risk["interval"])
    drawn = int(risk["samples"]) if risk["samples"] else people * max(int(risk["repeats"]), 1)
    least, most = _wilson(value, min(drawn, people) if not risk["samples"] else drawn), _wilson(value, drawn)
    fits = least[0] - NEAR <= low <= most[0] + NEAR and most[1] - NEAR <= high <= least[1] + NEAR
    return [] if fits or (low, high) == (value, value) else ["the interval of a stated risk is not that of its draws"]


def _wilson(share: float, draws: int) -> tuple[float, float]:
    wide = Z95 * Z95 / max(draws, 1)
    middle, half = share + wide / 2, np.sqrt(share * (1 - share) * wide + wide * wide / 4)
    return max(0.0, (middle - half) / (1 + wide)), min(1.0, (middle + half) / (1 + wide))


def _alone(release: Published, points: int, short: str) -> tuple[int, int]:
    """How many of some targets are singled out by random points of theirs, and how many were tried."""
    offsets, columns = release.sets()
    key = np.unique(np.stack([columns["slot"], columns["cell"]]), axis=1, return_inverse=True)[1].ravel()
    size = np.diff(offsets)
    users = np.flatnonzero(size >= (points if short == "drop" else 1))
    if not len(users):
        return 0, 0
    rng = np.random.default_rng()
    order = np.argsort(key, kind="stable")
    starts = np.searchsorted(key[order], np.arange(int(key.max()) + 2))
    owner = np.repeat(np.arange(len(size)), size)[order]
    drawn = rng.choice(users, min(DRAWS, 4 * len(users)))
    return sum(_is_alone(user, key, offsets, points, short, owner, starts, rng) for user in drawn.tolist()), len(drawn)


def _is_alone(
    user: int, key: Ints, offsets: Ints, points: int, short: str, owner: Ints, starts: Ints, rng: Any
) -> bool:
    own = key[offsets[user] : offsets[user + 1]]
    if len(own) < points and short == "zero":
        return False
    known = rng.choice(own, min(points, len(own)), replace=False)
    there = None
    for item in sorted(known.tolist(), key=lambda i: starts[i + 1] - starts[i]):
        people = owner[starts[item] : starts[item + 1]]
        there = people if there is None else np.intersect1d(there, people, assume_unique=True)
        if len(there) == 1:
            return True
    return False
