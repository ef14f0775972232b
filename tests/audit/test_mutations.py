"""Broken releases: each is caught by the check meant for it and by no other, and good ones raise no alarm."""

import hashlib
import json

import numpy as np
import pyarrow as pa
import pytest

from audit.cases import groups, on_disk

TRUE = {"truthfulness", "coverage"}


def row_added(case):
    table = case.table()
    case.write(pa.concat_tables([table, table.slice(table.num_rows - 1).set_column(2, "slot", pa.array([99]))]))


def row_removed(case):
    case.write(case.table().slice(1))


def visit_moved(case):
    cell = case.table()["cell"].to_pylist()
    case.change("cell", 3, (cell[3] + 1) % 9)


def unknown_pseudonym(case):
    table = case.table()
    last = {"user": [10**6], "cell": [0], "slot": [1]}
    case.write(pa.concat_tables([table, pa.table(last, schema=table.schema.remove_metadata()).cast(table.schema)]))


def slots_halved(case):
    slot = case.table()["slot"].to_pylist()
    case.change("slot", len(slot) - 1, slot[-1] + 0.5)


def extra_times(case):
    case.add("seen", pa.array(np.where(case.of_user(7), 61_000_000, 0), pa.timestamp("us")))


def text_column(value):
    def leak(case):
        case.add("note", np.where(case.of_user(10), value, "nothing"))

    leak.__name__ = f"text_column_{value[:12]}"
    return leak


def in_readme(case):
    readme = case.folder / "README.md"
    readme.write_text(readme.read_text() + "\nThanks to Rider-0007.\n")
    case.say()


def in_file_name(case):
    (case.folder / "rider-0100.txt").write_text("x")
    case.say()


def in_metadata(case):
    table = case.table()
    case.write(table.replace_schema_metadata({**table.schema.metadata, b"pandas": b'{"first": "rider-0003"}'}))


def number_from_hash(case):
    digest = hashlib.sha256(b"rider-0042").hexdigest()
    case.add("code", np.where(case.of_user(4), int(digest[:15], 16), 0))


def hashes_shuffled(case):
    listed = case.manifest()["files"]
    case.say(files=dict(zip(listed, np.roll(list(listed.values()), 1).tolist(), strict=True)))


def file_added(case):
    (case.folder / "notes.txt").write_text("x")


def file_removed(case):
    (case.folder / "README.md").unlink()


def wrong_count(case):
    case.say(counts={**case.manifest()["counts"], "rows": 7})


def wrong_noun(case):
    case.say(noun="Traces")


def wrong_format(case):
    case.say(format="incrowd-release/9")


def clock_contradicts(case):
    case.say(clock={**case.manifest()["clock"], "start": 3600})


def cells_incomplete(case):
    cells = case.folder / "cells.csv"
    cells.write_text("\n".join(cells.read_text().splitlines()[:-1]) + "\n")
    case.say()


def path_said(case):
    case.say(parameters={**case.manifest()["parameters"], "source": "/home/alice/trips.csv"})


def seed_said(case):
    case.say(parameters={**case.manifest()["parameters"], "pseudonym_seed": 7})


def seeded(case):
    case.say(pseudonyms="seeded")


def claim_in_words(case):
    case.say(claims={"k": "five"})


def ledger_open(case):
    ledger = case.manifest()["ledger"]
    ledger[0]["read"] += 1
    case.say(ledger=ledger)


def ledger_jumps(case):
    ledger = case.manifest()["ledger"]
    ledger[0]["kept"] += 1
    ledger[0]["read"] += 1
    case.say(ledger=ledger)


def suppressed_unsaid(case):
    case.say(suppressed={"records": {"rare": 3}, "attributes": []})


def in_input_order(case):
    """Pseudonyms count up in the order of the original, and rows follow."""
    renumber(case, lambda person: np.argsort(np.argsort(person, kind="stable"), kind="stable"))


def rows_in_input_order(case):
    person = people_behind(case)
    table = case.table()
    case.write(table.take(np.argsort(person[table["user"].to_numpy()], kind="stable")))


def people_behind(case):
    pairs = case.linked()
    person = np.empty(len(pairs), np.int64)
    person[[p for p, _ in pairs]] = [int(label[-4:]) for _, label in pairs]
    return person


def renumber(case, numbering):
    fresh = numbering(people_behind(case))
    case.link.write_text("pseudonym,user\n" + "".join(f"{fresh[p]},{label}\n" for p, label in case.linked()))
    table = case.table()
    table = table.set_column(0, "user", pa.array(fresh[table["user"].to_numpy()]))
    case.write(table.take(np.argsort(table["user"].to_numpy(), kind="stable")))


