"""incrowd anonymize w4m."""

from typing import Annotated

import typer

from incrowd.cli.inputs import traces_of
from incrowd.cli.options import Boxing, ReadingOptions, Seed, Sources, boxes, reads
from incrowd.cli.releasing import Folder, Releasing, releases
from incrowd.cli.screen import note, progress_bar
from incrowd.plain import several


@reads
@releases
@boxes
def w4m(
    sources: Sources,
    output: Folder,
    reading: ReadingOptions,
    boxing: Boxing,
    releasing: Releasing,
    k: Annotated[int, typer.Option("--k", help="Trajectories that share a cylinder.")] = 2,
    delta_m: Annotated[float, typer.Option(help="Diameter of a cylinder.")] = 2000,
    trash: Annotated[float, typer.Option(help="Largest share of trajectories that may be left out.")] = 0.1,
    radius_m: Annotated[
        float | None,
        typer.Option(help="Radius of clusters to begin with. [default: 0.5 % of the semi-diagonal of the box]"),
    ] = None,
    chunk: Annotated[int, typer.Option(help="Trajectories that are compared with each other, times k.")] = 20,
    seed: Seed = 0,
) -> None:
    """Bend alike trajectories into shared cylinders; this moves and fabricates points, and is weaker than k-anonymity.

    incrowd anonymize w4m trips.csv -o release --k 2 --delta-m 2000 --trash 0.1

    incrowd anonymize w4m trips.csv -o release --box -122.6,37.6,-122.3,37.9
    """
    from incrowd import anonymize, measure
    from incrowd.read.zero import zero_told_later

    method = anonymize.W4M(k=k, delta_m=delta_m, trash=trash, radius_m=radius_m, chunk=chunk, **boxing.arguments())
    releasing.check(output)
    with progress_bar():
        with zero_told_later():
            traces = traces_of(sources, reading)
        release = method(traces, seed=seed)
        spent = release.provenance
        note(f"w4m: the radius of clusters is {spent['first_radius_m']:,.0f} m, {spent['radius_m']:,.0f} m at most")
        lost = measure.displacement(release, traces)
        note(
            f"w4m: points were moved by {lost.mean['pos_center']:,.0f} m on average; "
            f"{several(lost.created_samples, 'point')} created, {lost.deleted_samples:,} left out, "
            f"of {several(lost.original_samples, 'point')}"
        )
        releasing.publish(release, traces, output)
