import incrowd as ic
from builders import tracks


def test_the_first_stays_wherever_the_others_are():
    log = tracks([(5, 1.0), (3, 2.0), (5, 1.0), (9, 1.0), (5, 1.0)], [(5, 1.0)])
    left = ic.clean.duplicates(log)
    assert left.t.tolist() == [5, 3, 9, 5]
    assert left.offsets.tolist() == [0, 3, 4]
    assert not left.ordered
    assert left.ledger.steps[-1].dropped == {"exact duplicate": 2}


def test_another_place_at_the_same_time_is_no_duplicate_but_reported():
    log = tracks([(5, 1.0, 0.0), (5, 2.0, 0.0), (5, 1.0, 0.0), (5, 1.0, 9.0), (6, 1.0, 0.0)])
    left = ic.clean.duplicates(log)
    assert list(zip(left.x, left.y, strict=True)) == [(1, 0), (2, 0), (1, 9), (1, 0)]
    assert left.ledger.steps[-1].notes == {"same time, other place": 2}


def test_negative_zero_is_zero():
    assert ic.clean.duplicates(tracks([(5, 0.0, 1.0), (5, -0.0, 1.0)])).records == 1


def test_degrees():
    traces = ic.Traces.from_arrays(["a"] * 3, [0, 0, 0], lon=[5, 5, 5.5], lat=[52, 52, 52])
    left = ic.clean.duplicates(traces)
    assert left.lon.tolist() == [5, 5.5]


def test_duplicates_and_singletons_in_either_order_give_the_same():
    log = tracks([(5, 1.0), (5, 1.0)], [(3, 1.0), (3, 1.0), (4, 2.0)], [(1, 1.0), (2, 1.0)])
    one = ic.clean.still_users(ic.clean.duplicates(log))
    other = ic.clean.duplicates(ic.clean.still_users(log))
    assert one.users.tolist() == other.users.tolist() == [1]
    assert one.t.tolist() == other.t.tolist() == [3, 4]
