"""What may be chosen, and what a browser may leave in the folder."""

import os
import stat
from pathlib import Path
from urllib.parse import urlencode

import pytest

from incrowd.errors import IncrowdError
from incrowd.web.folder import HOME, UPLOADS, data_files, inside

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
