"""A release of boxes -> who is alone behind the boxes that hold some of their samples."""

from dataclasses import asdict, dataclass

import numpy as np

from incrowd.arrays import Ints, offsets_of, positions_of
from incrowd.assess.compare.attacker import MOST_POINTS, crowds, known_samples
from incrowd.assess.compare.views import visible
from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Finding, drawn_note
from incrowd.assess.questions.release import MISLINKED, NAMELESS, UNTOLD, origin_of
from incrowd.attack.people import Link, read_link
from incrowd.data import Fingerprints, Groups, Release, Traces
from incrowd.discretize import fingerprints
from incrowd.errors import DataError
from incrowd.plain import of_people, percent, several
from incrowd.show import Result, Section, Table

KNOWS = (
    f"The attacker knows {MOST_POINTS} random samples of a person, to 100 m and a minute, and takes the people behind "
    "the boxes that hold them for the crowd; the share of people alone in it is compared with the limit, not how often "
    "a guess within the crowd is right"
)
LOOKED_UP = (
    "Of the sets of known samples that the boxes of a published trajectory hold and that cannot be enlarged, the worst "
    "one for the person counts; the crowd is everybody behind the trajectories that hold it."
)
ALONE = (
    "A guess within a crowd is right 1 / crowd of the time: if everybody hides among k or more, that is at most 1/k, "
    "which is just what k-anonymity promises."
)


@dataclass(frozen=True)
class BoxCrowds(Result):
    """To whom known samples lead in a release of boxes; shares of the people asked for, higher is riskier."""

    points: int  # samples known of each
    people: int  # asked for
    of_people: int  # in the data
    unnamed: int  # of them without a published trajectory, as far as is known
    singled_out: float  # alone in their crowd
    expected_hit: float  # right guesses within the crowd: 1 / crowd, 0 for people in no crowd
    found: float  # in a crowd at all
    crowd_least: float | None  # over people in a crowd
    crowd_median: float | None

    def section(self) -> Section:
        """How many people are alone behind the boxes that hold their samples."""
        rows = [
            ("alone in their crowd (compared with the limit)", percent(self.singled_out)),
            ("identified by a guess within the crowd", percent(self.expected_hit)),
            ("in some crowd", percent(self.found)),
            ("smallest crowd", "-" if self.crowd_least is None else f"{self.crowd_least:,.0f}"),
            ("median crowd", "-" if self.crowd_median is None else f"{self.crowd_median:,.0f}"),
        ]
        at = ("singled_out", "expected_hit", "found", "crowd_least", "crowd_median")
        alone = round(self.singled_out * self.people)
        places = {(row, 1): (name,) for row, name in enumerate(at) if rows[row][1] != "-"}
        return Section(
            question="Can published records be matched to known people?",
            answer=f"{self.points} random samples lead to a crowd without anybody else for "
            f"{of_people(alone, self.people)}; a guess within the crowd is right {percent(self.expected_hit)} of the "
            "time.",
            number=percent(self.singled_out),
            number_of="alone behind the boxes",
            tables=[Table(("", "share, or people"), rows, at=places)],
            method=[LOOKED_UP, ALONE],
            options=f"{self.points} known samples, to 100 m and a minute; "
            f"{drawn_note(self.people, self.of_people) or several(self.people, 'person', 'people')}",
            data=self,
            number_at=("singled_out",),
        )


def alone_in_boxes(data: Dataset, *, people: int) -> Finding:
    """The share of people whom a few random samples lead to a published trajectory that hides nobody else."""
    table, release, traces = data.published, data.options.release, data.traces
    if traces is None or not isinstance(table, Fingerprints):
        raise DataError(f"{data.why_no_traces}.")
    link = None if data.options.link is None else read_link(data.options.link, release)
    members = release.members if isinstance(release, Release) else _linked(link, table, traces)
    prints = fingerprints(
        traces, origin=origin_of(table.crs, traces), start=table.start, time_zone=data.options.time_zone
    )
    if len(prints) != len(traces):
        raise DataError("a person has no record after the start of the release; give the data it was made from.")
    drawn, number = _drawn(len(traces), people, data.options.seed)
    behind = Release(table, Groups(members.offsets, number[members.positions]))
    known = known_samples(prints, points=MOST_POINTS, seed=data.options.seed)[drawn]
    numbers = crowds(visible(behind), prints, known).numbers(2)
    unnamed = len(np.setdiff1d(drawn, members.positions))
    named = {name: numbers[name] for name in ("singled_out", "expected_hit", "found", "crowd_least", "crowd_median")}
    record = BoxCrowds(MOST_POINTS, len(drawn), len(traces), unnamed, **named)  # type: ignore[arg-type]
    number_of = of_people(round(record.singled_out * record.people), record.people)
    notes = (*_notes(record, link, table), "" if link is None or link.of_release else NAMELESS)
    return Finding(record.singled_out, number_of, asdict(record), (record,), "; ".join(filter(None, notes)))


def _notes(record: BoxCrowds, link: Link | None, table: Fingerprints) -> tuple[str, ...]:
    by_link = link is not None and link.unnamed(table)
    gone = (
        f"{several(record.unnamed, 'person is', 'people are')} not {'named by the link file' if by_link else 'in it'}"
    )
    right = f"a guess within the crowd is right {percent(record.expected_hit)} of the time"
    return (
        f"{right}, which is not compared with the limit: a crowd of k promises no more than 1/k",
        f"{percent(record.found)} are in some crowd",
        gone if record.unnamed else "",
        drawn_note(record.people, record.of_people),
    )


def _linked(link: Link | None, table: Fingerprints, traces: Traces) -> Groups:
    if link is None:
        raise DataError(UNTOLD)
    row, person = positions_of(link.pseudonyms, table.users), positions_of(link.people, traces.users)
    both = (row >= 0) & (person >= 0)
    if not both.any():
        raise DataError(MISLINKED)
    order = np.lexsort((person[both], row[both]))
    return Groups(offsets_of(row[both][order], len(table)), person[both][order])


def _drawn(everybody: int, people: int, seed: int) -> tuple[Ints, Ints]:
    """Who is asked for, and a number for everybody that counts those first."""
    order = np.random.default_rng(seed).permutation(everybody)
    drawn = np.sort(order[:people])
    number = np.empty(everybody, np.int64)
    number[np.concatenate([drawn, order[people:]])] = np.arange(everybody)
    return drawn, number
