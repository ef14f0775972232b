"""Ground -> taxis: GPS once a minute while on duty, along a grid of streets from one stop to the next."""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.clock import DAY_MIN
from incrowd.read.city.people import Ground, around
from incrowd.read.city.profiles import Profile

BLOCK_M = 200.0  # distance of parallel streets
SPEED_MS, SPEED_SPREAD_MS, SPEED_RANGE_MS = 8.0, 2.5, (3.0, 16.0)
RIDE_M, STOP_S = 2_500.0, 300.0  # scale of a ride, mean time at a stop
NOISE_M = 6.0
MINUTE_S = 60
PHASE_S, JITTER_S = 45, 15  # when in its minute a taxi reports
LOST = 0.03  # share of reports that never arrive

Flags = NDArray[np.bool_]


def drive(
    profile: Profile, ground: Ground, home: Ints, days: int, rng: np.random.Generator
) -> tuple[Ints, Ints, NDArray[np.float32]]:
    """Records per taxi, and second and position [records, 2] of each record, by taxi and time."""
    duty = _shifts(profile, len(home), days, rng)
    heard = duty & (rng.random(duty.shape) >= LOST)
    heard[:, 0] |= ~heard.any(axis=1)
    taxi, minute = np.nonzero(heard)
    tick = (rng.integers(0, PHASE_S, len(home))[taxi] + rng.integers(0, JITTER_S, len(taxi))).astype(np.int64)
    # A parked taxi stays where it is: rides are counted in time on duty.
    clock = duty.cumsum(axis=1)[taxi, minute] * MINUTE_S + tick
    position = _ride(ground, home, taxi, clock, rng) + NOISE_M * rng.standard_normal((len(taxi), 2))
    return heard.sum(axis=1), minute * MINUTE_S + tick, position.astype(np.float32)


def _shifts(profile: Profile, taxis: int, days: int, rng: np.random.Generator) -> Flags:
    """Whether each taxi is on duty, by minute; a shift begins at the same hour every day."""
    begin = rng.integers(0, DAY_MIN, (taxis, 1))
    long = profile.records_a_day / (1 - LOST)
    length = np.clip(rng.normal(long, long / 5, (taxis, 1)), DAY_MIN / 6, DAY_MIN)
    return (np.arange(days * DAY_MIN) - begin) % DAY_MIN < length


def _ride(ground: Ground, home: Ints, taxi: Ints, clock: Ints, rng: np.random.Generator) -> Floats:
    """Where each taxi is after so many seconds on duty: along one street, then along a crossing one."""
    stop = _stops(ground, home, int(clock.max()), rng)
    way = np.diff(stop, axis=1)
    speed = np.clip(rng.normal(SPEED_MS, SPEED_SPREAD_MS, way.shape[:2]), *SPEED_RANGE_MS)
    lasts = np.abs(way).sum(axis=2) / speed + rng.exponential(STOP_S, speed.shape)
    begins = np.cumsum(lasts, axis=1) - lasts
    leg = _leg(begins, taxi, clock)
    gone = (clock - begins[taxi, leg]) * speed[taxi, leg]
    first = (rng.random(speed.shape) < 0.5).astype(np.intp)[taxi, leg]  # 0: east or west first
    position, step = stop[taxi, leg], way[taxi, leg]
    row = np.arange(len(taxi))
    for axis in (first, 1 - first):
        along = np.minimum(gone, np.abs(step[row, axis]))
        position[row, axis] += np.sign(step[row, axis]) * along
        gone = gone - along
    return position


def _stops(ground: Ground, home: Ints, seconds: int, rng: np.random.Generator) -> Floats:
    """Street corners visited one after the other, [taxis, stops, 2], enough for the time on duty."""
    at = home
    corners = [ground.xy[at]]
    for _ in range(1 + seconds // int(STOP_S)):
        at = around(ground, at, RIDE_M, rng)
        corners.append(ground.xy[at])
    return np.round(np.stack(corners, axis=1) / BLOCK_M) * BLOCK_M


def _leg(begins: Floats, taxi: Ints, clock: Ints) -> Ints:
    """The last ride of its taxi that began before each moment."""
    span = max(float(begins.max()), float(clock.max())) + 1
    flat = (begins + span * np.arange(len(begins))[:, None]).ravel()
    leg: Ints = np.searchsorted(flat, clock + span * taxi, side="right") - 1 - taxi * begins.shape[1]
    return leg
