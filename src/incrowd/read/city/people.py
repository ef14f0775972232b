"""Kinds of data; ground -> people -> where they are in every half hour: sleep, work, exploration and return."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Floats, Ints

ProfileName = Literal["operator", "operator-calm", "application", "application-calm", "cdr", "taxi"]
CELL_M = 100  # at most one tower in each such square, as in [gramaglia2015, Sec. 3]
NEIGHBOURS = 3


@dataclass(frozen=True)
class Profile:
    """How people of one kind of dataset live, and how their records come about."""

    days: int  # the length such a dataset usually has
    records_a_day: float  # mean per user
    uneven: float = 0.0  # sigma of the lognormal that makes some users more talkative than others
    burst: float = 1.0  # shape of the gamma rate of a half hour: the smaller, the longer the silences
    day_rate: float = 1.0  # activity in the evening relative to that before dawn
    workers: float = 0.0  # share of users with a place to work
    outings: float = 0.0  # chance to go out within half an hour of free time
    handover: float = 0.0  # share of records that a neighbouring tower serves
    night_handover: float = 0.0  # the same at home by night
    away: float = 0.004  # chance per day to set out for a far place and sleep there
    commute_m: float = 4_000.0  # scale of the distance from home to work
    leisure_m: float = 1_500.0  # scale of the distance to other places
    spacing_m: float = 700.0  # between towers: more towers make a larger city
    cities: int = 1  # of Zipf sizes
    country_m: tuple[float, float] = (0.0, 0.0)  # the box the cities lie in
    taxi: bool = False  # vehicles with GPS instead of people with phones


_OPERATOR = Profile(
    days=7,
    records_a_day=38,  # 261 a week [xu2017, Table 2]
    uneven=0.4,
    burst=4.0,
    day_rate=2.5,
    workers=0.85,
    outings=0.13,
    handover=0.45,
    night_handover=0.08,
    commute_m=5_000.0,
    leisure_m=1_200.0,
)
_APPLICATION = Profile(
    days=14,
    records_a_day=36,  # 496 in two weeks [xu2017, Table 2]
    uneven=0.6,
    burst=1.0,
    day_rate=12.0,
    workers=0.6,
    outings=0.01,
    handover=0.02,
    night_handover=0.01,
    commute_m=2_500.0,
    leisure_m=700.0,
)

# The calm variants hardly move: people work next door, if at all, and seldom go out. Recovery from counts reaches high
# accuracies only on such data; they are calmer than what [xu2017, Sec. 3.2 and 4.3] describes.
_NEXT_DOOR_M = 500.0

PROFILES: dict[str, Profile] = {
    "operator": _OPERATOR,
    "operator-calm": replace(
        _OPERATOR,
        outings=0.003,
        handover=0.05,
        night_handover=0.035,
        away=0.001,
        commute_m=_NEXT_DOOR_M,
        leisure_m=_NEXT_DOOR_M,
    ),
    "application": _APPLICATION,
    "application-calm": replace(
        _APPLICATION,
        workers=0.12,
        outings=0.003,
        handover=0.01,
        night_handover=0.005,
        away=0.001,
        commute_m=_NEXT_DOOR_M,
    ),
    "cdr": Profile(
        days=14,
        records_a_day=16,  # 17.8 million of 82,000 users in two weeks, by [gramaglia2015, Table 2]
        uneven=0.75,
        burst=0.15,
        day_rate=10.0,
        workers=0.6,
        outings=0.06,
        handover=0.15,
        night_handover=0.10,
        away=0.01,
        spacing_m=1_500.0,
        cities=12,
        country_m=(600_000.0, 400_000.0),
    ),
    "taxi": Profile(days=7, records_a_day=830, taxi=True),  # one a minute for about fourteen hours
}


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
        towers: Ints = self.tree.query(points)[1]
        return towers


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


HOME, WORK, FAR, FIRST = 0, 1, 2, 3  # columns of `places`; from FIRST on favourites, then undiscovered ones
FAVOURITES = 10
DISCOVERIES_A_DAY, MOST_DISCOVERIES = 2, 100
FARTHEST_M = 30_000.0


@dataclass(frozen=True, eq=False)
class People:
    """One row per person."""

    places: Ints  # [people, places] towers
    works: Flags
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


SLOTS = 48  # half hours a day
RHO, GAMMA = 0.6, 0.21  # a person who knows S places explores with chance rho * S^-gamma (Song et al. 2010)
PUNCTUAL = 0.8  # chance to be where one ought to be within half an hour
WORK_H = 8.5
SET_OUT = 7 * 2  # the half hour in which a journey begins or ends
MOVE_ON, GO_HOME = 0.3, 0.6  # chance to leave an errand within half an hour, and then for home


def live(profile: Profile, people: People, days: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """The column of `places` at which each person is, [people, half hours]."""
    here = np.full(len(people), HOME)
    memory = Memory(people)
    journey = _journeys(profile, people, days, rng)
    plan = np.empty((days * SLOTS, len(people)), np.int8)
    for slot in range(days * SLOTS):
        asleep, working = _duties(people, slot)
        away = journey[(slot - SET_OUT) // SLOTS]
        free = ~(asleep | away)
        errand = free & (here >= FIRST)
        duty = np.where(away, FAR, np.where(working, WORK, np.where(errand, here, HOME)))
        late = here != duty
        chance = np.where(late, PUNCTUAL, np.where(errand, MOVE_ON, np.where(free, profile.outings, 0.0)))
        moves = rng.random(len(people)) < chance
        here[moves & late] = duty[moves & late]
        out = np.flatnonzero(moves & ~late)
        here[out] = memory.choose(out, here[out], rng)
        plan[slot] = here
    return plan.T


class Memory:
    """The places a person knows, and how often each was visited."""

    def __init__(self, people: People) -> None:
        size, columns = people.places.shape
        self.known = np.full(size, FAVOURITES)
        self.visits = np.zeros((size, columns - FIRST))
        self.visits[:, :FAVOURITES] = 20 / np.arange(1, FAVOURITES + 1) ** 1.2

    def choose(self, who: Ints, here: Ints, rng: np.random.Generator) -> Ints:
        """Where some people go next of their own accord: home, a new place, or one by its visits."""
        homeward = (here >= FIRST) & (rng.random(len(who)) < GO_HOME)
        new = (rng.random(len(who)) < RHO * self.known[who] ** -GAMMA) & (self.known[who] < self.visits.shape[1])
        total = self.visits[who].cumsum(axis=1)
        old = (total < rng.random((len(who), 1)) * total[:, -1:]).sum(axis=1)
        place = np.where(new, self.known[who], old)
        out = ~homeward
        self.known[who[new & out]] += 1
        self.visits[who[out], place[out]] += 1
        return np.where(homeward, HOME, FIRST + place)


def _duties(people: People, slot: int) -> tuple[Flags, Flags]:
    """Who sleeps and who works in this half hour."""
    hour, weekday = slot % SLOTS / 2, slot // SLOTS % 7 < 5
    lie_in_h = 0.0 if weekday else 1.0
    asleep = (people.wakes_h + lie_in_h - hour) % 24 < people.sleeps_h
    working = people.works & weekday & (hour >= people.begins_h) & (hour < people.begins_h + WORK_H)
    return asleep, working


def _journeys(profile: Profile, people: People, days: int, rng: np.random.Generator) -> Flags:
    """Who is at the far place, [days + 1, people]; the last row, the day before the first, is spent at home."""
    begins = rng.random((days + 1, len(people))) < profile.away
    away = begins | np.roll(begins, 1, axis=0)  # a journey lasts two days or more
    away[-1] = False
    return away
