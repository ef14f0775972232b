"""A studio as people start it: incrowd serve in a process of its own."""

import re
import subprocess
import sys
import time
from contextlib import contextmanager

LINK = re.compile(r"http://127\.0\.0\.1:\d+/\?token=\S+")


class Served:
    """A server that runs; `link` opens it once, `log` is what it printed."""

    def __init__(self, folder, port=0):
        self.log_file = folder.parent / "serve.log"
        with self.log_file.open("a") as log:
            words = [sys.executable, "-u", "-m", "incrowd", "serve", str(folder), "--no-browser", "--port", str(port)]
            self.process = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)
        end = time.monotonic() + 60
        links = len(LINK.findall(self.log_file.read_text()))
        while not LINK.findall(self.log) or (port and links == len(LINK.findall(self.log))):
            assert time.monotonic() < end and self.process.poll() is None, self.log
            time.sleep(0.1)
        self.link = LINK.findall(self.log)[-1]
        self.address = self.link.partition("/?")[0]
        self.port = int(self.address.rpartition(":")[2])

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
