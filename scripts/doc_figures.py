"""Draw docs/figures/{uniqueness,risk_map,kgap,plan}.svg from the synthetic city of the tutorial."""

from pathlib import Path
from typing import Any

import incrowd as ic
from incrowd.report.figures import write_picture
from incrowd.show import section_of

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"


def main(folder: Path = FIGURES) -> None:
    for name, (result, panel) in results().items():
        write_picture(section_of(result).panel(panel), folder / f"{name}.svg", force=True)


def results() -> dict[str, tuple[Any, str]]:
    """Name of the file -> a result, and which of its panels is drawn."""
    city = ic.read.synthetic_city(users=200, towers=60, days=4, dirt=0.01)
    traces = ic.clean.displaced(ic.clean.order(ic.clean.duplicates(city.traces)), max_speed_kmh=150)
    traces = ic.clean.still_users(traces)
    visits = ic.discretize.towers(traces, city.towers, slot_min=60)
    squares = ic.discretize.grid(traces, cell_m=500, slot_min=60)
    curve = [ic.measure.uniqueness(visits, points=points) for points in range(1, 6)]
    return {
        "uniqueness": (curve, "uniqueness"),
        "risk_map": (ic.measure.risk_map(squares), "risk-map"),
        "kgap": (ic.measure.kgap(ic.discretize.fingerprints(traces, cell_m=500, slot_min=60)), "k-gap"),
        "plan": (ic.assess.plan(visits, windows_h=(1, 2, 6, 12, 24)), "plan"),
    }


if __name__ == "__main__":
    main()
