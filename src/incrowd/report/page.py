"""Sections -> the HTML page, with the papers behind the methods from the bibliography of the package."""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from incrowd import __version__
from incrowd.data.files import refuse_page, whole_file
from incrowd.errors import ParameterError, check_choice, public
from incrowd.plain import to_json
from incrowd.progress import track
from incrowd.report.draw import caption, image
from incrowd.report.json_links import NOTHING, NUMERIC, Behind
from incrowd.report.sides import ReleasesScreen, sides_of
from incrowd.report.style import INK, MUTED, PALE, RAMP, SUNK
from incrowd.report.verdict import FirstScreen, verdict_of
from incrowd.show import Section, Table, markdown, section_of

CITED = re.compile(r"\[([a-z]+\d{4})\b")  # as docstrings and methods cite: [song2014, Eq. 1]
LEGIBLE_PX = 9  # the smallest text of a figure; narrower screens scroll
LARGEST = 1.35  # pixels a point
LONG = 30  # letters of a cell that need not wrap
OPTION = re.compile(r"(\(?--\w[\w-]*\)?)")
UNITS = re.compile(r"(?<=\d) (?=%|(?:in \d|k?m|min|h|s)\b)|(?<=1 in) (?=\d)")
GAP = "\N{NO-BREAK SPACE}"
NAMED = re.compile(r'\bid="|"#|url\(#')
THEME = {INK: "var(--ink)", MUTED: "var(--soft)", PALE: "var(--line)", SUNK: "var(--sunk)", "#ffffff": "var(--paper)"}
THEME |= {colour: f"var(--r{step})" for step, colour in enumerate(RAMP, 1)}
INKS = re.compile("|".join(THEME))
WIDE, LETTERS = re.compile(r'<svg[^>]* width="([\d.]+)pt"'), re.compile(r"font(?:-size)?: ?([\d.]+)px")


@public
def write(path: str | Path, *results: Any, title: str = "Mobility-data privacy report", force: bool = False) -> Path:
    """The path of one self-contained HTML file that explains results, needs no network and prints well.

    Args:
        path: File to write: .html, or .md for the same sections in Markdown, without figures.
        results: What measures, attacks, audits or anonymizers returned, in the order of the page.
        title: Heading of the page.
        force: Whether an existing file may be replaced.

    >>> import tempfile
    >>> from incrowd import Ledger
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write(Path(folder) / "report.html", Ledger().add("read", read=3, kept=3))
    ...     "What happened to every record?" in page.read_text()
    True
    """
    path = Path(path)
    refuse_page(path, force=force)
    if not results:
        raise ParameterError("a report needs at least one result; pass what a measure returned.")
    sections = [section_of(result) for result in results]
    text = _markdown(title, sections) if path.suffix.lower() == ".md" else _html(title, sections)
    with whole_file(path, force=force) as part:
        part.write_text(text, encoding="utf-8")
    return path


def _markdown(title: str, sections: Sequence[Section]) -> str:
    return "\n".join([f"# {title}\n", *map(markdown, sections), f"Made by incrowd {__version__}.\n"])


def _html(title: str, sections: Sequence[Section]) -> str:
    top, sides = _top(sections), _sides(sections[0])
    above = sections[0].data.head if top else sections[0].data if sides else None  # shown above the details
    detailed = [part for part in sections if above is None or part.data is not above]
    parts = [(part, Behind(part.data, f"data{index}")) for index, part in enumerate(detailed, 1)]
    papers = dict.fromkeys(key for part in sections for key in papers_of(part))
    whole = to_json(record(*sections, title=title))
    return _template().render(
        title=title,
        parts=parts,
        drawn=track(parts, "drawing"),
        top=top,
        sides=sides,
        references=[reference(key) for key in papers],
        download=f"data:application/json;base64,{b64encode(whole.encode()).decode()}",
        version=__version__,
    )


def record(*sections: Section, title: str) -> dict[str, Any]:
    """All that a page tells as one record, for JSON."""
    answers = [
        {"question": it.question, "answer": it.answer, "number": it.number, "of": it.number_of, "data": it.data}
        for it in sections
    ]
    return {"title": title, "incrowd": __version__, "sections": answers}


def _top(sections: Sequence[Section]) -> FirstScreen | None:
    """The first screen of one assessment; of several none stands above the others, and other pages have none."""
    judged = [part for part in sections if hasattr(part.data, "judges")]
    return verdict_of(judged[0].data) if judged == [sections[0]] else None


def _sides(first: Section) -> ReleasesScreen | None:
    """The first screen of releases side by side."""
    return sides_of(first.data) if hasattr(first.data, "assessments") else None


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("incrowd.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "caption": caption,
        "cited": _cited,
        "image": image,
        "papers": papers_of,
        "unbroken": _unbroken,
        "apart": _apart,
        "extent": _extent,
        "kinds": _kinds,
        "themed": _themed,
        "width": _width,
    }
    environment.globals["reference"] = reference
    return environment.get_template("report.html")


def _cited(text: str) -> Markup:
    """A text in which [key, Sec. 1] leads to the list of papers."""
    known = bibliography()
    link = Markup('[<a href="#{0}">{0}</a>')
    parts = CITED.split(text)  # text, key, text, key, …
    linked = (link.format(part) if part in known else escape(f"[{part}") for part in parts[1::2])
    return Markup("").join(piece for pair in zip(map(escape, parts[::2]), [*linked, ""], strict=True) for piece in pair)


def _unbroken(text: str) -> Markup:
    """A text whose options, such as --release, and numbers with their units stay on one line."""
    return Markup("").join(
        Markup('<span class="option">{}</span>').format(part) if place % 2 else escape(UNITS.sub(GAP, part))
        for place, part in enumerate(OPTION.split(text))
    )


def _extent(svg: str) -> str:
    """How narrow and how wide a figure may be shown, so that its smallest text can be read and none is huge."""
    width = _width(svg)
    least = LEGIBLE_PX / min(map(float, LETTERS.findall(svg)), default=10.0)
    return f"min-width:{width * least:.0f}px;max-width:{width * max(least, LARGEST):.0f}px"


def _apart(svg: str, name: str) -> str:
    """The figure with names of its own, for those inside may be the same in another one."""
    return NAMED.sub(rf"\g<0>{name}-", svg)


def _themed(svg: str) -> str:
    """The figure with ink and paper of the page, which are others in the dark."""
    return INKS.sub(lambda match: THEME[match[0]], svg)


def _width(svg: str) -> float:
    """In points."""
    return float(WIDE.findall(svg)[0])


def _kinds(grid: Table) -> list[str]:
    """What each column holds: digits go to the right and are linked, words to the left, long ones may wrap."""
    columns = zip(*grid.rows, strict=True) if grid.rows else ([] for _ in grid.head)
    return [_kind([cell for cell in column if cell not in NOTHING]) for column in columns]


def _kind(cells: Sequence[str]) -> str:
    if all(map(NUMERIC.fullmatch, cells)):
        return "digits"
    return "long" if max(map(len, cells)) > LONG else "words"


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
