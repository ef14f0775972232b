"""The parity suite without pytest: `python3 -m gpu.run [--small] [RESULT.json] [BEGINNING OF A CASE]...`."""

import json
import sys
import time
import traceback
from pathlib import Path

from incrowd.kernels.gpu.device import missing, name
from incrowd.kernels.gpu.source import digest


def main() -> int:
    small = "--small" in sys.argv
    wanted = tuple(a for a in sys.argv[1:] if a != "--small" and not a.endswith(".json"))
    counts = {"passed": 0, "skipped": 0, "failed": 0}
    began, slow, failed = time.perf_counter(), [], []
    if missing():
        print(missing())
        return 1
    if small:
        import cupy

        cupy.cuda.set_allocator(None)  # every array its own allocation, so that a checker sees its ends
    from gpu.cases import CASES

    for case, run in CASES.items():
        if (small and not run.small) or (wanted and not case.startswith(wanted)):
            counts["skipped"] += 1
            continue
        start = time.perf_counter()
        try:
            run()
            counts["passed"] += 1
        except Exception:
            counts["failed"] += 1
            failed.append(case)
            if len(failed) <= 5:
                print(f"--- {case}")
                traceback.print_exc(limit=-6)
        slow.append((time.perf_counter() - start, case))
    print("slowest:", ", ".join(f"{case} {s:.1f} s" for s, case in sorted(slow, reverse=True)[:6]))
    if failed:
        print("failed:", ", ".join(failed))
    result = {"device": name(), "sources": digest(), "seconds": round(time.perf_counter() - began, 1), **counts}
    print(json.dumps(result), flush=True)
    for path in [a for a in sys.argv[1:] if a.endswith(".json")]:
        Path(path).write_text(json.dumps(result))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
