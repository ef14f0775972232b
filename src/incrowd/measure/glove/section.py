"""Sections about hiding whole fingerprints: how far people are from it, and why; what it cost; panels of all of it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from incrowd.plain import of_people, percent, several
from incrowd.show import Cdf, Section, Table, curve

if TYPE_CHECKING:
    from incrowd.measure.glove import KGap, Tails
    from incrowd.measure.glove.accuracy import Accuracy, Extents


SHARES = (0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
HEADS = [percent(share, 0) for share in SHARES]
HEAVY = 1.5  # tails from here on are called heavy [gramaglia2015, Sec. 5.3]
GAP = (
    "A k-gap is the mean stretch to the k - 1 most similar people, between 0 (they look alike already) and 1 (every "
    "sample would have to grow by 20 km and 8 hours or more); space and time count half each, and of two equally "
    "long fingerprints the cheaper direction counts [gramaglia2015, Eqs. 1-11]."
)
TWI = (
    "The tail weight is (Q(.99) - Q(.5)) / (Q(.75) - Q(.5)) over that of a Gaussian: 1 is Gaussian, 1.6 exponential, "
    "14 a Pareto tail of shape 1. It is taken over the sample stretches to the k - 1 most similar people; if they do "
    "not vary it is undefined and left out [gramaglia2015, Sec. 5.3]."
)
UNBOUNDED = (
    "Unbounded means, for a tail weight, that only the highest stretches differ from the median and, for the ratio, "
    "that all blurring is in time."
)
EXTENT = (
    "Every surviving original sample is looked up in the box that generalises it: its extent is the longer side and "
    "the duration of that box, its centre error the distance between both centres [gramaglia2015, Sec. 7]."
)
HEADS_OF_CROWDS = ("k", "mean m", "median m", "mean min", "median min", "deleted")
COUNTED = "Every published box counts once for each person behind it; what is missing is taken from the release."
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
    "pos_extent_pub": "position, extent (m), per published box and person",
    "time_extent_pub": "time, extent (min), per published box and person",
}


def section_of_gaps(results: "Sequence[KGap]") -> Section:
    """One section for the k-gaps of one dataset; the answer is that of the first."""
    first = results[0]
    setting = f"k = {', '.join(str(gap.k) for gap in results)}"
    panel = gap_panel({f"k = {gap.k}": gap.value for gap in results}, users=first.users, setting=setting)
    half = panel.curves[0].at(0.5)
    crowds = [str(gap.k - 1) for gap in results]
    others = " or ".join(filter(None, (", ".join(crowds[:-1]), crowds[-1])))
    others, plural = ("one", "person") if others == "1" else (others, "people")
    rows = [
        (str(gap.k), f"{_alike(gap):,}", *(_value(line.at(share)) for share in SHARES))
        for gap, line in zip(results, panel.curves, strict=True)
    ]
    drawn = "" if first.among is None else f" drawn from {first.among:,}, seed {first.seed}"
    like = "one other person" if first.k == 2 else f"{first.k - 1:,} other people"
    return Section(
        question=f"How much blurring until everyone looks like {others} other {plural}? (0: none, 1: 20 km and 8 h)",
        answer=f"{of_people(_alike(first), first.users, *_whom(first))} look like {like} without any blurring; half "
        f"need at most {half:.3f} on a scale from 0 (none) to 1 (20 km and 8 h), and the one hardest to hide needs "
        f"{first.value.max():.3f}.",
        number=f"{half:.3f}",
        number_of=f"median {first.k}-gap",
        panels=[panel],
        tables=[Table(("k", "need none", *HEADS), rows, f"k-gap by quantile of {_whom(first)[1]}.")],
        method=[GAP],
        options=f"{setting}; {_people(first)}{drawn}; {ran_on({gap.k: gap.device for gap in results})}",
        data={"k": [gap.k for gap in results], "users": first.users, "device": first.device, "figure": panel},
    )


def section_of_tails(result: "Tails") -> Section:
    """Why people are hard to hide, in one section."""
    panels = tail_panels(result)
    heavy = {name: int((getattr(result, name) >= HEAVY).sum()) for name in ("delta", "space", "time")}
    all_of, space, time = (of_people(heavy[name], result.users, *_whom(result)) for name in heavy)
    share = curve("", result.share)
    part = f"For half of all people time makes up {percent(share.at(0.5), 0)} of the blurring or more."
    names = ("tail weight", "tail weight, space", "tail weight, time", "temporal over spatial", "temporal part")
    values = (result.delta, result.space, result.time, result.ratio, result.share)
    return Section(
        question="Why are people hard to hide?",
        answer=f"{all_of} have a heavy tail: a few samples that are much harder to match than the others. In time "
        f"alone it is {time}, in space alone {space}. "
        f"{part if share.n else 'Nobody needs any blurring, because all look alike already.'}",
        number=percent(heavy["delta"] / result.users, 0),
        number_of="of people with a heavy tail of space and time together",
        panels=panels,
        tables=[
            quantiles(
                list(zip(names, values, strict=True)), "Quantiles over the people it is defined for.", counted=True
            )
        ],
        method=[TWI, f"A tail is called heavy from {HEAVY} on. {UNBOUNDED}"],
        options=f"k = {result.k}; {_people(result)}; {ran_on({result.k: result.device})}",
        data={"k": result.k, "users": result.users, "heavy": heavy, "figures": panels},
    )


def gap_panel(gaps: Mapping[str, np.ndarray], *, users: int, setting: str, name: str = "k-gap") -> Cdf:
    """Distributions of k-gaps over people, by label."""
    caption = f"Distribution of the k-gap (n = {users:,} people, {setting}; 0 looks alike, 1 is completely isolated)."
    return Cdf(name, "k-gap", "people", tuple(curve(label, value) for label, value in gaps.items()), caption)


def tail_panels(tails: "Tails") -> tuple[Cdf, Cdf, Cdf]:
    """Tail weights, temporal-to-spatial ratios and temporal shares over people."""
    columns = (("both", tails.delta), ("space", tails.space), ("time", tails.time))
    weights = tuple(curve(label, values) for label, values in columns)
    ratio, share = curve("ratio", tails.ratio), curve("share", tails.share)
    where = f"n = {tails.users:,} people, k = {tails.k}"
    crowd = f"{where}, {share.n:,} with any effort"
    defined = ", ".join(f"{weight.n:,} {weight.label}" for weight in weights)
    heavy = f"from {HEAVY} on a tail is heavy; one without a middle to compare with lies beyond the right end"
    captions = (
        f"Tail weights of sample stretches ({where}; defined for {defined}; {heavy}).",
        f"Ratio of temporal to spatial effort ({crowd}; people without spatial effort lie beyond the right end).",
        f"Temporal part of the whole effort ({crowd}).",
    )
    return (
        Cdf("tail-weight", "tail weight", "people", weights, captions[0], log=True),
        Cdf("ratio", "temporal over spatial effort", "people", (ratio,), captions[1], log=True),
        Cdf("share", "temporal part of the effort", "people", (share,), captions[2]),
    )


def accuracy_panels(
    runs: "Mapping[str, Accuracy]", *, setting: str, name: str = "accuracy", samples: bool = True
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


def quantiles(rows: Sequence[tuple[str, np.ndarray]], caption: str, *, counted: bool = False) -> Table:
    """A table of quantiles, one row per array; nan is left out, and the others counted if asked for."""
    curves = [curve(label, values) for label, values in rows]
    cells = [
        (line.label, *([f"{line.n:,}"] if counted else []), *(_value(line.at(share)) for share in SHARES))
        for line in curves
    ]
    return Table(("", *(["defined"] if counted else []), *HEADS), cells, caption)


def _value(value: float) -> str:
    return "unbounded" if value == np.inf else "-" if value != value else f"{value:.4g}"


def _alike(gap: "KGap") -> int:
    return int((gap.value == 0).sum())


def _whom(result: "KGap | Tails") -> tuple[str, str]:
    """Whom the rows of a result are about: people, or groups of them if they were published as such."""
    return ("person", "people") if result.people in (None, result.users) else ("group", "groups")


def _people(result: "KGap | Tails") -> str:
    people = several(result.people or result.users, "person", "people")
    return people if _whom(result)[0] == "person" else f"{several(result.users, 'group')} of {people}"


def ran_on(devices: Mapping[int | None, str | None]) -> str:
    """Where it ran; for each k, if not all in one place."""
    if len(set(devices.values())) == 1:
        return f"on the {str(next(iter(devices.values()))).upper()}"
    return ", ".join(f"k = {k} on the {str(device).upper()}" for k, device in devices.items())


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
        tables=[Table(HEADS_OF_CROWDS, rows, "Extent of the box of each remaining sample.")],
        method=[EXTENT, CUT if first.reshape == "split" else WHOLE],
        options=_options(results),
        data={"runs": [{name: getattr(run, name) for name in ("k", "mean", "median")} for run in results]},
    )


def section_of_extents(result: "Extents") -> Section:
    """How coarse published boxes are, in one section."""
    space, time = (curve("boxes", column) for column in (result.pos_extent, result.time_extent))
    coarse = "no box is published"
    if result.boxes:
        coarse = f"half of the boxes are known to {space.at(0.5):,.0f} m and {time.at(0.5):,.0f} min or better"
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
        method=[COUNTED],
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
    rows = [(words, f"{result.mean[name]:,.1f}", f"{result.median[name]:,.1f}") for name, words in NAMES.items()]
    return Table(("", "mean", "median"), rows, f"Over surviving samples, {_boxes([result])}.")
