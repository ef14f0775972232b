"""The tables and figures of five papers on any dataset: what the paper prints beside what these data say.

Each paper takes one noun:

    song2014       Visits         slots of 15 minutes, cells the size of an antenna's
    tan2017        Traces         in log order if disorder should be counted
    mohammed2009   Visits         slots that divide the day; it looks at a typical day
    gramaglia2015  Fingerprints   100 m and 1 min
    xu2017         Visits         slots that divide 6 hours, with places; the finer the slots, the nearer to records

`incrowd.papers.song2014` and its like hold a function for each figure and `reproduce` for all of them. A new paper is
one module of its name and one line in `PAPERS`.

>>> PAPERS["song2014"].takes
'Visits'
"""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from incrowd.data import Fingerprints, Traces, Visits
from incrowd.errors import ParameterError, check_choice, check_seed, public
from incrowd.papers.record import Figure, Reproduction, Statement, save
from incrowd.read.city.people import ProfileName

__all__ = ["PAPERS", "Figure", "Paper", "Reproduction", "Statement", "reproduce", "save"]

Key = Literal["song2014", "tan2017", "mohammed2009", "gramaglia2015", "xu2017"]


@dataclass(frozen=True)
class Paper:
    """A paper, and how files become the noun it takes.

    Args:
        key: Its name here, as in `docs/references.bib`.
        title: What it is about.
        takes: The noun that its figures are made from.
        cell_m: Side of the cells on which trajectories become visits.
        slot_min: Minutes of a slot of these visits.
    """

    key: Key
    title: str
    takes: Literal["Visits", "Traces", "Fingerprints"]
    cell_m: int = 100
    slot_min: int = 1


PAPERS: dict[str, Paper] = {
    paper.key: paper
    for paper in (
        Paper("song2014", "Not so unique in the crowd: uniqueness and cutting", "Visits", cell_m=1000, slot_min=15),
        Paper("tan2017", "Re-identification of vehicles: resolutions of space and time", "Traces"),
        Paper("mohammed2009", "Walking in the crowd: LKC-privacy", "Visits", cell_m=500, slot_min=60),
        Paper("gramaglia2015", "Hiding mobile traffic fingerprints: k-gap and GLOVE", "Fingerprints"),
        Paper("xu2017", "Trajectory recovery from ash: trajectories reconstructed from counts", "Visits", 500, 1),
    )
}


class _PaperOptions(TypedDict, total=False):
    """What some papers take beside the others."""

    cache: str | Path | None
    time_zone: str | None
    box: tuple[float, float, float, float] | None
    keep_zero: bool
    sensitive: str | None
    cities: Sequence[ProfileName]


@public
def reproduce(
    paper: Key,
    data: Visits | Traces | Fingerprints | None = None,
    *,
    name: str = "the data",
    quick: bool = False,
    full: bool = False,
    seed: int = 0,
    **options: Unpack[_PaperOptions],
) -> Reproduction:
    """All tables and figures of a paper, each of its statements beside what these data say.

    Args:
        paper: Which paper.
        data: The noun that it takes; made-up data if None.
        name: What a report calls the data.
        quick: Take few people and few settings, which takes seconds.
        full: Make up as many people as the paper has, which takes minutes to hours; not with data or `quick`.
        seed: Seed of every random choice.
        cache: Of tan2017 and gramaglia2015: folder of finished parts, to go on after a stop.
        time_zone: Of tan2017: zone whose wall clock days and slots follow; UTC if None.
        box: Of tan2017: west, south, east and north of the box that blocks divide; that of the data if None.
        keep_zero: Of tan2017: keep records at (0, 0).
        sensitive: Of mohammed2009: attribute to protect; a synthetic one if None.
        cities: Of xu2017: which of the made-up cities.

    >>> result = reproduce("mohammed2009", quick=True)
    >>> print(result.figures[0].answer)
    14 of 14 printed numbers are reproduced.
    """
    check_choice("paper", paper, tuple(PAPERS))
    check_seed(seed=seed)
    if full and (quick or data is not None):
        raise ParameterError("full is about made-up data at the size of the paper; leave out quick and the data.")
    call = import_module(f"incrowd.papers.{paper}").reproduce
    for option in options:
        if option not in inspect.signature(call).parameters:
            raise ParameterError(f"{paper} takes no option {option!r}; leave it out.")
    reproduction: Reproduction = call(data, name=name, quick=quick, full=full, seed=seed, **options)
    return reproduction


def __getattr__(key: str) -> Any:
    if key in PAPERS:
        return import_module(f"incrowd.papers.{key}")
    raise AttributeError(f"module 'incrowd.papers' has no attribute {key!r}")
