"""Ground -> people: where each lives and works, which places they know or may discover, when they sleep."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.read.city.ground import Ground
from incrowd.read.city.profiles import Profile

HOME, WORK, FAR, FIRST = 0, 1, 2, 3  # columns of `places`; from FIRST on favourites, then undiscovered ones
FAVOURITES = 10
DISCOVERIES_A_DAY, MOST_DISCOVERIES = 2, 100
FARTHEST_M = 30_000.0


@dataclass(frozen=True, eq=False)
class People:
    """One row per person."""

    places: Ints  # [people, places] towers
    works: NDArray[np.bool_]
    wakes_h: Floats  # hour of the day
    sleeps_h: Floats  # hours of sleep before that
    begins_h: Floats  # when work begins
    talk: Floats  # records relative to the mean
    edge: Floats  # handovers relative to the mean: some live between two towers

    def __len__(self) -> int:
        return len(self.works)


def settle(profile: Profile, ground: Ground, people: int, days: int, rng: np.random.Generator) -> People:
    """Draw some people."""
    home, far = rng.choice(len(ground.xy), (2, people), p=ground.homes)
    work = _workplace(ground, home, profile.commute_m, rng)
    works = rng.random(people) < profile.workers
    work = np.where(works, work, home)
    others = FAVOURITES + min(DISCOVERIES_A_DAY * days, MOST_DISCOVERIES)
    start = np.where(rng.random((people, others)) < 0.6, home[:, None], work[:, None])
    places = np.column_stack([home, work, far, around(ground, start, profile.leisure_m, rng)])
    return People(
        places=places,
        works=works,
        wakes_h=rng.normal(7.0, 0.8, people),
        sleeps_h=rng.normal(8.7, 0.7, people),
        begins_h=rng.normal(8.7, 0.9, people),
        talk=rng.lognormal(-(profile.uneven**2) / 2, profile.uneven, people),
        edge=rng.exponential(1.0, people),
    )


def _workplace(ground: Ground, home: Ints, commute_m: float, rng: np.random.Generator) -> Ints:
    """Gravity: of three towers at commuting distance, the one with most jobs."""
    options = around(ground, np.repeat(home[:, None], 3, axis=1), commute_m, rng)
    best = ground.jobs[options].argmax(axis=1)
    return np.take_along_axis(options, best[:, None], axis=1)[:, 0]


def around(ground: Ground, start: Ints, scale_m: float, rng: np.random.Generator) -> Ints:
    """The tower nearest to where a heavy-tailed jump from each start ends."""
    length = np.minimum(scale_m * (0.3 + rng.pareto(1.8, start.shape)), FARTHEST_M)
    angle = rng.uniform(0, 2 * np.pi, start.shape)
    end = ground.xy[start] + np.stack([length * np.cos(angle), length * np.sin(angle)], axis=-1)
    return ground.nearest(end)
