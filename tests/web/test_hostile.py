"""A page of another site in the same browser can neither use the studio nor show it nor keep its link from working."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from web.serving import served

pytestmark = pytest.mark.web
# Of another port of the same machine, so that the browser even sends the cookie along: the hardest neighbour.
PAGE = """<!doctype html><html lang="en"><title>hostile</title>
<iframe src="{studio}/data"></iframe><img src="{studio}/static/icon.svg">
<script src="{studio}/static/studio.js"></script>
<form method="post" action="{studio}/data" target="hidden"><input name="kind" value="city">
<input name="users" value="10"><input name="days" value="1"></form><iframe name="hidden"></iframe>
<p><a id="page" href="{studio}/data">page</a> <a id="link" href="{link}">link</a></p>
<script>
const ask = (path, how) => fetch("{studio}" + path, how).then((a) => a.type, (e) => "refused");
document.forms[0].submit();
window.done = Promise.all([ask("/data"), ask("/risk/map.json", {{credentials: "include"}}),
  ask("/protect/forecast", {{method: "POST", mode: "no-cors", credentials: "include"}})]);
</script></html>"""


@contextmanager
def hostile(page):
    """A site that shows a page and keeps the headers of what it is asked for."""
    heard = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(dict(self.headers))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", heard
        server.shutdown()


def test_a_hostile_page_gets_nothing_and_changes_nothing(tab, tmp_path):
    folder = tmp_path / "mobility"
    folder.mkdir()
    with served(folder) as server, hostile(PAGE.format(studio=server.address, link=server.link)) as (site, heard):
        page = tab.page
        tab.open(site)  # before the link was used: the token of the studio is all that it could have
        page.click("#link")
        page.wait_for_url(f"{server.address}/data")
        page.get_by_text("No data in this folder yet").wait_for()
        tab.open(site)
        answers = page.evaluate("window.done")
        assert set(answers) <= {"refused", "opaque"}
        assert answers[:2] == ["refused", "refused"]
        shown = [frame.content() for frame in page.frames[1:]]
        assert not any("Choose the data" in text for text in shown)
        page.click("#page")
        page.get_by_text("Requests of other sites are refused.").wait_for()
        page.goto(f"{server.address}/data")
        page.get_by_text("Nothing was read yet").wait_for()  # the form of the other site started no job
        assert page.evaluate("document.referrer") == ""
        assert not any("token" in value for headers in heard for value in headers.values())
        page.context.clear_cookies()
        page.goto(server.link)
        page.get_by_text("It works once").wait_for()
        assert "Traceback" not in server.log
