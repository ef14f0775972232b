"""A table of places -> their coordinates, in the order of the file."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Floats
from incrowd.columns import degrees
from incrowd.errors import DataError, check_file
from incrowd.read.layouts import ALIASES, listed

if TYPE_CHECKING:
    import pyarrow as pa


def towers(path: str | Path) -> Floats:
    r"""The (lon, lat) rows of a CSV or Parquet file of towers or stations; row numbers become cell ids.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "towers.csv"
    ...     _ = file.write_text("name,lat,lon\nmill,52.1,5.1\nquay,52.2,5.2\n")
    ...     towers(file).tolist()
    [[5.1, 52.1], [5.2, 52.2]]
    """
    table = _table(Path(path))
    by_name = {name.strip().lower(): name for name in table.column_names}
    columns = []
    for role in ("lon", "lat"):
        name = next((by_name[alias] for alias in ALIASES[role] if alias in by_name), None)
        if name is None:
            header = listed(table.column_names)
            raise DataError(f"{Path(path).name} has no column for {role} ({header}); name one {role}.")
        columns.append(table[name].to_numpy())
    if not len(table):
        raise DataError(f"{Path(path).name} has no row; list at least one place.")
    return np.column_stack(degrees(*columns))


def _table(path: Path) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    check_file(path)
    if not path.is_file():
        raise DataError(f"there is no file {path}; check the path.")
    try:
        return pq.read_table(path) if path.suffix == ".parquet" else pc.read_csv(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"{path.name} cannot be read as a table; give CSV with a header, or Parquet.") from error
