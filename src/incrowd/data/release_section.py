"""What a release holds, how much of the original is in it and how fine it is, in the units of its readers."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.clock import DAY_MIN
from incrowd.data.counts import Counts
from incrowd.data.fingerprints import Fingerprints
from incrowd.data.release_text import guarantee_of
from incrowd.data.traces import Traces
from incrowd.data.visits import Visits
from incrowd.ledger import Ledger
from incrowd.plain import of_people, percent, plain, plain_number, several
from incrowd.show import Section

if TYPE_CHECKING:
    from incrowd.data.release import Release

SHARED_BOX = "sample generalised into a shared box"
MERGED = (  # reasons of records that are published all the same, in a row they share
    "same cell and slot",
    "repeated visit",
    "repeated sample",
    "exact duplicate",
    "same time and place",
    SHARED_BOX,
)
FEWEST_RECORDS, FEWEST_PEOPLE = 0.5, 0.9  # shares that must be left, or the loss is said aloud
SOURCE = {None: "an unknown source", True: "a seed, which can be used again", False: "the operating system"}
PAPERS = {
    "Cut": ("song2014",),
    "Generalize": ("tan2017",),
    "LKC": ("mohammed2009",),
    "Glove": ("gramaglia2015",),
    "W4M": ("abul2010", "gramaglia2015"),
}


def release_section(release: "Release") -> Section:
    """What was published, how much of the original is in it, how fine it is, and what is guaranteed."""
    params = {name: value for name, value in release.params.items() if value is not None}
    method, seeded = params.pop("method", None), params.pop("pseudonym_seed_given", None)
    steps = release.ledger.section()
    detail = detail_words(release.data, release.params)
    sentences = (published_words(release), in_release(release), detail)
    pseudonyms = f"Pseudonyms come from {SOURCE[seeded]}; rows are ordered by them, so their order says nothing."
    return Section(
        question="What was published?",
        answer=" ".join(filter(None, sentences)) + f"\nGuarantee: {_promise(release)}{_heavy(release)}",
        number=f"{_rows(release.data):,}",
        number_of="counts" if isinstance(release.data, Counts) else "rows",
        panels=steps.panels,
        tables=steps.tables,
        method=[pseudonyms] if len(release.members) else [],
        options=", ".join(
            [str(method or "unnamed method"), *(f"{name} = {plain_number(value)}" for name, value in params.items())]
        ),
        data=release,
        references=PAPERS.get(str(method), ()),
    )


def release_record(release: "Release") -> dict[str, Any]:
    """What may be shown of a release, for JSON; neither its members nor its provenance."""
    left, people = people_left(release)
    return {
        "noun": type(release.data).__name__,
        "pseudonyms": len(release.members),
        "rows": _rows(release.data),
        "people": left,
        "people_before": people,
        "records_before": release.ledger.steps[0].read if release.ledger.steps else None,
        "records_left": records_left(release),
        "params": plain(release.params),
        "claims": plain(release.claims),
        "guarantee": _promise(release),
        "ledger": release.ledger.to_dict(),
    }


def dropped(ledger: Ledger, *, merged: bool) -> dict[str, int]:
    """Records by reason: those that fell together into a published row, or those that are not published."""
    reasons: dict[str, int] = {}
    for step in ledger.steps:
        for reason, n in step.dropped.items():
            if n and (reason in MERGED) == merged:
                reasons[reason] = reasons.get(reason, 0) + n
    return reasons


def records_left(release: "Release") -> float:
    """Share of the records that are in the release; of a row that records share, each is lost as the row is."""
    share = 1.0
    for step in release.ledger.steps:
        lost = sum(n for reason, n in step.dropped.items() if reason not in MERGED)
        share *= 1 - lost / max(step.read, 1)
    return share


def people_left(release: "Release") -> tuple[int, int]:
    """How many people have a published row, and how many there were."""
    if isinstance(release.data, Counts):
        return 0, 0
    rows = np.repeat(np.diff(release.data.offsets), np.diff(release.members.offsets))
    left = len(np.unique(release.members.positions[rows > 0]))
    known = [step.users[0] for step in release.ledger.steps if step.users]
    return left, max(known[0] if known else 0, left)


def heavy_loss(records: float, people: float) -> str:
    """That more than half of the records or a tenth of the people are gone, if they are.

    >>> heavy_loss(0.4, 1.0), heavy_loss(0.9, 0.95)
    ('Left of every 100 records: 40; of every 100 people: 100. Check that this is what you want to publish.', '')
    """
    if records >= FEWEST_RECORDS and people >= FEWEST_PEOPLE:
        return ""
    return (
        f"Left of every 100 records: {100 * records:.0f}; of every 100 people: {100 * people:.0f}. Check that this is "
        "what you want to publish."
    )


def _heavy(release: "Release") -> str:
    if isinstance(release.data, Counts) or not release.ledger.steps:
        return ""
    left, people = people_left(release)
    words = heavy_loss(records_left(release), left / max(people, 1))
    return f"\n{words}" if words else ""


def _promise(release: "Release") -> str:
    """What the manifest states."""
    stated = {"method": release.params.get("method"), "parameters": release.params, "claims": release.claims}
    return guarantee_of(plain(stated))


def published_words(release: "Release") -> str:
    """How many rows or counts are published, in a sentence."""
    data, rows = release.data, _rows(release.data)
    are = "is" if rows == 1 else "are"
    if isinstance(data, Counts):
        slots, cells = data.shape
        size = f"{several(slots, 'slot')} of {several(cells, 'cell')}"
        return f"{several(rows, 'count')} of people {are} published, {size}."
    under = f"published under {several(len(data), 'fresh pseudonym')}."
    if isinstance(data, Fingerprints):
        people = several(int(data.crowd.sum()), "person", "people")
        return f"{several(rows, 'box', 'boxes')} of {people} {are} {under}"
    return f"{several(rows, 'visit' if isinstance(data, Visits) else 'point')} {are} {under}"


def _rows(data: Any) -> int:
    return int(data.n.size if isinstance(data, Counts) else data.records)


def in_release(release: "Release") -> str:
    """How many people and records are in a release, in a sentence; of counts nobody knows."""
    left, people = people_left(release)
    if isinstance(release.data, Counts):
        return ""
    words = of_people(left, people)
    if release.ledger.steps and (read := release.ledger.steps[0].read):
        words += f" and {percent(records_left(release))} of {several(read, 'record')}"
    return f"{words} are in the release."


def detail_words(data: Any, params: Mapping[str, Any]) -> str:
    """How fine published places and times are, and how far noise moves a count."""
    return " ".join(filter(None, (fineness(data).strip(), _noise(params))))


def _noise(params: Mapping[str, Any]) -> str:
    """How far noise moves a published count on average, if it states its law.

    >>> _noise({"scale": 5.0, "mechanism": "discrete laplace"})
    'Noise moves each count by 5.0 people on average, up or down.'
    """
    scale = params.get("scale")
    if not isinstance(scale, int | float) or not 0 < scale < math.inf:
        return ""
    laplace = params.get("mechanism") == "discrete laplace"
    mean = 1 / math.sinh(min(1 / scale, 100)) if laplace else scale * math.sqrt(2 / math.pi)
    return f"Noise moves each count by {mean:,.1f} people on average, up or down."


def _apart(data: Any) -> str:
    """How far the places of counts are from each other, for counts do not say how large a cell is."""
    places = data.xy[np.isfinite(data.xy).all(axis=1)] if isinstance(data, Counts) else ()
    if len(places) < 2:
        return ""
    from scipy.spatial import KDTree

    return f"half of the places are {np.median(KDTree(places).query(places, k=2)[0][:, 1]):,.0f} m or less apart"


def fineness(data: Any) -> str:
    """How large a published place is and how long a published time."""
    if isinstance(data, Fingerprints):
        if not data.records:
            return ""
        crowd = data.crowd[data.owner]
        metres, minutes = (np.median(np.repeat(side, crowd)) for side in (np.maximum(data.dx, data.dy), data.dt))
        return f" Half of the boxes are at most {metres:,.0f} m and {minutes:,.0f} min wide."
    if isinstance(data, Traces):
        return " Places are points, and times are given to the second."
    place = f"no place is finer than {data.cell_m:,g} m" if getattr(data, "cell_m", None) else _apart(data)
    minutes = getattr(data, "slot_min", None) or 0
    length = f"{minutes:,} min" if minutes % DAY_MIN else several(minutes // DAY_MIN, "day")
    time = f"no time is finer than {length}" if minutes else ""
    finest = " and ".join(filter(None, (place, time)))
    return f" {finest[0].upper()}{finest[1:]}." if finest else ""
