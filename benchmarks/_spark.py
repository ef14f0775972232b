"""How time and memory grow on Spark, with the extra spark: python -m benchmarks._spark 1000000 10000000 (records).

Spark makes the records itself: 100 a person over 14 days, around a home. Seconds of processors and memory are those of
the whole tree of processes; peaks are sampled five times a second.
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

PER_PERSON, DAYS = 100, 14
BEGIN = 1_700_000_000 // 86_400 * 86_400


def make(spark: SparkSession, records: int, path: Path) -> None:
    """Write that many records as Parquet, in the order of time."""
    people = records // PER_PERSON
    number = F.col("id")
    user = F.pmod(F.xxhash64(number), F.lit(people))
    home = [(F.pmod(F.xxhash64(user, F.lit(axis)), F.lit(10_000)) / 10_000.0 - 0.5) * 0.6 for axis in (1, 2)]
    stray = [(F.pmod(F.xxhash64(number, F.lit(axis)), F.lit(10_000)) / 10_000.0 - 0.5) * 0.05 for axis in (3, 4)]
    spark.range(records).select(
        F.concat(F.lit("person "), user.cast("string")).alias("user"),
        (F.lit(BEGIN) + (number * (DAYS * 86_400 / records)).cast("long")).alias("t"),
        (F.lit(5.0) + home[0] + stray[0]).alias("lon"),
        (F.lit(52.0) + home[1] + stray[1]).alias("lat"),
    ).write.parquet(path.as_uri())


@contextmanager
def measured(what: str, records: int) -> Iterator[None]:
    """Print seconds, seconds of processors and peak memory of what runs inside, as a line of JSON."""
    stop, peaks = threading.Event(), {"python_task_mib": 0.0, "jvm_mib": 0.0, "driver_mib": 0.0}
    driver = psutil.Process(os.getpid())

    def watch() -> None:
        while not stop.wait(0.2):
            for process in driver.children(recursive=True):
                try:
                    mib, java = process.memory_info().rss / 2**20, process.name() == "java"
                except psutil.Error:
                    continue
                name = "jvm_mib" if java else "python_task_mib"
                peaks[name] = max(peaks[name], mib)
            peaks["driver_mib"] = max(peaks["driver_mib"], driver.memory_info().rss / 2**20)

    began, worked, watcher = time.perf_counter(), _cpu(driver), threading.Thread(target=watch)
    watcher.start()
    yield
    stop.set()
    watcher.join()
    spent = {"seconds": time.perf_counter() - began, "cpu_s": _cpu(driver) - worked, "load": os.getloadavg()[0]}
    rounded = {name: round(value, 1) for name, value in (spent | peaks).items()}
    print(json.dumps({"what": what, "records": records, **rounded}), flush=True)


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


def main(sizes: list[int]) -> None:
    spark = session("local[2]", {"spark.driver.memory": "1g", "spark.ui.showConsoleProgress": "false"})
    folder = Path(tempfile.mkdtemp(prefix="incrowd-scale-"))
    try:
        for records in sizes:
            path = folder / f"{records}"
            make(spark, records, path)
            with measured("grid", records):
                blocks = grid(spark, path, cell_m=500, slot_min=60)
            with measured("uniqueness", records):
                uniqueness(blocks, points=4)
            with measured("cut", records):
                release(blocks, Cut(), folder / f"{records}-release")
            print(json.dumps({"blocks": repr(blocks)}), flush=True)
            blocks.unpersist()
    finally:
        spark.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]])
