"""incrowd measure sequences."""

from collections import Counter
from typing import Any

from incrowd import anonymize, measure
from incrowd.cli.inputs import carried_values, carrying, grained, in_python, source_in_python, visits_of
from incrowd.cli.options import Json, Sources, takes
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import present, progress_bar
from incrowd.discretize.slots import Grain
from incrowd.plain import several
from incrowd.show import Section, Table


@reads
@grained
@takes(anonymize.LKC, "how", leave_out=("scores",))
def sequences(
    sources: Sources, reading: ReadingOptions, how: dict[str, Any], grain: Grain, as_json: Json = False
) -> None:
    """Count the sequences of visits that break LKC-privacy, and those that many people share, by length.

    incrowd measure sequences visits.parquet --l 2 --k 5 --min-support 20
    """
    reading, support = carrying(reading, how["sensitive"]), how.pop("min_support")
    with progress_bar():
        visits = visits_of(sources, reading, grain)
        how["values"] = carried_values(visits, how["sensitive"], how["values"] or [])
        violating = measure.violating_sequences(visits, **how)
        search = {name: how[name] for name in ("same_time", "limit_s", "limit_gib")}
        frequent = measure.frequent_sequences(visits, support, **search)
    counts = {"minimal violating": Counter(map(len, violating)), "maximal frequent": Counter(map(len, frequent))}
    call = in_python(measure.violating_sequences, source_in_python(sources, reading, grain), **how)
    people = several(len(visits), "person", "people")
    options = f"{people}, {visits.records:,} visits; l = {how['l']}, k = {how['k']}, c = {how['c']:g}"
    present(counts if as_json else _section(counts, f"{options}, min_support = {support}"), call, as_json=as_json)


def _section(counts: dict[str, Counter[int]], options: str) -> Section:
    sizes = sorted(set().union(*counts.values()))
    rows = [(str(size), *(f"{by_length[size]:,}" for by_length in counts.values())) for size in sizes]
    violating, frequent = (sum(by_length.values()) for by_length in counts.values())
    holds = "LKC-privacy holds" if not violating else f"{several(violating, 'sequence')} of visits break LKC-privacy"
    return Section(
        question="Which sequences of visits break LKC-privacy?",
        answer=f"{holds}; {several(frequent, 'sequence')} are shared by many people and worth keeping.",
        tables=[Table(("visits", *counts), rows)],
        options=options,
    )
