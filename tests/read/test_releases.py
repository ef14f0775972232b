import numpy as np
import pytest

import incrowd as ic

VISITS = ic.Visits.from_arrays([1, 1, 2], [0, 2, 2], [0, 1, 1], slot_min=60, start=0, xy=[[0, 0], [9, 9], [5000, 0]])


def test_a_release_comes_back_with_its_places(tmp_path):
    made = ic.anonymize.Cut(window_h=24)(VISITS)
    back = ic.read.release(ic.anonymize.publish(made, tmp_path / "release"))
    assert back.cell.tolist() == made.data.cell.tolist() and back.slot_min == 60
    assert back.xy[[0, 2]].tolist() == [[0, 0], [5000, 0]] and np.isnan(back.xy[1]).all()
    assert ic.measure.utility(VISITS, back).visits_shared == 1


def test_other_folders_are_refused(tmp_path):
    with pytest.raises(ic.DataError, match=r"manifest\.json"):
        ic.read.release(tmp_path)
