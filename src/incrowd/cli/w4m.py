"""incrowd anonymize w4m."""

from typing import Annotated

import typer

from incrowd.cli.inputs import traces_of
from incrowd.cli.options import Reading, Seed, Sources, reads
from incrowd.cli.releasing import Folder, Releasing, releases
from incrowd.cli.screen import note, progress_bar


@reads
@releases
def w4m(
    sources: Sources,
    output: Folder,
    reading: Reading,
    releasing: Releasing,
    k: Annotated[int, typer.Option("--k", help="Trajectories that share a cylinder.")] = 2,
    delta_m: Annotated[float, typer.Option(help="Diameter of a cylinder.")] = 2000,
    trash: Annotated[float, typer.Option(help="Largest share of trajectories that may be left out.")] = 0.1,
    radius_m: Annotated[
        float | None, typer.Option(help="Radius of clusters to begin with; 0.5 % of the semi-diagonal without it.")
    ] = None,
    chunk: Annotated[int, typer.Option(help="Trajectories that are compared with each other, times k.")] = 20,
    seed: Seed = 0,
) -> None:
    """Bend alike trajectories into shared cylinders; this moves and fabricates points, and is weaker than k-anonymity.

    incrowd anonymize w4m trips.csv -o release --k 2 --delta-m 2000 --trash 0.1
    """
    from incrowd import anonymize, measure

    method = anonymize.W4M(k=k, delta_m=delta_m, trash=trash, radius_m=radius_m, chunk=chunk)
    releasing.check(output)
    with progress_bar():
        traces = traces_of(sources, reading)
        release = method(traces, seed=seed)
        note(f"w4m: {measure.displacement(release, traces)!r}")
        releasing.publish(release, traces, output)
