import hashlib
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import comb, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import crowd, visits_of
from incrowd.anonymize import LKC, Cut
from incrowd.attack.link import first_k, link
from incrowd.data import Groups
from incrowd.plain import to_json

overlap = partial(link, score="overlap", views=("moments",))
pytestmark = pytest.mark.filterwarnings("ignore:the two have no time slot")  # tiny examples often have none


def test_rare_places_count_more():
    """Four people; 0 is known at a common and at a rare place, the rare one decides."""
    known = crowd("0:1 1:2")
    target = crowd("1:2 5:9 | 0:1 5:9 | 0:1 5:9 | 0:1 5:9")
    found = overlap(known, target)
    assert found.best[0].tolist() == [0, 1, 2, 3, *[-1] * 6]
    assert found.bits[0, :4] == pytest.approx([2, *[log2(4 / 3)] * 3])
    assert (found.hit, found.rank.tolist(), found.claimed, found.claimed_right) == ({1: 1, 10: 1}, [1], 1, 1)
    assert found.chance == {1: 0.25, 10: 1} and found.chance_median_rank == 2.5


def test_ties_are_settled_in_expectation():
    known, target = crowd("0:1"), crowd("0:1 | 0:1 | 0:1 | 0:2")
    found = overlap(known, target)
    assert found.hit == {1: pytest.approx(1 / 3), 10: 1}
    assert (found.rank.tolist(), found.median_rank, found.claimed, found.silent) == ([2], 2, 0, 0)


def test_who_was_met_by_nobody_ranks_among_the_rest():
    known, target = crowd("7:7"), crowd("0:1 | 0:1 | 0:1 | 0:2")
    found = overlap(known, target)
    assert (found.hit[1], found.rank.tolist(), found.silent) == (0.25, [2.5], 1)
    behind = overlap(crowd("0:2"), target)  # the true one, 0, scores nothing; one is ahead, three are level
    assert (behind.hit[1], behind.rank.tolist(), behind.claimed, behind.claimed_right) == (0, [3], 1, 0)


def test_tolerance_in_time():
    known, target = crowd("5:1 | 5:2"), crowd("7:1 0:3 | 5:2 0:3 | 0:3")
    assert overlap(known, target).hit[1] == pytest.approx((1 / 3 + 1) / 2)
    assert overlap(known, target, tolerance_slots=1).hit[1] == pytest.approx((1 / 3 + 1) / 2)
    found = overlap(known, target, tolerance_slots=2)
    assert found.hit[1] == 1 and found.tolerance_slots == 2
    # Two visits within the tolerance are one meeting, and the share counts people, not visits.
    twice = overlap(crowd("5:1"), crowd("4:1 5:1 6:1 | 0:3"), tolerance_slots=1)
    assert twice.bits[0, 0] == 1


def test_routines_meet_without_a_common_moment():
    """A week later, at the same hour; the clock begins anew after each period, also within the tolerance."""
    known, target = crowd("3:1 27:1 5:2 | 3:4 4:4"), crowd("51:1 53:2 | 51:4 52:9")
    assert overlap(known, target).silent == 2
    daily = overlap(known, target, period_slots=24)
    assert (daily.hit[1], daily.silent, daily.period_slots) == (1, 0, 24)
    assert daily.bits[:, 0].tolist() == [2, 1]  # 3:1 and 27:1 are one point
    late, early = crowd("23:1"), crowd("24:1 | 30:5")
    assert overlap(late, early, period_slots=24).silent == 1
    assert overlap(late, early, period_slots=24, tolerance_slots=1).bits[0, 0] == 1
    assert overlap(crowd("3:1 9:2"), crowd("70:1 80:2 | 70:1"), period_slots=1).hit[1] == 1


def test_tolerance_in_space():
    xy = [[0, 0], [100, 0], [300, 0]]
    known = ic.Visits.from_arrays([0], [0], [0], xy=xy)
    target = ic.Visits.from_arrays([0, 1], [1, 2], [0, 0], xy=xy)
    assert overlap(known, target).hit[1] == overlap(known, target, tolerance_m=99).hit[1] == 0.5
    assert overlap(known, target, tolerance_m=100).hit[1] == 1
    assert overlap(known, target, tolerance_m=300).hit[1] == 0.5
    with pytest.raises(ic.ParameterError, match="cell centres"):
        overlap(crowd("0:1"), target, tolerance_m=10)


