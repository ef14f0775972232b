"""A file, streamed or not, and a frame give what Traces in memory give."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
import shapely

import incrowd as ic
from incrowd.discretize import blocks, fingerprints, grid, towers, zones
from incrowd.errors import ParameterError

# the unnamed file of a source in pieces is closed with its last reference, which Python remarks upon
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file", "ignore::pytest.PytestUnraisableExceptionWarning")

USERS, RECORDS = 40, 9000
TOWERS = [(4.9, 52.3), (5.0, 52.4), (5.1, 52.3)]
CALLS = {
    "grid": lambda source, **more: grid(source, cell_m=500, slot_min=60, **more),
    "blocks": lambda source, **more: blocks(source, blocks=20, slot_min=60, **more),
    "towers": lambda source, **more: towers(source, TOWERS, **more),
    "towers filled": lambda source, **more: towers(source, TOWERS, fill="interpolate", **more),
    "zones": lambda source, **more: zones(source, [shapely.box(4, 52, 5, 53), shapely.box(5, 52, 6, 53)], **more),
    "fingerprints": fingerprints,
}


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """Records of all users in the order of time, as a log has them."""
    rng = np.random.default_rng(5)
    user = rng.integers(0, USERS, RECORDS)
    t = np.sort(rng.integers(1_400_000_000, 1_400_000_000 + 3 * 86_400, RECORDS))
    lon, lat = (np.round(at + rng.normal(0, 0.08, RECORDS), 6) for at in (5.0, 52.35))
    return pa.table({"user": [f"u{u}" for u in user], "t": t, "lon": lon, "lat": lat})


@pytest.fixture(scope="module")
def traces(table) -> ic.Traces:
    return ic.Traces.from_arrays(table["user"].to_pylist(), *(table[name].to_numpy() for name in ("t", "lon", "lat")))


def rows(made):
    """Everything a table says of its users, by label."""
    names = ("cell", "slot") if isinstance(made, ic.Visits) else ("x", "y", "t")
    columns = [getattr(made, name) for name in names]
    said = {}
    for u, label in enumerate(made.users.tolist()):
        mine = slice(made.offsets[u], made.offsets[u + 1])
        said[str(label)] = [column[mine].tolist() for column in columns]
    return said


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("memory_mb", [1, 1024], ids=["in pieces", "at once"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_every_source_gives_the_same(name, memory_mb, kind, table, traces, tmp_path):
    path = tmp_path / f"log.{kind}"
    if kind == "csv":
        pc.write_csv(table, path)
    elif kind == "parquet":
        pq.write_table(table, path)
    made = CALLS[name](table if kind == "frame" else path, memory_mb=memory_mb)
    expected = CALLS[name](traces)
    assert rows(made) == rows(expected)
    assert (made.start, made.crs) == (expected.start, expected.crs)
    assert made.ledger.steps[-1] == expected.ledger.steps[-1]
    if isinstance(made, ic.Visits):
        np.testing.assert_array_equal(made.xy, expected.xy)


def test_the_time_zone_is_that_of_naive_times_and_of_the_slots(tmp_path):
    (tmp_path / "log.csv").write_text("user,t,lon,lat\na,2024-03-31 08:00:00,5,52\na,2024-04-01 08:00:00,5,52\n")
    visits = grid(tmp_path / "log.csv", slot_min=60, time_zone="Europe/Amsterdam")
    assert visits.slot.tolist() == [8, 32]


def test_options_of_reading_mean_nothing_for_traces(traces):
    with pytest.raises(ParameterError, match="describe files"):
        grid(traces, columns={"user": "id"})
    assert grid(traces, slot_min=60, time_zone="Europe/Amsterdam").records
