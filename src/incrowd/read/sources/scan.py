"""What to read from where, and the SQL that reads it; files of one shape make one scan."""

import glob
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from incrowd.errors import DataError
from incrowd.read._towers import Antennas
from incrowd.read.bad import BadRow
from incrowd.read.files import from_path, hive_keys
from incrowd.read.layouts import ANTENNAS, DEGREES, METRES, Column, Layout, find_columns

Sort = Literal["text", "digits", "whole", "real", "stamp", "instant", "date", "list", "other"]
FROM_PATH = "the path"

# 2008-05-17 10:00:00: no offset can hide in this shape, and reading it is three times cheaper than the general case.
_PLAIN = "'____-__-_____:__:__'"
_BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())  # what str.strip takes away
_OFFSET = "':[0-9]{2}([.,][0-9]+)?\\s*[A-Za-z+-]'"
_AWARE = ("'____-__-_____:__:__Z'", "'____-__-_____:__:__+__:__'")


@dataclass(frozen=True)
class Request:
    """What the caller wants of every file alike."""

    columns: Mapping[str, Column]  # as the layout and the caller name them
    layout: Layout
    attributes: tuple[str, ...] = ()
    set_aside: bool = False  # bad rows go to a side file
    text_users: bool = False
    decimal: str = ""  # the decimal sign of numbers in text; to be detected if it is empty
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
        """Whether text files name their columns; positions are given if they do not."""
        parts = (part for name in self.columns.values() for part in (name if isinstance(name, tuple) else (name,)))
        return not any(isinstance(part, int) for part in parts)


@dataclass(frozen=True)
class Field:
    """A column under its SQL name, and what it holds."""

    sql: str
    sort: Sort
    name: str  # as the file has it, for messages
    type: str = "text"


@dataclass(frozen=True)
class Selection:
    """SQL by output column, and how its time is to be read."""

    sql: Mapping[str, str]
    names: Mapping[str, str]
    epoch: bool  # time is a number since 1970 rather than a date
    aware: bool | None  # every time has its offset, none has, or (None) as the column `aware` states


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
    notes: Mapping[str, int] = field(default_factory=dict)  # for the ledger: what is in the files but is not a record

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


def select(
    columns: Mapping[str, tuple[Field, ...]],
    *,
    time_format: str | None,
    text_users: bool,
    decimal: str,
    file: str,
) -> Selection:
    """The SQL of every wanted column."""
    sql: dict[str, str] = {}
    epoch, aware = False, None
    for noun, fields in columns.items():
        if noun == "user":
            sql.update(_user(fields[0], text_users, file))
        elif noun == "t":
            times, epoch, aware = _time(fields, time_format, file)
            sql.update(times)
        elif noun in ("lon", "lat", "x", "y"):
            sql[noun] = _number(fields[0], decimal, file)
        elif noun == "cell":
            sql[noun] = _cell(fields[0], file)
        else:
            sql[noun] = f"CAST({fields[0].sql} AS VARCHAR)" if text_users else fields[0].sql
    names = {noun: " + ".join(field.name for field in fields) for noun, fields in columns.items()}
    return Selection(sql, names, epoch, aware)


def _user(field: Field, text: bool, file: str) -> dict[str, str]:
    if field.sort in ("text", "digits") and (text or field.sort == "text"):
        return {"user": f"nullif(CAST({field.sql} AS VARCHAR), '')"}
    if field.sort == "digits":
        # The width tells 7 from 007: two people, one number.
        return {"user": f"TRY_CAST({field.sql} AS BIGINT)", "digits": f"least(strlen({field.sql}), 255)::UTINYINT"}
    if field.sort not in ("whole", "real"):
        raise _unfit(field, file, "users are text or whole numbers")
    number = f"TRY_CAST({field.sql} AS BIGINT)"
    if field.sort == "real":
        number = f"CASE WHEN {field.sql} = floor({field.sql}) THEN {number} END"
    return {"user": f"CAST({number} AS VARCHAR)" if text else number}


def _cell(field: Field, file: str) -> str:
    """An antenna id as text, without blanks around it."""
    if field.sort not in ("text", "whole", "real"):
        raise _unfit(field, file, "antenna ids are text or whole numbers")
    number = f"TRY_CAST({field.sql} AS HUGEINT)"
    whole = f"CASE WHEN {field.sql} = floor({field.sql}) THEN {number} END"
    return f"nullif(trim(CAST({whole if field.sort == 'real' else field.sql} AS VARCHAR), {quoted(_BLANKS)}), '')"


def _time(fields: tuple[Field, ...], form: str | None, file: str) -> tuple[dict[str, str], bool, bool | None]:
    if form is not None and fields[0].sort not in ("text", "whole"):
        raise _unfit(fields[0], file, "these need no time_format, leave it out")
    if len(fields) > 1 or form is not None:
        text = " || ' ' || ".join(f"CAST({field.sql} AS VARCHAR)" for field in fields)
        return _text_time(f"({text})", form)
    field = fields[0]
    if field.sort == "text":
        return _text_time(f"CAST({field.sql} AS VARCHAR)", form)
    if field.sort in ("stamp", "instant"):
        return {"t": field.sql}, False, field.sort == "instant"
    if field.sort == "date":
        return {"t": f"CAST({field.sql} AS TIMESTAMP)"}, False, False
    if field.sort in ("whole", "real"):
        return {"t": f"TRY_CAST({field.sql} AS {'BIGINT' if field.sort == 'whole' else 'DOUBLE'})"}, True, True
    raise _unfit(field, file, "times are timestamps, text or numbers")


def _text_time(text: str, form: str | None) -> tuple[dict[str, str], bool, bool | None]:
    if form is not None:
        return {"t": f"epoch_us(try_strptime({text}, {quoted(form)}))"}, False, "%z" in form.replace("%%", "").lower()
    plain = f"epoch_us(TRY_CAST({text} AS TIMESTAMP))"
    general = f"epoch_us(TRY_CAST(replace({text}, ',', '.') AS TIMESTAMPTZ))"  # ISO 8601 allows a decimal comma
    # A time begins with a digit: the engine knows words for some, such as epoch.
    times = {"t": f"CASE WHEN {text} LIKE {_PLAIN} THEN {plain} WHEN ltrim({text}) < ':' THEN {general} END"}
    # Shapes that are known decide without a search.
    known = " ".join(f"WHEN {text} LIKE {shape} THEN true" for shape in _AWARE)
    aware = f"CASE WHEN {text} LIKE {_PLAIN} THEN false {known} ELSE regexp_matches({text}, {_OFFSET}) END"
    return {**times, "aware": aware}, False, None


def _number(field: Field, decimal: str, file: str) -> str:
    if field.sort not in ("text", "whole", "real"):
        raise _unfit(field, file, "coordinates are numbers")
    return f"TRY_CAST({digits(field.sql, decimal) if field.sort == 'text' else field.sql} AS DOUBLE)"


def digits(text: str, decimal: str) -> str:
    """Text that may be a number; the engine would take 5_2 for 52. With decimal commas, a text with a point is none."""
    if decimal == ",":
        return f"CASE WHEN NOT contains({text}, '_') AND NOT contains({text}, '.') THEN replace({text}, ',', '.') END"
    return f"CASE WHEN NOT contains({text}, '_') THEN {text} END"


def _unfit(field: Field, file: str, need: str) -> DataError:
    return DataError(f"column {field.name!r} of {file} holds {field.type} values; {need}.")


def quoted(text: str) -> str:
    """A SQL string."""
    return "'" + text.replace("'", "''") + "'"
