"""What an attacker of the auditor thought of."""

import hashlib
import json

import numpy as np
import pyarrow as pa

from audit.breaking import breaks, people_of, renamed, reseal, shuffled, windows_of
from audit.cases import Case
from audit.honest import BASES


@breaks("the older format, to be asked less: an unknown key", "alone", "cut", "glove")
def _(case):
    older(case, people={"0": "rider-0007"})


@breaks("the older format, to be asked less: the README says k = 100", "alone", "cut", "glove")
def _(case):
    older(case)
    path = case.folder / "README.md"
    path.write_text(path.read_text() + "\nEverybody hides among 100 people.\n")
    reseal(case)


def older(case: Case, **more) -> None:
    path = case.folder / "manifest.json"
    manifest = {**case.manifest(), **more, "format": "incrowd-release/1"}
    manifest["counts"].pop("bare", None)
    path.write_text(json.dumps(manifest))
    reseal(case)


@breaks("a key of the manifest twice", "alone", "cut", "lkc")
def _(case):
    path = case.folder / "manifest.json"
    path.write_text(path.read_text().replace('"claims":', '"claims": {"k": 99}, "claims":', 1))


@breaks("no manifest", "alone", *BASES)
def _(case):
    (case.folder / "manifest.json").unlink()


@breaks("a third of the fingerprints three times each", "original", "expanded")
def _(case):
    data = case.original
    chosen = np.arange(0, len(data), 3)
    sizes = np.diff(data.offsets)[chosen]
    rows = np.concatenate([np.arange(data.offsets[u], data.offsets[u + 1]) for u in chosen])
    columns = {name: getattr(data, name)[rows] for name in ("x", "dx", "y", "dy", "t", "dt")}
    parts = [
        pa.table(
            {"user": np.repeat(np.arange(len(chosen)) * 3 + copy, sizes), **columns, "crowd": np.full(len(rows), 1)}
        )
        for copy in range(3)
    ]
    keys = [(key, "ascending") for key in ("user", "t", "dt", "x", "dx", "y", "dy")]
    case.write(pa.concat_tables(parts).sort_by(keys))


@breaks("an attribute beside the sensitive one", "alone", "lkc")
def _(case):
    case.add("job", [f"job {user}" for user in case.table()["user"].to_pylist()])


@breaks("room for phone numbers among bare pseudonyms", "alone", "lkc")
def _(case):
    fresh = {pseudonym: 1_000_000 + 7919 * int(who[-4:]) for pseudonym, who in case.linked()}
    renamed(case, fresh)
    total, ledger = 2_000_000, case.manifest()["ledger"]
    bare = total - len(fresh)
    for step in ledger:
        step["users"] = [total, total]
    ledger[-1]["notes"]["users without a visit"] = bare
    sizes = {**case.manifest()["counts"], "pseudonyms": total, "people": total, "bare": bare}
    case.say(ledger=ledger, counts=sizes)


@breaks("pseudonyms in the order of a hash of the names", "link", "generalize", "w4m")
def _(case):
    linked = sorted(case.linked(), key=lambda pair: hashlib.sha1(pair[1].encode()).hexdigest())
    renamed(case, {pseudonym: rank for rank, (pseudonym, _) in enumerate(linked)})


@breaks("pseudonyms in the order of an attribute that was left out", "link", "cut")
def _(case):
    ill = dict(zip(case.original.users.tolist(), case.original.attributes["ill"].tolist(), strict=True))
    linked = sorted(case.linked(), key=lambda pair: (ill[pair[1]], shuffled(f"{pair[0]}")))
    renamed(case, {pseudonym: rank for rank, (pseudonym, _) in enumerate(linked)})


@breaks("pieces of a person at equal distances of their own", "link", "cut")
def _(case):
    window, people = windows_of(case), people_of(case)
    names = sorted(set(people.values()), key=shuffled)
    width = len(people) // 4
    taken: dict[int, int] = {}
    free = set(range(len(people)))
    for number, who in enumerate(names):
        own = sorted((p for p in people if people[p] == who), key=window.get)
        for start in sorted(free, key=lambda i: (i * 7919) % len(people)):
            places = [(start + i * (1 + number % width)) % len(people) for i in range(len(own))]
            if len(set(places)) == len(own) and set(places) <= free:
                break
        else:
            places = sorted(free)[: len(own)]
        free -= set(places)
        taken |= dict(zip(own, places, strict=True))
    renamed(case, taken)


@breaks("words in the notes of the Parquet file", "alone", "w4m", "counts")
def _(case):
    table = case.table()
    notes = json.loads(table.schema.metadata[b"incrowd"])
    key = "ordered" if "ordered" in notes else "shape"
    case.write(table.replace_schema_metadata({b"incrowd": json.dumps({**notes, key: "rider-0001"})}))


@breaks("words in the plane", "alone", "cut-csv", "glove-csv")
def _(case):
    plane = case.manifest()["plane"]
    case.say(plane={**plane, "crs": f"{plane['crs']} +user=rider-0001"})


@breaks("a map to short names among the notes of the ledger", "original", "cut")
def _(case):
    ledger = case.manifest()["ledger"]
    ledger[0]["notes"] = {f"rider-{i:04d} and rider-{i + 30:04d}": i for i in range(20)}
    case.say(ledger=ledger)


@breaks("counts falsified under noise that was never drawn", "original", "counts")
def _(case):
    table = case.table()
    n = table["n"].to_numpy() + 7
    case.write(table.set_column(table.column_names.index("n"), "n", pa.array(n)))
    case.say(parameters={"noise_epsilon": 1.0})
