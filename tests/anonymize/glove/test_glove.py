from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from boxes import boxes, covered, crowds, prints, published
from incrowd.anonymize.glove import Glove
from incrowd.anonymize.glove.estimate import glove_estimate
from incrowd.arrays import owners
from incrowd.errors import DataError, MissingExtra, ParameterError
from incrowd.kernels.cpu.glove import stretch
from incrowd.kernels.reference.glove import merge
from incrowd.kernels.reference.glove.merge import greedy
from incrowd.measure.glove.stretch import layout

ALL = settings(deadline=None, max_examples=60)
E7 = "0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400"


def expected(data, k, **options):
    laid = layout(data)
    users = [laid.corners[a:b].astype(np.int64) for a, b in zip(laid.offsets[:-1], laid.offsets[1:], strict=True)]
    made = greedy(users, laid.people.tolist(), k, laid.scale, **options)
    groups = {}
    for group in made.groups:
        low = group.corners[:, ::2] * [1, laid.unit_m, laid.unit_m] + laid.origin
        size = (group.corners[:, 1::2] - group.corners[:, ::2]) * [1, laid.unit_m, laid.unit_m]
        columns = (low[:, 1], size[:, 1], low[:, 2], size[:, 2], low[:, 0], size[:, 0])
        groups[tuple(group.members)] = (list(zip(*(c.tolist() for c in columns), strict=True)), group.origin)
    return made, groups


def assert_equal(release, data, made, groups):
    assert release.provenance["merges"] == made.merges
    assert release.provenance["discarded_users"].tolist() == made.discarded
    assert published(release) == {members: box for members, (box, _) in groups.items()}
    assert covered(release, data) == {members: origin for members, (_, origin) in groups.items()}


def test_four_people_are_hidden_in_two_pairs():
    release = Glove(k=2)(prints(E7))
    assert [m[:3] for m in release.merges] == [(0, 1, 4), (2, 3, 5)]
    assert published(release) == {(0, 1): [(0, 100, 0, 100, 0, 41)], (2, 3): [(0, 1100, 0, 100, 20, 381)]}
    assert release.data.crowd.tolist() == [2, 2] and release.claims == {"k": 2}
    assert release.params["device"] == "cpu"


def test_the_leftover_is_merged():
    release = Glove(k=3)(prints(E7))
    assert release.provenance["merges"] == [
        (0, 1, 4, Fraction(1, 24)),
        (2, 4, 5, Fraction(7, 180)),
        (3, 5, 6, Fraction(250, 40000) + Fraction(370, 960)),
    ]
    assert published(release) == {(0, 1, 2, 3): [(0, 1100, 0, 100, 0, 401)]}


def test_the_leftover_is_suppressed():
    release = Glove(k=3, leftover="suppress")(prints(E7))
    assert published(release) == {(0, 1, 2): [(0, 1100, 0, 100, 0, 41)]}
    assert release.provenance["discarded_users"].tolist() == [3]


def test_too_few_users_publish_nothing():
    release = Glove(k=3)(prints("0,0,0 | 0,0,1"))
    assert len(release.data) == 0
    assert release.provenance["discarded_users"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("wide", "high", "long", "stays"),
    [
        (15000, 100, 1, True),
        (15100, 100, 1, False),
        (100, 15100, 1, False),
        (15000, 15000, 360, True),
        (100, 100, 361, False),
    ],
)
def test_limits_are_strict(wide, high, long, stays):
    data = prints(f"0,{wide},0,{high},0,{long} | 0,{wide},0,{high},0,{long}")
    release = Glove(k=2, max_extent_m=15000, max_extent_min=360)(data)
    assert len(release.data) == stays


def test_suppression_accounts_for_every_sample():
    release = Glove(k=2, max_extent_m=15_000, max_extent_min=360)(prints(E7))
    assert published(release) == {(0, 1): [(0, 100, 0, 100, 0, 41)]}
    step = release.ledger.steps[-1]
    assert step.dropped["sample of a discarded fingerprint"] == 2


@ALL
@given(crowds(sizes=True), st.sampled_from([2, 3, 5, 10]), st.sampled_from(["merge", "suppress"]), st.booleans())
def test_merge_for_merge_the_reference(data, k, leftover, uncapped):
    release = Glove(k=k, leftover=leftover, ties="uncapped" if uncapped else "first")(data)
    assert_equal(release, data, *expected(data, k, leftover=leftover, uncapped=uncapped))


@ALL
@given(crowds(most_users=14, most_samples=3), st.sampled_from([2, 3, 5]))
def test_merge_for_merge_the_reference_in_larger_crowds(data, k):
    assert_equal(Glove(k=k)(data), data, *expected(data, k))


def alike(places, t_step):
    """One sample each, at numbered places that are equal or all as far apart as can be."""
    at = np.array(places)
    return ic.Fingerprints.from_arrays(np.arange(len(at)), at * 30_000, 0 * at, at * t_step)


@ALL
@given(st.lists(st.integers(0, 4), min_size=2, max_size=24), st.sampled_from([0, 60, 600]), st.sampled_from([2, 3, 4]))
def test_merge_for_merge_the_reference_among_ties(places, t_step, k):
    data = alike(places, t_step)
    assert_equal(Glove(k=k)(data), data, *expected(data, k))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("places", [np.zeros, np.arange])
