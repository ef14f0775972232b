"""Attempts to get a release through the gate that links to an earlier one; none may end with 0."""

import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from incrowd import Traces
from incrowd.errors import DataError, ParameterError
from incrowd.gate import gate
from incrowd.gate.records import runs_in
from nights import gate_file, night, published

HISTORY = "incrowd-history.sqlite"


@pytest.fixture(scope="module")
def habitual(tmp_path_factory):
    """A gate that was open once, for people who do the same every night."""
    folder = tmp_path_factory.mktemp("habits")
    assert gate(gate_file(folder, habits=True), first_run=True).exit_code == 0
    return folder


@pytest.fixture
def linkable(habitual, tmp_path):
    """A copy of it, whose next night is like the last one."""
    shutil.copytree(habitual, tmp_path / "gate")
    gate_file(tmp_path / "gate", 1, habits=True)
    return tmp_path / "gate"


def run_of(folder: Path) -> Path:
    return next(path for path in (folder / "published").iterdir())


def shut(folder: Path, verdict: str, **how) -> str:
    """Run the gate, see it shut because of the earlier release alone, and return why."""
    run = gate(folder / "incrowd.toml", **how)
    answer = run.assessment.answer("earlier")
    assert run.exit_code == 1 and answer.verdict == verdict and answer.due, answer.note
    assert [one.name for one in (*run.assessment.above, *run.assessment.open)] == ["earlier"]
    assert run.release is None and not (run.folder / "release").exists()
    return answer.note


def test_it_links(linkable):
    assert "best of" in shut(linkable, "above")


def test_the_link_of_yesterday_is_thrown_away(linkable):
    shutil.rmtree(linkable / "private")
    assert "was kept and is gone" in shut(linkable, "no answer")
    (linkable / HISTORY).unlink()
    assert "not scored" in shut(linkable, "above")


def test_the_link_of_yesterday_is_permuted(linkable):
    (link,) = (linkable / "private").iterdir()
    permute(link)
    assert "not the one that was written with it" in shut(linkable, "no answer")


def test_the_link_is_permuted_and_the_history_that_knew_it_is_gone(linkable):
    (link,) = (linkable / "private").iterdir()
    permute(link)
    (linkable / HISTORY).unlink()
    shut(linkable, "above")


def permute(link: Path) -> None:
    head, *rows = link.read_text().splitlines()
    people = np.random.default_rng(0).permutation([row.split(",")[1] for row in rows])
    lines = [f"{row.split(',')[0]},{user},{row.split(',')[2]}" for row, user in zip(rows, people, strict=True)]
    link.write_text("\n".join([head, *lines]) + "\n")


def test_yesterdays_release_is_deleted(linkable):
    shutil.rmtree(run_of(linkable))
    assert "is in the history and not in its folder" in shut(linkable, "no answer")


def test_yesterdays_release_is_hidden(linkable):
    run_of(linkable).rename(linkable / "published" / ".hidden")
    assert ".hidden" in shut(linkable, "above")


def test_yesterdays_release_is_exchanged_for_a_harmless_one(linkable):
    folder = run_of(linkable) / "release"
    shutil.rmtree(folder)
    (folder.parent / "release.assessment.json").unlink()
    published(night(0, habits=False), folder)
    assert "is in the history and not in its folder" in shut(linkable, "no answer")


def test_yesterdays_release_is_exchanged_but_keeps_its_id(linkable):
    folder = run_of(linkable) / "release"
    manifest = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(manifest.replace('"method": "Cut"', '"method": "Cuts"'))
    run_of(linkable).joinpath("release.assessment.json").unlink()
    assert "is not the one that was published" in shut(linkable, "no answer")


@pytest.mark.parametrize("how", ["cut short", "unreadable", "empty"])
def test_the_table_of_yesterdays_release_is_damaged(linkable, how):
    table = run_of(linkable) / "release" / "data.parquet"
    table.write_bytes({"cut short": table.read_bytes()[:-9], "unreadable": b"PAR1", "empty": b""}[how])
    assert "is not as it was published" in shut(linkable, "no answer")


def test_everything_is_deleted_and_nobody_says_that_it_is_the_first_run(linkable):
    shutil.rmtree(linkable / "published")
    shutil.rmtree(linkable / "private")
    (linkable / HISTORY).unlink()
    assert "--first-run" in shut(linkable, "no answer")


@pytest.mark.parametrize("first_run", [True, False])
def test_everything_is_deleted_but_the_link(linkable, first_run):
    shutil.rmtree(linkable / "published")
    (linkable / HISTORY).unlink()
    assert "neither in the history nor in a folder" in shut(linkable, "no answer", first_run=first_run)


@pytest.mark.parametrize("kept", ["history", "folder", "both"])
def test_a_second_run_is_called_the_first(linkable, kept):
    if kept == "history":
        shutil.rmtree(linkable / "published")
    if kept == "folder":
        (linkable / HISTORY).unlink()
    with pytest.raises(ParameterError, match="this is not the first run"):
        gate(linkable / "incrowd.toml", first_run=True)


@pytest.mark.parametrize("sql", ["DELETE FROM runs", "UPDATE runs SET release_id = NULL", "DROP TABLE runs"])
def test_the_history_is_edited_and_the_release_is_deleted(linkable, sql):
    """An emptied history is one without runs: then somebody has to say that this is the first one."""
    with sqlite3.connect(linkable / HISTORY) as database:
        database.execute(sql)
    database.close()
    shutil.rmtree(linkable / "published")
    shutil.rmtree(linkable / "private")
    if "UPDATE" in sql:
        with pytest.raises(DataError, match="is not as it was written"):
            gate(linkable / "incrowd.toml")
    else:
        assert "--first-run" in shut(linkable, "no answer")


