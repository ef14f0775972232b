import os
import signal
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from boxes import boxes, crowds, prints
from incrowd.anonymize.glove import Glove
from incrowd.anonymize.glove_cost import glove_cost
from incrowd.anonymize.glove_herd import Herd
from incrowd.anonymize.glove_lists import Lists
from incrowd.anonymize.glove_saving import Saved, content_key, forget
from incrowd.arrays import owners
from incrowd.data import Groups
from incrowd.errors import DataError, MissingExtra, ParameterError
from incrowd.kernels.cpu import stretching
from incrowd.kernels.reference import merging
from incrowd.kernels.reference.merging import greedy
from incrowd.measure.stretch import layout
from incrowd.progress import listening

glove_cost_module = sys.modules["incrowd.anonymize.glove_cost"]  # the package shows the function of that name
ALL = settings(deadline=None, max_examples=60)
E7 = "0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400"


def published(release):
    """{members: boxes}, which no pseudonym can change."""
    return {tuple(group.tolist()): boxes(release.data, row) for row, group in enumerate(release.members)}


def covered(release, original):
    """{members: for each box before reshaping the original (user, index) pairs in it}."""
    owner = owners(original.offsets)
    index = np.arange(original.records) - original.offsets[owner]
    known = release.provenance
    found = {tuple(group.tolist()): [] for group in release.members}
    names = list(found)
    for box, group in enumerate(known["boxes"]["group"].tolist()):
        rows = np.flatnonzero(known["box"] == box)
        found[names[group]].append(sorted(zip(owner[rows].tolist(), index[rows].tolist(), strict=True)))
    return found


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


def test_e7_two():
    release = Glove(k=2)(prints(E7))
    assert [m[:3] for m in release.merges] == [(0, 1, 4), (2, 3, 5)]
    assert published(release) == {(0, 1): [(0, 100, 0, 100, 0, 41)], (2, 3): [(0, 1100, 0, 100, 20, 381)]}
    assert release.data.crowd.tolist() == [2, 2] and release.claims == {"k": 2}
    assert release.params["device"] == "cpu"


def test_e7_three_merges_the_leftover():
    release = Glove(k=3)(prints(E7))
    assert release.provenance["merges"] == [
        (0, 1, 4, Fraction(1, 24)),
        (2, 4, 5, Fraction(7, 180)),
        (3, 5, 6, Fraction(250, 40000) + Fraction(370, 960)),
    ]
    assert published(release) == {(0, 1, 2, 3): [(0, 1100, 0, 100, 0, 401)]}


def test_e7_three_suppresses_the_leftover():
    release = Glove(k=3, leftover="suppress")(prints(E7))
    assert published(release) == {(0, 1, 2): [(0, 1100, 0, 100, 0, 41)]}
    assert release.provenance["discarded_users"].tolist() == [3]


def test_e13_too_few_users_publish_nothing():
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
def test_e9_limits_are_strict(wide, high, long, stays):
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
        return stretching.stretch(a, b, n_a, n_b, np.array(scale))

    monkeypatch.setattr(merging, "stretch", compiled)  # all samples against all, as the reference does
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
    for call in (Glove(), Glove(k=3, shard_users=9), glove_cost):
        with pytest.raises(DataError, match="no fingerprints"):
            call(nobody)
        with pytest.raises(DataError, match=r"incrowd\.discretize\.fingerprints"):
            call(ic.Visits.from_arrays([1, 2], [0, 1], [0, 1]))
    for rows in (0, 1.5, "a"):
        with pytest.raises(ParameterError, match="rows"):
            glove_cost(prints(E7), rows=rows)


def test_a_plane_beyond_any_map_is_refused():
    with pytest.raises(DataError, match="span"):
        Glove()(prints(f"0,0,0 | {10**12},0,0"))


def noisy(users=90, seed=0):
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(users), 6)
    x, t = rng.integers(0, 900, (2, len(user)))
    return ic.Fingerprints.from_arrays(user, x * 100, np.zeros_like(x), t)


