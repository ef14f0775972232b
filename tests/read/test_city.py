import sys
from dataclasses import replace

import numpy as np
import pyproj
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import KDTree

import incrowd as ic
from incrowd.progress import listening
from incrowd.read.city import PROFILES, synthetic_city
from incrowd.read.city.people import FAVOURITES, FIRST, HOME, WORK, Memory, lay_out, settle
from incrowd.read.city.records import travelled

PHONES = [name for name in PROFILES if name != "taxi"]
MONDAY = 1_704_067_200


def same(a: ic.Traces, b: ic.Traces) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("offsets", "t", "lon", "lat"))


def inside(user: np.ndarray) -> np.ndarray:
    """True where a record and the next are of one user."""
    return user[1:] == user[:-1]


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(list(PROFILES)), st.integers(1, 6), st.integers(1, 70), st.integers(1, 3), st.integers(0, 2**40))
def test_a_city_of_any_size_is_clean_and_in_time_order(profile, users, towers, days, seed):
    city = synthetic_city(users=users, towers=towers, days=days, profile=profile, seed=seed)
    traces, user = city.traces, city.traces.owner
    assert len(traces) == users == len(city.home) == len(city.work)
    assert city.xy.shape == city.towers.shape == (towers, 2)
    assert (np.diff(traces.offsets) > 0).all() and traces.ordered
    assert (np.diff(traces.t)[inside(user)] > 0).all()  # hence no duplicates and no conflicts
    assert traces.t.min() >= MONDAY and traces.t.max() < MONDAY + days * 86_400
    assert ((city.home >= 0) & (city.home < towers) & (city.work >= -1) & (city.work < towers)).all()


@pytest.mark.parametrize("profile", PROFILES)
def test_the_same_seed_gives_the_same_city_and_another_seed_another(profile):
    a, b, c = (synthetic_city(users=30, towers=20, days=2, profile=profile, seed=s) for s in (5, 5, 6))
    assert same(a.traces, b.traces) and np.array_equal(a.xy, b.xy) and np.array_equal(a.home, b.home)
    assert not np.array_equal(a.xy, c.xy) and not np.array_equal(a.traces.t, c.traces.t)


@pytest.mark.parametrize("profile", PHONES)
def test_records_lie_at_towers(profile):
    city = synthetic_city(users=40, towers=50, days=2, profile=profile)
    assert np.array_equal(np.stack([city.traces.lon, city.traces.lat], axis=1), city.towers[city.tower])
    assert (np.diff(np.sort(city.xy // 100 @ [1, 10_000])) > 0).all()  # one to a square


def test_metres_and_degrees_are_of_the_same_towers():
    city = synthetic_city(users=5, towers=300, days=1, profile="cdr")
    x, y = pyproj.Proj(city.crs)(*city.towers.T)
    assert np.abs(np.stack([x, y], axis=1) - city.xy).max() < 0.1
    assert np.array_equal(np.round(city.towers, 6), city.towers)


def test_days_none_is_the_length_of_the_profile():
    assert synthetic_city(users=3, towers=3).days == 7
    assert [synthetic_city(users=3, towers=3, days=None, profile=p).days for p in ("operator", "application")] == [
        7,
        14,
    ]


def test_a_larger_city_is_made_in_chunks_and_tells_how_far_it_is():
    told = []
    with listening(lambda label, done, total: told.append((label, done, total))):
        city = synthetic_city(users=800, towers=20, days=30, profile="cdr")
    assert len(told) > 2 and told[-1][1] == told[-1][2]
    assert len(np.unique(city.traces.t[city.offsets[:-1]])) > 400  # chunks do not repeat each other


def test_the_arrays_cannot_be_changed():
    city = synthetic_city(users=3, towers=3, days=1)
    for array in (city.xy, city.towers, city.home, city.work, city.t, city.tower, city.traces.lon):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_repr_shows_no_coordinate():
    city = synthetic_city(users=1234, towers=5, days=1)
    assert repr(city) == f"City(profile='operator', users=1,234, towers=5, days=1, records={len(city.t):,}, seed=0)"


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"profile": "bus"}, "operator, operator-calm, application, application-calm, cdr, taxi"),
        ({"users": 0}, "users must be a whole number of at least 1"),
        ({"towers": -1}, "towers must be"),
        ({"days": 0}, "days must be"),
        ({"days": 1.5}, "days must be"),
        ({"seed": -1}, "seed must be"),
        ({"dirt": 0.5}, "dirt must be in"),
        ({"dirt": float("nan")}, "dirt must be"),
    ],
)
def test_bad_parameters_are_refused(bad, words):
    with pytest.raises(ic.ParameterError, match=words):
        synthetic_city(**bad)


