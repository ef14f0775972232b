"""A release as given -> its rows, and the people of the original behind each."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.arrays import Ints, offsets_of, positions_of
from incrowd.attack.link.sides import crowd_of
from incrowd.attack.people import Link, read_link
from incrowd.data import Fingerprints, Groups, Release, Traces, Visits
from incrowd.errors import DataError


@dataclass(frozen=True, eq=False)
class ReleasedRows:
    """What is published, and who stands behind each row."""

    data: Any
    members: Groups  # positions in the original of the people behind each row, as far as they are known
    rows: Groups  # rows of each person of the original
    crowd: Ints  # people behind each row
    claims: Any

    @classmethod
    def of(cls, release: Any, original: Any, link: str | Path | None) -> "ReleasedRows":
        """Open the release; its members, a link file or equal labels say who is who."""
        data: Any = release
        claims: Mapping[str, Any] = {}
        members: Groups | None = None
        if isinstance(release, (str, Path)):
            from incrowd import read
            from incrowd.data.release_folder import manifest_in

            data, claims = read.release(release), manifest_in(release).get("claims") or {}
        elif isinstance(release, Release):
            data, claims, members = release.data, release.claims, release.members
        if not isinstance(data, (Visits, Fingerprints, Traces)):
            raise DataError(f"a lookup needs rows of people, and {type(data).__name__} has none.")
        if not data.records:
            raise DataError("the release publishes no record, so nothing can be looked up.")
        if link is not None:
            members = _linked(read_link(link, release), data, original)
        elif members is None and data is release:
            row = positions_of(original.users, data.users)
            members = _groups(row[row >= 0], np.flatnonzero(row >= 0), len(data))
        if members is None or not len(members.positions):
            raise DataError("a lookup needs to know who is behind each row; give the link file (link, --link).")
        owner = np.repeat(np.arange(len(members)), np.diff(members.offsets))
        rows = _groups(members.positions, owner, len(original))
        return cls(data, members, rows, crowd_of(release if data is not release else data, len(data)), claims)

    def people(self, rows: Ints) -> int:
        """How many people stand behind some rows; a person with several of them counts once."""
        sizes = np.diff(self.members.offsets)[rows]
        ends = np.cumsum(sizes)
        at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.members.offsets[rows] - (ends - sizes), sizes)
        return len(np.unique(self.members.positions[at])) + int(np.maximum(self.crowd[rows] - sizes, 0).sum())


def _groups(row: Ints, person: Ints, rows: int) -> Groups:
    order = np.lexsort((person, row))
    return Groups(offsets_of(row[order], rows), person[order])


def _linked(listed: Link, data: Any, original: Any) -> Groups:
    row, person = positions_of(listed.pseudonyms, data.users), positions_of(listed.people, original.users)
    real = (row >= 0) & (person >= 0)
    return _groups(row[real], person[real], len(data))
