import shutil

import pytest

from incrowd.gate import gate
from nights import gate_file, small_gate


@pytest.fixture(scope="session")
def one_night(tmp_path_factory):
    """A gate that was open once."""
    folder = tmp_path_factory.mktemp("gate")
    run = gate(gate_file(folder), first_run=True)
    assert run.exit_code == 0
    return folder


@pytest.fixture
def yesterday(one_night, tmp_path):
    """A copy of it, whose next night has new habits."""
    shutil.copytree(one_night, tmp_path / "gate")
    gate_file(tmp_path / "gate", 1)
    return tmp_path / "gate"


@pytest.fixture(scope="session")
def one_small_night(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    assert gate(small_gate(folder), first_run=True).exit_code == 0
    return folder


@pytest.fixture
def second(one_small_night, tmp_path):
    """A copy of it, with the data of the next night."""
    shutil.copytree(one_small_night, tmp_path / "gate")
    small_gate(tmp_path / "gate", 1)
    return tmp_path / "gate"
