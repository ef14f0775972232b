"""[gramaglia2015]: its figures on any dataset, and what its text says beside what the data say."""

from incrowd.data import Fingerprints
from incrowd.data.table import some_people
from incrowd.errors import public
from incrowd.papers.gramaglia2015 import table2
from incrowd.papers.gramaglia2015.accuracy import SHARES, SHORTENED, figure_7, figure_8, figure_9, figure_10, figure_11
from incrowd.papers.gramaglia2015.cost import PARTS, HidingCost, ShardCost, hiding_cost, shard_cost
from incrowd.papers.gramaglia2015.data import QUICK_USERS, NamedPrints, Run, generalized, hide, synthetic, table_1
from incrowd.papers.gramaglia2015.gaps import GRAINS, K, figure_3, figure_4, figure_5
from incrowd.papers.gramaglia2015.table2 import Table2
from incrowd.papers.record import Figure, Reproduction, Statement, save

HIDDEN = (2, 3, 5)

__all__ = [
    "Figure",
    "HidingCost",
    "Reproduction",
    "Run",
    "ShardCost",
    "Statement",
    "Table2",
    "figure_3",
    "figure_4",
    "figure_5",
    "figure_7",
    "figure_8",
    "figure_9",
    "figure_10",
    "figure_11",
    "generalized",
    "hide",
    "hiding_cost",
    "reproduce",
    "save",
    "shard_cost",
    "table_1",
]


@public
def reproduce(
    fingerprints: Fingerprints | None = None, *, name: str = "the data", quick: bool = False, seed: int = 0
) -> Reproduction:
    """The tables and figures of the paper, each of its statements beside what these data say.

    Args:
        fingerprints: Fingerprints of at least two people; a synthetic country if None.
        name: What a report calls the data.
        quick: Take a few hundred people and fewer settings, which takes seconds.
        seed: Seed of every random choice.
    """
    made_up = fingerprints is None
    if fingerprints is None:
        fingerprints, name = synthetic(quick=quick, seed=seed), "a synthetic country"
    data = some_people(fingerprints, people=QUICK_USERS, seed=seed) if quick else fingerprints
    runs = [hide(data, k=k) for k in HIDDEN if k <= max(len(data), 2)]
    figures = (
        table_1(data),
        figure_3(data, k=K[:3] if quick else K),
        figure_4(data, grains=GRAINS[::2] if quick else GRAINS),
        figure_5(data),
        figure_7(runs[0]),
        figure_8(runs),
        figure_9(runs),
        figure_10(data, days=SHORTENED[::2] if quick else SHORTENED),
        figure_11(data, shares=SHARES[2::2] if quick else SHARES, seed=seed),
    )
    beside = (
        hiding_cost(runs),
        shard_cost(data, parts=PARTS[:2] if quick else PARTS),
        _table_2(data, "country" if made_up else name, quick=quick, seed=seed),
    )
    return Reproduction("gramaglia2015", "k-gap and GLOVE", name, len(data), data.records, figures, beside)


def _table_2(data: Fingerprints, name: str, *, quick: bool, seed: int) -> Table2:
    """W4M-LC beside GLOVE on some of these people."""
    sampled = some_people(data, people=table2.QUICK_USERS if quick else table2.USERS, seed=seed)
    sizes = [k for k in table2.K if k <= len(sampled)]
    return table2.compared([NamedPrints(name, sampled)], k=sizes, seed=seed)
