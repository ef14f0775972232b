"""incrowd anonymize glove."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli.hiding import ON, Device, K, Leftover, MaxM, MaxMin, Reshape, ShardUsers, Suppress, Ties
from incrowd.cli.inputs import fingerprints_of
from incrowd.cli.options import ReadingOptions, Sources, reads
from incrowd.cli.releasing import Releasing, releases
from incrowd.cli.screen import answer, note, progress_bar
from incrowd.errors import ParameterError
from incrowd.plain import percent

if TYPE_CHECKING:
    from incrowd.measure import Accuracy


@reads
@releases
def glove(
    sources: Sources,
    reading: ReadingOptions,
    releasing: Releasing,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder of the release.")] = None,
    k: K = 2,
    max_extent_m: MaxM = None,
    max_extent_min: MaxMin = None,
    suppress: Suppress = "final",
    reshape: Reshape = "none",
    leftover: Leftover = "merge",
    ties: Ties = "first",
    shard_users: ShardUsers = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep the work in this file; a run that was killed goes on from it.")
    ] = None,
    device: Device = "auto",
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what the run will take, and stop.")] = False,
) -> None:
    """Merge whole fingerprints until everybody hides among k people.

    incrowd anonymize glove trips.csv --k 2 --estimate

    incrowd anonymize glove trips.csv -o release --k 2 --max-extent-m 15000 --max-extent-min 360 --checkpoint run.npz
    """
    from incrowd import anonymize, measure
    from incrowd.anonymize.glove.checkpoint import checkpoint_file, forget

    method = anonymize.Glove(
        k=k,
        max_extent_m=max_extent_m,
        max_extent_min=max_extent_min,
        suppress=suppress,
        reshape=None if reshape == "none" else reshape,
        leftover=leftover,
        ties=ties,
        shard_users=shard_users,
        device=device,
    )
    checkpoint_file(checkpoint, 0)
    if output is not None:
        releasing.check(output)
    elif not estimate:
        raise ParameterError("a release needs a folder; pass -o FOLDER, or --estimate to see the cost first.")
    with progress_bar():
        data = fingerprints_of(sources, reading)
        cost = anonymize.glove_cost(data, k=k, shard_users=shard_users)
        foretold = f"{cost}{ON[method.runs_on(len(data), checkpoint=checkpoint)]}"
        if estimate or output is None:
            answer(foretold, cost, as_json=releasing.as_json)
            return
        note(f"glove: {foretold}")
        if reshape == "split":
            note("glove: a piece of a split may hold no sample of a member, and its audit fails truthfulness then")
        release = method(data, checkpoint=checkpoint)
        note(f"glove: {_coarseness(measure.accuracy(release, data))} (on the {release.params['device'].upper()})")
        releasing.publish(release, data, output)
        forget(checkpoint, shards=release.params["shards"])


def _coarseness(accuracy: "Accuracy") -> str:
    """How coarse the published boxes are, in a sentence."""
    left_out = (
        f"{percent(accuracy.deleted_share)} of the samples and {percent(accuracy.discarded_share)} of the people are "
        "left out"
    )
    if math.isnan(accuracy.mean["pos_extent"]):
        return left_out
    extent_m, extent_min = accuracy.mean["pos_extent"], accuracy.mean["time_extent"]
    return f"a published sample is {extent_m:,.0f} m and {extent_min:,.0f} min wide on average; {left_out}"
