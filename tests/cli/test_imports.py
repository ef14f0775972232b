"""A command imports what it needs: neither other commands nor the steps that they take."""

import json
import subprocess
import sys

import pytest

RUN = """
import json, sys
from incrowd.cli import main
try:
    main()
except SystemExit:
    pass
sys.stderr.write(json.dumps([name for name in sys.modules if name.startswith("incrowd.")]))
"""
STEPS = {"read", "clean", "discretize", "measure", "anonymize", "attack", "audit", "assess", "report", "papers", "gate"}


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        ("--help", set()),
        ("measure --help", set()),
        ("measure uniqueness --help", {"read", "clean", "discretize", "measure"}),
        ("anonymize glove --help", {"read", "clean", "discretize", "measure", "anonymize"}),
    ],
)
def test_a_command_imports_no_other(words, steps):
    done = subprocess.run([sys.executable, "-c", RUN, *words.split()], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stderr))
    assert "Usage: " in done.stdout and "incrowd.cli.app" in loaded and "incrowd.web" not in loaded
    assert {step for step in STEPS if f"incrowd.{step}" in loaded} == steps