RUN = """
import os, runpy, signal
from incrowd.anonymize import glove_greedy, glove_saving
from incrowd.anonymize.glove import Glove
noisy = runpy.run_path({test!r})["noisy"]
glove_greedy.BLOCK = 16
kept, written = glove_saving.Saved.keep, [0]

def keep(self, *args, **options):
    kept(self, *args, **options)
    written[0] += 1
    if written[0] == {after}:
        os.kill(os.getpid(), signal.SIGKILL)

glove_saving.Saved.keep = keep
Glove(k={k}, shard_users={shard})(noisy(), checkpoint={file!r}, checkpoint_s=0)
"""


@pytest.mark.parametrize(
    ("k", "after", "shard"), [(2, 2, None), (2, 7, None), (3, 3, None), (3, 60, None), (3, 50, 40)]
)
def test_a_killed_run_goes_on_to_the_same_result(tmp_path, monkeypatch, k, after, shard):
    file = tmp_path / "run.npz"
    code = RUN.format(test=__file__, after=after, k=k, shard=shard, file=str(file))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", code], check=False, env=env)
    assert ended.returncode == -signal.SIGKILL
    left = list(tmp_path.iterdir())
    assert left and all(path.stat().st_mode & 0o077 == 0 for path in left)
    scanned = []
    scan = Lists.scan
    monkeypatch.setattr(Lists, "scan", lambda self, rows: (scanned.append(len(rows)), scan(self, rows)))
    resumed = Glove(k=k, shard_users=shard)(noisy(), checkpoint=file)
    again = sum(scanned)
    whole = Glove(k=k, shard_users=shard)(noisy())
    assert again < sum(scanned) - again
    assert resumed.provenance["merges"] == whole.provenance["merges"]
    assert published(resumed) == published(whole)
    assert covered(resumed, noisy()) == covered(whole, noisy())
    shards = whole.params["shards"]
    assert len(list(tmp_path.iterdir())) == shards  # kept until the release is on disk
    del scanned[:]
    assert published(Glove(k=k, shard_users=shard)(noisy(), checkpoint=file)) == published(whole)
    assert not scanned
    forget(file, shards=shards)
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_of_other_data_is_refused(tmp_path):
    file = tmp_path / "run.npz"
    herd = Herd(layout(noisy()), 2, uncapped=False, limits=None)
    Saved(file, "another run", 0).keep(herd, Lists(herd, below=False))
    with pytest.raises(DataError, match="other data"):
        Glove(k=2)(noisy(), checkpoint=file)
    file.write_bytes(b"not a checkpoint")
    with pytest.raises(DataError, match="not a checkpoint"):
        Glove(k=2)(noisy(), checkpoint=file)
    with pytest.raises(ParameterError, match="folder"):
        Glove(k=2)(noisy(), checkpoint=tmp_path / "absent" / "run.npz")


def an_archive(file, **arrays):
    with file.open("wb") as out:
        np.savez(out, **arrays)


@pytest.mark.parametrize(
    "write",
    [
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(b"PK\x03\x04" + b"x" * 50),
        lambda file: np.save(file, np.arange(3)),
        lambda file: an_archive(file, other=np.arange(3)),
        lambda file: file.mkdir(),
    ],
)
def test_what_is_no_checkpoint_is_refused(tmp_path, write):
    file = tmp_path / "run.npy"
    write(file)
    with pytest.raises(DataError, match="not a checkpoint"):
        Glove()(prints(E7), checkpoint=file)


def test_options_of_a_checkpoint_are_checked(tmp_path):
    for name in ("", ".", 5):
        with pytest.raises(ParameterError, match="name of a file"):
            Glove()(prints(E7), checkpoint=name)
    for every_s in ("a", -1, float("nan")):
        with pytest.raises(ParameterError, match="checkpoint_s"):
            Glove()(prints(E7), checkpoint=tmp_path / "run", checkpoint_s=every_s)


def test_a_checkpoint_belongs_to_its_unit(tmp_path):
    x, t = np.random.default_rng(0).integers(0, 900, (2, 40))
    cells = ic.Fingerprints.from_arrays(np.arange(40), x * 100, 0 * x, t)
    metres = ic.Fingerprints.from_arrays(np.arange(40), x, 0 * x, t, dx=1, dy=1)
    one, two = layout(cells), layout(metres)
    np.testing.assert_array_equal(one.corners, two.corners)
    assert content_key(one, {}) != content_key(two, {})


