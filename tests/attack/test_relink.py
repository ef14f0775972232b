import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import incrowd as ic
from builders import crowd
from incrowd.anonymize import Cut
from incrowd.attack.link import link
from incrowd.attack.relink import relink
from incrowd.attack.relink.join import meet
from incrowd.discretize import windows
from incrowd.measure import cut_risk, uniqueness
from incrowd.plain import to_json


def entropy(cells):
    return -sum(n / len(cells) * np.log2(n / len(cells)) for n in Counter(cells).values())


def gain(u, v):
    """G = H(U + V) - (H(U) + H(V)) / 2 in bits, as [xu2017, Eqs. 3 and 4] read, of two lists of cells."""
    return entropy(u + v) - (entropy(u) + entropy(v)) / 2


def cut(text, k, slots=None, seed=3):
    return Cut(window_h=None, windows=k, slots=slots)(crowd(text), pseudonym_seed=seed)


def by_owner(release, found):
    """(owner, first slot) of the two pieces of every join."""
    data, owner = release.data, release.members.positions
    name = [(int(owner[u]), int(data.slot[data.offsets[u]])) for u in range(len(data))]
    return sorted((name[a], name[b]) for a, b in enumerate(found.following.tolist()) if b >= 0)


def test_two_people_who_stay_where_they_are():
    release = cut("0:1 1:1 2:1 3:1 | 0:2 1:2 2:2 3:2", 2)
    found = relink(release, points=1)
    assert by_owner(release, found) == [((0, 0), (0, 2)), ((1, 0), (1, 2))]
    score = found.score
    assert (found.pieces, found.windows, found.joins, found.chains) == (4, 2, 2, 2)
    assert (score.share, score.precision, score.chance, score.chance_precision) == (1, 1, 0.5, 0.5)
    assert (score.people, score.neighbours, score.several, score.restored, score.absences) == (2, 2, 2, 2, 0)
    assert found.gains.tolist() == [0] and found.bounds[0] == pytest.approx(0, abs=1e-6)


def test_the_optimum_may_cross():
    """Spec E3: {aabb, aaaa} and {abab, bbbb}: the identical pair costs 0 + 1, crossing 0.6226."""
    release = cut("0:0 1:0 2:1 3:1 4:0 5:1 6:0 7:1 | 0:0 1:0 2:0 3:0 4:1 5:1 6:1 7:1", 2)
    found = relink(release, points=1)
    assert by_owner(release, found) == [((0, 0), (1, 4)), ((1, 0), (0, 4))]
    assert found.gains[0] == pytest.approx(0.6225562489, abs=1e-9)
    assert (found.score.right, found.score.share, found.score.precision) == (0, 0, 0)
    assert found.score.restored == 0


def test_pieces_that_share_nothing_stay_alone():
    release = cut("0:1 1:1 | 0:2 1:3", 2)
    found = relink(release, points=1)
    assert by_owner(release, found) == [((0, 0), (0, 1))]
    assert (found.joins, found.chains, found.score.neighbours, found.score.right) == (1, 3, 2, 1)
    assert found.score.chance == found.score.chance_precision / 2 == 0.25  # one join, 2 x 2 pairs, 2 of them true


def test_absence_breaks_a_chain_unless_it_is_in_reach():
    release = cut("0:1 2:1 | 0:2 1:2 2:2", 3)
    found = relink(release, points=1)
    assert by_owner(release, found) == [((1, 0), (1, 1)), ((1, 1), (1, 2))]
    assert (found.score.neighbours, found.score.absences, found.chains) == (2, 1, 3)
    # Into window 1 one of 2 ends, into window 2 one of 1 end with 2 pieces; each is one true pair.
    assert found.score.chance == pytest.approx((1 / 2 + 1 / 2) / 2)
    far = relink(release, points=1, reach_windows=2)
    assert ((0, 0), (0, 2)) in by_owner(release, far)
    assert (far.score.neighbours, far.score.right, far.score.absences, far.score.restored) == (3, 3, 0, 2)
    assert far.score.chance == pytest.approx((1 / 2 + 2 / 4 + 2 / 4) / 3)


def test_an_empty_window_ends_everything():
    release = cut("0:1 2:1", 3, slots=3)
    assert relink(release, points=1).joins == 0 and relink(release, points=1, reach_windows=2).joins == 1


def test_memory_of_the_whole_chain():
    """In window 1 both are at 9; only what was before tells them apart in window 2."""
    text = "0:1 1:1 2:9 3:9 4:1 5:1 | 0:2 1:2 2:9 3:9 4:2 5:2"
    people = f"{text} | 0:1 1:9 2:9 3:9 4:9 5:9"
    release = cut(people, 3)
    last, whole = (relink(release, points=1, memory=memory) for memory in ("piece", "chain"))
    assert last.joins < whole.joins


