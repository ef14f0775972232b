"""A gate reads whatever incrowd reads, once, and its page is about what was read."""

import json
import shutil
import sys
from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner

from incrowd.cli.app import app
from incrowd.errors import DataError, ParameterError
from incrowd.gate import draft, gate, load, pipeline
from nights import as_sqlite, night, published, rows, small_gate, together

HISTORY = "incrowd-history.sqlite"


def as_workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [("user", "t", "x", "y"), *rows(1)]:
        book.active.append(row)
    book.save(path)


@pytest.mark.parametrize(("name", "make"), [("night.sqlite", as_sqlite), ("night.xlsx", as_workbook)])
def test_a_database_or_workbook_is_digested_and_judged_as_it_was_read(second, name, make):
    make(second / name)
    small_gate(second, 1, name)
    run = gate(second / "incrowd.toml")
    head = run.assessment.head
    (data,) = (one for one in head.files if one.role == "data")
    assert run.exit_code == 0 and data.name == name and len(data.sha256) == 64
    assert run.record.data_sha256 and run.assessment.people == 60


def test_standard_input_is_read_once_and_digested(second, monkeypatch):
    small_gate(second, 1, "-")
    with (second / "night.csv").open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        run = gate(second / "incrowd.toml")
    assert run.exit_code == 0 and run.assessment.head.files[0].name == "standard input"


def test_a_source_that_changes_while_it_is_read_is_no_source(second, monkeypatch):
    """The page would bear the digest of data that nobody judged."""
    honest = pipeline.opened

    def changed(*given):
        data = honest(*given)
        together(2).save(second / "night.csv", force=True)
        return data

    monkeypatch.setattr(pipeline, "opened", changed)
    before = sorted(second.rglob("*"))
    with pytest.raises(DataError, match="the source changed while it was read"):
        gate(second / "incrowd.toml")
    assert sorted(second.rglob("*")) == before


def test_a_password_in_the_file_is_named_by_its_line_and_not_repeated(second):
    path = small_gate(second, 1, "postgresql://me:geheim@host/city")
    with pytest.raises(ParameterError, match=r"incrowd.toml line 2: .* holds a password") as error:
        load(path)
    assert "geheim" not in str(error.value)


def test_rows_that_cannot_be_read_go_aside_every_night_with_the_run(second):
    path = second / "incrowd.toml"
    path.write_text(path.read_text().replace("[source]\n", '[source]\nbad_rows = "bad-{date}.csv"\n'))
    with (second / "night.csv").open("a") as file:
        file.write("7,never,5,5\n")
    run = gate(path)
    aside = second / f"bad-{run.record.name}.csv"
    assert run.exit_code == 0 and "never" in aside.read_text() and not aside.stat().st_mode & 0o077
    path.write_text(path.read_text().replace("bad-{date}.csv", "bad.csv"))
    with pytest.raises(ParameterError, match=r"line 2: bad_rows must be a file with \{date\}"):
        load(path)


def test_the_second_try_on_the_same_data_is_listed_on_the_page(second):
    gate(second / "incrowd.toml")
    small_gate(second, 1)
    again = gate(second / "incrowd.toml")
    assert again.assessment.head.run == "2nd run; limits unchanged since"


def test_init_looks_into_a_database_and_what_it_writes_runs(tmp_path):
    as_sqlite(tmp_path / "night.sqlite")
    path = draft(str(tmp_path / "night.sqlite"), tmp_path / "incrowd.toml", bad_rows=tmp_path / "bad.csv")
    settings = load(path)
    assert settings.source == str(tmp_path / "night.sqlite") and settings.method == "glove"
    assert settings.bad_rows("x") == tmp_path / "bad-x.csv" and not (tmp_path / "bad.csv").exists()


def test_init_on_the_command_line_names_the_database_and_not_a_copy_of_it(tmp_path, monkeypatch):
    as_sqlite(tmp_path / "night.sqlite")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["init", "night.sqlite", "--table", "trips", "--column", "x=x", "--column", "y=y"])
    assert done.exit_code == 0, (done.output, done.exception)
    settings = load(tmp_path / "incrowd.toml")
    assert settings.source == str(tmp_path / "night.sqlite") and settings.of_database == ("trips", None)


NO_USE = {
    'steps = ["duplicates"]\nmax_speed_kmh = 100': "max_speed_kmh has no use without its step",
    "steps = []\nmin_records = 3": "min_records has no use without its step",
}


@pytest.mark.parametrize("keys", NO_USE)
def test_a_key_of_a_step_that_is_not_taken_is_refused(second, keys):
    path = second / "incrowd.toml"
    path.write_text(path.read_text().replace("[anonymize]", f"[clean]\n{keys}\n[anonymize]"))
    with pytest.raises(ParameterError, match=NO_USE[keys]):
        load(path)


