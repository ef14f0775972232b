"""No GPU is needed here: what the last `make gpu` has seen must be what is in the tree."""

import json
from pathlib import Path

from gpu.cases import CASES
from incrowd.kernels.gpu.source import digest

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
RECEIPT = RESULTS / "gpu_receipt.json"


def test_the_gpu_sources_are_those_that_passed():
    receipt = json.loads(RECEIPT.read_text())
    assert receipt["sources"] == digest(), "the GPU sources changed after the receipt; run: make gpu"


def test_everything_passed_there():
    receipt = json.loads(RECEIPT.read_text())
    counts = {name: receipt["parity"][name] for name in ("passed", "skipped", "failed")}
    assert counts == {"passed": len(CASES), "skipped": 0, "failed": 0}, "the suite changed; run: make gpu"
    small = sum(case.small for case in CASES.values())
    assert small >= len(CASES) / 2
    for tool in ("memcheck", "racecheck"):
        assert receipt[tool] == {"errors": 0, "passed": small, "failed": 0}, "the suite changed; run: make gpu"


def test_the_timings_are_those_of_the_same_sources():
    lines = [json.loads(line) for line in (RESULTS / "gpu.jsonl").read_text().splitlines()]
    assert lines and {line["sources"] for line in lines} == {digest()}, (
        "the GPU sources changed after them; run: make gpu"
    )
