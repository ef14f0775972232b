import numpy as np
import pytest

import incrowd as ic
from incrowd.measure.sweep import sweep
from incrowd.plain import percent


def town():
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(20), 30)
    t = rng.integers(0, 86_400, len(user))
    return ic.Traces.from_arrays(user, t, x=rng.normal(0, 100, len(user)), y=rng.normal(0, 100, len(user)))


def test_the_surface_of_each_number_of_visits_is_drawn(tmp_path):
    found = sweep(town(), blocks=(1, 2, 8), minutes=(60, 240), points=(1, 2, 4), samples=300)
    shown = found.section()
    assert [panel.name for panel in shown.panels] == ["sweep", "sweep-2"]
    for panel, points in zip(shown.panels, (4, 2), strict=True):
        assert "n = " in panel.caption and "300 samples per cell" in panel.caption
        assert "95 % intervals within" in panel.caption and "'vote'" in panel.caption and "'drop'" in panel.caption
        assert f"{points} known visits" in panel.caption
        here = found.points == points
        assert [share for row in panel.value for share in row] == found.uniqueness[here].tolist()
        assert (panel.rows, panel.columns) == (("60", "240"), ("1", "2", "8"))
    assert shown.number == percent(found.uniqueness[found.points == 4].max())
    assert f"1 x 1 blocks of {found.block_size(1)} and 60 min" in shown.answer  # where nobody is alone
    ranges, targets, values = shown.tables
    assert [row[0] for row in ranges.rows] == ["1", "2", "4"] and ranges.rows[2][2].startswith(shown.number[:-4])
    assert [row[0] for row in targets.rows] == ["5 %", "10 %", "20 %", "50 %"]
    assert [row[2] for row in values.rows[:3]] == [found.block_size(n) for n in (1, 2, 8)] and len(values.rows) == 6
    assert found.section(target=1).tables[0].rows[2][3] == f"{found.named(8)} and 60 min"
    page = ic.report.write(tmp_path / "report.html", found).read_text()
    assert page.count('role="img"') == 2


def test_one_setting_needs_no_surface():
    shown = sweep(town(), blocks=[4], minutes=[60], points=[2], samples=50).section()
    assert shown.panels == [] and shown.number_of.startswith("identified by 2 known visits")


@pytest.mark.parametrize("keep", ["vote", "set"])
def test_nobody_with_enough_points(keep):
    few = ic.Traces.from_arrays([1, 2], [0, 0], x=[0.0, 1.0], y=[0.0, 1.0])
    shown = sweep(few, blocks=[2, 4], minutes=[20, 60], points=[2], samples=5, keep=keep).section()
    assert shown.number == "-" and shown.answer.startswith("Nobody has 2 visits") and shown.panels == []