def test_places_meet_by_their_centres_and_slots_by_their_clock():
    known = ic.Visits.from_arrays([0, 0, 1], [0, 1, 1], [24, 25, 25], xy=[[0, 0], [50, 0]], slot_min=60, start=0)
    other = ic.Visits.from_arrays(
        [0, 0, 1], [2, 1, 1], [0, 1, 1], xy=[[9, 9], [50, 0.001], [0, 0]], slot_min=60, start=86_400
    )
    assert overlap(known, other).hit == {1: 0.75, 10: 1}
    missing = replace(other, xy=np.array([[np.nan, np.nan], [50, 0], [0, 0]]))
    assert overlap(known, missing).hit == {1: 0.75, 10: 1}
    for wrong, word in (
        (replace(other, slot_min=30), "slot_min"),
        (replace(other, start=86_460), "different minutes"),
        (replace(other, crs="+proj=laea"), None),
    ):
        if word is None:
            with pytest.raises(ic.DataError, match="different origins"):
                overlap(replace(known, crs="+proj=utm"), wrong)
        else:
            with pytest.raises(ic.DataError, match=word):
                overlap(known, wrong)


def test_people_without_counterpart_are_counted_apart():
    known = ic.Visits.from_arrays(["a", "b", "c"], [1, 2, 1], [0, 0, 0])
    target = ic.Visits.from_arrays(["b", "x", "a"], [2, 3, 1], [0, 0, 0])
    found = overlap(known, target)
    assert (found.known, found.scored, found.without, found.hit[1]) == (3, 2, 1, 1)
    assert np.isnan(found.rank[2]) and (found.claimed, found.claimed_right, found.claims_right) == (3, 2, 2 / 3)
    nobody = overlap(ic.Visits.from_arrays(["z"], [1], [0]), target)
    assert (nobody.hit, nobody.chance, nobody.median_rank) == ({1: None, 10: None}, {1: None, 10: None}, None)
    assert nobody.interval is None and "undefined" in repr(nobody)


def test_an_original_and_its_cut_release():
    """Everybody has several pieces; the first of them counts."""
    visits = crowd("0:1 1:1 2:4 | 0:2 1:2 2:4 | 0:1 1:3")
    release = Cut(window_h=None, windows=3)(visits, pseudonym_seed=4)
    found = overlap(visits, release)
    # Of 8 pieces: 0 meets own pieces (1, 2, 1 people there), others' too; the rarest is slot 1.
    assert found.hit[1] == 1 and found.without == 0
    assert found.chance[1] == pytest.approx((3 / 8 + 3 / 8 + 2 / 8) / 3)
    assert found.chance[10] == 1
    positions = [np.flatnonzero(release.members.positions == u) for u in range(3)]
    again = overlap(visits, release.data, truth=positions)
    assert again.hit == found.hit and again.rank.tolist() == found.rank.tolist()


def test_two_releases_of_the_same_people():
    visits = crowd("0:1 1:1 2:5 3:5 | 0:2 1:2 2:5 3:5 | 0:1 1:3 2:5 3:5")
    one, other = (Cut(window_h=None, windows=k)(visits, pseudonym_seed=k) for k in (1, 2))
    found = overlap(one, other)
    assert (found.known, found.target, found.scored) == (3, 6, 3) and found.hit[1] > found.chance[1] == pytest.approx(
        1 / 3
    )
    assert overlap(other, visits).scored == 6


def test_truth_from_a_link_file(tmp_path):
    visits = ic.Visits.from_arrays(["ann", "bob", 'c"d'], [1, 2, 3], [0, 0, 0])
    release = LKC(l=1, k=1)(visits)
    ic.anonymize.publish(release, tmp_path / "release", link=tmp_path / "link.csv", original=visits)
    found = overlap(visits, ic.read.release(tmp_path / "release"), truth=tmp_path / "link.csv")
    assert (found.scored, found.hit[1]) == (3, 1)


def test_truth_may_be_one_position_each():
    known, target = crowd("0:1 | 0:2"), crowd("0:2 | 0:1")
    assert overlap(known, target, truth=[1, 0]).hit[1] == overlap(known, target, truth=np.array([1, 0])).hit[1] == 1
    assert overlap(known, target, truth=[[1], [0]]).hit[1] == 1
    absent = overlap(known, target, truth=[1, -1])
    assert (absent.scored, absent.without, absent.hit[1]) == (1, 1, 1)


@pytest.mark.parametrize("period_slots", [None, 7])
def test_a_tolerance_beyond_all_slots_is_that_of_all_slots(period_slots):
    known, target = crowd("0:1 9:2 | 5:2 | 7:7"), crowd("8:1 3:3 | 0:2 9:2 | 4:7")
    how = {"period_slots": period_slots}
    far, all_slots = (overlap(known, target, tolerance_slots=n, **how) for n in (10**12, 9))
    assert far.bits.tolist() == all_slots.bits.tolist() and far.hit == all_slots.hit
    assert overlap(known, target, tolerance_slots=2, **how).bits.tolist() != far.bits.tolist()


