"""A real Chromium without a window, driven by Playwright; nothing can leave it but to this machine."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pages import ROOT

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
ALONE = ("--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
PICTURES = ROOT / "build" / "screens"  # to be looked at after `make web`
# Pairs of labels of a figure that share more than a sliver of the page.
COLLISIONS = """
() => [...document.querySelectorAll("svg")].flatMap(svg => {
  const boxes = [...svg.querySelectorAll("text")].filter(t => t.textContent.trim() && t.checkVisibility())
    .map(t => [t.textContent.trim(), t.getBoundingClientRect()]);
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  return boxes.flatMap(([name, a], i) =>
    boxes.slice(i + 1).filter(([, b]) => over(a, b)).map(([other]) => [name, other]));
})
"""
OUTSIDE = """
() => [...document.querySelectorAll("body *")]
  .filter(e => !e.parentElement.closest(".scroll, svg, pre, details:not([open])")
  && e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 200))
"""
# Headings as they print, each with the words that come next.
HEADINGS = """
() => [...document.querySelectorAll("h1, h2, h3, h4, summary, .caption")].filter(h => h.checkVisibility()).map(h => {
  const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let node = null;
  while (node = all.nextNode())
    if ((h.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) && !h.contains(node)
        && node.textContent.trim() && node.parentElement.checkVisibility()) break;
  return [h.innerText, node ? node.textContent.trim() : ""];
})
"""


class Tab:
    """A page of a browser, with everything it asked for and complained about.

    Args:
        page: Of Playwright.
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requested: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requested.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, address: Path | str, width: int = 1280, height: int = 900, *, dark: bool = False) -> None:
        """Show a file or an address at a size in CSS pixels."""
        self.page.emulate_media(media="screen", color_scheme="dark" if dark else "light")
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.goto(address.resolve().as_uri() if isinstance(address, Path) else address)

    def ask(self, script: str) -> Any:
        """The value of a JavaScript expression or function."""
        return self.page.evaluate(script)

    def violations(self) -> list[str]:
        """What axe-core finds against WCAG A and AA and its best practices: rule, element, reason."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        return [
            f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}" for rule in found for node in rule["nodes"]
        ]

    def picture(self, name: str) -> Path:
        """The whole page as a PNG, to be looked at."""
        path = PICTURES / f"{name}.png"
        self.page.screenshot(path=path, full_page=True)
        return path

    def paper(self, name: str) -> list[str]:
        """The text of each page as it prints on A4; the PDF stays beside the pictures."""
        path = PICTURES / f"{name}.pdf"
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.emulate_media(media="print", color_scheme="light")
        self.page.pdf(path=path, format="A4", prefer_css_page_size=True, print_background=False)
        done = subprocess.run(["pdftotext", path, "-"], capture_output=True, text=True, check=True)
        return done.stdout.split("\f")[:-1]

    def stranded(self, sheets: list[str]) -> list[str]:
        """Headings that are on another sheet than the words that follow them."""
        self.page.emulate_media(media="print")
        pairs = self.ask(HEADINGS)
        self.page.emulate_media(media="screen")
        dense = [_dense(sheet) for sheet in sheets]
        return [
            head for head, words in pairs if not any(_dense(head) in it and _dense(words)[:12] in it for it in dense)
        ]


def _dense(text: str) -> str:
    return re.sub(r"\W", "", text).lower()


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser of Playwright; skips if one of its parts is not installed (scripts/browser installs them)."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None or shutil.which("pdftotext") is None:
        pytest.skip("no Chromium or no pdftotext is installed; run scripts/browser")
    driver = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed; run scripts/browser")
    with driver.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=list(ALONE))
        yield browser
        browser.close()
