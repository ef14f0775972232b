"""incrowd synthetic-city."""

from typing import Any

from incrowd import read
from incrowd.cli.inputs import in_python
from incrowd.cli.options import Force, Json, Output, takes
from incrowd.cli.screen import progress_bar, written


@takes(read.synthetic_city, "how")
def synthetic_city(output: Output, how: dict[str, Any], force: Force = False, as_json: Json = False) -> None:
    """Write the records of a made-up city: user, t (UTC seconds), lon, lat.

    incrowd synthetic-city -o city.parquet

    incrowd synthetic-city -o city.parquet --users 5000 --days 14 --dirt 0.01
    """
    from incrowd.data.files import check_table

    check_table(output, force=force)
    with progress_bar():
        traces = read.synthetic_city(**how).traces
        traces.save(output, force=force)
    written(traces, output, f"{in_python(read.synthetic_city, '', **how)}.traces", as_json=as_json)
