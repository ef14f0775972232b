"""One Spark session for all tests, and a small city as rows in time order, users mixed.

INCROWD_SPARK_MASTER is where they run: local[2], local-cluster[2,1,512], or standalone for a master and two workers.
"""

import os
import shutil
import socket
import subprocess
from contextlib import contextmanager, nullcontext, suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic

MASTER = os.environ.get("INCROWD_SPARK_MASTER", "local[2]")
SETTINGS = {
    "spark.driver.memory": "900m",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.ui.showConsoleProgress": "false",
}


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """The session of the whole suite; tests are skipped where Spark cannot run."""
    if find_spec("pyspark") is None or not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("no pyspark or no Java: tests of Spark are skipped; run scripts/spark")
    import pyspark

    from incrowd.spark import session

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    home = Path(pyspark.__file__).parent
    alone = standalone(home / "bin/spark-class", tmp_path_factory.mktemp("workers"))
    with alone if MASTER == "standalone" else nullcontext(MASTER) as master:
        made = session(master, SETTINGS)
        made.sparkContext.setLogLevel("OFF")
        own = home / "work" / made.sparkContext.applicationId  # a local cluster writes there, whatever it is told
        yield made
        made.stop()
    shutil.rmtree(own, ignore_errors=True)
    with suppress(OSError):  # others may be in it
        own.parent.rmdir()


@contextmanager
def standalone(spark_class, folder):
    """The address of a master with two workers of one core."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    address = f"spark://127.0.0.1:{port}"
    worker = ["worker.Worker", "-c", "1", "-m", "1g", "-d", str(folder), address]
    running = []
    with (folder / "log").open("w") as log:
        for name, *words in (["master.Master", "--port", port], worker, worker):
            command = [
                spark_class,
                f"org.apache.spark.deploy.{name}",
                "--host",
                "127.0.0.1",
                "--webui-port",
                "0",
                *words,
            ]
            running.append(subprocess.Popen(command, stdout=log, stderr=log))
        try:
            yield address
        finally:
            for process in reversed(running):
                process.terminate()
                process.wait(60)


def rows_of(users, days, seed=1):
    """Records of a synthetic city as columns, by time: the rows of a user are apart."""
    traces = ic.read.synthetic_city(users=users, towers=60, days=days, seed=seed).traces
    rng = np.random.default_rng(seed)
    order = np.lexsort((rng.random(traces.records), traces.t))
    names = np.array([f"person {n:05d}" for n in rng.permutation(users)])
    sides = np.array(["east", "west", "both"])[rng.integers(0, 3, users)]
    owner = traces.owner[order]
    return {
        "user": names[owner],
        "t": traces.t[order],
        "lon": traces.lon[order],
        "lat": traces.lat[order],
        "side": sides[owner],
    }


@pytest.fixture(scope="session")
def city(tmp_path_factory):
    """A folder of two files with the records of 200 people."""
    folder = tmp_path_factory.mktemp("city")
    table = pa.table(rows_of(200, 3))
    half = table.num_rows // 2
    pq.write_table(table.slice(0, half), folder / "a.parquet", row_group_size=2000)
    pq.write_table(table.slice(half), folder / "b.parquet")
    return folder


def pytest_collection_modifyitems(items):
    """An encrypted broadcast of pyspark 4.3 leaves the closing of its socket to the garbage collector."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed .socket.socket:ResourceWarning"))
