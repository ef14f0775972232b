"""The rules of what the auditor does, one after the other; every mutation is a test of its own in test_mutated."""

import hashlib
import json
import os
from dataclasses import fields, replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import incrowd as ic
from audit.broken_cleverly import older
from audit.cases import people_visits
from audit.honest import copied, make, modes
from incrowd.anonymize import METHODS, Cut, publish
from incrowd.audit import check
from incrowd.audit.reading.rules import CLAIMED, PARAMETERS
from incrowd.data.release_text import guarantee_of, readme_of


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    return {base: make(base, tmp_path_factory.mktemp("rules") / base) for base in ("cut", "lkc", "glove", "w4m")}


# 1. Four outcomes.


def test_a_check_without_power_passes_and_says_so():
    visits = people_visits([f"u{i}" for i in range(20)])
    verdict = check(Cut(window_h=24)(visits), original=visits)
    for name in ("pseudonym order", "row order", "identifiers"):
        assert verdict[name].status == "pass" and "too few to find anything" in verdict[name].evidence


def test_a_claim_that_cannot_be_checked_fails(made):
    for claims in ({"l": 2, "k": 2}, {"k": 2, "delta_m": 9.0}):
        visits = ic.Visits.from_arrays([0, 1], [0, 0], [0, 0])
        points = ic.Traces.from_arrays([0, 1], [0, 0], x=[0, 0], y=[0, 0])
        data = points if "l" in claims else visits
        verdict = check(ic.Release.from_arrays(data, [[0], [1]], claims=claims))
        assert not verdict.passed and any("cannot be checked, because" in one.evidence for one in verdict.failed)


def test_not_applicable_and_not_asked_are_two_things(made):
    alone = check(made["w4m"].folder)
    assert alone["LKC-privacy"].status == alone["link"].status == "not asked"
    assert alone["cutting"].status == alone["tightness"].status == "not applicable"


# 2. Asked beats claimed.


def test_k_alone_means_whole_rows_whatever_is_claimed(made):
    assert check(made["lkc"].folder).passed
    verdict = check(made["lkc"].folder, k=4)
    assert verdict["k-anonymity"].status == "fail" and verdict["LKC-privacy"].status == "pass"
    assert check(made["w4m"].folder, k=3)["k-anonymity"].status == "fail"


def test_what_is_asked_is_checked_beside_what_is_claimed(made):
    assert check(made["glove"].folder, k=2)["k-anonymity"].status == "pass"  # 3 is claimed
    assert check(made["glove"].folder, k=30)["k-anonymity"].status == "fail"
    looser = check(made["lkc"].folder, l=1, k=2)
    assert looser["LKC-privacy"].status == "pass" and "k = 4" in looser["LKC-privacy"].evidence
    assert check(made["lkc"].folder, l=4, k=40)["LKC-privacy"].status == "fail"


def test_without_values_all_of_them_count():
    users, ill = np.arange(6), ["hiv", "hiv", "hiv", "flu", "flu", "flu"]
    visits = ic.Visits.from_arrays(users, [0] * 3 + [1] * 3, [0] * 6, attributes={"ill": ill})
    release = ic.Release.from_arrays(visits, [[u] for u in users])
    asked = {"l": 1, "k": 2, "c": 0.5, "sensitive": "ill"}
    assert check(release, **asked)["LKC-privacy"].status == "fail"
    assert check(release, **asked, values=[])["LKC-privacy"].status == "fail"
    assert check(release, **asked, values=["cold"])["LKC-privacy"].status == "pass"  # counted as given


# 3. The manifest.


def test_the_rules_know_every_parameter_and_claim_of_every_method():
    for method in METHODS.values():
        named = {field.name for field in fields(method)}
        assert named <= set(PARAMETERS[method.__name__]), method
        assert set(PARAMETERS[method.__name__]) - named <= {"shards"} and method.__name__ in CLAIMED


def test_the_older_format_is_audited_as_far_as_it_goes(made, tmp_path):
    case = copied(made["cut"], tmp_path / "older")
    manifest = case.manifest()
    del manifest["attributes"]
    (case.folder / "manifest.json").write_text(json.dumps(manifest))
    older(case)
    verdict = case.check()
    assert verdict.passed, verdict.failed
    assert "incrowd-release/1" in verdict["manifest"].evidence and "as far as it goes" in verdict["manifest"].evidence


# 4. Alone.


def test_guarantee_and_readme_are_pinned():
    manifest = {
        "noun": "Fingerprints",
        "software": "incrowd 1.0.0",
        "method": "Glove",
        "parameters": {"k": 3, "reshape": None},
        "claims": {"k": 3},
        "clock": {"grain_s": 60},
        "counts": {"rows": 1200, "pseudonyms": 7},
        "attributes": [],
        "suppressed": {"records": {"sample beyond the largest extent": 1234}, "attributes": ["age"]},
        "residual_risk": None,
        "pseudonyms": "operating system",
    }
    manifest["guarantee"] = guarantee_of(manifest)
    assert manifest["guarantee"] == (
        "k-anonymity of whole fingerprints: every published fingerprint is shared by at least 3 people of the data, "
        "and every box holds a sample of every one of them."
    )
    page = readme_of(manifest, "csv")
    assert page.startswith("# A release of mobility data\n\nMade by incrowd 1.0.0 with the method Glove (k = 3).\n")
    assert "1,234 records (sample beyond the largest extent); attributes left out: age." in page
    assert page.endswith("Check it: `incrowd audit FOLDER`.\n")
    assert hashlib.sha256(page.encode()).hexdigest().startswith("48fd49acc6f49741")


