"""Sections about hiding whole fingerprints: how far people are from it, why, and what it cost."""

from collections.abc import Mapping, Sequence

import numpy as np

from incrowd.measure.glove.accuracy import MEASURES, Accuracy
from incrowd.measure.glove.kgap import KGap
from incrowd.measure.glove.tails import Tails
from incrowd.report.curves import Cdf, curve, drawing
from incrowd.report.section import Grid, Section, section

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
HEAVY = 1.5  # tails from here on are called heavy [gramaglia2015, Sec. 5.3]
GAP = (
    "A k-gap is the mean stretch to the k - 1 most alike people, between 0 (they look alike already) and 1 (every "
    "sample would have to grow by 20 km and 8 hours or more); space and time count half each, and of two equally "
    "long fingerprints the cheaper direction counts [gramaglia2015, Eqs. 1-11]."
)
TWI = (
    "The tail weight is (Q(.99) - Q(.5)) / (Q(.75) - Q(.5)) over that of a Gaussian: 1 is Gaussian, 1.6 exponential, "
    "14 a Pareto tail of shape 1. It is taken over the sample stretches to the k - 1 most alike people; where they do "
    "not vary it is undefined and left out [gramaglia2015, Sec. 5.3]."
)
EXTENT = (
    "Every surviving original sample is looked up in the box that generalises it: its extent is the longer side and "
    "the duration of that box, its centre error the distance between both centres [gramaglia2015, Sec. 7]."
)
WHOLE = "Nothing is created: every published box holds an original sample of everybody behind it."
CUT = (
    "Nothing is created: the pieces published of each box cover the original samples in it, but boxes were split where "
    "they overlap in time, and a single piece may hold no sample of some behind it."
)
NAMES = {
    "pos_extent": "position, extent (m)",
    "time_extent": "time, extent (min)",
    "pos_stretch": "position, stretch of both sides (m)",
    "time_stretch": "time, stretch (min)",
    "pos_center": "position, between centres (m)",
    "time_center": "time, between centres (min)",
}


@section.register
def _kgap(result: KGap) -> Section:
    panel = gap_panel({f"k = {result.k}": result.value}, users=result.users, setting=f"k = {result.k}")
    alike, half = int((result.value == 0).sum()), panel.curves[0].at(0.5)
    others = "another" if result.k == 2 else f"{result.k - 1:,} others"
    return Section(
        question=f"How far is everybody from hiding among {result.k}?",
        answer=(
            f"{alike:,} of {result.users:,} people look like {others} already; half have a "
            f"{result.k}-gap of at most {half:.3f}, the hardest to hide {result.value.max():.3f}."
        ),
        number=f"{half:.3f}",
        number_of=f"median {result.k}-gap",
        drawings=[drawing(panel)],
        tables=[quantiles([("k-gap", result.value)], "Quantiles over people.")],
        method=[GAP],
        data={"k": result.k, "users": result.users, "device": result.device, "figure": panel},
    )


@section.register
def _tails(result: Tails) -> Section:
    panels = tail_panels(result)
    heavy = {name: int((getattr(result, name) >= HEAVY).sum()) for name in ("delta", "space", "time")}
    share = curve("", result.share)
    part = f"for half of the people time makes up {share.at(0.5):.0%} of the effort or more."
    return Section(
        question="Why are people hard to hide?",
        answer=(
            f"{heavy['delta']:,} of {result.users:,} people have a heavy tail of samples that are hard to match in "
            f"space and time together, {heavy['time']:,} in time alone, {heavy['space']:,} in space alone; "
            f"{part if share.n else 'nobody takes any effort to match, as all look alike already.'}"
        ),
        number=f"{heavy['delta'] / result.users:.0%}",
        number_of="of people with a heavy tail of space and time together",
        drawings=[drawing(panel) for panel in panels],
        tables=[_tail_table(result)],
        method=[TWI, f"A tail is called heavy from {HEAVY} on."],
        data={"k": result.k, "users": result.users, "heavy": heavy, "figures": panels},
    )


@section.register
def _accuracy(result: Accuracy) -> Section:
    kept = result.original_samples - result.deleted_samples
    hidden = "" if result.k is None else f" to hide everybody among {result.k}"
    panels = accuracy_panels({"samples": result}, setting=_boxes(result)) if kept else ()
    coarse = (
        f"half of the surviving samples are known to {result.median['pos_extent']:,.0f} m and "
        f"{result.median['time_extent']:,.0f} min or better, on average to {result.mean['pos_extent']:,.0f} m and "
        f"{result.mean['time_extent']:,.0f} min."
    )
    return Section(
        question=f"How coarse have the data become{hidden}?",
        answer=(
            f"{result.deleted_share:.1%} of {result.original_samples:,} samples and {result.discarded_share:.1%} of "
            f"{result.original_fingerprints:,} people are missing; {coarse if kept else 'nothing survives.'}"
        ),
        number=f"{result.median['pos_extent']:,.0f} m" if kept else "-",
        number_of="median extent",
        drawings=[drawing(panel) for panel in panels],
        tables=[_accuracy_table(result)],
        method=[EXTENT, CUT if result.reshape == "split" else WHOLE],
        data={
            "mean": result.mean,
            "median": result.median,
            "deleted_samples": result.deleted_samples,
            "discarded_fingerprints": result.discarded_fingerprints,
            "after_reshape": result.after_reshape,
            "reshape": result.reshape,
            "k": result.k,
            "figures": panels,
        },
    )


