"""No GPU is needed here: what the last `make gpu` has seen must be what is in the tree."""

import json
from pathlib import Path

from gpu.parity import CASES
from incrowd.kernels.gpu.source import digest

RECEIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "gpu_receipt.json"


def test_the_gpu_sources_are_those_that_passed():
    receipt = json.loads(RECEIPT.read_text())
    assert receipt["sources"] == digest(), "the GPU sources changed after the receipt; run: make gpu"


def test_everything_passed_there():
    receipt = json.loads(RECEIPT.read_text())
    counts = {name: receipt["parity"][name] for name in ("passed", "skipped", "failed")}
    assert counts == {"passed": len(CASES), "skipped": 0, "failed": 0}, "the suite changed; run: make gpu"
    small = sum(case.small for case in CASES.values())
    for tool in ("memcheck", "racecheck"):
        assert receipt[tool] == {"errors": 0, "passed": small, "failed": 0}, "the suite changed; run: make gpu"
