import pytest

from web.asking import Browser


@pytest.fixture
def folder(tmp_path):
    """A folder with a small file, and a secret outside of it."""
    place = tmp_path / "mobility"
    place.mkdir()
    rows = [f"p{i % 7},2024-01-0{i % 3 + 1}T0{i % 9}:00:00,5.{i},52.{i},f{i % 4}" for i in range(1, 40)]
    (place / "trips.csv").write_text("\n".join(["rider_id,ts,lon,lat,fare", *rows]))
    (tmp_path / "secret.csv").write_text("user,t,lon,lat\nalice,2024-01-01T00:00:00,4.4444,51.5555\n")
    return place


@pytest.fixture
def visitor(folder):
    return Browser(folder)
