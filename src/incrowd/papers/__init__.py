"""One module per paper: its tables and figures, theirs beside ours, on any dataset.

Every module has `reproduce(data=None, *, name="the data", quick=False, seed=0) -> Reproduction`: without data it makes
up its own, `quick` takes seconds, `name` is what the report calls the data. Each paper takes one noun, and `time_zone`
if this has none of its own:

    song2014       Visits         slots of 15 minutes, cells the size of an antenna's
    tan2017        Traces         in log order where disorder should be counted
    mohammed2009   Visits         slots that divide the day; it looks at a typical day
    gramaglia2015  Fingerprints   100 m and 1 min
    xu2017         Visits         slots that divide 6 hours, with places; the finer the slots, the nearer to records

A new paper is one module of its name and one line in PAPERS; `record.save` writes its results to a folder.

>>> PAPERS["song2014"].takes
'Visits'
"""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from incrowd.papers.record import Reproduction


@dataclass(frozen=True)
class Paper:
    """A paper, and how files become the noun it takes; its module loads when it is called."""

    key: str
    title: str
    takes: Literal["Visits", "Traces", "Fingerprints"]
    cell_m: int = 100  # of the grid on which trajectories become visits
    slot_min: int = 1

    def __call__(
        self,
        data: Any = None,
        *,
        name: str = "the data",
        quick: bool = False,
        seed: int = 0,
        time_zone: str | None = None,
        **options: Any,
    ) -> "Reproduction":
        """All tables and figures of the paper; `time_zone` is that of trajectories, visits carry their own.

        `options` are those that this paper has beside the others.
        """
        module = import_module(f"incrowd.papers.{self.key}")
        clock = {"time_zone": time_zone} if self.takes == "Traces" else {}
        reproduction: Reproduction = module.reproduce(data, name=name, quick=quick, seed=seed, **clock, **options)
        return reproduction


PAPERS: dict[str, Paper] = {
    paper.key: paper
    for paper in (
        Paper("song2014", "Not so unique in the crowd: uniqueness and cutting", "Visits", cell_m=1000, slot_min=15),
        Paper("tan2017", "Re-identification of vehicles: resolutions of space and time", "Traces"),
        Paper("mohammed2009", "Walking in the crowd: LKC-privacy", "Visits", cell_m=500, slot_min=60),
        Paper("gramaglia2015", "Hiding mobile traffic fingerprints: k-gap and GLOVE", "Fingerprints"),
        Paper("xu2017", "Trajectory recovery from ash: people out of counts", "Visits", cell_m=500, slot_min=1),
    )
}

__all__ = ["PAPERS", "Paper"]
