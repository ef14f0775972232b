"""No message carries a person's value: every refusal is provoked with a value that is then looked for."""

import traceback

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.plain import to_json

SECRET_NUMBER = st.integers(10**12, 10**13) | st.floats(1e12, 1e13).filter(lambda v: v != int(v))
SECRET_TEXT = st.text("0123456789abcdef", min_size=12, max_size=12)


def refusals(number, text):
    """Calls that are refused because of the one value in them."""
    traces, visits, prints = ic.Traces.from_arrays, ic.Visits.from_arrays, ic.Fingerprints.from_arrays
    yield lambda: traces([1], [0], [number], [52])
    yield lambda: traces([1], [0], [5], [number])
    yield lambda: traces([1], [number], [5], [52])
    yield lambda: traces([1], [text], [5], [52])
    yield lambda: traces([1], [0], [text], [52])
    yield lambda: traces([text, 1], [0, 1], [5, 5], [52, 52])
    yield lambda: traces([text, None], [0, 1], [5, 5], [52, 52])
    yield lambda: traces(np.array([text, number], object), [0, 1], [5, 5], [52, 52])
    yield lambda: traces([[text], [text, text]], [0, 1], [5, 5], [52, 52])
    yield lambda: traces([f"{text}\0"], [0], [5], [52])
    yield lambda: traces([text], [0, 1], [5], [52])
    yield lambda: traces([1], [0], [5], [52], attributes={"age": [text, number]})
    yield lambda: traces([1, 2], [0, 0], [5, 5], [5, 5], attributes={"age": [text, number]}).to_arrow()
    yield lambda: traces([1], [0], [5], [52], attributes={"age": [{text, number}]}).to_arrow()
    yield lambda: visits([1], [text], [0])
    yield lambda: visits([1], [0], [number * 10**9])
    yield lambda: visits([1], [0], [int(number)], slot_min=30)
    yield lambda: visits([1], [int(number)], [0], xy=[[0, 0]])
    yield lambda: visits([1], [0], [0], xy=[[text, text]])
    yield lambda: prints([1], [number * 2**30], [0], [0])
    yield lambda: prints([1], [0], [0], [0], crowd=-int(number))
    yield lambda: ic.Counts.from_arrays([[text]], [[0, 0]])
    yield lambda: ic.Counts.from_arrays([[number * 10**9]], [[0, 0]])
    yield lambda: ic.Release.from_arrays(visits([1], [0], [0]), [[-int(number)]])


@settings(deadline=None, max_examples=25)
@given(SECRET_NUMBER, SECRET_TEXT)
def test_no_refusal_tells_the_value(number, text):
    for call in refusals(number, text):
        with pytest.raises(ic.IncrowdError) as caught:
            call()
        said = "".join(line for line in traceback.format_exception_only(caught.value))
        for error in (caught.value, caught.value.__cause__):
            said += str(error)
        digits = str(int(number))
        assert digits not in said and text not in said
        assert str(caught.value)[0].islower() and str(caught.value).endswith(".")


@settings(deadline=None, max_examples=25)
@given(st.integers(10**9, 10**10), SECRET_TEXT)
def test_no_repr_tells_the_value(number, text):
    traces = ic.Traces.from_arrays([text], [number], x=[number], y=[number], attributes={"job": [text]})
    nouns = [
        traces,
        ic.Visits.from_arrays([text], [number], [number]),
        ic.Fingerprints.from_arrays([text], [number], [number], [number]),
        ic.Release.from_arrays(traces, [[number]]),
    ]
    for noun in nouns:
        shown = repr(noun) + str(noun) + str(noun.ledger)
        assert str(number) not in shown and text not in shown


@settings(deadline=None, max_examples=25)
@given(st.integers(10**9, 10**10), SECRET_TEXT)
def test_no_noun_as_a_dict_holds_the_value(number, text):
    attributes = {"age": [text]}
    nouns = (
        ic.Traces.from_arrays([text], [number], x=[number], y=[number], attributes=attributes),
        ic.Visits.from_arrays([text], [number], [number], attributes=attributes),
        ic.Fingerprints.from_arrays([text], [number], [number], [number], attributes=attributes),
        ic.Counts.from_arrays([[number]], [[1, 1]]),
    )
    for noun in nouns:
        about = noun.to_dict()
        assert about["noun"] == type(noun).__name__ and about["ledger"] == noun.ledger.to_dict()
        assert text not in to_json(about) and str(number) not in to_json(about)
    assert nouns[1].to_dict()["attributes"] == ["age"] and nouns[2].to_dict()["people"] == 1
    assert nouns[3].to_dict()["cells"] == 1
