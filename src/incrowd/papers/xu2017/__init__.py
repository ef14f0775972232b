"""[xu2017]: its figures on any dataset, and what its text says beside what the data say."""

from incrowd.data import Visits
from incrowd.papers.record import Reproduction
from incrowd.papers.xu2017.attack import figure_8
from incrowd.papers.xu2017.data import given, made_up
from incrowd.papers.xu2017.datasets import tables_1_2
from incrowd.papers.xu2017.factors import figure_9, figure_10, figure_11
from incrowd.papers.xu2017.moves import figure_4, figure_5, figure_6, figure_7
from incrowd.papers.xu2017.people import figure_2, figure_3

__all__ = [
    "figure_2",
    "figure_3",
    "figure_4",
    "figure_5",
    "figure_6",
    "figure_7",
    "figure_8",
    "figure_9",
    "figure_10",
    "figure_11",
    "reproduce",
    "tables_1_2",
]


def reproduce(
    data: Visits | None = None, *, name: str = "the data", quick: bool = False, seed: int = 0
) -> Reproduction:
    """Its tables and figures, from four synthetic cities unless visits with places and slots are given.

    Two cities move as the text says, and the attack fails on them; on two calmer ones it succeeds. `quick` takes a
    few hundred people and two days, which takes seconds.
    """
    if data is None:
        scenes, name = made_up(quick=quick, seed=seed), "synthetic cities"
    else:
        scenes = [given(data, name=name, quick=quick, seed=seed)]
    figures = (
        tables_1_2(scenes),
        figure_2(scenes),
        figure_3(scenes, seed=seed),
        figure_4(scenes),
        figure_5(scenes),
        figure_6(scenes),
        figure_7(scenes, seed=seed),
        figure_8(scenes),
        figure_9(scenes),
        figure_10(scenes),
        figure_11(scenes),
    )
    users, records = (sum(values) for values in zip(*((s.users, s.records.records) for s in scenes), strict=True))
    return Reproduction("xu2017", "Trajectories from counts", name, users, records, figures)
