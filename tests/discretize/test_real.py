"""Discretizers on real bikes and taxis; objects, not people."""

import numpy as np
import pyarrow.parquet as pq
import pytest

import incrowd as ic

pytestmark = pytest.mark.real


def test_timelines_of_bikes_come_back_from_their_records(shared_data):
    """Complete timelines put at the coordinates of their stations are found again, gaps and all."""
    bikes = pq.read_table(shared_data / "bayarea_bikes_slots30m.parquet").to_pandas()
    stations = pq.read_table(shared_data / "bayarea_stations_2014.parquet").to_pandas()
    bikes = bikes[bikes["d"] < 7].sort_values(["uid", "d", "t"])
    place = list(zip(stations["lon"], stations["lat"], strict=True))
    where = {
        station: place.index(at) for station, at in zip(stations["station"], place, strict=True)
    }  # twins: the lowest
    station = bikes["station"].map(where).to_numpy()
    slot = bikes["d"].to_numpy(np.int64) * 48 + bikes["t"]
    places = np.array(place)
    user = bikes["uid"].to_numpy()
    changed = np.ones(len(user), bool)  # a record at the beginning and end of every stay is enough
    same = (station[1:] == station[:-1]) & (user[1:] == user[:-1])
    changed[1:-1] = ~(same[1:] & same[:-1])
    traces = ic.Traces.from_arrays(user[changed], (slot * 1800)[changed], *places[station[changed]].T)
    visits = ic.discretize.towers(traces, places, fill="interpolate", slots=336)
    assert changed.mean() < 0.2 and visits.ledger.steps[-1].created["interpolated"] > 100_000
    np.testing.assert_array_equal(visits.cell, station)
    assert (ic.discretize.counts(visits).n.sum(axis=1) == len(visits)).all()


def test_every_record_of_the_taxis_is_accounted_for(shared_data):
    taxis = pq.read_table(shared_data / "cabspotting_sf_week.parquet").slice(0, 500_000)
    traces = ic.Traces.from_arrays(*(taxis[name].to_numpy() for name in ("uid", "t", "lon", "lat")))
    box = (-122.52, 37.70, -122.35, 37.83)
    made = {keep: ic.discretize.blocks(traces, blocks=50, box=box, keep=keep) for keep in ("set", "vote", "vote_first")}
    points = {keep: set(zip(v.owner, v.slot, v.cell, strict=True)) for keep, v in made.items()}
    assert points["vote"] <= points["set"] and points["vote_first"] <= points["set"]
    for visits in made.values():
        step = visits.ledger.steps[-1]
        assert step.read == traces.records and step.kept == visits.records and step.dropped["outside the box"] > 0
