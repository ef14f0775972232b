from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from boxes import prints
from builders import tracks
from incrowd.anonymize import W4M, publish
from incrowd.audit.checks import cylinder
from incrowd.audit.checks.cylinder import CYLINDER

ALL = settings(deadline=None, max_examples=80)


def released(data, claims=None, members=None):
    return ic.Release.from_arrays(data, members or [[u] for u in range(len(data))], claims=claims)


def verdict(data, k=2, delta_m=100, **more):
    return ic.audit.check(released(data, **more), k=k, delta_m=delta_m)[CYLINDER].status


def by_definition(places, times, k, delta_m):
    """Every trajectory is in some set of k around a member, tried one by one."""
    users, covered = range(len(places)), set()
    for pivot in users:
        inside = [
            u
            for u in users
            if times[u] == times[pivot]
            and all(np.hypot(*np.subtract(a, b)) <= delta_m / 2 for a, b in zip(places[u], places[pivot], strict=True))
        ]
        covered |= set(inside) if len(inside) >= k else set()
    return len(covered) == len(places)


@ALL
@given(
    st.lists(
        st.tuples(st.sampled_from([(0,), (0, 60), (0, 90)]), st.tuples(*[st.sampled_from([0, 40, 50, 90, 120])] * 2)),
        min_size=1,
        max_size=7,
    ),
    st.sampled_from([2, 3]),
    st.sampled_from([80, 100]),
    st.booleans(),
)  # fmt: skip
def test_the_check_is_the_definition(users, k, delta_m, tree):
    data = tracks(*[[(t, float(x)) for t, x in zip(times, xs, strict=False)] for times, xs in users])
    places = [[(x, 0) for _, x in zip(times, xs, strict=False)] for times, xs in users]
    few = cylinder._FEW
    cylinder._FEW = 0 if tree else few
    try:
        found = verdict(data, k, delta_m)
    finally:
        cylinder._FEW = few
    assert (found == "pass") == by_definition(places, [times for times, _ in users], k, delta_m)


@pytest.mark.parametrize(
    ("other", "status"),
    [
        ([(0, 50), (60, 0)], "pass"),
        ([(0, 50.0005), (60, 0)], "pass"),  # half a millimetre is rounding
        ([(0, 50.01), (60, 0)], "fail"),
        ([(0, 0), (60, 51)], "fail"),
        ([(0, 0), (61, 0)], "fail"),
        ([(0, 0)], "fail"),
        ([(0, 0), (60, 0), (60, 0)], "fail"),
        ([(0, 36, 36), (60, 0)], "fail"),
        ([(0, 35, 35), (60, 0)], "pass"),
    ],
)
def test_times_are_equal_and_places_within_half_of_delta(other, status):
    assert verdict(tracks([(0, 0), (60, 0)], other)) == status


def test_the_pivot_may_be_anyone():
    left_right = tracks([(0, -50)], [(0, 0)], [(0, 50)])
    assert verdict(left_right, k=3) == "pass"
    assert verdict(tracks([(0, -50)], [(0, 50)], [(0, 0)]), k=3) == "pass"
    assert verdict(tracks([(0, -50)], [(0, 1)], [(0, 51)]), k=3) == "fail"


def test_sets_need_not_be_one_cluster_each():
    chain = tracks(*[[(0, float(x))] for x in (0, 50, 100, 150)])
    assert verdict(chain, k=3) == "pass"  # around the second and the third


def test_people_count_and_not_pseudonyms():
    two = tracks([(0, 0)], [(0, 1)])
    assert verdict(two, members=[[0], [1]]) == "pass"
    assert verdict(two, members=[[0], [0]]) == "fail"


def test_degrees_are_measured_along_the_ellipsoid():
    import pyproj

    lon, lat, _ = pyproj.Geod(ellps="WGS84").fwd([179.9999] * 2, [70.0] * 2, [90, 90], [49.9999, 50.1])
    for x, y, status in zip(lon, lat, ("pass", "fail"), strict=True):
        data = ic.Traces.from_arrays([0, 1], [0, 0], lon=[179.9999, x], lat=[70, y])
        assert verdict(data) == status


@pytest.mark.parametrize(("lat", "azimuth"), [(0, 0), (0, 90), (89, 0), (60, 45)])
def test_the_search_misses_nobody_at_the_edge(lat, azimuth):
    """Pairs as far apart as allowed, where a degree is shortest and longest."""
    import pyproj

    lon = np.linspace(-179, 179, 60)
    north = pyproj.Geod(ellps="WGS84").fwd(lon, np.full(60, lat), np.full(60, azimuth), np.full(60, 50.0))
    place = {"lon": np.concatenate([lon, north[0]]), "lat": np.concatenate([np.full(60, lat), north[1]])}
    assert verdict(ic.Traces.from_arrays(np.arange(120), np.zeros(120), **place)) == "pass"


