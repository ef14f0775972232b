"""A release beside its original -> how much detail it loses, in one number for all methods."""

from dataclasses import dataclass, replace

import numpy as np

from incrowd.anonymize.w4m.points import sample_of
from incrowd.arrays import Floats, Ints
from incrowd.data import Fingerprints, Groups, Release, Traces, Visits
from incrowd.errors import DataError
from incrowd.kernels.types import METRES
from incrowd.measure.glove.accuracy import accuracy

CELL_M, MINUTE_S = 100, 60  # of a sample
LOST_M, LOST_MIN = METRES.space_cap, METRES.time_cap  # from here on a sample says nothing [gramaglia2015, Sec. 4.1]

MEANS = (
    "Every original sample is looked up in what is published: its position and time errors are the "
    "distances between both centres. Its loss is half its position error over 20 km plus half its time error over "
    "8 hours, each at most 1/2 [gramaglia2015, Eq. 1], and 1 if it is gone; coarse is the mean over all samples. "
    "Steps kept is the share of consecutive surviving samples of a person that still stand under one pseudonym, made "
    "up the share of what is published that stands for no record. The loss is 1 - (1 - coarse) x steps kept x "
    "(1 - made up), between 0 (the original) and 1 (nothing is left)."
)


@dataclass(frozen=True, eq=False, repr=False)
class Visible:
    """What a release shows: box b, half-open from low[b] to high[b] in (x, y, t), belongs to published row[b]."""

    row: Ints
    low: Floats  # [boxes, 3] metres, metres, UTC seconds
    high: Floats
    members: Groups

    @property
    def middle(self) -> Floats:
        """The centre of each box, what a user of the data would take for the place and time."""
        return (self.low + self.high) / 2


def visible(release: Release) -> Visible:
    """Fingerprints and visits as the boxes they are; points as samples of a cell and a minute around them.

    >>> from incrowd import Visits
    >>> visits = Visits.from_arrays([4], cell=[0], slot=[2], xy=[[50, 50]], slot_min=10, start=0)
    >>> from dataclasses import replace
    >>> one = Release.from_arrays(replace(visits, cell_m=100), members=[[0]])
    >>> visible(one).low.tolist(), visible(one).high.tolist()
    ([[0.0, 0.0, 1200.0]], [[100.0, 100.0, 1800.0]])
    """
    data = release.data
    if isinstance(data, Fingerprints):
        low, high = boxes_of(data)
    elif isinstance(data, Visits):
        low, high = _squares(data)
    elif isinstance(data, Traces) and data.planar:
        middle, half = np.column_stack([*data.coordinates, data.t]), np.array([CELL_M, CELL_M, MINUTE_S]) / 2
        low, high = middle - half, middle + half
    else:
        raise DataError(f"a release of {type(data).__name__} cannot be compared; it needs places in metres.")
    return Visible(data.owner, low, high, release.members)


def boxes_of(prints: Fingerprints) -> tuple[Floats, Floats]:
    """Corners in metres and UTC seconds."""
    start = prints.start or 0
    low = np.column_stack([prints.x, prints.y, start + 60 * prints.t]).astype(np.float64)
    return low, low + np.column_stack([prints.dx, prints.dy, 60 * prints.dt])


def _squares(visits: Visits) -> tuple[Floats, Floats]:
    if visits.xy is None or visits.cell_m is None or visits.slot_min is None:
        raise DataError("visits without squares and a clock cannot be compared; discretize with grid.")
    middle, slot_s = visits.xy[visits.cell], 60 * visits.slot_min
    when = (visits.start or 0) + visits.slot * slot_s
    low = np.column_stack([middle - visits.cell_m / 2, when])
    return low, low + np.array([visits.cell_m, visits.cell_m, slot_s])


@dataclass(frozen=True, eq=False, repr=False)
class Fate:
    """What became of each original sample: its published row (-1 when gone), and how far off it is there."""

    row: Ints
    position_m: Floats  # nan when gone
    time_min: Floats
    created: int = 0  # published points that stand for no sample
    published: int = 1
    place_m: float | None = None  # mean side of a published place; None if nothing is published
    width_min: float | None = None  # mean length of a published time

    def numbers(self, prints: Fingerprints) -> dict[str, float | None]:
        """By name, for a table."""
        kept = self.row >= 0
        steps = _steps(self.row, prints)
        made_up = self.created / max(self.published, 1)
        coarse = _coarse(self.position_m, self.time_min)
        return {
            "loss": 1 - (1 - coarse) * steps * (1 - made_up),
            "position_m": float(self.position_m[kept].mean()) if kept.any() else None,
            "time_min": float(self.time_min[kept].mean()) if kept.any() else None,
            "kept": float(kept.mean()),
            "people": len(np.unique(prints.owner[kept])) / len(prints),
            "place_m": self.place_m,
            "width_min": self.width_min,
            "steps": steps,
            "made_up": made_up,
            "coarse": coarse,
        }


