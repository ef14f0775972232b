"""Visits or a made-up city -> the variants the experiments of [xu2017] need; and what the paper prints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, offsets_of
from incrowd.attack.recover import recover
from incrowd.attack.recover.guesses import chance_accuracy
from incrowd.attack.recover.result import Recovered
from incrowd.attack.recover.score import RecoveryScore, recovery_score
from incrowd.clock import DAY_MIN
from incrowd.data import Visits
from incrowd.data.table import some_people, some_rows
from incrowd.discretize import counts, filled, towers
from incrowd.errors import DataError
from incrowd.measure.regularity import NIGHT_MIN, prediction_errors, tallied
from incrowd.papers.record import OTHER, Statement, apart, share
from incrowd.plain import percent
from incrowd.read import synthetic_city
from incrowd.read.city.people import ProfileName
from incrowd.show import Line

USERS, TOWERS, DAYS = 1000, 8000, 7
QUICK_USERS, QUICK_TOWERS, QUICK_DAYS = 250, 2000, 2
CITIES: tuple[ProfileName, ...] = ("operator", "operator-calm", "application", "application-calm")
SLOT_MIN = 30
STAGES = ("night", "day", "whole")  # of the attack, as scores name them
STATION, DISTRICT = 2.5, 250  # towers to a base station and to a district [xu2017, Sec. 5.3]
Slotted = Callable[[int], Visits]  # slot_min -> the visits where there are records
KINDS = ("operator", "application")
PEOPLE = {"operator": 100_000, "application": 15_500}  # [xu2017, Table 2]
PRINTED_DAYS = {"operator": 7, "application": 14}
RECORDS = {"operator": 261, "application": 496}  # per user
LIMIT_M = {"operator": 1000, "application": 500}  # of the errors in [xu2017, Fig. 6]
CALM = "these made-up people move less than the paper's, on purpose"
CHOSEN = "this city was picked because the attack succeeds on it, so its accuracy confirms nothing"
FIXED = "made-up people: the city was set to Figures 2 to 6 together and does not meet each of them"
TOGETHER = (
    "made-up people who move about as the text says are recovered no better, only those who move less are (last panel "
    "of Figure 8)"
)
CITIES_SAID = (
    "The cities operator and application were set to what the text says of people (Figures 2 to 6). The calm ones move "
    "less, because the attack succeeds only then: that it does so on them is by construction."
)


@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """One dataset; `kind` is the dataset of the paper it stands for, and `calm` cities were picked by the attack."""

    name: str
    records: Visits  # as finely as they are known
    slotted: Slotted
    slot_min: int
    kind: str | None = None  # "operator" or "application"
    calm: bool = False
    seed: int = 0

    @cached_property
    def seen(self) -> Visits:
        """The most frequent tower of each slot with a record."""
        return self.slotted(self.slot_min)

    @cached_property
    def truth(self) -> Visits:
        """Everybody in every slot, gaps interpolated [xu2017, Sec. 5.1]."""
        return filled(self.seen)

    @property
    def users(self) -> int:
        """How many people there are."""
        return len(self.truth)

    @property
    def days(self) -> int:
        """How many there are."""
        return self.truth.records * self.slot_min // DAY_MIN // max(self.users, 1)

    @property
    def tag(self) -> str:
        """In the names of files."""
        return self.name if self.kind else "data"

    @cached_property
    def recovered(self) -> Recovered:
        """What the attack makes of the counts of these people, ties at random."""
        return recover(counts(self.truth, start_min=0), seed=self.seed)

    @cached_property
    def score(self) -> RecoveryScore:
        """How much of that is true."""
        return recovery_score(self.recovered, self.truth)

    @cached_property
    def observed(self) -> NDArray[np.bool_]:
        """Which slots of the truth have a record, [user, slot]; the others are interpolated."""
        flags = np.zeros(self.recovered.cells.shape, np.bool_)
        flags[self.seen.owner, self.seen.slot] = True
        return flags

    @cached_property
    def predicted(self) -> Floats:
        """Errors of Eq. 2 in metres, [user, slot]."""
        return prediction_errors(self.truth)

    @cached_property
    def chance(self) -> float:
        """What trivial guesses get, the better one."""
        return max(chance_accuracy(counts(self.truth, start_min=0), self.truth, seed=self.seed).values())


def made_up(cities: Sequence[ProfileName], *, quick: bool, full: bool = False, seed: int) -> list[Scene]:
    """The cities that stand for the paper's two datasets, at its size if `full`."""
    usual = (QUICK_USERS, QUICK_TOWERS, QUICK_DAYS) if quick else (USERS, TOWERS, DAYS)
    kinds = {profile: profile.partition("-")[0] for profile in cities}
    sizes = {p: (PEOPLE[kind], TOWERS, PRINTED_DAYS[kind]) if full else usual for p, kind in kinds.items()}
    return [_city(profile, *sizes[profile], seed) for profile in cities]


