import numpy as np
import pytest

import incrowd as ic
from builders import tracks
from incrowd.anonymize import W4M

TRACES = tracks([(0, 0), (60, 0), (600, 0)], [(0, 900), (120, 100)])


def found(pivot):
    """The release around one of the two."""
    for seed in range(30):
        release = W4M(k=2, delta_m=1000, trash=0)(TRACES, seed=seed)
        if release.members[release.provenance["pivot"][0]][0] == pivot:
            return ic.measure.displacement(release, TRACES)
    raise AssertionError


def test_around_the_longer_one_a_point_is_repeated():
    d = found(0)
    assert (d.created_samples, d.deleted_samples, d.repeated_samples, d.dropped_samples) == (1, 0, 1, 0)
    assert (d.published_samples, d.original_samples, d.discarded_fingerprints) == (6, 5, 0)
    assert sorted(d.pos_row.tolist()) == [0, 0, 0, 0, 0, 400]  # 900 m became 500 m, 100 m are within
    assert sorted(d.time_row.tolist()) == [0, 0, 0, 0, 1, 8]
    assert sorted(d.time_center.tolist()) == [0, 0, 0, 0, 1]
    assert d.mean["pos_moved"] == 400 and d.mean["time_moved"] == 4.5
    assert d.mean["pos_center"] == 80 and d.created_share == 0.2


def test_around_the_shorter_one_a_point_is_left_out():
    d = found(1)
    assert (d.created_samples, d.deleted_samples, d.repeated_samples, d.dropped_samples) == (0, 1, 0, 1)
    assert d.deleted_with_users == 0 and d.deleted_share == 0.2
    assert sorted(d.pos_row.tolist()) == [0, 0, 0, 400]


def test_trashed_people_are_counted_apart():
    traces = tracks([(0, 0)], [(0, 1)], [(0, 9000), (5, 9000)])
    d = ic.measure.displacement(W4M(k=2, radius_m=10, trash=0.4)(traces), traces)
    assert (d.deleted_samples, d.deleted_with_users, d.dropped_samples) == (2, 2, 0)
    assert d.discarded_fingerprints == 1 and d.discarded_share == pytest.approx(1 / 3)
    assert np.isnan(d.mean["pos_moved"]) and d.mean["pos_center"] == 0


def test_degrees_are_measured_in_metres():
    metres = tracks([(0, 0)], [(0, 3000)])
    degrees = ic.Traces.from_arrays([0, 1], [0, 0], lon=[9, 9 + 3000 / 111_319.49], lat=[0, 0])
    one, two = (ic.measure.displacement(W4M(trash=0)(t), t).mean["pos_moved"] for t in (metres, degrees))
    assert one == 2000 and two == pytest.approx(2000, abs=0.1)


def test_other_data_and_other_methods_are_refused():
    release = W4M(trash=0)(TRACES)
    for other in (tracks([(0, 0)], [(0, 0)]), tracks([(0, 0)], [(0, 900), (60, 1), (70, 1), (120, 100)])):
        with pytest.raises(ic.DataError, match="made from other traces"):
            ic.measure.displacement(release, other)
    cut = ic.anonymize.Generalize()(TRACES)
    with pytest.raises(ic.DataError, match="needs one made by W4M"):
        ic.measure.displacement(cut, TRACES)


def test_made_up_and_missing_points_come_first(tmp_path):
    traces = tracks([(0, 0)], [(0, 1500)], [(0, 90_000), (60, 90_000)])
    release = W4M(k=2, radius_m=2000, trash=0.4)(traces)
    shown = ic.measure.displacement(release, traces).section()
    assert shown.answer.startswith(
        "0.0 % of 4 points were made up and 50.0 % are gone, together with 33.3 % (1 of 3 people)"
    )
    assert "250 m and 0 min" in shown.answer and shown.number == "250 m"
    assert shown.tables[0].rows[2] == ("deleted with discarded people", "2")
    assert shown.tables[1].rows[2] == ("row that was moved", "500.0", "500.0", "-", "-")
    page = ic.report.write(tmp_path / "r.html", release, ic.measure.displacement(release, traces), release.ledger)
    assert "How true are the published points?" in page.read_text()