def fate(release: Release, prints: Fingerprints, what: Visible) -> Fate:
    """Follow every sample of the original, whose people are the positions of the release.

    >>> from incrowd.anonymize import Glove
    >>> two = Fingerprints.from_arrays([1, 2], x=[0, 1000], y=[0, 0], t=[0, 40])
    >>> release = Glove(k=2)(two)
    >>> fate(release, two, visible(release)).position_m.tolist()
    [500.0, 500.0]
    """
    place_m, width_min = _sizes(what)
    return replace(_followed_in(release, prints, what), place_m=place_m, width_min=width_min)


def _followed_in(release: Release, prints: Fingerprints, what: Visible) -> Fate:
    if isinstance(release.data, Fingerprints):
        return _in_boxes(release, prints)
    if isinstance(release.data, Visits):
        return _in_squares(release.data, prints, what)
    if isinstance(release.data, Traces):
        return _moved(release, release.data, prints, what)
    raise DataError(f"the loss of a release of {type(release.data).__name__} is not defined.")


def _sizes(what: Visible) -> tuple[float | None, float | None]:
    """How large published places and times are on average, in metres and minutes."""
    size = what.high - what.low
    return (float(size[:, :2].max(axis=1).mean()), float(size[:, 2].mean()) / 60) if len(size) else (None, None)


def _in_boxes(release: Release, prints: Fingerprints) -> Fate:
    errors, box = accuracy(release, prints), release.provenance["box"]
    kept = box >= 0
    row = np.full(len(box), -1)
    row[kept] = release.provenance["boxes"]["group"][box[kept]]
    position_m, time_min = np.full((2, prints.records), np.nan)
    position_m[kept], time_min[kept] = errors.pos_center, errors.time_center
    return Fate(row, position_m, time_min, published=release.data.records)


def _in_squares(visits: Visits, prints: Fingerprints, what: Visible) -> Fate:
    """A visit of the same person holds the sample, or none does; squares of one grid do not overlap."""
    at = _centres(prints)
    side, slot_s = float(visits.cell_m or 1), 60 * int(visits.slot_min or 1)
    person = what.members.positions[what.row]  # a published row of visits is of one person
    place = np.concatenate([at, what.middle])
    place[:, 2] -= visits.start or 0
    square = np.floor(place / [side, side, slot_s]).astype(np.int64)
    key = np.column_stack([np.concatenate([prints.owner, person]), square])
    same = np.unique(key, axis=0, return_inverse=True)[1].ravel()
    box = np.full(int(same.max()) + 1, -1)
    box[same[len(at) :]] = np.arange(len(person))
    box = box[same[: len(at)]]
    return _followed(np.flatnonzero(box >= 0), box[box >= 0], what, what.middle, at, visits.records)


def _moved(release: Release, traces: Traces, prints: Fingerprints, what: Visible) -> Fate:
    """A sample is where it is shown first; what is shown again was made up."""
    # The release was made of the centres of the samples, so that its rows of origin are theirs.
    sample, first = np.unique(sample_of(prints)[release.provenance["source"]], return_index=True)
    shown_at = np.column_stack([*traces.coordinates, traces.t]).astype(np.float64)
    followed = _followed(sample, first, what, shown_at, _centres(prints), traces.records)
    return replace(followed, created=traces.records - len(sample))


def _followed(sample: Ints, box: Ints, what: Visible, shown_at: Floats, at: Floats, published: int) -> Fate:
    """These samples are in these boxes, the others nowhere."""
    row, away = np.full(len(at), -1), np.full((len(at), 3), np.nan)
    row[sample] = what.row[box]
    away[sample] = shown_at[box] - at[sample]
    return Fate(row, np.hypot(away[:, 0], away[:, 1]), np.abs(away[:, 2]) / 60, published=published)


def _centres(prints: Fingerprints) -> Floats:
    low, high = boxes_of(prints)
    return (low + high) / 2


def _steps(row: Ints, prints: Fingerprints) -> float:
    """Of the surviving samples next to each other, the share under one pseudonym; 1 if there is nothing to cut."""
    kept = row >= 0
    owner, row = prints.owner[kept], row[kept]
    next_to = owner[1:] == owner[:-1]
    return float((row[1:] == row[:-1])[next_to].mean()) if next_to.any() else 1.0


def _coarse(position_m: Floats, time_min: Floats) -> float:
    off = np.minimum(position_m / LOST_M, 1) / 2 + np.minimum(time_min / LOST_MIN, 1) / 2
    return float(np.where(np.isnan(off), 1, off).mean())
