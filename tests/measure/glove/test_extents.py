"""How coarse a published table is, without what made it."""

import numpy as np
import pytest

import incrowd as ic
from incrowd.data import Groups
from incrowd.measure.glove.accuracy import extents, relinked


@pytest.fixture(scope="module")
def prints():
    city = ic.read.synthetic_city(users=24, towers=20, days=1, seed=3)
    return ic.discretize.fingerprints(city.traces)


@pytest.fixture(scope="module")
def release(prints):
    return ic.anonymize.Glove(k=2, max_extent_m=3000, max_extent_min=60)(prints)


def test_published_extents_and_what_is_missing_are_those_that_accuracy_knows(prints, release):
    known, found = ic.measure.accuracy(release, prints), extents(release.data, release.ledger)
    assert sorted(found.pos_extent) == sorted(known.pos_extent_pub)
    assert sorted(found.time_extent) == sorted(known.time_extent_pub)
    assert (found.deleted_samples, found.original_samples) == (known.deleted_samples, known.original_samples)
    assert found.deleted_samples > 0
    assert found.discarded_fingerprints == known.discarded_fingerprints
    assert (found.groups, found.people) == (len(release.data), int(release.data.crowd.sum()))
    assert extents(release.data).deleted_samples is None


def test_with_the_members_each_sample_is_in_the_smallest_box_that_holds_it(prints, release):
    known = ic.measure.accuracy(release, prints)
    found = ic.measure.accuracy(relinked(release.data, release.members, prints), prints)
    # A deleted sample may lie in a box of the others, never the other way round.
    assert found.deleted_samples <= known.deleted_samples
    both = (release.provenance["row"] >= 0) & (relinked(release.data, release.members, prints).provenance["row"] >= 0)
    assert both.sum() == prints.records - known.deleted_samples
    assert found.discarded_fingerprints == known.discarded_fingerprints


def test_a_box_is_looked_up_in_one_s_own_group_only():
    two = ic.Fingerprints.from_arrays([7, 8], x=[0, 0], y=[0, 0], t=[0, 600])
    boxes = ic.Fingerprints.from_arrays([0, 1], x=[0, 0], y=[0, 0], t=[0, 0], dx=[500, 900], dt=[10, 10])
    found = relinked(boxes, Groups.from_lists([[1], [0]]), two)
    assert found.provenance["row"].tolist() == [1, -1]


def test_of_several_boxes_the_smallest_counts():
    one = ic.Fingerprints.from_arrays([7], x=[0], y=[0], t=[0])
    boxes = ic.Fingerprints.from_arrays([0, 0], x=[-100, 0], y=[0, 0], t=[0, 0], dx=[900, 200])
    found = relinked(boxes, Groups.from_lists([[0]]), one).provenance["row"]
    assert boxes.dx[found].tolist() == [200] and found.tolist() == [1]


def test_another_start_is_refused(prints, release):
    from dataclasses import replace

    with pytest.raises(ic.DataError, match="another start or plane"):
        relinked(replace(release.data, start=0), release.members, prints)
    assert np.isfinite(extents(release.data).pos_extent).all()
