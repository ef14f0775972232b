"""The JSON of an assessment is what its schema in the documentation says."""

import json

import jsonschema
import pytest

import incrowd as ic
from incrowd.assess.assessment import SCHEMA
from incrowd.plain import to_json
from pages import ROOT

WRITTEN = json.loads((ROOT / "docs" / "schemas" / "assessment-1.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def records():
    """Data as they are, and a release of counts, as a program would read them."""
    city = ic.read.synthetic_city(users=40, towers=8, days=2, seed=0)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    counts = ic.anonymize.DPCounts(epsilon=0.4, slots_per_person=1)(visits, cells=visits.xy, slots=(0, 48))
    found = [ic.assess.assess(visits, release=release, budget_s=30, advise=False) for release in (None, counts)]
    return [json.loads(to_json(one)) for one in found]


def test_real_output_is_valid(records):
    jsonschema.Draft202012Validator.check_schema(WRITTEN)
    for record in records:
        jsonschema.validate(record, WRITTEN)
        assert record["schema"] == SCHEMA == WRITTEN["properties"]["schema"]["const"]


def test_every_field_is_described(records):
    assert set(records[0]) == set(WRITTEN["properties"])
    assert set(records[0]["answers"][0]) == set(WRITTEN["$defs"]["answer"]["properties"])


@pytest.mark.parametrize("name", ["passed", "answers", "schema"])
def test_what_is_missing_or_other_is_refused(records, name):
    without = {key: value for key, value in records[0].items() if key != name}
    for wrong in (without, records[0] | {name: "other"}, records[0] | {"more": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, WRITTEN)
