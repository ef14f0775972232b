"""Sections about hiding whole fingerprints: how far people are from it, and why; the panels of all of GLOVE."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from incrowd.plain import of_people, percent, several
from incrowd.show import Cdf, Section, Table, curve

if TYPE_CHECKING:
    from incrowd.measure.glove import KGap, Tails
    from incrowd.measure.glove.accuracy import Accuracy

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
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


def section_of_gaps(results: "Sequence[KGap]") -> Section:
    """One section for the k-gaps of one dataset; the answer is that of the first."""
    first = results[0]
    setting = f"k = {', '.join(str(gap.k) for gap in results)}"
    panel = gap_panel({f"k = {gap.k}": gap.value for gap in results}, users=first.users, setting=setting)
    half = panel.curves[0].at(0.5)
    others = _listed([str(gap.k - 1) for gap in results]) if len(results) > 1 or first.k > 2 else "one"
    plural = "person" if others in ("1", "one") else "people"
    rows = [
        (str(gap.k), f"{_alike(gap):,}", *(_value(line.at(share)) for share in SHARES))
        for gap, line in zip(results, panel.curves, strict=True)
    ]
    like = "one other person" if first.k == 2 else f"{first.k - 1:,} other people"
    return Section(
        question=f"How much blurring until everyone looks like {others} other {plural}? (0: none, 1: 20 km and 8 h)",
        answer=f"{of_people(_alike(first), first.users, *_whom(first))} look like {like} without any blurring; half "
        f"need at most {half:.3f} on a scale from 0 (none) to 1 (20 km and 8 h), and the one hardest to hide needs "
        f"{first.value.max():.3f}.",
        number=f"{half:.3f}",
        number_of=f"median {first.k}-gap",
        panels=[panel],
        tables=[Table(("k", "need none", *_heads()), rows, f"k-gap by quantile of {_whom(first)[1]}.")],
        method=[GAP],
        options=f"{setting}; {_people(first)}; {ran_on({gap.k: gap.device for gap in results})}",
        data={"k": [gap.k for gap in results], "users": first.users, "device": first.device, "figure": panel},
    )


def section_of_tails(result: "Tails") -> Section:
    """Why people are hard to hide, in one section."""
    panels = tail_panels(result)
    heavy = {name: int((getattr(result, name) >= HEAVY).sum()) for name in ("delta", "space", "time")}
    all_of, space, time = (of_people(heavy[name], result.users, *_whom(result)) for name in heavy)
    share = curve("", result.share)
    part = f"For half of all people time makes up {percent(share.at(0.5), 0)} of the blurring or more."
    rows = [
        ("tail weight", result.delta),
        ("tail weight, space", result.space),
        ("tail weight, time", result.time),
        ("temporal over spatial", result.ratio),
        ("temporal part", result.share),
    ]
    return Section(
        question="Why are people hard to hide?",
        answer=f"{all_of} have a heavy tail: a few samples that are much harder to match than the others. In time "
        f"alone it is {time}, in space alone {space}. "
        f"{part if share.n else 'Nobody needs any blurring, because all look alike already.'}",
        number=percent(heavy["delta"] / result.users, 0),
        number_of="of people with a heavy tail of space and time together",
        panels=panels,
        tables=[quantiles(rows, "Quantiles over the people it is defined for.", counted=True)],
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
    return Table(("", *(["defined"] if counted else []), *_heads()), cells, caption)


def _heads() -> list[str]:
    return [percent(share, 0) for share in SHARES]


def _value(value: float) -> str:
    return "unbounded" if value == np.inf else "-" if value != value else f"{value:.4g}"


def _alike(gap: "KGap") -> int:
    return int((gap.value == 0).sum())


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


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