def gap_panel(gaps: Mapping[str, np.ndarray], *, users: int, setting: str, name: str = "k-gap") -> Cdf:
    """Distributions of k-gaps over people, by label."""
    caption = f"Distribution of the k-gap (n = {users:,} people, {setting}; 0 looks alike, 1 is completely isolated)."
    return Cdf(name, "k-gap", "people", tuple(curve(label, value) for label, value in gaps.items()), caption)


def tail_panels(tails: Tails) -> tuple[Cdf, Cdf, Cdf]:
    """Tail weights, temporal-to-spatial ratios and temporal shares over people."""
    columns = (("both", tails.delta), ("space", tails.space), ("time", tails.time))
    weights = tuple(curve(label, values) for label, values in columns)
    ratio, share = curve("ratio", tails.ratio), curve("share", tails.share)
    where = f"n = {tails.users:,} people, k = {tails.k}"
    crowd = f"{where}, {share.n:,} with any effort"
    defined = ", ".join(f"{one.n:,} {one.label}" for one in weights)
    heavy = f"from {HEAVY} on a tail is heavy; one without a middle to compare with lies beyond the right end"
    captions = (
        f"Tail weights of sample stretches ({where}; defined for {defined}; {heavy}).",
        f"Ratio of temporal to spatial effort ({crowd}; whoever has no spatial effort lies beyond the right end).",
        f"Temporal part of the whole effort ({crowd}).",
    )
    return (
        Cdf("tail-weight", "tail weight", "people", weights, captions[0], log=True),
        Cdf("ratio", "temporal over spatial effort", "people", (ratio,), captions[1], log=True),
        Cdf("share", "temporal part of the effort", "people", (share,), captions[2]),
    )


def accuracy_panels(
    runs: Mapping[str, Accuracy], *, setting: str, name: str = "accuracy", samples: bool = True
) -> tuple[Cdf, Cdf]:
    """Distributions of the spatial and temporal extent over surviving samples, by label."""
    first = next(iter(runs.values()))
    n = f"n = {first.original_samples - first.deleted_samples:,} samples of " if samples else "n = "
    where = f"{n}{first.original_fingerprints:,} people, {setting}"
    axes = (("pos_extent", "position", "m", "space"), ("time_extent", "time", "min", "time"))
    space, time = (
        Cdf(
            f"{name}-{short}",
            f"{what} known to ({unit})",
            "samples",
            tuple(curve(label, getattr(run, key)) for label, run in runs.items()),
            f"Extent in {short} of the box each original sample is in ({where}).",
            log=True,
        )
        for key, what, unit, short in axes
    )
    return space, time


def quantiles(rows: Sequence[tuple[str, np.ndarray]], caption: str) -> Grid:
    """A table of quantiles, one row per array; nan is left out."""
    curves = [curve(label, values) for label, values in rows]
    cells = [(one.label, *(_value(one.at(share)) for share in SHARES)) for one in curves]
    return Grid(("", *(f"{share:.0%}" for share in SHARES)), cells, caption)


def _value(value: float) -> str:
    return "infinite" if value == np.inf else f"{value:.4g}"


def _boxes(result: Accuracy) -> str:
    when = "boxes after reshaping" if result.after_reshape else "boxes before reshaping"
    return when if result.k is None else f"k = {result.k}, {when}"


def _tail_table(result: Tails) -> Grid:
    rows = [
        ("tail weight", result.delta),
        ("tail weight, space", result.space),
        ("tail weight, time", result.time),
        ("temporal over spatial", result.ratio),
        ("temporal part", result.share),
    ]
    return quantiles(rows, "Quantiles over the people it is defined for.")


def _accuracy_table(result: Accuracy) -> Grid:
    rows = [(NAMES[name], f"{result.mean[name]:,.1f}", f"{result.median[name]:,.1f}") for name in MEASURES]
    for name in ("pos_extent_pub", "time_extent_pub"):
        label = f"{NAMES[name.removesuffix('_pub')]}, per published box and person"
        rows.append((label, f"{result.mean[name]:,.1f}", f"{result.median[name]:,.1f}"))
    return Grid(("", "mean", "median"), rows, f"Over surviving samples, {_boxes(result)}.")
