"""The public call: good releases pass, plain tables go as far as they can, bad input is one sentence."""

import base64
import json
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import incrowd as ic
from audit.cases import groups, on_disk, people_visits, repeatable
from incrowd.anonymize import Cut, publish
from incrowd.audit import check
from incrowd.audit.checks.manifest import _PATH


@pytest.mark.parametrize("seed", range(8))
def test_no_false_alarm_on_good_releases(tmp_path, seed):
    labels = np.random.default_rng(seed).permutation(200)
    visits = people_visits([f"{label:08x}" for label in labels] if seed % 2 else labels, seed)
    release = repeatable(Cut(window_h=6), visits, seed)
    assert check(release, original=visits).passed
    case = on_disk(tmp_path, release, visits, file="csv" if seed % 3 else "parquet")
    assert case.failed() == set()
    original, hulls = groups([6] * 50, seed)
    assert check(hulls, original=original).passed


def test_without_original_and_link_what_needs_them_is_not_asked(cut):
    found = {c.name: c.status for c in check(cut.folder)}
    silent = {name for name, status in found.items() if status == "not asked"}
    assert {"truthfulness", "coverage", "identifiers", "pseudonym order", "row order"} <= silent
    assert {found[name] for name in ("manifest", "files", "records", "rows by pseudonym", "time grain")} == {"pass"}
    alone = check(cut.folder, original=cut.original)
    assert alone["identifiers"].status == "pass"
    assert alone["truthfulness"].status == "pass" and alone["link"].status == "not asked"
    assert alone.summary.endswith("not asked (no link given)")


@pytest.mark.parametrize(
    ("params", "claims", "said"),
    [
        ({"k": 2}, {"k": 3}, "parameters.k is not claims.k"),
        ({"cell_m": 500}, {}, "cell_m is stated twice and differs"),
        ({"epsilon": 1.0}, {"epsilon": 0.1}, "parameters.epsilon is not claims.epsilon"),
    ],
)
def test_a_release_in_memory_that_contradicts_itself_fails(params, claims, said):
    visits = people_visits(range(20), 0)
    one = ic.Release.from_arrays(visits, [[u] for u in range(20)], params=params, claims=claims)
    assert check(one)["manifest"].evidence.startswith(said)


def test_a_release_with_other_members_than_pseudonyms_is_refused():
    visits = people_visits(range(20), 0)
    one = ic.Release.from_arrays(visits, [[u] for u in range(20)])
    with pytest.raises(ic.DataError, match="members has 19 lists for 20 pseudonyms"):
        check(replace(one, members=ic.data.Groups.from_lists([[u] for u in range(19)])))


def test_packed_cell_centres_are_not_read_as_words_or_paths():
    rng = np.random.default_rng(0)
    xy = rng.random((3000, 2)) * 1e5
    packed = base64.b64encode(xy.tobytes()).decode()
    words = sorted({w.lower() for w in re.split(r"[+/]", packed) if len(w) == 8})
    visits = ic.Visits.from_arrays(words, np.arange(len(words)), np.zeros(len(words)), xy=xy)
    published = ic.Visits.from_arrays(np.arange(len(words)), np.arange(len(words)), np.zeros(len(words)), xy=xy)
    verdict = check(ic.Release.from_arrays(published, [[u] for u in range(len(words))]), original=visits)
    assert len(words) > 10
    assert verdict["identifiers"].status == verdict["nothing private"].status == "pass"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/home/alice/x.csv", True),
        ("~/data/x.csv", True),
        ("see (/srv/data)", True),
        ('"C:\\\\people"', True),
        ("America/Argentina/Buenos_Aires", False),
        ("https://example.org/a/b", False),
        ("and/or, m/s, 1/2/3", False),
    ],
)
def test_what_looks_like_a_path(text, found):
    assert bool(_PATH.search(text)) == found


def test_a_path_to_the_original_is_read(cut, tmp_path):
    saved = cut.original.save(tmp_path / "original.parquet")
    assert check(cut.folder, original=saved, link=cut.link)["truthfulness"].status == "pass"
    raw = tmp_path / "raw.csv"
    raw.write_text("user,t,lon,lat\nrider-0000,0,5,52\nrider-0001,60,5,52\n")
    assert check(cut.folder, original=raw)["identifiers"].status == "pass"


def test_plain_tables_of_other_tools(tmp_path):
    table = pa.table({"user": ["b", "a", "a", "b"], "cell": [1, 2, 1, 2], "slot": [0, 1, 0, 1], "mood": [1.5, 2, 3, 4]})
    pq.write_table(table, tmp_path / "any.parquet")
    verdict = check(tmp_path / "any.parquet", k=2)
    assert verdict["k-anonymity"].status == "fail"  # a mood singles out
    assert verdict["columns"].status == "not applicable"
    pq.write_table(table.drop_columns("mood"), tmp_path / "any.parquet")
    verdict = check(tmp_path / "any.parquet", k=2)
    assert verdict["k-anonymity"].status == "pass"
    assert {verdict[name].status for name in ("manifest", "files", "time grain", "rows by pseudonym")} == {
        "not applicable"
    }
    (tmp_path / "any.csv").write_text("user;t;lon;lat\n7;2014-01-01 00:00:00;5.5;52\n8;2014-01-01 00:00:00;5.5;52\n")
    assert check(tmp_path / "any.csv", k=2).passed
    assert not check(tmp_path / "any.csv", k=3).passed


