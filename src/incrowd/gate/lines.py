"""A file in TOML -> its values, and the line on which each of them stands."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from incrowd.errors import DataError, ParameterError, check_file

Lines = Mapping[tuple[str, ...], int]  # table and key -> line, counted from 1


def parsed(path: Path) -> tuple[dict[str, Any], Lines, str]:
    """The values in a file, their lines, and its text.

    Args:
        path: The file.
    """
    check_file(path)
    if not path.is_file():
        raise DataError(f"there is no file {path.name}; make one with incrowd init FILE.")
    try:
        text = path.read_text(encoding="utf-8-sig")
        values = tomllib.loads(text)
    except UnicodeDecodeError:
        raise ParameterError(f"{path.name} is not text in UTF-8; save it as such.") from None
    except tomllib.TOMLDecodeError as error:
        words = str(error).replace("Cannot overwrite a value", "a key is given twice")
        raise ParameterError(f"{path.name} is not TOML: {words[:1].lower()}{words[1:]}.") from None
    return values, lines_of(text), text


def lines_of(text: str) -> Lines:
    """The line of each table and key: the first one after the longest beginning of the text that lacks it.

    >>> lines_of(chr(10).join(["[a]", "b = 1", "", "[c]", "d = [", "  2,", "]"]))
    {('a',): 1, ('a', 'b'): 2, ('c',): 4, ('c', 'd'): 5}
    """
    lines: dict[tuple[str, ...], int] = {}
    begins = 0  # where what is not yet complete begins
    rows = text.splitlines()
    for number in range(1, len(rows) + 1):
        try:
            values = tomllib.loads("\n".join(rows[:number]))
        except tomllib.TOMLDecodeError:
            continue
        first = next(
            (n for n in range(begins, number) if rows[n].strip() and not rows[n].lstrip().startswith("#")), begins
        )
        for place in _places(values):
            lines.setdefault(place, first + 1)
        begins = number
    return lines


def _places(values: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for table, keys in values.items():
        yield (table,)
        if isinstance(keys, dict):
            yield from ((table, key) for key in keys)
