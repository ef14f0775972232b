"""A path, list, glob, folder or frame -> the scans that read it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from incrowd.read.layouts import Layout, layout_of
from incrowd.read.sources.arrow import frame_scan, parquet_scans, rows_of
from incrowd.read.sources.files import find_files, kind_of, size_of
from incrowd.read.sources.gpx import gpx_scans
from incrowd.read.sources.scan import Request, Scan
from incrowd.read.sources.text import text_scans

_LINE_BYTES = 25  # 7,1211018404,37.75,-122.39


def scans_of(source: Any, request: Request) -> Iterator[Scan]:
    """The scans that read a source from its first record to its last."""
    if not is_paths(source):
        return iter([frame_scan(source, request)])
    files = find_files(source, request.layout)
    kind = kind_of(files[0], request.layout)
    if kind == "gpx":
        return gpx_scans(files, request)
    return text_scans(files, request) if kind == "text" else parquet_scans(files, request)


def is_paths(source: object) -> bool:
    """Whether a source names files rather than being a frame."""
    listed = source if isinstance(source, (list, tuple)) else [source]
    return all(isinstance(one, (str, Path)) for one in listed)


def records_at_most(source: Any, layout: str | Layout | None) -> float:
    """A bound on the records of a source, from what is known before reading it."""
    if not is_paths(source):
        size = getattr(source, "num_rows", None)
        return float("inf") if size is None and not hasattr(source, "__len__") else size or len(source)
    shape = layout_of(layout)
    files = find_files(source, shape)
    if kind_of(files[0], shape) == "parquet":
        return sum(rows_of(file) for file in files)
    return size_of(files) / _LINE_BYTES
