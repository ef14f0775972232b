"""incrowd measure kgap."""

from typing import Annotated, Any

import typer

from incrowd import measure
from incrowd.cli.inputs import fingerprints_of, in_python, source_in_python
from incrowd.cli.options import Json, Sources, numbers, takes
from incrowd.cli.reading import Engine, ReadingOptions, reads, with_engine
from incrowd.cli.screen import present, progress_bar

Ks = Annotated[str, typer.Option("--k", help="Sizes of the crowd to hide in: 2, 2-5 or 2,5,10.")]


@reads
@with_engine
@takes(measure.kgaps, "how", leave_out=("fingerprints",), k=(Ks, "2"))
def kgap(sources: Sources, reading: ReadingOptions, how: dict[str, Any], engine: Engine, as_json: Json = False) -> None:
    """How much blurring until everyone looks like k - 1 other people: 0 is none, 1 is 20 km and 8 h.

    incrowd measure kgap trips.csv --k 2,5

    incrowd measure kgap trips.csv --samples 2000
    """
    sizes = numbers(how.pop("k"), "--k")
    engine.refuse(device=how["device"] != "auto", samples=how["samples"])
    data = source_in_python(sources, reading, into="fingerprints", plain=engine.on_spark)
    if engine.on_spark:
        from incrowd import spark
        from incrowd.cli import on_spark

        with progress_bar():
            blocks = on_spark.fingerprints(engine, sources, reading)
            gaps = [spark.kgap(blocks, k=k) for k in dict.fromkeys(sizes)]
        call = in_python(measure.kgap, data, k=sizes[-1])
        present(gaps, on_spark.in_python(engine, call, data), as_json=as_json)
        return
    with progress_bar():
        gaps = measure.kgaps(fingerprints_of(sources, reading), k=sizes, **how)
    ask, k = (measure.kgaps, sizes) if len(sizes) > 1 else (measure.kgap, sizes[0])
    present(gaps, in_python(ask, data, k=k, **how), as_json=as_json)