# 5. With the original, without the link.


def test_an_original_alone_recounts_what_is_missing(made):
    verdict = check(made["lkc"].folder, original=made["lkc"].original)
    assert verdict["coverage"].status == "pass" and "that the ledger dropped" in verdict["coverage"].evidence
    assert check(made["glove"].folder, original=made["glove"].original)["truthfulness"].status == "pass"


def test_earlier_steps_are_stated_not_checked():
    traces = ic.Traces.from_arrays([0, 0, 1, 1], [0, 0, 5, 9], lon=[5, 5, 5, 5], lat=[52, 52, 52, 52])
    cleaned = ic.clean.duplicates(traces)
    release = ic.anonymize.Generalize()(cleaned)
    assert "stated, not checked: duplicates" in check(release, original=cleaned)["records"].evidence


# 6. With the link.


@pytest.mark.parametrize("seed", range(12))
def test_what_the_product_splits_passes_its_own_audit(tmp_path, seed):
    rng = np.random.default_rng(seed)
    size = 24 * 8
    place = rng.integers(0, 60, (2, size)) * 100
    prints = ic.Fingerprints.from_arrays(
        np.repeat(np.arange(24), 8), *place, rng.integers(0, 900, size), dt=rng.integers(1, 60, size), start=0
    )
    limits = {"max_extent_m": 4000, "max_extent_min": 600} if seed % 2 else {}
    release = ic.anonymize.Glove(k=2 + seed % 3, reshape="split", **limits)(prints)
    if not release.data.records:
        return
    assert check(release, original=prints).passed
    folder = publish(release, tmp_path / "release", link=tmp_path / "link.csv", original=prints)
    for given in ({}, {"original": prints}, {"original": prints, "link": tmp_path / "link.csv"}):
        verdict = check(folder, **given)
        assert verdict.passed, verdict.failed


@pytest.mark.parametrize("check_name", ["pseudonym order", "pieces of a person", "numeric identifiers"])
def test_statistical_checks_state_the_smallest_cheat_they_find(made, check_name):
    assert "with probability 0.99" in made["cut"].check()[check_name].evidence


# 7. Paths.


@pytest.mark.parametrize("name", ["manifest.json", "README.md", "data.parquet", "cells.csv"])
def test_a_pipe_is_refused_before_it_is_opened(made, tmp_path, name):
    case = copied(made["cut"], tmp_path / "piped")
    (case.folder / name).unlink()
    os.mkfifo(case.folder / name)
    try:
        assert not check(case.folder, **modes(case)["link"]).passed
    except ic.DataError as error:
        assert str(error).endswith(".")


@pytest.mark.parametrize("name", ["~", "file:", "s3:", "k=5", "g[1]"])
def test_a_relative_path_is_literal_too(made, tmp_path, monkeypatch, name):
    copied(made["cut"], tmp_path / "copy").folder.rename(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert check(name).passed


# 9. Foreign releases.


def test_a_table_of_another_tool_is_audited_with_its_own_column_names(tmp_path):
    visits = people_visits([f"rider-{i:04d}" for i in range(60)])
    table = pa.table({"wie": visits.users[visits.owner], "waar": visits.cell, "wanneer": visits.slot})
    pq.write_table(table, tmp_path / "theirs.parquet")
    columns = {"user": "wie", "cell": "waar", "slot": "wanneer"}
    verdict = check(tmp_path / "theirs.parquet", original=visits, k=2, columns=columns)
    assert {one.name for one in verdict.failed} >= {"identifiers", "k-anonymity"}
    with pytest.raises(ic.DataError, match="columns"):
        check(tmp_path / "theirs.parquet")
    from incrowd.cli.app import app

    named = [word for role, name in columns.items() for word in ("--column", f"{role}={name}")]
    run = CliRunner().invoke(app, ["audit", str(tmp_path / "theirs.parquet"), "--k", "2", *named])
    assert run.exit_code == 1 and "1 failed" in run.stdout.splitlines()[-1]


# 12. The last line.


def test_the_last_line_counts_what_happened(made):
    case = made["cut"]
    assert str(check(case.folder)).endswith("12 not asked (no original and no link given)")
    assert str(check(case.folder, original=case.original)).endswith("7 not asked (no link given)")
    verdict = case.check()
    counted = [
        sum(one.status == status for one in verdict) for status in ("pass", "fail", "not applicable", "not asked")
    ]
    assert verdict.summary == "{} passed, {} failed, {} not applicable, {} not asked".format(*counted)
    assert verdict.to_dict()["summary"] == verdict.summary


def test_a_release_in_memory_is_audited_with_its_members(made):
    case = made["cut"]
    release = Cut(window_h=12)(case.original)
    assert check(release, original=case.original).passed
    moved = replace(release, data=replace(release.data, cell=release.data.cell[::-1].copy()))
    assert not check(moved, original=case.original).passed
