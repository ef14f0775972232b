"""Numbers, map and surface of the step Risk are those of the library, and a change of the controls is quick."""

import json
import re
import time

import pytest

import incrowd as ic
from incrowd.plain import percent
from incrowd.web import commands
from incrowd.web.views import GRAINS


@pytest.fixture
def visits(ready):
    file = ready.studio.folder / commands.clean_file(ready.studio.dataset())
    return ic.discretize.grid(ic.read.saved(file), cell_m=1000, slot_min=30)


def test_the_numbers_are_those_of_the_library(ready, visits):
    words = ready.get("/risk/view?points=2&cell_m=1000&slot_min=30").words
    risk = ic.measure.uniqueness(visits, points=2)
    assert f"{percent(risk.value)} of 60 people are identified by 2 known visits" in words
    assert "incrowd measure uniqueness" in words
    assert "--cell-m 1000 --slot-min 30" in words


def test_the_map_has_a_square_for_every_cell_that_is_not_blank(ready, visits):
    data = json.loads(ready.get("/risk/map.json?cell_m=1000&slot_min=30").text)
    panel = ic.measure.risk_map(visits).panel()
    assert len(data["squares"]) == (panel.value == panel.value).sum()
    assert {colour for _, _, colour in data["squares"]} <= {1, 2, 3, 4, 5}


@pytest.mark.parametrize("query", ["points=9", "cell_m=1", "slot_min=1e9", "points=", "cell_m=500;drop"])
def test_only_the_choices_on_the_page_are_taken(ready, query):
    assert ready.get(f"/risk/view?{query}").status == 422


def test_a_change_of_the_controls_is_drawn_from_what_was_counted_before(ready):
    for cell_m, slot_min in GRAINS[:2]:
        ready.get(f"/risk/view?cell_m={cell_m}&slot_min={slot_min}")
    times = []
    for points in (1, 2, 3, 5):
        began = time.perf_counter()
        answer = ready.get(f"/risk/view?points={points}&cell_m={GRAINS[0][0]}&slot_min={GRAINS[0][1]}")
        times.append(time.perf_counter() - began)
        assert re.search(rf"identified by {points} known visit", answer.words)
    assert min(times) < 1


def test_drawings_have_no_style_of_their_own(ready):
    text = ready.get("/risk/view").text
    assert "<svg" in text
    assert not re.search(r"<style|\sstyle=|<script", text)


def test_the_tests_are_started_once(ready):
    for _ in range(2):
        assert ready.post("/risk/assess", {"budget": "2m"}).status == 303
    assert len(ready.studio.store.jobs(kind="assess")) == 1
    assert ready.post("/risk/assess", {"budget": "1y"}).status == 422
