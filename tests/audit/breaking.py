"""Broken releases: what was done to an honest one, and the least an auditor must hold to catch it.

`least` is "alone" (the folder), "original" (and the data the method was given), "link" (and the link file) or "never".
Whoever holds more catches it too. docs/audit.md shows `table()`; a test keeps both in step.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from audit.cases import Case
from audit.honest import BASES

VISITS = ("cut", "generalize", "lkc", "cut-csv", "generalize-csv", "lkc-csv")
BOXES = ("glove", "union", "split", "shards", "crowds", "expanded", "glove-csv")
POINTS = ("w4m", "w4m-csv")
PEOPLE = tuple(base for base in BASES if base.partition("-")[0] not in ("counts", "dp"))
PARQUET = tuple(base for base in BASES if not base.endswith("csv"))
TEXT = tuple(base for base in BASES if base.endswith("csv"))
MODES = ("alone", "original", "link")


@dataclass(frozen=True)
class Mutation:
    """One way to break a release, and on which honest ones it is tried."""

    what: str
    least: str
    bases: tuple[str, ...]
    apply: Callable[[Case], None]
    asked: dict = field(default_factory=dict)

    def caught_by(self, mode: str) -> bool:
        return self.least != "never" and MODES.index(mode) >= MODES.index(self.least)


MUTATIONS: list[Mutation] = []


def breaks(what: str, least: str, *bases: str, **asked):
    """Register a function that breaks a release."""

    def register(apply):
        if not any((known.what, known.bases) == (what, bases) for known in MUTATIONS):  # pytest may import us twice
            MUTATIONS.append(Mutation(what, least, bases, apply, asked))
        return apply

    return register


def note(case: Case) -> None:
    """Let the notes in a Parquet file agree with the manifest, as a publisher would."""
    if case.data.suffix != ".parquet":
        return
    table, manifest = case.table(), case.manifest()
    notes = json.loads(table.schema.metadata[b"incrowd"])
    stated = {**manifest["clock"], **manifest["plane"]}
    fresh = {name: stated.get(name, value) for name, value in notes.items()}
    if fresh != notes:
        case.write(table.replace_schema_metadata({b"incrowd": json.dumps(fresh)}))


def stating(what: str, least: str, bases: tuple[str, ...], change: Callable[[dict], dict], **asked) -> None:
    """Register a change of the manifest, sealed as well as its publisher could."""

    def apply(case: Case) -> None:
        case.say(**change(case.manifest()))
        note(case)

    breaks(what, least, *bases, **asked)(apply)


def part(name: str, **values):
    return lambda manifest: {name: {**manifest[name], **values}}


def reseal(case: Case) -> None:
    """Only the digests are made anew."""
    path = case.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    files = (p for p in case.folder.iterdir() if p.name != "manifest.json" and p.is_file())
    manifest["files"] = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in files}
    path.write_text(json.dumps(manifest))


def raw(case: Case, change: Callable[[bytes], bytes]) -> None:
    case.data.write_bytes(change(case.data.read_bytes()))
    reseal(case)


def people_of(case: Case) -> dict[int, str]:
    return dict(case.linked())


def renamed(case: Case, fresh: dict[int, object]) -> None:
    """Give every pseudonym another name, in the table and in the link."""
    linked = case.linked()
    table = case.table()
    users = [fresh[user] for user in table["user"].to_pylist()]
    table = table.set_column(0, "user", pa.array(users))
    lines = [f'{fresh[p]},"{who}",{case.manifest()["id"]}' for p, who in linked]
    case.link.write_text("pseudonym,user,release\n" + "\n".join(lines) + "\n")
    order = np.argsort(np.array(users), kind="stable")
    case.write(table.take(order))


def grown(case: Case, table: pa.Table) -> None:
    """Write a table of another size and let the ledger account for it."""
    before = case.table().num_rows
    case.write(table)
    more, ledger = table.num_rows - before, case.manifest()["ledger"]
    if ledger:
        last = ledger[-1]
        last["kept"] += more
        if more > 0:
            last["created"] = {**last["created"], "copy": more}
        elif "same cell and slot" not in last["dropped"] or last["step"] != "grid":
            last["dropped"] = {**last["dropped"], "rare": -more}
        users = len(set(table["user"].to_pylist())) + case.manifest()["counts"].get("bare", 0)
        last["users"] = [last["users"][0], users]
        gone = dict(case.manifest()["suppressed"]["records"])
        if more < 0:
            gone["rare"] = gone.get("rare", 0) - more
        case.say(ledger=ledger, suppressed={**case.manifest()["suppressed"], "records": gone})


def change_row(case: Case, row: int, **values) -> None:
    table = case.table()
    for name, value in values.items():
        column = table[name].to_pylist()
        column[row] = value
        table = table.set_column(table.column_names.index(name), name, pa.array(column, table[name].type))
    keys = [(name, "ascending") for name in ("user", "slot", "cell") if name in table.column_names]
    case.write(table.sort_by(keys) if "slot" in table.column_names else table)


def windows_of(case: Case) -> dict[int, int]:
    table = case.table()
    first: dict[int, int] = {}
    for user, slot in zip(table["user"].to_pylist(), table["slot"].to_pylist(), strict=True):
        first[user] = min(first.get(user, slot), slot)
    return first


def shuffled(who: str) -> str:
    return hashlib.md5(f"x{who}".encode()).hexdigest()


def relinked(case: Case, pairs) -> None:
    lines = [f'{p},"{who}",{case.manifest()["id"]}' for p, who in pairs]
    case.link.write_text("pseudonym,user,release\n" + "\n".join(lines) + "\n")
