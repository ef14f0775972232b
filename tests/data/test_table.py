import numpy as np
import pytest

import incrowd as ic
from incrowd.arrays import positions_of
from incrowd.data.table import some_people, some_rows

TABLES = [
    ic.Traces.from_arrays([1, 1, 2, 3], [0, 5, 3, 4], lon=[5, 5, 6, 7], lat=[52] * 4, attributes={"sex": [0, 1, 0]}),
    ic.Traces.from_arrays([1, 1, 2, 3], [0, 5, 3, 4], x=[5, 5, 6, 7], y=[52] * 4, attributes={"sex": [0, 1, 0]}),
    ic.Visits.from_arrays([1, 1, 2, 3], cell=[0, 1, 0, 2], slot=[0, 1, 1, 2], attributes={"sex": [0, 1, 0]}),
    ic.Fingerprints.from_arrays(
        [1, 1, 2, 3], x=[0, 1, 2, 3], y=[0] * 4, t=[0, 1, 2, 3], crowd=[4, 5, 6], attributes={"sex": [0, 1, 0]}
    ),
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: type(table).__name__)
def test_rows_kept_are_those_of_the_table_and_the_ledger_says_why_the_others_left(table):
    left = some_rows(table, np.array([False, True, False, True]), "odd", "even")
    assert left.users.tolist() == [1, 3] and left.attributes["sex"].tolist() == [0, 0]
    for name, column in left.columns().items():
        assert column.tolist() == table.columns()[name][[1, 3]].tolist()
    step = left.ledger.steps[-1]
    assert (step.read, step.kept, step.dropped, step.users) == (4, 2, {"even": 2}, (3, 2))
    assert all(getattr(left, name) == getattr(table, name) for name in table.META)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: type(table).__name__)
def test_people_drawn_bring_all_their_rows(table):
    some = some_people(table, people=2, seed=1)
    assert len(some) == 2 and some.records == np.isin(table.columns()["user"], some.users).sum()
    assert some_people(table, people=3, seed=1) is table


def test_labels_of_files_meet_numbers_and_text():
    assert positions_of(np.array(["007", "9"]), np.array([5, 7])).tolist() == [1, -1]
    assert positions_of(np.array(["7", "a"]), np.array([5, 7])).tolist() == [1, -1]
    assert positions_of(np.array([7, 9]), np.array(["9", "5"])).tolist() == [-1, 0]
    assert positions_of(np.array(["9" * 30]), np.array([5, 7])).tolist() == [-1]
