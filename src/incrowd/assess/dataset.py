"""What an assessment looks at: everything made of the source once, when it is first asked for."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.arrays import Ints, positions_of
from incrowd.assess.options import Options
from incrowd.assess.subject import Subject, check_kind, foreign_visits, original_on, stated_as, subject_of
from incrowd.attack.people import Link, read_link
from incrowd.clock import DAY_MIN, slots_per_day
from incrowd.data import Counts, Fingerprints, Groups, Release, Traces, UserTable, Visits
from incrowd.data.release_folder import ledger_of, manifest_in
from incrowd.data.release_section import heavy_loss, records_left
from incrowd.data.table import some_people
from incrowd.discretize import fingerprints, grid
from incrowd.errors import DataError, IncrowdError
from incrowd.ledger import Ledger

TIE = 1e-9  # floats this close to a limit are settled by exact numbers


@dataclass(frozen=True, eq=False)
class Dataset:
    """Trajectories, fingerprints or visits as they were given, visits made of them, and what else was given."""

    original: Traces | Visits | Fingerprints | None  # None if the source is too large to be held
    visits: Visits
    options: Options
    why_no_traces: str = ""
    seed: int = 0

    @property
    def traces(self) -> Traces | None:
        """The trajectories, if they are in memory."""
        return self.original if isinstance(self.original, Traces) else None

    @property
    def precise(self) -> Subject:
        """What is judged at its own precision; raises if records are too many to be held."""
        if self.original is None and not self.is_release:
            raise DataError(f"{self.why_no_traces}.")
        return self.subject

    @property
    def subject(self) -> Subject:
        """What is judged; raises if that is not known."""
        if isinstance(self._subject, IncrowdError):
            raise self._subject
        return self._subject

    @cached_property
    def _subject(self) -> Subject | IncrowdError:
        try:
            return subject_of(self)
        except IncrowdError as error:
            return error

    @property
    def is_release(self) -> bool:
        """Whether a release is judged, rather than the data as they are."""
        return self.options.release is not None

    @property
    def publishes_counts(self) -> bool:
        """Whether the release publishes counts, which have no rows of people."""
        try:
            return isinstance(self.published, Counts)
        except IncrowdError:
            return False  # the tests themselves say what is wrong with it

    @cached_property
    def verdict(self) -> Any:
        """What the auditor says of the release."""
        return self._audited(self.options.release)

    def _audited(self, release: Any) -> Any:
        from incrowd import audit

        check_kind(self.published, self)
        if isinstance(release, UserTable):
            if isinstance(release, Visits):
                release = stated_as(release, self.visits)  # without it pairs cannot be compared
            release = Release(
                release, Link(release.users, release.users).members(release, self.original or self.visits)
            )
        original: Any = self.visits if self.original is None else self.original
        if isinstance(release, Release) and isinstance(release.data, Visits) and release.data.cell_m is None:
            original = original_on(release.data, self)  # towers are not in the records
        if self.publishes_counts:
            original = self.visits
        return audit.check(release, original=original, link=self.options.link)

    @cached_property
    def claims_and_params(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the release claims, and how it was made: "method" and parameters."""
        given = self.options.release
        if isinstance(given, Release):
            return dict(given.claims), dict(given.params)
        if isinstance(given, Path) and given.is_dir():
            manifest = manifest_in(given)
            made = {**(manifest.get("parameters") or {}), "method": manifest.get("method")}
            return dict(manifest.get("claims") or {}), made
        return {}, {}

    @property
    def params(self) -> dict[str, Any]:
        """How the release was made, as it states it: "method" and parameters."""
        return self.claims_and_params[1]

    @property
    def method(self) -> str | None:
        """The method that made the release."""
        return self.params.get("method")

    @property
    def guaranteed(self) -> tuple[float | None, float]:
        """Epsilon and delta per person, if the release claims them and the auditor recomputed the noise itself."""
        epsilon = self.params.get("epsilon")
        if epsilon and self.params.get("scale") and not self.doubtful_noise:
            return float(epsilon), float(self.params.get("delta") or 0)
        return None, 0.0

    @property
    def doubtful_noise(self) -> str:
        """Why the stated noise is not known to be there: the auditor could not compare it with its law."""
        from incrowd.audit.checks.counts import NOISE, TOO_FEW

        check = next((one for one in self.verdict.checks if one.name == NOISE), None)
        if check is not None and check.status == "pass" and TOO_FEW not in check.evidence:
            return ""
        reason = "is missing" if check is None else check.evidence.rstrip(".")
        return f"the auditor could not recompute the stated noise ({reason})"

    def bound(self, records: int | None = None) -> Fraction | None:
        """The largest share of right guesses that a guarantee allows which the auditor recomputed; None without one.

        Args:
            records: How many records are known; None for all that is published.
        """
        held = {check.name for check in self.verdict.checks if check.status == "pass"} if self.is_release else set()
        claims = self.subject.release.claims
        k, longest = claims.get("k"), claims.get("l")
        if not isinstance(k, int) or isinstance(k, bool):
            return None
        whole = "k-anonymity" in held
        short = "LKC-privacy" in held and isinstance(longest, int) and records is not None and records <= longest
        return Fraction(1, k) if whole or short else None

    @property
    def sensitive(self) -> str | None:
        """The sensitive attribute: named by the user, or by the release itself."""
        return self.options.sensitive or self.params.get("sensitive")

    @cached_property
    def stated(self) -> Ledger | None:
        """What the release says happened to every record; None if it does not."""
        given = self.options.release
        if isinstance(given, Release):
            return given.ledger
        return ledger_of(given) if isinstance(given, Path) and given.is_dir() else None

    @property
    def steps(self) -> frozenset[str] | None:
        """Names of the steps that the release was made with; None if it does not say."""
        return None if self.stated is None else frozenset(step.name for step in self.stated.steps)

    @property
    def loss(self) -> str:
        """That much was dropped on the way to the release, if it was."""
        if self.stated is None or not self.stated.steps:
            return ""
        pseudonyms = len(self.published) if isinstance(self.published, UserTable) else 0
        lost = Release(self.published, Groups.nobody(pseudonyms), ledger=self.stated)
        try:
            people = len(self.subject.present) / max(len(self.subject.original), 1)
        except IncrowdError:
            people = 1.0  # who is left is not known; the tests say why
        return heavy_loss(records_left(lost), people)

    def undecided(self, number: Any) -> bool:
        """Whether a number is above its limit by its interval alone, so that a cap may settle it."""
        limit = self.options.limit(number.limit)
        return limit.exceeded(number.judged) and not limit.exceeded(float(number.value) - TIE)

    def held_out(self, subject: Subject) -> Ints:
        """Positions of the people who were left out of the release on purpose, by its link file."""
        if self.options.link is None:
            return np.zeros(0, np.int64)
        held_out = read_link(self.options.link, self.options.release).held_out
        place = positions_of(held_out, subject.original.users)
        return place[place >= 0]

    def grain_of(self, visits: Any) -> str:
        """The cells and slots of visits, in words."""
        cells = "cells" if visits.cell_m is None else f"{visits.cell_m:,g} m cells"
        return cells if visits.slot_min is None else f"{cells} and {visits.slot_min:,} min slots"

    @property
    def link_fault(self) -> str:
        """Why the link of the release cannot be relied upon, as the auditor sees it."""
        labels = self.options.same_labels and not isinstance(self.options.release, Release)
        verdict = self._audited(self.published) if labels else self.verdict
        bad = [one.evidence for one in verdict.checks if one.name == "link" and one.status != "pass"]
        return f"the link does not fit the release: {bad[0]}".rstrip(".") if bad else ""

    @property
    def cell_m(self) -> float:
        """Side of a cell, if cells are squares."""
        return self.visits.cell_m or self.options.side_m

    @property
    def places(self) -> str:
        """What a cell is, in words."""
        if self.options.towers is not None:
            return "towers"
        return f"cells of {self.cell_m:g} m" if self.visits.cell_m else "cells"

    @cached_property
    def published(self) -> Any:
        """What the release publishes; None if none was given."""
        from incrowd.read import release, saved

        given = self.options.release
        if not isinstance(given, Path):
            return given.data if isinstance(given, Release) else given
        if given.is_dir():
            return release(given)
        if not self.bare:
            return saved(given)
        return foreign_visits(given, self.visits)

    @property
    def table(self) -> Any:
        """What is published, or would be."""
        if self.is_release:
            return self.published
        return self.visits if self.original is None else self.original

    @cached_property
    def bare(self) -> bool:
        """Whether the release is a mere table of visits, whose cells and slots must be those of the data."""
        from incrowd.read._kind import holding

        given = self.options.release
        return isinstance(given, Path) and given.is_file() and not holding(given).saved

    @cached_property
    def slots(self) -> int:
        """From the beginning of the first day to the last visit."""
        return int(self.visits.slot.max()) - self._first + 1

    @cached_property
    def per_day(self) -> int:
        """Slots of a day; 1 if they do not divide it."""
        return slots_per_day(self.visits.slot_min) or 1

    @property
    def days(self) -> int:
        """Days to the last visit, begun ones too; 0 if nothing says how long a slot is."""
        return -(-self.slots * (self.visits.slot_min or 0) // DAY_MIN)

    @cached_property
    def _first(self) -> int:
        """The first slot of the first day with a visit."""
        return int(self.visits.slot.min()) // self.per_day * self.per_day

    @cached_property
    def one_cell_per_slot(self) -> Visits:
        """Visits with the cell of most records in each slot; they need the records if somebody is in two."""
        visits = self.visits
        if not visits.again.any():
            return visits
        if self.traces is None:
            raise DataError(f"somebody is in two cells in one slot: {self.why_no_traces}.")
        how: dict[str, Any] = {"slot_min": visits.slot_min, "start": visits.start, "time_zone": self.options.time_zone}
        return grid(self.traces, cell_m=self.cell_m, keep="vote", **how)

    def prints(self, *, people: int) -> Any:
        """The fingerprints of so many people."""
        if self.traces is None:
            raise DataError(f"{self.why_no_traces}.")
        return fingerprints(some_people(self.traces, people=people, seed=self.seed), time_zone=self.options.time_zone)
