"""Whatever a release says of itself, the answer is a failed check or a sentence, never a crash and never a pass."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import incrowd as ic
from audit.cases import people_visits
from incrowd.anonymize import Cut
from incrowd.audit import check
from incrowd.audit.reading.stated import CLAIMS, CLOCK, PLANE

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        *(("clock", "time_zone", value) for value in ("Nowhere/X", "", "../../etc/passwd", 5)),
        *(("clock", "start", value) for value in ("abc", 0.5, NAN, 1e300, [1], 2**70, True)),
        *(("clock", "slot_min", value) for value in (2**70, 0, -60, "60", True)),
        *(("clock", "grain_s", value) for value in (0, "x", NAN, INF, True)),
        *(("plane", "cell_m", value) for value in (0, NAN, INF, True, "500")),
        *(("plane", "crs", value) for value in ("", 5, [1], {"a": 1})),
        *(("claims", "k", value) for value in (NAN, INF, True, "5", 2.5, 0, -3)),
        *(("claims", "delta_m", value) for value in (NAN, True, "x")),
    ],
    ids=str,
)
def test_values_without_meaning_fail_the_manifest(coarse, part, name, value):
    coarse.say(**{part: {**coarse.manifest()[part], name: value}})
    assert "manifest" in coarse.failed()
    assert f"{part}.{name} has no meaning" in coarse.check()["manifest"].evidence


@pytest.mark.parametrize(
    "claims",
    [
        {"l": 2},
        {"c": 0.5},
        {"l": 1.5, "k": 2},
        {"l": 1e300, "k": 2},
        {"l": 2, "k": 2, "c": 7},
        {"l": 2, "k": 2, "c": "1e400000000"},
        {"l": 2, "k": 2, "c": "1/0"},
        {"l": 2, "k": 2, "c": 0.5, "sensitive": ["a"], "values": 3},
    ],
    ids=str,
)
def test_claims_of_lkc_without_meaning_fail_the_manifest(cut, claims):
    cut.say(claims=claims)
    assert "manifest" in cut.failed()


def test_claims_without_meaning_fail_in_memory_too():
    visits = people_visits(["rider-1", "rider-2"])
    release = ic.Release.from_arrays(visits, [[0], [1]], claims={"k": NAN})
    assert {c.name for c in check(release).failed} == {"manifest"}
    fair = ic.Release.from_arrays(visits, [[0], [1]], claims={"k": np.int64(2)})
    assert {c.name for c in check(fair).failed} == {"k-anonymity"}


def test_a_claim_too_large_to_check_fails_but_an_option_is_refused(tmp_path):
    rng = np.random.default_rng(0)
    visits = ic.Visits.from_arrays(np.repeat([1, 2], 200), rng.integers(0, 9, 400), np.tile(np.arange(200), 2))
    release = ic.Release.from_arrays(visits, [[0], [1]], claims={"l": 50, "k": 1})
    assert "cannot be checked" in check(release)["LKC-privacy"].evidence
    assert check(release)["LKC-privacy"].status == "fail"
    with pytest.raises(ic.ParameterError, match="lower l"):
        check(release, l=150)


def test_a_seed_of_zero_is_a_seed(cut):
    cut.say(parameters={**cut.manifest()["parameters"], "pseudonym_seed": 0})
    assert cut.failed() == {"nothing private", "manifest"}
    cut.say(parameters={"a": [{"pseudonym_seed_given": False}]})
    assert "nothing private" not in cut.failed()


@pytest.mark.parametrize("depth", [300, 100_000])
def test_deep_nesting_is_no_crash(cut, depth):
    text = json.dumps({**cut.manifest(), "parameters": 0})
    (cut.folder / "manifest.json").write_text(
        text.replace('"parameters": 0', '"parameters": ' + "[" * depth + "]" * depth)
    )
    try:
        assert "manifest" in cut.failed()
    except ic.DataError as error:
        assert "not readable JSON" in str(error)


@pytest.mark.parametrize("rows", ["a,1,2", "99999999999999999999999,1,2", "0.5,1,2", "0,a,2", ",1,2", ""])
def test_odd_cells_are_one_sentence(coarse, rows):
    (coarse.folder / "cells.csv").write_text(f"cell,x,y\n{rows}\n" if rows else "cell,x,y\n")
    coarse.say()
    try:
        assert {"manifest", "truthfulness"} <= coarse.failed()
    except ic.DataError as error:
        assert str(error).endswith(".")


def test_a_link_of_wide_numbers_is_one_sentence(tmp_path):
    visits = people_visits([1, 2, 3])
    release = ic.anonymize.publish(Cut()(visits), tmp_path / "release")
    for row in ("99999999999999999999999,1", "0,99999999999999999999999"):
        (tmp_path / "link.csv").write_text(f"pseudonym,user\n{row}\n")
        with pytest.raises(ic.DataError):
            check(release, original=visits, link=tmp_path / "link.csv")


def plain(**columns):
    return pa.table({"user": [1, 2], "cell": [1, 1], "slot": [1, 1], **columns})


def metadata(said):
    return plain().replace_schema_metadata({b"incrowd": said})


@pytest.mark.parametrize("said", [b"{bad", b'{"noun": "Visits"}', b"[]", b'{"noun": "People"}'])
def test_an_original_with_odd_metadata_is_one_sentence(cut, tmp_path, said):
    pq.write_table(metadata(said), tmp_path / "odd.parquet")
    with pytest.raises(ic.DataError, match=r"save the file again|not data"):
        check(cut.folder, original=tmp_path / "odd.parquet")


def test_a_torn_original_is_one_sentence(cut, tmp_path):
    (tmp_path / "torn.parquet").write_bytes(b"PAR1xxxx")
    with pytest.raises(ic.DataError, match="not a readable Parquet"):
        check(cut.folder, original=tmp_path / "torn.parquet")


@pytest.mark.parametrize("user", [[[1], [2]], [{"a": 1}, {"a": 2}]], ids=["list", "struct"])
def test_pseudonyms_that_are_no_values_are_one_sentence(tmp_path, user):
    pq.write_table(plain(user=pa.array(user)), tmp_path / "any.parquet")
    with pytest.raises(ic.DataError, match="no single values"):
        check(tmp_path / "any.parquet")


@pytest.mark.parametrize(
    "user",
    [
        pa.array([b"\xff\xfe", b"\xff\xfd"]),
        pa.array([0.1, 0.2]),
        pa.array([1, 2], pa.timestamp("us")),
        pa.array(["", " "]),
    ],
    ids=["bytes", "floats", "times", "blank"],
)
def test_odd_pseudonyms_are_told_apart(tmp_path, user):
    pq.write_table(plain(user=user), tmp_path / "any.parquet")
    assert check(tmp_path / "any.parquet", k=2)["k-anonymity"].status == "pass"
    assert check(tmp_path / "any.parquet", k=3)["k-anonymity"].status == "fail"


@pytest.mark.parametrize(
    "slot",
    [
        pa.array([1, 2], pa.time32("s")),
        pa.array([True, False]),
        pa.array(["10:00:00", "x"]),
        pa.array([1, 2], pa.timestamp("ns")),
    ],
    ids=["time of day", "truth", "text", "nanoseconds"],
)
def test_columns_that_are_no_numbers_are_one_sentence(tmp_path, slot):
    pq.write_table(plain(slot=slot), tmp_path / "any.parquet")
    with pytest.raises(ic.DataError, match="column 'slot'"):
        check(tmp_path / "any.parquet")


def test_columns_without_a_header_are_not_quoted(tmp_path):
    (tmp_path / "any.csv").write_text("alice,home,monday\nbob,work,friday\n")
    with pytest.raises(ic.DataError, match="the 3 columns") as error:
        check(tmp_path / "any.csv")
    assert "alice" not in str(error.value)


@pytest.mark.parametrize("asked", [{"k": "2"}, {"k": NAN}, {"l": INF, "k": 2}, {"c": "x", "l": 2}], ids=str)
def test_options_that_are_no_numbers_are_refused(cut, asked):
    with pytest.raises(ic.ParameterError):
        check(cut.folder, **asked)


def test_what_is_no_release_and_no_original_is_refused(cut):
    with pytest.raises(ic.DataError, match="check needs a Release or a path, got Visits"):
        check(cut.original)
    with pytest.raises(ic.DataError, match="is not an original"):
        check(cut.folder, original=5)


def test_huge_crowds_are_no_crowds(tmp_path):
    box = {key: [1, 1] for key in ("x", "dx", "y", "dy", "t", "dt")}
    pq.write_table(pa.table({"user": [1, 2], **box, "crowd": [2**62, 2**62]}), tmp_path / "any.parquet")
    assert {c.name for c in check(tmp_path / "any.parquet", k=2).failed} == {"crowd"}


def test_an_unknown_check_is_named_with_those_there_are(cut):
    with pytest.raises(KeyError, match="truthfulness"):
        cut.check()["typo"]


def test_every_rule_takes_a_good_value():
    good = {
        "slot_min": 60,
        "start": 0,
        "time_zone": "Europe/Amsterdam",
        "grain_s": 0.5,
        "crs": "+proj=laea",
        "cell_m": 1,
        "start_min": 0,
    }
    good |= {"k": 2, "l": 3, "c": 1, "delta_m": 1e3, "sensitive": "ill", "values": ["a"]}
    good |= {"epsilon": 0.5, "delta": 0.0, "unit": "person"}
    assert all(rule(good[name]) for rules in (CLOCK, PLANE, CLAIMS) for name, rule in rules.items())


def test_the_command_reads_an_original_as_it_was_anonymized(tmp_path):
    from incrowd.cli.app import app

    rng = np.random.default_rng(0)
    rows = [f"rider-{i % 60:04d},2014-03-{9 + i % 3} {i % 24:02d}:05:00,{5 + rng.random():.6f},52" for i in range(600)]
    halves = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, half in zip(halves, (rows[:300], rows[300:]), strict=True):
        path.write_text("\n".join(["wie,t,lon,lat", *half]) + "\n")
    read = ["--time-zone", "America/New_York", "--column", "user=wie"]
    out, link = str(tmp_path / "release"), str(tmp_path / "link.csv")
    sources = [str(path) for path in halves]
    made = CliRunner().invoke(app, ["anonymize", "generalize", *sources, *read, "--keep-link", link, "-o", out])
    assert made.exit_code == 0, made.output
    given = [word for source in sources for word in ("--original", source)]
    audited = CliRunner().invoke(app, ["audit", out, *given, *read, "--link", link, "--json"])
    assert audited.exit_code == 0, audited.output
    assert json.loads(audited.stdout)["passed"]
    other = CliRunner().invoke(app, ["audit", out, *given, "--column", "user=wie", "--link", link])
    assert other.exit_code == 1