BANDS = {
    # one tower per night, night in its top tower [xu2017, Sec. 4.2]; top 1, top 5 [Sec. 3.2]; eq. 2 within metres
    "operator": (0.62, 0.89, (0.34, 0.52), (0.77, 0.89), 1000, (0.72, 0.83)),
    "application": (0.88, 0.95, (0.70, 0.84), (0.94, 1.0), 500, (0.86, 0.96)),
    "operator-calm": (0.84, 0.96, (0.73, 0.85), (0.97, 1.0), 1000, (0.96, 1.0)),
    "application-calm": (0.96, 0.99, (0.90, 1.0), (0.98, 1.0), 500, (0.96, 1.0)),
}


def filled(city):
    """The tower of every user in every half hour, [users, days, 48]."""
    visits = ic.discretize.towers(
        city.traces, city.towers, slot_min=30, fill="interpolate", start=MONDAY, slots=48 * city.days
    )
    return visits.cell.reshape(len(visits), city.days, 48)


def top_share(towers, k):
    """Mean share of time, per row, in the k most frequent towers of the row."""
    shares = [np.sort(np.unique(row, return_counts=True)[1])[-k:].sum() / len(row) for row in towers]
    return float(np.mean(shares))


def mobility(city, within_m):
    towers = filled(city)
    night = towers[:, :, :12].reshape(-1, 12)
    place = city.xy[towers]
    # [xu2017, Eq. 2], for the slots from six o'clock on
    miss = place[:, :, 12:] - (2 * place[:, :, 11:-1] - place[:, :, 10:-2])
    return (
        float((night == night[:, :1]).all(axis=1).mean()),
        top_share(night, 1),
        top_share(towers.reshape(len(towers), -1), 1),
        top_share(towers.reshape(len(towers), -1), 5),
        float((np.hypot(*np.moveaxis(miss, -1, 0)) < within_m).mean()),
    )


def assert_in_bands(city, profile):
    one_tower, top_night, top_1, top_5, within_m, foreseen = BANDS[profile]
    got = mobility(city, within_m)
    assert got[0] == pytest.approx(one_tower, abs=0.06)
    assert got[1] == pytest.approx(top_night, abs=0.06)
    for value, (low, high) in zip(got[2:], (top_1, top_5, foreseen), strict=True):
        assert low <= value <= high


@pytest.mark.parametrize("profile", BANDS)
def test_mobility_is_near_what_is_reported(profile):
    assert_in_bands(synthetic_city(users=2000, towers=500, profile=profile), profile)


@pytest.mark.parametrize("profile", ["operator", "application"])
@pytest.mark.parametrize(("users", "towers", "days", "seed"), [(400, 100, 7, 1), (500, 8000, 7, 2), (400, 200, 14, 3)])
def test_mobility_does_not_depend_on_size(profile, users, towers, days, seed):
    assert_in_bands(synthetic_city(users=users, towers=towers, days=days, profile=profile, seed=seed), profile)


@pytest.mark.parametrize(("profile", "weekly"), [("operator", 261), ("application", 248)])
def test_as_many_records_as_reported(profile, weekly):
    city = synthetic_city(users=2000, profile=profile)
    assert np.diff(city.offsets).mean() == pytest.approx(weekly, rel=0.06)