@pytest.mark.parametrize("degrees", [False, True])
def test_a_crowd_with_the_same_times_is_searched_and_not_compared_with_all(degrees, monkeypatch):
    rng = np.random.default_rng(0)
    users, steps = 400, 5
    pairs = np.repeat(rng.uniform(0, 1e5, (users // 2, steps, 2)), 2, axis=0) + rng.uniform(-10, 10, (users, steps, 2))
    place = {"x": pairs[..., 0].ravel(), "y": pairs[..., 1].ravel()}
    if degrees:
        place = {"lon": 5 + place["x"] / 1e5, "lat": 52 + place["y"] / 1e5}
    data = ic.Traces.from_arrays(np.repeat(np.arange(users), steps), np.tile(np.arange(steps), users), **place)
    compared = []
    apart = cylinder._apart
    monkeypatch.setattr(cylinder, "_apart", lambda a, b, **k: compared.append(len(a)) or apart(a, b, **k))
    assert verdict(data) == "pass"
    assert sum(compared) < 3 * users
    name, column = next(iter(place.items()))
    column[7] += 1 if degrees else 1e5
    away = ic.Traces.from_arrays(data.owner, data.t, **place)
    found = ic.audit.check(released(away), k=2, delta_m=100)[CYLINDER]
    assert found.status == "fail" and found.evidence.startswith("2 of 400 trajectories")
    assert "position 0" in found.evidence and name not in found.evidence


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("planar", [True, False])
def test_a_member_moved_out_of_its_cylinder_is_found(tmp_path, kind, planar):
    rng = np.random.default_rng(1)
    place = {"x": rng.uniform(0, 3e4, 200), "y": rng.uniform(0, 3e4, 200)}
    if not planar:
        place = {"lon": 5 + place["x"] / 7e4, "lat": 52 + place["y"] / 11e4}
    traces = ic.Traces.from_arrays(rng.integers(0, 30, 200), rng.integers(0, 86_400, 200), **place)
    release = W4M(k=3, delta_m=700)(traces)
    folder = publish(release, tmp_path / "good", file=kind)
    for good in (release, folder):
        assert ic.audit.check(good)[CYLINDER].status == "pass"
    assert ic.audit.check(release, k=4, delta_m=600)[CYLINDER].status == "fail"
    name = next(iter(place))
    moved = getattr(release.data, name).copy()
    step = 800 if planar else 800 / 6e4
    moved[11] += step
    broken = replace(release, data=replace(release.data, **{name: moved}))
    assert ic.audit.check(broken)[CYLINDER].status == "fail"
    assert ic.audit.check(publish(broken, tmp_path / "bad", file=kind))[CYLINDER].status == "fail"
    late = release.data.t.copy()
    late[0] -= 1
    assert ic.audit.check(replace(release, data=replace(release.data, t=late)))[CYLINDER].status == "fail"


def test_boxes_and_cells_are_at_their_centres():
    crowd = prints("0,100,0,100,0,5 | 40,100,0,100,0,5 | 40,100,0,100,0,6", crowd=[1, 1, 2])
    assert verdict(crowd, members=[[0], [1], [2, 3]]) == "pass"
    assert verdict(crowd, members=[[0], [1], [2, 3]], delta_m=70) == "fail"
    assert verdict(prints("0,0,0 | 0,0,1")) == "fail"
    visits = ic.Visits.from_arrays([0, 1], [0, 1], [5, 5], xy=[[0, 0], [0, 50]])
    assert verdict(visits) == "pass" and verdict(visits, delta_m=99) == "fail"
    nowhere = ic.Visits.from_arrays([0, 1], [0, 1], [5, 5])
    assert verdict(nowhere) == "fail"


def test_truth_is_not_expected_of_fabricated_points():
    traces = tracks([(0, 0)], [(0, 1)])
    found = ic.audit.check(W4M(trash=0)(traces), original=traces)
    assert found["truthfulness"].status == found["coverage"].status == "pass"
    assert "as in the original" in found["truthfulness"].evidence
    assert found["k-anonymity"].status == "not asked" and found["records"].status == "pass"


def test_a_claim_of_cylinders_excuses_no_other_noun():
    visits = ic.Visits.from_arrays([0, 1], [0, 0], [5, 5], slot_min=60, start=0, xy=[[0, 0]])
    other = ic.Visits.from_arrays([0, 1], [0, 0], [7, 7], slot_min=60, start=0, xy=[[0, 0]])
    release = released(visits, claims={"k": 2, "delta_m": 10})
    assert ic.audit.check(release, original=other)["truthfulness"].status == "fail"


def test_delta_alone_asks_for_nothing():
    two = released(tracks([(0, 0)], [(0, 1)]))
    with pytest.raises(ic.ParameterError, match="pass k= too"):
        ic.audit.check(two, delta_m=5)
    with pytest.raises(ic.ParameterError, match="delta_m must be above 0"):
        ic.audit.check(two, k=2, delta_m=0)
    assert ic.audit.check(two)[CYLINDER].status == "not asked"
    lone = replace(two, claims={"delta_m": 5.0})
    assert "delta_m means nothing without k" in ic.audit.check(lone)["manifest"].evidence


def test_of_claimed_and_asked_the_stricter_counts():
    data = tracks([(0, 0)], [(0, 30)])
    claimed = released(data, claims={"k": 2, "delta_m": 100})
    assert ic.audit.check(claimed)[CYLINDER].status == "pass"
    assert ic.audit.check(claimed, delta_m=50)[CYLINDER].status == "fail"
    assert ic.audit.check(claimed, delta_m=500)[CYLINDER].status == "pass"
    assert ic.audit.check(released(data, claims={"k": 2, "delta_m": 50}), delta_m=100)[CYLINDER].status == "fail"
    assert ic.audit.check(claimed, k=3)["k-anonymity"].status == "fail"  # asked for by itself


def test_a_set_within_the_cylinder_is_never_farther_apart_than_delta():
    """What the check accepts is co-localised, pair by pair."""
    rng = np.random.default_rng(5)
    x, y = rng.uniform(0, 3e3, (2, 60))
    traces = ic.Traces.from_arrays(rng.integers(0, 12, 60), rng.integers(0, 900, 60), x=x, y=y)
    release = W4M(k=3, delta_m=200)(traces)
    data, cluster = release.data, release.provenance["cluster"]
    for a, b in combinations(range(len(data)), 2):
        if cluster[a] == cluster[b]:
            one, two = (slice(data.offsets[u], data.offsets[u + 1]) for u in (a, b))
            assert np.hypot(data.x[one] - data.x[two], data.y[one] - data.y[two]).max() <= 200 + 1e-6
