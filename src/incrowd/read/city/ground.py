"""A profile -> the ground people live on: towers clustered in districts of one or more cities."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.read.city.profiles import Profile

CELL_M = 100  # at most one tower in each such square, as in [gramaglia2015, Sec. 3]
NEIGHBOURS = 3


@dataclass(frozen=True, eq=False)
class Ground:
    """Towers, how many live and work around each, and who is next to whom."""

    xy: Floats  # [towers, 2] metres
    homes: Floats  # share of the people who live at each tower
    jobs: Floats  # how much it attracts workers
    neighbours: Ints  # [towers, NEIGHBOURS], nearest first
    tree: Any  # scipy.spatial.KDTree

    def nearest(self, points: Floats) -> Ints:
        """The tower nearest to each point."""
        found: Ints = self.tree.query(points)[1]
        return found


def lay_out(profile: Profile, towers: int, rng: np.random.Generator) -> Ground:
    """Place the towers."""
    from scipy.spatial import KDTree

    xy = _scatter(*_districts(profile, towers, rng), rng)
    tree = KDTree(xy)
    ranks = np.minimum(np.arange(1, NEIGHBOURS + 1), towers - 1)  # in a hamlet some neighbours repeat
    near = tree.query(xy, k=ranks[-1] + 1)[1].reshape(towers, -1)[:, ranks]
    homes = rng.lognormal(0, 0.5, towers)
    return Ground(xy, homes / homes.sum(), rng.lognormal(0, 1.0, towers), near, tree)


def _districts(profile: Profile, towers: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The middle [towers, 2] and the width of the district each tower stands in."""
    size = 1 / np.arange(1, profile.cities + 1)
    city = np.searchsorted(np.cumsum(size / size.sum()), (np.arange(towers) + 0.5) / towers)
    centre = (rng.random((profile.cities, 2)) - 0.5) * profile.country_m
    middle, width = np.empty((towers, 2)), np.empty(towers)
    for c in np.unique(city):
        mine = np.flatnonzero(city == c)
        radius = profile.spacing_m * np.sqrt(len(mine) / np.pi)
        count = 1 + len(mine) // 60
        district = rng.choice(count, len(mine), p=rng.dirichlet(np.full(count, 3.0)))
        middle[mine] = centre[c] + (0.5 * radius * rng.standard_normal((count, 2)))[district]
        width[mine] = 0.6 * radius / np.sqrt(count)
    return middle, width


def _scatter(middle: Floats, width: Floats, rng: np.random.Generator) -> Floats:
    """Around the middles, one to a square; what falls into a taken one is drawn again, a little wider."""
    xy = np.empty_like(middle)
    again = np.arange(len(middle))
    while len(again):
        drawn = middle[again] + width[again, None] * rng.standard_normal((len(again), 2))
        xy[again] = np.floor(drawn) + 0.5  # off the edges of squares, which rounded degrees must not cross
        _, first = np.unique(xy // CELL_M, axis=0, return_index=True)
        again = np.setdiff1d(np.arange(len(xy)), first)
        width = width * 1.1
    return xy
