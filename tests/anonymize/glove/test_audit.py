"""What GLOVE publishes, before the auditor."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from boxes import boxes, crowds, noisy, prints, published
from incrowd.anonymize.glove import Glove
from incrowd.data import Groups


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


def test_equal_boxes_of_a_group_are_published_once(tmp_path):
    # Two opposite corners of a cube, and the six others: three go to each, which makes the cube twice.
    data = prints("0,0,0; 100,100,2 | 100,0,0; 0,100,0; 0,0,2; 0,100,2; 100,0,2; 100,100,0")
    release = Glove(k=2)(data)
    shown = release.data
    assert boxes(shown) == [(0, 200, 0, 200, 0, 3)] * 2
    folder = ic.anonymize.publish(release, tmp_path / "release", link=tmp_path / "link.csv", original=data)
    for back, times in ((ic.read.release(folder), 1), (ic.read.saved(release.save(tmp_path / "release.parquet")), 2)):
        assert boxes(back) == boxes(shown)[:times] and back.crowd.tolist() == shown.crowd.tolist()
    assert ic.audit.check(folder, original=data, link=tmp_path / "link.csv").passed
