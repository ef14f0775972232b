"""What every result can do: a line, a table, a mapping, a section whose numbers are its own."""

import json

import pytest

import incrowd as ic
from incrowd.errors import IncrowdWarning
from incrowd.measure.glove.accuracy import extents
from incrowd.plain import to_json
from incrowd.show import Result, Section, markdown, text

POETRY = ("singled out", "single out", "gives away", "told", "whole again", "inf ", "nan")


def made():
    """One result of each kind, by its class, and how many rows its table has."""
    city = ic.read.synthetic_city(users=12, towers=8, days=2, seed=0)
    traces = ic.clean.duplicates(city.traces)
    visits = ic.discretize.towers(traces, city.towers, slot_min=60, fill="interpolate")
    whole = ic.discretize.filled(visits)
    prints = ic.discretize.fingerprints(traces)
    glove, w4m = ic.anonymize.Glove(k=2)(prints), ic.anonymize.W4M(k=2)(traces)
    accuracy, moved = ic.measure.accuracy(glove, prints), ic.measure.displacement(w4m, traces)
    boxes = extents(glove.data, glove.ledger)
    resolutions = {"blocks": [2, 4], "minutes": [60, 120], "points": [1, 2], "samples": 50}
    suppression = ic.anonymize.LKC(l=1, k=2, same_time="order")(visits).provenance["suppression"]
    gains, nights = ic.measure.day_gains(whole), ic.measure.nights(whole)
    users, windows = len(visits), ic.discretize.windows(visits, windows=2)
    return [
        (ic.measure.uniqueness(visits, points=2, repeats=3), users),
        (ic.measure.uniqueness(visits, points=2, samples=30), 30),
        (ic.measure.exposure(visits), users),
        (ic.measure.cut_risk(visits, windows, points=2), 9),
        (ic.measure.sweep(traces, **resolutions), 8),
        (ic.measure.sweep_estimate(traces, **resolutions), 1),
        (ic.measure.kgap(prints), users),
        (ic.measure.tails(prints), users),
        (accuracy, len(accuracy.pos_extent)),
        (boxes, len(boxes.pos_extent)),
        (moved, moved.published_samples),
        (ic.measure.utility(visits, ic.anonymize.Cut(window_h=6)(visits)), 6),
        (gains, len(gains.same)),
        (nights, nights.users * nights.nights),
        (ic.measure.summary(traces), 1),
        (suppression, len(suppression.items)),
        (traces.ledger, len(traces.ledger.steps)),
    ]


@pytest.fixture(scope="module")
def results():
    return made()


KINDS = [
    "Uniqueness",
    "Uniqueness",
    "Exposure",
    "CutRisk",
    "Sweep",
    "SweepEstimate",
    "KGap",
    "Tails",
    "Accuracy",
    "Extents",
    "Displacement",
    "Utility",
    "DayGains",
    "Nights",
    "Summary",
    "Suppression",
    "Ledger",
]


@pytest.mark.parametrize("number", range(len(KINDS)), ids=KINDS)
def test_every_result_explains_itself(results, number):
    result, _ = results[number]
    assert isinstance(result, Result) and type(result).__name__ == KINDS[number]
    section = result.section()
    assert isinstance(section, Section) and section.question.count("?") == 1 and len(section.answer) > 10
    assert str(result).startswith(section.answer) or KINDS[number] == "Ledger"
    assert section.answer in text(section) and section.question in markdown(section)
    for table in section.tables:
        assert all(len(row) == len(table.head) for row in table.rows)
    assert result._repr_html_().startswith("<p>") and result._repr_html_().count("<table>") == len(section.tables)
    printed = text(section) + "".join(panel.caption + panel.alt for panel in section.panels)
    assert not [word for word in POETRY if word in printed]
    names = [panel.name for panel in section.panels]
    assert len(set(names)) == len(names) and all(section.panel(name) for name in names)


@pytest.mark.parametrize("number", range(len(KINDS)), ids=KINDS)
def test_every_result_becomes_a_frame_and_json(results, number):
    result, rows = results[number]
    frame = result.to_pandas()
    assert result.to_arrow().num_rows == len(frame) == rows and list(frame.columns) == list(result.columns())
    record = json.loads(to_json(result))
    assert record == json.loads(to_json(result.to_dict()))
    if KINDS[number] not in ("KGap", "Tails", "Accuracy"):
        assert "device" not in record


def test_a_frame_of_people_holds_their_values(results):
    by_kind = {type(result).__name__: result for result, _ in results}
    gap, tails, exposed = (by_kind[name] for name in ("KGap", "Tails", "Exposure"))
    assert gap.to_pandas()["k_gap"].tolist() == gap.value.tolist()
    assert gap.to_pandas()["nearest"].tolist() == gap.neighbours[:, 0].tolist()
    assert tails.to_pandas()["share"].tolist() == tails.share.tolist()
    assert exposed.to_pandas()["points"].tolist() == exposed.points.tolist()
    cut = by_kind["CutRisk"].to_pandas().set_index(["side", "short"])["value"]
    assert cut["after", "drop"] == by_kind["CutRisk"].after["drop"].value


def test_a_misspelt_option_names_the_call():
    visits = ic.Visits.from_arrays([1], [0], [0])
    for call, wrong, right in (("uniqueness", "point", "points"), ("exposure", "max_point", "max_points")):
        with pytest.raises(ic.ParameterError, match=rf"^{call}\(\) got .* '{wrong}'; did you mean {right}\?$"):
            getattr(ic.measure, call)(visits, **{wrong: 1})
    with pytest.raises(ic.ParameterError, match=r"^uniqueness\(\) got an unexpected option 'device'"):
        ic.measure.uniqueness(visits, device="reference")


def test_old_names_work_with_a_notice():
    with pytest.warns(IncrowdWarning, match=r"measure\.sweep_cost is now measure\.sweep_estimate"):
        assert ic.measure.sweep_cost is ic.measure.sweep_estimate
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ic.measure.nothing
