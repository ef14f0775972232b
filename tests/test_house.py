"""The claims about the project, as tests."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import incrowd as ic

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src" / "incrowd").rglob("*.py"))


def test_all_is_what_a_user_sees():
    assert ic.__all__ == sorted(ic.__all__)
    assert all(getattr(ic, name) is not None for name in ic.__all__)


def test_importing_loads_numpy_only():
    heavy = (
        "numba",
        "scipy",
        "pyarrow",
        "duckdb",
        "pyproj",
        "matplotlib",
        "typer",
        "rich",
        "jinja2",
        "pandas",
        "polars",
    )
    code = f"import sys, json, incrowd; print(json.dumps([m for m in {heavy!r} if m in sys.modules]))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert json.loads(loaded) == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_files_stay_small(path):
    assert len(path.read_text().splitlines()) <= 300


def test_a_class_name_has_one_meaning():
    # kernels/{reference,cpu,gpu} may repeat a name: the same thing for another device
    homes = {}
    for path in SOURCES:
        parts = path.relative_to(ROOT / "src" / "incrowd").parts
        home = ("kernels", *parts[2:]) if parts[0] == "kernels" else parts
        for name in re.findall(r"^class _?(\w+)", path.read_text(), re.MULTILINE):
            homes.setdefault(name, set()).add(home)
    assert len(homes) > 100 and {name: where for name, where in homes.items() if len(where) > 1} == {}


def spelled(text):
    """The files of the package that hold a text."""
    return [path.relative_to(ROOT / "src" / "incrowd").as_posix() for path in SOURCES if text in path.read_text()]


def test_the_name_of_the_manifest_is_spelled_once_and_once_in_the_audit():
    assert spelled('"manifest.json"') == ["audit/reading/published.py", "data/release_folder.py"]


def test_the_seconds_and_minutes_of_a_day_are_named_once():
    named = re.compile(r"^[A-Z_]+ = (86_?400|1_?440|3_?600)\b", re.MULTILINE)
    assert [path.name for path in SOURCES if named.search(path.read_text())] == ["clock.py"]


def test_only_threads_counts_the_cores():
    assert spelled("cpu_count") == ["threads.py"]


def test_every_citation_is_in_the_bibliography():
    known = set(re.findall(r"@\w+\{(\w+),", (ROOT / "docs" / "references.bib").read_text()))
    cited = {key for path in SOURCES for key in re.findall(r"\[([a-z]+\d{4})[,\]]", path.read_text())}
    assert cited and cited <= known


def test_no_assert_guards_input():
    # assert disappears under -O; the few left narrow types for the checker
    count = sum(len(re.findall(r"^\s+assert ", path.read_text(), re.MULTILINE)) for path in SOURCES)
    assert count <= 5


def test_the_command_line_page_is_fresh():
    made = subprocess.run(
        [sys.executable, ROOT / "scripts" / "cli_docs.py"], capture_output=True, text=True, check=True
    ).stdout
    assert made == (ROOT / "docs" / "cli.md").read_text(), "run: make docs"


def test_the_lock_file_names_the_public_index_only():
    hosts = set(re.findall(r"https?://([^/\"]+)", (ROOT / "uv.lock").read_text()))
    assert hosts == {"pypi.org", "files.pythonhosted.org"}
