"""song2014: its table and figures, on data small enough to check by eye and on the quick city."""

import json
from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from incrowd.data.table import some_people
from incrowd.ledger import Ledger
from incrowd.papers import reproduce, song2014
from incrowd.papers.record import WITHIN, save
from incrowd.papers.song2014 import cuts, movers
from incrowd.papers.song2014.cut import after, before, figure_2, figure_3, figure_4


@pytest.fixture(scope="module")
def found():
    return reproduce("song2014", quick=True)


def visits(*paths):
    """One list of (cell, slot) per person; slots of an hour."""
    user, cell, slot = zip(*((u, *point) for u, path in enumerate(paths) for point in path), strict=True)
    return ic.Visits.from_arrays(user, cell, slot, slot_min=60, xy=[(0, 0), (3000, 4000), (0, 1000)])


SMALL = visits([(0, 0), (1, 1), (2, 9)], [(0, 0), (1, 1), (0, 9)], [(0, 0), (1, 1), (1, 9)], [(0, 3), (0, 4)])


def said(figure):
    return {s.what: s for s in figure.statements}


def test_every_table_and_figure_is_there(found):
    assert [f.name for f in found.figures] == ["Table 1", "Figure 1", "Figure 2", "Figure 3", "Figure 4"]
    assert found.name == "a synthetic city" and 1_000 < found.users <= 2_000
    assert all(s.why for s in found.statements if s.verdict != "agrees")
    assert {s.why for s in found.statements if s.verdict == "agrees"} <= {"", WITHIN}


def test_the_same_seed_gives_the_same(found):
    assert reproduce("song2014", quick=True).statements == found.statements
    assert reproduce("song2014", quick=True, seed=1).statements != found.statements


def test_people_at_one_place_leave_and_are_counted():
    kept = movers(SMALL)
    assert len(kept) == 3 and kept.records == 9 and kept.users.tolist() == [0, 1, 2]
    assert dict(kept.ledger.steps[-1].dropped) == {"user at one place": 2}
    with pytest.raises(ic.DataError, match="two places"):
        song2014.reproduce(visits([(0, 0), (0, 1)], [(1, 0)]))
    with pytest.raises(ic.DataError, match="slot_min"):
        song2014.reproduce(ic.Visits.from_arrays([1, 1], [0, 1], [0, 1]))


def test_table_1_counts_people_records_and_distances():
    table = said(song2014.table_1(cuts(SMALL, made_up=False, quick=True, seed=0)))
    assert (table["places"].ours, table["slots"].ours, table["trajectories"].ours) == ("3", "10", "3")
    assert table["people left after cleaning"].ours == "75 %"
    assert table["records left after cleaning"].ours == "82 %"  # 9 of 11
    assert table["fewest points of a trajectory"].ours == table["average points of a trajectory"].ours == "3"
    assert (table["two nearest places"].ours, table["two farthest places"].ours) == ("1 km", "5 km")
    assert song2014.extremes_km(np.array([[0.0, 0], [0, 2000]])) == (2, 2)


def test_figure_2_counts_pieces_by_both_conventions():
    # Before: of three points two are shared by all and the last is one's own. Pieces of 6 h: one of the two shared
    # points each, which nobody is alone with, and one of a single point, which only 'all' asks for.
    risk = cuts(SMALL, made_up=False, quick=True, seed=0)
    assert before(risk, 3).value == 1
    assert after(risk, 6, 2, "drop").value == 0
    assert after(risk, 6, 2, "all").value == 0.5
    told = figure_2(risk)
    assert [line.label for line in told.panels[0].lines][:4] == ["before", "24 h", "12 h", "6 h"]
    printed = [line for line in told.panels[0].lines if line.style == "hollow"]
    assert [(line.x, line.y) for line in printed] == [((2.0,), (0.6,)), ((2.0,), (0.4,))]
    known = said(told)
    assert known["unique after cutting into 6 h (short pieces left out)"].ours == "0 %"
    assert known["unique after cutting into 6 h (short pieces asked with what they have)"].ours == "50 %"


def test_figure_3_and_4_share_the_first_bar():
    risk = cuts(SMALL, made_up=False, quick=True, seed=0)
    bars = figure_3(risk).panels[0].lines
    assert bars[1].y[:3] == (0, 0, 1)  # all three share the points of a piece
    assert bars[0].y[0] == before(risk, 2).value
    shown = figure_4(risk)
    assert [panel.name for panel in shown.panels] == ["4a", "4b", "4c"]
    assert said(shown)["trajectories that two others or more share, 6 h"].ours.endswith("100 % after")


def test_cutting_keeps_every_point(found):
    row = next(s for s in found.statements if s.what == "points kept, and made up")
    assert row.verdict == "agrees" and row.ours == f"{found.records:,} of {found.records:,}, 0"


def test_a_difference_is_explained_by_its_direction():
    thin = cuts(SMALL, made_up=False, quick=True, seed=0)
    assert "a thin crowd hides worse" in thin.why(0.9, 0.6)
    assert thin.why(0.3, 0.6) == "other people and places than the paper's"
    assert "made-up people, 3 at 3 antennas" in cuts(SMALL, made_up=True, quick=True, seed=0).why(0.3, 0.6)


def test_a_draw_is_measured_against_its_own_part():
    # Ten people with two records each in one slot, five of whom move; four are drawn.
    paths = [[(0, 0), (u % 2, 1)] for u in range(10)]
    crowd = visits(*paths)
    twice = replace(crowd, ledger=Ledger().add("read", read=40, kept=20, dropped={"repeat": 20}, users=(10, 10)))
    drawn = some_people(twice, people=4, seed=0)
    risk = cuts(drawn, made_up=False, quick=True, seed=0)
    assert (risk.raw_users, risk.raw_records) == (4, 16)
    whole = cuts(twice, made_up=False, quick=True, seed=0)
    assert (whole.raw_users, whole.raw_records) == (10, 40)
    left = said(song2014.table_1(risk))["people left after cleaning"].ours
    assert left == f"{100 * len(movers(drawn)) / 4:.0f} %"


def test_no_number_is_counted_twice(found):
    counted = [s.ours for s in found.statements if s.verdict != "cannot be compared" and "unique" in s.what]
    assert not any("alone with 2 points" in s.what for s in found.statements) and counted
    assert {s.verdict for s in found.figures[3].statements} == {"cannot be compared"}


def test_some_people_keep_their_visits():
    few = some_people(SMALL, people=2, seed=0)
    assert len(few) == 2 and few.records == sum(np.diff(SMALL.offsets)[few.users])
    assert some_people(SMALL, people=9, seed=0).records == SMALL.records


def test_the_folder_holds_report_figures_and_statements(found, tmp_path):
    folder = save(found, tmp_path / "song")
    names = {path.name for path in folder.iterdir()}
    assert {"report.html", "statements.json", "figure-2-drop.svg", "figure-2-drop.json", "figure-4c.svg"} <= names
    assert len(json.loads((folder / "statements.json").read_text())) == len(found.statements)
