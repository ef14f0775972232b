"""Records whose longitude and latitude seem to be exchanged."""

import warnings
from dataclasses import dataclass, field

import numpy as np

from incrowd.arrays import Floats
from incrowd.errors import IncrowdWarning

FAR = 10  # times the size of where the others are
_SAMPLE = 4096  # places of each side of each batch
_MOST = 16 * _SAMPLE
_SMALL = 0.01  # degrees: places that are closer are one town


@dataclass
class Exchanged:
    """Looks for records among which the two are exchanged, as in one of several files.

    To exchange longitude and latitude is to mirror a place in the line on which they are equal. Places that are
    compact lie on one side of it. Records on the other side are reported if the mirror puts them among those of the
    larger side (their box, and its width around it), at least ten times the diagonal of that box away from where they
    are. The box is that of the middle 98 %, but no further from the middle half than this is wide: strays do not
    stretch it. Where every record is exchanged there is nothing to compare with, and no warning.
    """

    count: list[int] = field(default_factory=lambda: [0, 0])
    _sample: list[Floats] = field(default_factory=lambda: [np.zeros((0, 2)), np.zeros((0, 2))])

    def add(self, lon: Floats, lat: Floats) -> None:
        """Take note of a batch."""
        above = lon > lat
        for side, many in enumerate((len(lon) - int(above.sum()), int(above.sum()))):
            if not many:
                continue
            rows = slice(None) if many == len(lon) else np.flatnonzero(above == bool(side))
            step = -(-many // _SAMPLE)
            places = np.column_stack((lon[rows][::step], lat[rows][::step]))
            self.count[side] += many
            known = np.concatenate([self._sample[side], places])
            self._sample[side] = known[:: -(-len(known) // _MOST)]

    @property
    def records(self) -> int:
        """About how many records are reported; exactly, of few."""
        if not min(self.count):
            return 0
        side = int(self.count[1] > self.count[0])
        others, places = self._sample[side], self._sample[1 - side]
        first, lower, middle, upper, last = np.quantile(others, (0.01, 0.25, 0.5, 0.75, 0.99), axis=0)
        half = np.maximum(upper - lower, _SMALL)
        low, high = np.maximum(first, lower - half), np.minimum(last, upper + half)
        size = np.maximum(high - low, _SMALL)
        diagonal = np.hypot(size[0] * np.cos(np.radians(middle[1])), size[1])
        mirrored = places[:, ::-1]
        among = ((mirrored >= low - size) & (mirrored <= high + size)).all(axis=1)
        far = np.hypot(*(mirrored - places).T) >= FAR * diagonal
        share = float((among & far).mean())
        return max(1, round(share * self.count[1 - side])) if share else 0

    def close(self) -> None:
        """Warn of them."""
        if records := self.records:
            warnings.warn(
                f"lon and lat may be exchanged in {records:,} of {sum(self.count):,} records: with the two swapped "
                "they lie among the others, and as they are far from them; check which column is which, file by file "
                "(--column lon=… --column lat=…).",
                IncrowdWarning,
                stacklevel=2,
            )
