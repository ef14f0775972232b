"""The radius of W4M follows from a box that strays do not stretch, and what it leaves out is accounted for."""

import numpy as np
import pytest

import incrowd as ic
from incrowd.anonymize import W4M, publish

SMALL = {"k": 2, "delta_m": 2000, "trash": 0}


def riders(*strays, alone=False):
    """Twelve people who move by twos, stray records of the first, and one person who was nowhere else."""
    rng = np.random.default_rng(0)
    rows = []
    for person in range(12):
        walk = np.random.default_rng(person // 2).normal(0, 0.003, (40, 2)).cumsum(axis=0)
        walk += rng.normal(0, 0.0002, walk.shape)
        rows += [(f"person {person}", 60 * i, 5 + x, 52 + y) for i, (x, y) in enumerate(walk)]
    rows[:0] = [("nowhere", i, 0.0, 0.0) for i in range(2)] if alone else []
    rows += [("person 0", 60 * i + 30, *place) for i, place in enumerate(strays)]
    return ic.Traces.from_arrays(*zip(*rows, strict=True))


def test_strays_leave_and_the_radius_is_that_of_the_others():
    honest = W4M(**SMALL)(riders(), seed=1)
    original = riders((0, 0), (100.0, 52.0), (0.0005, 0), alone=True)
    with pytest.warns(ic.errors.IncrowdWarning) as said:
        release = W4M(**SMALL)(original, seed=1)
    assert [str(one.message)[:20] for one in said] == ["4 records at (0, 0) ", "the box of the data "]
    step = release.ledger.steps[-1]
    assert step.read == original.records == step.kept + sum(step.dropped.values()) - sum(step.created.values())
    assert (step.dropped["at (0, 0)"], step.dropped["outside the box"]) == (4, 1)
    assert step.users == (13, 12)
    assert release.provenance["first_radius_m"] < 3 * honest.provenance["first_radius_m"]
    # Positions and rows are those of the original, in which somebody comes first who was nowhere.
    assert sorted(release.members.positions.tolist()) == list(range(1, 13))
    assert release.provenance["discarded_users"].tolist() == [0]
    source = release.provenance["source"]
    assert (original.owner[source] == release.members.positions[release.data.owner]).all()
    assert not original.at_zero[source].any()


def test_displacement_and_audit_follow(tmp_path):
    original = riders((0, 0), (100.0, 52.0), alone=True)
    with pytest.warns(ic.errors.IncrowdWarning):
        release = W4M(**SMALL)(original, seed=1)
    far = ic.measure.displacement(release, original)
    assert (far.original_samples, far.discarded_fingerprints, far.deleted_with_users) == (original.records, 1, 2)
    assert far.pos_row.max() < 5000
    publish(release, tmp_path / "release", link=tmp_path / "link.csv", original=original)
    found = ic.audit.check(tmp_path / "release", original=original, link=tmp_path / "link.csv")
    assert found.passed, str(found)
    assert found["records"].status == found["(k, delta)-anonymity"].status == "pass"


def test_a_radius_that_is_given_leaves_every_record_in():
    original = riders((0, 0), (100.0, 52.0))
    with pytest.warns(ic.errors.IncrowdWarning, match=r"^1 record is at \(0, 0\), "):
        release = W4M(**SMALL, radius_m=500)(original, seed=1)
    assert release.ledger.steps[-1].dropped.keys().isdisjoint({"at (0, 0)", "outside the box"})
    assert release.provenance["first_radius_m"] == 500
    assert W4M(**SMALL, radius_m=500, keep_zero=True)(original, seed=1).provenance["first_radius_m"] == 500


def test_a_given_box_decides():
    box = (4.9, 51.9, 5.2, 52.2)
    release = W4M(**SMALL, box=box)(riders(), seed=1)
    assert release.provenance["first_radius_m"] == pytest.approx(0.005 * np.hypot(20_500, 33_370) / 2, rel=0.01)
    with pytest.raises(ic.ParameterError, match="give radius_m or box"):
        W4M(box=box, radius_m=5)
    with pytest.raises(ic.ParameterError, match="west <= east"):
        W4M(box=(5, 52, 4, 53))
    with pytest.raises(ic.DataError, match=r"no record is left \(480 outside the box\)"):
        W4M(**SMALL, box=(6, 52, 7, 53))(riders())


def test_a_middle_without_length_ends_all_the_same():
    """Nearly everybody at one place: a radius of 0 could never grow."""
    t = np.tile(np.arange(150), 4)
    x = np.full(600, 5.0) + 1e-10 * np.arange(600)
    x[:2] = 6.0
    release_of = W4M(k=2, trash=0)
    with pytest.warns(ic.errors.IncrowdWarning, match="no length"):
        release = release_of(ic.Traces.from_arrays(np.repeat(np.arange(4), 150), t, x, np.full(600, 52.0)), seed=0)
    assert release.ledger.steps[-1].dropped["outside the box"] == 2