@pytest.mark.parametrize(
    ("minutes", "status"), [([0, 60, 600], "pass"), ([0, 60, 601], "fail"), ([30, 90, 630], "pass")]
)
def test_times_of_traces_lie_on_the_grid_wherever_it_begins(tmp_path, minutes, status):
    traces = ic.Traces.from_arrays([0, 0, 0], np.array(minutes) * 60, lon=[5, 5, 5], lat=[52, 52, 52])
    folder = publish(ic.Release.from_arrays(traces, [[0]]), tmp_path / "release")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["clock"]["grain_s"] = 3600
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert check(folder)["time grain"].status == status


def test_small_releases_say_nothing_about_order():
    visits = people_visits([f"rider-{i}" for i in range(20)])
    verdict = check(Cut(window_h=24)(visits), original=visits)
    assert verdict["pseudonym order"].status == "pass"
    assert "too few to find anything" in verdict["row order"].evidence


def test_honest_suppression_passes(tmp_path):
    visits = people_visits([f"rider-{i:03d}" for i in range(80)])
    keep = visits.cell != 4
    shown = ic.Visits.from_arrays(
        visits.owner[keep], visits.cell[keep], visits.slot[keep], slot_min=60, start=0, xy=visits.xy
    )
    members = [[int(u)] for u in shown.users]
    lost = int((~keep).sum())
    ledger = visits.ledger.add("suppress", read=visits.records, kept=shown.records, dropped={"rare": lost})
    assert check(ic.Release.from_arrays(shown, members, ledger=ledger), original=visits)["coverage"].status == "pass"
    less = ic.Ledger().add("suppress", read=visits.records, kept=visits.records - lost + 1, dropped={"rare": lost - 1})
    assert check(ic.Release.from_arrays(shown, members, ledger=less), original=visits)["coverage"].status == "fail"


@pytest.mark.parametrize(
    "asked",
    [
        {"k": 0},
        {"k": 2.5},
        {"c": 0.5},
        {"l": 2},
        {"l": 2, "k": 2, "c": 1.5},
        {"l": 2, "k": 2, "values": ["a"]},
        {"delta_m": 9},
    ],
    ids=str,
)
def test_questions_without_meaning_are_refused(cut, asked):
    with pytest.raises(ic.ParameterError):
        check(cut.folder, **asked)


def broken_json(case):
    (case.folder / "manifest.json").write_text("{")


def manifest_list(case):
    (case.folder / "manifest.json").write_text("[]")


def no_data(case):
    (case.folder / "data.parquet").unlink()


def torn_data(case):
    path = case.folder / "data.parquet"
    path.write_bytes(path.read_bytes()[:100])


def foreign_columns(case):
    pq.write_table(pa.table({"id": [1], "place": [2]}), case.folder / "data.parquet")


def missing_values(case):
    pq.write_table(pa.table({"user": [1, 1], "cell": [2, None], "slot": [0, 1]}), case.folder / "data.parquet")


def strange_link(case):
    case.link.write_text('pseudonym,user\n0,"nobody"\n')


def other_link(case):
    case.link.write_text('pseudonym,user\n99999,"rider-0001"\n')


def no_link(case):
    case.link.unlink()


@pytest.mark.parametrize(
    "damage",
    [
        broken_json,
        manifest_list,
        no_data,
        torn_data,
        foreign_columns,
        missing_values,
        strange_link,
        other_link,
        no_link,
    ],
    ids=lambda d: d.__name__,
)
def test_bad_input_is_one_sentence(cut, damage):
    damage(cut)
    with pytest.raises(ic.DataError) as error:
        cut.check()
    text = str(error.value)
    assert text.endswith(".") and "nobody" not in text and "rider" not in text


def test_a_missing_release_is_one_sentence(tmp_path):
    with pytest.raises(ic.DataError, match="no release at"):
        check(tmp_path / "nowhere")
    with pytest.raises(ic.DataError, match=r"no data\.parquet"):
        check(tmp_path)


def test_a_manifest_of_nonsense_fails_but_does_not_crash(cut):
    cut.say(clock=3, plane=None, claims=["k"], parameters="x", ledger={"a": 1}, counts=None, suppressed=7, noun=4)
    assert "manifest" in cut.failed()


def test_a_verdict_reads_as_a_table_and_as_json(cut):
    verdict = cut.check()
    assert verdict.passed and len(list(verdict)) == len(verdict)
    assert all(name and evidence.endswith(".") for name, _, evidence in verdict)
    assert json.loads(json.dumps(verdict.to_dict()))["passed"] is True
    assert max(map(len, str(verdict).splitlines())) <= 100


def test_the_command_exits_1_when_a_check_fails(cut):
    import typer

    from incrowd.cli.audit import audit

    app = typer.Typer()
    app.command()(audit)
    run = CliRunner().invoke
    good = run(
        app,
        [
            str(cut.folder),
            "--link",
            str(cut.link),
            "--original",
            str(cut.original.save(cut.link.with_name("o.parquet"))),
        ],
    )
    assert good.exit_code == 0 and "21 passed, 0 failed, 7 not applicable, 3 not asked" in good.stdout.splitlines()[-1]
    bad = run(app, [str(cut.folder), "--k", "5", "--json"])
    assert bad.exit_code == 1
    assert json.loads(bad.stdout)["passed"] is False
