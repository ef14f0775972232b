import pytest

import incrowd as ic
from incrowd.web import commands
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


@pytest.fixture
def ready(visitor):
    """A studio whose data were read; its jobs only wait."""
    traces = ic.read.synthetic_city(users=60, days=2).traces
    store = visitor.studio.store
    dataset = store.add_dataset("trips.csv", "trips.csv", {})
    file = visitor.studio.folder / commands.clean_file(dataset)
    file.parent.mkdir(parents=True)
    traces.save(file)
    visitor.studio.queue.at_a_time = 0
    store.move(
        store.add_job(dataset.id, "clean", "Reading", commands.cleaning(dataset)), "finished", expected="waiting"
    )
    return visitor
