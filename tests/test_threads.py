"""How many threads: what the environment asks for, else what the machine and its control groups grant."""

import pytest

import incrowd as ic
from incrowd.threads import _processors, _quota, threads


def test_the_environment_decides(monkeypatch):
    monkeypatch.setenv("INCROWD_THREADS", "3")
    assert threads() == 3
    monkeypatch.delenv("INCROWD_THREADS")
    assert threads() >= 1


@pytest.mark.parametrize("given", ["0", "-1", "two", "1.5", "99999", "٣"])
def test_what_is_no_number_of_threads_is_refused(monkeypatch, given):
    monkeypatch.setenv("INCROWD_THREADS", given)
    with pytest.raises(ic.ParameterError, match="INCROWD_THREADS must be a whole number"):
        threads()


@pytest.mark.parametrize(("text", "processors"), [("150000 100000", 2), ("max 100000", 0), ("nonsense", 0), ("5 0", 0)])
def test_a_quota_of_version_2_is_rounded_up(tmp_path, text, processors):
    (tmp_path / "cpu.max").write_text(text)
    assert _processors(tmp_path) == processors


def test_a_quota_of_version_1(tmp_path):
    (tmp_path / "cpu.cfs_quota_us").write_text("300000\n")
    (tmp_path / "cpu.cfs_period_us").write_text("100000\n")
    assert _processors(tmp_path) == 3
    (tmp_path / "cpu.cfs_quota_us").write_text("-1\n")
    assert _processors(tmp_path) == 0


def test_the_smallest_quota_on_the_way_up_holds(tmp_path):
    own, group = tmp_path / "own", tmp_path / "cgroup" / "outer" / "inner"
    group.mkdir(parents=True)
    own.write_text("0::/outer/inner\n")
    (group / "cpu.max").write_text("max 100000")
    (group.parent / "cpu.max").write_text("400000 100000")
    assert _quota(tmp_path / "cgroup", own) == 4
    (group / "cpu.max").write_text("200000 100000")
    assert _quota(tmp_path / "cgroup", own) == 2
    assert _quota(tmp_path / "nowhere", tmp_path / "nothing") == 4096
