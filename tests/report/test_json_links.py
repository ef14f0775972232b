import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.report.json_links import Behind

DATA = {"users": 1234, "share": 0.456, "steps": [{"kept": 7, "name": "a"}, {"kept": 9, "name": "<b>"}], "seed": 1}


def bare(text):
    text = str(text)
    for mark, letter in (("&lt;", "<"), ("&gt;", ">"), ("&#34;", '"'), ("&#39;", "'"), ("&amp;", "&")):
        text = text.replace(mark, letter)
    return text


def target(behind, link):
    """The text that the first link of a snippet leads to."""
    name = re.search('href="#([^"]*)"', link)[1]
    found = re.search(f'<b id="{name}">(.*?)</b>', behind.json())
    return found[1] if found else name


@pytest.mark.parametrize(
    ("text", "leads_to"),
    [
        ("1,234", "1234"),
        ("45.6%", "0.456"),
        ("0.46", "0.456"),
        ("0.47", "data1"),  # no number reads like this
        ("100%", "data1"),  # a seed of 1 is no share
        ("1", "data1"),  # a lone digit says too little
        ("pass", "data1"),
    ],
)
def test_a_number_leads_to_the_only_one_that_reads_like_it(text, leads_to):
    behind = Behind(DATA, "data1")
    assert target(behind, behind.number(text)) == leads_to


def test_rows_of_a_table_look_into_the_list_they_show():
    behind = Behind({"steps": [{"kept": 7}, {"kept": 7}]}, "d")
    assert [behind.cell("7", row, 2) for row in (0, 1)] == ['<a href="#d-1">7</a>', '<a href="#d-2">7</a>']
    assert bare(behind.json()) == '{\n "steps": [\n  {"kept": <b id="d-1">7</b>},\n  {"kept": <b id="d-2">7</b>}\n ]\n}'
    assert behind.cell("7", 0, 3) == '<a href="#d">7</a>'


def test_the_outermost_of_several_counts():
    behind = Behind({"value": 0.95, "distribution": {"1": 0.95, "2": 0.05}}, "d")
    assert behind.number("95.0%") == '<a href="#d-1">95.0%</a>' and '"value": <b id="d-1">' in bare(behind.json())


def test_a_count_comes_before_a_mean_that_rounds_to_it():
    behind = Behind({"mean": 39.75, "users": 40}, "d")
    assert target(behind, behind.number("40")) == "40"
    assert target(behind, behind.number("39.8")) == "39.75"


def test_a_place_can_be_told():
    behind = Behind([{"value": 0.5}, {"value": 0.5}], "d")
    assert behind.number("50%", (1, "value")) == '<a href="#d-1">50%</a>'
    assert behind.json().endswith('<b id="d-1">0.5</b>}\n]')


def test_several_that_read_alike_lead_to_all():
    assert Behind([0.5, 0.5], "d").number("50%") == '<a href="#d">50%</a>'


def test_sentences_keep_their_words():
    behind = Behind(DATA, "d")
    assert behind.sentence("1,234 of <2> people") == '<a href="#d-1">1,234</a> of &lt;2&gt; people'
    assert behind.sentence("song2014, x1,234") == "song2014, x1,234"
    assert [behind.cell(text) for text in ("-", "nan", "", "k=2")] == ["\N{EN DASH}", "\N{EN DASH}", "", "k=2"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=60)
@given(VALUES, st.sampled_from(["1", "10", "0.5", "50%", "1,000"]))
def test_what_is_written_is_the_json(value, text):
    behind = Behind(value, "d")
    behind.number(text)
    assert json.loads(bare(re.sub(r'<b id="[\w-]+">|</b>', "", behind.json()))) == value
