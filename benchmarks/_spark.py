"""How time and memory grow on Spark, with the extra spark: python -m benchmarks._spark RECORDS [PEOPLE].

Spark makes the records itself: over 14 days, around a home, 100 a person if PEOPLE are not given. Two executors of one
core are processes of their own. Seconds of processors are those of the whole tree of processes; memory is the peak of
the largest process of its kind, sampled five times a second.
"""

import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from incrowd.anonymize import Cut
from incrowd.spark import grid, release, session, uniqueness

DAYS = 14
BEGIN = 1_700_000_000 // 86_400 * 86_400
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.executor.cores": "1",
    "spark.executor.memoryOverhead": "1g",  # the number of blocks follows from it
    "spark.ui.showConsoleProgress": "false",
}


def make(spark: SparkSession, records: int, people: int, path: Path) -> None:
    """Write that many records as Parquet, people and times mixed."""
    number = F.col("id")
    user = F.pmod(number, F.lit(people))
    home = [(F.pmod(F.xxhash64(user, F.lit(axis)), F.lit(10_000)) / 10_000.0 - 0.5) * 0.6 for axis in (1, 2)]
    stray = [(F.pmod(F.xxhash64(number, F.lit(axis)), F.lit(10_000)) / 10_000.0 - 0.5) * 0.05 for axis in (3, 4)]
    spark.range(records).select(
        F.concat(F.lit("person "), user.cast("string")).alias("user"),
        (F.lit(BEGIN) + F.pmod(F.xxhash64(number, F.lit(5)), F.lit(DAYS * 86_400))).alias("t"),
        (F.lit(5.0) + home[0] + stray[0]).alias("lon"),
        (F.lit(52.0) + home[1] + stray[1]).alias("lat"),
    ).write.parquet(path.as_uri())


@contextmanager
def measured(what: str) -> Iterator[None]:
    """Print seconds, seconds of processors and peak memory of what runs inside, as a line of JSON."""
    stop, peaks = threading.Event(), dict.fromkeys(("task", "executor", "driver", "driver_jvm"), 0.0)
    driver = psutil.Process(os.getpid())

    def watch() -> None:
        while not stop.wait(0.2):
            for process in [driver, *driver.children(recursive=True)]:
                try:
                    kind, mib = _kind(process, driver), process.memory_info().rss / 2**20
                except psutil.Error:
                    continue
                peaks[kind] = max(peaks[kind], mib)

    began, worked, watcher = time.perf_counter(), _cpu(driver), threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()
    spent = {"seconds": time.perf_counter() - began, "cpu_s": _cpu(driver) - worked, "load": os.getloadavg()[0]}
    rounded = {name: round(value, 1) for name, value in spent.items()}
    mib = {f"{name}_mib": round(value) for name, value in peaks.items()}
    print(json.dumps({"what": what, **rounded, **mib}), flush=True)


def _kind(process: psutil.Process, driver: psutil.Process) -> str:
    """What a process of the tree is: Python of a task or of the driver, or the JVM of an executor or of the driver."""
    if process.pid == driver.pid:
        return "driver"
    if process.name() != "java":
        return "task"
    return "executor" if "CoarseGrainedExecutorBackend" in " ".join(process.cmdline()) else "driver_jvm"


def _cpu(driver: psutil.Process) -> float:
    """Seconds of processors of the tree so far, those of finished workers too, which their parents count."""
    total = 0.0
    for process in [driver, *driver.children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def main(records: int, people: int) -> None:
    import pyspark

    folder = Path(tempfile.mkdtemp(prefix="incrowd-scale-"))
    spark = session("local-cluster[2,1,1024]", {**SETTINGS, "spark.local.dir": str(folder)})
    own = Path(pyspark.__file__).parent / "work" / spark.sparkContext.applicationId  # a local cluster writes there
    path, points = folder / "records", min(4, records // people)
    try:
        with measured("make"):
            make(spark, records, people, path)
        with measured("grid"):
            blocks = grid(spark, path, cell_m=500, slot_min=60)
        with measured(f"uniqueness of {points}"):
            answer = uniqueness(blocks, points=points)
        with measured("cut, written"):
            release(blocks, Cut(), folder / "release")
        print(json.dumps({"blocks": repr(blocks), "uniqueness": str(answer)}), flush=True)
    finally:
        spark.stop()
        shutil.rmtree(folder)
        shutil.rmtree(own, ignore_errors=True)


if __name__ == "__main__":
    size = int(sys.argv[1])
    main(size, int(sys.argv[2]) if len(sys.argv) > 2 else size // 100)
