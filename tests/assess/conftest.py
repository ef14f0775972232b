"""A city of 20 people in two days, and a release of it: one crowd of all of them."""

import pytest

import incrowd as ic
from incrowd.anonymize._publish import publish


@pytest.fixture(scope="module")
def traces():
    return ic.read.synthetic_city(users=20, towers=12, days=2, seed=3).traces


@pytest.fixture(scope="module")
def prints(traces):
    return ic.discretize.fingerprints(traces)


@pytest.fixture(scope="module")
def visits(traces):
    return ic.discretize.grid(traces, cell_m=500, slot_min=60)


@pytest.fixture(scope="module")
def hidden(prints, tmp_path_factory):
    """A release of one crowd of 20, its folder and its link."""
    path, release = tmp_path_factory.mktemp("hidden"), ic.anonymize.Glove(k=11)(prints)
    return release, publish(release, path / "release", link=path / "link.csv", original=prints), path / "link.csv"
