"""The original and the link file -> who stands behind each pseudonym."""

import base64
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.arrays import Flags, Ints, Labels, distinct_rows, positions_of
from incrowd.audit.reading.batches import pa_table, source_of
from incrowd.audit.reading.published import Published
from incrowd.audit.reading.tables import columns_of
from incrowd.data import Counts, Fingerprints, Groups, Traces, UserTable, Visits, load
from incrowd.data.files import noted
from incrowd.errors import DataError, check_file
from incrowd.ledger import Ledger
from incrowd.plain import several

Original = Traces | Visits | Fingerprints
DISCRETIZING = ("grid", "fingerprints", "blocks", "zones", "towers")  # steps of a ledger


def original_of(source: Any) -> Original:
    """A noun as it is, or one read from a path: saved by incrowd, or any table of trajectories."""
    if not isinstance(source, (UserTable, Counts, str, Path)):
        raise DataError(f"a {type(source).__name__} is not an original; give traces, visits, fingerprints or a path.")
    noun = source if isinstance(source, (UserTable, Counts)) else _read(Path(source))
    if not isinstance(noun, (Traces, Visits, Fingerprints)):
        raise DataError("the original holds counts; give the traces, visits or fingerprints the release was made from.")
    return noun


def _read(path: Path) -> Any:
    from incrowd import read
    from incrowd.read._kind import holding

    if not path.exists():
        raise DataError(f"there is no original at {path}; check the path.")
    if not holding(path).saved:
        return read.table(path)
    return _saved_visits(path) or load(path)


def _saved_visits(path: Path) -> Visits | None:
    """Visits that incrowd saved, read in batches into narrow columns; None for another noun, or with attributes."""
    notes = noted({b"incrowd": source_of(path).metadata.removeprefix("incrowd ").encode()}, path.name)
    if notes.get("noun") != "Visits" or not {"slot_min", "start", "crs"} <= notes.keys():
        return None
    source = source_of(path)
    if source.names != ["user", "cell", "slot"]:
        return None
    table = columns_of(source.names, source.batches, noun="Visits")
    cell, slot = table.numbers["cell"], table.numbers["slot"]
    offsets = np.searchsorted(table.code, np.arange(len(table.users) + 1))
    if (table.code[1:] < table.code[:-1]).any():
        return None
    named: dict[str, Any] = {name: notes.get(name) for name in ("slot_min", "start", "crs", "cell_m", "time_zone")}
    xy = np.frombuffer(base64.b64decode(notes["xy"]), "<f8").reshape(-1, 2) if "xy" in notes else None
    ledger = Ledger.from_dict(notes.get("ledger", []))
    return Visits(table.users, offsets, cell, slot, xy=xy, ledger=ledger, **named)


def with_members(release: Published, original: Original | None, link: str | Path | None) -> Published:
    """The release with positions in the original behind each pseudonym, from the link file where one is given."""
    if link is not None:
        if original is None:
            raise DataError("a link file means nothing without the original; pass original= too.")
        members, held_out, faults = _linked(release, original.users, Path(link))
        release = replace(release, members=members, held_out=held_out, link_faults=faults)
    groups = release.members
    if groups is not None and original is not None and groups.positions.max(initial=-1) >= len(original):
        raise DataError(
            f"a member lies beyond the {len(original)} users of the original; give the data it was made from."
        )
    if original is None:
        return release
    if link is None and groups is not None and _shifted(release, groups, len(original)):
        raise DataError(
            "cleaning or discretizing left people out, so members are not positions in this original; give what "
            "the method was given, or a link file."
        )
    return replace(release, people=original.crowd if isinstance(original, Fingerprints) else None)


def _shifted(release: Published, members: Groups, people: int) -> bool:
    """Whether somebody left before the method, and members are counted among those who stayed, unlike the original."""
    names, method = [step.get("step") for step in release.ledger], str(release.method).lower()
    before = release.ledger[: names.index(method)] if method in names else release.ledger
    fewer = [users[1] for step in before if (users := step.get("users")) is not None and users[1] < users[0]]
    return bool(fewer) and members.positions.max(initial=-1) < fewer[-1] != people


def _linked(release: Published, people: Labels, link: Path) -> tuple[Groups, frozenset[int], tuple[str, ...]]:
    from incrowd.data.release_folder import check_link

    check_file(link)
    if not link.is_file():
        raise DataError(f"there is no link file at {link}; check the path.")
    table = pa_table(source_of(link, text=True))
    if not {"pseudonym", "user"} <= set(table.column_names):
        raise DataError(f"{link.name} lacks the columns pseudonym, user; give the link file of this release.")
    if "release" in table.column_names:
        check_link(release.folder or release.file, _words(table["release"].unique()).tolist())
    person = _positions(table["user"], people)
    out = _blank(table["pseudonym"])
    if (person[~out] < 0).any():
        raise DataError(
            f"{int((person[~out] < 0).sum())} users of the link file are not in the original (first in line "
            f"{int(np.argmax((person < 0) & ~out)) + 2}); give the original and the link of the same release."
        )
    row = np.full(len(out), -1)
    row[~out] = _positions(table["pseudonym"].filter(~out), release.users)
    held_out = frozenset(person[out & (person >= 0)].tolist())
    lost = len(table["pseudonym"].filter(~out & (row < 0)).unique())
    faults = []
    if release.manifest is not None and lost != release.bare:
        faults.append(f"{several(lost, 'pseudonym')} of the link have no row, the release counts {release.bare} such")
    row, person = row[row >= 0], person[row >= 0]
    if not len(row):
        raise DataError("no pseudonym of the link file is in the release; give the link of this release.")
    members = Groups.of_pairs(row, person, len(release))
    if not distinct_rows(members.owner, members.positions).all():
        faults.append("the link names a pseudonym and its user twice")
    return members, held_out, tuple(faults)


def _blank(column: Any) -> Flags:
    import pyarrow as pa
    import pyarrow.compute as pc

    blank: Flags = pc.equal(column.cast(pa.string()).fill_null(""), "").to_numpy()
    return blank


def _positions(column: Any, among: Labels) -> Ints:
    """Where each label stands among others; whole numbers are never made into words, which would take the memory."""
    import pyarrow as pa

    if among.dtype.kind in "iu" and not column.null_count:
        with suppress(pa.ArrowInvalid):
            return positions_of(column.cast(pa.string()).cast(pa.int64()).to_numpy(), among)
    return positions_of(_words(column), among)


def _words(column: Any) -> Labels:
    import pyarrow as pa

    return np.array(column.cast(pa.string()).fill_null("").to_pylist(), np.str_)
