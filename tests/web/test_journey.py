"""The whole journey in a real browser, from a file to a signed release, with what goes wrong on the way."""

import json
import zipfile

import pytest

import incrowd as ic
from browser import OUTSIDE
from web.serving import Served

pytestmark = [pytest.mark.web, pytest.mark.slow]
MINUTE = 60_000
REFUSED = "Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"
STEPS = ("data", "risk", "protect", "compare", "release")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """People of a city under other names of columns, and a file that cannot be read."""
    place = tmp_path_factory.mktemp("studio") / "mobility"
    place.mkdir()
    traces = ic.read.synthetic_city(users=150, days=5, dirt=0.01).traces
    table = traces.to_arrow().rename_columns({"user": "rider_id", "t": "ts"})
    from pyarrow import csv

    csv.write_csv(table, place / "trips.csv")
    (place / "bad.csv").write_text("user,t,lon,lat\nalice,yesterday,4.4444,51.5555\n" * 3)
    return place


def check(tab, server, name):
    """The page as it stands is accessible, fits, asks nobody else and has its picture taken."""
    page = tab.page
    for width, dark in ((1280, False), (1280, True), (400, False), (400, True)):
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.set_viewport_size({"width": width, "height": 900})
        tab.picture(f"studio-{name}-{width}-{'dark' if dark else 'light'}")
        assert tab.violations() == []
        assert tab.ask(OUTSIDE) == []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert all(address.startswith(server.address) for address in tab.requested)
    assert len(page.content()) < 100_000


def test_from_a_file_to_a_signed_release(tab, folder):
    server = Served(folder)
    try:
        journey(tab, server)
    finally:
        server.kill()


def journey(tab, server):
    page = tab.page
    tab.open(server.link)
    page.wait_for_url(f"{server.address}/data")
    check(tab, server, "data-empty")
    for step in STEPS[1:]:
        page.goto(f"{server.address}/{step}")
        page.get_by_text("One step too early").wait_for()
    check(tab, server, "too-early")

    dropped(page, server)
    tab.complaints.clear()  # of a file that was refused on purpose
    bad_file(page, server, tab)
    page.get_by_label("trips.csv", exact=True).check()
    page.get_by_label("Use rider_id as").wait_for(timeout=MINUTE)
    assert page.get_by_label("Use rider_id as").input_value() == "user"
    check(tab, server, "data-columns")
    page.get_by_role("button", name="Read the data").click()
    page.get_by_role("button", name="Measure the risk").wait_for(timeout=3 * MINUTE)
    check(tab, server, "data-read")

    page.get_by_role("button", name="Measure the risk").click()
    page.get_by_text("Running every test on the data as they are").wait_for()
    check(tab, server, "risk-running")
    page.reload()
    page.get_by_text("Do not publish", exact=False).first.wait_for(timeout=5 * MINUTE)
    page.locator("canvas.map[data-drawn]").wait_for(timeout=2 * MINUTE)
    page.get_by_role("button", name="Zoom in").click()
    check(tab, server, "risk")
    gone(page, server)
    tab.complaints.clear()  # of data that were taken away on purpose

    protected(tab, server)
    page.goto(f"{server.address}/compare")
    page.get_by_text("It passes every test").wait_for()
    check(tab, server, "compare")
    signed(tab, server)
    assert "Traceback" not in server.log
    assert "4.4444" not in server.log and "alice" not in server.log
    assert tab.complaints == []


def dropped(page, server):
    """A file that is dropped is chosen at once; a refused one is said where it was dropped; a city has no columns."""
    rows = b"user,t,lon,lat\n1,2024-01-01T00:00:00,5.1,52.1\n"
    page.goto(f"{server.address}/data")
    page.get_by_role("button", name="Choose a file to read it").wait_for()
    page.set_input_files("#pick", {"name": "dropped.csv", "mimeType": "text/csv", "buffer": rows})
    page.get_by_label("Use user as").wait_for(timeout=MINUTE)
    assert page.get_by_label("incrowd-studio/uploads/dropped.csv", exact=True).is_checked()
    page.set_input_files("#pick", {"name": "program.exe", "mimeType": "text/csv", "buffer": rows})
    page.locator("#dropped.err", has_text="unknown ending").wait_for()
    page.get_by_text("Synthetic city", exact=True).click()
    page.locator("#columns:not(:has(select))").wait_for(state="attached")


