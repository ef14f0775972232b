import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxes import crowds, prints
from incrowd.anonymize.glove import Glove
from incrowd.errors import DataError
from incrowd.measure.glove.accuracy import MEASURES, accuracy

E7 = "0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400"


def test_accuracy_of_four_people_in_two_groups():
    data = prints(E7)
    found = accuracy(Glove(k=2)(data), data)
    assert [found.mean[name] for name in MEASURES] == [600, 211, 500, 210, 250, 105]
    assert found.time_extent.tolist() == [41, 41, 381, 381]
    assert (found.published_samples, found.deleted_samples, found.created_samples) == (4, 0, 0)
    assert found.mean["time_extent_pub"] == 211 and found.median["pos_extent"] == 600


def test_a_group_beyond_the_limits_loses_its_samples():
    data = prints(E7)
    found = accuracy(Glove(k=2, max_extent_m=15_000, max_extent_min=360)(data), data)
    assert (found.discarded_fingerprints, found.deleted_samples, found.deleted_with_users) == (2, 2, 2)
    assert (found.discarded_share, found.deleted_share) == (0.5, 0.5)
    assert found.mean["time_extent"] == 41


def test_deleted_samples_of_survivors_are_told_apart():
    data = prints("0,0,0; 0,0,5000 | 0,0,10; 0,0,5400 | 0,0,2000")
    found = accuracy(Glove(k=2, max_extent_min=360, leftover="suppress")(data), data)
    assert (found.deleted_samples, found.deleted_with_users) == (3, 1)
    assert found.time_extent.tolist() == [11, 11]


def test_published_boxes_count_once_per_person():
    data = prints("0,0,0 | 0,0,10 | 0,0,3000", crowd=[1, 1, 5])
    found = accuracy(Glove(k=2)(data), data)
    assert found.published_samples == 7
    assert sorted(found.time_extent_pub.tolist()) == [1] * 5 + [11] * 2


def test_reshaping_counts_only_when_asked_for():
    data = prints("0,0,0; 5000,0,20 | 0,0,30; 5000,0,50")
    release = Glove(k=2, reshape="union")(data)
    before, after = accuracy(release, data), accuracy(release, data, after_reshape=True)
    assert before.pos_extent.tolist() == [100] * 4
    assert after.pos_extent.tolist() == [5100] * 4 and after.time_extent.tolist() == [51] * 4
    assert (before.published_samples, after.published_samples) == (4, 2)


def test_nothing_published():
    data = prints("0,0,0 | 0,0,1")
    found = accuracy(Glove(k=3)(data), data)
    assert math.isnan(found.mean["pos_extent"]) and found.deleted_share == 1


@settings(deadline=None, max_examples=50)
@given(crowds(least_users=3, sizes=True), st.sampled_from([None, "union", "split"]))
def test_extents_are_stretches_on_top_of_the_original(data, reshape):
    found = accuracy(Glove(k=3, reshape=reshape, max_extent_min=600)(data), data, after_reshape=reshape == "union")
    assert found.deleted_samples + len(found.pos_extent) == data.records
    assert (found.time_stretch >= 0).all() and (found.pos_stretch >= 0).all()
    assert (found.time_center <= found.time_stretch / 2).all()
    assert (found.pos_center <= found.pos_stretch / 2).all()
    assert np.isfinite([*found.mean.values()]).all() or len(found.pos_extent) == 0


def test_only_the_original_and_glove_are_understood():
    data = prints(E7)
    with pytest.raises(DataError, match="other fingerprints"):
        accuracy(Glove()(data), prints("0,0,0 | 0,0,1"))
    with pytest.raises(DataError, match="Glove"):
        accuracy(Glove()(data).expanded(), data)


@pytest.mark.parametrize("other", ["0,0,0 | 0,0,40 | 1000,0,20; 0,0,400", "0,0,0 | 0,0,41 | 1000,0,20 | 0,0,400"])
@pytest.mark.parametrize("after_reshape", [False, True])
def test_an_original_of_the_same_length_is_not_taken_for_another(other, after_reshape):
    with pytest.raises(DataError, match="other fingerprints"):
        accuracy(Glove()(prints(E7)), prints(other), after_reshape=after_reshape)


def test_it_says_for_which_crowd():
    data = prints(E7)
    assert [accuracy(Glove(k=k)(data), data).k for k in (2, 3)] == [2, 3]
    assert repr(accuracy(Glove(k=3)(data), data)).startswith("Accuracy(k=3, mean pos_extent=1,100")


def test_only_a_release_and_fingerprints_are_compared():
    data = prints(E7)
    with pytest.raises(DataError, match="accuracy needs a Release, got an int"):
        accuracy(1, 2)
    with pytest.raises(DataError, match="accuracy needs Fingerprints, got a Release; make them"):
        accuracy(Glove()(data), Glove()(data))
