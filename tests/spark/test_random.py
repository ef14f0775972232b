"""Random small data with all that is odd at once: every step on Spark gives what one machine gives, bit for bit."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from spark.parity import assert_same_risk, assert_same_sweep, assert_same_table, release_in

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::incrowd.errors.IncrowdWarning")]
LABELS = np.array(
    ["Zoë", "zoë", "Zoe\u0308", "人", "😀", "a,b\n", " a", "a", "a ", "007", "7", "\u200ba", "x" * 300, "nan"]
)
CHANGES = {"Europe/Amsterdam": 1_711_836_000, "America/St_Johns": 1_730_606_400, "Asia/Kathmandu": 1_706_745_600}
STEPS = {
    "none": [],
    "duplicates": [ic.clean.duplicates],
    "few stay": [partial(ic.clean.sparse_users, min_records=25)],
    "many": [ic.clean.duplicates, ic.clean.displaced, ic.clean.still_users],
    "a box": [partial(ic.clean.outside, box=(5.0, 52.0, 5.15, 52.3))],
}


@dataclass(frozen=True)
class Case:
    """A folder of files, and how to read it."""

    folder: Path
    reading: dict[str, Any]
    clean: list[Any]
    order: str
    parts: int

    @classmethod
    def drawn(cls, folder: Path, rng: np.random.Generator) -> "Case":
        """Users in several files, in any order, some rows twice, some bad; the clock changes within."""
        zone, begin = list(CHANGES.items())[rng.integers(len(CHANGES))]
        users, rows = int(rng.choice([1, 5, 28])), int(rng.choice([30, 400, 900]))
        owner, files = rng.integers(0, users, rows), int(rng.choice([1, 3]))
        labels = rng.permutation(np.resize(LABELS, users) if rng.random() < 0.5 else np.arange(users) - 9)
        t = begin - 86_400 + rng.integers(0, 2 * 86_400, rows) // 300 * 300
        stamps = [pa.array(t), pa.array(t * 10**6, pa.timestamp("us")), pa.array(t + rng.random(rows))]
        places = np.array([5, 52]) + (0.3 * rng.random((rows, 2))).round(int(rng.choice([2, 4])))
        places[rng.random(rows) < 0.04] = 0
        places[rng.random(rows) < 0.02, 1] = 99
        side = [None if row % 9 == 0 else "ewns"[row % (1 + owner[row] % 4)] for row in range(rows)]
        names = pa.array(labels[owner], mask=rng.random(rows) < 0.03)
        columns = {"user": names, "t": stamps[rng.integers(3)], "lon": places[:, 0], "lat": places[:, 1], "side": side}
        table = pa.table(columns).take(rng.integers(0, rows, rows + 20))
        cuts = [0, *np.sort(rng.integers(0, rows, files - 1)).tolist(), table.num_rows]
        for name, low, high in zip(("b", "a", "Z"), cuts, cuts[1:], strict=False):
            pq.write_table(table.slice(low, high - low), folder / f"{name}.parquet", row_group_size=50)
        pq.write_table(table.slice(0, 0), folder / "empty.parquet")
        order = "log" if rng.random() < 0.3 else "time"
        clean = [*([ic.clean.order] if order == "log" else []), *list(STEPS.values())[rng.integers(len(STEPS))]]
        reading = {"time_zone": zone, "attributes": ["side"]}
        return cls(folder, reading, clean, order, int(rng.choice([1, 3, 8])))

    def traces(self, bad_rows: Path) -> Any:
        """As one machine reads them."""
        traces = ic.read.table(self.folder, order=self.order, bad_rows=bad_rows, **self.reading)
        for step in self.clean:
            traces = step(traces)
        return traces

    def there(self, bad_rows: Path) -> dict[str, Any]:
        """How Spark is told to read them."""
        how = {"clean": self.clean, "order": self.order, "parts": self.parts}
        return {**self.reading, **how, "bad_rows": bad_rows}


@pytest.fixture(params=range(4))
def drawn(request, tmp_path):
    """A case, and what draws the options of its steps."""
    rng = np.random.default_rng(request.param)
    (tmp_path / "data").mkdir()
    return Case.drawn(tmp_path / "data", rng), rng


def same(here, there, compare):
    """Both fail with the same words, or their results are the same; the result of one machine."""
    outcomes = []
    for call in (here, there):
        try:
            outcomes.append(call())
        except ic.IncrowdError as error:
            outcomes.append(str(error))
    if any(isinstance(outcome, str) for outcome in outcomes):
        assert outcomes[0] == outcomes[1]
        return None
    compare(outcomes[1], outcomes[0])
    return outcomes


def test_measures_and_releases_of_visits(spark, drawn, tmp_path):
    from incrowd import spark as on_spark

    case, rng = drawn
    zone, grain = case.reading["time_zone"], {"cell_m": float(rng.choice([300, 2500])), "slot_min": 45}
    keep = str(rng.choice(["set", "vote", "vote_first"]))

    def gridded():
        return ic.discretize.grid(case.traces(tmp_path / "here.csv"), time_zone=zone, keep=keep, **grain)

    def grid():
        return on_spark.grid(spark, case.folder, keep=keep, **grain, **case.there(tmp_path / "there.csv"))

    made = same(gridded, grid, lambda blocks, visits: assert_same_table(blocks.collect(), visits))
    if made is None:
        return
    visits, blocks = made
    assert (tmp_path / "here.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()
    for question in (
        {"points": 2, "repeats": 2, "short": "all"},
        {"points": 3, "knowledge": "consecutive", "short": "zero", "samples": 40},
        {"points": 2, "knowledge": "close", "closeness_min": 90, "tolerance_min": 60, "block_min": 1440},
    ):
        asked = {**question, "seed": int(rng.integers(9))}
        assert_same_risk(on_spark.uniqueness(blocks, **asked), ic.measure.uniqueness(visits, **asked))
    methods = [ic.anonymize.Cut(window_h=float(rng.choice([1.5, 6]))), ic.anonymize.Cut(windows=3, start_slot=-1)]
    if keep == "set" and grain["cell_m"] == 300:
        methods.append(ic.anonymize.Generalize(cell_m=300, slot_min=45, time_zone=zone))
    for method in methods:
        of_points = isinstance(method, ic.anonymize.Generalize)
        data = case.traces(tmp_path / "again.csv") if of_points else visits
        assert_same_release(blocks, visits, method, data, tmp_path)


def test_measures_and_releases_of_fingerprints(spark, drawn, tmp_path):
    from incrowd import spark as on_spark

    case, rng = drawn
    grain = {"cell_m": 500, "slot_min": int(rng.choice([1, 30]))}

    def boxed():
        traces = case.traces(tmp_path / "here.csv")
        return ic.discretize.fingerprints(traces, time_zone=case.reading["time_zone"], **grain)

    def fingerprints():
        return on_spark.fingerprints(spark, case.folder, **grain, **case.there(tmp_path / "there.csv"))

    made = same(boxed, fingerprints, lambda blocks, prints: assert_same_table(blocks.collect(), prints))
    if made is None:
        return
    prints, blocks = made

    def as_far(there, here):
        assert np.array_equal(there.value, here.value) and np.array_equal(there.neighbours, here.neighbours)
        assert there.to_dict() == here.to_dict()

    same(lambda: ic.measure.kgap(prints, k=3, device="cpu"), lambda: on_spark.kgap(blocks, k=3), as_far)
    limits = [{}, {"max_extent_m": 4000, "max_extent_min": 240}, {"max_extent_m": 900, "suppress": "each"}]
    shapes = {"reshape": str(rng.choice(["split", "union"])), "leftover": str(rng.choice(["suppress", "merge"]))}
    method = ic.anonymize.Glove(
        k=2, shard_users=int(rng.choice([6, 50])), device="cpu", **limits[rng.integers(3)], **shapes
    )
    assert_same_release(blocks, prints, method, prints, tmp_path)


def test_sweeps(spark, drawn, tmp_path, monkeypatch):
    import sys

    from incrowd import spark as on_spark

    case, rng = drawn
    monkeypatch.setattr(sys.modules["incrowd.spark.sweep"], "MOST_ROWS", 100)  # questions travel in several chunks
    how = {"blocks": (1, 6), "minutes": (17, 60), "points": (1, 3), "samples": 60, "seed": int(rng.integers(5))}
    how |= {"keep": str(rng.choice(["vote", "set"])), "keep_zero": bool(rng.random() < 0.3)}
    how |= {"box": (5.0, 52.0, 5.2, 52.2)} if rng.random() < 0.3 else {}
    same(
        lambda: ic.measure.sweep(case.traces(tmp_path / "here.csv"), time_zone=case.reading["time_zone"], **how),
        lambda: on_spark.sweep(spark, case.folder, **how, **case.there(tmp_path / "there.csv")),
        assert_same_sweep,
    )


def assert_same_release(blocks, original, method, data, folder):
    """The release of one machine, or its refusal."""
    from incrowd.spark import release

    def here():
        made = method(data, pseudonym_seed=4)
        at = folder / f"here-{type(method).__name__}"
        return ic.anonymize.publish(made, at, original=original, link=at.with_suffix(".csv"), force=True)

    def there():
        at = folder / f"there-{type(method).__name__}"
        return release(blocks, method, at, pseudonym_seed=4, link=at.with_suffix(".csv"), force=True)

    def compare(one, other):
        assert release_in(one) == release_in(other)

    same(here, there, compare)
