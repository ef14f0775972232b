"""What it means that two results are the same."""

import hashlib
import json

import numpy as np

TABLES = ("data.parquet", "data.csv", "cells.csv", "README.md")


def assert_same_table(one, other):
    """Equal arrays, labels, attributes and ledgers."""
    for name in ("users", "offsets", *one.ROWS):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for name in one.META:
        assert getattr(one, name) == getattr(other, name), name
    assert list(one.attributes) == list(other.attributes)
    for name, values in one.attributes.items():
        assert values.tolist() == other.attributes[name].tolist()
    assert one.ledger.to_dict() == other.ledger.to_dict()


def assert_same_risk(one, other):
    """Equal targets, crowds and numbers of two results of uniqueness."""
    assert np.array_equal(one.targets, other.targets)
    assert np.array_equal(one.crowd_sizes, other.crowd_sizes)
    assert one.to_dict() == other.to_dict()


def assert_same_sweep(one, other):
    """Equal numbers of two sweeps; no number where nobody could be asked is equal to itself."""
    assert repr(one.to_arrow().to_pydict()) == repr(other.to_arrow().to_pydict())
    assert (one.box_m, one.users, one.records) == (other.box_m, other.users, other.records)
    assert one.ledger.to_dict() == other.ledger.to_dict()


def release_in(folder):
    """The files of a release by digest, its manifest without the id, and the link beside it without ids."""
    files = {name: digest(folder / name) for name in TABLES if (folder / name).exists()}
    manifest = json.loads((folder / "manifest.json").read_text())
    link = folder.with_suffix(".csv")
    pairs = [line.rpartition(",")[0] for line in link.read_text().splitlines()] if link.exists() else []
    return files, {name: value for name, value in manifest.items() if name != "id"}, pairs


def digest(path):
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
