import os
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.data import files, load

ATTRIBUTES = {
    "number": [1, 2],
    "missing": [None, 2],
    "text": ["a", "ö"],
    "share": [0.5, 1.0],
    "flag": [True, None],
    "several": [{"x", "y"}, {"z"}],
    "none of them": [set(), {3}],
    "unknown": [None, {3, 4}],
}
NOUNS = {
    "degrees": lambda: ic.Traces.from_arrays(["b", "a", "b"], [9, 5, 3], [1, 2, 3], [4, 5, 6], attributes=ATTRIBUTES),
    "log": lambda: ic.Traces.from_arrays(
        [8, 1, 8], [9, 5, 3], [1, 2, 3], [4, 5, 6], order="log", attributes=ATTRIBUTES
    ),
    "metres": lambda: ic.Traces.from_arrays([2, 1], [9, 5], x=[1e7, 2], y=[-0.0, 5.125]),
    "cleaned": lambda: ic.clean.duplicates(ic.Traces.from_arrays([2, 2], [9, 9], [1, 1], [1, 1])),
    "visits": lambda: ic.Visits.from_arrays([2, 1, 2], [0, 1, 0], [5, 5, 4], attributes=ATTRIBUTES),
    "visits on a map": lambda: replace(
        ic.Visits.from_arrays(["q"], [1], [-3], xy=[[0.1, 0.2], [1e6, -5]], slot_min=np.int64(30), start=np.int64(60)),
        crs="EPSG:2154",
    ),
    "fingerprints": lambda: ic.Fingerprints.from_arrays(
        ["b", "a", "b"], [5, 1, 1], [0, 0, 0], [7, 8, 9], dx=[1, 2, 3], crowd=[4, 1], start=60, attributes=ATTRIBUTES
    ),
    "counts": lambda: ic.Counts.from_arrays([[0, -2, 3], [0, 0, 0]], np.eye(3)[:, :2], slot_min=15, start_min=7),
}


def assert_same(one, other):
    assert type(one) is type(other)
    for field in fields(one):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if field.name == "attributes":
            assert {k: v.tolist() for k, v in mine.items()} == {k: v.tolist() for k, v in theirs.items()}
        elif isinstance(mine, np.ndarray):
            assert mine.dtype.kind == theirs.dtype.kind
            np.testing.assert_array_equal(mine, theirs)
        else:
            assert mine == theirs


@pytest.mark.parametrize("make", NOUNS.values(), ids=NOUNS)
def test_what_is_saved_comes_back(make, tmp_path):
    noun = make()
    path = noun.save(tmp_path / "noun.parquet")
    assert_same(load(path), noun)
    assert [p.name for p in tmp_path.iterdir()] == ["noun.parquet"]


rows = st.lists(
    st.tuples(
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=3),
        st.integers(-9, 9),
        st.floats(-180, 180),
        st.floats(-90, 90),
    ),
    min_size=1,
)


@settings(deadline=None, max_examples=40)
@given(rows, st.booleans(), st.sampled_from(["time", "log"]))
def test_any_traces_come_back(tmp_path_factory, rows, planar, order):
    who, t, first, second = zip(*((f"{u}.", *rest) for u, *rest in rows), strict=True)
    where = {"x": first, "y": second} if planar else {"lon": first, "lat": second}
    traces = ic.Traces.from_arrays(who, t, **where, order=order)
    assert_same(load(traces.save(tmp_path_factory.mktemp("any") / "t.parquet")), traces)


@pytest.mark.parametrize("planar", [True, False])
def test_traces_of_nobody_come_back(planar, tmp_path):
    names = ("x", "y") if planar else ("lon", "lat")
    one = ic.Traces.from_arrays([1], [0], **{name: [5] for name in names}, attributes={"jobs": [{1, 2}]})
    nobody = ic.clean.still_users(one)
    back = load(nobody.save(tmp_path / "nobody.parquet"))
    assert_same(back, nobody)
    assert back.planar == planar


def test_csv_holds_the_flat_table(tmp_path):
    traces = ic.Traces.from_arrays(["b", "a"], [0, 1], [5, 6], [52, 53], attributes={"age": [1, None]})
    text = traces.save(tmp_path / "t.csv").read_text()
    assert text.splitlines() == ['"user","t","lon","lat","age"', '"b",0,5,52,1', '"a",1,6,53,']


def test_csv_refuses_sets_and_leaves_nothing(tmp_path):
    with pytest.raises(ic.ParameterError, match=r"sets in 'several'.*parquet"):
        NOUNS["degrees"]().save(tmp_path / "t.csv")
    assert not list(tmp_path.iterdir())


