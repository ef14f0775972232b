"""Cell keys, compared with the package of the UK Office for National Statistics."""

import numpy as np
import pandas as pd
import pytest
from cell_key_perturbation.create_perturbed_table import create_perturbed_table
from cell_key_perturbation.utils.generate_test_ptable import generate_ptable_10_5_rule

import incrowd as ic
from incrowd.anonymize import CellKey
from incrowd.anonymize.cell_key import p_table, perturbed


def theirs(cells, keys, table, threshold):
    """Counts by cell as the package publishes them; what it suppresses is 0 here."""
    data = pd.DataFrame({"cell": cells, "one": 1, "record_key": keys})
    made = create_perturbed_table(data, table, ["cell"], ["one"], "record_key", threshold=threshold)
    return dict(zip(made["cell"], made["count"].fillna(0).astype(int), strict=True))


def as_frame(table):
    count, key = np.indices(table.shape)
    rows = {"pcv": count.ravel(), "ckey": key.ravel(), "pvalue": table.ravel()}
    frame = pd.DataFrame(rows)
    return frame[frame["pcv"] > 0]


def test_the_table_is_the_one_of_the_package():
    shipped = generate_ptable_10_5_rule().pivot(index="pcv", columns="ckey", values="pvalue").to_numpy()
    assert (p_table()[1:] == shipped).all() and (p_table()[0] == 0).all()


@pytest.mark.parametrize("threshold", [0, 10])
@pytest.mark.parametrize("rule", ["10-5", "random"])
def test_equal_cell_by_cell_to_the_package(threshold, rule):
    """Counts of 1 to 1,100; the random table also depends on the keys."""
    rng = np.random.default_rng(0)
    sizes = np.array([1, 2, 9, 10, 11, 12, 13, 14, 250, 500, 501, 749, 750, 751, 752, 1000, 1001, 1100])
    cells, keys = np.repeat(np.arange(len(sizes)), sizes), rng.integers(0, 256, sizes.sum())
    table = p_table() if rule == "10-5" else rng.integers(-1, 3, p_table().shape)
    sums = np.bincount(cells, keys).astype(np.int64)
    ours = perturbed(sizes, sums, table, threshold)
    assert dict(enumerate(ours.tolist())) == theirs(cells, keys, as_frame(table), threshold)


def test_visits_are_counted_and_changed():
    rng = np.random.default_rng(1)
    user = np.repeat(np.arange(60), 4)
    cell, slot = rng.integers(0, 3, 240), np.tile(np.arange(4), 60)
    visits = ic.Visits.from_arrays(user, cell, slot, xy=[[0, 0], [1, 0], [2, 0]], slot_min=360)
    keys = rng.integers(0, 256, 60)
    changed = CellKey().changed(visits, keys)
    package = theirs(slot * 3 + cell, keys[user], generate_ptable_10_5_rule(), 10)
    assert changed.n.ravel().tolist() == [package[i] for i in range(12)]
    release = CellKey()(visits)
    assert release.data.n.tolist() == changed.n.tolist()  # this table does not depend on the keys
    assert release.params == {"method": "CellKey", "table": "10-5", "threshold": 10} and len(release.members) == 0


def test_refusals():
    visits = ic.Visits.from_arrays([1], [0], [0], xy=[[0, 0]], slot_min=60)
    with pytest.raises(ic.ParameterError, match="seed must be None"):
        CellKey()(visits, seed=3)
    with pytest.raises(ic.ParameterError, match="unknown table"):
        CellKey(table="5-3")
    with pytest.raises(ic.DataError, match="2 record keys for 1"):
        CellKey().changed(visits, np.array([1, 2]))
