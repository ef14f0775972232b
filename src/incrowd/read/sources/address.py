"""How a source that is no file of records is written: an address, a database, a workbook, `-`; never a password."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, quote, urlsplit

from incrowd.errors import ParameterError

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
_ASSIGNED = re.compile(r"\b\w*(password|passwd|passphrase|secret|token)\w*\s*=", re.IGNORECASE)
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
    if _ASSIGNED.search(text) and not Path(text).exists():
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
    if kind == "s3":
        if re.search(r"[:@]", rest.partition("/")[0]):
            raise _password("the address of the object store", kind)
        return Address(kind, text)
    login, at, place = where.rpartition("@")
    if ":" in login or any(_SECRET.search(name) for name, _ in parse_qsl(options, keep_blank_values=True)):
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


def with_timeout(text: str, seconds: int) -> str:
    """The address of a database, with a limit on how long connecting may take unless it has one.

    >>> with_timeout("postgresql://host/city?sslmode=require", 10)
    'postgresql://host/city?sslmode=require&connect_timeout=10'
    """
    options = urlsplit(text).query
    if "connect_timeout" in options:
        return text
    return f"{text}{'&' if options else '?'}connect_timeout={quote(str(seconds))}"
