"""How sources are written, and that no password gets further than the door."""

import pickle
import warnings

import pytest

from incrowd.errors import DataError, IncrowdWarning, ParameterError, named, naming
from incrowd.read.sources.address import Address, address_of, check_query, with_timeout

KINDS = {
    "trips.csv": None,
    "folder": None,
    "-": "stdin",
    "trips.DuckDB": "duckdb",
    "a/trips.sqlite3": "sqlite",
    "trips.db": "sqlite",
    "trips.xlsx": "excel",
    "postgres://host/city": "postgresql",
    "postgresql://me@host:5432,other:5433/city?sslmode=require": "postgresql",
    "postgresql://me@[::1]:5432/city": "postgresql",
    "postgresql:///city?host=/run/postgresql": "postgresql",
    "s3://bucket/a@b/trips.csv": "s3",
}


@pytest.mark.parametrize("source", KINDS)
def test_a_source_is_known_by_how_it_is_written(source):
    address = address_of(source)
    assert (address and address.kind) == KINDS[source]


SECRETS = [
    "postgresql://me:geheim@host/city",
    "postgresql://me:@host/city",
    "postgresql://me:ge/heim@host/city",
    "postgresql://me:ge@heim@host/city",
    "postgresql://:geheim@/city",
    "postgresql://me:geheim",
    "postgresql://host/city?password=geheim",
    "postgresql://host/city?user=me&sslpassword=geheim",
    "  PostgreSQL://me:geheim@host/city",
    "mysql://me:geheim@host/city",
    "https://me:geheim@host/city.csv",
    "s3://key:geheim@bucket/a.csv",
    "s3://key:ab/geheim@bucket/a.csv",
    "host=localhost user=me password=geheim",
    "host=localhost user=me password = geheim",
]


@pytest.mark.parametrize("source", SECRETS)
def test_a_password_is_refused_and_not_repeated(source):
    with pytest.raises(ParameterError) as refused:
        address_of(source)
    assert "heim" not in str(refused.value)
    assert str(refused.value).endswith(".")


def test_a_password_in_a_query_is_refused():
    with pytest.raises(ParameterError, match="the query holds a password"):
        check_query("SELECT * FROM dblink('host=a password=geheim', 'SELECT 1')")
    check_query("SELECT passwords FROM t WHERE a = 'password'")


def test_pages_do_not_say_who_connects():
    assert Address("postgresql", "postgresql://me@host/city?application_name=x").bare() == "postgresql://host/city"
    assert Address("sqlite", "/home/me/city.db").bare() == "city.db"
    assert with_timeout("postgresql://host/city?connect_timeout=3", 10).endswith("?connect_timeout=3")


def test_errors_and_warnings_call_a_copy_by_its_source():
    with naming() as names:
        names["/tmp/x/copied.csv"] = "standard input"
        assert str(DataError("no row in /tmp/x/copied.csv.")) == "no row in standard input."
        with pytest.warns(IncrowdWarning, match="no row in standard input"):
            warnings.warn("no row in /tmp/x/copied.csv.", IncrowdWarning, stacklevel=1)
        kept = pickle.dumps(DataError("no row in /tmp/x/copied.csv."))
    assert str(pickle.loads(kept)) == "no row in standard input."
    assert named("/tmp/x/copied.csv") == "/tmp/x/copied.csv"


def test_no_error_says_a_password_whatever_the_address():
    assert str(DataError("http://me:ge@host/x does not exist.")) == "http://***@host/x does not exist."
    assert str(DataError("s3://bucket/a:b does not exist.")) == "s3://bucket/a:b does not exist."
    assert str(DataError("there is no postgresql:/me:ge@heim@host/x.")) == "there is no postgresql:/***@host/x."
