"""Counts with noise: safe once, and not if the same data are counted again and again."""

from pathlib import Path

from incrowd import Traces
from incrowd.gate import gate
from nights import together

TOWERS = range(-20, 25)  # five of them with people
COUNTS = """[source]
source = "night.csv"

[discretize]
towers = "towers.csv"
slot_min = 90
start = "{start}"
days = 1

[anonymize]
method = "counts"
dp_epsilon = 0.4
slots_per_person = 1

[output]
folder = "published"

[assess]
advise = false
"""


def counted(folder: Path, day: int) -> Path:
    """The night of a day in degrees, and an incrowd.toml that counts people with differential privacy."""
    metres = together(day)
    lon, lat = 5 + metres.x / 68_000, 52 + metres.y / 111_000
    Traces.from_arrays(metres.users[metres.owner], metres.t, lon, lat).save(folder / "night.csv", force=True)
    places = [f"{5 + 5_000 * place / 68_000 + 0.0004},52\n" for place in TOWERS]
    (folder / "towers.csv").write_text("lon,lat\n" + "".join(places))
    (folder / "incrowd.toml").write_text(COUNTS.format(start=f"1970-01-0{day + 1}"))
    return folder / "incrowd.toml"


def test_the_same_data_are_counted_twice(tmp_path):
    """Each has an epsilon of 0.4; both together have one of 0.8, and so on."""
    path = counted(tmp_path, 0)
    assert gate(path, first_run=True).exit_code == 0
    again = gate(path)
    assert again.exit_code == 1 and "averages out" in again.assessment.answer("earlier").note
    path = counted(tmp_path, 1)
    assert gate(path).exit_code == 0
