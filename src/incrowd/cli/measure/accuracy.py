"""incrowd measure accuracy."""

from typing import Any

from incrowd.cli.hiding import (
    ON,
    Device,
    Ks,
    Leftover,
    MaxM,
    MaxMin,
    Reshape,
    ShardUsers,
    Suppress,
    Ties,
    device_words,
    people_words,
)
from incrowd.cli.inputs import fingerprints_of
from incrowd.cli.options import Json, ReadingOptions, Sources, numbers, reads
from incrowd.cli.screen import answer, note, progress_bar


@reads
def accuracy(
    sources: Sources,
    reading: ReadingOptions,
    k: Ks = "2,3,5",
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
        accuracies, devices = {}, {}
        for method in methods:
            cost = anonymize.glove_cost(data, k=method.k, shard_users=shard_users)
            note(f"glove: {cost}{ON[method.runs_on(len(data))]}")
            release = method(data)
            accuracies[method.k] = measure.accuracy(release, data, after_reshape=reshape != "none")
            devices[method.k] = release.params["device"]
    lines = [f"{'k':>4} {'mean m':>10} {'median m':>10} {'mean min':>10} {'median min':>10} {'deleted':>8}"]
    for size, one in accuracies.items():
        sizes = (each[name] for name in ("pos_extent", "time_extent") for each in (one.mean, one.median))
        lines.append(f"{size:>4} " + " ".join(f"{value:>10,.0f}" for value in sizes) + f" {one.deleted_share:>8.1%}")
    after = "" if reshape == "none" else ", reshaped"
    lines.append(
        f"(extent of the box of each surviving sample{after}; {people_words(data)}, {data.records:,} samples, "
        f"{device_words(devices)})"
    )
    answer("\n".join(lines), accuracies, as_json=as_json)
