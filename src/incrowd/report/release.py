"""Sections about a release: what was published, what it is still good for, and whether it keeps its promises."""

from incrowd.audit import Verdict
from incrowd.data import Release
from incrowd.measure import Utility
from incrowd.measure._displacement import Displacement
from incrowd.measure.glove.extents import Extents
from incrowd.plain import percent, several
from incrowd.report.curves import Cdf, curve, drawing
from incrowd.report.section import Grid, Section, section

COUNTS = (
    ("created_samples", "created: by which trajectories grew"),
    ("deleted_samples", "deleted: by which they shrank, and all of trashed people"),
    ("deleted_with_users", "deleted with trashed people"),
    ("repeated_samples", "rows that show a point again"),
    ("dropped_samples", "points of published people in no row"),
)
MOVED = (("center", "surviving point"), ("row", "published row"), ("moved", "row that was moved"))


@section.register
def _displacement(result: Displacement) -> Section:
    return Section(
        question="How true are the published points?",
        answer=(
            f"{result.created_share:.1%} of {result.original_samples:,} points were fabricated and "
            f"{result.deleted_share:.1%} are gone, with {result.discarded_fingerprints:,} of "
            f"{result.original_fingerprints:,} people; a surviving point is on average "
            f"{result.mean['pos_center']:,.0f} m and {result.mean['time_center']:,.0f} min from where it was."
        ),
        number=f"{result.mean['pos_center']:,.0f} m",
        number_of="mean displacement",
        tables=[
            Grid(("", "points"), [(words, f"{getattr(result, name):,}") for name, words in COUNTS]),
            Grid(("per", "mean m", "median m", "mean min", "median min"), [_row(result, *one) for one in MOVED]),
        ],
        method=[
            "Trajectories are bent to the times and into the cylinder of another one, so that no row need be true.",
            "A point that survives is compared with the first row that shows it.",
        ],
        data={"mean": result.mean, "median": result.median, **{name: getattr(result, name) for name, _ in COUNTS}},
        references=("abul2010", "gramaglia2015"),
    )


def _row(result: Displacement, kind: str, words: str) -> tuple[str, ...]:
    values = (each[f"{axis}_{kind}"] for axis in ("pos", "time") for each in (result.mean, result.median))
    return (words, *(f"{value:,.1f}" for value in values))


SOURCE = {None: "an unknown source", True: "a seed, which whoever has it can use", False: "the operating system"}
PAPERS = {
    "cut": ("song2014",),
    "generalize": ("tan2017",),
    "lkc": ("mohammed2009",),
    "glove": ("gramaglia2015",),
    "w4m": ("abul2010", "gramaglia2015"),
}
MARK = {"pass": "pass", "fail": "FAIL", "not applicable": "\N{EN DASH}"}


@section.register
def _release(result: Release) -> Section:
    params = {name: value for name, value in result.params.items() if value is not None}
    method = params.pop("method", "an unnamed method")
    seeded = params.pop("pseudonym_seed_given", None)
    stated = ", ".join(f"{name} = {value}" for name, value in params.items()) or "no parameters"
    return Section(
        question="What was published?",
        answer=(
            f"{method} ({stated}) publishes {result.data.records:,} rows under {len(result.data):,} fresh pseudonyms. "
            f"Guarantee: {result.guarantee}"
        ),
        number=f"{len(result.data):,}",
        number_of="pseudonyms",
        method=[f"Pseudonyms come from {SOURCE[seeded]}; rows are ordered by them, so order says nothing."],
        data={"params": params, "claims": result.claims, "guarantee": result.guarantee, "ledger": result.ledger},
        references=PAPERS.get(str(method).lower(), ()),
    )


@section.register
def _verdict(result: Verdict) -> Section:
    failed = len(result.failed)
    done = sum(check.status != "not applicable" for check in result.checks)
    rows = [(check.name, MARK[check.status], check.evidence) for check in result.checks]
    return Section(
        question="Does the release keep its promises?",
        answer=(f"{failed} of {done} checks that apply failed." if failed else f"All {done} checks that apply passed."),
        number="fail" if failed else "pass",
        number_of="audit",
        tables=[Grid(("check", "result", "why"), rows)],
        method=["The auditor shares no code with the methods: it recomputes each claim from its definition."],
        data=result,
    )


@section.register
def _utility(result: Utility) -> Section:
    kept = result.visits_shared
    return Section(
        question="What is the release still good for?",
        answer=(
            f"{several(result.visits[1], 'visit')} published, {result.visits[0]:,} before"
            + ("" if kept is None else f"; visits per cell and slot agree to {kept:.1%}")
            + ("" if result.trips_shared is None else f", trips between cells to {result.trips_shared:.1%}")
            + "."
        ),
        number=percent(kept),
        number_of="of visits per cell and slot kept",
        tables=[
            Grid(
                ("", "before", "after", "agreement"),
                result.rows(),
                f"Visits as each side counts them; trips and agreement on common cells of {result.cell_m:,g} m in "
                f"slots of {result.slot_min:,} min, never finer than either side.",
            )
        ],
        method=[
            "Agreement is the common part of two tables of counts, 2 Σ min(a, b) / (Σ a + Σ b).",
            "Distances are medians with quartiles: the radius of gyration over users or pieces, length over trips.",
        ],
        data=result,
    )


@section.register
def _extents(result: Extents) -> Section:
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
    return Section(
        question="How coarse is what was published?",
        answer=f"{result.groups:,} groups stand for {result.people:,} people; {coarse}.{_missing(result)}",
        number=f"{space.at(0.5):,.0f} m" if result.boxes else "-",
        number_of="median extent of a box",
        drawings=[drawing(panel) for panel in panels] if result.boxes else [],
        method=[
            "Every published box counts once per person behind it; what is missing is what the release says itself."
        ],
        data={
            "groups": result.groups,
            "people": result.people,
            "boxes": result.boxes,
            "deleted_samples": result.deleted_samples,
            "discarded_fingerprints": result.discarded_fingerprints,
            "figures": panels,
        },
        references=PAPERS["glove"],
    )


def _missing(result: Extents) -> str:
    if result.deleted_samples is None or result.original_samples is None:
        return " The release does not say what is missing."
    return (
        f" {result.deleted_samples:,} of {result.original_samples:,} samples and {result.discarded_fingerprints:,} of "
        f"{result.original_fingerprints:,} people were deleted."
    )
