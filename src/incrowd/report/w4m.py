"""Section about moved points: how far, how many are made up, and what is missing."""

from incrowd.measure.displacement import Displacement
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
