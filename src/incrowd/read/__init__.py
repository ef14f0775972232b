"""Files and frames -> Traces; the synthetic city.

table           CSV, Parquet, GPX, data frames -> Traces
parts           the same, piece by piece, for data larger than memory
saved           a Parquet file saved by incrowd -> what was saved
visits          a table of user, cell, slot -> Visits
release         a release folder -> what it publishes
towers          a table of towers -> their coordinates
counts          published counts, and where their cells are -> Counts
regions         the region of each tower or cell
synthetic_city  people who live, work and move in a city that does not exist
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from incrowd.read.parts import parts

if TYPE_CHECKING:
    from incrowd.data import load as saved
    from incrowd.read.aggregates import counts, regions
    from incrowd.read.city import City, synthetic_city
    from incrowd.read.layouts import LAYOUTS, Layout
    from incrowd.read.places import towers
    from incrowd.read.releases import release
    from incrowd.read.tables import table
    from incrowd.read.visited import visits

__all__ = [
    "LAYOUTS",
    "City",
    "Layout",
    "counts",
    "parts",
    "regions",
    "release",
    "saved",
    "synthetic_city",
    "table",
    "towers",
    "visits",
]

_HOMES = {
    "City": "incrowd.read.city",
    "LAYOUTS": "incrowd.read.layouts",
    "Layout": "incrowd.read.layouts",
    "counts": "incrowd.read.aggregates",
    "regions": "incrowd.read.aggregates",
    "release": "incrowd.read.releases",
    "saved": "incrowd.data",
    "synthetic_city": "incrowd.read.city",
    "table": "incrowd.read.tables",
    "towers": "incrowd.read.places",
    "visits": "incrowd.read.visited",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), {"saved": "load"}.get(name, name))
    raise AttributeError(f"module 'incrowd.read' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