def test_content_keys_tell_data_and_parameters_apart():
    one, two = layout(noisy()), layout(noisy(seed=1))
    keys = [content_key(laid, {"k": k}) for laid in (one, two) for k in (2, 3)]
    assert len(set(keys)) == 4 and keys[0] == content_key(layout(noisy()), {"k": 2})


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_the_pairs_a_run_looks_at_are_foreseen(k):
    for data in (noisy(users=400), ic.read.synthetic_city(users=300, days=4, profile="cdr").fingerprints()):
        looked = Glove(k=k)(data).provenance["work"]["pairs"]
        assert looked / 1.35 < glove_cost(data, k=k, rows=4).pairs < looked * 1.35


def test_shards_cost_less_and_a_larger_crowd_more(monkeypatch):
    data = noisy(users=800)
    clock = iter(range(1000))
    monkeypatch.setattr(glove_cost_module.time, "process_time", lambda: float(next(clock)))  # one second a search
    monkeypatch.setattr(glove_cost_module.os, "cpu_count", lambda: 2)
    one, five = glove_cost(data, k=2), glove_cost(data, k=5)
    pair = 1 / (64 * 800)
    assert one.seconds == pytest.approx(pair * 1.3 * 800**2 / 2 + 3.8e-6 * data.records)
    assert five.seconds == pytest.approx(pair * 800**2 * (0.25 + 1.9 * 0.72 * 0.6) + 3.8e-6 * data.records)
    parts = glove_cost(data, k=5, shard_users=100)
    assert (parts.shards, parts.pairs) == (8, pytest.approx(five.pairs / 8, rel=1e-3))
    assert parts.seconds == pytest.approx(8 * 100**2 / (64 * 100) * (0.25 + 1.9 * 0.72 * 0.6) + 3.8e-6 * data.records)
    assert str(parts).startswith("800 users in 8 shards, ")
    for bad in (0, 1.5, "many"):
        with pytest.raises(ParameterError, match="shard_users"):
            glove_cost(data, shard_users=bad)


@pytest.mark.parametrize("k", [2, 3])
def test_progress_rises_to_its_end(k):
    heard = []
    with listening(lambda label, done, total: heard.append((done, total))):
        Glove(k=k)(noisy())
    done = [d for d, _ in heard]
    assert done == sorted(done) and heard[-1][0] == heard[-1][1] > 0


