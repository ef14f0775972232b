"""A studio as people start it: incrowd serve in a process of its own."""

import re
import subprocess
import sys
import time
from contextlib import contextmanager

LINK = re.compile(r"http://127\.0\.0\.1:\d+/\?token=\S+")


class Served:
    """A server that runs; `link` opens it once, `log` is what it printed."""

    def __init__(self, folder):
        self.folder, self.log_file = folder, folder.parent / "serve.log"
        self.log_file.touch()
        self.start(0)

    def start(self, port):
        known = len(LINK.findall(self.log))
        with self.log_file.open("a") as log:
            words = [sys.executable, "-u", "-m", "incrowd", "serve", str(self.folder), "--no-browser"]
            self.process = subprocess.Popen([*words, "--port", str(port)], stdout=log, stderr=subprocess.STDOUT)
        end = time.monotonic() + 60
        while len(LINK.findall(self.log)) == known:
            assert time.monotonic() < end and self.process.poll() is None, self.log
            time.sleep(0.1)
        self.link = LINK.findall(self.log)[-1]
        self.address = self.link.partition("/?")[0]
        self.port = int(self.address.rpartition(":")[2])

    def restart(self):
        """Killed as kill -9 does, and started again at the same address."""
        self.kill()
        self.start(self.port)

    @property
    def log(self):
        return self.log_file.read_text()

    def kill(self):
        self.process.kill()
        self.process.wait()


@contextmanager
def served(folder):
    """A studio of a folder, stopped at the end."""
    server = Served(folder)
    try:
        yield server
    finally:
        server.kill()
