"""assess --attest and --evidence, audit --page, and the attestation that audit finds beside a release."""

import json

import numpy as np
import pytest

import incrowd as ic

LOOSE = ("--limit", "lookup=60%")  # shopping: above one half


@pytest.fixture
def visits(tmp_path):
    """Sixty people who were all in the same places."""
    noun = ic.Visits.from_arrays(
        np.repeat([f"rider{n}" for n in range(60)], 4),
        cell=np.tile([3, 5, 3, 5], 60),
        slot=np.tile([2, 9, 26, 33], 60),
        slot_min=60,
        start=0,
    )
    return noun.save(tmp_path / "visits.parquet")


@pytest.fixture
def published(incrowd, visits, tmp_path):
    """The words that assess a release of them."""
    release, link = tmp_path / "release", tmp_path / "link.csv"
    made = incrowd("anonymize", "lkc", visits, "-o", release, "--l", 2, "--k", 20, "--keep-link", link)
    assert made[0] == 0, made[2]
    return ("assess", visits, "--release", release, "--link", link, "--no-advise")


def test_attest_writes_beside_the_release_and_audit_reads_it(incrowd, published, tmp_path):
    page = tmp_path / "release.assessment.json"
    before = sorted((tmp_path / "release").iterdir())
    code, out, err = incrowd(*published, "--fail-above", "--attest")
    assert code == 0 and out.endswith(f"attestation: {page}\n"), err
    assert sorted((tmp_path / "release").iterdir()) == before
    told = json.loads(page.read_text())
    assert told["schema"] == "incrowd-assessment/1" and told["exit_code"] == 0 and "rider" not in page.read_text()
    assert told["head"]["command"].startswith("incrowd assess ") and told["head"]["command"].endswith("--attest")
    code, out, _ = incrowd("audit", "--page", page)
    assert code == 0 and out.startswith("All 7 checks passed.") and "5 of 5 files" in out
    code, out, _ = incrowd("audit", tmp_path / "release", "--json")
    assert code == 0 and json.loads(out)["attestation"].startswith("attestation release.assessment.json fits")


def test_audit_of_a_release_keeps_its_checks_and_its_last_line(incrowd, published, tmp_path):
    plain = incrowd("audit", tmp_path / "release")
    assert "attestation" not in plain[1] and "attestation" not in json.loads(
        incrowd("audit", tmp_path / "release", "--json")[1]
    )
    incrowd(*published, "--attest")
    code, out, _ = incrowd("audit", tmp_path / "release")
    *lines, attested, last = out.splitlines()
    assert (code, [*lines, last]) == (plain[0], plain[1].splitlines())
    assert attested.startswith("attestation release.assessment.json fits; it says: Nothing above your limits: ")
    page = tmp_path / "release.assessment.json"
    told = json.loads(page.read_text())
    page.write_text(json.dumps(told | {"verdict": "Safe."}))
    code, out, _ = incrowd("audit", tmp_path / "release")
    assert code == plain[0] and out.splitlines()[-2].startswith(
        "attestation release.assessment.json does not fit (verd"
    )
    code, out, _ = incrowd("audit", "--page", page, tmp_path / "release")
    assert code == 1 and "verdict   FAIL" in out


def test_a_second_run_is_counted_and_does_not_replace_the_first_by_itself(incrowd, published, tmp_path):
    assert incrowd(*published, "--attest")[0] == 0
    code, _, err = incrowd(*published, "--attest")
    assert code == 2 and "release.assessment.json exists" in err
    code, out, _ = incrowd(*published, "--attest", "--force", "--limit", "lookup=20%", "--json")
    assert code == 0 and json.loads(out)["head"]["run"] == "2nd run; limits changed since"  # nothing else is printed


