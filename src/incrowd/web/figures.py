"""Figures of `incrowd.plot` as SVG that a strict page may hold: no style, no script, colours of the page."""

import pickle
import re
import threading
from dataclasses import replace
from functools import lru_cache

from incrowd.report.draw import image
from incrowd.report.style import COLOURS, INK, MUTED, PALE, SUNK
from incrowd.show import Lines, Panel

DRAWING = threading.Lock()  # matplotlib sets its style for all threads at once
STYLE = re.compile(r' style="([^"]*)"')
SHEET = re.compile(r"<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)
PAPER = re.compile(r'<g>\s*<path d="[^"]*" style="fill: #ffffff"/>\s*</g>')
NAMED = re.compile(r'\bid="|(?<=href=)"#|url\(#')
FONT = re.compile(r"(?:(\d+) )?([\d.]+)px .*")
THEMED = {INK: "var(--ink)", MUTED: "var(--soft)", PALE: "var(--line)", SUNK: "var(--sunk)", "#ffffff": "var(--paper)"}
THEMED |= {colour: f"var(--line-{place})" for place, colour in enumerate(COLOURS, start=1)}


def figure(panel: Panel) -> str:
    """The panel as inline SVG in the colours of the page; its names begin with that of the panel."""
    return _drawn(pickle.dumps(panel))


def in_percent(panel: Lines) -> Lines:
    """A panel of shares with its axis in percent, as the words beside it are."""
    lines = tuple(
        replace(
            line,
            y=[100 * value for value in line.y],
            low=[100 * value for value in line.low],
            high=[100 * value for value in line.high],
        )
        for line in panel.lines
    )
    levels = {name: 100 * value for name, value in panel.levels.items()}
    return replace(panel, lines=lines, levels=levels, y=f"{panel.y}, %", share=False)


@lru_cache(maxsize=128)
def _drawn(pickled: bytes) -> str:
    panel: Panel = pickle.loads(pickled)  # noqa: S301 - of this process; panels hold arrays, which are no keys
    with DRAWING:
        image_of_panel = image(panel)
    svg = PAPER.sub("", SHEET.sub("", image_of_panel), count=1)
    svg = STYLE.sub(lambda style: _attributes(style[1]), svg)
    for colour, token in THEMED.items():
        svg = svg.replace(f'"{colour}"', f'"{token}"')
    svg = NAMED.sub(rf"\g<0>{panel.name}-", svg)
    return svg.replace(
        "<svg ", '<svg class="plot" stroke-linejoin="round" stroke-linecap="butt" aria-hidden="true" ', 1
    )


def _attributes(style: str) -> str:
    """The declarations of a style as attributes, which a content-security policy allows."""
    pairs = [part.split(":", 1) for part in style.split(";") if ":" in part]
    texts = []
    for name, value in ((name.strip(), value.strip()) for name, value in pairs):
        font = FONT.fullmatch(value) if name == "font" else None
        if font is not None:
            texts.append(f'font-size="{font[2]}"')
        elif name != "font":
            texts.append(f'{name}="{value}"')
    return "".join(f" {text}" for text in texts)
