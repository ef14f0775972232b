import time

import pytest

import incrowd as ic
from incrowd.kernels import Watch
from incrowd.progress import listening


def watch(limit_s=30.0, limit_gib=1.0):
    return Watch(what="the work", advice="ask for less", limit_s=limit_s, limit_gib=limit_gib)


def until_stopped(part, stop, found):
    found[0] = part
    while not stop[0]:
        time.sleep(0.001)
    return part


def test_results_keep_the_order_of_the_parts_and_progress_is_told():
    told = []
    with listening(lambda label, done, total: told.append((label, done, total))):
        got = watch().run(lambda part, stop, found: part * 2, [3, 1, 2], 2)
    assert got == [6, 2, 4] and told[-1] == ("the work", 3, 3)


def test_time_and_memory_end_the_work():
    with pytest.raises(ic.ParameterError, match=r"the work did not finish within 0\.1 s \(limit_s\); ask for less, or"):
        watch(limit_s=0.1).run(until_stopped, [0, 0, 0], 2)
    with pytest.raises(ic.ParameterError, match=r"within 1 GiB \(limit_gib\)"):
        watch().run(until_stopped, [2**28, 1], 2)


def test_an_error_in_one_part_ends_the_others():
    def fails(part, stop, found):
        if part == 0:
            raise ZeroDivisionError
        return until_stopped(part, stop, found)

    with pytest.raises(ZeroDivisionError):
        watch().run(fails, [1, 0], 2)
