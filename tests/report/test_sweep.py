import numpy as np
import pytest

import incrowd as ic
from incrowd.measure.sweep import sweep
from incrowd.report import sweep as _sections  # noqa: F401  registers its section
from incrowd.report.section import section


def town():
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(20), 30)
    t = rng.integers(0, 86_400, len(user))
    return ic.Traces.from_arrays(user, t, x=rng.normal(0, 100, len(user)), y=rng.normal(0, 100, len(user)))


def test_the_surface_and_its_contours_are_drawn(tmp_path):
    found = sweep(town(), blocks=(1, 2, 8), minutes=(60, 240), points=(1, 2, 4), samples=300)
    shown = section(found)
    assert len(shown.drawings) == 2
    for drawing in shown.drawings:
        assert "n = " in drawing.caption and "300 samples per cell" in drawing.caption
        assert (
            "95 % intervals within" in drawing.caption and "'vote'" in drawing.caption and "'drop'" in drawing.caption
        )
    assert "2, 4 known points" in shown.drawings[1].caption
    assert shown.number == f"{found.uniqueness[found.points == 4].max():.1%}"
    assert f"1 x 1 blocks of {found.block_size(1)} and 60 min" in shown.answer  # where nobody is alone
    assert [row[2] for row in shown.tables[1].rows[:3]] == [found.block_size(n) for n in (1, 2, 8)]
    assert len(shown.tables[1].rows) == 6
    page = ic.report.write(tmp_path / "report.html", found).read_text()
    assert page.count('role="img"') == 2


def test_one_setting_needs_no_surface():
    shown = section(sweep(town(), blocks=[4], minutes=[60], points=[2], samples=50))
    assert shown.drawings == [] and shown.number_of.startswith("singled out by 2 points")


@pytest.mark.parametrize("keep", ["vote", "set"])
def test_nobody_with_enough_points(keep):
    few = ic.Traces.from_arrays([1, 2], [0, 0], x=[0.0, 1.0], y=[0.0, 1.0])
    shown = section(sweep(few, blocks=[2, 4], minutes=[20, 60], points=[2], samples=5, keep=keep))
    assert shown.number == "-" and shown.answer.startswith("Nobody has 2 points") and shown.drawings == []
