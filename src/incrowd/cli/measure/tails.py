"""incrowd measure tails."""

from incrowd.arrays import quantiles
from incrowd.cli.hiding import QUANTILES, Device, K, people_words
from incrowd.cli.inputs import fingerprints_of
from incrowd.cli.options import Json, ReadingOptions, Sources, reads
from incrowd.cli.screen import answer, progress_bar


@reads
def tails(sources: Sources, reading: ReadingOptions, k: K = 2, device: Device = "auto", as_json: Json = False) -> None:
    """Why people are hard to hide: how heavy the tails of their sample stretches are, in space and time.

    incrowd measure tails trips.csv --k 2
    """
    from incrowd import measure

    with progress_bar():
        data = fingerprints_of(sources, reading)
        weights = measure.tails(data, k=k, device=device)
    rows = (
        ("tail weight", weights.delta),
        ("in space", weights.space),
        ("in time", weights.time),
        ("time / space", weights.ratio),
        ("time / both", weights.share),
    )
    lines = [f"{'':<14} {'defined':>9} " + " ".join(f"{f'{share:.0%}':>8}" for share in QUANTILES)]
    for name, column in rows:
        known = column[column == column]
        lines.append(
            f"{name:<14} {len(known):>9,} " + " ".join(f"{value:>8.3f}" for value in quantiles(known, QUANTILES))
        )
    lines.append(
        f"(by quantile of {people_words(data)}, k = {k}, on the {weights.device.upper()}; "
        "1 is the tail of a Gaussian, 1.6 exponential)"
    )
    answer("\n".join(lines), weights, as_json=as_json)
