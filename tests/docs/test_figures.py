"""Pictures on pages are there, say what they show, and are those that the script draws."""

import importlib.util
import re

import pytest

from pages import ROOT, pages

FIGURES = ROOT / "docs" / "figures"


def test_every_picture_is_there_and_has_words():
    shown = set()
    for page in pages():
        for words, link in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            path = (page.parent / link).resolve()
            assert path.is_file() and len(words) > 15, f"{page.name}: {link}"
            shown.add(path)
    assert shown == {*FIGURES.glob("*.svg"), *FIGURES.parent.glob("studio/*.png"), *FIGURES.parent.glob("pages/*.png")}


def test_pictures_are_small():
    assert all(path.stat().st_size < 40_000 for path in FIGURES.glob("*.svg"))


@pytest.mark.slow
def test_the_script_draws_what_is_stored(tmp_path):
    spec = importlib.util.spec_from_file_location("doc_figures", ROOT / "scripts" / "doc_figures.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(tmp_path)
    drawn = sorted(tmp_path.iterdir())
    assert len(drawn) == 4
    assert [path.read_text() for path in drawn] == [(FIGURES / path.name).read_text() for path in drawn], (
        "run: make docs"
    )
