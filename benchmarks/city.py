"""How fast a city is made, at the sizes of the papers."""

from typing import Any

from benchmarks import timed
from incrowd.read.city import synthetic_city


def operator() -> dict[str, Any]:
    """The operator's week of [xu2017, Table 2]: under a minute on two cores."""
    result: dict[str, Any] = {"users": 100_000, "towers": 8_000, "days": 7}
    with timed(result, "city"):
        city = synthetic_city(users=100_000, towers=8_000)
    with timed(result, "traces"):
        traces = city.traces
    return {**result, "records": traces.records}


def cdr() -> dict[str, Any]:
    """The two weeks of call records of [gramaglia2015, Sec. 3]."""
    result: dict[str, Any] = {"users": 82_000, "towers": 1_200, "days": 14}
    with timed(result, "city"):
        city = synthetic_city(users=82_000, towers=1_200, days=14, profile="cdr")
    with timed(result, "fingerprints"):
        fingerprints = city.fingerprints()
    return {**result, "records": len(city.t), "samples": fingerprints.records}


def taxi() -> dict[str, Any]:
    """A tenth of the taxis of [tan2017, Table 1]."""
    result: dict[str, Any] = {"users": 1_380, "towers": 500, "days": 9}
    with timed(result, "city"):
        city = synthetic_city(users=1_380, towers=500, days=9, profile="taxi")
    with timed(result, "traces"):
        traces = city.traces
    return {**result, "records": traces.records}


CASES = {"operator": operator, "cdr": cdr, "taxi": taxi}
