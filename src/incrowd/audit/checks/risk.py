"""Is the measured risk that a release states the risk it has?"""

from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import Check, failed, idle, judged
from incrowd.plain import percent, several

RISK = "residual risk"
DRAWS = 2_000
SPREAD = 5.0  # standard deviations; beyond these it is no chance


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
            alone, draws = _alone(release, int(risk["points"]), str(risk["short"]))
            value = None if risk["value"] is None else float(risk["value"])
        except (KeyError, TypeError, ValueError):
            return failed(RISK, "cannot be checked, because it is not stated as release.md says.")
        if (value is None) != (draws == 0):
            faults.append("a risk is stated that the table does not have, or the other way round")
        elif value is not None:
            own = alone / draws
            spread = np.sqrt(max(own * (1 - own), 1 / draws) * (1 / draws + 1 / max(int(risk["population"]), 1)))
            measured.append(own)
            if abs(own - value) > SPREAD * spread + 1e-9:
                faults.append(f"{percent(value)} is stated, {percent(own)} is measured from {several(draws, 'draw')}")
    shown = ", ".join(percent(own) for own in measured)
    return judged(RISK, faults, f"as stated, within chance ({shown} measured here).")


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
