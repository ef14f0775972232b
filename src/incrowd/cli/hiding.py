"""What the commands about hiding among k people share: their options, and who and where in words."""

from typing import Annotated, Literal

import typer

from incrowd.data import Fingerprints

Ks = Annotated[str, typer.Option("--k", help="Sizes of the crowd to hide in: 2, 2-5 or 2,5,10.")]
K = Annotated[int, typer.Option("--k", help="Size of the crowd to hide in.")]
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
QUANTILES = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0)


def people_words(data: Fingerprints) -> str:
    """Whom the rows of a result are about: people, or groups of them where they were published as such."""
    people = int(data.crowd.sum())
    return f"{people:,} people" if people == len(data) else f"{len(data):,} groups of {people:,} people"


def device_words(devices: dict[int, str]) -> str:
    """Where it ran; for each k, if not all in one place."""
    if len(set(devices.values())) == 1:
        return f"on the {next(iter(devices.values())).upper()}"
    return ", ".join(f"k = {k} on the {device.upper()}" for k, device in devices.items())
