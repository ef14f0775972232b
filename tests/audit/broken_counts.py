"""Counts that are not those of the original, and noise that is not what it is said to be."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from audit.breaking import breaks, note, reseal, stating
from audit.cases import Case

SCALE = 4.0  # of the noise of the honest release


def counted(change: Callable[[np.ndarray, Case], np.ndarray]) -> Callable[[Case], None]:
    def apply(case: Case) -> None:
        table = case.table()
        n = change(table["n"].to_numpy().copy(), case)
        case.write(table.set_column(table.column_names.index("n"), "n", pa.array(n)))

    return apply


def true_counts(case: Case) -> tuple[np.ndarray, tuple[int, int]]:
    """The true counts in the order of the table, and (slots, cells)."""
    sizes, data = case.manifest()["counts"], case.original
    shape = sizes["slots"], sizes["cells"]
    return np.bincount(data.slot * shape[1] + data.cell, minlength=shape[0] * shape[1]), shape


def laplace(rng: np.random.Generator, shape: tuple[int, ...], scale: float = SCALE) -> np.ndarray:
    waits = rng.geometric(1 - np.exp(-1 / scale), (2, *shape))
    return waits[0] - waits[1]


def renoised(noise: Callable[[tuple[int, int]], np.ndarray]) -> Callable[[Case], None]:
    def change(_: np.ndarray, case: Case) -> np.ndarray:
        true, shape = true_counts(case)
        return true + np.broadcast_to(noise(shape), shape).ravel()

    return counted(change)


secret = 777_123
NOISES: dict[str, Callable[[tuple[int, int]], np.ndarray]] = {
    "repeated in every slot": lambda shape: laplace(np.random.default_rng(secret), (1, shape[1])),
    "repeated in every cell": lambda shape: laplace(np.random.default_rng(secret), (shape[0], 1)),
    "repeated in pairs": lambda shape: np.repeat(
        laplace(np.random.default_rng(secret), ((shape[0] * shape[1] + 1) // 2,)), 2
    )[: shape[0] * shape[1]].reshape(shape),
    "of half its scale": lambda shape: laplace(np.random.default_rng(secret), shape, SCALE / 2),
    "of the seed 42": lambda shape: laplace(np.random.default_rng(42), shape),
    "of the seed 7, rounded from fractions": lambda shape: np.rint(
        np.random.default_rng(7).laplace(0, SCALE, shape)
    ).astype(int),
    "of the seed 1234 of the older generator": lambda shape: np.rint(
        np.random.RandomState(1234).laplace(0, SCALE, shape)
    ).astype(int),
    "of the seed 3, cell by cell": lambda shape: laplace(np.random.default_rng(3), shape[::-1]).T,
    "that is never large": lambda shape: np.clip(laplace(np.random.default_rng(secret), shape), -5, 5),
}
for _what, _noise in NOISES.items():
    breaks(f"noise {_what}", "original", "dp")(renoised(_noise))

for _step in (2, 3, 100):
    breaks(f"noisy counts that are multiples of {_step}", "original", "dp")(
        counted(lambda n, _, step=_step: n // step * step)
    )
breaks("noise only where nobody is", "original", "dp")(
    counted(lambda n, case: np.where(true_counts(case)[0] > 0, true_counts(case)[0], n))
)
breaks("noise only where people are", "original", "dp")(
    counted(lambda n, case: np.where(true_counts(case)[0] > 0, n, 0))
)
breaks("negative counts cut off although kept", "original", "dp")(counted(lambda n, _: np.maximum(n, 0)))
breaks("40 people more wherever somebody is", "original", "dp")(
    counted(lambda n, case: np.where(true_counts(case)[0] > 0, n + 40, n))
)
breaks("counts that are no whole numbers", "alone", "counts", "dp")(counted(lambda n, _: n + 0.25))
breaks("negative counts", "alone", "counts")(counted(lambda n, _: np.where(n == 0, -5, n)))


@breaks("two counts exchanged", "original", "counts", "counts-csv")
def _(case):
    def exchange(n: np.ndarray, _: Case) -> np.ndarray:
        n[[n.argmax(), n.argmin()]] = n[[n.argmin(), n.argmax()]]
        return n

    counted(exchange)(case)


@breaks("all cells of counts moved by 500 km", "original", "counts", "dp", "counts-csv")
def _(case):
    path = case.folder / "cells.csv"
    head, *rows = path.read_text().splitlines()
    moved = [f"{cell},{float(x) + 500_000:.3f},{y}" for cell, x, y in (row.split(",") for row in rows)]
    path.write_text("\n".join([head, *moved]) + "\n")
    reseal(case)


def clocked(what: str, least: str, **changed: int | str) -> None:
    stating(what, least, ("counts", "dp", "counts-csv"), lambda m: {"clock": {**m["clock"], **changed}})


clocked("counts of hours that were two hours long", "original", slot_min=60, grain_s=3600)
clocked("counts that begin an hour later", "original", start_min=60)
clocked("counts that begin at no minute of the day", "alone", start_min=10**9)
clocked("counts with a time zone", "alone", time_zone="Asia/Tokyo")

for _said, _given in {
    "regions": {"regions": True},
    "regions that were not made": {"region_m": 5000},
    "moves": {"move_share": 0.01},
    "no regions": {"regions": False, "suppress_below": 3},
    "a rule": {"rule": "20"},
    "little noise and a smallest count": {"noise_epsilon": 5.0, "suppress_below": 3},
}.items():

    @breaks(f"counts falsified, and {_said} stated", "original", "counts")
    def _(case, given=_given):
        counted(lambda n, _: n + 30 * (n > 0))(case)
        case.say(parameters=given)
        note(case)


stating(
    "counts of a rule that they do not keep",
    "alone",
    ("counts", "counts-csv"),
    lambda m: {"parameters": {"rule": "20"}},
)
stating("noise of epsilon 0", "alone", ("counts",), lambda m: {"parameters": {"noise_epsilon": 0}})
stating("counts of no method", "alone", ("counts",), lambda m: {"method": None, "parameters": {}})
stating("counts that claim k", "alone", ("counts",), lambda m: {"claims": {"k": 5}})
