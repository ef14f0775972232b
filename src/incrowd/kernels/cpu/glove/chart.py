"""The regions of a country, and a chart of how far each is from everybody.

A chart makes a bound in space of one fingerprint against all others a sum over a few of its rows.
"""

import numpy as np
from numpy.typing import NDArray

from incrowd.kernels.cpu import helper

Short = NDArray[np.int32]
Bytes = NDArray[np.uint8]

SIDE = 45  # strips of regions, and regions in a strip
EDGE = 1 << 30  # beyond every coordinate


def divide(rectangles: Short) -> tuple[NDArray[np.uint16], Short]:
    """The region of every rectangle: one of its own if there are few different ones, else some neighbours share it.

    And rows x, x end, y, y end of each region, and the smallest width and height in it; region 0 is everywhere.
    """
    distinct, which = np.unique(rectangles.T, axis=0, return_inverse=True)
    count = len(distinct)
    strip = np.arange(count) // -(-count // SIDE)
    order = np.lexsort((distinct[:, 2], strip))
    begin = np.arange(0, count, -(-count // SIDE**2))
    rank = np.empty(count, np.uint16)
    rank[order] = 1 + np.repeat(np.arange(len(begin)), np.diff(np.append(begin, count)))
    x, x_end, y, y_end = distinct[order].T
    low, high = np.minimum.reduceat, np.maximum.reduceat
    hulls = [low(x, begin), high(x_end, begin), low(y, begin), high(y_end, begin)]
    widths = [low(x_end - x, begin), low(y_end - y, begin)]
    anywhere = np.array([[-EDGE, EDGE, -EDGE, EDGE, 0, 0]], np.int32)
    return rank[which.ravel()], np.ascontiguousarray(np.concatenate([anywhere, np.column_stack(hulls + widths)]).T)


@helper
def step_of(cap: int) -> int:
    """The unit of a chart, in which a byte holds the cap."""
    return int(cap) // 0xFF + 1


@helper
def draw(chart: Bytes, slot: int, regions: Short, rectangle: Short, first: int, stop: int, cap: int) -> None:
    """Chart how far each region is from the rectangles of a slot, which are first : stop.

    Boxes that do not overlap are stretched by the gap between them and at least by the narrower of the two.
    """
    least = np.empty(chart.shape[0], np.int32)
    for r in range(len(least)):
        least[r] = cap
    x0, x1, y0, y1, wide, high = regions[0], regions[1], regions[2], regions[3], regions[4], regions[5]
    for k in range(first, stop):
        left, right, down, up = rectangle[0, k], rectangle[1, k], rectangle[2, k], rectangle[3, k]
        for r in range(len(least)):
            x = max(x0[r] - right, left - x1[r])
            y = max(y0[r] - up, down - y1[r])
            x = x + min(wide[r], right - left) if x >= 0 else 0
            y = y + min(high[r], up - down) if y >= 0 else 0
            least[r] = min(least[r], x + y)
    step = np.int32(step_of(cap))
    for r in range(len(least)):
        chart[r, slot] = least[r] // step