def test_data_without_a_release_need_a_name(incrowd, visits, tmp_path):
    code, _, err = incrowd("assess", visits, "--attest", "--no-advise")
    assert code == 2 and "say where to attest: --attest-file" in err
    page = tmp_path / "elsewhere" / "visits.assessment.json"
    code, _, err = incrowd("assess", visits, "--attest-file", page, "--no-advise")
    assert code == 2 and "does not exist; make it first" in err
    page.parent.mkdir()
    assert incrowd("assess", visits, "--attest-file", page, "--no-advise")[0] == 0
    found = incrowd("audit", "--page", page, "--original", visits)
    assert found[0] == 0 and "SHA-256 of 1 of 1 file is as stated" in found[1]
    assert incrowd("assess", visits, "--attest-file", page, "--no-advise", "--force")[0] == 0
    assert json.loads(page.read_text())["head"]["run"].startswith("2nd run")  # found where it is written, too


@pytest.mark.parametrize("option", ["--attest-file", "--evidence"])
def test_no_output_is_written_over_an_input(incrowd, visits, option):
    code, _, err = incrowd("assess", visits, option, visits, "--force", "--no-advise")
    assert code == 2 and f"{option} visits.parquet would overwrite its own input" in err


def test_evidence_is_markdown_under_the_headings_of_the_standard(incrowd, published, tmp_path):
    code, out, _ = incrowd(*published, "--evidence", tmp_path / "dpia.md")
    page = (tmp_path / "dpia.md").read_text()
    assert code == 0 and out.endswith(f"evidence: {tmp_path / 'dpia.md'}\n")
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings == ["## Context", "## Data", "## Adversarial testing", "## Mitigation", "## Re-evaluation"]
    assert "| release | release/data.parquet | " in page and "made by LKC" in page and "rider" not in page


def test_exit_codes(incrowd, published, tmp_path):
    assert incrowd(*published, "--fail-above")[0] == 0
    assert incrowd(*published, "--fail-above", "--limit", "lookup=1/100")[0] == 1
    code, _, err = incrowd(*published, "--fail-above", *LOOSE)
    assert code == 2 and "the limit of lookup is 60 %" in err
    code, out, _ = incrowd(*published, "--fail-above", *LOOSE, "--override", "a trial", "--attest")
    assert code == 3 and out.startswith("Override: a trial (the limit of lookup is 60 %). ")
    page = tmp_path / "release.assessment.json"
    assert json.loads(page.read_text())["exit_code"] == 3 and incrowd("audit", "--page", page)[0] == 0
    for verb, words in (("assess", "3 passed with an override"), ("audit", "1 a check fails")):
        shown = " ".join(incrowd(verb, "--help")[1].replace("│", " ").split())
        assert "Exit codes: 0 " in shown and words in shown and "130 interrupted" in shown


def test_audit_needs_a_release_or_a_page(incrowd, tmp_path):
    code, _, err = incrowd("audit")
    assert code == 2 and "name the release to audit" in err
    (tmp_path / "x.json").write_text("{}")
    code, _, err = incrowd("audit", "--page", tmp_path / "x.json")
    assert code == 2 and "x.json is no incrowd-assessment/1" in err


def test_an_interrupted_assessment_is_not_attested(incrowd, published, tmp_path, monkeypatch):
    from incrowd.assess.prepared import Asking

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Asking, "_finding", stop)
    code, _, _ = incrowd(*published, "--attest")
    assert code == 130 and not (tmp_path / "release.assessment.json").exists()


def test_the_page_has_the_head_after_the_verdict(incrowd, published, tmp_path):
    html, text = tmp_path / "page.html", tmp_path / "page.md"
    for page in (html, text):
        assert incrowd(*published, "-o", page)[0] == 0
        title = "What was assessed, for signature" if page == html else "Head to sign"
        for words in (title, "SHA-256", "release/data.parquet", "ssess again by"):
            assert words in page.read_text()
        assert "rider" not in page.read_text()
    headings = [line for line in text.read_text().splitlines() if line.startswith("## ")]
    assert headings.index("## Head to sign") == headings.index("## Does any test exceed your limits?") + 1
