"""Run the example notebooks as plain Python; as a program, store what their cells show: python tests/notebooks.py."""

import ast
import contextlib
import io
import json
import re
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
# How long something took and where, and how far fresh pseudonyms are from the order of the labels.
CHANGES = re.compile(r"(?:less than )?(?<![\w.])\d[\d,.]* (?:s|min)\b(?: on [^<;)\n]*)?|\|z\| = [^,]*")


def cells(notebook: Path, kind: str) -> list[dict[str, Any]]:
    found = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == kind]


def run(notebook: Path) -> list[list[dict[str, Any]]]:
    """The outputs of each code cell, as Jupyter stores them."""
    names = {"__name__": "__main__"}
    sources = ["".join(cell["source"]) for cell in cells(notebook, "code")]
    return [_outputs(source, names, f"{notebook.name}, code cell {n}", n) for n, source in enumerate(sources, start=1)]


def _outputs(source: str, names: dict[str, Any], where: str, number: int) -> list[dict[str, Any]]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        value = _value(source, names, where)
    said = (
        [{"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())}] if printed.getvalue() else []
    )
    if value is None:
        return said
    data = {"text/plain": _lines(repr(value))}
    if hasattr(value, "_repr_html_"):
        data = {"text/html": _lines(value._repr_html_()), **data}
    return [*said, {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}]


def _value(source: str, names: dict[str, Any], where: str) -> Any:
    """What the last line of a cell evaluates to, if it is an expression."""
    tree = ast.parse(source, where)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), where, "eval"), names)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def steady(outputs: list[Any]) -> str:
    """Outputs without what differs from run to run."""
    return CHANGES.sub("…", json.dumps(outputs, indent=1, ensure_ascii=False))


def renew(notebook: Path) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        made = run(notebook)
    whole = json.loads(notebook.read_text(encoding="utf-8"))
    code = [cell for cell in whole["cells"] if cell["cell_type"] == "code"]
    for number, (cell, outputs) in enumerate(zip(code, made, strict=True), start=1):
        cell |= {"execution_count": number, "outputs": outputs}
    notebook.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for each in NOTEBOOKS:
        renew(each)
