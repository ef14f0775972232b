"""The Spark session that incrowd needs: its settings, and what must hold on every executor."""

import os
import pickle
import platform
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from math import ceil
from typing import Any
from weakref import WeakSet

from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession

from incrowd import errors
from incrowd.errors import DataError, IncrowdWarning, ParameterError, public

MEMORY = "spark.executor.memoryOverhead"
RECORD_BYTES = 200  # of the memory of Python that a task takes per record of its block,
LIBRARIES_BYTES = 192 * 2**20  # beside what it takes for nothing
JVM_BYTES = 512 * 2**20  # that the JVM of an executor takes beside its heap, where that counts (docs/scale.md)
UNEVEN = 1.25  # the largest block beside the mean: users are dealt by the hash of their label, and differ in records
SETTINGS = {
    # A task is a block or a shard: Spark may not put two into one.
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    # A time without an offset is none in UTC, and a file is read whole or not at all.
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.legacy.parquet.nanosAsLong": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
}
AT_START = {
    "spark.io.encryption.enabled": "true",  # shuffle and cache files hold records
    "spark.driver.maxResultSize": "0",  # what the driver holds grows with the number of people
    "spark.ui.enabled": "false",
}
SPARK_ERRORS = PySparkException, Py4JJavaError
_CONTAINERS = ("yarn", "k8s")  # masters that end an executor whose Python outgrows its overhead
_ERROR = re.compile(r"incrowd\.errors\.(DataError|ParameterError|MissingExtra): (.+)")
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")
_checked: "WeakSet[SparkSession]" = WeakSet()


@public
def session(master: str | None = None, settings: dict[str, str] | None = None) -> SparkSession:
    """A Spark session with the settings that incrowd needs; one that runs already keeps its own.

    Args:
        master: Address of the cluster, such as spark://host:7077, yarn or local[4]. [default: as spark-submit says, or
            this machine]
        settings: Further settings of Spark by name; they take precedence.
    """
    os.environ.setdefault("PYSPARK_PYTHON", (settings or {}).get("spark.pyspark.python", sys.executable))
    builder = SparkSession.builder.appName("incrowd")
    if master is not None:
        builder = builder.master(master)
    for name, value in {**SETTINGS, **AT_START, **(settings or {})}.items():
        builder = builder.config(name, value)
    try:
        spark = builder.getOrCreate()
    except (*SPARK_ERRORS, RuntimeError, OSError) as error:
        raise ParameterError(
            f"Spark does not start ({type(error).__name__}); it needs Java 17 or newer (JAVA_HOME) and a master that "
            "answers."
        ) from error
    check_session(spark)
    return spark


def check_session(spark: SparkSession) -> None:
    """Make the settings, and refuse, once per session, a cluster on which results could differ from those of here."""
    if type(spark).__module__.startswith("pyspark.sql.connect"):
        raise ParameterError(
            "this is a Spark Connect session, which has no sparkContext and hence no broadcast; use a classic session "
            "(on Databricks: dedicated access mode)."
        )
    if not isinstance(spark, SparkSession):
        what = type(spark).__name__
        raise ParameterError(f"a Spark session comes first, got a {what}; make one with ic.spark.session().")
    if getattr(spark.sparkContext, "_jsc", None) is None:
        raise ParameterError("this Spark session was stopped; make another with ic.spark.session().")
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    if spark in _checked:
        return
    if spark.sparkContext.getConf().get("spark.io.encryption.enabled", "false") != "true":
        warnings.warn(
            "spark.io.encryption.enabled is not set, so Spark writes records to its local disks as they are; set it "
            "when the session is made.",
            IncrowdWarning,
            stacklevel=3,
        )
    _check_versions(spark)
    _checked.add(spark)


def versions() -> dict[str, str]:
    """What results depend on, by name."""
    import pyproj

    packages = {name: version(name) for name in ("incrowd", "numpy", "numba", "pyproj", "pyarrow", "duckdb")}
    return {"Python": platform.python_version(), **packages, "PROJ": pyproj.proj_version_str}


