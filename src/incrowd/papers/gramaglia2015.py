"""[gramaglia2015]: its figures on any dataset, and what its text says beside what the data say."""

from dataclasses import dataclass
from pathlib import Path

from incrowd import report
from incrowd.data import Fingerprints
from incrowd.data.files import whole_file
from incrowd.papers.gramaglia2015_accuracy import figure_7, figure_8, figure_9
from incrowd.papers.gramaglia2015_cost import HidingCost, hiding_cost
from incrowd.papers.gramaglia2015_data import QUICK_USERS, Run, generalized, hide, some_users, synthetic
from incrowd.papers.gramaglia2015_gaps import GRAINS, K, figure_3, figure_4, figure_5
from incrowd.papers.gramaglia2015_general import DAYS, SHARES, figure_10, figure_11
from incrowd.papers.gramaglia2015_record import Figure, Statement
from incrowd.plain import to_json
from incrowd.report.curves import drawing

HIDDEN = (2, 3, 5)

__all__ = [
    "Figure",
    "HidingCost",
    "Reproduction",
    "Run",
    "Statement",
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
]


@dataclass(frozen=True)
class Reproduction:
    """All figures from one dataset, and what hiding its people costs."""

    name: str
    users: int
    samples: int
    figures: tuple[Figure, ...]
    cost: HidingCost

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Everything the text says, figure by figure."""
        return tuple(said for figure in self.figures for said in figure.statements)


def reproduce(
    fingerprints: Fingerprints | None = None, *, name: str = "the data", quick: bool = False, seed: int = 0
) -> Reproduction:
    """Figures 3 to 11 of the paper, from a synthetic country unless fingerprints are given.

    `quick` takes a few hundred people and fewer settings, which is enough to see the figures and takes seconds.
    """
    if fingerprints is None:
        fingerprints, name = synthetic(quick=quick, seed=seed), "a synthetic country"
    data = some_users(fingerprints, users=QUICK_USERS, seed=seed) if quick else fingerprints
    runs = [hide(data, k=k) for k in HIDDEN if k <= max(len(data), 2)]
    figures = (
        figure_3(data, k=K[:3] if quick else K),
        figure_4(data, grains=GRAINS[::2] if quick else GRAINS),
        figure_5(data),
        figure_7(runs[0]),
        figure_8(runs),
        figure_9(runs),
        figure_10(data, days=DAYS[::2] if quick else DAYS),
        figure_11(data, shares=SHARES[2::2] if quick else SHARES, seed=seed),
    )
    return Reproduction(name, len(data), data.records, figures, hiding_cost(runs))


def save(found: Reproduction, folder: str | Path) -> Path:
    """Write a report, and each panel as SVG with the JSON it was drawn from beside it; older ones are replaced."""
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    for panel in (panel for figure in found.figures for panel in figure.panels):
        for suffix, text in (("json", to_json(panel, indent=1)), ("svg", drawing(panel).svg)):
            with whole_file(folder / f"figure-{panel.name}.{suffix}", force=True) as part:
                part.write_text(f"{text}\n", encoding="utf-8")
    title = f"k-gap and GLOVE on {found.name}"
    report.write(folder / "report.html", *found.figures, found.cost, title=title, force=True)
    return folder
