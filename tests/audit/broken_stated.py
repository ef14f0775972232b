"""What is stated beside the rows and is not so: risk, ledgers, parameters, links, moved points."""

import hashlib
import json
import uuid
from collections.abc import Callable

import numpy as np
import pyarrow as pa

import incrowd as ic
from audit.breaking import PEOPLE, breaks, relinked, renamed, stating
from audit.broken_boxes import same_times
from audit.cases import Case
from incrowd.anonymize._manifest import _risks
from incrowd.plain import to_json


def risk(what: str, *bases: str, **changed) -> None:
    """A measured risk, of which one part is another."""

    def apply(case: Case) -> None:
        table = case.table()
        columns = (table[name].to_numpy() for name in ("user", "cell", "slot"))
        measured = _risks(ic.measure.uniqueness(ic.Visits.from_arrays(*columns), points=2, short="all"))
        stated = json.loads(to_json(measured))[0]
        case.say(residual_risk=[{**stated, **changed}])

    breaks(f"a stated risk with {what}", "alone", *bases)(apply)


risk("names instead of its interval", "cut", interval="pseudonym 3 is Bob")
risk("a map instead of its interval", "cut", interval={"3": "Bob"})
risk("names as its samples", "cut", samples="pseudonym 3 is Bob")
risk("another interval", "cut", "generalize", interval=[0.0, 0.01])
risk("a population of 10**9", "cut", population=10**9)
risk("a population of 1", "cut", population=1, value=0.3)
risk("50 people skipped", "cut", skipped=50)
risk("one sample", "cut", samples=1, value=0.0)
risk("no value", "cut", value=None, interval=None)
risk("no known point", "cut", points=0, value=0.0)


def hidden(disguise: Callable[[str], str]) -> Callable[[dict], dict]:
    def change(manifest: dict) -> dict:
        *steps, last = manifest["ledger"]
        names = {f"x{disguise(f'rider-{i:04d}')}": i for i in range(10)}
        return {"ledger": [*steps, {**last, "notes": {**last["notes"], **names}}]}

    return change


for _what, _disguise in {
    "MD5": lambda name: hashlib.md5(name.encode()).hexdigest(),
    "MD5 as UUIDs": lambda name: str(uuid.UUID(hashlib.md5(name.encode()).hexdigest())),
    "eight digits of SHA-1": lambda name: hashlib.sha1(name.encode()).hexdigest()[:8],
}.items():
    stating(f"notes of the ledger that are {_what}", "original", ("cut", "w4m"), hidden(_disguise))

stating(
    "an id that is the MD5 of a name",
    "alone",
    ("cut", "glove"),
    lambda m: {"id": str(uuid.UUID(hashlib.md5(b"rider-0007").hexdigest(), version=3))},
)
stating(
    "3000 attributes left out",
    "alone",
    ("cut", "w4m"),
    lambda m: {"suppressed": {**m["suppressed"], "attributes": [f"a{i}" for i in range(3000)]}},
)
stating(
    "an attribute left out and not said",
    "original",
    ("cut",),
    lambda m: {"suppressed": {**m["suppressed"], "attributes": []}},
)
stating(
    "a ledger of thousands of steps",
    "alone",
    ("cut", "glove"),
    lambda m: {"ledger": [{**m["ledger"][0], "kept": m["ledger"][0]["read"], "dropped": {}}] * 5000 + m["ledger"]},
)
stating(
    "a ledger without the step of the method",
    "alone",
    ("cut", "glove", "w4m", "lkc"),
    lambda m: {"ledger": [*m["ledger"][:-1], {**m["ledger"][-1], "step": "grain"}]},
)
stating("the sensitive attribute not declared", "alone", ("lkc", "lkc-csv"), lambda m: {"attributes": []})
stating("a window of less than nothing", "alone", ("cut",), lambda m: {"parameters": {**m["parameters"], "slots": -1}})
stating(
    "sensitive values that are maps",
    "alone",
    ("lkc",),
    lambda m: {part: {**m[part], "values": [{"3": "Bob"}, "hiv"]} for part in ("claims", "parameters")},
)


