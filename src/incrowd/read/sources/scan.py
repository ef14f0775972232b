"""What to read from where, under which names; files of one shape make one scan."""

import glob
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from incrowd.errors import DataError
from incrowd.read.antennas import Antennas
from incrowd.read.bad import BadRow
from incrowd.read.layouts import ANTENNAS, DEGREES, METRES, Column, Layout, find_columns
from incrowd.read.sources.columns import Field, Selection, quoted, select
from incrowd.read.sources.files import from_path, hive_keys

FROM_PATH = "the path"


@dataclass(frozen=True)
class Request:
    """What the caller wants of every file alike."""

    columns: Mapping[str, Column]  # as the layout and the caller name them
    layout: Layout
    attributes: tuple[str, ...] = ()
    set_aside: bool = False  # bad rows go to a side file
    text_users: bool = False
    decimal: str = ""  # the decimal sign of numbers in text; to be detected where it is empty
    antennas: Antennas | None = None  # where the places are, if not in the records

    @property
    def planar(self) -> bool:
        """Whether coordinates are metres."""
        return "x" in self.columns if self.antennas is None else self.antennas.planar

    @property
    def nouns(self) -> tuple[str, ...]:
        """The columns every record must have."""
        if self.antennas is not None:
            return ANTENNAS
        return METRES if self.planar else DEGREES

    @property
    def header(self) -> bool:
        """Whether text files name their columns; positions are given where they do not."""
        parts = (part for name in self.columns.values() for part in (name if isinstance(name, tuple) else (name,)))
        return not any(isinstance(part, int) for part in parts)


@dataclass(frozen=True)
class Scan:
    """Files of one shape, or a frame, read in one go."""

    request: Request
    files: tuple[Path, ...]
    origin: str  # what stands after FROM
    selection: Selection
    constants: Mapping[str, tuple[str, ...]]  # noun -> its value in each file
    unit: str = "row"  # positions in messages: lines of text files, rows of the rest
    header: tuple[str, ...] = ()  # all columns of a text file
    delimiter: str = ""
    decimal: str = "."
    numbered: str = ""  # a column that holds the position of each record
    frame: Any = None  # an Arrow stream, known to SQL as `frame`
    saved: Mapping[str, Any] = field(default_factory=dict)  # what incrowd noted in a file of its own
    aside: tuple[BadRow, ...] = ()  # lines that the engine is not given
    copies: Mapping[Path, IO[bytes]] = field(default_factory=dict)  # of files with such lines: what the engine reads
    notes: Mapping[str, int] = field(default_factory=dict)  # for the ledger: what is in the files but is no record

    @property
    def place(self) -> str:
        """What messages call the source."""
        return str(self.files[0]) if self.files else "the data frame"

    def __enter__(self) -> "Scan":
        return self

    def __exit__(self, *_: object) -> None:
        for copy in self.copies.values():
            copy.close()

    def name(self, read: str) -> str:
        """The file that the engine read under this path."""
        return next((str(file) for file, copy in self.copies.items() if handle(copy) == read), read)


Positions = dict[str, tuple[int, ...]]  # noun -> positions in the header
Constants = dict[str, tuple[str, ...]]


def find(
    files: Sequence[Path], header: Sequence[str], request: Request, nouns: Sequence[str]
) -> tuple[Positions, Constants]:
    """Where each noun and attribute is: in a column, or in the path of each file."""
    place = str(files[0]) if files else "the data frame"
    paths = {key: tuple(hive_keys(file)[key] for file in files) for key in (hive_keys(files[0]) if files else ())}
    wanted = dict(request.columns)
    if request.layout.user_from and files:
        paths[FROM_PATH] = tuple(from_path(file, request.layout.user_from) for file in files)
        wanted.setdefault("user", FROM_PATH)
    names = [*header, *(key for key in paths if key not in header)]
    positions = find_columns(names, wanted, [*nouns, *request.attributes], place)
    constants = {}
    for noun in [noun for noun, places in positions.items() if max(places) >= len(header)]:
        if noun not in ("user", *request.attributes) or len(positions[noun]) > 1:
            raise DataError(f"column {noun!r} of {place} is in its path; only users and attributes can be.")
        constants[noun] = paths[names[positions.pop(noun)[0]]]
    return positions, constants


def make(
    request: Request,
    files: Sequence[Path],
    origin: str,
    fields: Mapping[str, tuple[Field, ...]],
    constants: Mapping[str, tuple[str, ...]],
    **more: Any,
) -> Scan:
    """A scan over found columns."""
    place = str(files[0]) if files else "the data frame"
    form = request.layout.time_format
    decimal = request.decimal or "."
    selection = select(fields, time_format=form, text_users=request.text_users, decimal=decimal, file=place)
    return Scan(request, tuple(files), origin, selection, constants, **more)


def handle(copy: IO[bytes]) -> str:
    """The path of an open file that has none of its own."""
    return f"/dev/fd/{copy.fileno()}"


def sql_list(files: Sequence[Path]) -> str:
    """Paths as a SQL list; a star in a name is a star."""
    return "[" + ", ".join(quoted(glob.escape(str(file))) for file in files) + "]"
