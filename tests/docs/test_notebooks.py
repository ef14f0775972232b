"""The example notebooks are stored without outputs and run from top to bottom, as plain Python."""

import ast
import json

import pytest

from pages import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def cells(notebook, kind):
    found = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == kind]


def shown(source, names, where):
    """Run a cell; the value of its last line if that is an expression, as a notebook would show it."""
    tree = ast.parse(source, where)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), where, "eval"), names)


def test_there_are_two():
    assert [path.stem for path in NOTEBOOKS] == ["release", "risk"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_stored_without_outputs(notebook):
    whole = json.loads(notebook.read_text(encoding="utf-8"))
    assert (whole["nbformat"], whole["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in whole["cells"]}) == len(whole["cells"])
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(notebook, "code"))
    assert cells(notebook, "markdown")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names = {"__name__": "__main__"}
    tables = 0
    for number, cell in enumerate(cells(notebook, "code")):
        value = shown("".join(cell["source"]), names, f"{notebook.name}, code cell {number}")
        if hasattr(value, "_repr_html_"):
            tables += "<table" in value._repr_html_()
        else:
            repr(value)
    assert tables > 2  # results show as tables
