"""docs/gate.md lists every key of incrowd.toml as the code has it."""

import subprocess
import sys

from incrowd.gate.keys import METHODS, TABLES, keys
from pages import ROOT

PAGE = ROOT / "docs" / "gate.md"


def test_the_page_of_the_gate_is_fresh():
    made = subprocess.run(
        [sys.executable, ROOT / "scripts" / "gate_docs.py"], capture_output=True, text=True, check=True
    )
    assert made.stdout == PAGE.read_text(), "run: make docs"


def test_every_key_is_on_the_page():
    text = PAGE.read_text()
    for table in TABLES:
        assert f"### [{table}]\n" in text
        names = {name for method in METHODS for name in keys(table, method)}
        assert names and all(f"| `{name}` |" in text for name in names), table
