"""Boxes, points and counts that are not true."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from audit.breaking import BOXES, breaks, change_row, relinked
from audit.cases import Case


def boxed(name: str, change: Callable[[np.ndarray], np.ndarray], rows=slice(None)) -> Callable[[Case], None]:
    def apply(case: Case) -> None:
        table = case.table()
        column = table[name].to_numpy().copy()
        column[rows] = change(column[rows])
        table = table.set_column(table.column_names.index(name), name, pa.array(column))
        keys = [(key, "ascending") for key in ("user", "t", "dt", "x", "dx", "y", "dy")]
        case.write(table.sort_by(keys))

    return apply


for _far in (5_000, 500_000):
    breaks(f"all boxes moved by {_far // 1000} km", "original", *BOXES)(boxed("x", lambda x, far=_far: x + far))
breaks("all boxes moved by a day", "original", *BOXES)(boxed("t", lambda t: t + 1440))
breaks("a box moved", "original", "glove", "split", "crowds")(boxed("y", lambda y: y + 40_000, slice(0, 1)))
breaks("a box without a place for its people", "original", "glove", "union")(
    boxed("dx", lambda dx: dx * 0 + 100, slice(0, 1))
)
breaks("boxes wider than needed", "link", "glove", "union", "shards", "crowds", "expanded")(
    boxed("dx", lambda dx: dx + 100)
)
breaks("boxes longer than needed", "link", "glove", "shards", "crowds")(boxed("dt", lambda dt: dt + 5))
breaks("boxes longer than needed, although reshaped", "alone", "union")(boxed("dt", lambda dt: dt + 50_000))
breaks("boxes of no extent", "alone", "glove", "split")(boxed("dx", lambda dx: dx * 0))


@breaks("wider boxes under another method", "alone", "glove", "crowds")
def _(case):
    boxed("dx", lambda dx: dx + 700)(case)
    case.say(method="Hulls")


@breaks("a crowd that rows disagree about", "alone", *BOXES)
def _(case):
    table = case.table()
    crowd = table["crowd"].to_pylist()
    crowd[0] += 1
    case.write(table.set_column(table.column_names.index("crowd"), "crowd", pa.array(crowd)))


@breaks("crowds larger than they are", "original", "glove", "union", "split", "shards", "crowds", "glove-csv")
def _(case):
    table = case.table()
    crowd = table["crowd"].to_numpy() + 20
    case.write(table.set_column(table.column_names.index("crowd"), "crowd", pa.array(crowd)))


@breaks("one crowd larger than it is", "link", "glove", "crowds")
def _(case):
    table = case.table()
    user, crowd = table["user"].to_numpy(), table["crowd"].to_numpy()
    smaller = next(u for u in np.unique(user)[::-1] if crowd[user == u][0] > 3 or u == user[0])
    crowd = np.where(user == user[0], crowd + 1, np.where((user == smaller) & (user != user[0]), crowd - 1, crowd))
    case.write(table.set_column(table.column_names.index("crowd"), "crowd", pa.array(crowd)))


@breaks("raw fingerprints under a crowd of 3", "original", "glove", "glove-csv")
def _(case):
    data = case.original
    order = np.random.default_rng(0).permutation(len(data))
    rank = np.argsort(order)[data.owner]
    columns = {name: getattr(data, name) for name in ("x", "dx", "y", "dy", "t", "dt")}
    table = pa.table({"user": rank, **columns, "crowd": np.full(data.records, 3)})
    keys = [(key, "ascending") for key in ("user", "t", "dt", "x", "dx", "y", "dy")]
    case.write(table.sort_by(keys))
    ledger = case.manifest()["ledger"]
    ledger[-1] = {**ledger[-1], "kept": data.records, "dropped": {}, "created": {}, "users": [len(data), len(data)]}
    case.say(ledger=ledger, suppressed={"records": {}, "attributes": []}, merged={})
    relinked(case, [(int(np.argsort(order)[u]), str(data.users[u])) for u in range(len(data))])


@breaks("latitude 1000", "alone", "w4m", "w4m-csv")
def _(case):
    change_row(case, 0, lat=1000.0)


@breaks("a point far from its cluster", "alone", "w4m", "w4m-csv")
def _(case):
    lat = case.table()["lat"].to_pylist()
    change_row(case, 3, lat=lat[3] + 3.0)


@breaks("a time that the cluster does not have", "alone", "w4m")
def _(case):
    table = case.table()
    t = table["t"].to_pylist()
    change_row(case, 0, t=t[0] - 100)


@breaks("all points moved by 500 km", "original", "w4m", "w4m-csv")
def _(case):
    table = case.table()
    lat = table["lat"].to_numpy() + 4.5
    case.write(table.set_column(table.column_names.index("lat"), "lat", pa.array(lat)))


@breaks("all times moved by an hour", "original", "w4m")
def _(case):
    table = case.table()
    case.write(table.set_column(table.column_names.index("t"), "t", pa.array(table["t"].to_numpy() + 3600)))


@breaks("raw traces under the claim of W4M", "alone", "w4m")
def _(case):
    data = case.original
    order = np.random.default_rng(0).permutation(len(data))
    rank = np.argsort(order)
    table = pa.table({"user": rank[data.owner], "t": data.t, "lon": data.lon, "lat": data.lat})
    case.write(table.sort_by([("user", "ascending"), ("t", "ascending")]))
    relinked(case, [(int(rank[u]), str(data.users[u])) for u in range(len(data))])


@breaks("a trashed trajectory that the ledger does not count", "link", "w4m")
def _(case):
    ledger = case.manifest()["ledger"]
    table = case.table()
    last = table["user"].to_pylist()[-1]
    same = same_times(table, last)
    for user in same:
        relinked(case, [pair for pair in case.linked() if pair[0] != user])
    keep = [u not in same for u in table["user"].to_pylist()]
    kept = table.filter(pa.array(keep))
    dense = {u: i for i, u in enumerate(sorted(set(kept["user"].to_pylist())))}
    kept = kept.set_column(0, "user", pa.array([dense[u] for u in kept["user"].to_pylist()]))
    relinked(case, [(dense[p], who) for p, who in case.linked()])
    case.write(kept)
    step, lost = ledger[-1], table.num_rows - kept.num_rows
    step["kept"] -= lost
    step["read"] = step["read"]
    reason = next(name for name in step["dropped"] if "shares" in name)
    step["dropped"][reason] += lost
    step["users"] = [step["users"][0] - len(same), step["users"][1] - len(same)]
    gone = case.manifest()["suppressed"]
    stated = {name: n for name, n in step["dropped"].items() if n}
    case.say(ledger=ledger, suppressed={**gone, "records": stated})


def same_times(table: pa.Table, user: int) -> set[int]:
    times: dict[int, list[int]] = {}
    for u, t in zip(table["user"].to_pylist(), table["t"].to_pylist(), strict=True):
        times.setdefault(u, []).append(t)
    return {u for u, own in times.items() if own == times[user]}


@breaks("a count changed", "original", "counts", "counts-csv")
def _(case):
    table = case.table()
    n = table["n"].to_pylist()
    n[n.index(max(n))] += 5
    case.write(table.set_column(table.column_names.index("n"), "n", pa.array(n)))


@breaks("a count below the smallest", "alone", "counts")
def _(case):
    table = case.table()
    n = table["n"].to_pylist()
    n[n.index(max(n))] = 1
    case.write(table.set_column(table.column_names.index("n"), "n", pa.array(n)))


@breaks("a cell and slot left out", "alone", "counts", "dp")
def _(case):
    case.write(case.table().slice(1))


@breaks("noise that was not added", "original", "dp")
def _(case):
    exact = np.zeros(case.table().num_rows, np.int64)
    table, data = case.table(), case.original
    for cell, slot in zip(data.cell.tolist(), data.slot.tolist(), strict=True):
        exact[(table["cell"].to_numpy() == cell) & (table["slot"].to_numpy() == slot)] += 1
    case.write(table.set_column(table.column_names.index("n"), "n", pa.array(exact)))


@breaks("noise that is the same everywhere", "original", "dp")
def _(case):
    table, data = case.table(), case.original
    exact = np.full(table.num_rows, 4)
    for cell, slot in zip(data.cell.tolist(), data.slot.tolist(), strict=True):
        exact[(table["cell"].to_numpy() == cell) & (table["slot"].to_numpy() == slot)] += 1
    case.write(table.set_column(table.column_names.index("n"), "n", pa.array(exact)))


@breaks("counts rounded after the noise", "original", "dp")
def _(case):
    table = case.table()
    n = (table["n"].to_numpy() // 5) * 5
    case.write(table.set_column(table.column_names.index("n"), "n", pa.array(n)))
