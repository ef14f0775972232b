from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from boxes import prints
from builders import tracks
from incrowd.anonymize.w4m import W4M, mean_speed
from incrowd.anonymize.w4m.points import TRASHED, Tracks, around_pivots, chunks_of, cluster, grown, points_of, sample_of

ALL = settings(deadline=None, max_examples=60)


@st.composite
def crowds(draw, planar=None):
    """A few users on few places and times, so that distances tie and trajectories equal or have no length."""
    record = st.tuples(st.sampled_from([0, 0, 60, 600, 86_400]), *[st.sampled_from([0, 500, 1000, 30_000])] * 2)
    users = draw(st.lists(st.lists(record, min_size=1, max_size=5), min_size=4, max_size=9))
    if draw(st.booleans()):
        users.append(users[0])
    who, t, x, y = np.array([(u, *r) for u, part in enumerate(users) for r in part], float).T
    if draw(st.booleans()) if planar is None else planar:
        return ic.Traces.from_arrays(who, t, x=x, y=y)
    return ic.Traces.from_arrays(who, t, lon=179.9 + x / 1e6, lat=60 + y / 1e5)


def rows(table, user):
    return slice(table.offsets[user], table.offsets[user + 1])


def metres(data, a, b):
    """Distance between two lists of places."""
    if data.planar:
        return np.hypot(a[0] - b[0], a[1] - b[1])
    import pyproj

    return pyproj.Geod(ellps="WGS84").inv(*a, *b)[2]


@ALL
@given(crowds(), st.sampled_from([2, 3, 4]), st.sampled_from([0, 0.3]), st.sampled_from([1, 20]), st.integers(0, 3))
def test_members_stay_in_the_cylinder_of_their_pivot_at_its_times(traces, k, trash, chunk, seed):
    release = W4M(k=k, delta_m=800, trash=trash, chunk=chunk)(traces, seed=seed)
    data, known = release.data, release.provenance
    assert np.bincount(known["cluster"]).min() >= k
    for user, number in enumerate(known["cluster"]):
        mine, its = rows(data, user), rows(data, known["pivot"][number])
        assert data.t[mine].tolist() == data.t[its].tolist()
        apart = metres(data, *(tuple(column[part] for column in data.coordinates) for part in (mine, its)))
        assert apart.max() <= 400 + 1e-6
    for pivot in known["pivot"]:
        was = rows(traces, release.members[pivot][0])
        assert known["source"][rows(data, pivot)].tolist() == list(range(was.start, was.stop))
        for now, column in zip(data.coordinates, traces.coordinates, strict=True):
            assert now[rows(data, pivot)].tolist() == column[was].tolist()
    assert ic.audit.check(release, original=traces).passed


@ALL
@given(crowds(), st.sampled_from([2, 3]), st.sampled_from([0, 0.25, 0.5, 1]))
def test_everybody_is_published_once_or_trashed_within_the_limit(traces, k, trash):
    method = W4M(k=k, trash=trash, delta_m=500, radius_m=100)
    try:
        release = method(traces)
    except ic.DataError as error:
        assert "trashed" in str(error) and trash == 1
        return
    published, gone = release.members.positions, release.provenance["discarded_users"]
    assert sorted([*published, *gone]) == list(range(len(traces)))
    assert len(gone) <= trash * len(traces)
    step = release.ledger.steps[-1]
    assert step.notes["trashed trajectory"] == len(gone)
    assert step.dropped["point of a trashed trajectory"] == np.diff(traces.offsets)[gone].sum()


@ALL
@given(crowds(), st.sampled_from([2, 3]))
def test_counters_add_up(traces, k):
    release = W4M(k=k, delta_m=500, trash=0.3)(traces)
    found, step = ic.measure.displacement(release, traces), release.ledger.steps[-1]
    assert step.created == {"point repeated at another time": found.repeated_samples}
    assert step.dropped["point that shares its pivot's time with an earlier one"] == found.dropped_samples
    assert found.created_samples - found.deleted_samples == found.published_samples - found.original_samples
    assert found.repeated_samples >= found.created_samples
    assert found.dropped_samples >= found.deleted_samples - found.deleted_with_users


def test_a_far_point_is_pulled_and_a_near_one_left():
    traces = tracks([(0, 0), (60, 0)], [(0, 300), (60, 4000, 3000)])
    release = W4M(k=2, delta_m=1000, trash=0)(traces, seed=0)
    pivot = release.members[release.provenance["pivot"][0]][0]
    data, shown = release.data, {}
    for j, (who,) in enumerate(release.members):
        shown[int(who)] = list(zip(data.x[rows(data, j)].tolist(), data.y[rows(data, j)].tolist(), strict=True))
    assert shown[pivot] == ([(0, 0), (0, 0)] if pivot == 0 else [(300, 0), (4000, 3000)])
    assert shown[1 - pivot] == ([(300, 0), (400, 300)] if pivot == 0 else [(0, 0), (3600, 2700)])


