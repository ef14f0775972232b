"""What the auditor answers: checks, each with one of four outcomes and evidence by position and count."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any, Literal, NamedTuple

from incrowd.show import Result, Section, Table

Status = Literal["pass", "fail", "not applicable", "not asked"]
ALPHA = 1e-6  # what is rarer is no chance
_WIDE = 100


class Check(NamedTuple):
    """One check; the evidence never holds a label, a coordinate or a time."""

    name: str
    status: Status
    evidence: str


@dataclass(frozen=True)
class Verdict(Result):
    """All checks of one release.

    >>> print(Verdict((Check("k-anonymity", "fail", "the pseudonym at position 3 hides 1 person."),)))
    1 of 1 checks failed.
    k-anonymity  FAIL            the pseudonym at position 3 hides 1 person.
    0 passed, 1 failed, 0 not applicable, 0 not asked
    """

    checks: tuple[Check, ...]
    params: Mapping[str, Any] = field(default_factory=dict)  # what was asked for or claimed
    lacking: tuple[str, ...] = ()  # of "original" and "link", what was not given

    @property
    def passed(self) -> bool:
        """Whether no check failed; a check that was not asked or is not applicable shows nothing."""
        return not self.failed

    @property
    def summary(self) -> str:
        """How many checks had each outcome, and why some were not asked."""
        count = Counter(check.status for check in self.checks)
        why = f" ({' and '.join(f'no {what}' for what in self.lacking)} given)" if self.lacking else ""
        not_asked = f"{count['not asked']} not asked{why if count['not asked'] else ''}"
        return f"{count['pass']} passed, {count['fail']} failed, {count['not applicable']} not applicable, {not_asked}"

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
            "summary": self.summary,
            "params": {name: _number(value) for name, value in self.params.items()},
            "checks": checks,
        }

    def section(self) -> Section:
        """Whether the release meets its guarantees, and what each check saw."""
        count = Counter(check.status for check in self.checks)
        decided = count["pass"] + count["fail"]
        every = f"All {decided} checks passed." if decided else "No check could be made."
        return Section(
            question="Does the release meet the guarantees it states?",
            answer=f"{count['fail']} of {decided} checks failed." if count["fail"] else every,
            number="fail" if count["fail"] else "pass",
            number_of="audit",
            tables=[Table(("check", "result", "why"), [(c.name, _word(c.status), c.evidence) for c in self.checks])],
            method=["The auditor shares no code with the methods: it recomputes each claim from its definition."],
            options=self.summary,
            data=self,
        )

    def columns(self) -> Mapping[str, Any]:
        """A row for each check."""
        return {name: [getattr(check, name) for check in self.checks] for name in Check._fields}

    def __str__(self) -> str:
        wide = max((len(check.name) for check in self.checks), default=0) + 2
        lines = [line for check in self.checks for line in _lines(check, wide)]
        return "\n".join([self.section().answer, *lines, self.summary])


def passed(name: str, evidence: str) -> Check:
    """The check holds."""
    return Check(name, "pass", evidence)


def failed(name: str, evidence: str) -> Check:
    """The check does not hold; the evidence says where."""
    return Check(name, "fail", evidence)


def uncheckable(name: str, why: object) -> Check:
    """The check has to be made and cannot be, which is a failure."""
    return failed(name, f"cannot be checked, because {why}")


def idle(name: str, reason: str) -> Check:
    """The kind of data rules the check out, and why."""
    return Check(name, "not applicable", reason)


def unasked(name: str, reason: str) -> Check:
    """The check needs something that was not given."""
    return Check(name, "not asked", reason)


def judged(name: str, faults: list[str], evidence: str) -> Check:
    """Failed with all faults, or passed when there is none."""
    return failed(name, "; ".join(faults) + ".") if faults else passed(name, evidence)


def _number(value: Any) -> Any:
    return value if isinstance(value, int) else float(value)


def _word(status: Status) -> str:
    return "FAIL" if status == "fail" else status


def _lines(check: Check, wide: int) -> list[str]:
    head = f"{check.name:<{wide}}{_word(check.status):<16}"
    first, *rest = wrap(check.evidence, max(_WIDE - len(head), 40)) or [""]
    return [f"{head}{first}".rstrip(), *(" " * len(head) + line for line in rest)]
