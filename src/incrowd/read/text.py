"""CSV, TSV and their kin -> scans; the first rows tell numbers from text."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from statistics import median

from incrowd.errors import DataError
from incrowd.read.columns import Field, Sort, digits, quoted
from incrowd.read.files import Head, check_whole, has_underscore, head_of, hive_keys
from incrowd.read.scans import Found, Request, Scan, find, make, sql_list

_TYPES: dict[Sort, str] = {"whole": "BIGINT", "real": "DOUBLE"}


def text_scans(files: Sequence[Path], request: Request) -> Iterator[Scan]:
    """One scan per run of files with the same header."""
    heads = [(file, head_of(file, request.layout, header=request.header)) for file in files]
    there = [(file, head) for file, head in heads if head is not None]
    if not there:
        raise DataError(f"{files[0]} is empty; check the path or the export.")
    for _, group in groupby(there, key=lambda pair: (pair[1].shape, tuple(hive_keys(pair[0])))):
        pairs = list(group)
        for file, _ in pairs:
            check_whole(file)
        yield _scan([file for file, _ in pairs], pairs[0][1], request)


def _scan(files: list[Path], head: Head, request: Request) -> Scan:
    found, constants = find(files, head.fields, request, request.nouns)
    header = head.fields if request.header else _with_roles(head.fields, found)
    fields = {}
    types = dict.fromkeys(range(len(header)), "VARCHAR")
    # The engine skips an underscore between digits: where there is one, numbers are looked at as text first.
    careful = any(has_underscore(file) for file in files)
    for noun, places in found.items():
        known = noun in request.nouns and not (noun == "t" and request.layout.time_format)
        sort = _sort(noun, places, head) if known else "text"
        sql = [f"c{place}" for place in places]
        if sort in _TYPES and careful:
            sql[0] = digits(sql[0])
        elif sort in _TYPES:
            types[places[0]] = _TYPES[sort]
        fields[noun] = tuple(Field(one, sort, header[place]) for one, place in zip(sql, places, strict=True))
    origin = f"read_csv({sql_list(files)}, {_options(head, request, types)})"
    return make(request, files, origin, fields, constants, unit="line", header=header, delimiter=head.delimiter)


def _with_roles(positions: Sequence[str], found: Found) -> tuple[str, ...]:
    """Columns known by position, each with what it is read as."""
    roles = {place: noun for noun, places in found.items() for place in places}
    return tuple(f"{at} ({roles[int(at)]})" if int(at) in roles else at for at in positions)


def _options(head: Head, request: Request, types: dict[int, str]) -> str:
    layout = request.layout
    options = {
        "auto_detect": "false",
        "columns": "{" + ", ".join(f"'c{place}': '{kind}'" for place, kind in types.items()) + "}",
        "delim": quoted(head.delimiter),
        "quote": quoted(layout.quote),
        "escape": quoted(layout.quote),
        "header": str(request.header).lower(),
        "skip": str(layout.skip),
        "encoding": quoted(layout.encoding),
        "compression": quoted(head.compression),
        "strict_mode": "true",
        "store_rejects": str(request.set_aside).lower(),
    }
    return ", ".join(f"{name}={value}" for name, value in options.items())


def _sort(noun: str, places: tuple[int, ...], head: Head) -> Sort:
    if noun not in ("user", "t"):
        return "text" if noun == "cell" else "real"
    sample = [row[places[0]] for row in head.rows if len(row) > places[0] and row[places[0]]]
    if noun == "user":
        return "digits" if sample and all(map(is_number_label, sample)) else "text"
    numbers = [abs(float(value)) for value in sample if _is_number(value)]
    if len(places) > 1 or 2 * len(numbers) <= len(sample):
        return "text"
    # A float keeps the fraction of a second, a whole number every digit of a nanosecond.
    return "whole" if median(numbers) >= 1e14 else "real"


def is_number_label(value: str) -> bool:
    """Whether a label is a whole number as we would write it, within 64 bits."""
    return len(value) < 19 and value.isascii() and value.isdigit() and str(int(value)) == value


def _is_number(value: str) -> bool:
    try:
        return abs(float(value)) < float("inf") and "_" not in value
    except ValueError:
        return False
