"""What every paper has in common."""

import inspect
import json
import re
import runpy
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import incrowd as ic
from incrowd.papers import PAPERS, Reproduction, mohammed2009, reproduce, save
from incrowd.papers.record import SOURCE

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("key", PAPERS)
def test_every_paper_has_the_common_signature(key):
    parameters = inspect.signature(import_module(f"incrowd.papers.{key}").reproduce).parameters
    data, *options = parameters.values()
    assert data.default is None and PAPERS[key].takes in str(data.annotation)
    assert all(option.kind is option.KEYWORD_ONLY for option in options)
    assert {"name", "quick", "seed"} <= set(parameters) and key in SOURCE and PAPERS[key].key == key


def test_the_library_and_the_shell_call_papers_alike():
    assert ic.papers.song2014.reproduce is import_module("incrowd.papers.song2014").reproduce
    with pytest.raises(ic.ParameterError, match="unknown paper 'song2015'; choose from song2014, tan2017"):
        ic.papers.reproduce("song2015")
    with pytest.raises(ic.ParameterError, match="song2014 takes no option 'sensitive'; leave it out"):
        ic.papers.reproduce("song2014", sensitive="age")
    with pytest.raises(ic.ParameterError, match=r"reproduce\(\) got an unexpected option 'fast'; "):
        ic.papers.reproduce("song2014", fast=True)
    with pytest.raises(ic.DataError, match="reproduce needs Visits"):
        ic.papers.reproduce("song2014", [1, 2])


def test_a_reproduction_prints_how_many_statements_agree():
    result = reproduce("mohammed2009", quick=True)
    printed = "on its printed example of 8 patients; the experiments are on a synthetic city, 300 users"
    assert str(result) == f"mohammed2009: 15 of 16 statements agree, 1 differs ({printed})"
    table = result.to_arrow()
    assert table.column_names == ["where", "what", "theirs", "ours", "verdict", "why"] and len(table) == 16
    assert str(result.figures[0]) == "14 of 14 printed numbers are reproduced.\n(mohammed2009, 8 users)"


def test_the_registry_loads_nothing_heavy():
    code = "import sys, incrowd.papers; print([m for m in ('matplotlib', 'numba', 'scipy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_running_example_is_a_reproduction(tmp_path):
    found = reproduce("mohammed2009", quick=True)
    assert isinstance(found, Reproduction) and found.users == 300
    assert [s.verdict for s in found.statements].count("agrees") == len(found.statements) - 1 == 15
    loose = found.statements[-1]
    assert loose.ours == "b2 d3 c4 c5 or d3 c4 c5 f6" and loose.why == "other pairs do as well"
    names = {path.name for path in save(found, tmp_path / "out").iterdir()}
    assert {"lkc-cost.json", "lkc-cost-1.svg", "report.html", "statements.json"} <= names


def test_experiments_take_a_typical_day():
    visits = mohammed2009.table_1()
    found = mohammed2009.reproduce(visits, quick=True, sensitive="diagnosis")
    assert found.users == 8 and found.others[0].sensitive == "diagnosis"


def test_the_page_of_papers_is_fresh_and_says_where_it_came_from():
    script = ROOT / "scripts" / "paper_docs.py"
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    assert made == (ROOT / "docs" / "papers.md").read_text(), "run: make docs"
    stored = json.loads((ROOT / "docs" / "papers.json").read_text())
    assert {one["paper"] for one in stored.values()} <= set(PAPERS)
    chapters = re.split(r"\n## ", made)[1:]
    assert len(chapters) == len(stored) and all(
        "From `incrowd papers " in one and "--seed 0`" in one for one in chapters
    )


def test_the_page_can_be_made_of_a_file(tmp_path):
    trips = tmp_path / "trips.csv"
    trips.write_text("user,t,lon,lat\na,0,5,52\na,60,5,52.1\nb,0,5,52\n")
    script = runpy.run_path(str(ROOT / "scripts" / "paper_docs.py"))
    found = script["noun_of"](PAPERS["tan2017"], [str(trips)], script["ReadingOptions"]())
    assert found.records == 3
