"""Bike-share riders, the first half of everybody's trips against the second, as in the specification; and taxis."""

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from incrowd.attack import link
from incrowd.discretize.slots import wall_hours


@pytest.fixture(scope="module")
def riders(shared_data):
    table = pq.read_table(shared_data / "valleybike_events_clean.parquet", columns=["uid", "t", "lat", "lon"])
    uid, lat, lon = (table[name].to_numpy() for name in ("uid", "lat", "lon"))
    second = table["t"].to_numpy().astype("datetime64[s]").astype(np.int64)
    order = np.lexsort((second, uid))
    uid, second, place = uid[order], second[order], np.round(np.stack([lat, lon], axis=1)[order], 3)
    _, start, size = np.unique(uid, return_index=True, return_counts=True)
    inside, size = np.arange(len(uid)) - np.repeat(start, size), np.repeat(size, size)
    cell = np.unique(place, axis=0, return_inverse=True)[1].ravel()
    slot = wall_hours(second, "America/New_York")
    return [
        ic.Visits.from_arrays(uid[rows], cell[rows], slot[rows], slot_min=60, start=0)
        for rows in ((size >= 50) & (inside < size // 2), (size >= 50) & (inside >= size // 2))
    ]


@pytest.mark.real
@pytest.mark.parametrize(
    ("score", "views", "alone", "together"),
    [
        ("histogram", ("places",), 0.374, 0.415),
        ("histogram", ("rhythm",), 0.436, 0.483),
        ("evidence", ("places",), 0.321, 0.383),
        ("evidence", ("rhythm",), 0.374, 0.454),
        ("evidence", ("places", "rhythm"), 0.388, 0.471),
    ],
)
def test_the_prototype_is_reached(riders, score, views, alone, together):
    """Each later half names its rider, as the prototype was scored."""
    first, second = riders
    how = {"score": score, "views": views}
    assert link(second, first, **how).hit[1] == pytest.approx(alone, abs=0.003)
    assert link(second, first, one_to_one=True, **how).hit[1] == pytest.approx(together, abs=0.003)


@pytest.mark.real
def test_the_default_names_riders(riders):
    linkage = link(*riders)
    assert (linkage.known, linkage.target, linkage.views) == (896, 896, ("places", "rhythm"))
    assert linkage.hit[1] == pytest.approx(0.406, abs=0.003)
    assert {view: round(alpha, 2) for view, alpha in linkage.alpha.items()} == {"places": 3.79, "rhythm": 9.98}
    named = linkage.named(0.9)
    assert linkage.temperature == pytest.approx(0.19, abs=0.01)
    assert 150 < len(named) < 220 and named.achieved > 0.78
    assert link(*riders, score="overlap", views=("places",)).hit[1] < 0.16


@pytest.mark.real
def test_evidence_recognises_taxis_where_overlap_does_not(shared_data):
    """Half a week of taxis against the other: vehicles that are alike, 500 m and the main cell of an hour.

    The specification reached 0.58 alone and 0.68 one to one on taxis that were kept aside, probably other data.
    """
    traces = ic.read.table(shared_data / "cabspotting_sf_week.parquet")
    week = ic.discretize.grid(traces, cell_m=500, slot_min=60, keep="vote", time_zone="America/Los_Angeles")
    first = week.slot < (int(week.slot.max()) + 1) // 2
    halves = [
        replace(
            ic.Visits.from_arrays(
                week.users[week.owner[rows]], week.cell[rows], week.slot[rows], slot_min=60, start=week.start
            ),
            time_zone=week.time_zone,
        )
        for rows in (first, ~first)
    ]
    alone, together = (link(*halves, one_to_one=one_to_one).hit[1] for one_to_one in (False, True))
    assert (alone, together) == (pytest.approx(0.253, abs=0.005), pytest.approx(0.271, abs=0.005))
    assert link(*halves, score="overlap", views=("places",)).hit[1] < 0.08 < alone / 3
