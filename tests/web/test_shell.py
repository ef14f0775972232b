"""The command lines that every step shows give in a shell what the studio shows, and write over none of its files."""

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import incrowd as ic
from web.asking import Browser, until

pytestmark = pytest.mark.web


@pytest.fixture
def studio(tmp_path):
    """A studio of a folder with a file whose name a shell would take apart."""
    from pyarrow import csv

    folder = tmp_path / "mobility"
    folder.mkdir()
    traces = ic.read.synthetic_city(users=60, days=3, dirt=0.02).traces
    csv.write_csv(traces.to_arrow().rename_columns({"user": "rider id"}), folder / "trips; 5 % 'of' $HOME.csv")
    return Browser(folder)


def shown(page):
    """The command lines of a page, as its button copies them."""
    codes = re.findall(r"<code>(.*?)</code>", page.text)
    return [html.unescape(re.sub(r"<[^>]+>", "", code)).strip() for code in codes]


def shell(studio, line):
    """What a command line prints in the folder of the studio."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", line], cwd=studio.studio.folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def finished(studio, number):
    """A job once it has ended, and the files that the studio then has."""
    until(lambda: studio.studio.queue.tick() or studio.studio.store.job(number).over, 240)
    until(lambda: studio.studio.queue.tick() or not studio.studio.queue._children)
    assert studio.studio.store.job(number).state == "finished", studio.studio.store.job(number).message
    return studio.studio.store.job(number)


def files(studio):
    """What is in the folder of the studio, but for its own memory."""
    home = studio.studio.folder / "incrowd-studio"
    return {path: path.read_bytes() for path in home.rglob("*") if path.is_file() and "studio.db" not in path.name}


def test_the_lines_of_every_step_do_the_same_in_a_shell(studio):
    folder, place = studio.studio.folder, studio.studio.queue.place_of
    columns = {"use:rider id": "user", "use:t": "t", "use:lon": "lon", "use:lat": "lat"}
    assert studio.post("/data", {"kind": "file", "source": "trips; 5 % 'of' $HOME.csv", **columns}).status == 303
    job = finished(studio, 1)
    printed = [shell(studio, line) for line in shown(studio.get("/data"))]
    assert len(printed) == len(job.commands) == 2
    assert (folder / "data-1-clean.parquet").read_bytes() == (
        folder / "incrowd-studio/data/1/clean.parquet"
    ).read_bytes()
    said = [(place(job) / str(step) / "stdout").read_text() for step in (0, 1)]
    assert [text.splitlines()[0] for text in printed] == [text.splitlines()[0] for text in said]

    view = studio.get("/risk/view?points=2&cell_m=1000&slot_min=60")
    uniqueness, exposure = shown(view)[:2]
    told = re.findall(r"drop +([\d.]+) %", shell(studio, uniqueness))
    seen = re.findall(r'<td class="r num">(?:<b>)?([\d.]+)', view.text)
    assert [*map(float, seen)] == pytest.approx([*map(float, told)], abs=0.051)
    shell(studio, exposure)
    assert (folder / "data-1-map.svg").read_text().count("<svg") == 1
    shell(studio, exposure.replace("map.svg", "map.geojson"))
    squares = json.loads(studio.get("/risk/map.json?points=2&cell_m=1000&slot_min=60").text)["squares"]
    mapped = json.loads((folder / "data-1-map.geojson").read_text())["features"]
    assert len([one for one in mapped if one["geometry"]["type"] == "Polygon"]) >= len(squares) > 0

    studio.post("/protect/run", {"method": "generalize", "cell_m": 2000, "slot_min": 120})
    job, before = finished(studio, 2), files(studio)
    printed = [shell(studio, line) for line in shown(studio.get("/protect"))]
    said = [(place(job) / str(step) / "stdout").read_text() for step in (0, 1, 2)]
    assert [text.splitlines()[0] for text in printed] == [text.splitlines()[0] for text in said]
    assert len(shown(studio.get("/release?run=2"))) == 2
    for line in shown(studio.get("/release?run=2")):
        shell(studio, line)
    assert (folder / "run-2-release.assessment.json").exists()
    assert files(studio) == before