VISITS = {
    row_added: {"truthfulness", "records"},
    row_removed: {"coverage", "records"},
    visit_moved: TRUE,
    unknown_pseudonym: {"truthfulness", "records"},
    slots_halved: {"time grain", *TRUE},
    extra_times: {"time grain"},
    text_column("rider-0005"): {"identifiers"},
    text_column("RIDER-0005"): {"identifiers"},
    text_column(hashlib.md5(b"rider-0009").hexdigest()): {"hashed identifiers"},
    text_column(hashlib.sha1(b"peppermint").hexdigest()): {"manifest"},
    text_column(hashlib.sha256(b"rider-0009pepper").hexdigest()[:16].upper()): {"hashed identifiers"},
    text_column("id=" + hashlib.sha1(b"saltrider-0119").hexdigest()): {"hashed identifiers"},
    text_column(hashlib.sha1(b"rider-9999").hexdigest()): {"manifest"},
    in_readme: {"identifiers"},
    in_file_name: {"identifiers", "files"},
    in_metadata: {"identifiers"},
    number_from_hash: {"hashed identifiers"},
    hashes_shuffled: {"files"},
    file_added: {"files"},
    file_removed: {"files"},
    wrong_count: {"manifest"},
    wrong_noun: {"manifest"},
    wrong_format: {"manifest"},
    cells_incomplete: {"manifest"},
    claim_in_words: {"manifest"},
    path_said: {"nothing private"},
    seed_said: {"nothing private"},
    seeded: {"pseudonym source"},
    ledger_open: {"records"},
    ledger_jumps: {"records"},
    suppressed_unsaid: {"records"},
    in_input_order: {"pseudonym order", "row order"},
    rows_in_input_order: {"row order", "rows by pseudonym"},
}


@pytest.mark.parametrize(("mutate", "caught"), VISITS.items(), ids=lambda v: getattr(v, "__name__", None))
def test_every_broken_release_of_visits_is_caught(cut, mutate, caught):
    assert cut.failed() == set()
    mutate(cut)
    assert cut.failed() >= caught
    assert ("hashed identifiers" in cut.failed()) == ("hashed identifiers" in caught)


def test_a_contradicting_clock_is_caught_and_stops_the_comparison(cut):
    clock_contradicts(cut)
    assert cut.failed() == {"manifest", "truthfulness", "coverage", "link"}  # what is not compared does not fit


def box_shrunk(case):
    case.change("dx", 0, case.table()["dx"].to_pylist()[0] - 100)


def box_moved(case):
    case.change("t", 0, case.table()["t"].to_pylist()[0] + 1000)


def crowd_inflated(case):
    table = case.table()
    crowd = np.where(table["user"].to_numpy() == 0, 6, 5)
    case.write(table.set_column(table.column_names.index("crowd"), "crowd", pa.array(crowd)))


def crowd_torn(case):
    case.change("crowd", 1, 6)


def minutes_halved(case):
    case.change("dt", 0, case.table()["dt"].to_pylist()[0] + 0.5)


def member_twice(case):
    lines = case.link.read_text().splitlines()
    last = [line for line in lines if line.startswith("59,")]
    lines[1] = ",".join([lines[1].split(",")[0], *last[0].split(",")[1:]])
    case.link.write_text("\n".join(lines) + "\n")


BOXES = {
    box_shrunk: TRUE,
    box_moved: TRUE | {"rows by pseudonym"},
    crowd_inflated: {"crowd"},
    crowd_torn: {"crowd"},
    minutes_halved: {"time grain"},
    member_twice: {"crowd", *TRUE},
}


@pytest.mark.parametrize(("mutate", "caught"), BOXES.items(), ids=lambda v: getattr(v, "__name__", None))
def test_every_broken_release_of_fingerprints_is_caught(hulls, mutate, caught):
    assert hulls.failed() == set()
    mutate(hulls)
    assert hulls.failed() >= caught


def test_one_group_of_k_minus_1_is_caught(tmp_path):
    original, release = groups([5] * 59 + [4])
    case = on_disk(tmp_path, release, original)
    assert case.failed() == {"k-anonymity"}
    assert "position 59" in case.check()["k-anonymity"].evidence


def point_moved(case):
    """The cell of one row becomes another one, far from where its person was."""
    cells = case.table()["cell"].to_numpy()
    case.change("cell", 0, int(cells[cells != cells[0]][-1]))


def centre_moved(case):
    cells = case.folder / "cells.csv"
    first, second, *rest = cells.read_text().splitlines()
    cell, x, y = second.split(",")
    cells.write_text("\n".join([first, f"{cell},{float(x) + 300:.3f},{y}", *rest]) + "\n")
    case.say()


def zone_forgotten(case):
    """Slots follow the wall clock; without its zone they are an hour off after the change."""
    case.say(clock={**case.manifest()["clock"], "time_zone": None})


@pytest.mark.parametrize("mutate", [point_moved, centre_moved, zone_forgotten], ids=lambda m: m.__name__)
def test_cells_without_a_point_are_caught(coarse, mutate):
    assert coarse.failed() == set()
    mutate(coarse)
    assert coarse.failed() >= {"truthfulness"}


def test_evidence_holds_no_label_and_no_coordinate(cut):
    in_readme(cut)
    visit_moved(cut)
    said = json.dumps(cut.check().to_dict())
    assert "rider" not in said.lower()
