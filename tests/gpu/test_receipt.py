"""No GPU is needed here: what the last `make gpu` has seen must be what is in the tree."""

import json
from pathlib import Path

from incrowd.kernels.gpu.source import digest

RECEIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "gpu_receipt.json"


def test_the_gpu_sources_are_those_that_passed():
    receipt = json.loads(RECEIPT.read_text())
    assert receipt["sources"] == digest(), "the GPU sources changed after the receipt; run: make gpu"


def test_everything_passed_there():
    receipt = json.loads(RECEIPT.read_text())
    assert receipt["parity"]["failed"] == 0 and receipt["parity"]["passed"] > 100
    for tool in ("memcheck", "racecheck"):
        assert receipt[tool]["errors"] == receipt[tool]["failed"] == 0 and receipt[tool]["passed"] > 20