def test_a_table_of_what_is_no_database_is_refused(second):
    path = second / "incrowd.toml"
    path.write_text(path.read_text().replace("[source]\n", '[source]\ntable = "trips"\n'))
    with pytest.raises(ParameterError, match="line 2: table and query are for databases"):
        load(path)


def test_outputs_are_not_in_the_folder_that_is_read(second):
    with pytest.raises(ParameterError, match="must not be in the folder that is read"):
        (second / "data").mkdir()
        (second / "night.csv").rename(second / "data" / "night.csv")
        text = (second / "incrowd.toml").read_text().replace("'night.csv'", "'data'").replace('"pub', '"data/pub')
        (second / "incrowd.toml").write_text(text)
        load(second / "incrowd.toml")


BESIDE = ("loose.csv", "packed.tar.gz", "unmounted")
FOUND = ("deeper", "behind a link")
HIDDEN = (".data.parquet", "data.json")
TAKEN_AWAY = ("its pages alone", "exchanged beside its pages", "emptied")
TABLES = ("with a table that nobody published", "with a second table", "with both tables")
LOST = ("without its manifest", "a twin of another", *TABLES, *BESIDE, *HIDDEN, *TAKEN_AWAY)


def _changed(run: Path, how: str) -> None:
    """The folder of a run as somebody left it."""
    release = run / "release"
    if how in HIDDEN:
        for path in (*run.iterdir(), *release.iterdir()):
            path.unlink() if path.is_file() and path.name != "data.parquet" else None
        (release / "data.parquet").rename(release / how)
    if how in TAKEN_AWAY:
        shutil.rmtree(run if how == "emptied" else release)
        run.mkdir(exist_ok=True)
    if how == "exchanged beside its pages":
        published(night(0, habits=False, people=60), release)
    if how in ("with a second table", "with both tables"):
        shutil.copy(release / "data.parquet", release / ("more.parquet" if "second" in how else "data.csv"))


@pytest.mark.parametrize("how", [*FOUND, *LOST])
def test_no_earlier_release_is_overlooked(second, how):
    """A release of before that the gate did not make, wherever it is: attacked with, or the gate is shut."""
    (second / HISTORY).unlink()
    shutil.rmtree(second / "private")
    (run,) = (second / "published").iterdir()
    archive = second / "archive"
    archive.mkdir()
    if how == "behind a link":
        (archive / "old").symlink_to(run.rename(second / "elsewhere"))
    elif how == "deeper":
        (archive / "2026" / "11").mkdir(parents=True)
        run.rename(archive / "2026" / "11" / "17")
    else:
        run = run.rename(archive / "old")
    release = run / "release"
    if how == "without its manifest":
        (release / "manifest.json").unlink()
    if how == "a twin of another":
        shutil.copytree(run, second / "published" / "z")
        manifest = second / "published" / "z" / "release" / "manifest.json"
        manifest.write_text(manifest.read_text().replace("Glove", "glove"))
    if how == "with a table that nobody published":
        manifest = json.loads((release / "manifest.json").read_text())
        del manifest["files"]["data.parquet"]
        (release / "manifest.json").write_text(json.dumps(manifest))
    _changed(run, how)
    if how in BESIDE:
        (archive / how).symlink_to("/nowhere") if how == "unmounted" else (archive / how).touch()
    text = (second / "incrowd.toml").read_text().replace("[assess]\n", '[assess]\nearlier = "archive"\n')
    (second / "incrowd.toml").write_text(text)
    answer = gate(second / "incrowd.toml").assessment.answer("earlier")
    if how in FOUND:
        assert answer.judged and "1 earlier release" in answer.note
    else:
        assert answer.verdict == "no answer" and answer.due, answer.note


def test_a_first_run_does_not_excuse_a_folder_of_earlier_releases_that_is_not_there(tmp_path):
    path = small_gate(tmp_path)
    path.write_text(path.read_text().replace("[assess]\n", '[assess]\nearlier = "archive"\n'))
    answer = gate(path, first_run=True).assessment.answer("earlier")
    assert answer.verdict == "no answer" and answer.due and "archive" in answer.note


@pytest.mark.parametrize("private", ["links", "history", "bad_rows"])
def test_what_is_private_is_not_put_where_everything_is_published(second, private):
    path = second / "incrowd.toml"
    text = path.read_text().replace('links = "private"', "")
    table = "[source]\n" if private == "bad_rows" else "[output]\n"
    path.write_text(text.replace(table, f'{table}{private} = "published/{{date}}.x"\n'))
    with pytest.raises(ParameterError, match=f"{private} must not be in folder"):
        load(path)
