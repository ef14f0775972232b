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
    assert len(path.read_text().splitlines()) <= 400


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
