"""What the auditor says: checks, each passed, failed or not applicable, with evidence by position and count."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any, Literal, NamedTuple

from incrowd.plain import Shown

Status = Literal["pass", "fail", "not applicable"]
_WIDE = 100


class Check(NamedTuple):
    """One check; the evidence never holds a label, a coordinate or a time."""

    name: str
    status: Status
    evidence: str


@dataclass(frozen=True)
class Verdict(Shown):
    """All checks of one release.

    >>> print(Verdict((Check("k-anonymity", "fail", "the pseudonym at position 3 hides 1 person."),)))
    k-anonymity  FAIL            the pseudonym at position 3 hides 1 person.
    """

    checks: tuple[Check, ...]
    params: Mapping[str, Any] = field(default_factory=dict)  # what was asked for beyond the claims

    @property
    def passed(self) -> bool:
        """Whether no check failed; a check that is not applicable has shown nothing."""
        return not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.status == "fail")

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def __getitem__(self, name: str) -> Check:
        by_name = {check.name: check for check in self.checks}
        if name not in by_name:
            raise KeyError(f"no check is named {name!r}; there are {', '.join(by_name)}.")
        return by_name[name]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        checks = [check._asdict() for check in self.checks]
        return {
            "passed": self.passed,
            "params": {name: _number(value) for name, value in self.params.items()},
            "checks": checks,
        }

    def _shown(self) -> list[tuple[str, ...]]:
        return [("check", "result", "evidence"), *self.checks]

    def __str__(self) -> str:
        wide = max((len(check.name) for check in self.checks), default=0) + 2
        return "\n".join(line for check in self.checks for line in _lines(check, wide))


def passed(name: str, evidence: str) -> Check:
    """The check holds."""
    return Check(name, "pass", evidence)


def failed(name: str, evidence: str) -> Check:
    """The check does not hold; the evidence says where."""
    return Check(name, "fail", evidence)


def idle(name: str, reason: str) -> Check:
    """The check has nothing to say, and why."""
    return Check(name, "not applicable", reason)


def judged(name: str, faults: list[str], evidence: str) -> Check:
    """Failed with all faults, or passed when there is none."""
    return failed(name, "; ".join(faults) + ".") if faults else passed(name, evidence)


def _number(value: Any) -> Any:
    return value if isinstance(value, int) else float(value)


def _lines(check: Check, wide: int) -> list[str]:
    status = "FAIL" if check.status == "fail" else check.status
    head = f"{check.name:<{wide}}{status:<16}"
    first, *rest = wrap(check.evidence, max(_WIDE - len(head), 40)) or [""]
    return [f"{head}{first}".rstrip(), *(" " * len(head) + line for line in rest)]
