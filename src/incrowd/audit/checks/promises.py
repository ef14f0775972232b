"""The guarantees asked for and those claimed, each of which adds a check; and is the stated risk the one it has?"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.arrays import Ints, owners
from incrowd.audit.checks.cylinder import CYLINDER, cylinder
from incrowd.audit.checks.groups import K, k_anonymity
from incrowd.audit.checks.lkc import LKC, Share, lkc
from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import Check, idle, judged, unasked, uncheckable
from incrowd.errors import ParameterError, check_positive, check_whole
from incrowd.plain import percent, several

Claims = Mapping[str, Any]
RISK = "residual risk"
DRAWS = 2_000
SPREAD = 5.0  # standard deviations; beyond these it is no chance
Z95, NEAR = 1.959963984540054, 1e-6


@dataclass(frozen=True)
class Demands:
    """What the auditor asks for, None for nothing."""

    k: int | None = None
    l: int | None = None  # noqa: E741
    c: Share | None = None
    sensitive: str | None = None
    values: Iterable[Any] | None = None
    delta_m: float | None = None

    def refuse_nonsense(self) -> None:
        """Refuse numbers that mean nothing."""
        check_whole(**{name: value for name, value in (("k", self.k), ("l", self.l)) if value is not None})
        amounts = {"c": self.c, "delta_m": self.delta_m}
        check_positive(**{name: value for name, value in amounts.items() if value is not None})
        if self.c is not None and self.c > 1:
            raise ParameterError(f"c must be in (0, 1], got {self.c}.")
        if self.values is not None and self.sensitive is None:
            raise ParameterError("values are those of a sensitive attribute; pass sensitive= too.")

    def refuse_half(self, claims: Claims) -> None:
        """Refuse questions of which a part is neither asked nor claimed."""
        longest, k = self.longest(claims), self.k if self.k is not None else claims.get("k")
        if longest is None and (self.sensitive is not None or self.c is not None):
            raise ParameterError("c and sensitive are part of LKC-privacy; pass l= and k= too.")
        if self.l is not None and k is None and self.c is None and claims.get("c") is None:
            raise ParameterError("l alone asks for nothing; pass k=, or c= and sensitive=, too.")
        if self.delta_m is not None and k is None:
            raise ParameterError("delta_m alone asks for nothing; pass k= too.")

    @property
    def sequences(self) -> bool:
        """Whether LKC-privacy is asked for."""
        return any(value is not None for value in (self.l, self.c, self.sensitive))

    def longest(self, claims: Claims) -> Any:
        """The longest sequence that is asked for or claimed."""
        return self.l if self.l is not None else claims.get("l")

    def attribute(self, claims: Claims) -> str | None:
        """The sensitive attribute that is asked for or claimed."""
        return self.sensitive if self.sensitive is not None else claims.get("sensitive")

    def parameters(self, claims: Claims) -> dict[str, Any]:
        """What was asked for, and claimed if it was not."""
        both = {name: getattr(self, name) for name in ("k", "l", "c", "delta_m")}
        merged = {name: claims.get(name) if value is None else value for name, value in both.items()}
        return {name: value for name, value in merged.items() if value is not None}


def promises(release: Published, demands: Demands) -> Iterator[Check]:
    """k-anonymity, LKC-privacy and (k, delta)-anonymity, each as asked and as claimed."""
    if release.noun == "Counts":
        why = "counts have no trajectories."
        for name in (K, LKC, CYLINDER):
            wanted = _wanted(release, demands, name)
            yield uncheckable(name, why) if wanted else idle(name, why)
        return
    yield _worst(K, list(_shared(release, demands)), "no k is claimed or asked for.")
    yield _worst(LKC, list(_sequences(release, demands)), "no l is claimed or asked for.")
    yield _worst(CYLINDER, list(_cylinders(release, demands)), "no k and delta are claimed or asked for.")


def _wanted(release: Published, demands: Demands, name: str) -> bool:
    claims = release.claims
    wanted = {
        K: (demands.k is not None and not demands.sequences and demands.delta_m is None)
        or ("k" in claims and not {"l", "delta_m"} & claims.keys()),
        LKC: demands.sequences or "l" in claims,
        CYLINDER: demands.delta_m is not None or "delta_m" in claims,
    }
    return wanted[name]


def _worst(name: str, answers: list[Check], nothing: str) -> Check:
    """One check of several: failed with the first fault, or passed with all of the evidence."""
    if not answers:
        return unasked(name, nothing)
    wrong = [answer for answer in answers if answer.status != "pass"]
    if wrong:
        return wrong[0]
    return answers[0]._replace(evidence=" ".join(dict.fromkeys(answer.evidence for answer in answers)))


def _shared(release: Published, demands: Demands) -> Iterator[Check]:
    sensitive = demands.attribute(release.claims)
    if demands.k is not None and not demands.sequences and demands.delta_m is None:
        yield k_anonymity(release, demands.k, sensitive)
    claimed = release.claims.get("k")
    if claimed is not None and not {"l", "delta_m"} & release.claims.keys():
        yield k_anonymity(release, claimed, sensitive)


def _sequences(release: Published, demands: Demands) -> Iterator[Check]:
    claims = release.claims
    if demands.sequences:
        given = demands.k if demands.k is not None else claims.get("k")
        yield lkc(
            release,
            longest=demands.longest(claims),
            k=given,
            c=demands.c if demands.c is not None else (claims.get("c") if demands.sensitive is not None else None),
            sensitive=demands.attribute(claims) if demands.c is not None or demands.sensitive is not None else None,
            values=demands.values,
        )
    if "l" in claims:
        named = claims.get("sensitive")
        try:
            parts = {"k": claims.get("k"), "c": claims.get("c"), "sensitive": named, "values": claims.get("values")}
            yield lkc(release, longest=claims["l"], **parts, claimed=True)
        except ParameterError as error:
            yield uncheckable(LKC, error)


def _cylinders(release: Published, demands: Demands) -> Iterator[Check]:
    claims = release.claims
    if demands.delta_m is not None:
        yield cylinder(release, demands.k if demands.k is not None else claims.get("k"), demands.delta_m)
    if "delta_m" in claims:
        yield cylinder(release, claims.get("k"), claims["delta_m"])


def residual_risk(release: Published) -> Check:
    """The stated uniqueness is what known points of some people, drawn here, single out."""
    stated = (release.manifest or {}).get("residual_risk")
    if stated is None:
        return idle(RISK, "none is stated.")
    if release.format == 1 or not isinstance(stated, list):
        return (
            uncheckable(RISK, "it is not stated as release.md says.")
            if release.format != 1
            else idle(RISK, "stated in format 1, which does not say how it was measured: stated, not checked.")
        )
    if release.noun != "Visits":
        return uncheckable(RISK, "uniqueness is that of visits.")
    faults, measured = [], []
    for risk in stated:
        try:
            own, wrong = _judged(release, risk)
        except (KeyError, TypeError, ValueError, OverflowError):
            return uncheckable(RISK, "it is not stated as release.md says.")
        faults += wrong
        measured += [] if own is None else [own]
    risks = ", ".join(percent(own) for own in measured)
    return judged(RISK, faults, f"as stated, within chance ({risks} measured here).")


def _judged(release: Published, risk: Mapping[str, Any]) -> tuple[float | None, list[str]]:
    """The share of people singled out by points drawn here, and what is stated otherwise."""
    points, short, value = int(risk["points"]), str(risk["short"]), risk["value"]
    size, bare = np.diff(release.sets()[0]), release.bare
    population = int((size >= points).sum()) if short == "drop" else len(size) + bare
    faults = []
    if (int(risk["population"]), int(risk["skipped"])) != (population, len(size) + bare - population):
        faults.append(f"the stated risk is not that of {several(population, 'pseudonym')}")
    alone, draws = _alone(release, points, short)
    if (value is None) != (population == 0):
        return None, [*faults, "a risk is stated that the table does not have, or the other way round"]
    if value is None or not draws:
        return None, faults
    own = alone / draws * (len(size) / population if short != "drop" else 1.0)  # nobody is singled out by nothing
    people = min(population, int(risk["samples"])) if risk["samples"] else population
    spread = np.sqrt(max(own * (1 - own), 1 / draws) * (1 / draws + 1 / max(people, 1)))
    if abs(own - float(value)) > SPREAD * spread + 1e-9:
        faults.append(f"{percent(value)} is stated, {percent(own)} is measured from {several(draws, 'draw')}")
    return own, faults + _unlike_wilson(risk, float(value), population)


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
    owner = owners(offsets)[order]
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