@pytest.mark.parametrize("seed", range(4))
def test_a_longer_pivot_repeats_and_a_shorter_one_drops(seed):
    traces = tracks([(0, 0), (60, 0), (120, 0)], [(60, 10)])
    found = W4M(k=2, trash=0)(traces, seed=seed)
    step, long_pivot = found.ledger.steps[-1], len(found.data.t) == 6
    assert (sum(step.created.values()), sum(step.dropped.values())) == ((2, 0) if long_pivot else (0, 2))
    assert step.notes["moved in time"] == (2 if long_pivot else 1)


def test_pivots_of_both_kinds_occur():
    traces = tracks([(0, 0), (60, 0), (120, 0)], [(60, 10)])
    assert {len(W4M(k=2, trash=0)(traces, seed=s).data.t) for s in range(9)} == {2, 6}


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([[(0, 0), (10, 100)], [(0, 0), (10, 300)]], 20.0),
        ([[(0, 0), (10, 100)], [(5, 0), (5, 900)]], 10.0),  # two places at one time: no speed
        ([[(0, 0), (10, 100)], [(5, 0)]], 10.0),
        ([[(0, 0)], [(5, 9)]], 0.0),
        ([[(0, 0), (10, 40), (20, 0)]], 4.0),  # the length of the path, not of the way
    ],
)
def test_speed_is_the_mean_over_people_who_were_seen_for_some_time(records, expected):
    traces = tracks(*records)
    assert mean_speed(traces, *traces.coordinates) == expected


def test_one_point_each_and_no_time():
    traces = tracks(*[[(0, float(x))] for x in (0, 10, 5000, 5010)])
    release = W4M(k=2, delta_m=100, trash=0, radius_m=50)(traces)
    groups = {tuple(sorted(release.members.positions[release.provenance["cluster"] == c].tolist())) for c in (0, 1)}
    assert groups == {(0, 1), (2, 3)} and release.provenance["speed_mps"] == 0


def test_equal_trajectories_are_published_as_they_are():
    traces = tracks(*[[(0, 5), (60, 7)]] * 5)
    release = W4M(k=3, trash=0)(traces)
    assert release.ledger.steps[-1].notes == {
        "trashed trajectory": 0,
        "moved in space": 0,
        "moved in time": 0,
    }
    assert release.data.x.tolist() == [5, 7] * 5


def test_the_radius_grows_until_few_enough_are_trashed():
    traces = tracks([(0, 0)], [(0, 1)], [(0, 1000)], [(0, 1001)], [(0, 9000)])
    strict = W4M(k=2, radius_m=10, trash=0)(traces)
    loose = W4M(k=2, radius_m=10, trash=0.2)(traces)
    assert strict.provenance["radius_m"] >= 7999 and len(strict.data) == 5
    assert loose.provenance["radius_m"] == 10 and loose.provenance["discarded_users"].tolist() == [4]


def test_all_may_be_trashed_only_where_that_is_asked_for():
    traces = tracks([(0, 0)], [(0, 1000)])
    with pytest.raises(ic.DataError, match="nothing is left to publish; raise radius_m"):
        W4M(k=2, radius_m=10, trash=1)(traces)
    assert len(W4M(k=2, radius_m=10, trash=0.9)(traces).data) == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (tracks([(0, 0)], [(0, 1)]), "2 users cannot hide among k = 3"),
        (tracks([(60, 0), (0, 0)], [(0, 1)], [(0, 1)]), "log order"),
        (prints("0,0,0 | 0,0,0 | 0,0,0"), "W4M needs Traces, got Fingerprints"),
    ],
)
def test_what_cannot_be_bent_is_refused(data, said):
    with pytest.raises(ic.DataError, match=said):
        W4M(k=3)(data)


@pytest.mark.parametrize(
    "given_", [{"trash": True}, {"trash": -0.1}, {"most": 0}, {"delta_m": float("nan")}, {"k": "2"}]
)
def test_parameters_without_meaning_are_refused(given_):
    with pytest.raises(ic.ParameterError):
        W4M(**given_)


def test_the_seed_decides_the_clusters():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 9e3, (2, 120))
    traces = ic.Traces.from_arrays(np.repeat(np.arange(30), 4), rng.integers(0, 9999, 120), x=x, y=y)
    found = {W4M()(traces, seed=s, pseudonym_seed=0).data.x.tobytes() for s in (0, 0, 1)}
    assert len(found) == 2
    assert {W4M()(traces, seed=None, pseudonym_seed=0).data.x.tobytes() for _ in range(9)} != found  # not seeded


@pytest.mark.parametrize(("users", "size", "sizes"), [(3, 4, [3]), (7, 4, [7]), (8, 4, [4, 4]), (19, 4, [4, 4, 4, 7])])
def test_chunks_hold_size_users_and_the_last_what_is_left(users, size, sizes):
    points = np.column_stack([np.arange(users) * 10.0, np.zeros(users), np.zeros(users)])
    tracks_ = Tracks(points, np.arange(users + 1), 1.0, 10)
    found = list(chunks_of(tracks_, size, np.random.default_rng(0)))
    assert [len(chunk) for chunk in found] == sizes
    assert sorted(np.concatenate(found).tolist()) == list(range(users))


