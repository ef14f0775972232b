"""The example notebooks are stored with outputs, and these are what they show when run from top to bottom."""

import json

import pytest

from notebooks import NOTEBOOKS, cells, run, steady

each = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_are_two():
    assert [path.stem for path in NOTEBOOKS] == ["release", "risk"]


@each
def test_it_is_a_notebook_that_was_run_in_order(notebook):
    whole = json.loads(notebook.read_text(encoding="utf-8"))
    assert (whole["nbformat"], whole["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in whole["cells"]}) == len(whole["cells"])
    counts = [cell["execution_count"] for cell in cells(notebook, "code")]
    assert counts == list(range(1, len(counts) + 1)) and cells(notebook, "markdown")


@each
def test_it_shows_what_is_stored(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    stored = [cell["outputs"] for cell in cells(notebook, "code")]
    assert steady(run(notebook)) == steady(stored), "run: python tests/notebooks.py"
    assert steady(stored).count("<table") > 2  # results show as tables
