"""incrowd measure sequences."""

from collections import Counter

from incrowd.cli.inputs import CellM, SlotMin, carrying, visits_of
from incrowd.cli.options import Json, ReadingOptions, Sources, reads
from incrowd.cli.privacy import Privacy, asks_privacy
from incrowd.cli.screen import answer, progress_bar


@reads
@asks_privacy
def sequences(
    sources: Sources,
    reading: ReadingOptions,
    privacy: Privacy,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    as_json: Json = False,
) -> None:
    """Count the sequences that break LKC-privacy and those worth keeping, by length.

    incrowd measure sequences visits.parquet --l 2 --k 5 --min-support 20
    """
    from incrowd import measure

    with progress_bar():
        visits = visits_of(sources, carrying(reading, privacy.sensitive), cell_m=cell_m, slot_min=slot_min)
        violating = measure.violating_sequences(visits, **privacy.arguments(visits))
        frequent = measure.frequent_sequences(visits, privacy.min_support, **privacy.search)
    counts = {"minimal violating": Counter(map(len, violating)), "maximal frequent": Counter(map(len, frequent))}
    lines = [f"{'visits':>6} {'minimal violating':>18} {'maximal frequent':>17}"]
    sizes = sorted(set().union(*counts.values()))
    lines += [f"{size:>6} " + " ".join(f"{by_length[size]:>17,}" for by_length in counts.values()) for size in sizes]
    answer("\n".join(lines), {name: dict(by_length) for name, by_length in counts.items()}, as_json=as_json)
