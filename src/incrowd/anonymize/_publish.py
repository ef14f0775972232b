"""A Release -> a folder on disk, written whole or not at all, and its link file (docs/release.md)."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

import numpy as np

from incrowd.anonymize._manifest import ReleaseStatement, manifest_of
from incrowd.arrays import Floats, Ints, distinct_rows, offsets_of
from incrowd.data import Counts, Fingerprints, Release, UserTable, Visits
from incrowd.data.files import PRIVATE, left_by_killed_runs, refuse_existing, temporary
from incrowd.data.fingerprints import CANONICAL
from incrowd.data.release_folder import (
    CELLS,
    README,
    id_in,
    is_replaceable,
    link_id,
    pending_links,
    published_table,
    whole_folder,
    write_manifest,
    write_table,
)
from incrowd.data.release_section import SHARED_BOX
from incrowd.data.release_text import readme_of
from incrowd.errors import DataError, IncrowdWarning, ParameterError, check_choice, public
from incrowd.ledger import Ledger

if TYPE_CHECKING:
    import pyarrow as pa

Pair = tuple[int | str, Any]  # a pseudonym, or "" for a person held out, and the label of the person
QUOTE = '"'


@public
def publish(
    release: Release,
    folder: str | Path,
    *,
    file: Literal["parquet", "csv"] = "parquet",
    residual_risk: Any = None,
    link: str | Path | None = None,
    original: UserTable | None = None,
    held_out: Iterable[Any] = (),
    force: bool = False,
) -> Path:
    """Write the published table, its manifest and a README; killed at any moment, the folder is absent or whole.

    Args:
        release: what an anonymizer made.
        folder: where to write it.
        file: format of the published table.
        residual_risk: the measured uniqueness of the published visits, or a list of such results.
        link: file for the people behind each pseudonym, readable by its owner alone; it appears before the folder.
        original: the data the release was made from; needed for a link file.
        held_out: labels of people who were left out on purpose before the release was made, listed in the link file.
        force: replace an older release, and nothing else.

    >>> import tempfile
    >>> from incrowd.anonymize import Cut
    >>> cut = Cut(window_h=24)(Visits.from_arrays([1, 2], cell=[5, 5], slot=[0, 0], slot_min=60, start=0))
    >>> with tempfile.TemporaryDirectory() as there:
    ...     sorted(path.name for path in publish(cut, f"{there}/release").iterdir())
    ['README.md', 'data.parquet', 'manifest.json']
    """
    check_choice("file", file, ("parquet", "csv"))
    release = _publishable(release)
    targets = Targets.checked(folder, link, force=force)
    table = published_table(release)
    data = release.data
    contents = Contents(table.schema, table.to_batches(), used_cells(data), ReleaseStatement.of(release, residual_risk))
    return write_release(targets, file, contents, lambda: _pairs(release, original, list(held_out)))


@dataclass(frozen=True)
class Targets:
    """Where a release goes, and its link file if there is one."""

    folder: Path
    link: Path | None
    force: bool

    @classmethod
    def checked(cls, folder: str | Path, link: str | Path | None, *, force: bool) -> "Targets":
        """Absolute paths that can be written."""
        targets = cls(Path(folder).resolve(), None if link is None else Path(link).resolve(), force)
        check_targets(targets.folder, targets.link, force=force)
        return targets


@dataclass(frozen=True)
class Contents:
    """What is written into the folder of a release; batches may come from anywhere, in the order of pseudonyms."""

    schema: "pa.Schema"
    batches: "Iterable[pa.RecordBatch]"
    cells: tuple[Ints, Floats] | None  # the cells that are used, and their centres in metres
    statement: ReleaseStatement


def write_release(targets: Targets, file: str, contents: Contents, pairs: Callable[[], Iterable[Pair]]) -> Path:
    """Write the folder and, if it is wanted, the link file; `pairs` are the pseudonyms and people of the latter."""
    folder, link = targets.folder, targets.link
    ident = str(uuid4())  # from the operating system's entropy: it says nothing, and tells link files apart
    with ExitStack() as done:
        # Left in reverse: the link is in its place before the folder, and replaces an older one after it.
        if link is not None:
            done.enter_context(_linked(link, folder, ident))
        part = done.enter_context(whole_folder(folder, force=targets.force))
        write_table(contents.schema, contents.batches, part / f"data.{file}")
        _write_cells(contents.cells, part / CELLS)
        manifest = manifest_of(contents.statement, ident)
        (part / README).write_text(readme_of(manifest, file), encoding="utf-8")
        write_manifest(part, manifest)
        if link is not None:
            _write_link(pairs(), link, folder, ident)
    return folder


def _publishable(release: Release) -> Release:
    """The release with pseudonyms 0 to n - 1 and distinct rows, or why it cannot be published."""
    data = release.data
    if isinstance(data, Counts):
        return release
    check_left(data.records)
    if not np.array_equal(data.users, np.arange(len(data))):
        raise DataError("pseudonyms must be 0 to n - 1, in order; number them at random before publishing.")
    return with_distinct_boxes(release, data) if isinstance(data, Fingerprints) else release


def check_left(rows: int) -> None:
    """Refuse to publish nothing."""
    if not rows:
        raise DataError("nothing is left to publish; loosen the parameters of the method.")


def with_distinct_boxes(release: Release, data: Fingerprints) -> Release:
    """Equal boxes of a pseudonym become one; a fingerprint is a set."""
    keep = distinct_rows(data.owner, *(getattr(data, name) for name in CANONICAL))
    if keep.all():
        return release
    columns: dict[str, Any] = {name: getattr(data, name)[keep] for name in CANONICAL}
    ledger = with_shared_boxes(release.ledger, data.records, int(keep.sum()), len(data))
    distinct = replace(data, offsets=offsets_of(data.owner[keep], len(data)), **columns)
    return replace(release, data=distinct, ledger=ledger)


def with_shared_boxes(ledger: Ledger, read: int, kept: int, groups: int) -> Ledger:
    """The ledger with the step in which equal boxes of a pseudonym become one."""
    dropped = {SHARED_BOX: read - kept}
    return ledger.add("publish", read=read, kept=kept, dropped=dropped, users=(groups, groups))


def check_targets(folder: Path, link: Path | None, *, force: bool) -> None:
    """Refuse, before any work, outputs that exist or that would end up inside each other."""
    refuse_existing(folder, force=force)
    if folder.exists() and not is_replaceable(folder):
        raise ParameterError(f"{folder.name} is not a release; choose another folder, or remove it yourself.")
    if link is None:
        return
    if link.suffix.lower() in (".parquet", ".pq", ".parq"):
        raise ParameterError(f"the link file is CSV, so its name must not end in {link.suffix}; end it in .csv.")
    if folder in (link, *link.parents):
        raise ParameterError("the link file must not lie in the release; keep it apart.")
    refuse_existing(link, force=force or is_orphan(link, folder))


def is_orphan(link: Path, folder: Path) -> bool:
    """Whether a link file was left by a run that was killed before its release stood."""
    return not folder.exists() and not _stands(link, folder)


def _stands(link: Path, folder: Path) -> bool:
    """Whether a release beside the link or the target has the id of the link; files that are no links stand."""
    ident = link_id(link)
    beside = {path for parent in {link.parent, folder.parent} for path in parent.iterdir() if path.is_dir()}
    return ident is None or any(id_in(path) == ident for path in beside)


@contextmanager
def _linked(link: Path, folder: Path, ident: str) -> Iterator[None]:
    """Once the folder stands, a new link that waits beside an older one takes its place; else it goes."""
    waiting = _waiting(link, ident)
    try:
        yield
    except BaseException:
        for path in (link, waiting):
            if path.exists() and link_id(path) == ident:
                path.unlink()
        raise
    if waiting.exists():
        waiting.replace(link)
    for left in pending_links(link):
        if not _stands(left, folder):
            left.unlink()


def _waiting(link: Path, ident: str) -> Path:
    return link.with_name(f"{link.stem}.{ident}{link.suffix}")


def used_cells(data: UserTable | Counts) -> tuple[Ints, Floats] | None:
    """The cells that are published, and their centres; None if there are none, or no centres."""
    if not isinstance(data, (Visits, Counts)) or data.xy is None:
        return None
    used = np.unique(data.cell) if isinstance(data, Visits) else np.arange(len(data.xy))
    return used, data.xy[used]


def _write_cells(cells: tuple[Ints, Floats] | None, path: Path) -> None:
    if cells is None:
        return
    used, centres = cells
    places = centres.round(3) + 0.0  # no -0.000
    rows = (f"{cell},{x:.3f},{y:.3f}" for cell, (x, y) in zip(used.tolist(), places.tolist(), strict=True))
    path.write_text("\n".join(["cell,x,y", *rows]) + "\n", encoding="utf-8")


def _pairs(release: Release, original: UserTable | None, held_out: list[Any]) -> Iterator[Pair]:
    if original is None or release.members.positions.max(initial=-1) >= len(original):
        raise DataError("a link file needs the original users; pass original=, the data the release was made from.")
    pseudonyms = release.members.owner.tolist()
    yield from zip(pseudonyms, original.users[release.members.positions].tolist(), strict=True)
    yield from (("", user) for user in held_out)


def _write_link(pairs: Iterable[Pair], link: Path, folder: Path, ident: str) -> None:
    """Put the link in its place, or beside an older one until the new release stands."""
    for left in left_by_killed_runs(link, "part"):
        left.unlink(missing_ok=True)
    part = temporary(link, "part")
    try:
        # Only its owner may read it, from its first byte on.
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "w", encoding="utf-8") as out:
            out.write("pseudonym,user,release\n")
            out.writelines(f'{p},"{str(user).replace(QUOTE, 2 * QUOTE)}",{ident}\n' for p, user in pairs)
            out.flush()
            os.fsync(out.fileno())
        if link.exists() and is_orphan(link, folder):
            message = f"{link.name} belongs to a release that was never finished; it is replaced."
            warnings.warn(message, IncrowdWarning, stacklevel=3)
            link.unlink()
        part.replace(_waiting(link, ident) if link.exists() else link)
    finally:
        part.unlink(missing_ok=True)
