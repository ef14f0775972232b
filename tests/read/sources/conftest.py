"""The same few records in a file, in PostgreSQL and in an object store."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest

from servers import BIN, RECORDS, SECRET, Postgres, as_csv, free_port


@pytest.fixture
def no_copy_left(tmp_path, monkeypatch):
    """A folder for copies that must be empty in the end."""
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    assert not list(folder.iterdir())


@pytest.fixture
def trips(tmp_path) -> Path:
    return as_csv(tmp_path / "trips.csv")


def _server_files() -> Path:
    found = sorted(BIN.glob("*/bin/initdb")) if BIN.is_dir() else []
    if not found:
        pytest.skip("PostgreSQL is not installed (on Debian: postgresql and postgresql-15-postgis-3)")
    return found[-1].parent


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """PostgreSQL with PostGIS and the records in several shapes; skipped where it is not installed."""
    pytest.importorskip("adbc_driver_postgresql", reason="adbc-driver-postgresql is not installed")
    files = _server_files()
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # the path of a socket must be short
    if os.getuid() == 0:
        shutil.chown(folder, "nobody")
    running = Postgres(folder, free_port(), files)
    try:
        running.start()
        running.do("CREATE DATABASE city", "postgres")
        try:
            running.do("CREATE EXTENSION postgis")
        except subprocess.CalledProcessError:
            pytest.skip("PostGIS is not installed (on Debian: postgresql-15-postgis-3)")
        rows = ", ".join(f"('{u}', '{t.isoformat()}', {lon!r}, {lat!r}, '{plan}')" for u, t, lon, lat, plan in RECORDS)
        running.do(f"""
            CREATE TABLE trips ("user" text, t timestamptz, lon float8, lat float8, plan text);
            INSERT INTO trips VALUES {rows};
            CREATE TABLE points AS SELECT "user", t, plan, ST_SetSRID(ST_MakePoint(lon, lat), 4326) AS geom FROM trips;
            CREATE TABLE dutch AS SELECT "user", t, ST_Transform(geom, 28992) AS geom FROM points;
            CREATE TABLE empty AS SELECT * FROM trips LIMIT 0;
            CREATE SCHEMA other; CREATE TABLE other.trips AS SELECT * FROM public.trips WHERE "user" = 'rider1';
        """)
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres(server, monkeypatch):
    """The server, and its password in the environment."""
    monkeypatch.setenv("PGPASSWORD", SECRET)
    return server


@pytest.fixture(scope="session")
def store():
    """The endpoint of an object store on loopback with a bucket; skipped where moto is not installed."""
    pytest.importorskip("moto.server", reason="moto[server] is not installed")
    port = free_port()
    words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        endpoint = f"http://127.0.0.1:{port}"
        for _ in range(100):
            try:
                urllib.request.urlopen(endpoint)
                break
            except OSError:
                time.sleep(0.2)
        yield endpoint
    finally:
        running.terminate()
        running.wait()


@pytest.fixture
def bucket(store, monkeypatch):
    """Arrow's file system of the store, in which there is the bucket `city`."""
    from pyarrow.fs import S3FileSystem

    for name, value in (("ENDPOINT_URL", store), ("ACCESS_KEY_ID", "key"), ("SECRET_ACCESS_KEY", SECRET)):
        monkeypatch.setenv(f"AWS_{name}", value)
    address = store.removeprefix("http://")
    filesystem = S3FileSystem(endpoint_override=address, scheme="http", allow_bucket_creation=True)
    filesystem.create_dir("city")
    return filesystem