def test_about_half_of_an_operators_half_hours_have_a_record():
    city = synthetic_city(users=1000)
    seen = np.unique(city.traces.owner * 336 + (city.t - MONDAY) // 1800)
    assert len(seen) / (1000 * 336) == pytest.approx(0.48, abs=0.03)


def test_people_sleep_at_home_and_work_on_weekdays():
    city = synthetic_city(users=600, towers=200)
    user, hour, weekend = city.traces.owner, city.t // 3600 % 24, (city.t - MONDAY) // 86_400 >= 5
    at_home, at_work = city.tower == city.home[user], city.tower == city.work[user]
    works = (city.work >= 0)[user]
    assert at_home[(hour >= 1) & (hour < 5)].mean() > 0.8
    office = works & (hour >= 10) & (hour < 16)
    assert at_work[office & ~weekend].mean() > 4 * at_work[office & weekend].mean()
    assert 0.75 < (city.work >= 0).mean() < 0.95


def test_activity_is_circadian_and_bursty():
    city = synthetic_city(users=1000, profile="cdr")
    hourly = np.bincount(city.t // 3600 % 24, minlength=24)
    assert hourly[18:21].min() > 5 * hourly[2:5].max()
    gap = np.diff(city.t)[inside(city.traces.owner)]
    assert gap.std() > 1.5 * gap.mean()  # 1 for a memoryless caller


def test_people_return_to_few_places_and_keep_finding_new_ones():
    city = synthetic_city(users=300, towers=500, days=28)
    seen = city.traces.owner * 500 + city.tower
    weeks = [len(np.unique(seen[(city.t - MONDAY) < days * 86_400])) / 300 for days in (7, 14, 28)]
    assert weeks[0] < weeks[1] < weeks[2] < 2.5 * weeks[0]


def test_records_on_the_way_are_served_by_the_towers_there():
    towers = np.column_stack([np.arange(0, 8001, 1000), np.zeros(9)])
    ground = replace(lay_out(PROFILES["operator"], 9, np.random.default_rng(0)), xy=towers, tree=KDTree(towers))
    stay = np.array([[0, 0, 8, 8]])  # sets out at 01:00 for a trip of 8 km at 8 m/s
    second = np.array([3599, 3600, 3900, 4300, 4599, 4700, 7000])
    got = travelled(ground, stay, second // 1800, second, stay[0, second // 1800])
    assert got.tolist() == [0, 0, 2, 6, 8, 8, 8]


def test_errands_go_to_new_places_and_to_old_ones_by_their_visits():
    rng = np.random.default_rng(0)
    ground = lay_out(PROFILES["operator"], 50, rng)
    memory = Memory(settle(PROFILES["operator"], ground, 20_000, 7, rng))
    memory.visits[:] = 0
    memory.visits[:, [1, 4]] = 1, 3
    everyone = np.arange(20_000)
    place = memory.choose(everyone, np.full(20_000, HOME), rng) - FIRST
    share = np.bincount(place, minlength=FAVOURITES + 1) / 20_000
    explored = 0.6 * FAVOURITES**-0.21
    assert share[FAVOURITES] == pytest.approx(explored, abs=0.02)
    assert share[4] == pytest.approx(0.75 * (1 - explored), abs=0.02)
    assert share[[1, 4, FAVOURITES]].sum() == 1
    assert memory.known.mean() == pytest.approx(FAVOURITES + explored, abs=0.02)


def test_people_work_where_the_jobs_are():
    rng = np.random.default_rng(0)
    ground = lay_out(PROFILES["operator"], 300, rng)
    people = settle(PROFILES["operator"], ground, 2000, 1, rng)
    work = people.places[people.works, WORK]
    assert np.median(ground.jobs[work]) > 1.5 * np.median(ground.jobs)


def test_work_is_near_home_in_a_large_city():
    city = synthetic_city(users=2000, towers=4000)
    works = city.work >= 0
    way_m = np.hypot(*(city.xy[city.home] - city.xy[city.work])[works].T)
    anywhere_m = np.hypot(*(city.xy[city.home][works] - city.xy[np.roll(city.work[works], 1)]).T)
    assert np.median(way_m) < np.median(anywhere_m) / 2


def test_cdr_is_a_sparse_log_of_several_cities():
    city = synthetic_city(users=3000, towers=600, days=14, profile="cdr")
    count, user = np.diff(city.offsets), city.traces.owner
    assert count.mean() == pytest.approx(216, rel=0.1)
    assert np.log(count).std() == pytest.approx(0.75, abs=0.05) and np.median(count) < 0.85 * count.mean()
    assert np.ptp(city.xy, axis=0).min() > 150_000 and np.ptp(city.xy, axis=0).max() < 800_000
    place = city.xy[city.tower]
    centre = np.stack([np.bincount(user, axis) / count for axis in place.T], axis=1)
    gyration_km = np.sqrt(np.bincount(user, ((place - centre[user]) ** 2).sum(axis=1)) / count) / 1000
    # 1.8 km in the median and 12 km on average [gramaglia2015, Sec. 7.3]
    assert 1.2 < np.median(gyration_km) < 2.6 and 6 < gyration_km.mean() < 24


@pytest.mark.parametrize("profile", PHONES)
def test_planar_fingerprints_are_those_of_the_projected_records(profile):
    city = synthetic_city(users=50, towers=80, days=2, profile=profile)
    plain, projected = city.fingerprints(), ic.discretize.fingerprints(city.traces, origin=(5, 52), start=MONDAY)
    for name in ("users", "offsets", "x", "dx", "y", "dy", "t", "dt", "crowd"):
        assert np.array_equal(getattr(plain, name), getattr(projected, name))
    assert plain.start == MONDAY and plain.crs == projected.crs


def test_fingerprints_need_no_projection(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyproj", None)
    for profile in PROFILES:
        city = synthetic_city(users=4, towers=6, days=1, profile=profile)
        got = city.fingerprints()
        assert len(got) == 4 and got.ledger.steps[-1].read == len(city.t) and got.ledger.steps[-1].kept == got.records
        again = ic.Fingerprints.from_arrays(got.users[got.owner], got.x, got.y, got.t, start=MONDAY)
        assert all(np.array_equal(getattr(got, name), getattr(again, name)) for name in ("offsets", "x", "y", "t"))


def test_taxis_report_every_minute_on_duty_at_plausible_speeds():
    city = synthetic_city(users=40, towers=100, days=2, profile="taxi")
    one = inside(city.traces.owner)
    gap_s = np.diff(city.t)[one]
    x, y = pyproj.Proj(city.crs)(city.traces.lon, city.traces.lat)
    speed_kmh = np.hypot(np.diff(x), np.diff(y))[one] / gap_s * 3.6
    assert np.median(gap_s) == pytest.approx(60, abs=2)
    assert speed_kmh.max() < 80 and np.mean(speed_kmh > 15) > 0.3 and np.mean(speed_kmh < 3) > 0.15
    assert np.sum(gap_s > 3600) >= 40 and 600 < len(city.t) / 80 < 1000
    assert (city.work == -1).all()


def test_taxis_keep_to_the_streets():
    city = synthetic_city(users=10, towers=60, days=1, profile="taxi")
    off_m = np.abs((city.gps + 100) % 200 - 100).min(axis=1)
    assert np.quantile(off_m, 0.99) < 20


def test_dirt_is_there_and_can_be_cleaned():
    dirty = synthetic_city(users=60, towers=100, days=2, profile="taxi", dirt=0.04, seed=3)
    traces, good = dirty.traces, replace(dirty, dirt=0.0).traces
    step = traces.ledger.steps[-1]
    assert not traces.ordered and traces.records == good.records + step.created["repeated"]
    harm = step.created["repeated"] + sum(step.notes.values()) - step.notes["users standing still"]
    assert harm == pytest.approx(0.04 * good.records, rel=0.01)
    mistagged = step.notes["time tag shifted by one"] + step.notes["stray time tag"]
    assert (np.diff(traces.t)[inside(traces.owner)] < 0).sum() == pytest.approx(mistagged, rel=0.05)

    clean = ic.clean.duplicates(traces)
    assert clean.ledger.steps[-1].dropped["exact duplicate"] == step.created["repeated"]
    clean = ic.clean.still_users(clean)
    assert len(traces) - len(clean) == step.notes["users standing still"] == 3
    moving = clean.records
    clean = ic.clean.order(clean, max_speed_kmh=120)
    assert clean.ordered and moving - clean.records == pytest.approx(step.notes["stray time tag"], rel=0.05)
    ordered = clean.records
    clean = ic.clean.displaced(clean, max_speed_kmh=120)
    assert ordered - clean.records == pytest.approx(step.notes["displaced"], rel=0.05)


def test_dirt_is_seeded_and_leaves_the_truth_alone():
    clean, a, b = (synthetic_city(users=40, towers=30, days=2, dirt=d) for d in (0.0, 0.1, 0.1))
    assert same(a.traces, b.traces) and not same(a.traces, clean.traces)
    assert np.array_equal(a.home, clean.home)
    assert np.array_equal(a.fingerprints().x, clean.fingerprints().x)


def test_dirt_in_the_smallest_city():
    assert len(synthetic_city(users=1, towers=1, days=1, dirt=0.2).traces) == 1
