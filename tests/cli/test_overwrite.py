"""No command writes over what it reads."""

import pytest

from incrowd.cli.reading import refuse_own_input
from incrowd.errors import ParameterError

REFUSED = "would overwrite its own input"
COMMANDS = {
    "clean": ["clean"],
    "discretize": ["discretize"],
    "read": ["read"],
    "report": ["report"],
    "assess": ["assess"],
    "compare": ["compare"],
    "generalize": ["anonymize", "generalize"],
    "sweep": ["measure", "sweep"],
    "ash": ["attack", "ash"],
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_an_output_that_is_the_source_is_refused(incrowd, trips, words):
    before = trips.read_bytes()
    code, out, err = incrowd(*words, trips, "-o", trips, "--force")
    assert code == 2 and f"--output trips.csv {REFUSED}" in err and not out
    assert trips.read_bytes() == before


def test_by_another_name(incrowd, trips, tmp_path):
    (tmp_path / "alias.csv").symlink_to(trips)
    (tmp_path / "deep").mkdir()
    before = trips.read_bytes()
    for other in (tmp_path / "alias.csv", tmp_path / "deep" / ".." / "trips.csv"):
        code, _, err = incrowd("clean", trips, "-o", other, "--force")
        assert code == 2 and REFUSED in err and trips.read_bytes() == before


def test_in_a_folder_or_a_glob(incrowd, trips, tmp_path):
    before = trips.read_bytes()
    for source in (tmp_path, tmp_path / "tri*.csv", tmp_path / "**" / "*.csv"):
        code, _, err = incrowd("clean", source, "-o", trips, "--force")
        assert code == 2 and REFUSED in err and trips.read_bytes() == before
    assert incrowd("clean", tmp_path, "-o", tmp_path / "new.parquet", "--steps", "duplicates")[0] == 0


def test_side_files_and_link_files(incrowd, trips, tmp_path):
    before = trips.read_bytes()
    code, _, err = incrowd("clean", trips, "-o", tmp_path / "new.parquet", "--bad-rows", trips)
    assert code == 2 and f"--bad-rows trips.csv {REFUSED}" in err
    words = ("anonymize", "generalize", trips, "-o", tmp_path / "rel", "--keep-link", trips, "--force")
    code, _, err = incrowd(*words)
    assert code == 2 and f"--keep-link trips.csv {REFUSED}" in err and trips.read_bytes() == before
    code, _, err = incrowd("papers", "mohammed2009", "--data", trips, "--report", trips, "--force")
    assert code == 2 and f"--report trips.csv {REFUSED}" in err and trips.read_bytes() == before


def test_what_is_read_beside_the_sources_is_safe_too(tmp_path):
    towers, release = tmp_path / "towers.csv", tmp_path / "rel"
    release.mkdir()
    for path in (towers, release / "data.parquet", release / "page.html", tmp_path / "link.csv"):
        path.write_text("")
    asked = {"sources": ["trips.csv"], "release": release, "towers": towers, "link": tmp_path / "link.csv"}
    for output in (towers, release / "data.parquet", tmp_path / "link.csv"):
        with pytest.raises(ParameterError, match=REFUSED):
            refuse_own_input({**asked, "output": output})
    refuse_own_input({**asked, "output": release / "page.html"})
    refuse_own_input({"sources": ["counts.csv"], "cells": towers})  # written: an older one is no input
    cells = {"sources": ["counts.csv"], "cells": towers, "output": towers}
    with pytest.raises(ParameterError, match=REFUSED):
        refuse_own_input({**cells, "truth": None})


def test_a_release_is_not_replaced_by_what_is_made_of_it(incrowd, trips, tmp_path):
    words = ("anonymize", "generalize", "--cell-m", 5000)
    code, _, err = incrowd(*words, trips, "-o", tmp_path / "rel")
    assert code == 0, err
    held = sorted((tmp_path / "rel").iterdir())
    code, _, err = incrowd(*words, tmp_path / "rel" / "data.parquet", "-o", tmp_path / "rel", "--force")
    assert code == 2 and REFUSED in err and sorted((tmp_path / "rel").iterdir()) == held


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (("attack", "ash"), ("--output", "--bad-rows")),
        (("attack", "ash"), ("--recovered", "--bad-rows")),
        (("attack", "home-work"), ("--report", "--bad-rows")),
        (("assess",), ("--output", "--bad-rows")),
        (("anonymize", "generalize", "-o", "rel"), ("--keep-link", "--bad-rows")),
        (("report",), ("--output", "--bad-rows")),
    ],
)
def test_two_outputs_of_one_name_are_refused_before_the_work(incrowd, trips, tmp_path, monkeypatch, words, options):
    monkeypatch.chdir(tmp_path)
    code, out, err = incrowd(*words, trips, options[0], "same.csv", options[1], "./same.csv")
    assert code == 2 and "name the same file; choose two" in err and not out
    assert [path.name for path in tmp_path.iterdir()] == ["trips.csv"]
