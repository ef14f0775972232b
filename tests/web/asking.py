"""Requests to a studio in this process, as its own page would make them, and what it answers."""

import asyncio
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlencode

from incrowd.web.app import studio_app
from incrowd.web.guard import COOKIE
from incrowd.web.studio import Studio

PORT = 8700
HOST = f"127.0.0.1:{PORT}"


@dataclass
class Answered:
    status: int
    headers: dict
    content: bytes

    @property
    def text(self):
        return self.content.decode()

    @property
    def words(self):
        return " ".join(re.sub(r"<[^>]+>", " ", self.text).split())


class Browser:
    """Speaks to the guarded application of a folder; `headers` of a request replace those of the studio's page."""

    def __init__(self, folder, upload_mb=1):
        self.printed = []
        self.studio = Studio.of(folder, upload_mb)
        self.app = studio_app(self.studio, PORT, self.printed.append)

    def get(self, path, **headers):
        return self.ask("GET", path, b"", headers)

    def post(self, path, fields=None, body=b"", **headers):
        return self.ask("POST", path, urlencode(fields).encode() if fields is not None else body, headers)

    def ask(self, method, path, body, headers):
        path, _, query = path.partition("?")
        own = {"host": HOST, "cookie": f"{COOKIE}{PORT}={self.app.session}", "sec-fetch-site": "same-origin"}
        own |= {"origin": f"http://{HOST}"} if method == "POST" else {}
        own |= {name.replace("_", "-"): value for name, value in headers.items()}
        sent = [(name.encode(), value.encode()) for name, value in own.items() if value is not None]
        scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "root_path": ""}
        scope |= {"query_string": query.encode(), "headers": sent, "http_version": "1.1", "scheme": "http"}
        scope |= {"server": ("127.0.0.1", PORT), "client": ("127.0.0.1", 50_000)}
        with ThreadPoolExecutor(1) as apart:  # a browser of another test may hold the loop of this thread
            return apart.submit(lambda: asyncio.run(_answer(self.app, scope, body))).result()


async def _answer(app, scope, body):
    messages = []
    pieces = [
        {"type": "http.request", "body": body[at : at + 65_536], "more_body": True}
        for at in range(0, len(body), 65_536)
    ]
    pieces.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive():
        return pieces.pop(0) if pieces else {"type": "http.disconnect"}

    async def send(message):
        messages.append(message)

    await app(scope, receive, send)
    start = next(message for message in messages if message["type"] == "http.response.start")
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answered(start["status"], headers, b"".join(m.get("body", b"") for m in messages))


def until(true, seconds=60):
    """Wait for something to be true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.1)
