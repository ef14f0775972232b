"""What may be chosen, and what a browser may leave in the folder."""

import os
import re
import stat
from pathlib import Path
from urllib.parse import urlencode

import pytest

from incrowd.errors import IncrowdError
from incrowd.web import store
from incrowd.web.folder import HOME, UPLOADS, data_files, inside
from web.asking import Browser, until

ESCAPES = ["../secret.csv", "a/../../secret.csv", "/etc/passwd", "link.csv", "", "trips.csv\0.csv", "way/secret.csv"]
ESCAPES += ["way", "inner", "inner/", "./inner/out.csv", ".", "*.csv", "[l]ink.csv", "{link,trips}.csv", "x" * 5000]
ESCAPES += ["incrowd-studio/studio.db", "incrowd-studio", "%2e%2e/secret.csv", "postgresql://db.example/secret"]


@pytest.fixture
def linked(folder):
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    (folder / "way").symlink_to(folder.parent)
    (folder / "inner").mkdir()
    (folder / "inner" / "out.csv").symlink_to(folder.parent / "secret.csv")
    return folder


@pytest.mark.parametrize("name", ESCAPES)
def test_nothing_outside_the_folder_can_be_chosen(linked, visitor, name):
    with pytest.raises(IncrowdError) as refused:
        inside(linked, name)
    assert "secret" not in str(refused.value)
    answer = visitor.post("/data", {"kind": "file", "source": name})
    assert answer.status == 422
    assert visitor.studio.store.jobs() == []
    shown = visitor.get(f"/data/columns?{urlencode({'source': name})}")
    assert "alice" not in shown.text
    assert "use:" not in shown.text


def test_links_that_lead_out_and_hidden_files_are_not_listed(linked):
    (linked / ".hidden.csv").write_text("a\n1\n")
    (linked / "notes.docx").write_text("x")
    assert [file.path for file in data_files(linked)] == ["trips.csv"]


def test_a_folder_of_files_of_one_kind_is_listed_and_can_be_chosen(visitor, folder):
    (folder / "calls").mkdir()
    for day in ("monday", "tuesday"):
        (folder / "calls" / f"{day}.csv").write_text("a\n1\n")
    rows = {file.path: file.changed for file in data_files(folder)}
    assert rows["calls/"] == "2 files"
    assert set(rows) == {"calls/", "calls/monday.csv", "calls/tuesday.csv", "trips.csv"}
    assert inside(folder, "calls/") == folder / "calls"


def test_names_that_are_code_or_no_text_break_no_page(visitor, folder):
    (folder / "<img src=x onerror=alert(1)>.csv").write_text("a\n1\n")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.csv")).write_text("a\n1\n")
    answer = visitor.get("/data")
    assert answer.status == 200
    assert "&lt;img src=x" in answer.text
    assert "<img" not in answer.text


def test_the_folder_of_the_studio_is_for_its_owner_alone(visitor, folder):
    assert stat.S_IMODE((folder / HOME).stat().st_mode) == 0o700


def test_an_upload_lies_in_the_folder_and_can_be_chosen(visitor, folder):
    answer = visitor.post("/upload?name=more.csv", body=b"user,t,lon,lat\n1,2,3,4\n")
    assert answer.status == 200
    path = folder / UPLOADS / "more.csv"
    assert path.read_bytes().startswith(b"user,t")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert f"{UPLOADS}/more.csv" in visitor.get("/data").text


def test_an_upload_over_the_limit_leaves_nothing(visitor, folder):
    answer = visitor.post("/upload?name=big.csv", body=b"1" * 1_000_001)
    assert answer.status == 422
    assert "larger than 1.0 MB" in answer.text
    assert list((folder / UPLOADS).iterdir()) == []


@pytest.mark.parametrize(
    "name", ["../evil.csv", "a/b.csv", ".evil.csv", "evil.exe", "", "x" * 200 + ".csv", "evil.zip"]
)
def test_an_upload_cannot_choose_its_place_or_be_unpacked(visitor, folder, name):
    assert visitor.post(f"/upload?name={name}", body=b"data").status == 422
    assert [path.name for path in folder.parent.rglob("*evil*")] == []


def test_a_form_that_is_too_long_is_refused(visitor):
    assert visitor.post("/data", body=b"kind=" + b"a" * 300_000).status == 422


def test_a_name_that_is_too_long_for_the_disk_is_refused(visitor, folder):
    answer = visitor.post(f"/upload?{urlencode({'name': '中' * 100 + '.csv'})}", body=b"data")
    assert answer.status == 422
    assert "rename it" in answer.text


def test_a_disk_that_is_full_is_a_sentence_and_leaves_nothing(visitor, folder, monkeypatch):
    def full(path, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    answer = visitor.post("/upload?name=more.csv", body=b"data")
    assert answer.status == 422
    assert "could not be stored" in answer.text
    assert list((folder / UPLOADS).iterdir()) == []


def test_the_state_is_kept_in_no_folder_of_somebody_else(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir(mode=0o755)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / HOME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(IncrowdError, match="a folder of your own"):
        Browser(tmp_path / "linked")
    assert stat.S_IMODE((tmp_path / "elsewhere").stat().st_mode) == 0o755
    assert list((tmp_path / "elsewhere").iterdir()) == []
    (tmp_path / "shared" / HOME).mkdir(parents=True)
    monkeypatch.setattr(store.os, "getuid", lambda: 54_321)
    with pytest.raises(IncrowdError, match="a folder of your own"):
        Browser(tmp_path / "shared")


def test_a_link_that_takes_the_place_of_a_file_while_its_job_waits_is_not_read(visitor, folder):
    visitor.studio.queue.at_a_time = 0
    assert visitor.post("/data", {"kind": "file", "source": "trips.csv"}).status == 303
    (folder / "trips.csv").unlink()
    (folder / "trips.csv").symlink_to(folder.parent / "secret.csv")
    visitor.studio.queue.at_a_time = 1
    until(lambda: visitor.studio.queue.tick() or visitor.studio.store.job(1).over)
    until(lambda: visitor.studio.queue.tick() or not visitor.studio.queue._children)
    job = visitor.studio.store.job(1)
    assert job.state == "failed"
    assert "not below the folder" in job.message
    assert list((folder / HOME / "data").rglob("*.parquet")) == []


def test_a_name_with_a_percent_sign_reaches_the_command_as_it_is(visitor, folder):
    visitor.studio.queue.at_a_time = 0
    (folder / "trips.csv").rename(folder / "share of 5 % of trips.csv")
    value = re.search(r'name="source" value="([^"]*)"', visitor.get("/data").text)[1]
    assert visitor.post("/data", {"kind": "file", "source": value}).status == 303
    assert "incrowd clean</span> <span>&#39;share of 5 % of trips.csv&#39;" in visitor.get("/data").text


def test_what_a_killed_server_left_half_written_goes_after_a_day(visitor, folder):
    visitor.post("/upload?name=more.csv", body=b"data")
    old, new = (folder / UPLOADS / f".{name}.part" for name in ("old", "new"))
    for part in (old, new):
        part.write_text("half")
    os.utime(old, (0, 0))
    Browser(folder)
    assert sorted(path.name for path in (folder / UPLOADS).iterdir()) == [".new.part", "more.csv"]
