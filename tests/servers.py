"""The same few records in every source, and servers that hold them."""

import datetime as dt
import os
import socket
import subprocess
from pathlib import Path

HEADER = ("user", "t", "lon", "lat", "plan")
START = dt.datetime(2024, 3, 1, 8, tzinfo=dt.UTC)
RECORDS = [
    (
        f"rider{u}",
        START + dt.timedelta(minutes=20 * i),
        round(4.9 + 0.01 * ((u + i) % 5), 3),
        round(52.3 + 0.002 * u, 3),
        "abc"[u % 3],
    )
    for i in range(30)
    for u in range(4)
]
SECRET = "geheim-9f31"
BIN = Path("/usr/lib/postgresql")


def as_csv(path: Path) -> Path:
    lines = [",".join(HEADER), *(f"{u},{t.isoformat()},{lon!r},{lat!r},{plan}" for u, t, lon, lat, plan in RECORDS)]
    path.write_text("\n".join(lines) + "\n")
    return path


def same(one, other) -> bool:
    """Whether two Traces hold the same records."""
    columns = ("users", "offsets", "t", "lon", "lat")
    return all((getattr(one, name) == getattr(other, name)).all() for name in columns)


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


class Postgres:
    """A server on loopback in a folder of its own, run by a user without rights; `do` runs SQL as its owner."""

    def __init__(self, folder: Path, port: int, files: Path) -> None:
        self.folder, self.port, self.files = folder, port, files
        self.unprivileged = (
            ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
        )
        self.address = f"postgresql://reader@127.0.0.1:{port}/city"

    def run(self, *words: str) -> None:
        subprocess.run([*self.unprivileged, *words], check=True, capture_output=True, cwd=self.folder)

    def start(self) -> None:
        data = str(self.folder / "data")
        password = self.folder / "password"
        password.write_text(SECRET)
        password.chmod(0o644)
        how = ["-U", "reader", "-A", "scram-sha-256", f"--pwfile={password}", "-E", "UTF8", "--locale=C", "--no-sync"]
        self.run(str(self.files / "initdb"), "-D", data, *how)
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        log = str(self.folder / "log")
        self.run(str(self.files / "pg_ctl"), "-D", data, "-o", options, "-l", log, "-w", "start")

    def stop(self) -> None:
        self.run(str(self.files / "pg_ctl"), "-D", str(self.folder / "data"), "-m", "immediate", "stop")

    def do(self, sql: str, database: str = "city") -> None:
        words = ["psql", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U", "reader"]
        environment = {**os.environ, "PGPASSWORD": SECRET}
        subprocess.run([*words, "-d", database], input=sql, text=True, check=True, capture_output=True, env=environment)
