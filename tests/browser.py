"""A real Chromium without a window, driven over a pipe; nothing can leave it."""

import json
import os
import select
import shutil
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PATIENCE_S = 60
# The browser listens on descriptor 3 and answers on 4.
LAUNCH = """
import fcntl, os, sys
reading, writing = (fcntl.fcntl(int(name), fcntl.F_DUPFD, 10) for name in sys.argv[1:3])
os.dup2(reading, 3), os.dup2(writing, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)


class Browser:
    """One tab: commands go out, answers and events come back."""

    def __init__(self, sending: int, receiving: int) -> None:
        self.events: list[dict[str, Any]] = []
        self._sending, self._receiving = sending, receiving
        self._number, self._rest, self._tab = 0, b"", ""

    def attach(self) -> "Browser":
        """Open the tab and listen to everything it asks for or complains about."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._tab = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        return self

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one command and wait for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        os.write(self._sending, json.dumps(message | ({"sessionId": self._tab} if self._tab else {})).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return answer["result"]
            self.events.append(answer)

    def wait(self, method: str) -> dict[str, Any]:
        """The next event of a kind."""
        for event in self.events:
            if event["method"] == method:
                self.events.remove(event)
                return event["params"]
        while (event := self._receive()).get("method") != method:
            self.events.append(event)
        return event["params"]

    def open(self, page: Path, width: int = 1280, height: int = 900) -> None:
        """Show a file at a width in CSS pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.wait("Page.loadEventFired")

    def ask(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def requested(self) -> list[str]:
        """Every address the page asked for."""
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]

    def complaints(self) -> list[dict[str, Any]]:
        """What a developer's console would show."""
        kinds = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [event["params"] for event in self.events if event["method"] in kinds]

    def pdf(self) -> bytes:
        """The page as it prints, on A4."""
        found = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=False)
        return b64decode(found["data"])

    def picture(self) -> bytes:
        """The whole page as PNG."""
        return b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select.select([self._receiving], [], [], PATIENCE_S)[0], "the browser says nothing"
            more = os.read(self._receiving, 1 << 20)
            assert more, "the browser has gone"
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)


@contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """A browser with a profile of its own; skips where none is installed."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Chromium is installed")
    (their_ear, our_mouth), (our_ear, their_mouth) = os.pipe(), os.pipe()
    launch = [sys.executable, "-c", LAUNCH, str(their_ear), str(their_mouth), program]
    with subprocess.Popen(
        [*launch, *QUIET, f"--user-data-dir={folder}", "about:blank"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(their_ear, their_mouth),
    ) as process:
        os.close(their_ear)
        os.close(their_mouth)
        try:
            yield Browser(our_mouth, our_ear).attach()
        finally:
            os.close(our_mouth)  # it leaves when nobody speaks any more
            process.wait(PATIENCE_S)
            os.close(our_ear)
