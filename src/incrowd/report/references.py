"""The papers behind the methods, from the bibliography that travels with the package."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from incrowd.errors import check_choice
from incrowd.show import Section

CITED = re.compile(r"\[([a-z]+\d{4})\b")  # as docstrings and methods cite: [song2014, Eq. 1]


@dataclass(frozen=True)
class Reference:
    """One paper; `short` is how a sentence calls it, `text` how a list does."""

    key: str
    short: str
    text: str
    doi: str = ""


@cache
def bibliography() -> dict[str, Reference]:
    """Every paper by its key.

    >>> bibliography()["song2014"].short
    'Song et al. 2014'
    """
    source = (files("incrowd.report") / "templates" / "references.bib").read_text(encoding="utf-8")
    entries = re.findall(r"@\w+\{(\w+),\n(.*?)\n\}", source, re.DOTALL)
    return {key: _reference(key, body) for key, body in entries}


def reference(key: str) -> Reference:
    """The paper with this key."""
    check_choice("reference", key, tuple(bibliography()))
    return bibliography()[key]


def cited(text: str) -> list[str]:
    """The keys that a text cites, in order.

    >>> cited("As [tan2017, Sec. 3.2] and [song2014] say.")
    ['tan2017', 'song2014']
    """
    return [key for key in CITED.findall(text) if key in bibliography()]


def papers_of(section: Section) -> list[str]:
    """Keys of all papers that a section rests on."""
    texts = (*section.method, *(panel.caption for panel in section.panels), *(t.caption for t in section.tables))
    return list(dict.fromkeys([*section.references, *(key for text in texts for key in cited(text))]))


def _reference(key: str, body: str) -> Reference:
    pairs = re.findall(r"^ *(\w+) = \{(.*?)\},$", body, re.MULTILINE | re.DOTALL)
    entry = {name: _unmarked(value) for name, value in pairs}
    authors = entry["author"].split(" and ")
    last = authors[0].split()[-1]
    more = {1: "", 2: f" and {authors[-1].split()[-1]}"}.get(len(authors), " et al.")
    place = entry.get("journal") or entry.get("booktitle") or entry.get("howpublished", "")
    volume = ", ".join(filter(None, (_volume(entry), entry.get("pages", ""))))
    where = ", ".join(filter(None, (place, volume, entry["year"])))
    note = f" {entry['note']}." if "note" in entry else ""
    text = f"{', '.join(authors)}. {entry['title']}. {where}.{note}"
    return Reference(key, f"{last}{more} {entry['year']}", text, entry.get("doi", ""))


def _volume(entry: dict[str, str]) -> str:
    issue = f"({entry['number']})" if "number" in entry else ""
    return entry.get("volume", "") + issue


def _unmarked(text: str) -> str:
    """Without the marks that LaTeX needs."""
    plain = text.replace("--", "\N{EN DASH}").replace(r"$\delta$", "\N{GREEK SMALL LETTER DELTA}")
    return " ".join(plain.replace("{", "").replace("}", "").split())
