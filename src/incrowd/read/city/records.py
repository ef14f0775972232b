"""People who live and move -> traces as they arrive: calls or drives, with the defects that `clean` repairs."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Floats, Ints, distinct_rows, offsets_of
from incrowd.clock import DAY_MIN, HOUR_S
from incrowd.data import Traces
from incrowd.read.city.people import HOME, NEIGHBOURS, SLOTS, Ground, People, Profile, around

SLOT_S = 1800
BURST_S = 240.0  # mean distance of a record from the beginning of its burst
TOWN_M, TOWN_MS, ROAD_MS = 15_000.0, 8.0, 28.0  # metres per second in town and beyond it
LONGEST_S = 8 * HOUR_S  # no trip takes longer
RESTING = np.isin(np.arange(SLOTS) // 2, (22, 23, 0, 1, 2, 3, 4, 5, 6, 7))  # by half hour of the day
# Activity by hour: 0 before dawn, 1 in the evening.
HOURLY = np.array([
    0.25, 0.12, 0.05, 0.00, 0.00, 0.05, 0.20, 0.45, 0.70, 0.80, 0.85, 0.90,
    0.95, 0.85, 0.80, 0.80, 0.85, 0.90, 0.95, 1.00, 1.00, 0.95, 0.80, 0.50,
])  # fmt: skip


def log(
    profile: Profile, ground: Ground, people: People, plan: NDArray[np.int8], rng: np.random.Generator
) -> tuple[Ints, Ints, NDArray[np.int32]]:
    """Records per person, and second and tower of each record, by person and time."""
    slots = plan.shape[1]
    cell, second = _moments(profile, people, slots, rng)
    stay = np.take_along_axis(people.places, plan.astype(np.intp), axis=1)
    at_rest = (plan == HOME) & np.resize(RESTING, slots)
    share = np.where(at_rest, profile.night_handover, profile.handover) * people.edge[:, None]
    tower = _hand_over(ground, stay.ravel()[cell], share.ravel()[cell], rng)
    tower = travelled(ground, stay, cell, second, tower)
    count = np.bincount(cell // slots, minlength=len(people))
    return count, second, tower.astype(np.int32)


def _moments(profile: Profile, people: People, slots: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """The half hour (person * slots + slot) and the second of each record, in order and distinct."""
    expected = profile.records_a_day / SLOTS * people.talk[:, None] * _rhythm(profile, slots)
    count = rng.poisson(expected * rng.standard_gamma(profile.burst, expected.shape) / profile.burst)
    silent = np.flatnonzero(count.sum(axis=1) == 0)
    count[silent, slots // 2] = 1  # everybody in a log has a record
    cell = np.repeat(np.arange(count.size), count.ravel())
    burst = np.repeat(rng.integers(0, SLOT_S, count.size), count.ravel())
    within = (burst + rng.exponential(BURST_S, len(cell)).astype(np.int64)) % SLOT_S
    packed = np.sort(cell * SLOT_S + within)
    packed = packed[distinct_rows(packed)]
    cell = packed // SLOT_S
    return cell, packed - cell // slots * (slots * SLOT_S)


def _rhythm(profile: Profile, slots: int) -> Floats:
    """Activity of each half hour, one on average."""
    rate = 1 + (profile.day_rate - 1) * np.repeat(HOURLY, 2)
    return np.resize(rate / rate.mean(), slots)


def _hand_over(ground: Ground, tower: Ints, share: Floats, rng: np.random.Generator) -> Ints:
    """Now and then a neighbouring tower serves, the nearest most often."""
    moved = np.flatnonzero(rng.random(len(tower)) < share)
    which = (NEIGHBOURS * rng.random(len(moved)) ** 3).astype(np.intp)
    tower[moved] = ground.neighbours[tower[moved], which]
    return tower


def travelled(ground: Ground, stay: Ints, cell: Ints, second: Ints, tower: Ints) -> Ints:
    """Records made on the way are served by the tower nearest to the straight line at that moment."""
    slots = stay.shape[1]
    left = np.zeros(stay.shape, np.int64)  # the half hour in which each person set out for the present stay
    left[:, 1:] = np.where(stay[:, 1:] != stay[:, :-1], np.arange(1, slots), 0)
    np.maximum.accumulate(left, axis=1, out=left)
    begun = left.ravel()[cell]
    elapsed = second - begun * SLOT_S
    moving = np.flatnonzero((begun > 0) & (elapsed < LONGEST_S))
    slot = cell[moving] % slots
    end = ground.xy[stay.ravel()[cell[moving]]]
    start = ground.xy[stay.ravel()[cell[moving] - slot + begun[moving] - 1]]
    done = elapsed[moving] / _seconds(np.hypot(*(end - start).T))
    way = done < 1
    tower[moving[way]] = ground.nearest(start[way] + done[way, None] * (end - start)[way])
    return tower


def _seconds(distance_m: Floats) -> Floats:
    """How long a trip takes: town traffic, then open road."""
    town = np.minimum(distance_m, TOWN_M)
    return 1 + town / TOWN_MS + (distance_m - town) / ROAD_MS


APART = 4  # at most one damaged record in so many: what lies between damaged ones cannot tell what is wrong
JUMP_DEG = (0.2, 0.9)  # tens of kilometres


def damage(traces: Traces, *, dirt: float, rng: np.random.Generator) -> Traces:
    """Repeat, mistag and displace a share of the records, and pin a few users down; the ledger counts each.

    The defects are those of [song2014, Sec. 4] and [tan2017, Sec. 4.1].
    """
    t, (lon, lat) = traces.t.copy(), (axis.copy() for axis in traces.coordinates)
    still = _pin(traces, dirt, lon, lat, rng)
    rows = _pick(traces, dirt, still, rng)
    repeated, shifted, stray, displaced = np.array_split(rng.permutation(rows), 4)
    t[shifted], t[shifted + 1] = t[shifted + 1], t[shifted]
    t[stray] = _elsewhen(t, stray, rng)
    for axis in (lon, lat):
        axis[displaced] += rng.choice([-1.0, 1.0], len(displaced)) * rng.uniform(*JUMP_DEG, len(displaced))
    times = np.ones(traces.records, np.int64)
    times[repeated] = 2
    row = np.repeat(np.arange(traces.records), times)
    ledger = traces.ledger.add(
        "damaged",
        read=traces.records,
        kept=len(row),
        created={"repeated": len(repeated)},
        notes={
            "time tag shifted by one": len(shifted),
            "stray time tag": len(stray),
            "displaced": len(displaced),
            "users standing still": len(still),
        },
        users=(len(traces), len(traces)),
    )
    offsets = offsets_of(traces.owner[row], len(traces))
    return replace(
        traces,
        offsets=offsets,
        t=t[row],
        lon=np.round(lon[row], 6),
        lat=np.round(lat[row], 6),
        ordered=False,
        ledger=ledger,
    )


def _pin(traces: Traces, dirt: float, lon: Floats, lat: Floats, rng: np.random.Generator) -> Ints:
    """Users whose phone never leaves the first place."""
    few = min(int(np.ceil(dirt * len(traces))), len(traces) // 4)
    still = np.sort(rng.choice(len(traces), few, replace=False))
    for user in still:
        rows = slice(traces.offsets[user], traces.offsets[user + 1])
        lon[rows], lat[rows] = lon[rows.start], lat[rows.start]
    return still


def _pick(traces: Traces, dirt: float, still: Ints, rng: np.random.Generator) -> Ints:
    """Records to damage: of users who move, apart from each other, with two of the same user on either side."""
    block = np.arange(1, traces.records - 2, APART)
    owner = traces.owner
    inside = (owner[block - 1] == owner[block + 2]) & ~np.isin(owner[block], still)
    block = block[inside]
    wanted = min(round(dirt * traces.records), len(block))
    return np.sort(rng.choice(block, wanted, replace=False))


def _elsewhen(t: Ints, rows: Ints, rng: np.random.Generator) -> Ints:
    """A time at least a tenth of the period away from the true one, within the period."""
    start, period = int(t.min()), int(t.max() - t.min()) + 1
    return start + (t[rows] - start + (rng.uniform(0.1, 0.9, len(rows)) * period).astype(np.int64)) % period


BLOCK_M = 200.0  # distance of parallel streets
SPEED_MS, SPEED_SPREAD_MS, SPEED_RANGE_MS = 8.0, 2.5, (3.0, 16.0)
RIDE_M, STOP_S = 2_500.0, 300.0  # scale of a ride, mean time at a stop
NOISE_M = 6.0
MINUTE_S = 60
PHASE_S, JITTER_S = 45, 15  # when in its minute a taxi reports
LOST = 0.03  # share of reports that never arrive


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
    stop = home
    corners = [ground.xy[stop]]
    for _ in range(1 + seconds // int(STOP_S)):
        stop = around(ground, stop, RIDE_M, rng)
        corners.append(ground.xy[stop])
    return np.round(np.stack(corners, axis=1) / BLOCK_M) * BLOCK_M


def _leg(begins: Floats, taxi: Ints, clock: Ints) -> Ints:
    """The last ride of its taxi that began before each moment."""
    span = max(float(begins.max()), float(clock.max())) + 1
    flat = (begins + span * np.arange(len(begins))[:, None]).ravel()
    leg: Ints = np.searchsorted(flat, clock + span * taxi, side="right") - 1 - taxi * begins.shape[1]
    return leg