def test_memory_stays_within_what_was_said():
    data = noisy(users=800)
    cost = glove_cost(data, k=2)
    Glove(k=2)(data)  # what is compiled or loaded on the way is not counted
    tracemalloc.start()
    Glove(k=2)(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.2 * cost.memory_mib < peak / 2**20 < cost.memory_mib
    assert cost.seconds > 0 and str(cost).startswith("800 users, 4,")


def assert_audited(release, data, reshape=None):
    """Whatever was made passes the audit as it is, expanded, and without what only its maker knows."""
    for one in (release, release.expanded(), replace(release, provenance={})):
        verdict = ic.audit.check(one, original=data)
        failed = {check.name for check in verdict.checks if check.status == "fail"}
        # The pieces of a split may hold no sample of some member; everything else holds for them too.
        assert failed <= ({"truthfulness"} if reshape == "split" else set()), str(verdict)
        for name in ("k-anonymity", "crowd", "coverage", "tightness"):
            assert verdict[name].status == "pass", str(verdict)
        if "truthfulness" in failed:
            assert "said to be split" in verdict["truthfulness"].evidence


@pytest.mark.parametrize("reshape", [None, "union", "split"])
@pytest.mark.parametrize("limits", [{}, {"max_extent_m": 30_000, "max_extent_min": 300}])
@pytest.mark.parametrize("k", [2, 3])
def test_passes_the_audit(k, limits, reshape):
    data = noisy(users=41)
    assert_audited(Glove(k=k, reshape=reshape, **limits)(data), data, reshape)


@settings(deadline=None, max_examples=80)
@given(crowds(least_users=2, sizes=True, crowd=True), st.sampled_from([2, 3, 5]), st.data())
def test_crowds_and_long_samples_pass_the_audit(data, k, draw):
    options = {
        "reshape": draw.draw(st.sampled_from([None, "union", "split"])),
        "leftover": draw.draw(st.sampled_from(["merge", "suppress"])),
        "suppress": draw.draw(st.sampled_from(["final", "each"])),
        "max_extent_min": draw.draw(st.sampled_from([None, 100, 800])),
    }
    release = Glove(k=k, **options)(data)
    if release.data.records:
        assert_audited(release, data, options["reshape"])
        assert ic.audit.check(release)["k-anonymity"].status == "pass"


def test_long_samples_are_covered_by_the_pieces_of_a_split_together():
    data = prints("0,100,0,100,0,10; 300,100,0,100,4,2 | 0,100,0,100,0,10; 300,100,0,100,4,2")
    release = Glove(k=2, reshape="split")(data)
    assert len(published(release)[0, 1]) == 3
    verdict = ic.audit.check(release, original=data)
    assert verdict["coverage"].evidence.startswith("4 of 4 original records")
    shown = release.data
    cut = replace(shown, dt=np.where(shown.t == 6, 3, shown.dt))
    short = ic.audit.check(replace(release, data=cut), original=data)["coverage"]
    assert short.status == "fail" and short.evidence.startswith("2 of 4")


@pytest.mark.parametrize("inside", [True, False])
def test_the_audit_counts_the_people_behind_the_users(inside):
    data = prints("0,0,0 | 0,0,10 | 0,0,3000", crowd=[1, 1, 5])
    release = Glove(k=2)(data)
    original = data if inside else None
    assert ic.audit.check(release, original=original, k=2).passed
    assert ic.audit.check(release, original=original, k=3)["k-anonymity"].status == "fail"
    for people in ([3, 5], [2, 4]):
        crowd = np.array(people if release.data.crowd[0] == 2 else people[::-1])
        lie = replace(release, data=replace(release.data, crowd=crowd))
        assert ic.audit.check(lie, original=original)["crowd"].status == "fail"


def test_copies_of_a_crowd_are_no_more_than_its_people():
    data = noisy(users=20)
    copies = Glove(k=4)(data).expanded()
    assert ic.audit.check(copies, original=data).passed
    last = copies.data.offsets[-2]
    columns = {name: getattr(copies.data, name)[:last] for name in ("x", "dx", "y", "dy", "t", "dt")}
    fewer = replace(
        copies.data, users=np.arange(19), offsets=copies.data.offsets[:-1], crowd=np.ones(19, int), **columns
    )
    members = [group.tolist() for group in copies.members]
    found = ic.audit.check(replace(copies, data=fewer, members=Groups.from_lists(members[:-1])), original=data)
    assert "not as many people" in found["crowd"].evidence
    moved = replace(copies.data, dx=copies.data.dx + (copies.data.owner == 3) * 100)
    found = ic.audit.check(replace(copies, data=moved), original=data)
    assert "show something else" in found["crowd"].evidence


def test_a_piece_of_a_split_may_hold_no_sample_at_all():
    data = prints("0,0,0; 300,0,2; 600,0,6 | 0,0,9; 300,0,3; 600,0,7")
    release = Glove(k=2, reshape="split")(data)
    assert published(release)[0, 1][2] == (0, 100, 0, 100, 4, 2)
    assert not ((data.t >= 4) & (data.t < 6)).any()


def test_equal_boxes_survive_the_way_to_disk_and_back(tmp_path):
    # Two opposite corners of a cube, and the six others: three go to each, which makes the cube twice.
    data = prints("0,0,0; 100,100,2 | 100,0,0; 0,100,0; 0,0,2; 0,100,2; 100,0,2; 100,100,0")
    release = Glove(k=2)(data)
    shown = release.data
    assert boxes(shown) == [(0, 200, 0, 200, 0, 3)] * 2
    folder = ic.anonymize.publish(release, tmp_path / "release", link=tmp_path / "link.csv", original=data)
    for back in (ic.read.release(folder), ic.read.saved(release.save(tmp_path / "release.parquet"))):
        assert boxes(back) == boxes(shown) and back.crowd.tolist() == shown.crowd.tolist()
    assert ic.audit.check(folder, original=data, link=tmp_path / "link.csv").passed
