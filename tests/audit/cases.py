"""Good releases on disk, and the tools to break them one thing at a time."""

import csv
import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

import incrowd as ic
from incrowd.anonymize import publish
from incrowd.audit import Verdict, check
from incrowd.data.release_folder import FORMAT
from incrowd.data.release_text import guarantee_of, readme_of

PEOPLE = 120


@dataclass
class Case:
    """A release folder, its link file and its original."""

    folder: Path
    link: Path
    original: object

    def failed(self, **asked) -> set[str]:
        return {c.name for c in self.check(**asked).failed}

    def check(self, **asked) -> Verdict:
        return check(self.folder, original=self.original, link=self.link, **asked)

    def table(self) -> pa.Table:
        return pq.read_table(self.data) if self.data.suffix == ".parquet" else pc.read_csv(self.data)

    def write(self, table: pa.Table, **options) -> None:
        """Replace the table and let manifest and hashes agree with it again."""
        if self.data.suffix == ".parquet":
            pq.write_table(table, self.data, **options)
        else:
            pc.write_csv(table, self.data)
        if "user" not in table.column_names:
            self.say(counts={**self.manifest()["counts"], "rows": table.num_rows})
            return
        users = np.unique(table["user"].to_numpy(), return_index=True)[1]
        crowd = table["crowd"].to_numpy()[users] if "crowd" in table.column_names else np.ones(len(users))
        bare = self.manifest()["counts"].get("bare", 0)
        sizes = {"pseudonyms": len(users) + bare, "rows": table.num_rows, "people": int(crowd.sum()) + bare}
        self.say(counts={**sizes, "bare": bare})

    def change(self, name: str, row: int, value) -> None:
        """Replace one value of the table."""
        table = self.table()
        column = table[name].to_pylist()
        column[row] = value
        self.write(table.set_column(table.column_names.index(name), name, pa.array(column)))

    def add(self, name: str, values, *, declared: bool = True) -> None:
        """One more column, by default as a published attribute that the manifest declares."""
        column = values if isinstance(values, pa.Array) else pa.array(values)
        self.write(self.table().append_column(name, column))
        if declared:
            self.say(attributes=[*self.manifest().get("attributes", []), name])

    def of_user(self, row: int) -> np.ndarray:
        """The rows of the pseudonym at a row."""
        user = self.table()["user"].to_numpy()
        return user == user[row]

    def say(self, **said) -> None:
        """Replace parts of the manifest, and seal it: words are made anew as far as that goes, then all digests."""
        path = self.folder / "manifest.json"
        manifest = {**json.loads(path.read_text()), **said}
        with suppress(KeyError, TypeError, AttributeError, ValueError):
            if "guarantee" not in said:
                manifest["guarantee"] = guarantee_of(manifest)
            if said and manifest["format"] == FORMAT and manifest != json.loads(path.read_text()):
                (self.folder / "README.md").write_text(readme_of(manifest, self.data.suffix[1:]))
        files = sorted(p for p in self.folder.iterdir() if p != path and p.is_file())
        manifest.setdefault("files", {})
        if "files" not in said:
            manifest["files"] = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in files}
        path.write_text(json.dumps(manifest))

    @property
    def data(self) -> Path:
        return next(path for path in self.folder.iterdir() if path.name in ("data.parquet", "data.csv"))

    def linked(self) -> list[tuple[int, str]]:
        """Pseudonym and label of every row of the link file."""
        with self.link.open(newline="") as file:
            return [(int(row["pseudonym"]), row["user"]) for row in csv.DictReader(file)]

    def manifest(self) -> dict:
        return json.loads((self.folder / "manifest.json").read_text())


def people_visits(labels, seed: int = 0) -> ic.Visits:
    rng = np.random.default_rng(seed)
    size = len(labels) * 12
    user = np.repeat(labels, 12)
    return ic.Visits.from_arrays(
        user, rng.integers(0, 9, size), rng.integers(0, 24, size), slot_min=60, start=0, xy=rng.random((9, 2)) * 1e4
    )


def names(people: int = PEOPLE) -> list[str]:
    return [f"rider-{i:04d}" for i in range(people)]


def groups(sizes: list[int], seed: int = 0) -> tuple[ic.Fingerprints, ic.Release]:
    """People in groups of these sizes, each published as the hulls of two samples per member."""
    rng = np.random.default_rng(seed)
    people = sum(sizes)
    xyt = rng.integers(0, 50, (people, 2, 3)) * [100, 100, 1] + np.array([[0, 0, 0], [0, 0, 600]])
    flat = xyt.reshape(-1, 3)
    original = ic.Fingerprints.from_arrays(np.repeat(names(people), 2), flat[:, 0], flat[:, 1], flat[:, 2], start=0)
    members = np.split(rng.permutation(people), np.cumsum(sizes)[:-1])
    low = np.array([xyt[group].min(axis=0) for group in members]).reshape(-1, 3)
    high = np.array([xyt[group].max(axis=0) for group in members]).reshape(-1, 3) + np.array([100, 100, 1])
    box = {**dict(zip("xyt", low.T, strict=True)), **dict(zip(("dx", "dy", "dt"), (high - low).T, strict=True))}
    data = ic.Fingerprints.from_arrays(np.repeat(np.arange(len(sizes)), 2), **box, crowd=sizes, start=0)
    ledger = original.ledger.add("groups", read=original.records, kept=original.records)
    params = {"pseudonym_seed_given": False}
    return original, ic.Release.from_arrays(data, members, claims={"k": 5}, ledger=ledger, params=params)


def repeatable(method, data, seed: int = 0) -> ic.Release:
    """A release whose pseudonyms only look as if they came from the operating system, so that a test can be re-run."""
    release = method(data, pseudonym_seed=seed)
    return replace(release, params={**release.params, "pseudonym_seed_given": False})


def on_disk(folder: Path, release: ic.Release, original, **options) -> Case:
    link = folder / "link.csv"
    return Case(publish(release, folder / "release", link=link, original=original, **options), link, original)
