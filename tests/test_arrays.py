import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import arrays

INT64 = st.integers(-(2**63), 2**63 - 1)


@settings(deadline=None)
@given(st.lists(st.tuples(INT64 | st.integers(-3, 3), INT64 | st.integers(-3, 3))))
def test_row_order_is_the_stable_order_of_the_keys(rows):
    keys = [np.array([row[i] for row in rows], np.int64) for i in (0, 1)]
    order = arrays.row_order(*keys)
    got = range(len(rows)) if order is None else order.tolist()
    assert list(got) == sorted(range(len(rows)), key=lambda i: rows[i])


@settings(deadline=None)
@given(st.lists(INT64))
def test_in_order_sorts_in_place(values):
    given = np.array(values, np.int64)
    assert arrays.in_order(given) is given and given.tolist() == sorted(values)
    given.flags.writeable = False
    assert arrays.in_order(given) is given  # untouched where nothing is to be done


@settings(deadline=None)
@given(st.lists(st.lists(st.booleans()), max_size=5))
def test_tally_and_owners_count_rows_of_users_with_none_too(users):
    offsets = np.cumsum([0, *map(len, users)], dtype=np.int64)
    flags = np.array([flag for user in users for flag in user], np.bool_)
    assert arrays.tally(flags, offsets).tolist() == [sum(user) for user in users]
    assert arrays.owners(offsets).tolist() == [u for u, user in enumerate(users) for _ in user]


@settings(deadline=None)
@given(st.lists(st.integers(0, 4), max_size=30))
def test_rows_by_code_groups_stably(codes):
    order, offsets = arrays.rows_by_code(np.array(codes, np.int64), 5)
    got = range(len(codes)) if order is None else order.tolist()
    assert list(got) == sorted(range(len(codes)), key=lambda i: codes[i])
    assert np.diff(offsets).tolist() == [codes.count(u) for u in range(5)]
