"""incrowd measure sequences."""

from collections import Counter
from typing import Any

from incrowd import anonymize, measure
from incrowd.cli.inputs import carried_values, carrying, grain_of, grained, in_python, source_in_python, visits_of
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
    data = source_in_python(sources, reading, grain)
    calls = (
        in_python(measure.frequent_sequences, "visits", min_support=support, **search),
        in_python(measure.violating_sequences, "visits", **how),
    )
    python = f"visits = {data}; {'; '.join(calls)}"
    people = several(len(visits), "person", "people")
    options = f"{people}, {visits.records:,} visits; l = {how['l']}, k = {how['k']}, c = {how['c']:g}"
    section = _section(counts, support, f"{options}, min_support = {support}")
    present(counts if as_json else section, python, grain=grain_of(visits), as_json=as_json)


def _section(counts: dict[str, Counter[int]], support: int, options: str) -> Section:
    sizes = sorted(set().union(*counts.values()))
    rows = [(str(size), *(f"{by_length[size]:,}" for by_length in counts.values())) for size in sizes]
    violating, frequent = (sum(by_length.values()) for by_length in counts.values())
    broken = f"{several(violating, 'sequence')} of visits {'breaks' if violating == 1 else 'break'} LKC-privacy"
    holds = broken if violating else "LKC-privacy holds"
    is_are = "is" if frequent == 1 else "are"
    return Section(
        question="Which sequences of visits break LKC-privacy?",
        answer=f"{holds}; {several(frequent, 'sequence')} {is_are} shared by {several(support, 'person', 'people')} or "
        "more and worth keeping.",
        tables=[Table(("visits", *counts), rows)],
        options=options,
    )
