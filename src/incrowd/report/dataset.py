"""Sections about the data themselves: what is there, and what happened to every record."""

from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.ledger import Ledger
from incrowd.measure._summary import Summary
from incrowd.plain import several
from incrowd.report.section import Drawing, Grid, Section, section
from incrowd.report.style import COLOURS, INK, MAP, MUTED, PALE, canvas, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OUTSIDE = (
    "A record is far outside if it is beyond the middle 99 % of records by more than half of their side, and the box "
    "of all records is more than 4 times as long as theirs."
)
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@section.register
def _summary(result: Summary) -> Section:
    typical = result.records_per_user.get("50%")
    each = "" if typical is None else f"; a typical person has {typical:,.0f} records"
    over = "" if result.days is None else f" over {several(result.days, 'day')}{_dates(result)}"
    return Section(
        question="What is in the data?",
        answer=(
            f"{result.users:,} people left {result.records:,} records{over}, nearly all within "
            f"{result.width_km:,.0f} by {result.height_km:,.0f} km{each}."
        ),
        number=f"{result.users:,}",
        number_of="people",
        drawings=[_map(result), *_rhythm(result), *_sizes(result)],
        tables=[*_quantile_table(result), _stray_table(result)],
        method=[
            f"The map counts people, not records; cells with fewer than {result.min_people} are blank.",
            f"Days and hours of the week with fewer than {result.min_people} people are left out.",
            f"A quantile is left out if fewer than {result.min_people} people are below or above it.",
            "The map and the extent cover the middle 99 % of records each way.",
            f"Days and hours are those of {result.time_zone}.",
            "Quantiles are over people (records) and over pairs of consecutive records (minutes).",
            "Records at (0, 0) are in neither map nor extent.",
            OUTSIDE,
        ],
        data=result,
    )


def _dates(result: Summary) -> str:
    return f" ({result.first_day} to {result.last_day}, {result.time_zone})" if result.first_day else ""


@section.register
def _ledger(result: Ledger) -> Section:
    first, last = result.steps[0], result.steps[-1]
    read = first.read + sum(first.created.values())
    lost = sum(sum(step.dropped.values()) for step in result.steps)
    created = sum(sum(step.created.values()) for step in result.steps[1:])
    made = f", {created:,} were added" if created else ""
    return Section(
        question="What happened to every record?",
        answer=f"{read:,} records came in, {lost:,} left on the way{made}, {last.kept:,} remain; every step adds up.",
        number=f"{last.kept:,}",
        number_of="records remain",
        drawings=[_waterfall(result)],
        tables=[_ledger_table(result)],
        method=["Each step satisfies read + created = kept + dropped; a step that does not cannot be recorded."],
        data=result,
        number_at=(len(result.steps) - 1, "kept"),
    )


def _ledger_table(ledger: Ledger) -> Grid:
    rows = [
        (
            step.name,
            f"{step.read:,}",
            f"{step.kept:,}",
            f"{sum(step.dropped.values()):,}",
            f"{step.users[1]:,}" if step.users else "",
            ", ".join(step.reasons()),
        )
        for step in ledger.steps
    ]
    return Grid(("step", "read", "kept", "dropped", "users", "why"), rows)


def _waterfall(ledger: Ledger) -> Drawing:
    reasons = [(step.name, why, n) for step in ledger.steps for why, n in step.dropped.items() if n]
    with canvas(height_in=0.7 + 0.32 * max(len(reasons), 1)) as (figure, axes):
        _draw_drops(axes, reasons)
        drawing = svg(figure)
    alt = "; ".join(f"{name}: {n:,} {why}" for name, why, n in reasons) or "no record was dropped"
    return Drawing(drawing, "Records dropped, by step and reason.", f"Bar chart of dropped records: {alt}.")


def _draw_drops(axes: "Axes", reasons: list[tuple[str, str, int]]) -> None:
    if not reasons:
        axes.text(0.5, 0.5, "no record was dropped", ha="center", va="center", color=MUTED)
        axes.set_axis_off()
        return
    rows = range(len(reasons))
    counts = [n for _, _, n in reasons]
    axes.barh(rows, counts, color=COLOURS[1], height=0.6)
    axes.set_yticks(rows, [f"{name}: {why}" for name, why, _ in reasons], color=INK)
    axes.invert_yaxis()
    axes.set_xlim(0, max(counts) * 1.15)
    axes.spines["left"].set_visible(False)
    axes.tick_params(left=False)
    for row, n in zip(rows, counts, strict=True):
        axes.annotate(f"{n:,}", (n, row), xytext=(4, 0), textcoords="offset points", va="center")
    axes.set_xlabel("records")


