"""What the suite and the checkers have seen -> a receipt: `python3 -m gpu.receipt FOLDER RECEIPT.json`."""

import json
import re
import sys
from pathlib import Path

from incrowd.kernels.gpu.source import digest


def main() -> None:
    folder, path = map(Path, sys.argv[1:3])
    parity = json.loads((folder / "parity.json").read_text())
    receipt = {"sources": digest(), "device": parity.pop("device"), "parity": parity}
    if parity.pop("sources") != receipt["sources"]:
        sys.exit("the sources changed while the suite ran; run it again.")
    for tool in ("memcheck", "racecheck"):
        log, counts = folder / f"{tool}.log", folder / f"{tool}.json"
        # Both end with a line of their own: so many errors, or so many hazards.
        found = re.findall(r"SUMMARY: (\d+)", log.read_text()) if log.exists() else []
        if found and counts.exists():
            seen = json.loads(counts.read_text())
            receipt[tool] = {"errors": int(found[-1]), "passed": seen["passed"], "failed": seen["failed"]}
    path.write_text(json.dumps(receipt, indent=1) + "\n")
    print(path.read_text())


if __name__ == "__main__":
    main()
