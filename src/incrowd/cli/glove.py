"""incrowd anonymize glove, incrowd measure kgap | tails | accuracy."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from incrowd.arrays import quantiles
from incrowd.cli.inputs import fingerprints_of
from incrowd.cli.options import Json, Reading, Sources, numbers, reads
from incrowd.cli.releasing import Releasing, releases
from incrowd.cli.screen import answer, note, progress_bar
from incrowd.data import Fingerprints
from incrowd.errors import ParameterError

Several = Annotated[str, typer.Option("--k", help="Sizes of the crowd to hide in: 2, 2-5 or 2,5,10.")]
One = Annotated[int, typer.Option("--k", help="Size of the crowd to hide in.")]
MaxM = Annotated[int | None, typer.Option(help="Drop what became wider than this; 15000 in the paper.")]
MaxMin = Annotated[int | None, typer.Option(help="Drop what became longer than this; 360 in the paper.")]
Device = Annotated[
    Literal["auto", "cpu", "gpu"],
    typer.Option(help="Where the work runs; auto takes a GPU for many people where there is one."),
]
Suppress = Annotated[
    Literal["final", "each"],
    typer.Option(help="When to drop what became too wide or long: from the final groups, or after each merge."),
]
Reshape = Annotated[
    Literal["none", "union", "split"],
    typer.Option(
        help="What becomes of boxes that overlap in time; pieces of a split may hold no sample of a member, which an "
        "audit calls untrue."
    ),
]
Leftover = Annotated[Literal["merge", "suppress"], typer.Option(help="What becomes of a last group of too few people.")]
Ties = Annotated[
    Literal["first", "uncapped"],
    typer.Option(help="Among equally close samples the first, or the closest when distances have no cap."),
]
ShardUsers = Annotated[
    int | None, typer.Option(help="Divide the people into shards of at most so many, which is faster.")
]
ON = {"cpu": " on the CPU", "gpu": " on the CPU; the GPU does it, sooner"}  # the cost is that of a CPU
SHOWN = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0)


@reads
@releases
def glove(
    sources: Sources,
    reading: Reading,
    releasing: Releasing,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder of the release.")] = None,
    k: One = 2,
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
        note(f"glove: {measure.accuracy(release, data)!r}, on the {release.params['device'].upper()}")
        releasing.publish(release, data, output)
        forget(checkpoint, shards=release.params["shards"])


@reads
def kgap(sources: Sources, reading: Reading, k: Several = "2", device: Device = "auto", as_json: Json = False) -> None:
    """How far everybody is from hiding among k: 0 looks like the others already, 1 is completely isolated.

    incrowd measure kgap trips.csv --k 2,5
    """
    from incrowd import measure

    wanted = numbers(k, "--k")
    with progress_bar():
        data = fingerprints_of(sources, reading)
        found = measure.kgaps(data, k=wanted, device=device)
    head = " ".join(f"{f'{share:.0%}':>8}" for share in SHOWN)
    lines = [f"{'k':>4} {'alike':>8} {head}"]
    for gap in found:
        values = " ".join(f"{value:>8.4f}" for value in quantiles(gap.value, SHOWN))
        lines.append(f"{gap.k:>4} {int((gap.value == 0).sum()):>8,} {values}")
    lines.append(
        f"(k-gap by quantile of {_who(data)}, {data.records:,} samples, "
        f"{_ran({gap.k: gap.device for gap in found})}; alike: those with gap 0)"
    )
    answer("\n".join(lines), found, as_json=as_json)


@reads
def tails(sources: Sources, reading: Reading, k: One = 2, device: Device = "auto", as_json: Json = False) -> None:
    """Why people are hard to hide: how heavy the tails of their sample stretches are, in space and time.

    incrowd measure tails trips.csv --k 2
    """
    from incrowd import measure

    with progress_bar():
        data = fingerprints_of(sources, reading)
        found = measure.tails(data, k=k, device=device)
    rows = (
        ("tail weight", found.delta),
        ("in space", found.space),
        ("in time", found.time),
        ("time / space", found.ratio),
        ("time / both", found.share),
    )
    lines = [f"{'':<14} {'defined':>9} " + " ".join(f"{f'{share:.0%}':>8}" for share in SHOWN)]
    for name, column in rows:
        known = column[column == column]
        lines.append(f"{name:<14} {len(known):>9,} " + " ".join(f"{value:>8.3f}" for value in quantiles(known, SHOWN)))
    lines.append(
        f"(by quantile of {_who(data)}, k = {k}, on the {found.device.upper()}; "
        "1 is the tail of a Gaussian, 1.6 exponential)"
    )
    answer("\n".join(lines), found, as_json=as_json)


@reads
def accuracy(
    sources: Sources,
    reading: Reading,
    k: Several = "2,3,5",
    max_extent_m: MaxM = None,
    max_extent_min: MaxMin = None,
    suppress: Suppress = "final",
    reshape: Reshape = "none",
    leftover: Leftover = "merge",
    ties: Ties = "first",
    shard_users: ShardUsers = None,
    device: Device = "auto",
    as_json: Json = False,
) -> None:
    """What is left of the accuracy when everybody hides among k; runs GLOVE and publishes nothing.

    incrowd measure accuracy trips.csv --k 2,3,5 --max-extent-m 15000 --max-extent-min 360
    """
    from incrowd import anonymize, measure

    how: dict[str, Any] = {"max_extent_m": max_extent_m, "max_extent_min": max_extent_min, "suppress": suppress}
    how |= {"reshape": None if reshape == "none" else reshape, "leftover": leftover, "ties": ties}
    methods = [anonymize.Glove(k=one, shard_users=shard_users, device=device, **how) for one in numbers(k, "--k")]
    with progress_bar():
        data = fingerprints_of(sources, reading)
        found, devices = {}, {}
        for method in methods:
            cost = anonymize.glove_cost(data, k=method.k, shard_users=shard_users)
            note(f"glove: {cost}{ON[method.runs_on(len(data))]}")
            release = method(data)
            found[method.k] = measure.accuracy(release, data, after_reshape=reshape != "none")
            devices[method.k] = release.params["device"]
    lines = [f"{'k':>4} {'mean m':>10} {'median m':>10} {'mean min':>10} {'median min':>10} {'deleted':>8}"]
    for size, one in found.items():
        sizes = (each[name] for name in ("pos_extent", "time_extent") for each in (one.mean, one.median))
        lines.append(f"{size:>4} " + " ".join(f"{value:>10,.0f}" for value in sizes) + f" {one.deleted_share:>8.1%}")
    after = "" if reshape == "none" else ", reshaped"
    lines.append(
        f"(extent of the box of each surviving sample{after}; {_who(data)}, {data.records:,} samples, {_ran(devices)})"
    )
    answer("\n".join(lines), found, as_json=as_json)


def _who(data: Fingerprints) -> str:
    """Whom the rows of a result are about: people, or groups of them where they were published as such."""
    people = int(data.crowd.sum())
    return f"{people:,} people" if people == len(data) else f"{len(data):,} groups of {people:,} people"


def _ran(devices: dict[int, str]) -> str:
    """Where it ran; for each k, if not all in one place."""
    if len(set(devices.values())) == 1:
        return f"on the {next(iter(devices.values())).upper()}"
    return ", ".join(f"k = {k} on the {device.upper()}" for k, device in devices.items())
