"""Boxes of GLOVE that are looser than the hull of their samples, on every face."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from audit.cases import on_disk
from boxes import crowds, prints
from incrowd.anonymize.glove import Glove
from incrowd.audit import check
from incrowd.audit.checks.tightness import _runs

FACES = [(low, length, back) for low, length in (("t", "dt"), ("x", "dx"), ("y", "dy")) for back in (True, False)]


def loosened(release, row, low, length, *, back):
    """One box with one face moved out by a metre or a minute."""
    data = release.data
    columns = {name: getattr(data, name).copy() for name in (low, length)}
    columns[length][row] += 1
    columns[low][row] -= back
    return replace(release, data=replace(data, **columns))


def without_provenance(release):
    return replace(release, provenance={})


def tight(release, original):
    return check(release, original=original)["tightness"]


def apart(users=12, seed=0):
    """Nobody's samples meet in time, so that no sample is flush with the box of another."""
    rng = np.random.default_rng(seed)
    t = rng.permutation(users * 6) * 7
    x, y = rng.integers(0, 40, (2, users * 6)) * 100
    return ic.Fingerprints.from_arrays(np.repeat(np.arange(users), 6), x, y, t, start=0)


@pytest.mark.parametrize("reshape", [None, "union", "split"])
@pytest.mark.parametrize(("low", "length", "back"), FACES)
def test_a_metre_or_a_minute_is_caught_on_every_face(reshape, low, length, back):
    data = apart()
    release = Glove(k=2, reshape=reshape)(data)
    assert tight(release, data).status == "pass"
    for row in range(release.data.records):
        loose = loosened(release, row, low, length, back=back)
        # A piece of a split may begin where a sample ends, which is a minute after it begins.
        seen = (loose,) if reshape == "split" and low == "t" else (loose, without_provenance(loose))
        for one in seen:
            found = tight(one, data)
            assert found.status == "fail"
            assert reshape == "split" or f"first at row {row}" in found.evidence


@settings(deadline=None, max_examples=60)
@given(crowds(least_users=3, sizes=True, crowd=True), st.sampled_from([2, 3]), st.data())
def test_with_the_provenance_no_sample_of_another_box_hides_it(data, k, draw):
    reshape = draw.draw(st.sampled_from([None, "union", "split"]))
    release = Glove(k=k, reshape=reshape)(data)
    assert tight(release, data).status == tight(without_provenance(release), data).status == "pass"
    row = draw.draw(st.integers(0, release.data.records - 1))
    low, length, back = draw.draw(st.sampled_from(FACES))
    found = tight(loosened(release, row, low, length, back=back), data)
    assert found.status == "fail" and (reshape == "split" or f"first at row {row}" in found.evidence)


@settings(deadline=None, max_examples=30)
@given(crowds(least_users=2, sizes=True), st.sampled_from([200, 4000]), st.sampled_from(["final", "each"]))
def test_suppression_leaves_hulls(data, metres, suppress):
    release = Glove(k=2, max_extent_m=metres, max_extent_min=500, suppress=suppress)(data)
    if release.data.records:
        assert tight(release, data).status == "pass"


def test_a_sample_of_a_stranger_holds_up_no_face():
    data = prints("0,0,0 | 0,0,10 | 0,0,20 | 0,0,30")
    release = Glove(k=2)(data)
    row = int(np.argmin(release.data.t))
    longer = replace(release.data, dt=np.where(np.arange(2) == row, 21, release.data.dt))  # to the third, flush
    found = tight(without_provenance(replace(release, data=longer)), data)
    assert found.status == "fail"


