"""incrowd measure kgap."""

from incrowd.arrays import quantiles
from incrowd.cli.hiding import QUANTILES, Device, Ks, device_words, people_words
from incrowd.cli.inputs import fingerprints_of
from incrowd.cli.options import Json, ReadingOptions, Sources, numbers, reads
from incrowd.cli.screen import answer, progress_bar


@reads
def kgap(
    sources: Sources, reading: ReadingOptions, k: Ks = "2", device: Device = "auto", as_json: Json = False
) -> None:
    """How far everybody is from hiding among k: 0 looks like the others already, 1 is completely isolated.

    incrowd measure kgap trips.csv --k 2,5
    """
    from incrowd import measure

    wanted = numbers(k, "--k")
    with progress_bar():
        data = fingerprints_of(sources, reading)
        gaps = measure.kgaps(data, k=wanted, device=device)
    head = " ".join(f"{f'{share:.0%}':>8}" for share in QUANTILES)
    lines = [f"{'k':>4} {'alike':>8} {head}"]
    for gap in gaps:
        values = " ".join(f"{value:>8.4f}" for value in quantiles(gap.value, QUANTILES))
        lines.append(f"{gap.k:>4} {int((gap.value == 0).sum()):>8,} {values}")
    lines.append(
        f"(k-gap by quantile of {people_words(data)}, {data.records:,} samples, "
        f"{device_words({gap.k: gap.device for gap in gaps})}; alike: those with gap 0)"
    )
    answer("\n".join(lines), gaps, as_json=as_json)
