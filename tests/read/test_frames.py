"""Frames of other libraries and GeoParquet -> the same Traces: types of times, names of columns, points."""

import json
import struct

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic

FIRST = 1_704_067_200  # 2024-01-01 00:00:00 UTC


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([FIRST, FIRST + 60], pa.timestamp("s")),
        ([FIRST * 1000 + 999, (FIRST + 60) * 1000], pa.timestamp("ms", "Europe/Paris")),
        ([FIRST * 10**9 + 5, (FIRST + 60) * 10**9], pa.timestamp("ns")),
        ([float(FIRST), FIRST + 60.5], pa.float64()),
        ([FIRST * 10**6, (FIRST + 60) * 10**6], pa.uint64()),
        (["2024-01-01", "2024-01-01 00:01"], pa.large_string()),
    ],
)
def test_frames_of_every_time_type(values, kind):
    frame = pa.table({"id": [1, 1], "t": pa.array(values, kind), "lat": [52, 52], "lon": [5, 5]})
    assert ic.read.table(frame).t.tolist() == [FIRST, FIRST + 60]


def test_an_empty_chunk_of_a_frame_is_no_end():
    piece = pa.table({"user": [1], "t": [1], "lat": [1.0], "lon": [1.0]})
    assert ic.read.table(pa.concat_tables([piece[:0], piece, piece[:0], piece])).records == 2


def test_geoparquet_points(tmp_path):
    points = [
        struct.pack("<BIdd", 1, 1, 5, 52),
        struct.pack(">BIdd", 0, 1, 6, 53),
        struct.pack("<BIddd", 1, 1001, 7, 54, 0),
    ]
    meta = {"primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB", "geometry_types": ["Point"]}}}
    frame = pa.table({"id": [1, 1, 1], "t": [0, 1, 2], "geometry": pa.array(points, pa.binary())})
    pq.write_table(frame.replace_schema_metadata({"geo": json.dumps(meta)}), tmp_path / "points.parquet")
    traces = ic.read.table(tmp_path / "points.parquet", layout="geoparquet")
    assert traces.lon.tolist() == [5, 6, 7] and traces.lat.tolist() == [52, 53, 54]
    meta["columns"]["geometry"]["encoding"] = "point"
    native = pa.array([{"x": 5.0, "y": 52.0}] * 3)
    frame = frame.set_column(2, "geometry", native).replace_schema_metadata({"geo": json.dumps(meta)})
    pq.write_table(frame, tmp_path / "native.parquet")
    assert ic.read.table(tmp_path / "native.parquet").lat.tolist() == [52, 52, 52]
    meta["columns"]["geometry"]["crs"] = {"id": {"authority": "EPSG", "code": 28992}}
    pq.write_table(frame.replace_schema_metadata({"geo": json.dumps(meta)}), tmp_path / "dutch.parquet")
    with pytest.raises(ic.DataError, match=r"'geometry' of .*dutch.parquet is not in WGS 84"):
        ic.read.table(tmp_path / "dutch.parquet")


WGS84 = {"crs": {"id": {"authority": "EPSG", "code": 4326}}}


class GeoFrame:
    """Of the shape geopandas, MovingPandas and trackintel give away: well-known binary under GeoArrow's name."""

    def __init__(self, about: dict, **columns):
        points = [struct.pack("<BIdd", 1, 1, 5, 52), struct.pack("<BIdd", 1, 1, 6, 53)]
        tag = {"ARROW:extension:name": "geoarrow.wkb", "ARROW:extension:metadata": json.dumps(about)}
        table = pa.table({**columns, "geom": pa.array(points, pa.binary())})
        self.table = table.cast(table.schema.set(len(columns), table.schema.field("geom").with_metadata(tag)))

    def set_geometry(self, name: str) -> None: ...

    def to_arrow(self) -> pa.Table:
        return self.table

    def __arrow_c_stream__(self, requested_schema=None):
        raise TypeError("the inherited way out does not know points")


TIMES = pd.to_datetime(["2026-01-05T00:00Z", "2026-01-05T01:00Z"])


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(
            pd.DataFrame({"lat": [52, 53], "lng": [5, 6], "datetime": TIMES, "uid": [1, 1]}), id="scikit-mobility"
        ),
        pytest.param(GeoFrame(WGS84, user_id=[1, 1], tracked_at=TIMES, accuracy=[3.0, 4.0]), id="trackintel"),
        pytest.param(GeoFrame(WGS84, traj_id=[1, 1], t=TIMES), id="MovingPandas"),
        pytest.param(GeoFrame(WGS84, trajectory_id=[1, 1], t=TIMES), id="trajectory_id"),
    ],
)
def test_frames_of_other_libraries_are_known_by_their_columns(frame):
    traces = ic.read.table(frame)
    assert (traces.lon.tolist(), traces.lat.tolist()) == ([5, 6], [52, 53])
    assert np.diff(traces.t).tolist() == [3600]


def test_points_in_metres_are_refused():
    dutch = GeoFrame({"crs": {"id": {"authority": "EPSG", "code": 28992}}}, user_id=[1, 1], t=TIMES)
    with pytest.raises(ic.DataError, match="not in WGS 84 degrees"):
        ic.read.table(dutch)
