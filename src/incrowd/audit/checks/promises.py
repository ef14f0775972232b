"""The guarantees asked for and those claimed: a claim adds a check and removes none."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from incrowd.audit.checks.cylinder import CYLINDER, cylinder
from incrowd.audit.checks.groups import K, k_anonymity
from incrowd.audit.checks.lkc import LKC, Share, lkc
from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import Check, failed, idle, unasked
from incrowd.errors import ParameterError, check_positive, check_whole

Claims = Mapping[str, Any]


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
            yield failed(name, f"cannot be checked, because {why}") if wanted else idle(name, why)
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
            yield failed(LKC, f"cannot be checked, because {error}")


def _cylinders(release: Published, demands: Demands) -> Iterator[Check]:
    claims = release.claims
    if demands.delta_m is not None:
        yield cylinder(release, demands.k if demands.k is not None else claims.get("k"), demands.delta_m)
    if "delta_m" in claims:
        yield cylinder(release, claims.get("k"), claims["delta_m"])
