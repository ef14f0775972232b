"""Guarantees in words: plurals agree, numbers are written as a person writes them, nonsense is repeated as it is."""

from incrowd.data.release_text import guarantee_of


def test_one_visit_and_several():
    one, two = (guarantee_of({"method": "LKC", "claims": {"l": known, "k": 2}}) for known in (1, 2))
    assert "at most 1 visit of a person" in one and "at most 2 visits of a person" in two


def test_lengths_are_plain_numbers():
    claims = {"k": 2, "delta_m": 2000.0}
    assert "who stay within 1,000 m of one of them" in guarantee_of({"method": "W4M", "claims": claims})
    coarse = guarantee_of({"method": "Generalize", "parameters": {"cell_m": 1000, "slot_min": 60}})
    assert "finer than 1,000 m and no time is finer than 60 min" in coarse
    private = guarantee_of({"method": "DPCounts", "claims": {"epsilon": 1.0, "delta": 0.0}})
    assert private.endswith("exp(1), except with probability 0.")


def test_what_is_no_number_is_repeated():
    assert "within far / 2 m of" in guarantee_of({"method": None, "claims": {"k": 2, "delta_m": "far"}})