def test_uniqueness_stands_beside_that_of_pieces_and_originals():
    visits = crowd("0:1 1:1 2:1 3:5 | 0:1 1:1 2:2 3:2 | 0:3 1:2 2:3 3:3 | 0:3 1:3 2:3 3:4")
    release = Cut(window_h=None, windows=2)(visits, pseudonym_seed=5)
    found = relink(release, points=2)
    told = {(u.label, u.knowledge, u.points, u.short): u for u in found.uniqueness}
    pieces = windows(visits, windows=2)
    assert told["pieces", "random", 2, "drop"].population == len(pieces.owner)
    for k in (1, 2, 3):
        for label, data in (("pieces", pieces.visits), ("originals", visits)):
            alone = uniqueness(data, points=k, knowledge="top")
            assert told[label, "top", k, "drop"].value == alone.value
            assert told[label, "top", k, "drop"].distribution == alone.distribution
    assert told["rejoined", "top", 1, "drop"].population == found.chains


def test_known_before_is_that_of_pieces_and_of_wholes_at_the_ends():
    visits = crowd("0:1 2:1 4:1 | 0:1 3:1 5:1 | 2:1 3:2 5:2 | 0:4 3:4 5:4")
    release = Cut(window_h=None, windows=3)(visits, pseudonym_seed=5)
    known = relink(release, points=3).score.known_before
    risk = cut_risk(visits, windows(visits, windows=3), points=3)  # three points are all there are: nothing is drawn
    assert known["pieces"].value == risk.fixed_knowledge["drop"].value
    assert known["originals"].value == risk.before["drop"].value
    assert known["pieces"].population == known["rejoined"].population == 4


def test_a_wrong_join_helps_nobody():
    """Chains (a, b') and (b, a') hold two points of one person in no chain, so each point is asked by itself."""
    release = cut("0:1 1:2 | 0:2 1:1", 2)
    found = relink(release, points=2)
    assert found.joins == 2 and found.score.right == 0
    assert {name: risk.value for name, risk in found.score.known_before.items()} == dict.fromkeys(
        ("pieces", "rejoined", "originals"), 1.0
    )
    crowded = cut("0:1 1:2 | 0:2 1:1 | 0:1 1:1 | 0:2 1:2", 2)
    known = relink(crowded, points=2).score.known_before
    assert (known["pieces"].value, known["originals"].value) == (0, 1)
    assert known["rejoined"].value == 0  # two chains at 1 and two at 2: the join restores nobody's own pair


def test_without_truth_only_the_joins_are_told(tmp_path):
    visits = crowd("0:1 1:1 2:1 3:1 | 0:2 1:2 2:2 3:2")
    release = Cut(window_h=None, windows=2)(visits)
    folder = ic.anonymize.publish(release, tmp_path / "release", link=tmp_path / "link.csv", original=visits)
    blind = relink(folder, points=1)
    assert blind.score is None and blind.joins == 2 and "neighbours" not in repr(blind)
    assert {u.label for u in blind.uniqueness} == {"pieces", "rejoined"}
    told = relink(folder, link=tmp_path / "link.csv", points=1)
    assert told.score.right == told.score.neighbours == 2
    assert told.following.tolist() == blind.following.tolist()
    with pytest.raises(ic.DataError, match="no link file"):
        relink(folder, link=tmp_path / "nothing.csv")
    (tmp_path / "half.csv").write_text("pseudonym,user\n0,a\n")
    with pytest.raises(ic.DataError, match="exactly one person"):
        relink(folder, link=tmp_path / "half.csv")
    (tmp_path / "odd.csv").write_text("a,b\n0,a\n")
    with pytest.raises(ic.DataError, match="lacks the columns"):
        relink(folder, link=tmp_path / "odd.csv")


def test_the_attack_does_not_see_who_is_who():
    """Other members, the same joins."""
    release = cut("0:1 1:1 2:1 3:1 | 0:2 1:2 2:2 3:2 | 0:1 1:2 2:1 3:3", 2)
    other = ic.Release.from_arrays(release.data, [[u] for u in range(6)], params=release.params)
    assert relink(release, points=1).following.tolist() == relink(other, points=1).following.tolist()
    one = ic.Release.from_arrays(release.data, [[0]] * 6, params=release.params)
    with pytest.raises(ic.DataError, match="two pieces of one window"):
        relink(one)


