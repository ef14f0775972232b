"""Releases of real trajectories (shared bicycles) against their original."""

import pytest

import incrowd as ic
from audit.cases import on_disk
from incrowd.anonymize import Cut, Generalize
from incrowd.audit import check


@pytest.mark.real
def test_releases_of_real_trips_hold(shared_data, tmp_path):
    columns = {"user": "uid", "t": "t", "lon": "lon", "lat": "lat"}
    traces = ic.read.table(shared_data / "valleybike_events_clean.parquet", columns=columns)
    case = on_disk(tmp_path, Generalize(cell_m=500, slot_min=60, time_zone="America/New_York")(traces), traces)
    assert case.failed() == set()
    assert case.failed(k=2) == {"k-anonymity"}
    visits = ic.discretize.grid(traces, cell_m=500, slot_min=60)
    assert check(Cut(window_h=24)(visits), original=visits).passed
