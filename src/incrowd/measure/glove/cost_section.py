"""Sections about what hiding cost: how coarse samples became, and what is missing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from incrowd.measure.glove.section import EXTENT, accuracy_panels, ran_on
from incrowd.plain import of_people, percent, several
from incrowd.show import Cdf, Section, Table, curve

if TYPE_CHECKING:
    from incrowd.measure.glove.accuracy import Accuracy, Extents

WHOLE = "Nothing is created: every published box holds an original sample of everybody behind it."
CUT = (
    "Nothing is created: the pieces published of each box cover the original samples in it, but boxes were split where "
    "they overlap in time, and a single piece may hold no sample of some people behind it."
)
NAMES = {
    "pos_extent": "position, extent (m)",
    "time_extent": "time, extent (min)",
    "pos_stretch": "position, stretch of both sides (m)",
    "time_stretch": "time, stretch (min)",
    "pos_center": "position, between centres (m)",
    "time_center": "time, between centres (min)",
}


def section_of_accuracy(result: "Accuracy") -> Section:
    """How coarse the data became, in one section."""
    left = result.original_samples - result.deleted_samples
    hidden = "" if result.k is None else f" to hide everyone among {result.k} people"
    panels = accuracy_panels({"samples": result}, setting=_boxes([result])) if left else ()
    coarse = (
        f"half of the remaining samples are known to {result.median['pos_extent']:,.0f} m and "
        f"{result.median['time_extent']:,.0f} min or better, on average to {result.mean['pos_extent']:,.0f} m and "
        f"{result.mean['time_extent']:,.0f} min."
    )
    names = ("mean", "median", "deleted_samples", "discarded_fingerprints", "after_reshape", "reshape", "k")
    return Section(
        question=f"How coarse did the data become{hidden}?",
        answer=f"{_missing(result)} are missing; {coarse if left else 'nothing remains.'}",
        number=f"{result.median['pos_extent']:,.0f} m" if left else "-",
        number_of="median extent",
        panels=panels,
        tables=[_accuracy_table(result)],
        method=[EXTENT, CUT if result.reshape == "split" else WHOLE],
        options=_options([result]),
        data={**{name: getattr(result, name) for name in names}, "figures": panels},
    )


def section_of_accuracies(results: "Sequence[Accuracy]") -> Section:
    """What larger crowds cost, in one section: a row for each size of the crowd."""
    first, last = results[0], results[-1]
    labels = {f"k = {run.k}": run for run in results if run.deleted_samples < run.original_samples}
    panels = accuracy_panels(labels, setting=_boxes(results)) if labels else ()
    names = [(name, each) for name in ("pos_extent", "time_extent") for each in ("mean", "median")]
    rows = [
        (str(run.k), *(_rounded(getattr(run, each)[name]) for name, each in names), percent(run.deleted_share))
        for run in results
    ]
    extents = [f"{_rounded(run.mean['pos_extent'])} m and {_rounded(run.mean['time_extent'])} min" for run in results]
    return Section(
        question="How coarse do the data become as the crowd grows?",
        answer=f"Remaining samples are known to {extents[0]} on average if everyone hides among {first.k} people, and "
        f"to {extents[-1]} among {last.k}; {_missing(last)} are then missing.",
        number=f"{_rounded(first.mean['pos_extent'])} m",
        number_of=f"mean extent for k = {first.k}",
        panels=panels,
        tables=[
            Table(
                ("k", "mean m", "median m", "mean min", "median min", "deleted"),
                rows,
                "Extent of the box of each remaining sample.",
            )
        ],
        method=[EXTENT, CUT if first.reshape == "split" else WHOLE],
        options=_options(results),
        data={"runs": [{name: getattr(run, name) for name in ("k", "mean", "median")} for run in results]},
    )


def section_of_extents(result: "Extents") -> Section:
    """How coarse published boxes are, in one section."""
    space, time = (curve("boxes", column) for column in (result.pos_extent, result.time_extent))
    coarse = (
        f"half of the boxes are known to {space.at(0.5):,.0f} m and {time.at(0.5):,.0f} min or better"
        if result.boxes
        else "no box is published"
    )
    where = f"n = {result.boxes:,} boxes of {result.groups:,} groups, {result.people:,} people"
    panels = (
        Cdf("published-space", "position known to (m)", "boxes", (space,), f"Longer side ({where}).", log=True),
        Cdf("published-time", "time known to (min)", "boxes", (time,), f"Duration ({where}).", log=True),
    )
    gone = "The release does not say what is missing."
    if result.deleted_samples is not None and result.original_samples is not None:
        people = result.discarded_fingerprints or 0, result.original_fingerprints or 0
        samples = of_people(result.deleted_samples, result.original_samples, "sample", "samples")
        gone = f"{samples} and {of_people(*people)} were deleted."
    counts = ("groups", "people", "boxes", "deleted_samples", "discarded_fingerprints")
    return Section(
        question="How coarse is what was published?",
        answer=f"{several(result.people, 'person', 'people')} in {several(result.groups, 'group')}; {coarse}. {gone}",
        number=f"{space.at(0.5):,.0f} m" if result.boxes else "-",
        number_of="median extent of a box",
        panels=panels if result.boxes else (),
        method=[
            "Every published box counts once for each person behind it; what is missing is taken from the release."
        ],
        options=f"{result.boxes:,} boxes",
        data={**{name: getattr(result, name) for name in counts}, "figures": panels},
        references=("gramaglia2015",),
    )


def _rounded(value: float) -> str:
    return "-" if value != value else f"{value:,.0f}"


def _missing(result: "Accuracy") -> str:
    samples = of_people(result.deleted_samples, result.original_samples, "sample", "samples")
    return f"{samples} and {of_people(result.discarded_fingerprints, result.original_fingerprints)}"


def _boxes(results: "Sequence[Accuracy]") -> str:
    when = "boxes after reshaping" if results[0].after_reshape else "boxes before reshaping"
    crowds = [str(run.k) for run in results if run.k is not None]
    return f"k = {', '.join(crowds)}, {when}" if crowds else when


def _options(results: "Sequence[Accuracy]") -> str:
    first = results[0]
    ran = f"; {ran_on({run.k: run.device for run in results})}" if all(run.device for run in results) else ""
    return f"{_boxes(results)}; {first.original_fingerprints:,} people, {first.original_samples:,} samples{ran}"


def _accuracy_table(result: "Accuracy") -> Table:
    def row(words: str, name: str) -> tuple[str, ...]:
        return (words, f"{result.mean[name]:,.1f}", f"{result.median[name]:,.1f}")

    rows = [row(words, name) for name, words in NAMES.items()]
    published = ("pos_extent", "time_extent")
    rows += [row(f"{NAMES[name]}, per published box and person", f"{name}_pub") for name in published]
    return Table(("", "mean", "median"), rows, f"Over surviving samples, {_boxes([result])}.")
