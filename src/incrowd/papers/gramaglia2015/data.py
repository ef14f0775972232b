"""[gramaglia2015]: Table 1 and Figures 1, 2 and 6, which explain and measure nothing."""

from dataclasses import dataclass, replace

import numpy as np

from incrowd.anonymize.glove import Glove
from incrowd.arrays import Floats, Ints
from incrowd.clock import DAY_MIN
from incrowd.data import Fingerprints
from incrowd.data.table import some_rows
from incrowd.errors import ParameterError, check_whole
from incrowd.kernels.types import METRES
from incrowd.measure.glove.accuracy import Accuracy, accuracy
from incrowd.measure.glove.section import EXTENT
from incrowd.papers.record import OTHER, Figure, apart, claim
from incrowd.read import synthetic_city

USERS, QUICK_USERS = 2000, 300
DAYS = 14  # of each dataset [gramaglia2015, Sec. 3]
PEOPLE = (82_000, 320_000)  # of d4d-civ and d4d-sen
THEIR_SIZES = " and ".join(f"{n:,}" for n in PEOPLE)
LIMIT_M, LIMIT_MIN = 15_000, 360  # the thresholds of Table 2
FINE_M, FINE_MIN = 2000, 120  # what the text calls accurate
BEFORE = "boxes before reshaping, leftover merged"
CONVENTION = f"{EXTENT} Boxes are those before reshaping; a last group of too few is merged with its nearest."


@dataclass(frozen=True, repr=False)
class Run:
    """One run of GLOVE without suppression: its accuracy, and each person's mean effort in [0, 1]."""

    k: int
    users: int
    accuracy: Accuracy
    effort: Floats
    owner: Ints  # of each sample

    def __repr__(self) -> str:
        return f"Run(k={self.k}, users={self.users:,})"


def synthetic(*, quick: bool = False, seed: int = 0) -> Fingerprints:
    """Two weeks of calls in a made-up country, in place of the paper's data."""
    city = synthetic_city(users=QUICK_USERS if quick else USERS, profile="cdr", days=DAYS, seed=seed)
    return city.fingerprints()


def hide(fingerprints: Fingerprints, *, k: int) -> Run:
    """Run GLOVE and keep what its figures need.

    A person's effort is the mean of Eq. 1 over their samples, each stretched to the box that hides it.

    >>> two = Fingerprints.from_arrays([1, 2], x=[0, 4000], y=[0, 0], t=[0, 96])
    >>> hide(two, k=2).effort.tolist()
    [0.2, 0.2]
    """
    if len(fingerprints) < k:
        raise ParameterError(f"hiding among {k} needs at least {k} people, and there are {len(fingerprints)}.")
    errors = accuracy(Glove(k=k)(fingerprints), fingerprints)
    space = np.minimum(errors.pos_stretch / METRES.space_cap, 1)
    time = np.minimum(errors.time_stretch / METRES.time_cap, 1)
    samples = np.diff(fingerprints.offsets)
    effort = np.bincount(fingerprints.owner, (space + time) / 2, len(fingerprints)) / samples
    return Run(k, len(fingerprints), errors, effort, fingerprints.owner)


def generalized(fingerprints: Fingerprints, *, cell_m: int, slot_min: int) -> Fingerprints:
    """Every sample blown up to whole cells and slots; equal ones of a person collapse [gramaglia2015, Sec. 5.2].

    >>> two = Fingerprints.from_arrays([1, 1], x=[0, 1900], y=[0, 0], t=[0, 59])
    >>> generalized(two, cell_m=2000, slot_min=60).records
    1
    """
    check_whole(cell_m=cell_m, slot_min=slot_min)
    box: dict[str, Ints] = {}
    for low, length, grain in (("x", "dx", cell_m), ("y", "dy", cell_m), ("t", "dt", slot_min)):
        start, side = getattr(fingerprints, low), getattr(fingerprints, length)
        box[low] = start // grain * grain
        box[length] = -(-(start + side) // grain) * grain - box[low]
    return _grouped(fingerprints, fingerprints.owner, box)


def first_days(fingerprints: Fingerprints, *, days: int) -> Fingerprints:
    """The samples that begin in the first days, counted from midnight; people without one are left out."""
    check_whole(days=days)
    return some_rows(
        fingerprints, fingerprints.t < (first_day(fingerprints) + days) * DAY_MIN, "first days", "outside the period"
    )


def days_of(fingerprints: Fingerprints) -> int:
    """Days from the first to the last sample, both counted."""
    return int(fingerprints.t.max()) // DAY_MIN - first_day(fingerprints) + 1


def first_day(fingerprints: Fingerprints) -> int:
    """The day of the first sample."""
    return int(fingerprints.t.min()) // DAY_MIN


def _grouped(like: Fingerprints, owner: Ints, box: dict[str, Ints]) -> Fingerprints:
    left, code = np.unique(owner, return_inverse=True)
    made = Fingerprints.from_codes(
        like.users[left], code, box, people=like.crowd[left], start=like.start, read=len(code)
    )
    return replace(made, crs=like.crs)


DRAWN = "a drawing"


def table_1(fingerprints: Fingerprints) -> Figure:
    """How large the data are beside the paper's, and why its examples cannot be measured."""
    people, days = len(fingerprints), days_of(fingerprints)
    size = "needs as many people"
    return Figure(
        paper="gramaglia2015",
        number="Table 1 and Figures 1, 2 and 6",
        question="What is in the data?",
        answer=f"{people:,} people with {fingerprints.records:,} samples over {days:,} days.",
        panels=(),
        statements=(
            apart("Sec. 3", "people", THEIR_SIZES, size, ours=f"{people:,}"),
            claim("Sec. 3", "days of each dataset", f"{DAYS}", f"{days:,}", days == DAYS, OTHER),
            apart("Table 1", "fingerprints of three people", "listed", "an example in symbols, without numbers"),
            apart("Fig. 1", "the same people on a map", DRAWN, "an illustration of what generalization does"),
            apart("Fig. 2", "stretch of two samples", DRAWN, "the definition of Eqs. 4 to 9, which is computed here"),
            apart("Fig. 6", "merging and reshaping", DRAWN, "an illustration of two steps of GLOVE"),
        ),
        convention="Days are from the first to the last sample, both counted.",
        users=people,
    )
