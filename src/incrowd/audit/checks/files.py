"""Is the folder what its manifest says: every file listed, hashed, of the format, regular, and no other there?"""

import hashlib
import os
import stat
from pathlib import Path

from incrowd.audit.reading.batches import foreign_schema
from incrowd.audit.reading.parquet import Footer
from incrowd.audit.reading.published import CELLS, MANIFEST, Published, part_of
from incrowd.audit.verdict import Check, failed, idle, judged
from incrowd.plain import several

FILES, LAYOUT = "files", "file layout"
DATA = ("data.parquet", "data.csv")
KNOWN = (*DATA, CELLS, "README.md", MANIFEST)
_BOM = b"\xef\xbb\xbf"
_NUMERIC, _BLOCK = b"0123456789+-.e,\n", 1 << 22


def files(release: Published) -> Check:
    """Every file is one of the format, listed in the manifest with its SHA-256, and every listed file is there.

    Nothing else is audited, so that nothing else may be there: no second table, no folder, no link, no device.
    """
    if release.folder is None:
        return idle(FILES, "this is not a folder.")
    there = entries(release.folder)
    own = release.file.name if release.file else ""
    foreign = [name for name in there if name != own and (name not in KNOWN or name in DATA)]
    faults = [f"{len(foreign)} of {len(there)} files are not audited, being no part of a release"] if foreign else []
    odd = [name for name, mode in there.items() if not stat.S_ISREG(mode)]
    if odd:
        faults.append(f"{len(odd)} of {len(there)} files are links, folders or devices")
    if release.manifest is None:
        return failed(FILES, f"{'; '.join(faults)}.") if faults else idle(FILES, "there is no manifest.")
    listed = part_of(release.manifest, "files")
    regular = {name for name in there if name not in odd and name != MANIFEST}
    names = sorted({*listed, *regular})
    faults += [] if listed else ["the manifest lists no file"]
    for position, name in enumerate(names):
        # A foreign name may itself be a label, so that only names of the format are said.
        file = name if name in KNOWN else f"the file at position {position} of {len(names)}"
        if name not in regular:
            faults.append(f"{file} is listed but missing")
        elif name not in listed:
            faults.append(f"{file} is not in the manifest")
        elif sha256(release.folder / name) != listed[name]:
            faults.append(f"{file} has another SHA-256 than listed")
    return judged(FILES, faults, f"{len(regular)} files, each with the SHA-256 that the manifest lists.")


def entries(folder: Path) -> dict[str, int]:
    """The names in a folder and the mode of each, as they are: no link is followed."""
    with os.scandir(folder) as there:
        return {entry.name: entry.stat(follow_symlinks=False).st_mode for entry in sorted(there, key=lambda e: e.name)}


def layout(release: Published) -> Check:
    """Every byte of the table belongs to a value: Parquet chunks tile the file, CSV begins with its header."""
    if release.manifest is None or release.file is None:
        return idle(LAYOUT, "only a release folder promises a layout.")
    faults = list(release.faults)
    if release.file.suffix == ".csv":
        faults += [*_header(release, release.file), *_odd_bytes(release, release.file)]
        if odd := release.table.text:
            faults.append(f"{several(len(odd), 'column')} of the CSV file hold numbers in another spelling")
    elif release.footer is not None:
        faults += _odd_schema(release, release.file, release.footer)
    faults += _odd_cells(release)
    return judged(LAYOUT, faults, f"{release.file.name} holds its columns and nothing else.")


def _odd_cells(release: Published) -> list[str]:
    """The table of cells is written in one way: whole numbers, and metres with three decimals."""
    if release.cells is None or release.folder is None or release.format != 2:
        return []
    rows = zip(release.cells[0].tolist(), release.cells[1].tolist(), strict=True)
    text = "\n".join(["cell,x,y", *(f"{cell},{x:.3f},{y:.3f}" for cell, (x, y) in rows)]) + "\n"
    odd = (release.folder / CELLS).read_bytes() != text.encode()
    return [f"{CELLS} is not written as release.md says"] if odd else []


def _names(release: Published) -> list[str]:
    return [*(["user"] if len(release) else []), *release.table.numbers, *release.table.extras.column_names]


def _header(release: Published, path: Path) -> list[str]:
    names = _names(release)
    with path.open("rb") as file:
        first = file.readline(1 << 16)
    quoted = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    bare = first.decode("utf-8", "replace").removesuffix("\n").replace('"', "")
    if first.startswith(_BOM) or bare != quoted.replace('"', ""):
        return [f"the first line of {path.name} is not the header of {release.noun}"]
    return []


def _odd_bytes(release: Published, path: Path) -> list[str]:
    """Numbers are written without quotes and blanks, lines end alike, and so does the last."""
    allowed = _NUMERIC if not release.table.extras.num_columns else bytes(set(range(256)) - {13, 0})
    last = b""
    with path.open("rb") as file:
        file.readline(1 << 16)
        while block := file.read(_BLOCK):
            if block.translate(None, allowed):
                return [f"{path.name} holds more than numbers, commas and ends of lines"]
            last = block[-1:]
    return [] if last == b"\n" else [f"the last line of {path.name} does not end"]


def _odd_schema(release: Published, path: Path, footer: Footer) -> list[str]:
    import pyarrow.parquet as pq

    schema = pq.read_schema(path)
    holds_more = foreign_schema(footer.keys, schema)
    faults = ["the schema in the Parquet file holds more than the columns"] if holds_more else []
    in_order = release.format == 1 or schema.names == _names(release)
    return faults if in_order else [*faults, f"the columns are not in the order of {release.noun}"]


def sha256(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
