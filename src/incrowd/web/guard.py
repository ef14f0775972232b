"""Who may speak to the studio: this user's browser that opened the printed link, from the studio's own pages."""

import os
import secrets
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from incrowd.web.peer import ROOT, foreign
from incrowd.web.store import Store

COOKIE = "incrowd_studio_"  # and the port: a browser sends cookies of one port of this machine to all of them
SAFE = ("GET", "HEAD", "OPTIONS")
CONTENT_SECURITY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
BROKEN = "An internal error, not your fault. Go back and try again; the terminal names its kind."
ANOTHER = "Another user of this machine started this studio; start incrowd serve yourself."
# A page of the studio itself goes on to the first step, so that the strict cookie is sent also to somebody who
# followed the link on a page of another site; it takes the place of the link in the browser's history.
ARRIVED = """<!doctype html><html lang="en"><meta charset="utf-8"><title>incrowd studio</title>
<link rel="icon" href="/static/icon.svg">
<meta http-equiv="refresh" content="0;url=/data"><p><a href="/data">Go to the studio</a></p></html>"""
LINK = (
    "Open the link that incrowd serve printed in the terminal. It works once; start incrowd serve again for a new one."
)


class Guard:
    """Refuses every request that the user's own browser did not make from the studio's own pages.

    The printed link holds a token that works once and is exchanged for a cookie; the cookie outlives a restart.

    Args:
        app: What to guard.
        store: Where the value of the cookie is kept.
        port: The port of the server, which Host and Origin must name.
        log: Prints a line in the terminal.
    """

    def __init__(self, app: ASGIApp, store: Store, port: int, log: Callable[[str], object]) -> None:
        self.app, self.log, self.port, self.cookie = app, log, port, f"{COOKIE}{port}"
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.token: str | None = secrets.token_urlsafe(32)
        if not store.setting("session"):
            store.set("session", secrets.token_urlsafe(32))
        self.session = store.setting("session")
        self.link = f"http://{self.hosts[0]}/?token={self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        begun = False

        async def with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._refusal(scope) or self._exchanged(scope)
        if answer is None and not self._known(scope):
            answer = PlainTextResponse(LINK, status_code=403)
        try:
            await (answer or self.app)(scope, receive, with_headers)
        except ClientDisconnect:
            return
        except Exception as error:  # its text and its traceback may hold values of the data
            self.log(f"incrowd: an internal error ({type(error).__name__}), not your fault; the studio goes on.")
            if not begun:
                await PlainTextResponse(BROKEN, status_code=500)(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request of another user of this machine or site, or one that names another host."""
        headers, user = Headers(scope=scope), os.getuid()
        if user != ROOT and scope["client"] and foreign(scope["client"], self.port, user):
            return PlainTextResponse(ANOTHER, status_code=403)
        if headers.get("host") not in self.hosts:
            return PlainTextResponse("This name is not the studio's.", status_code=421)
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        own = f"http://{headers['host']}"
        elsewhere = origin not in (own, None) or site not in ("same-origin", "none")
        if elsewhere and not (self._arrives(scope, site) and origin is None):
            return PlainTextResponse("Requests of other sites are refused.", status_code=403)
        if scope["method"] not in SAFE and origin != own:
            return PlainTextResponse("Changes are made from the studio's own pages.", status_code=403)
        return None

    @staticmethod
    def _arrives(scope: Scope, site: str) -> bool:
        """Whether somebody followed a link to the first page, such as one in a terminal that is a web page."""
        return bool(scope["method"] == "GET" and scope["path"] == "/" and site in ("cross-site", "same-site"))

    def _exchanged(self, scope: Scope) -> Response | None:
        """The cookie for a token that was not used yet."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        fits = (
            scope["path"] == "/"
            and self.token is not None
            and secrets.compare_digest(given.encode(), self.token.encode())
        )
        if not fits or scope["method"] != "GET":
            return None
        self.token = None
        response = HTMLResponse(ARRIVED, headers={"Referrer-Policy": "no-referrer"})
        response.set_cookie(self.cookie, self.session, httponly=True, samesite="strict", path="/")
        return response

    def _known(self, scope: Scope) -> bool:
        """Whether the cookie is the studio's."""
        try:
            cookies = SimpleCookie(Headers(scope=scope).get("cookie", ""))
        except CookieError:
            return False
        given = cookies[self.cookie].value if self.cookie in cookies else ""
        return secrets.compare_digest(given.encode(), self.session.encode())
