"""People -> where they are in every half hour: sleep, work, and exploration with preferential return."""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.read.city.people import FAR, FAVOURITES, FIRST, HOME, WORK, People
from incrowd.read.city.profiles import Profile

SLOTS = 48  # half hours a day
RHO, GAMMA = 0.6, 0.21  # a person who knows S places explores with chance rho * S^-gamma (Song et al. 2010)
PUNCTUAL = 0.8  # chance to be where one ought to be within half an hour
WORK_H = 8.5
SET_OUT = 7 * 2  # the half hour in which a journey begins or ends
MOVE_ON, GO_HOME = 0.3, 0.6  # chance to leave an errand within half an hour, and then for home

Flags = NDArray[np.bool_]


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
