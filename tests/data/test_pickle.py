"""Nouns travel between processes."""

import copy
import pickle

import pytest

import incrowd as ic

NOUNS = [
    ic.Traces.from_arrays(["a", "b"], [0, 1], [5, 5], [52, 52], attributes={"job": ["x", "y"]}),
    ic.Visits.from_arrays([1, 2], [0, 1], [0, 0], attributes={"job": ["x", {"y", "z"}]}),
    ic.Fingerprints.from_arrays([1, 2], [0, 100], [0, 0], [0, 5]),
    ic.Counts.from_arrays([[1, 2]], [[0, 0], [1, 1]]),
    ic.Release.from_arrays(ic.Visits.from_arrays([1, 2], [0, 1], [0, 0]), members=[[1], [0]]),
]


@pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda noun: pickle.loads(pickle.dumps(noun))], ids=["copy", "pickle"]
)
@pytest.mark.parametrize("noun", NOUNS, ids=lambda n: type(n).__name__)
def test_a_noun_comes_back_whole_and_read_only(noun, again):
    back = again(noun)
    assert repr(back) == repr(noun) and back.ledger == noun.ledger
    for mine, theirs in zip(noun.columns().values(), back.columns().values(), strict=True):
        assert mine.tolist() == theirs.tolist()
    array = getattr(back, "offsets", getattr(back, "n", None))
    assert array is None or not array.flags.writeable
    if isinstance(back, ic.Visits):
        with pytest.raises(TypeError):
            back.attributes["job"] = []
