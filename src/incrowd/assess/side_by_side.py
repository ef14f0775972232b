"""Releases of the same data, each with its verdict, side by side: which can be published, and what is left in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from incrowd.assess.assessment import Assessment
from incrowd.assess.assessment_section import worst_of
from incrowd.assess.question import compared
from incrowd.data import Release
from incrowd.data.release_section import detail_words, in_release, published_words
from incrowd.show import Result, Section, Table

LEFT = "Records, people and detail that are left stand beside each verdict, because a release may pass by losing all."


@dataclass(frozen=True, kw_only=True, eq=False)
class SideBySide(Result):
    """Several releases of the same people.

    Args:
        question: What the page asks.
        assessments: What was found about each release, by its name.
        releases: What was published, by the same names.
        about: What each way of publishing does, by the same names.
    """

    question: str
    assessments: Mapping[str, Assessment]
    releases: Mapping[str, Release]
    about: Mapping[str, str]

    @property
    def passing(self) -> tuple[str, ...]:
        """Names of the releases that pass."""
        return tuple(name for name, one in self.assessments.items() if one.passed)

    def left(self, name: str) -> str:
        """What is left in a release, in the units of its readers.

        Args:
            name: Of the release.
        """
        release = self.releases[name]
        words = (
            published_words(release),
            self.assessments[name].loss or in_release(release),
            detail_words(release.data, release.params),
        )
        return " ".join(filter(None, words)) or "-"

    def why(self, name: str) -> str:
        """The worst test of a release that does not pass; a dash if it passes.

        Args:
            name: Of the release.
        """
        worst = worst_of(self.assessments[name])
        return "-" if worst is None else f"{worst[0].asks} {compared(worst[1])}"

    def to_dict(self) -> dict[str, Any]:
        """Verdict and remains of each release, for JSON."""
        return {
            name: {"passed": one.passed, "gate": one.gate, "worst": self.why(name), "left": self.left(name)}
            for name, one in self.assessments.items()
        }

    def section(self) -> Section:
        """Which release passes, why another does not, and what is left in each."""
        rows = [(name, one.gate, self.why(name), self.left(name)) for name, one in self.assessments.items()]
        failing = [name for name in self.assessments if name not in self.passing]
        allowed = [name for name in self.passing if self.assessments[name].overridden]
        good = f"{_listed(self.passing) or 'none'} {'passes' if len(self.passing) == 1 else 'pass'}"
        good += f" ({_listed(allowed)} by an override)" if allowed else ""
        bad = f"{_listed(failing) or 'none'} {'does' if len(failing) == 1 else 'do'} not"
        return Section(
            question=self.question,
            answer=f"Of {len(rows)} releases of the same people, {good}; {bad}.",
            number=f"{len(self.passing)} of {len(rows)}",
            number_of="releases pass",
            tables=[Table(("release", "verdict", "worst", "what is left"), rows)],
            method=[*(f"{name}: {words}" for name, words in self.about.items()), LEFT],
            data=self,
        )


def _listed(names: tuple[str, ...] | list[str]) -> str:
    """Names in a sentence.

    >>> _listed(["cut"]), _listed(["cut", "glove", "counts"])
    ('cut', 'cut, glove and counts')
    """
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
