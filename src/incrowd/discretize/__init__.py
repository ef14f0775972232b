"""Traces -> Visits | Fingerprints; Visits -> Counts | windows.

grid           squares of cell_m in an equal-area plane
alike          the squares and slots of other visits
blocks         blocks x blocks equal parts of a box
towers         the nearest tower, gaps filled on request
zones          a custodian's own polygons
fingerprints   boxes of space and time, the unit of GLOVE
filled         one cell for every user in every slot, gaps interpolated
counts         people per cell and slot
windows        one piece per user and time window
"""

from incrowd.discretize._blocks import blocks
from incrowd.discretize._counts import counts, filled
from incrowd.discretize._grid import alike, fingerprints, grid
from incrowd.discretize._towers import towers
from incrowd.discretize._windows import Windows, windows
from incrowd.discretize._zones import zones

__all__ = ["Windows", "alike", "blocks", "counts", "filled", "fingerprints", "grid", "towers", "windows", "zones"]
