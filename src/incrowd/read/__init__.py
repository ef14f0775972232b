"""Files and frames -> Traces; the synthetic city.

table           CSV, Parquet, GPX, data frames -> Traces
parts           the same, piece by piece, for data larger than memory
saved           a Parquet file saved by incrowd -> what was saved
visits          a table of user, cell, slot -> Visits
preview         what each column of a source holds, in counts alone
kind            what a source holds: records, visits, fingerprints, counts or a release
open            the noun that a source holds
release         a release folder -> what it publishes
towers          a table of towers -> their coordinates
counts          published counts, and where their cells are -> Counts
regions         the region of each tower or cell
synthetic_city  people who live, work and move in a city that does not exist
"""

from incrowd.data import load as saved
from incrowd.read._counts import counts, regions
from incrowd.read._kind import kind, open, release  # noqa: A004
from incrowd.read._parts import parts
from incrowd.read._preview import Preview, preview
from incrowd.read._table import table
from incrowd.read._towers import towers
from incrowd.read._visits import visits
from incrowd.read.city import City, synthetic_city
from incrowd.read.layouts import LAYOUTS, Layout

__all__ = [
    "LAYOUTS",
    "City",
    "Layout",
    "Preview",
    "counts",
    "kind",
    "open",
    "parts",
    "preview",
    "regions",
    "release",
    "saved",
    "synthetic_city",
    "table",
    "towers",
    "visits",
]