def _map(result: Summary) -> Drawing:
    from matplotlib.colors import LogNorm

    people = np.ma.masked_less(result.users_in_cell, 0)
    rows, columns = people.shape
    size = (result.cell_km * columns, result.cell_km * rows)
    with canvas(height_in=min(5.6, max(2.2, 4.2 * size[1] / size[0] + 0.4))) as (figure, axes):
        # With no cell to show the scale still needs an end.
        norm = LogNorm(result.min_people, max(int(people.filled(0).max()), result.min_people + 1))
        image = axes.imshow(people, origin="lower", extent=(0, size[0], 0, size[1]), cmap=MAP, norm=norm)
        figure.colorbar(image, ax=axes, label="people seen", fraction=0.04, pad=0.02)
        _scale_bar(axes, size[0])
        drawing = svg(figure)
    cells = people.count()
    caption = (
        f"People per cell of {result.cell_km:.2g} km (n = {result.users:,}); {cells:,} cells are shown, those "
        f"with fewer than {result.min_people} people are blank."
    )
    return Drawing(
        drawing, caption, f"Map of {rows} by {columns} cells coloured by people seen; {cells} hold enough to be shown."
    )


def _scale_bar(axes: "Axes", width_km: float) -> None:
    """A round length below the map, instead of ticks; a frame says where the map ends."""
    size = 10 ** np.floor(np.log10(width_km / 4))
    length = size * max(step for step in (1, 2, 5) if step * size <= width_km / 4)
    below: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False}
    axes.plot([0, length], [-0.03, -0.03], color=INK, linewidth=2, solid_capstyle="butt", **below)
    axes.text(length, -0.03, f" {length:g} km, north is up", va="center", color=INK, **below)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[["top", "right"]].set_visible(True)
    axes.spines[:].set_color(PALE)


def _rhythm(result: Summary) -> list[Drawing]:
    """Nothing if no hour of the week has enough people."""
    if not result.day_parts:
        return []
    share = result.hour_of_week / result.records
    with canvas(height_in=2.4) as (figure, axes):
        axes.fill_between(np.arange(168), share, step="mid", color=COLOURS[0], alpha=0.85, linewidth=0)
        axes.set_xticks(np.arange(0, 168, 24) + 12, DAYS)
        axes.set_xlim(0, 168)
        axes.set_ylim(0)
        axes.set_ylabel("share of records per hour")
        drawing = svg(figure)
    peak, zone = int(share.argmax()), result.time_zone
    alt = f"Share of records in each hour of the week; highest on {DAYS[peak // 24]} at {peak % 24:02}:00, {zone}."
    caption = f"Rhythm of the week from Monday 00:00, {zone} (n = {result.records:,} records)."
    return [Drawing(drawing, caption, alt)]


def _sizes(result: Summary) -> list[Drawing]:
    """Without those few at each end; nothing if too few are between them."""
    median = result.records_per_user.get("50%")
    if median is None:
        return []
    with canvas(height_in=2.6) as (figure, axes):
        shares = (np.arange(len(result.sizes)) + result.min_people) / result.users
        axes.step(result.sizes, shares, where="post", color=COLOURS[0])
        axes.set_xscale("log")
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("records of a person, at most")
        axes.set_ylabel("share of people")
        drawing = svg(figure)
    caption = (
        f"Records per person (n = {result.users:,}); half have at most {median:,.0f}. The {result.min_people - 1} "
        "people with fewest and with most records are not drawn."
    )
    return [Drawing(drawing, caption, f"Cumulative distribution of records per person, median {median:,.0f}.")]


def _stray_table(result: Summary) -> Grid:
    counts = {
        "at (0, 0), without a place": result.at_zero_records,
        "far outside the box of the others": result.outside_records,
        "exact duplicates of another": result.duplicate_records,
    }
    return Grid(("", "records"), [(what, f"{n:,}") for what, n in counts.items()], "Strays and duplicates.")


def _quantile_table(result: Summary) -> list[Grid]:
    quantiles = result.records_per_user
    if not quantiles:
        return []
    gaps = [f"{result.minutes_between[q]:,.1f}" if q in result.minutes_between else "" for q in quantiles]
    rows = [("records per person", *(f"{v:,.0f}" for v in quantiles.values())), ("minutes between records", *gaps)]
    return [Grid(("", *quantiles), rows, "Quantiles.")]