def test_a_chunk_is_alike_in_space_and_in_time():
    points = np.array([(0, 0, 0), (9, 0, 0), (0, 0, 900), (9, 0, 900)], float)
    first = next(chunks_of(Tracks(points, np.arange(5), 1.0, 10), 2, np.random.default_rng(0)))
    assert first.tolist() in ([0, 1], [2, 3])


def test_of_equally_near_ones_the_first_in_the_permutation_are_taken():
    """A partition breaks ties otherwise on every processor; enough people that a wrong choice cannot pass by luck."""
    places = np.random.default_rng(3).integers(0, 3, (400, 3)).astype(float)
    for seed in range(5):
        found = list(chunks_of(Tracks(places, np.arange(401), 1.0, 10), 40, np.random.default_rng(seed)))
        left, chunks = np.random.default_rng(seed).permutation(400).tolist(), []
        while len(left) >= 80:
            first = places[left[0]]
            near = sorted(left, key=lambda u: (u != left[0], ((places[u] - first) ** 2).sum()))[:40]
            chunks.append(sorted(near))
            left = [u for u in left if u not in near]
        assert [chunk.tolist() for chunk in found] == [*chunks, sorted(left)]


def test_trash_is_divided_over_the_chunks():
    """Four lonely people in one chunk: it may not use up what the other leaves, so that its radius must grow."""
    couples = np.repeat(np.arange(10) * 1e4, 2) + np.tile([0, 1], 10)
    xs = np.concatenate([couples[:16], [1e6, 2e6, 3e6, 4e6], 1e9 + couples])
    where = Tracks(np.column_stack([xs, np.zeros((40, 2))]), np.arange(41), 1.0, 10)
    found = cluster(where, k=2, chunk=10, trash=0.1, radius_m=1.0, rng=np.random.default_rng(0))
    assert found.chunks == 2 and (found.pivot == TRASHED).sum() <= 2
    assert found.radius_m > 1e3
    whole = cluster(where, k=2, chunk=20, trash=0.1, radius_m=1.0, rng=np.random.default_rng(0))
    assert whole.chunks == 1 and (whole.pivot == TRASHED).sum() == 4 and whole.radius_m == 1


def test_a_rejected_pivot_may_still_be_a_member():
    # 0 and 1 are near; 2 is far from both, but 3 is near 2 by its own walk only
    far = np.array([[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 9], [9, 9, 1, 0]], float)
    total = far.astype(np.int64)
    clusters = set()
    for seed in range(20):
        found, radius = grown(total, far, k=2, allowed=0, radius_m=2.0, rng=np.random.default_rng(seed))
        clusters.add(tuple(found.tolist()))
        assert radius >= 2
    assert (0, 0, 3, 3) in clusters or (1, 1, 3, 3) in clusters


def test_who_is_left_joins_the_nearest_pivot_or_nobody():
    far = np.abs(np.subtract.outer([0.0, 1, 2, 50], [0.0, 1, 2, 50]))
    total = far.astype(np.int64)
    order = np.argsort(total, axis=1, kind="stable")
    found = around_pivots(total, order, far, k=2, radius_m=2.0, rng=np.random.default_rng(0))
    assert found[3] == TRASHED and len(set(found[:3].tolist())) == 1


def test_points_are_the_centres_of_boxes():
    points = points_of(prints("0,0,0; 300,100,7 | 0,1000,0,100,0,60"))
    assert list(zip(points.x.tolist(), points.y.tolist(), points.t.tolist(), strict=True)) == [
        (50, 50, 30),
        (350, 150, 450),
        (500, 50, 1800),
    ]
    assert all(b >= a for user in range(2) for a, b in pairwise(points.t[rows(points, user)].tolist()))
    with pytest.raises(ic.DataError, match="several people"):
        points_of(prints("0,0,0 | 0,0,9", crowd=[1, 2]))


def test_what_is_written_says_that_points_are_moved_and_repeated(tmp_path):
    traces = tracks([(0, 0)], [(0, 1)])
    release = W4M(trash=0)(traces)
    folder = ic.anonymize.publish(release, tmp_path / "release")
    for file in ("manifest.json", "README.md"):
        text = (folder / file).read_text()
        assert "left out and repeated" in text and "weaker than k-anonymity" in text and "(k, delta)-anonymity" in text


def test_points_know_their_samples():
    mixed = prints("0,100,0,100,0,1000; 900,100,0,100,1,1 | 0,0,0; 0,0,9")
    points, sample = points_of(mixed), sample_of(mixed)
    assert sample.tolist() == [1, 0, 2, 3]
    assert points.x.tolist() == (mixed.x + mixed.dx / 2)[sample].tolist()
    assert points.t.tolist() == (60 * mixed.t + 30 * mixed.dt)[sample].tolist()
