"""A signature stands only if the tests it repeats pass, and what is downloaded is what was signed."""

import json
import zipfile
from types import SimpleNamespace

import pytest

from incrowd.data.release_folder import sha256_of
from incrowd.show import Section
from incrowd.web import release, signing
from incrowd.web.studio import Studio

FORM = {"name": "A. Custodian", "role": "Officer", "decision": "publish"}


@pytest.fixture
def run(ready, monkeypatch):
    """A finished run whose verdicts, and those of what signs it, are what `passed` says; no command is run."""
    verdicts = {"run": True, "sign": True, "audit": True}
    store = ready.studio.store
    details = {"method": "glove", "options": {"k": 11}}
    number = store.add_job(store.dataset().id, "run", "GLOVE, k = 11", [["a"], ["b"], ["c"]], details)
    store.move(number, "finished", expected="waiting")
    here = ready.studio.folder / "incrowd-studio" / "runs" / str(number)
    (here / "release").mkdir(parents=True)
    (here / "release" / "data.csv").write_text("pseudonym\n1\n")
    (here / "link.csv").write_text("pseudonym,user\n1,alice\n")

    monkeypatch.setattr(
        Studio, "assessment", lambda _self, job, _step=0: job and SimpleNamespace(passed=verdicts[job.kind])
    )
    monkeypatch.setattr(
        Studio, "answer", lambda _self, job, step=0: audit(verdicts["audit"]) if step and job.kind in verdicts else None
    )
    monkeypatch.setattr(release, "verdict_of", lambda _assessment: None)
    monkeypatch.setattr(signing, "row_of", lambda _studio, job: SimpleNamespace(passed=verdicts[job.kind]))
    ready.run, ready.here, ready.verdicts = number, here, verdicts
    return ready


def audit(passed):
    return Section("Does it?", "All.", method=("It is.",), data=SimpleNamespace(passed=passed, checks=()))


def sign(run, **fields):
    return run.post("/release/sign", {"run": run.run, **FORM, **fields})


def finish(run, number):
    """End a job that signs, as its command does."""
    files = [{"role": "release", "name": "release/data.csv", "sha256": sha256_of(run.here / "release" / "data.csv")}]
    (run.here / "release.assessment.json").write_text(json.dumps({"head": {"files": files}}))
    run.studio.store.move(number, "finished", expected="waiting")


def signings(run):
    return run.studio.store.jobs(kind="sign")


def download(run):
    return run.get(f"/release/download?run={run.run}")


def test_a_release_is_downloaded_once_it_is_signed_and_never_with_its_link(run):
    assert download(run).status == 422
    assert sign(run).status == 303
    assert download(run).status == 422  # the tests are still being repeated
    finish(run, signings(run)[0].id)
    assert download(run).status == 200
    with zipfile.ZipFile(run.here / f"release-{run.run}.zip") as archive:
        assert archive.namelist() == ["release/data.csv", "release.assessment.json", "decision.md"]
    assert "A. Custodian" in (run.here / "decision.md").read_text()


@pytest.mark.parametrize("failed", ["sign", "audit"])
def test_a_signature_does_not_stand_if_what_it_repeats_does_not_pass(run, failed):
    assert sign(run).status == 303
    run.verdicts[failed] = False
    finish(run, signings(run)[0].id)
    assert "not signed for publication" in download(run).words
    assert not (run.here / "decision.md").exists()
    assert not run.studio.signed(signings(run)[0])


def test_a_release_that_changed_after_it_was_signed_is_not_offered(run):
    sign(run)
    finish(run, signings(run)[0].id)
    (run.here / "release" / "more.csv").write_text("user\nalice\n")
    assert "changed after it was signed" in download(run).words
    (run.here / "release" / "more.csv").unlink()
    assert download(run).status == 200
    (run.here / "release" / "data.csv").write_text("pseudonym\n2\n")
    assert "changed after it was signed" in download(run).words
    (run.here / "release.assessment.json").write_text("[]")
    assert "changed after it was signed" in download(run).words


def test_a_run_is_signed_once(run):
    sign(run)
    assert "signed already" in sign(run, name="B").words  # a second tab, while the first one waits
    finish(run, signings(run)[0].id)
    assert sign(run, name="B").status == 422
    assert len(signings(run)) == 1


def test_what_is_signed_stays_and_what_failed_may_be_signed_again(run):
    sign(run)
    (first,) = signings(run)
    assert run.post(f"/jobs/{run.run}/remove").status == 422  # it is being signed
    run.studio.store.move(first.id, "failed", expected="waiting")
    assert sign(run).status == 303
    finish(run, signings(run)[0].id)
    assert run.post(f"/jobs/{run.run}/remove").status == 422
    assert run.post(f"/jobs/{signings(run)[0].id}/remove").status == 422
    assert run.post(f"/jobs/{first.id}/remove").status == 303
    assert run.studio.store.job(run.run) is not None
    assert len(signings(run)) == 1


def test_a_run_that_does_not_pass_is_only_refused_publication(run):
    run.verdicts["run"] = False
    assert "does not pass" in sign(run).words
    assert sign(run, decision="no").status == 422  # without a reason
    assert sign(run, decision="no", reasons="Too risky").status == 303
    run.verdicts["sign"] = run.verdicts["audit"] = False
    finish(run, signings(run)[0].id)
    assert run.studio.signed(signings(run)[0])
    assert download(run).status == 422


@pytest.mark.parametrize("fields", [{"name": " "}, {"role": ""}, {"decision": "maybe"}, {"name": "x" * 501}])
def test_an_incomplete_signature_is_refused(run, fields):
    assert sign(run, **fields).status == 422
    assert signings(run) == []