def test_refusals():
    known, target = crowd("0:1 | 0:2"), crowd("0:1 | 0:2")
    for wrong in (
        {"views": ("places",), "tolerance_slots": 1},
        {"views": ("places",), "period_slots": 24},
        {"views": ()},
        {"views": ("places", "places")},
        {"views": ("nowhere",)},
        {"open_world": True, "present": 1},
        {"tolerance_slots": -1},
        {"tolerance_slots": 0.5},
        {"tolerance_m": -1},
        {"tolerance_m": "a"},
        {"tolerance_m": float("nan")},
        {"score": "cosine"},
        {"period_slots": 0},
        {"period_slots": 10**30},
    ):
        with pytest.raises(ic.ParameterError):
            overlap(known, target, **wrong)
    with pytest.raises(ic.DataError, match="1 rows for 2"):
        overlap(known, target, truth=[[0]])
    with pytest.raises(ic.DataError, match="outside 0 to 1"):
        overlap(known, target, truth=[[0], [2]])
    for truth, message in (([2, 0], "outside 0 to 1"), ([-2, 0], "outside 0 to 1"), ([0.5, 0], "not a whole number")):
        with pytest.raises(ic.DataError, match=message):
            overlap(known, target, truth=truth)
    for truth in ([None, 0], 5, [["a"], [0]]):
        with pytest.raises(ic.DataError, match="truth"):
            overlap(known, target, truth=truth)
    with pytest.raises(ic.DataError, match="by text"):
        overlap(ic.Visits.from_arrays(["a"], [0], [0]), target)
    with pytest.raises(ic.DataError, match="link needs Visits, Fingerprints, a Release or a path, got Traces"):
        overlap(known, ic.Traces.from_arrays([0], [0], x=[0.0], y=[0.0]))


def test_nobody_is_named():
    known = ic.Visits.from_arrays(["Ann Example"], [777_777], [0])
    text = repr(overlap(known, known)) + to_json(overlap(known, known))
    assert "Ann" not in text and "777777" not in text


@pytest.mark.parametrize(
    ("above", "tied", "true", "k"), [(0, 5, 2, 1), (0, 5, 2, 4), (3, 4, 1, 5), (9, 3, 3, 10), (0, 3, 1, 10)]
)
def test_first_k_is_hypergeometric(above, tied, true, k):
    m = min(max(k - above, 0), tied)
    assert first_k(*(np.array([v]) for v in (above, tied, true)), k)[0] == pytest.approx(
        1 - comb(tied - true, m) / comb(tied, m)
    )


people = st.lists(
    st.sets(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=5), min_size=1, max_size=6
)


@settings(deadline=None, max_examples=80)
@given(
    people,
    people,
    st.integers(0, 2),
    st.sampled_from([None, 1, 3, 5, 8]),
    st.sampled_from([1, 2**33]),
)
def test_equals_the_definition(known, target, tolerance, period, far):
    """Scores, ranks and hits from sets of points; cells far apart are numbered in another way."""
    a, b = (replace(visits_of(side), cell=visits_of(side).cell * far) for side in (known, target))
    found = overlap(a, b, tolerance_slots=tolerance, period_slots=period)
    n, shifts = len(target), range(-tolerance, tolerance + 1)
    if period is not None:
        known, target = ([{(s % period, c) for s, c in one} for one in side] for side in (known, target))
    hits = []
    for i, mine in enumerate(known):
        score = [0.0] * n
        for slot, cell in mine:
            there = [
                j
                for j in range(n)
                if any((s + d - slot) % (period or 99) == 0 and c == cell for s, c in target[j] for d in shifts)
            ]
            for j in there:
                score[j] -= log2(len(there) / n)
        best = [j for j in found.best[i] if j >= 0]
        assert found.bits[i, : len(best)] == pytest.approx(sorted((s for s in score if s > 1e-9), reverse=True)[:10])
        assert [score[j] for j in best] == pytest.approx(found.bits[i, : len(best)])
        if i >= n:
            assert np.isnan(found.rank[i])
            continue
        above = sum(s > score[i] + 1e-6 for s in score)
        tied = sum(abs(s - score[i]) <= 1e-6 for s in score)
        assert found.rank[i] == above + (tied + 1) / 2
        hits.append(1 / tied if above == 0 else 0)
    assert found.scored == len(hits) and found.hit[1] == pytest.approx(np.mean(hits))
    assert found.hit[1] <= found.hit[10] and found.chance[1] == pytest.approx(1 / n)