def _check_versions(spark: SparkSession) -> None:
    """Ask every executor once; a task that cannot import incrowd fails with the name of what is missing."""
    here, tasks = versions(), 2 * spark.sparkContext.defaultParallelism

    def probe(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for _ in batches:
            pass
        yield pa.RecordBatch.from_pydict({"versions": ["\n".join(f"{k} {v}" for k, v in versions().items())]})

    try:
        rows = spark.range(tasks, numPartitions=tasks).mapInArrow(probe, "versions string").collect()
    except SPARK_ERRORS as error:
        missing = re.search(r"No module named '([\w.]+)'", str(error))
        what = f"have no {missing[1]}" if missing else "cannot run Python"
        raise ParameterError(
            f"the executors {what}; set PYSPARK_PYTHON (spark.pyspark.python) to a Python that has incrowd."
        ) from error
    there = {line for row in rows for line in row["versions"].splitlines()}
    odd = sorted(there - {f"{name} {value}" for name, value in here.items()})
    if odd:
        mine = f"{odd[0].split()[0]} {here[odd[0].split()[0]]}"
        raise ParameterError(f"an executor has {odd[0]}, the driver {mine}; install the same versions on both.")


def task_bytes(spark: SparkSession) -> int:
    """Memory of Python for the rows of one task, beside its libraries.

    An executor gives its overhead to its tasks; where none is set, half of this machine is for as many as it has cores.
    """
    conf, container = spark.sparkContext.getConf(), (spark.sparkContext.master or "").startswith(_CONTAINERS)
    cores = int(conf.get("spark.executor.cores", "1" if container else str(spark.sparkContext.defaultParallelism)))
    tasks = max(cores // int(conf.get("spark.task.cpus", "1")), 1)
    if container or conf.get(MEMORY):
        heap = _mebibytes(conf.get("spark.executor.memory", "1g"))
        factor = float(conf.get("spark.executor.memoryOverheadFactor", "0.1"))
        room = (_mebibytes(conf.get(MEMORY, "")) or max(384, int(heap * factor))) * 2**20
        room = max(room - JVM_BYTES, room // 2) if container else room
    else:
        room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return max(room // tasks - LIBRARIES_BYTES, room // tasks // 2)


def _mebibytes(text: str) -> int:
    """A size as Spark writes it: 900m, 4g, or mebibytes without a unit."""
    match = re.fullmatch(r"(\d+)\s*([kmgt]?)b?", text.strip().lower())
    return 0 if match is None else int(int(match[1]) * {"k": 2**-10, "": 1, "m": 1, "g": 2**10, "t": 2**20}[match[2]])


def blocks_for(spark: SparkSession, records: int) -> int:
    """How many blocks of whole users so many records need: one for each core, each within the memory of a task."""
    needed = ceil(UNEVEN * records * RECORD_BYTES / task_bytes(spark))
    return max(needed, int(spark.sparkContext.defaultParallelism), 1)


@contextmanager
def plain_errors() -> Iterator[None]:
    """An error that incrowd raised on an executor, as itself; of others the name, as their text may quote rows."""
    try:
        yield
    except SPARK_ERRORS as error:
        text = str(error)
        if (own := _ERROR.search(text)) is not None:
            raise getattr(errors, own[1])(own[2]) from None
        named = _CONDITION.search(text)
        name = type(error).__name__ if named is None else named[1]
        what = f"its log names the task, often one without memory: raise {MEMORY}, or give more parts."
        if name.startswith("FAILED_READ_FILE"):
            what = "a file is broken, or has columns of other types than the first; write it again, or read it apart."
        elif isinstance(error, AnalysisException):
            what = "give the columns other names or types first."
        raise DataError(f"Spark stopped ({name}); {what}") from None


@contextmanager
def shared(spark: SparkSession, value: Any) -> Iterator[Any]:
    """A value that every executor has as `.value`, for the jobs inside."""
    sent = Sent(spark, value)
    try:
        yield sent
    finally:
        sent.unpersist()


class Sent:
    """A value that every executor has as `.value`.

    It travels as bytes: an encrypted broadcast of PySpark 4.3 cannot write large arrays.
    """

    def __init__(self, spark: SparkSession, value: Any) -> None:
        self._bytes = spark.sparkContext.broadcast(pickle.dumps(value))

    @property
    def value(self) -> Any:
        """The value itself, made anew by every call."""
        return pickle.loads(self._bytes.value)  # noqa: S301 - written by the driver

    def unpersist(self) -> None:
        """Remove it from the executors."""
        self._bytes.unpersist()


def kept(frame: DataFrame) -> DataFrame:
    """The same rows, kept on the disks of the executors from their first use on, and made again where one is lost."""
    from pyspark import StorageLevel

    return frame.persist(StorageLevel.DISK_ONLY)