@breaks("an attribute that the method does not publish", "alone", "cut", "generalize", "w4m", "glove")
def _(case):
    case.add("ill", ["none"] * case.table().num_rows)


@breaks("bare pseudonyms between the others", "alone", "cut", "generalize", "w4m", "glove")
def _(case):
    sizes, ledger = case.manifest()["counts"], case.manifest()["ledger"]
    n = sizes["pseudonyms"]
    renamed(case, {p: 2 * p for p, _ in case.linked()})
    ledger[-1]["users"] = [ledger[-1]["users"][0], 2 * n]
    case.say(ledger=ledger, counts={**sizes, "pseudonyms": 2 * n, "people": sizes["people"] + n, "bare": n})


def permuted(share: float) -> Callable[[Case], None]:
    def apply(case: Case) -> None:
        pairs = case.linked()
        chosen = np.random.default_rng(int(100 * share)).permutation(len(pairs))[: max(2, int(share * len(pairs)))]
        who = [name for _, name in pairs]
        for a, b in zip(chosen.tolist(), np.roll(chosen, 1).tolist(), strict=True):
            who[a] = pairs[b][1]
        relinked(case, [(p, name) for (p, _), name in zip(pairs, who, strict=True)])

    return apply


for _share in (0.05, 0.3, 1.0):
    breaks(f"a link of which {_share:.0%} is permuted", "link", *(base for base in PEOPLE if base != "lkc-csv"))(
        permuted(_share)
    )


@breaks("a link with a row twice", "link", "cut", "generalize", "glove", "w4m")
def _(case):
    relinked(case, [*case.linked(), case.linked()[0]])


@breaks("a link with a pseudonym that is not there", "link", "cut", "glove", "w4m", "lkc")
def _(case):
    relinked(case, [*case.linked(), (999_999, case.linked()[0][1])])


@breaks("a link that holds somebody out who is there", "link", "cut", "glove", "w4m")
def _(case):
    case.link.write_text(case.link.read_text() + f',"{case.linked()[0][1]}",{case.manifest()["id"]}\n')


def shifted(degrees: float) -> Callable[[Case], None]:
    def apply(case: Case) -> None:
        table = case.table()
        lat = table["lat"].to_numpy() + degrees
        case.write(table.set_column(table.column_names.index("lat"), "lat", pa.array(lat)))

    return apply


breaks("all points moved by 10 m", "original", "w4m", "w4m-csv")(shifted(0.0001))
breaks("all points moved by 1 km", "original", "w4m", "w4m-csv")(shifted(0.009))


@breaks("the points of a cluster moved by 3 km", "original", "w4m")
def _(case):
    table = case.table()
    there = np.isin(table["user"].to_numpy(), list(same_times(table, 0)))
    lat = table["lat"].to_numpy().copy()
    lat[there] += 0.03 if lat[there].mean() < np.median(lat) else -0.03
    case.write(table.set_column(table.column_names.index("lat"), "lat", pa.array(lat)))


@breaks("the map mirrored", "original", "w4m", "w4m-csv")
def _(case):
    table = case.table()
    lat = table["lat"].to_numpy()
    case.write(table.set_column(table.column_names.index("lat"), "lat", pa.array(lat.max() + lat.min() - lat)))


@breaks("a ledger that creates and drops 500 points more", "link", "w4m")
def _(case):
    ledger, gone = case.manifest()["ledger"], case.manifest()["suppressed"]
    step = ledger[-1]
    created, reason = next(iter(step["created"])), next(name for name, n in step["dropped"].items() if n)
    step["created"][created] += 500
    step["dropped"][reason] += 500
    records = {**gone["records"], reason: gone["records"][reason] + 500}
    case.say(ledger=ledger, suppressed={**gone, "records": records})


@breaks("points that are said not to be moved", "link", "w4m")
def _(case):
    ledger = case.manifest()["ledger"]
    ledger[-1]["notes"]["moved in space"] = 0
    case.say(ledger=ledger)