def test_what_is_said_to_be_in_a_box_is_of_a_member_and_fits_the_original():
    data = prints("0,0,0 | 0,0,10 | 0,0,0; 0,0,500 | 0,0,10; 0,0,500")
    release = Glove(k=2)(data)
    known = release.provenance
    for name in ("row", "box"):
        swapped = known[name].copy()
        one, two = (int(np.flatnonzero(data.owner == u)[0]) for u in (0, 2))
        assert swapped[one] != swapped[two]
        swapped[[one, two]] = swapped[[two, one]]  # both boxes stay hulls, but of a stranger's samples
        for lie in (swapped, known[name] + 9):
            told = tight(replace(release, provenance={**known, name: lie}), data)
            assert "are not the hull" in told.evidence
    shorter = {**known, "row": known["row"][:-1], "box": known["box"][:-1]}
    assert "does not fit the original" in tight(replace(release, provenance=shorter), data).evidence
    for broken in ({"boxes": {}}, {"boxes": None}, {"row": "x"}, {"box": known["box"][:2]}):
        assert tight(replace(release, provenance={**known, **broken}), data).status == "pass"  # nothing is known then


def test_boxes_before_reshaping_are_hulls_too():
    data = apart()
    release = Glove(k=2, reshape="union")(data)
    known = release.provenance
    wide = {**known["boxes"], "dx": known["boxes"]["dx"] + (np.arange(len(known["boxes"]["dx"])) == 2)}
    found = tight(replace(release, provenance={**known, "boxes": wide}), data)
    assert found.status == "fail" and "before reshaping" in found.evidence and "first at row 2" in found.evidence


def test_it_says_where_it_does_not_apply(tmp_path):
    data = apart()
    release = Glove(k=2)(data)
    assert "no original" in check(release)["tightness"].evidence
    case = on_disk(tmp_path, release, data)
    assert case.check()["tightness"].status == "pass"
    assert "link file" in check(case.folder, original=data)["tightness"].evidence
    other = replace(release, params={**release.params, "method": "Hulls"})
    assert tight(other, data).status == "pass"
    points = ic.Traces.from_arrays(data.owner, data.t * 60, x=data.x + 50.0, y=data.y + 50.0)
    found = check(release, original=points)
    assert found["truthfulness"].status == "pass" and "no faces" in found["tightness"].evidence


def test_samples_in_no_box_are_those_the_ledger_drops():
    data = apart()
    release = Glove(k=2, max_extent_m=2000)(data)
    assert (release.provenance["box"] < 0).any() and tight(release, data).status == "pass"
    twice = ic.Fingerprints.from_arrays(["a", "a", "b", "b"], x=[0] * 4, y=[0] * 4, t=[0, 9] * 2, start=0)
    alike = Glove(k=2)(twice)
    box, row = (alike.provenance[name].copy() for name in ("box", "row"))
    box[0] = row[0] = -1  # its box is still the hull of the other's sample
    found = tight(replace(alike, provenance={**alike.provenance, "box": box, "row": row}), twice)
    assert found.status == "fail" and "1 samples are in no box, and the ledger drops 0" in found.evidence


def test_rows_of_a_pseudonym_are_found_in_any_order():
    runs = [(a.tolist(), b.tolist()) for a, b in _runs(np.array([2, 0, 2, 5]), np.array([5, 1, 2, 5]))]
    assert runs == [([1], []), ([0, 2], [2]), ([3], [0, 3])]


@pytest.mark.parametrize("reshape", ["union", "split"])
def test_reshaped_boxes_that_meet_in_time_are_caught(tmp_path, reshape):
    """The first of two boxes of a pseudonym lasts as long as the second: every face still touches a sample."""
    rng = np.random.default_rng(0)
    who, (x, y), t = rng.integers(0, 8, 60), rng.integers(0, 9, (2, 60)) * 100, rng.integers(0, 200, 60)
    data = ic.Fingerprints.from_arrays(who, x, y, t, start=0)
    case = on_disk(tmp_path, Glove(k=2, reshape=reshape)(data), data)
    before = case.failed()
    user, t, dt = (case.table()[name].to_numpy() for name in ("user", "t", "dt"))
    first = int(np.argmax(user[1:] == user[:-1]))
    case.change("dt", first, int(t[first + 1] + dt[first + 1] - t[first]))
    assert case.failed() == {*before, "tightness"}
    said = check(case.folder)["tightness"]
    assert said.status == "fail" and said.evidence.startswith("1 of ")
    assert said.evidence.endswith(f"begin before another of their pseudonym ends, first at row {first + 1}.")