def _city(profile: ProfileName, users: int, sites: int, days: int, seed: int) -> Scene:
    city = synthetic_city(users=users, towers=sites, days=days, profile=profile, seed=seed)

    def slotted(slot_min: int) -> Visits:
        # The records themselves are slotted anew, not the half hours.
        return towers(city.traces, city.towers, slot_min=slot_min, slots=days * DAY_MIN // slot_min)

    kind, _, calm = profile.partition("-")
    return Scene(profile, slotted(1), slotted, SLOT_MIN, kind, bool(calm), seed)


def given(visits: Visits, *, name: str, quick: bool, seed: int) -> Scene:
    """Data of the user's: every visit is one record."""
    if visits.xy is None or visits.slot_min is None or NIGHT_MIN % visits.slot_min:
        raise DataError("these visits have no xy, or no slot_min that divides 6 hours; use slots of 30 min.")
    slot_min = visits.slot_min
    if quick:
        visits = some_people(_busiest_days(visits, QUICK_DAYS), people=QUICK_USERS, seed=seed)
    width = slot_min if SLOT_MIN % slot_min else SLOT_MIN
    return Scene(name, visits, lambda width: slotted_anew(visits, width), width, seed=seed)


def _busiest_days(visits: Visits, days: int) -> Visits:
    """The days in a row on which most people are seen, counted from slot 0 on; ties go to the earliest."""
    slots = DAY_MIN // (visits.slot_min or DAY_MIN)
    early = int(visits.slot.min()) // slots
    day = visits.slot // slots - early
    span = int(day.max()) + 1
    people = np.bincount(np.unique(visits.owner * span + day) % span, minlength=span)
    first = int(np.convolve(people, np.ones(days, np.int64))[days - 1 :].argmax())
    busiest = some_rows(visits, (day >= first) & (day < first + days), "busiest days", "other days")
    return replace(busiest, slot=busiest.slot - (early + first) * slots, start=None)


def slotted_anew(visits: Visits, slot_min: int) -> Visits:
    """The most frequent cell of each longer slot, ties to the lowest id [xu2017, Sec. 5.1].

    >>> half = Visits.from_arrays([7] * 4, cell=[5, 3, 5, 4], slot=[0, 1, 2, 3], slot_min=30)
    >>> slotted_anew(half, 90).cell.tolist()
    [5, 4]
    """
    times = slot_min // (visits.slot_min or slot_min)
    span = int(visits.slot.max(initial=0)) // times + 1
    key, cell, votes = tallied(visits.owner * span + visits.slot // times, visits.cell)
    first = np.lexsort((cell, -votes, key))
    winner = first[np.diff(key, prepend=-1) > 0]  # sorted by key already, so that each begins where the key changes
    user, slot = np.divmod(key[winner], span)
    ledger = visits.ledger.add(
        "slotted anew",
        read=visits.records,
        kept=len(winner),
        dropped={"same slot": visits.records - len(winner)},
        users=(len(visits), len(visits)),
    )
    offsets = offsets_of(user, len(visits))
    return replace(visits, offsets=offsets, cell=cell[winner], slot=slot, slot_min=slot_min, ledger=ledger)


def blocks(xy: Floats, size: float) -> Ints:
    """A region of about `size` places for each place: halves of halves, cut across the longer side.

    >>> blocks(np.array([[0, 0], [1, 0], [10, 0], [11, 0]]), 2).tolist()
    [0, 0, 1, 1]
    """
    region, parts = np.zeros(len(xy), np.int64), [np.arange(len(xy))]
    done: list[Ints] = []
    while parts:
        part = parts.pop()
        if len(part) <= max(1.5 * size, 1):
            done.append(part)
            continue
        axis = int(np.ptp(xy[part], axis=0).argmax())
        ranked = part[np.lexsort((part, xy[part, axis]))]
        parts += [ranked[len(part) // 2 :], ranked[: len(part) // 2]]
    for number, part in enumerate(done):
        region[part] = number
    return region


class Printed(NamedTuple):
    """A share as printed for the two datasets; None where the text has none for the application."""

    operator: float
    application: float | None

    def known(self) -> list[tuple[str, float]]:
        """By dataset, as far as there are numbers."""
        return [(kind, value) for kind, value in zip(KINDS, self, strict=True) if value is not None]

    def beside(self, kind: str | None) -> tuple[float, float] | None:
        """The number of the dataset a city stands for; the range of both for other data."""
        values = [value for of, value in self.known() if kind in (None, of)]
        return (min(values), max(values)) if values else None


TOP_1, TOP_5 = Printed(0.36, 0.76), Printed(0.83, None)  # Fig. 2
UNIQUE_3, UNIQUE_5 = Printed(0.67, None), 0.95  # Fig. 3, originals
ONE_TOWER, NIGHT_TOP = Printed(0.62, 0.88), Printed(0.89, 0.95)  # Figs. 4 and 5
WITHIN = Printed(0.74, 0.93)  # Fig. 6, of the limits above
NIGHT, WHOLE = Printed(0.95, 0.98), Printed(0.73, 0.91)  # Fig. 8a
FAR, BETWEEN = Printed(0.21, 0.08), Printed(0.06, 0.01)  # Fig. 8b
UNIQUE_2 = 0.95  # Fig. 8c, recovered
DISTRICT_WHOLE, DISTRICT_2 = Printed(0.89, None), Printed(0.62, None)  # Fig. 9
STATIONS, STATIONS_TO_DISTRICT = 8000, 100  # Secs. 3.1 and 5.3
SLOW_WHOLE, SLOW_2 = Printed(0.82, None), Printed(0.98, None)  # Fig. 10, 180 min
SMALL, LARGE = (1000, 0.99), (100_000, 0.5)  # Fig. 11, users and accuracy
STABLE_2 = 0.85  # Fig. 11b


def people(scene: Scene, where: str, what: str, printed: Printed, ours: float, why: str = "") -> list[Statement]:
    """A statistic of the people themselves."""
    theirs = printed.beside(scene.kind)
    if theirs is None:
        return []
    reason = why or (OTHER if scene.kind is None else CALM if scene.calm else FIXED)
    return [share(where, named(scene, what), theirs, ours, reason)]


def attacked(
    scene: Scene, where: str, what: str, printed: Printed, ours: float, *, good: bool = True, why: str = ""
) -> list[Statement]:
    """A result of the attack, good or bad for it; a city that was picked by the attack is shown and not judged."""
    theirs = printed.beside(scene.kind)
    if theirs is None:
        return []
    if scene.calm:
        text = " to ".join(percent(value, 0) for value in sorted(set(theirs)))
        return [apart(where, named(scene, what), text, CHOSEN, ours=percent(ours, 0))]
    less = ours < theirs[0] if good else ours > theirs[1]
    why = why or (TOGETHER if less and scene.kind is not None else few(scene))
    return [share(where, named(scene, what), theirs, ours, why)]


def alike(scene: Scene) -> str:
    """Why people as many as in the paper give another number."""
    return OTHER if scene.kind is None else CALM if scene.calm else FIXED


def few(scene: Scene) -> str:
    """Why places are shared by fewer people than in the paper, if there are fewer."""
    if scene.kind is None or scene.users >= PEOPLE[scene.kind]:
        return alike(scene)
    return f"{scene.users:,} people instead of {PEOPLE[scene.kind]:,}: fewer share a place"


def named(scene: Scene, what: str) -> str:
    """With the city it is said of."""
    return what if scene.kind is None else f"{what} ({scene.name})"


def crowd(scenes: Sequence[Scene]) -> str:
    """How many people a figure shows."""
    sizes = sorted({scene.users for scene in scenes})
    each = " each" if len(scenes) > 1 else ""
    return f"n = {' or '.join(f'{size:,}' for size in sizes)} people{each}"


def convention(scenes: Sequence[Scene], text: str) -> str:
    """With how the made-up cities came about."""
    return f"{text} {CITIES_SAID}" if scenes[0].kind else text


def listed(values: dict[str, float]) -> str:
    """Shares by city, in words."""
    return ", ".join(
        f"{percent(value, 0)} ({name})" if len(values) > 1 else percent(value, 0) for name, value in values.items()
    )


def theirs(at: float, printed: Printed) -> list[Line]:
    """What the paper prints at one place of the axis."""
    return [Line(f"paper: {kind}", (at,), (value,), style="hollow") for kind, value in printed.known()]
