"""Who stands behind each row: from a release, from a link file, from equal labels; for scoring only."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from incrowd.arrays import Ints, Labels, offsets_of, positions_of
from incrowd.data import Fingerprints, Groups, Release, UserTable, Visits
from incrowd.data.release_folder import check_link
from incrowd.errors import DataError, check_file

Truth = str | Path | Iterable[Iterable[int]] | None
Table = Visits | Fingerprints
Side = Table | Release | str | Path  # a path is the folder of a release
Pairs = tuple[Ints, Ints]  # row, person


class Link(NamedTuple):
    """A link file, as text."""

    pseudonyms: Labels
    people: Labels
    of_release: bool = False  # whether it says of which release it is
    held_out: Labels = np.zeros(0, np.str_)  # people who were left out on purpose before the release was made

    def unnamed(self, table: UserTable) -> int:
        """How many users of a published table it does not name."""
        return len(np.setdiff1d(np.arange(len(table)), positions_of(self.pseudonyms, table.users)))

    def members(self, table: UserTable, original: UserTable) -> Groups:
        """Positions of the people behind each published row, of those who are in both."""
        row, person = positions_of(self.pseudonyms, table.users), positions_of(self.people, original.users)
        both = (row >= 0) & (person >= 0)
        return Groups.of_pairs(row[both], person[both], len(table))


def owners_from(release: Release | str | Path, data: UserTable, link: str | Path | None) -> Ints | None:
    """A number for the one person behind each published row; None where nobody tells."""
    if link is not None:
        listed = read_link(link, release)
        row, person = positions_of(listed.pseudonyms, data.users), np.unique(listed.people, return_inverse=True)[1]
        pairs = row[row >= 0], person[row >= 0]
    elif isinstance(release, Release):
        pairs = _members(release)
    else:
        return None
    wrong = int((np.bincount(pairs[0], minlength=len(data)) != 1).sum())
    if wrong:
        raise DataError(
            f"not every pseudonym has exactly one person behind it ({wrong:,} of {len(data):,} do not); "
            "give a cut release and its link."
        )
    owner = np.empty(len(pairs[0]), np.int64)
    owner[pairs[0]] = pairs[1]
    return owner


def opened(side: Side) -> Table | Release:
    """A release folder as a release that tells nobody's rows: its pseudonyms are no labels of people."""
    if not isinstance(side, (str, Path)):
        return side
    from incrowd import read

    published = read.release(side)
    if not isinstance(published, (Visits, Fingerprints)):
        raise DataError(
            f"{Path(side).name} publishes neither visits nor boxes, which linking compares; discretize its points."
        )
    return unlabelled(published)


def unlabelled(published: Table) -> Release:
    """Published rows as a release that says of no row whose it is, so equal labels are never taken for a match."""
    return Release(published, Groups.nobody(len(published)))


def counterparts(
    known: Table | Release, target: Table | Release, truth: Iterable[Iterable[int]] | Link | None
) -> Groups | None:
    """The rows of the target that belong to the person behind each row of the known, in order; None if untold."""
    if truth is None:
        if any(isinstance(side, Release) and not len(side.members.positions) for side in (known, target)):
            return None
        a, b = _pairs(known, target)
    elif isinstance(truth, Link):
        a, b = _linked(truth.people, _table(known)), _linked(truth.pseudonyms, _table(target))
    else:
        return _listed(truth, len(_table(known)), len(_table(target)))
    return _joined(a, b, len(_table(known)))


def read_link(path: str | Path, release: object = None) -> Link:
    """The columns pseudonym and user of a link file; one of another release than that in a folder is refused.

    A row without a pseudonym names somebody who was held out.
    """
    path = Path(path)
    check_file(path)
    if not path.is_file():
        raise DataError(f"there is no link file at {path.name}; check the path.")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            names = rows.fieldnames or ()
            listed = [(row.get("pseudonym"), row.get("user"), row.get("release") or "") for row in rows]
    except (UnicodeDecodeError, csv.Error):
        raise DataError(f"{path.name} is not CSV in UTF-8; give the link file of this release.") from None
    if not {"pseudonym", "user"} <= set(names):
        raise DataError(f"{path.name} lacks the columns pseudonym, user; give the link file of this release.")
    short = sum(None in row for row in listed)
    if short:
        raise DataError(
            f"{short:,} rows of {path.name} lack a pseudonym or a user; give the link file of this release."
        )
    pseudonyms, people, ids = (np.array([row[i] for row in listed], np.str_) for i in range(3))
    check_link(release, ids.tolist())
    inside = pseudonyms != ""
    if not inside.any():
        raise DataError(f"{path.name} links nobody; give the link file of this release.")
    return Link(pseudonyms[inside], people[inside], of_release=bool((ids != "").all()), held_out=people[~inside])


def _table(data: Table | Release) -> UserTable:
    return data.data if isinstance(data, Release) else data


def _members(release: Release) -> Pairs:
    return release.members.owner, release.members.positions


def _pairs(known: Table | Release, target: Table | Release) -> tuple[Pairs, Pairs]:
    """Positions where a release tells them, else labels."""
    if isinstance(known, Release) or isinstance(target, Release):
        a, b = (
            _members(side) if isinstance(side, Release) else (np.arange(len(side)), np.arange(len(side)))
            for side in (known, target)
        )
        return a, b
    if known.users.dtype.kind != target.users.dtype.kind:
        raise DataError("one side labels people by text, the other by numbers; give truth, or label both alike.")
    return (np.arange(len(known)), positions_of(known.users, target.users)), (
        np.arange(len(target)),
        np.arange(len(target)),
    )


def _linked(labels: Labels, table: UserTable) -> Pairs:
    """The row of each line of a link file, -1 for none, and the number of the line."""
    return positions_of(labels, table.users), np.arange(len(labels))


def _listed(truth: Iterable[Iterable[int]], known: int, target: int) -> Groups:
    rows = [np.unique(np.asarray(list(partners), np.int64)) for partners in truth]
    if len(rows) != known:
        raise DataError(f"truth has {len(rows)} rows for {known} known traces; give one list of positions each.")
    flat = np.concatenate([np.zeros(0, np.int64), *rows])
    if len(flat) and not 0 <= flat.min() <= flat.max() < target:
        raise DataError(f"truth names a position outside 0 to {target - 1}; give positions in the target.")
    return Groups(np.cumsum([0, *map(len, rows)], dtype=np.int64), flat)


def _joined(a: Pairs, b: Pairs, known: int) -> Groups:
    """Rows of b that share a person with each row of a."""
    a, b = ((row[(row >= 0) & (person >= 0)], person[(row >= 0) & (person >= 0)]) for row, person in (a, b))
    order = np.argsort(b[1], kind="stable")
    low, high = (np.searchsorted(b[1][order], a[1], side) for side in ("left", "right"))
    size = high - low
    left = np.repeat(a[0], size)
    inside = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    right = b[0][order][np.repeat(low, size) + inside]
    wide = int(right.max(initial=0)) + 1
    rows, partners = np.divmod(np.unique(left * wide + right), wide)
    return Groups(offsets_of(rows, known), partners)