def test_an_existing_file_is_kept_unless_forced(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_text("mine")
    visits = NOUNS["visits"]()
    with pytest.raises(ic.ParameterError, match="force"):
        visits.save(path)
    assert path.read_text() == "mine"
    visits.save(path, force=True)
    assert_same(load(path), visits)


@pytest.mark.parametrize(("name", "what"), [("t.json", r"\.parquet or \.csv"), ("t", "format"), ("no/t.csv", "folder")])
def test_unwritable_names_are_refused(name, what, tmp_path):
    with pytest.raises(ic.ParameterError, match=what):
        NOUNS["visits"]().save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("existing", [None, "mine"])
def test_a_failure_inside_leaves_nothing_behind(existing, tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    if existing:
        path.write_text(existing)

    def fails(table, part, **options):
        part.write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr("pyarrow.parquet.write_table", fails)
    with pytest.raises(KeyboardInterrupt):
        NOUNS["visits"]().save(path, force=True)
    assert [p.read_text() for p in tmp_path.iterdir()] == ([existing] if existing else [])


def test_foreign_files_are_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pytest.raises(ic.DataError, match="not a readable Parquet file"):
        load(tmp_path / "absent.parquet")
    (tmp_path / "text.parquet").write_text("hello")
    with pytest.raises(ic.DataError, match="not a readable Parquet file"):
        load(tmp_path / "text.parquet")
    pq.write_table(pa.table({"user": [1]}), tmp_path / "foreign.parquet")
    with pytest.raises(ic.DataError, match=r"incrowd\.read\.table"):
        load(str(tmp_path / "foreign.parquet"))


def test_damaged_notes_and_results_are_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"user": ["a"], "cell": [0], "slot": [0]})
    damaged = "description that incrowd saved in"
    for noted, message in [
        (b"not json", damaged),
        (b"[" * 9_999, damaged),
        (b"[]", damaged),
        (b'{"noun": []}', damaged),
        (b'{"noun": "Visits"}', damaged),
        (b'{"noun": "Traces", "planar": true, "ordered": true}', damaged),
        (b'{"noun": "Visits", "ledger": [7]}', damaged),
        (b'{"noun": "Sweep"}', "holds the result 'Sweep', not data"),
    ]:
        pq.write_table(table.replace_schema_metadata({"incrowd": noted}), tmp_path / "t.parquet")
        with pytest.raises(ic.DataError, match=message):
            load(tmp_path / "t.parquet")


def test_values_of_mixed_kinds_cannot_be_written(tmp_path):
    for values in ([1, "two"], [{1, "two"}, {3}]):
        traces = ic.Traces.from_arrays([1, 2], [0, 0], [1, 1], [1, 1], attributes={"age": values})
        with pytest.raises(ic.DataError, match="'age' mixes kinds"):
            traces.save(tmp_path / "t.parquet")
    assert not list(tmp_path.iterdir())


def test_whole_file_becomes_the_file_only_at_the_end(tmp_path):
    path = tmp_path / "t.txt"
    with files.whole_file(path, force=False) as part:
        part.write_text("all")
        assert not path.exists()
    assert path.read_text() == "all"


GONE = 2**22 + 1  # above the largest process id of Linux


@pytest.mark.parametrize(
    ("host", "alive", "stays"),
    [("here", False, False), ("here", True, True), ("elsewhere", False, True), ("", False, True)],
)
def test_only_what_a_process_of_this_host_left_behind_is_cleared_up(tmp_path, monkeypatch, host, alive, stays):
    pid = os.getpid() if alive else GONE
    path, leftover = tmp_path / "visits.csv", tmp_path / f".visits.csv.{host}.{pid}.part"
    leftover.write_text("half")
    monkeypatch.setattr("platform.node", lambda: "here")
    assert files.left_by_killed_runs(path, "part") == ([] if stays else [leftover])
    if not alive:
        with files.whole_file(path, force=False) as part:
            part.write_text("all")
        assert leftover.exists() == stays and path.read_text() == "all"


def test_a_temporary_name_of_an_older_version_names_no_host_and_stays(tmp_path, monkeypatch):
    (tmp_path / f".visits.csv.{GONE}.part").write_text("half")
    for host in ("here", ""):
        monkeypatch.setattr("platform.node", lambda host=host: host)
        assert files.left_by_killed_runs(tmp_path / "visits.csv", "part") == []


def test_hosts_that_look_alike_in_a_file_name_are_told_apart(tmp_path, monkeypatch):
    hosts = ["node", "node.a", "node-a", "node/a", "a" * 60 + "1", "a" * 60 + "2", "é" * 60]
    names = set()
    for host in hosts:
        monkeypatch.setattr("platform.node", lambda host=host: host)
        name = files.temporary(tmp_path / "visits.csv", "part").name
        names.add(name)
        middle = name.removeprefix(".visits.csv.").removesuffix(f".{os.getpid()}.part")
        assert middle.isascii() and len(middle) < 34 and not set(middle) & set("./")
    assert len(names) == len(hosts)