@settings(deadline=None, max_examples=30)
@given(people)
def test_nobody_beats_oneself(sets):
    """Against oneself the true candidate shares everything: only those who share it too are level."""
    visits = visits_of(sets)
    found = overlap(visits, visits)
    own = [
        {(int(s), int(c)) for s, c in zip(visits.slot[a:b], visits.cell[a:b], strict=True)}
        for a, b in pairwise(visits.offsets)
    ]
    told = [{p for p in mine if sum(p in other for other in own) < len(own)} for mine in own]
    for i in range(len(own)):
        assert found.rank[i] == (sum(told[i] <= other for other in own) + 1) / 2


def test_a_release_without_members_is_ranked_and_not_scored(tmp_path):
    visits = crowd("0:1 1:2 | 0:3 1:4 | 0:5 1:6")
    release = ic.anonymize.Cut(windows=2)(visits, pseudonym_seed=0)
    ic.anonymize.publish(release, tmp_path / "release", link=tmp_path / "link.csv", original=visits)
    untold = replace(release, members=Groups.nobody(len(release.data)))
    for target in (untold, tmp_path / "release", str(tmp_path / "release")):
        found = overlap(visits, target)
        assert not found.told and found.hit == found.chance == {1: None, 10: None} and np.isnan(found.rank).all()
        assert (found.scored, found.without, found.claimed_right, found.claims_right) == (0, 0, None, None)
        assert (found.best[:, 0] >= 0).all() and repr(found).startswith("Linkage(hit@1=untold")
    assert not overlap(untold, visits).told
    scored = overlap(visits, tmp_path / "release", truth=tmp_path / "link.csv")
    assert scored.told and scored.hit == overlap(visits, release).hit and scored.hit[1] == 1


def test_a_linkage_prints_the_answer_first():
    known = crowd("0:1 | 0:2")
    text = str(overlap(known, known))
    assert text.startswith("The attacker names the right one of 2 candidates for 100.0 % (2 of 2 people)")
    assert "views moments" in text and " s on " in text


@pytest.mark.parametrize("body", [b"pseudonym,user\n\xff,1\n", b"\xff\xfe\x00", b"pseudonym,user\np1\n"])
def test_a_broken_link_file_is_refused(tmp_path, body):
    (tmp_path / "l.csv").write_bytes(body)
    with pytest.raises(ic.DataError, match=r"l\.csv .*give the link file"):
        overlap(crowd("0:1"), crowd("0:1"), truth=tmp_path / "l.csv")


def scattered(seed, people):
    """Visits to homes and anywhere in a town of 40 squares over four days."""
    rng = np.random.default_rng(seed)
    size = 30 * people
    user, home = rng.integers(0, people, size), rng.integers(0, 40, people)
    cell = np.where(rng.random(size) < 0.5, home[user], rng.integers(0, 40, size))
    slot = rng.integers(0, 96, size)
    xy = np.stack([np.arange(40) % 8 * 100.0, np.arange(40) // 8 * 100.0], axis=1)
    return ic.Visits.from_arrays(user, cell, slot, xy=xy, slot_min=60, start=0)


FROZEN = {
    "exact": ({}, 1.0, 1.0, 60, 60, "c0508fb05a27b127"),
    "tolerant": ({"tolerance_slots": 1}, 1.0, 1.0, 60, 60, "d2f7703954dd4c4d"),
    "near": ({"tolerance_m": 100}, 0.9833333333333333, 1.0, 60, 59, "50b30965ec665f22"),
    "daily": ({"period_slots": 24}, 0.9916666666666667, 1.0, 59, 59, "7365bf546b12b982"),
    "places": ({"period_slots": 1}, 0.475, 0.955448717948718, 57, 28, "df42c305d8e9703a"),
    "all": (
        {"tolerance_slots": 2, "tolerance_m": 150, "period_slots": 48},
        0.6333333333333333,
        0.9666666666666667,
        59,
        38,
        "e5c832e2c1fefa91",
    ),
}


@pytest.mark.parametrize("name", FROZEN)
def test_overlap_of_moments_is_what_it_always_was_to_the_bit(name):
    """Recorded before there were other scores; the hash is that of candidates, bits and ranks of everybody."""
    full = scattered(1, 60)
    known, target = (
        ic.Visits.from_arrays(full.users[full.owner[r]], full.cell[r], full.slot[r], xy=full.xy, slot_min=60, start=0)
        for r in np.random.default_rng(9).random((2, full.records)) < 0.5
    )
    how, first, ten, claimed, right, digest = FROZEN[name]
    linkage = overlap(known, target, **how)
    assert (linkage.hit, linkage.claimed, linkage.claimed_right) == ({1: first, 10: ten}, claimed, right)
    columns = (np.ascontiguousarray(column).tobytes() for column in (linkage.best, linkage.bits, linkage.rank))
    assert hashlib.sha256(b"".join(columns)).hexdigest()[:16] == digest