def test_ties_do_not_make_everybody_look_at_all_again(places, k):
    for users in (100, 200, 400):
        pairs = Glove(k=k)(alike(places(users, dtype=int), 600)).provenance["work"]["pairs"]
        assert pairs < 1.6 * users**2


@pytest.mark.parametrize("k", [2, 5])
def test_merge_for_merge_the_reference_on_calls_of_a_country(k, monkeypatch):
    data = ic.read.synthetic_city(users=60, towers=40, days=5, profile="cdr", seed=k).fingerprints()

    def compiled(a, b, n_a, n_b, scale):
        return stretch.stretch(a, b, n_a, n_b, np.array(scale))

    monkeypatch.setattr(merge, "stretch", compiled)  # all samples against all, as the reference does
    assert_equal(Glove(k=k)(data), data, *expected(data, k))


@ALL
@given(crowds(most_users=10, most_samples=4, crowd=True), st.sampled_from([2, 3, 5]))
def test_crowds_of_different_weight(data, k):
    release = Glove(k=k)(data)
    assert_equal(release, data, *expected(data, k))
    for row, group in enumerate(release.members):
        assert release.data.crowd[row] == data.crowd[group].sum() >= k


@ALL
@given(crowds(most_samples=4, sizes=True), st.sampled_from([2, 3]), st.sampled_from([200, 4000]), st.integers(1, 500))
def test_suppression_after_each_merge(data, k, metres, minutes):
    release = Glove(k=k, max_extent_m=metres, max_extent_min=minutes, suppress="each")(data)
    laid = layout(data)
    made, groups = expected(data, k, limits=(metres // laid.unit_m, minutes))
    assert release.provenance["merges"] == made.merges
    for members, rows in published(release).items():
        kept = [b for b in groups[members][0] if max(b[1], b[3]) <= metres and b[5] <= minutes]
        assert rows == kept


@ALL
@given(crowds(most_users=12, sizes=True), st.sampled_from([2, 3, 5]), st.sampled_from([None, "union", "split"]))
def test_what_is_published_is_true(data, k, reshape):
    release = Glove(k=k, reshape=reshape)(data)
    owner = owners(data.offsets)
    known = release.provenance
    sizes = np.diff(release.members.offsets)
    assert ((k <= sizes) & (sizes <= 3 * k - 3)).all() and (sizes > 2 * k - 2).sum() <= 1
    assert sorted([*release.members.positions, *known["discarded_users"]]) == list(range(len(data)))
    assert len(known["discarded_users"]) == (0 if len(data) >= k else len(data))
    assert release.ledger.steps[-1].read == data.records
    for box, group in enumerate(known["boxes"]["group"].tolist()):
        rows = np.flatnonzero(known["box"] == box)
        assert set(owner[rows]) == set(release.members[group].tolist())
        for low, length in (("x", "dx"), ("y", "dy"), ("t", "dt")):
            start, size = getattr(data, low)[rows], getattr(data, length)[rows]
            assert known["boxes"][low][box] == start.min()
            assert known["boxes"][low][box] + known["boxes"][length][box] == (start + size).max()
    assert (known["box"] >= 0).sum() == np.isin(owner, release.members.positions).sum()
    _assert_reshaped_covers(release, data, reshape)
    if reshape != "split":
        _assert_hulls(release, data)


def _assert_hulls(release, data):
    """Every face of every published box touches a sample of its members."""
    for box in range(release.data.records):
        rows = np.flatnonzero(release.provenance["row"] == box)
        for low, length in (("x", "dx"), ("y", "dy"), ("t", "dt")):
            start, end = getattr(data, low)[rows], (getattr(data, low) + getattr(data, length))[rows]
            assert getattr(release.data, low)[box] == start.min()
            assert getattr(release.data, low)[box] + getattr(release.data, length)[box] == end.max()


def _assert_reshaped_covers(release, data, reshape):
    row = release.provenance["row"]
    shown = release.data
    for sample in np.flatnonzero(row >= 0):
        for low, length in (("x", "dx"), ("y", "dy"), ("t", "dt")):
            start, size = getattr(shown, low)[row[sample]], getattr(shown, length)[row[sample]]
            mine = getattr(data, low)[sample]
            assert start <= mine
            if reshape != "split" or low != "t":
                assert mine + getattr(data, length)[sample] <= start + size
            else:
                assert mine < start + size
    if reshape:
        for group in range(len(shown)):
            rows = slice(shown.offsets[group], shown.offsets[group + 1])
            assert (shown.t[rows][1:] >= (shown.t + shown.dt)[rows][:-1]).all()


@ALL
@given(crowds(least_users=2), st.integers(1, 400))
def test_limits_only_delete_more_when_lowered(data, minutes):
    tight = Glove(k=2, max_extent_min=minutes, max_extent_m=1000)(data)
    loose = Glove(k=2, max_extent_min=minutes + 50, max_extent_m=1500)(data)
    assert (tight.data.dt <= minutes).all() and (np.maximum(tight.data.dx, tight.data.dy) <= 1000).all()
    assert ((tight.provenance["row"] >= 0) <= (loose.provenance["row"] >= 0)).all()
    assert Glove(k=2, max_extent_min=10**6, max_extent_m=10**7)(data).data.records == Glove(k=2)(data).data.records


@ALL
@given(crowds(most_users=12))
def test_for_two_merges_cost_more_and_more(data):
    release = Glove(k=2, leftover="suppress")(data)
    costs = [cost for *_, cost in release.provenance["merges"]]
    assert costs == sorted(costs)


def test_for_three_they_need_not():
    costs = [cost for *_, cost in Glove(k=3, leftover="suppress")(prints(E7)).merges]
    assert costs[1] < costs[0]


def test_moving_the_plane_changes_nothing():
    here, there = prints(E7), prints("-700,900,5 | -700,900,45 | 300,900,25 | -700,900,405")
    assert Glove(k=3)(here).merges == Glove(k=3)(there).merges
    assert published(Glove(k=3)(there)) == {(0, 1, 2, 3): [(-700, 1100, 900, 100, 5, 401)]}


def test_pseudonyms_are_fresh_and_seeds_say_so():
    data = prints(" | ".join(f"0,0,{t}" for t in range(0, 4000, 50)))
    one, two = (Glove()(data) for _ in range(2))
    assert [g.tolist() for g in one.members] != [g.tolist() for g in two.members]
    seeded = [Glove()(data, pseudonym_seed=3) for _ in range(2)]
    assert [g.tolist() for g in seeded[0].members] == [g.tolist() for g in seeded[1].members]
    assert seeded[0].params["pseudonym_seed_given"] and not one.params["pseudonym_seed_given"]


def test_expanded_repeats_a_group_for_each_person():
    release = Glove(k=3)(prints(E7)).expanded()
    assert len(release.data) == 4 and release.data.crowd.tolist() == [1] * 4
    assert {tuple(boxes(release.data, row)) for row in range(4)} == {((0, 1100, 0, 100, 0, 401),)}
    assert all(group.tolist() == [0, 1, 2, 3] for group in release.members)


@pytest.mark.parametrize("k", [2, 3])
def test_shards_keep_the_guarantee_and_every_position(k):
    rng = np.random.default_rng(1)
    data = prints(" | ".join("; ".join(f"{x * 100},0,{t}" for x, t in rng.integers(0, 900, (3, 2))) for _ in range(61)))
    release = Glove(k=k, shard_users=16)(data)
    assert release.params["shards"] == 4
    assert sorted(release.members.positions.tolist()) == list(range(61))
    assert (release.data.crowd >= k).all()
    ids = [new for *_, new, _ in release.merges]
    assert ids == list(range(61, 61 + len(ids)))
    made = {new: (lo, hi) for lo, hi, new, _ in release.merges}

    def members(ident):
        return [ident] if ident < 61 else sorted(members(made[ident][0]) + members(made[ident][1]))

    roots = set(made) - {i for pair in made.values() for i in pair}
    assert {tuple(members(r)) for r in roots} == set(published(release))
    for group, found in covered(release, data).items():
        for box, pairs in zip(published(release)[group], found, strict=True):
            rows = [data.offsets[user] + index for user, index in pairs]
            assert (box[0], box[4]) == (data.x[rows].min(), data.t[rows].min())
            assert {user for user, _ in pairs} == set(group)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"k": 1}, ParameterError),
        ({"k": 2.5}, ParameterError),
        ({"max_extent_m": 0}, ParameterError),
        ({"reshape": "melt"}, ParameterError),
        ({"leftover": "keep"}, ParameterError),
        ({"ties": "last"}, ParameterError),
        ({"suppress": "never"}, ParameterError),
        ({"k": 5, "shard_users": 9}, ParameterError),
        ({"shard_users": "9"}, ParameterError),
        ({"shard_users": 9.5}, ParameterError),
        ({"shard_users": float("nan")}, ParameterError),
        ({"max_extent_m": True}, ParameterError),
        ({"max_extent_min": "a"}, ParameterError),
        ({"device": "gpu"}, MissingExtra),
        ({"device": "tpu"}, ParameterError),
    ],
)
def test_bad_options_are_refused_at_once(options, error):
    with pytest.raises(error):
        Glove(**options)


def test_only_fingerprints_of_somebody_are_hidden():
    nobody = Glove(k=10)(prints(E7)).data
    for call in (Glove(), Glove(k=3, shard_users=9), glove_estimate):
        with pytest.raises(DataError, match="no fingerprints"):
            call(nobody)
        with pytest.raises(DataError, match="needs Fingerprints, got Visits; make them with"):
            call(ic.Visits.from_arrays([1, 2], [0, 1], [0, 1]))
    for users in (0, 1.5, "a"):
        with pytest.raises(ParameterError, match="timed_users"):
            glove_estimate(prints(E7), timed_users=users)


def test_a_plane_beyond_any_map_is_refused():
    with pytest.raises(DataError, match="span"):
        Glove()(prints(f"0,0,0 | {10**12},0,0"))
