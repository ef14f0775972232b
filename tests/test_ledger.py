import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import Ledger
from incrowd.ledger import Step

counts = st.dictionaries(st.sampled_from(["late", "far", "twice"]), st.integers(0, 10**12))


@settings(deadline=None)
@given(counts, counts, counts, st.integers(0, 10**12), st.integers(-3, 3))
def test_only_a_sum_that_closes_can_be_written_down(dropped, created, notes, kept, error):
    read = kept + sum(dropped.values()) - sum(created.values()) + error
    arguments = {"read": read, "kept": kept, "dropped": dropped, "created": created, "notes": notes}
    if error or read < 0:
        with pytest.raises(ValueError, match=r"account for every record|below zero"):
            Ledger().add("step", **arguments)
        return
    step = Ledger().add("step", **arguments, users=(3, 2)).steps[0]
    assert step.read + sum(step.created.values()) == step.kept + sum(step.dropped.values())


@pytest.mark.parametrize("values", [(-1, -1), (1, 2, {"a": -1}), (1, 0, {}, {"a": -1}), (1, 1, {}, {}, {"a": -1})])
def test_counts_below_zero_are_refused(values):
    with pytest.raises(ValueError, match="below zero"):
        Step("step", *values)


@settings(deadline=None)
@given(st.lists(st.tuples(counts, counts, counts)))
def test_a_ledger_survives_json(pages):
    ledger = Ledger()
    for dropped, created, notes in pages:
        read, kept = sum(dropped.values()), sum(created.values())
        ledger = ledger.add("s", read=read, kept=kept, dropped=dropped, created=created, notes=notes, users=(1, 1))
    assert Ledger.from_dict(json.loads(json.dumps(ledger.to_dict()))) == ledger


def test_adding_leaves_the_earlier_ledger_alone():
    first = Ledger().add("one", read=1, kept=1)
    second = first.add("two", read=1, kept=0, dropped={"gone": 1})
    assert [step.name for step in first.steps] == ["one"]
    assert [step.name for step in second.steps] == ["one", "two"]


def test_a_step_cannot_be_changed_afterwards():
    dropped = {"gone": 1}
    ledger = Ledger().add("one", read=1, kept=0, dropped=dropped)
    dropped["gone"] = 5
    assert ledger.steps[0].dropped == {"gone": 1}
    with pytest.raises(AttributeError):
        ledger.steps[0].read = 9


def test_it_prints_what_happened_and_not_what_did_not():
    ledger = Ledger().add(
        "a_very_long_name",
        read=1234,
        kept=1235,
        dropped={"late": 9, "far": 0},
        created={"filled": 10},
        notes={"swapped": 2, "unused": 0},
        users=(3, 2),
    )
    answer, header, line, *reasons = str(ledger).splitlines()
    assert answer == "1,244 records came in, 9 were dropped, and 1,235 remain."
    assert header.split() == ["step", "read", "kept", "users"]
    assert line.split() == ["a_very_long_name", "1,234", "1,235", "2"]
    assert [reason.strip() for reason in reasons] == ["-9 late", "+10 filled", "(2 swapped)"]
    assert str(Ledger().add("s", read=0, kept=0)).splitlines()[2].split() == ["s", "0", "0", "-"]
