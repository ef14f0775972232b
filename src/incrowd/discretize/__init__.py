"""Traces -> Visits | Fingerprints; Visits -> Counts | windows.

grid           squares of cell_m in an equal-area plane
alike          the squares and slots of other visits
blocks         blocks x blocks equal parts of a box
towers         the nearest tower, gaps filled on request
zones          a custodian's own polygons
fingerprints   boxes of space and time, the unit of GLOVE
filled         one cell for everybody in every slot, gaps interpolated
counts         people per cell and slot
windows        one piece per user and time window
"""

from incrowd.discretize.crowds import counts
from incrowd.discretize.cuts import Windows, windows
from incrowd.discretize.filling import filled
from incrowd.discretize.lattice import blocks
from incrowd.discretize.nearest import towers
from incrowd.discretize.polygons import zones
from incrowd.discretize.squares import alike, fingerprints, grid

__all__ = ["Windows", "alike", "blocks", "counts", "filled", "fingerprints", "grid", "towers", "windows", "zones"]
