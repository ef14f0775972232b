"""Data frames of any library -> Arrow streams."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from incrowd.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


def stream_of(frame: Any) -> "pa.RecordBatchReader":
    """The rows of a data frame that speaks Arrow; columns of one name, or of several types, are refused."""
    import pyarrow as pa

    twice = [count for count in Counter(map(str, getattr(frame, "columns", ()))).values() if count > 1]
    if twice and hasattr(frame, "iloc"):
        # pandas cannot hand such a frame over; the name is left out, as it may be a value.
        raise DataError(f"the data frame has {max(twice)} columns of one name; rename all but one.")
    try:
        # A GeoDataFrame inherits a way out that does not know its points, and has its own that does.
        return pa.RecordBatchReader.from_stream(frame.to_arrow() if hasattr(frame, "set_geometry") else frame)
    except (pa.ArrowException, TypeError):
        # The library's own message would quote the value it stumbled over.
        raise DataError("a column of the data frame mixes types; give each column one type.") from None