def test_refusals(tmp_path):
    release = cut("0:1 1:1 | 0:2", 2)
    for wrong in ({"memory": "all"}, {"reach_windows": 0}, {"points": 0}, {"seed": -1}):
        with pytest.raises(ic.ParameterError):
            relink(release, **wrong)
    data = release.data
    with pytest.raises(ic.DataError, match="made by LKC"):
        relink(ic.Release.from_arrays(data, [[0]] * len(data), params={"method": "LKC"}))
    uncut = ic.Release.from_arrays(crowd("0:1 1:1"), [[0]], params={"method": "Cut", "windows": 2})
    with pytest.raises(ic.DataError, match="runs across windows"):
        relink(uncut)
    with pytest.raises(ic.DataError, match="no readable manifest"):
        relink(tmp_path)


def test_nobody_is_named():
    visits = ic.Visits.from_arrays(["Ann Example"] * 2, cell=[777_777, 777_777], slot=[0, 1])
    found = relink(Cut(window_h=None, windows=2)(visits), points=1)
    text = repr(found) + to_json(found)
    assert "777777" not in text and "Ann" not in text and json.loads(to_json(found))["joins"] == 1


def test_people_of_a_synthetic_city_are_joined_better_than_by_chance():
    city = ic.read.synthetic_city(users=60, towers=30, days=3, profile="operator-calm")
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    score = relink(Cut(window_h=24)(visits)).score
    assert score.share > 0.5 > 10 * score.chance and score.precision > 0.5
    known = {name: risk.value for name, risk in score.known_before.items()}
    assert known["pieces"] <= known["rejoined"] <= known["originals"]


people = st.lists(
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=7), min_size=1, max_size=5
)


@settings(deadline=None, max_examples=60)
@given(people, st.sampled_from([1, 2, 3]), st.sampled_from(["piece", "chain"]), st.sampled_from([1, 2]))
def test_every_step_is_an_optimal_assignment(sets, width, memory, reach):
    """The chains as the definition reads: total gain per window, and nothing joined that shares nothing."""
    rows = [(u, cell, slot) for u, part in enumerate(sets) for slot, cell in part]
    user, cell, slot = np.array(rows).T
    visits = ic.Visits.from_arrays(user, cell=cell, slot=slot)
    release = Cut(window_h=None, windows=6 // width, slots=6)(visits, pseudonym_seed=1)
    found = relink(release, points=1, memory=memory, reach_windows=reach)
    data = release.data
    pieces = [data.cell[a:b].tolist() for a, b in pairwise(data.offsets)]
    window = [int(data.slot[a]) // width for a in data.offsets[:-1]]
    numbers = sorted(set(window))
    before = {b: a for a, b in enumerate(found.following.tolist()) if b >= 0}

    def memory_of(end):
        return (memory_of(before[end]) if memory == "chain" and end in before else []) + pieces[end]

    for step, now in enumerate(numbers[1:]):
        later = [p for p in range(len(pieces)) if window[p] == now]
        after = found.following
        ends = [
            p
            for p in range(len(pieces))
            if now - reach <= window[p] < now and (after[p] < 0 or window[after[p]] >= now)
        ]
        if not ends:
            assert found.gains[step] == 0
            continue
        cost = np.array([[gain(memory_of(a), pieces[b]) for b in later] for a in ends])
        assert found.gains[step] == pytest.approx(cost[linear_sum_assignment(cost)].sum(), abs=1e-6)
        assert found.bounds[step] <= found.gains[step] + 1e-9
        joined = [(a, b) for a in ends for b in later if after[a] == b]
        assert all(set(memory_of(a)) & set(pieces[b]) for a, b in joined)
        assert len({b for _, b in joined}) == len(joined)
    owner = release.members.positions
    order = sorted(range(len(pieces)), key=lambda p: (owner[p], window[p]))
    true = [(a, b) for a, b in pairwise(order) if owner[a] == owner[b] and window[b] - window[a] <= reach]
    assert found.score.neighbours == len(true)
    assert found.score.right == sum(found.following[a] == b for a, b in true)
    chains = {}
    for p in range(len(pieces)):
        chains.setdefault(int(found.chain[p]), []).append(p)
    assert found.score.restored == sum(
        len(chain) > 1 and len({owner[p] for p in chain}) == 1 and len(chain) == (owner == owner[chain[0]]).sum()
        for chain in chains.values()
    )


@settings(deadline=None, max_examples=40)
@given(people, st.sampled_from([1, 2, 3]), st.integers(1, 3))
def test_known_before_equals_its_definition(sets, width, points):
    """All points known: found iff the points in one chain of the person are in no other chain."""
    rows = [(u, cell, slot) for u, part in enumerate(sets) for slot, cell in part]
    user, cell, slot = np.array(rows).T
    visits = ic.Visits.from_arrays(user, cell=cell, slot=slot)
    release = Cut(window_h=None, windows=6 // width, slots=6)(visits, pseudonym_seed=1)
    found = relink(release, points=50)
    assert found.score.known_before["rejoined"].value is None  # nobody has 50 points
    found = relink(release, points=points)
    data, owner = release.data, release.members.positions
    held = {}
    for p, (a, b) in enumerate(pairwise(data.offsets)):
        held.setdefault(int(found.chain[p]), set()).update(zip(data.slot[a:b], data.cell[a:b], strict=True))
    risk = found.score.known_before["rejoined"]
    assert (found.score.known_before["pieces"].probability <= risk.probability).all()  # a join hides nobody
    for u, chance in zip(risk.targets, risk.probability, strict=True):
        mine = {
            (s, c)
            for p, (a, b) in enumerate(pairwise(data.offsets))
            if owner[p] == u
            for s, c in zip(data.slot[a:b], data.cell[a:b], strict=True)
        }
        if len(mine) == points:  # nothing is drawn
            parts = [
                {
                    x
                    for p, (a, b) in enumerate(pairwise(data.offsets))
                    if owner[p] == u and found.chain[p] == c
                    for x in zip(data.slot[a:b], data.cell[a:b], strict=True)
                }
                for c in held
            ]
            assert chance == any(part and sum(part <= other for other in held.values()) == 1 for part in parts)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), min_size=1, max_size=4), st.randoms())
