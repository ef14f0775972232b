"""Columns of any type -> the SQL that reads them as user, time, place and attributes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from incrowd.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

Sort = Literal["text", "digits", "whole", "real", "stamp", "instant", "date", "list", "other"]

# 2008-05-17 10:00:00: no offset can hide in this shape, and reading it is three times cheaper than the general case.
_PLAIN = "'____-__-_____:__:__'"
_BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())  # what str.strip takes away
_OFFSET = "':[0-9]{2}([.,][0-9]+)?\\s*[A-Za-z+-]'"
_AWARE = ("'____-__-_____:__:__Z'", "'____-__-_____:__:__+__:__'")


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
    aware: bool | None  # every time has its offset, none has, or (None) the column `aware` tells


def sort_of(kind: "pa.DataType") -> Sort:
    """What a column of this Arrow type holds, as far as reading goes."""
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return sort_of(kind.value_type)
    if types.is_timestamp(kind):
        return "instant" if kind.tz else "stamp"
    tests: dict[Sort, Any] = {
        "text": (types.is_string, types.is_large_string, types.is_string_view),
        "whole": (types.is_integer,),
        "real": (types.is_floating, types.is_decimal),
        "date": (types.is_date,),
        "list": (types.is_list, types.is_large_list),
    }
    return next((name for name, checks in tests.items() if any(check(kind) for check in checks)), "other")


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


def identifier(name: str) -> str:
    """A SQL name."""
    return '"' + name.replace('"', '""') + '"'
