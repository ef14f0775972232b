"""The site builds without a warning, has every page, and asks nobody for anything."""

import inspect
import os
import re
import subprocess
import sys

import pytest

import incrowd as ic
from pages import ROOT

pytest.importorskip("mkdocs")
STEPS = [name for name in ic.__all__ if inspect.ismodule(getattr(ic, name))]
LOADED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=[\"']?(?:https?:)?//[^>]*>")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    offline = {"https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
    done = subprocess.run(words, cwd=ROOT, env=os.environ | offline, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_there(site):
    written = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    built = {path.relative_to(site) for path in site.rglob("*.html")}
    assert written <= built
    assert (site / "notebooks" / "risk.ipynb").is_file()


def test_no_page_loads_anything_from_elsewhere(site):
    for page in site.rglob("*.html"):
        assert not LOADED.findall(page.read_text(encoding="utf-8")), page.name


def test_style_sheets_load_nothing_from_elsewhere(site):
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import )[\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8")), sheet.name


@pytest.mark.parametrize("step", STEPS)
def test_the_reference_has_every_public_name(site, step):
    page = (site / "api" / f"{step}.html").read_text(encoding="utf-8")
    module = getattr(ic, step)
    calls = [name for name in module.__all__ if callable(getattr(module, name))]
    assert [name for name in calls if f'id="incrowd.{step}.{name}"' not in page] == []


def test_examples_of_docstrings_are_code(site):
    page = (site / "api" / "measure.html").read_text(encoding="utf-8")
    assert "<blockquote>" not in page and "&gt;&gt;&gt;" in page


@pytest.mark.web
@pytest.mark.parametrize("width", [1280, 400])
def test_a_browser_opens_it_from_disk(site, width, tab):
    for name in ("index.html", "choose.html", "api/measure.html"):
        tab.open(site / name, width)
        assert tab.ask("document.documentElement.scrollWidth") <= width
        assert tab.ask("document.querySelector('h1').innerText")
    assert all(address.startswith(("file:", "data:", "about:")) for address in tab.requested)
    assert tab.complaints == []


@pytest.mark.web
@pytest.mark.parametrize("width", [1280, 400])
def test_search_works_from_disk(site, width, tab):
    tab.open(site / "index.html", width)
    if width == 400:
        tab.page.click("label.md-header__button[for=__search]")
    tab.page.locator("input.md-search__input").press_sequentially("singling", delay=50)
    tab.page.wait_for_selector(".md-search-result__item", state="attached", timeout=90_000)
    assert tab.ask("document.querySelectorAll('.md-search-result__item').length") > 1
    assert all(address.startswith(("file:", "data:", "about:")) for address in tab.requested)


@pytest.mark.web
def test_every_icon_of_the_narrow_header_does_something(site, tab):
    tab.open(site / "index.html", 400)
    shown = """() => [...document.querySelectorAll(".md-header label.md-header__button")]
      .filter(e => e.checkVisibility() && e.getBoundingClientRect().width).map(e => e.htmlFor)"""
    icons = tab.ask(shown)
    assert icons
    for toggle in icons:
        before = tab.ask(f"document.getElementById('{toggle}').checked")
        tab.page.click(f".md-header label.md-header__button[for={toggle}]")
        assert tab.ask(f"document.getElementById('{toggle}').checked") != before
        tab.open(site / "index.html", 400)
