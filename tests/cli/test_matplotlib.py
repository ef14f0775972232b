"""Commands that draw nothing load no matplotlib."""

import subprocess
import sys

import pytest

import incrowd as ic

RUN = """
import sys
from incrowd.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
assert "incrowd.cli" in sys.modules and "matplotlib" not in sys.modules
"""
IMPORT = """
import importlib, pkgutil, sys
from importlib.util import find_spec
import incrowd.cli, incrowd.papers, incrowd.report
for package in (incrowd.cli, incrowd.papers, incrowd.report):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if module.name != "incrowd.cli.on_spark" or find_spec("pyspark"):
            importlib.import_module(module.name)
assert "incrowd.report.style" in sys.modules and "matplotlib" not in sys.modules
"""
COMMANDS = (
    "inspect trips.csv",
    "measure uniqueness visits.parquet",
    "measure kgap trips.csv",
    "measure sweep trips.csv --blocks 2 --minutes 60 --points 1 --samples 10",
    "anonymize cut visits.parquet --plan --windows-h 1,2 --target 0.5",
    "anonymize glove trips.csv -o glove",
    "attack ash trips.csv --slot-min 60",
    "attack relink release",
    "attack link visits.parquet visits.parquet",
    "attack home-work visits.parquet",
    "assess visits.parquet --budget 60s --estimate",
    "compare trips.csv --methods generalize --target k=2",
    "audit release",
)


def run(code, *words, folder):
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def folder(trips, tmp_path):
    """Trajectories, visits, and a release of them."""
    visits = ic.discretize.grid(trips, cell_m=500, slot_min=60)
    visits.save(tmp_path / "visits.parquet")
    ic.anonymize.publish(ic.anonymize.Cut(window_h=2)(visits), tmp_path / "release")
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_draws_nothing_loads_no_matplotlib(folder, command):
    run(RUN, *command.split(), folder=folder)


def test_no_module_loads_matplotlib_before_it_draws(tmp_path):
    run(IMPORT, folder=tmp_path)


def test_a_page_is_drawn_with_it(folder):
    code = RUN.replace('"matplotlib" not in', '"matplotlib" in')
    words = "measure sweep trips.csv --blocks 2,4,8 --minutes 20,60 --points 1,2 --samples 10 --report page.html"
    run(code, *words.split(), folder=folder)
