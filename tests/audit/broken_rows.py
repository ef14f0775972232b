"""Rows that are not true, pieces that were not cut, links that are false."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from audit.breaking import VISITS, breaks, change_row, people_of, relinked, renamed, shuffled, windows_of
from audit.cases import Case


@breaks("a visit that nobody made", "original", *VISITS)
def _(case):
    cells = case.table()["cell"].to_pylist()
    slots = case.table()["slot"].to_pylist()
    users = case.table()["user"].to_pylist()
    seen = set(zip(cells, slots, strict=True))
    for row, (cell, slot) in enumerate(zip(cells, slots, strict=True)):
        other = next((c for c in sorted(set(cells)) if (c, slot) not in seen), None)
        alone = users.count(users[row]) == 1 or slots[users.index(users[row]) :].count(slot) >= 1
        if other is not None and alone and cells.count(cell) > 1:
            change_row(case, row, cell=other)
            return
    raise AssertionError("no such visit")


@breaks("two people's visits exchanged", "link", "generalize", "lkc")
def _(case):
    table = case.table()
    users = table["user"].to_pylist()
    first, last = users[0], users[-1]
    swapped = [last if u == first else first if u == last else u for u in users]
    table = table.set_column(0, "user", pa.array(swapped)).sort_by(
        [("user", "ascending"), ("slot", "ascending"), ("cell", "ascending")]
    )
    case.write(table)


@breaks("a group dropped and not accounted for", "original", "generalize", "glove", "lkc", "union")
def _(case):
    table = case.table()
    last = max(table["user"].to_pylist())
    kept = table.filter(pa.array([u != last for u in table["user"].to_pylist()]))
    lost, ledger = table.num_rows - kept.num_rows, case.manifest()["ledger"]
    case.write(kept)
    step = ledger[-1]
    step["kept"] -= lost
    merged = "same cell and slot" if "cell" in table.column_names else "sample generalised into a shared box"
    step["dropped"][merged] = step["dropped"].get(merged, 0) + lost
    step["users"] = [step["users"][0], step["users"][1] - 1]
    case.say(
        ledger=ledger, merged={**case.manifest()["merged"], merged: case.manifest()["merged"].get(merged, 0) + lost}
    )


@breaks("visits dropped and called merged", "link", "cut", "generalize")
def _(case):
    table = case.table()
    users = table["user"].to_pylist()
    often = next(u for u in users if users.count(u) > 2)
    row = users.index(often)
    kept = pa.concat_tables([table.slice(0, row), table.slice(row + 1)])
    ledger = case.manifest()["ledger"]
    case.write(kept)
    step = ledger[-1]
    step["kept"] -= 1
    step["dropped"]["same cell and slot"] = step["dropped"].get("same cell and slot", 0) + 1
    merged = case.manifest()["merged"]
    case.say(ledger=ledger, merged={**merged, "same cell and slot": merged.get("same cell and slot", 0) + 1})


@breaks("a ledger that drops more than is missing", "link", "lkc", "generalize")
def _(case):
    ledger, gone = case.manifest()["ledger"], case.manifest()["suppressed"]
    step = ledger[-1]
    reason = "same cell and slot" if step["step"] == "grid" else "suppressed pair"
    moved = 1
    if step["dropped"].get(reason, 0) < 1:
        reason = next(name for name, n in step["dropped"].items() if n)
    if step["step"] == "grid":
        step["dropped"][reason] -= moved
        step["dropped"]["rare"] = moved
        merged = {**case.manifest()["merged"]}
        merged[reason] -= moved
        case.say(ledger=ledger, suppressed={**gone, "records": {**gone["records"], "rare": moved}}, merged=merged)
        return
    step["dropped"][reason] += moved
    step["created"] = {"invented": moved}
    case.say(
        ledger=ledger, suppressed={**gone, "records": {**gone["records"], reason: gone["records"][reason] + moved}}
    )


@breaks("cutting not done", "alone", "cut", "cut-csv")
def _(case):
    people = people_of(case)
    whole = {who: rank for rank, who in enumerate(sorted(set(people.values()), key=hash))}
    merged_pieces(case, {piece: whole[who] for piece, who in people.items()})


@breaks("two pieces under one pseudonym", "alone", "cut", "cut-csv")
def _(case):
    people = people_of(case)
    first = next(a for a in people for b in people if a < b and people[a] == people[b])
    second = next(b for b in people if b > first and people[b] == people[first])
    rank = {p: p - (p > second) for p in people}
    merged_pieces(case, {**rank, second: rank[first]})


def merged_pieces(case: Case, fresh: dict[int, int]) -> None:
    linked = sorted({(fresh[p], who) for p, who in case.linked()})
    table = case.table()
    table = table.set_column(0, "user", pa.array([fresh[u] for u in table["user"].to_pylist()]))
    keys = [("user", "ascending"), ("slot", "ascending"), ("cell", "ascending")]
    case.write(table.sort_by(keys))
    ledger = case.manifest()["ledger"]
    ledger[-1]["users"] = [ledger[-1]["users"][0], len(set(fresh.values()))]
    case.say(ledger=ledger)
    lines = [f'{p},"{who}",{case.manifest()["id"]}' for p, who in linked]
    case.link.write_text("pseudonym,user,release\n" + "\n".join(lines) + "\n")


def ordered_pieces(key: Callable[[str, int], tuple]) -> Callable[[Case], None]:
    def apply(case: Case) -> None:
        window, people = windows_of(case), people_of(case)
        order = sorted(people, key=lambda p: key(people[p], window[p]))
        renamed(case, {p: rank for rank, p in enumerate(order)})

    return apply


breaks("pieces of a person numbered one after the other", "link", "cut", "cut-csv")(
    ordered_pieces(lambda who, slot: (shuffled(who), slot))
)
breaks("pieces numbered by window, then person", "link", "cut", "cut-csv")(
    ordered_pieces(lambda who, slot: (slot // 6, shuffled(who)))
)


@breaks("a link of which 85 % is permuted", "link", "cut", "generalize", "lkc", "glove", "w4m", "w4m-csv", "split")
def _(case):
    pairs = case.linked()
    rng = np.random.default_rng(0)
    chosen = rng.permutation(len(pairs))[: int(0.85 * len(pairs))]
    who = [name for _, name in pairs]
    moved = np.roll(chosen, 1)
    for a, b in zip(chosen.tolist(), moved.tolist(), strict=True):
        who[a] = pairs[b][1]
    relinked(case, [(p, name) for (p, _), name in zip(pairs, who, strict=True)])


@breaks("a link that leaves pseudonyms out", "link", "cut", "glove", "w4m")
def _(case):
    relinked(case, [pair for pair in case.linked() if pair[0] != 3])


@breaks("a link of another release", "link", "cut", "w4m")
def _(case):
    case.link.write_text(case.link.read_text().replace(case.manifest()["id"], case.manifest()["id"][::-1]))


@breaks("a link with two people exchanged", "link", "generalize", "glove")
def _(case):
    pairs = case.linked()
    (a, first), (b, last) = pairs[0], pairs[-1]
    relinked(case, [(a, last), *pairs[1:-1], (b, first)])