@pytest.mark.parametrize("there", ["missing", "empty", "a file", "no release"])
def test_the_file_names_a_folder_of_earlier_releases_without_one(linkable, there):
    gate_file(linkable, 1, more='earlier = "before"')
    before = linkable / "before"
    if there in ("empty", "no release"):
        before.mkdir()
    if there == "a file":
        before.write_text("no folder")
    if there == "no release":
        (before / "x").mkdir()
        (before / "x" / "data.csv").write_text("user,cell,slot\n1,1,1\n")
    note = shut(linkable, "no answer")
    assert ("x has no manifest" if there == "no release" else "before") in note


def test_a_decoy_does_not_push_yesterday_out_of_what_is_attacked_with(linkable):
    for number in range(3):
        published(night(50 + number, habits=False), linkable / "published" / f"decoy-{number}")
    gate_file(linkable, 1, habits=True, more='earlier_last = 1\noverride = "a week takes too long"')
    run = gate(linkable / "incrowd.toml")
    assert run.exit_code == 1 and run.assessment.answer("earlier").verdict == "above"


def test_attacking_with_fewer_than_a_week_is_a_setting_that_makes_it_easier(linkable):
    published(night(50, habits=False), linkable / "published" / "a")
    published(night(51, habits=False), linkable / "published" / "b")
    gate_file(linkable, 1, habits=True, more="earlier_last = 1")
    with pytest.raises(ParameterError, match="only 1 of the earlier releases are attacked with"):
        gate(linkable / "incrowd.toml")


@pytest.mark.parametrize("renamed", [2_000, 1_500])
def test_people_get_new_labels_so_that_the_link_of_yesterday_knows_nobody_or_few(linkable, renamed):
    """Of 500 who keep their labels and change their habits a rate could be had; it would be of the wrong ones."""
    traces, other = night(1, habits=True, first=10_000), night(1, habits=False)
    keep = traces.owner < renamed
    rows = [(traces, keep), (other, other.owner >= renamed)]
    columns = {name: np.concatenate([getattr(one, name)[mask] for one, mask in rows]) for name in ("t", "x", "y")}
    user = np.concatenate([one.users[one.owner[mask]] for one, mask in rows])
    Traces.from_arrays(user, **columns).save(linkable / "night.csv", force=True)
    assert "not scored" in shut(linkable, "above")


def test_cells_are_moved_a_little_every_night(tmp_path):
    """Towers seven metres beside those of yesterday are no tower of yesterday, and the same places all the same."""
    path = gate_file(tmp_path)
    text = path.read_text().replace("cell_m = 1000\n", 'towers = "towers.csv"\n')
    path.write_text(text.replace('columns = { x = "x", y = "y" }\n', ""))
    for number, shift_m in enumerate((0.0, 7.0)):
        metres = night(number, habits=True)
        lon, lat = (5 + column / 111_195 for column in (metres.x, metres.y))
        Traces.from_arrays(metres.users[metres.owner], metres.t, lon, lat).save(tmp_path / "night.csv", force=True)
        towers = np.unique(np.stack([lon, lat], axis=1), axis=0) + shift_m / 111_195
        lines = [f"{x!r},{y!r}" for x, y in towers.tolist()]
        (tmp_path / "towers.csv").write_text("lon,lat\n" + "\n".join(lines) + "\n")
        if number == 0:
            assert gate(path, first_run=True).exit_code == 0
    shut(tmp_path, "above")


@pytest.mark.parametrize("slot_min", [30, 120])
def test_slots_are_changed_from_night_to_night(linkable, slot_min):
    text = (linkable / "incrowd.toml").read_text().replace("slot_min = 60", f"slot_min = {slot_min}")
    (linkable / "incrowd.toml").write_text(text)
    assert gate(linkable / "incrowd.toml").exit_code == 1


@pytest.mark.parametrize(
    "more",
    [
        "cell_m = 100000",
        "slot_min = 1440",
        "people = 10",
        "records = 1",
        '[limits]\nearlier = "none"',
        "[limits]\nearlier = 0.9",
        '[limits]\nworst = "none"',
    ],
)
def test_the_file_makes_the_assessment_easier(linkable, more):
    gate_file(linkable, 1, habits=True, more=more)
    before = sorted(linkable.rglob("*"))
    with pytest.raises(ParameterError):
        gate(linkable / "incrowd.toml")
    assert sorted(linkable.rglob("*")) == before


def test_an_override_does_not_open_what_is_above_its_limit(linkable):
    gate_file(linkable, 1, habits=True, more='override = "please"\n[limits]\nhome_work = 0.6')
    assert gate(linkable / "incrowd.toml").exit_code == 1


def test_a_budget_that_is_too_small_shuts_the_gate(linkable):
    gate_file(linkable, 1, habits=True, more="budget_s = 0.5")
    run = gate(linkable / "incrowd.toml")
    assert run.exit_code == 1 and run.assessment.open


def test_the_same_data_are_published_twice(linkable):
    gate_file(linkable, 0, habits=True)
    shut(linkable, "above")


def test_a_release_of_yesterday_that_nobody_wrote_down_counts_too(linkable):
    (linkable / HISTORY).unlink()
    shut(linkable, "above")


def test_pseudonyms_with_a_seed_are_refused(linkable):
    gate_file(linkable, 1, anonymize='method = "cut"\nwindow_h = 24\npseudonym_seed = 7')
    with pytest.raises(ParameterError, match="line 12: pseudonym_seed"):
        gate(linkable / "incrowd.toml")


def test_every_shut_run_is_in_the_history_without_a_release(linkable):
    shut(linkable, "above")
    runs = runs_in(linkable / HISTORY)
    assert [run.exit_code for run in runs] == [0, 1] and runs[1].release_id is None and runs[1].link_sha256 is None