def gone(page, server):
    """What cannot be drawn is said in place of the figures."""
    cleaned = next((server.folder / "incrowd-studio" / "data").glob("*/clean.parquet"))
    cleaned.rename(cleaned.with_suffix(".away"))
    page.get_by_text("2 km", exact=True).first.click()
    page.locator("#view").get_by_text("The cleaned data are gone").wait_for()
    cleaned.with_suffix(".away").rename(cleaned)


def bad_file(page, server, tab):
    page.goto(f"{server.address}/data")
    page.get_by_label("bad.csv", exact=True).check()
    page.get_by_label("Use user as").wait_for(timeout=MINUTE)
    page.get_by_role("button", name="Read the data").click()
    page.get_by_text("stopped after").wait_for(timeout=2 * MINUTE)
    assert "alice" not in page.content() and "4.4444" not in page.content()
    check(tab, server, "data-failed")


def protected(tab, server):
    """Runs in two tabs; the server is killed and started again while they run."""
    page = tab.page
    page.goto(f"{server.address}/protect")
    check(tab, server, "protect-empty")
    page.get_by_label("k, people in a crowd").fill("1")
    page.get_by_role("button", name="Run GLOVE").click()
    page.get_by_text("k must be a whole number of at least 2").wait_for()
    check(tab, server, "protect-refused")
    page.get_by_label("k, people in a crowd").fill("11")
    page.get_by_role("button", name="Run GLOVE").click()
    other = page.context.new_page()
    other.goto(f"{server.address}/protect")
    other.get_by_text("GLOVE, k = 11").first.wait_for()
    other.get_by_role("button", name="Run generalize").click()
    other.get_by_role("button", name="Run cut").click()
    other.get_by_role("button", name="Remove: Cut").wait_for()  # two run at a time
    page.reload()
    check(tab, server, "protect-running")
    other.get_by_role("button", name="Remove: Cut").click()
    other.get_by_text("cancelled").first.wait_for()
    other.close()

    assert set(tab.complaints) <= {REFUSED}  # of the form that was refused on purpose
    server.restart()
    page.goto(f"{server.address}/protect")  # the cookie still holds
    tab.complaints.clear()  # of a page that asked a server that was killed
    page.get_by_role("link", name="Look at GLOVE, k = 11").wait_for(timeout=6 * MINUTE)
    page.get_by_role("link", name="Look at Generalize").wait_for(timeout=6 * MINUTE)
    check(tab, server, "protect")


def signed(tab, server):
    page = tab.page
    page.get_by_role("link", name="Generalize").click()
    assert page.get_by_label("Publish", exact=True).is_disabled()
    check(tab, server, "release-fails")
    page.goto(f"{server.address}/compare")
    page.get_by_role("link", name="Release GLOVE, k = 11").click()
    check(tab, server, "release")
    page.get_by_label("Name").fill("A. Custodian")
    page.get_by_label("Role").fill("Data-protection officer")
    page.get_by_label("Publish", exact=True).check()
    page.get_by_role("button", name="Sign and write the release").click()
    page.get_by_text("Publish: signed by A. Custodian").wait_for(timeout=5 * MINUTE)
    check(tab, server, "release-signed")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download all files").click()
    with zipfile.ZipFile(waiting.value.path()) as archive:
        names = set(archive.namelist())
        decision = archive.read("decision.md").decode()
        attested = json.loads(archive.read("release.assessment.json"))
    assert {"release/data.parquet", "release/manifest.json", "assessment.html", "evidence.md", "decision.md"} <= names
    assert not any("link" in name for name in names)
    assert attested["passed"] and "A. Custodian" in decision