def test_meet_equals_sets(bags, random):
    a = np.cumsum([0, *map(len, bags)]), np.array([c for bag in bags for c in bag])
    match = list(range(len(bags)))
    random.shuffle(match)
    match = np.array([m if random.random() < 0.8 else -1 for m in match])
    wanted = [m >= 0 and bool(set(bags[i]) & set(bags[m])) for i, m in enumerate(match)]
    assert meet(a, a, match).tolist() == wanted


@pytest.mark.real
def test_taxis_are_joined_better_than_by_chance(shared_data):
    """Taxis, objects and not people, in blocks by the hour; every gain is proved optimal."""
    visits = ic.discretize.blocks(shared_data / "cabspotting_sf_week.parquet", blocks=20, slot_min=60, keep="vote")
    release = Cut(window_h=24)(visits, pseudonym_seed=0)
    found = relink(release)
    assert found.score.share > 3 * found.score.chance
    assert found.gains - found.bounds == pytest.approx(0, abs=1e-3)
    known = {name: risk.value for name, risk in found.score.known_before.items()}
    assert known["pieces"] <= known["rejoined"]
    assert link(visits, release, score="overlap", views=("moments",)).hit[1] > 0.9


def test_it_prints_the_answer_first():
    visits = ic.Visits.from_arrays([1, 1, 2, 2], cell=[5, 5, 8, 8], slot=[0, 1, 0, 1])
    made = ic.attack.relink(ic.anonymize.Cut(windows=2)(visits), points=1)
    assert str(made).startswith(
        "100.0 % (2 of 2 pairs of consecutive pieces of one person) are joined, 50.0 % by chance"
    )
    assert "2 of 2 people with several pieces were fully reconstructed" in str(made)
    assert made.to_pandas()["chain"].nunique() == 2


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(["piece", "chain"]))
def test_evidence_joins_pieces_of_people_with_places_of_their_own(seed, memory):
    rng = np.random.default_rng(seed)
    own = rng.permutation(40).reshape(10, 4)
    user, slot = np.indices((10, 72)).reshape(2, -1)
    cell = np.where(rng.random(len(user)) < 0.8, own[user, rng.integers(0, 4, len(user))], 99)
    visits = ic.Visits.from_arrays(user, cell, slot, slot_min=60, start=0)
    release = Cut(window_h=24)(visits, pseudonym_seed=seed)
    joined = relink(release, score="evidence", memory=memory, points=1)
    assert joined.by == "evidence" and joined.score.share == 1 and joined.chains == 10
    assert (joined.gains - joined.bounds == 0).all()


def test_evidence_is_at_least_as_good_on_a_city():
    city = ic.read.synthetic_city(users=150, towers=60, days=3, profile="operator")
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    release = Cut(window_h=24)(visits, pseudonym_seed=0)
    gain_score, evidence_score = (relink(release, score=s, points=1).score.share for s in ("gain", "evidence"))
    assert evidence_score >= gain_score - 0.02 > 0.3
    with pytest.raises(ic.ParameterError, match="unknown score"):
        relink(release, score="cosine")
