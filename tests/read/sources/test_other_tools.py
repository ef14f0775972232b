"""Pages about GeoPandas, MovingPandas and trackintel, run with the real packages in an environment of their own."""

import os
import subprocess

import pandas as pd
import pytest

import incrowd as ic
from pages import ROOT, blocks

PYTHON = ROOT / ".tools" / "frames" / "bin" / "python"


@pytest.mark.sources
@pytest.mark.parametrize("page", ["geoparquet", "movingpandas", "trackintel"])
def test_frames_go_in_and_out_as_the_page_says(page, tmp_path):
    if not PYTHON.exists():
        pytest.skip("MovingPandas and trackintel are not installed (make sources installs them)")
    (block,) = (one for one in blocks(ROOT / "docs" / "howto" / f"{page}.md") if one.language == "python")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [PYTHON, "-W", "ignore", "-c", f"{block.code}\nprint('done')"]
    run = subprocess.run(words, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr[-2000:]


def test_a_frame_is_no_address_and_needs_no_way_out_of_its_own(monkeypatch):
    """Once GeoPandas is imported, every frame of pandas has set_geometry, and only those with places have to_arrow."""
    monkeypatch.setattr(pd.DataFrame, "set_geometry", lambda self: self, raising=False)
    frame = pd.DataFrame({"uid": [1, 2], "datetime": pd.to_datetime([0, 60], unit="s"), "lat": 52.3, "lng": 4.9})
    assert ic.read.table(frame).users.tolist() == [1, 2]
