"""Honest releases of odd but legal kinds raise no alarm."""

from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from audit.cases import on_disk
from audit.honest import modes, traces, voted
from incrowd.anonymize import publish
from incrowd.audit import check
from incrowd.errors import IncrowdWarning


@pytest.mark.parametrize("file", ["csv", "parquet"])
@pytest.mark.parametrize("values", [["true", "no"], [True, False], [1.5, 2, 3], ["x,y", 'q"z', "multi\nline"]], ids=str)
def test_attributes_of_any_name_and_kind_raise_no_alarm(tmp_path, values, file):
    visits = voted()
    ill = np.empty(len(visits), object)
    ill[:] = [values[i % len(values)] for i in range(len(visits))]
    visits = replace(visits, attributes={'Größe, "cm"': ill, "_2020": np.arange(len(visits))})
    release = ic.anonymize.LKC(l=1, k=3, c=0.95, sensitive='Größe, "cm"')(visits)
    case = on_disk(tmp_path, release, visits, file=file)
    for given in modes(case).values():
        verdict = check(case.folder, **given)
        assert verdict.passed, verdict.failed


def counted(**options):
    """Counts of visits whose cells and slots need not be all that are published."""
    visits = ic.discretize.grid(traces(3), cell_m=3000, slot_min=120, keep="vote")
    return visits, ic.anonymize.counts(visits, **options)


COUNTS = [
    {},
    {"rule": "10-5"},
    {"cell_key": "10-5"},
    {"suppress_below": 3, "round_to": 2},
    {"region_m": 7000},
    {"move_share": 0.3},
    {"noise_epsilon": 0.5},
    {"noise_epsilon": 1.0, "suppress_below": 3, "round_to": 5},
]


@pytest.mark.parametrize("options", COUNTS, ids=str)
def test_honest_counts_pass_with_their_original(tmp_path, options):
    visits, release = counted(**options)
    folder = publish(release, tmp_path / "release")
    for given in ({}, {"original": visits}):
        verdict = check(folder, **given)
        assert verdict.passed, verdict.failed
    assert not check(folder, original=traces(3)).passed  # not what was counted


@pytest.mark.parametrize("keep_negative", [True, False])
@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize("first", [0, 2])
def test_honest_noise_passes_whatever_cells_and_slots_were_chosen(tmp_path, keep_negative, delta, first):
    pytest.importorskip("opendp")
    visits, _ = counted()
    cells = np.concatenate([visits.xy, visits.xy + 50_000])[::-1]
    method = ic.anonymize.DPCounts(epsilon=1.0, slots_per_person=2, delta=delta, keep_negative=keep_negative)
    release = method(visits, cells=cells, slots=(first, int(visits.slot.max()) + 3))
    verdict = check(publish(release, tmp_path / "release"), original=visits)
    assert verdict.passed, verdict.failed
    assert "with probability 0.99" in verdict["noise"].evidence


def test_counts_of_visits_whose_gaps_were_filled_pass_with_the_visits(tmp_path):
    visits, _ = counted()
    release = ic.anonymize.counts(ic.discretize.filled(visits), suppress_below=2)
    assert check(publish(release, tmp_path / "release"), original=visits).passed


def test_a_pivot_that_lost_a_stray_is_still_as_in_the_original(tmp_path):
    data = traces(1)
    lon = data.lon.copy()
    lon[data.offsets[:-1][::2]] = 0.0
    lat = np.where(lon == 0, 0.0, data.lat)
    data = replace(data, lon=lon, lat=lat)
    with pytest.warns(IncrowdWarning):
        case = on_disk(tmp_path, ic.anonymize.W4M(k=3)(data), data)
    for given in modes(case).values():
        verdict = check(case.folder, **given)
        assert verdict.passed, verdict.failed
