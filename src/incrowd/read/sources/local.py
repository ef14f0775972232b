"""A source that is no file -> a private copy of what it holds, read as any file and removed at the end.

A copy makes databases, object stores, workbooks and standard input one thing: files. What is judged, what is digested
and what is read are then the same records, in bounded memory, though the source may change meanwhile.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote

from incrowd.errors import ParameterError, naming

Kind = Literal["postgresql", "s3", "stdin", "duckdb", "sqlite", "excel"]

STDIN = "-"
SUFFIXES: dict[str, Kind] = {
    **dict.fromkeys((".duckdb", ".ddb"), "duckdb"),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db", ".db3"), "sqlite"),
    **dict.fromkeys((".xlsx", ".xlsm"), "excel"),
}
_SCHEMES: dict[str, Kind] = {"postgresql": "postgresql", "postgres": "postgresql", "s3": "s3"}
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]+)://")
_SECRET = re.compile(r"pass(word|wd|phrase)?$|^pwd$|secret|token|credential|(access|api|secret).?key", re.IGNORECASE)
_ASSIGNED = re.compile(r"\b\w*(password|passwd|passphrase|pwd|secret|token)\w*\s*=", re.IGNORECASE)
_LOGIN = re.compile(r"[^\s/:@]:[^\s/@]+@")  # an address whose scheme was forgotten
_HOSTS = re.compile(r"(\[[^\]]*\]|[^:,]*)(:\d*)?(,(\[[^\]]*\]|[^:,]*)(:\d*)?)*")


@dataclass(frozen=True)
class Address:
    """A source that is no file of records itself.

    Args:
        kind: What it is.
        text: As it was given; it holds no password.
    """

    kind: Kind
    text: str

    @property
    def is_database(self) -> bool:
        """Whether a table or a query says what is read of it."""
        return self.kind in ("postgresql", "duckdb", "sqlite")

    def bare(self) -> str:
        """Without the name of who connects, and of a file only its name, for pages that others read.

        >>> Address("postgresql", "postgresql://me@host:5432/city?sslmode=require").bare()
        'postgresql://host:5432/city'
        """
        if self.kind == "stdin":
            return "standard input"
        if self.kind not in _SCHEMES.values():
            return Path(self.text).name
        rest = self.text.partition("://")[2].partition("?")[0].rpartition("@")[2]
        return f"{self.kind}://{rest}"


def address_of(source: object) -> Address | None:
    """What a source is if it is no file of records or folder of them; a password in it is refused.

    >>> address_of("postgresql://host/city"), address_of("trips.csv")
    (Address(kind='postgresql', text='postgresql://host/city'), None)
    """
    if isinstance(source, str) and source == STDIN:
        return Address("stdin", STDIN)
    if not isinstance(source, (str, Path)):
        return None
    text = str(source)
    scheme = _SCHEME.match(text) if isinstance(source, str) else None
    if scheme is not None:
        return _url(scheme[1].lower(), text.strip())
    if (_ASSIGNED.search(text) or _LOGIN.search(text)) and not Path(text).exists():
        raise _password("this source")
    kind = SUFFIXES.get(Path(text).suffix.lower())
    return None if kind is None else Address(kind, text)


def check_query(query: str | None) -> None:
    """Refuse a password in a query, which is printed and kept with a result."""
    if query is not None and _ASSIGNED.search(query):
        raise _password("the query")


def _url(scheme: str, text: str) -> Address:
    if scheme not in _SCHEMES:
        # Nothing else is repeated: it may hold a password.
        raise ParameterError(
            f"{scheme}:// is not an address that incrowd reads; give postgresql://HOST/DATABASE, s3://BUCKET/KEY, "
            "or save what it holds in a file."
        )
    kind = _SCHEMES[scheme]
    rest = text.partition("://")[2]
    where, _, options = rest.partition("?")
    named = [name for name, _ in parse_qsl(options, keep_blank_values=True)]
    if kind == "s3":
        if re.search(r"[:@]", rest.partition("/")[0]) or any(map(_SECRET.search, named)):
            raise _password("the address of the object store", kind)
        return Address(kind, text)
    login, at, place = where.rpartition("@")
    if ":" in unquote(login) or any(map(_SECRET.search, named)):
        raise _password("the address of the database", kind)
    host = place.partition("/")[0]
    if not _HOSTS.fullmatch(host) or (at and "/" in login):
        raise ParameterError("the address of the database cannot be read; write postgresql://USER@HOST:PORT/DATABASE.")
    return Address(kind, text)


def _password(place: str, kind: Kind = "postgresql") -> ParameterError:
    ways = {
        "postgresql": "set PGPASSWORD, or write it into ~/.pgpass or the service file",
        "s3": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile",
    }
    return ParameterError(f"{place} holds a password or key; leave it out, and {ways[kind]}.")


@dataclass(frozen=True)
class Copy:
    """What a copy stands for.

    Args:
        given: The source as it was given.
        name: What pages call it.
        sha256: Digest of the records as they were read, or of the workbook; empty if the copy has the same bytes.
        is_file: Whether it is a file, and not the records of a database.
    """

    given: str
    name: str
    sha256: str = ""
    is_file: bool = True


_COPIES: dict[str, Copy] = {}


def copy_at(path: str | Path) -> Copy | None:
    """What a path stands for if it is that of a copy."""
    return _COPIES.get(str(path))


def as_given(text: str) -> str:
    """A text in which copies are written as the sources that were given."""
    for path, copy in _COPIES.items():
        text = text.replace(path, copy.given)
    return text


@contextmanager
def local(source: Any, table: str | None = None, query: str | None = None) -> Iterator[Any]:
    """The same source as files that can be read, for as long as they are needed.

    Args:
        source: A path, a list of paths, an address, `-`, or anything else, which is left as it is.
        table: Table of a database, or sheet of a workbook.
        query: Query of a database.
    """
    listed = list(source) if isinstance(source, (list, tuple)) else [source]
    expanded = [one for given in listed for one in _matches(given)]
    addresses = [None if _is_copy(one) else address_of(one) for one in expanded]
    if not any(addresses):
        if not all(map(_is_copy, expanded)):  # a copy was made with these options
            check_unused(table, query)
        yield source
        return
    _check_options(addresses, table, query)
    folder = Path(tempfile.mkdtemp(prefix="incrowd-"))
    known = set(_COPIES)
    try:
        with naming() as names:
            made = []
            for place, (one, address) in enumerate(zip(expanded, addresses, strict=True)):
                inside = folder / str(place)
                inside.mkdir()
                made.append(one if address is None else _copied(address, inside, table, query, names))
            yield made[0] if len(made) == 1 else made
    finally:
        for path in set(_COPIES) - known:
            del _COPIES[path]
        shutil.rmtree(folder, ignore_errors=True)


def _matches(source: Any) -> list[Any]:
    """The database files and workbooks that a glob means; anything else as it is."""
    if isinstance(source, (str, Path)) and has_magic(str(source)) and Path(source).suffix.lower() in SUFFIXES:
        return sorted(glob(str(source), recursive=True)) or [source]  # noqa: PTH207 - may be absolute
    return [source]


def _is_copy(source: Any) -> bool:
    return isinstance(source, (str, Path)) and copy_at(source) is not None


def is_copied(source: Any) -> bool:
    """Whether some of a source is copied before it is read."""
    listed = source if isinstance(source, (list, tuple)) else [source]
    return any(address_of(one) is not None for given in listed for one in _matches(given))


def check_unused(table: str | None, query: str | None) -> None:
    """Refuse options that would be ignored."""
    if table is not None or query is not None:
        option = "table" if query is None else "query"
        raise ParameterError(f"this source is no database{' or workbook' * (query is None)}; leave {option} out.")


def _check_options(addresses: list[Address | None], table: str | None, query: str | None) -> None:
    check_query(query)
    if table is not None and query is not None:
        raise ParameterError("a table and a query were given; give one of them (--table or --query).")
    kinds = [address.kind for address in addresses if address is not None]
    if kinds.count("stdin") > 1:
        raise ParameterError("standard input can be read only once; give - once.")
    unused = {"s3", "stdin"} if query is None else {"s3", "stdin", "excel"}
    if unused.issuperset(kinds) and "s3" not in kinds:  # an object may be a workbook
        check_unused(table, query)


def _copied(address: Address, folder: Path, table: str | None, query: str | None, names: dict[str, str]) -> str:
    """Copy what an address means into a folder; the path that stands for it."""
    if address.kind == "s3":
        from incrowd.read.sources.copies import fetched

        root, inside = fetched(address.text, folder)
        _COPIES[str(folder)] = Copy(root, root)
        names[str(folder)] = root
        return _opened_again(str(folder / inside), folder, table, query, names)
    if address.kind == "stdin":
        from incrowd.read.sources.copies import from_stdin

        path = from_stdin(folder)
        _COPIES[str(path)] = Copy(STDIN, "standard input")
        names[str(path)] = names[path.name] = "standard input"
        return _opened_again(str(path), folder, table, query, names)
    if address.kind == "excel":
        from incrowd.read.sources.copies import as_text

        path, sha256 = as_text(Path(address.text), folder, table)
    else:
        from incrowd.read.sources.databases import as_parquet

        path, sha256 = as_parquet(address, folder, table, query)
    what = ", a query" if query is not None else f", {table}" if table is not None else ""
    _COPIES[str(path)] = Copy(address.text, f"{address.bare()}{what}", sha256, is_file=not address.is_database)
    names[str(path)] = names[path.name] = address.text
    return str(path)


def _opened_again(path: str, folder: Path, table: str | None, query: str | None, names: dict[str, str]) -> str:
    """A workbook or database file that came from elsewhere, as its records."""
    address = address_of(path)
    if address is None:
        return path
    inside = folder / "records"
    inside.mkdir()
    copy = _copied(address, inside, table, query, names)
    given = as_given(path)
    _COPIES[copy] = replace(_COPIES[copy], given=given)
    names[copy] = names[Path(copy).name] = given
    return copy
