"""Damage honest folders at random: no crash, no audit of more than 60 s, and no pass of a mutation.

`make fuzz-audit` runs it for ten minutes with new seeds; the tests run a few seeded rounds.
"""

import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from audit.cases import Case
from audit.honest import BASES, copied, make, modes
from audit.mutations import MODES, MUTATIONS, reseal
from incrowd.audit import check
from incrowd.errors import IncrowdError

LONGEST_S = 60
NONSENSE = (None, "", 0, -1, 1e300, [], {}, [[]], "x" * 300, True, {"a": {"b": [1]}}, 2**70, "NaN")


def damage(case: Case, rng: random.Random) -> None:
    """One of the ways in which a folder arrives broken; it may leave the folder as it was in what is audited."""
    rng.choice([flip_bytes, cut_off, add_bytes, odd_manifest, odd_line, odd_file, swap_files])(case, rng)
    if rng.random() < 0.5 and (case.folder / "manifest.json").is_file():
        try:
            reseal(case)
        except (OSError, ValueError, TypeError):
            return


def any_file(case: Case, rng: random.Random) -> Path:
    return rng.choice(sorted(path for path in case.folder.iterdir() if path.is_file() and not path.is_symlink()))


def flip_bytes(case: Case, rng: random.Random) -> None:
    path = any_file(case, rng)
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice([1, 3, 30])):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    path.write_bytes(bytes(data))


def cut_off(case: Case, rng: random.Random) -> None:
    path = any_file(case, rng)
    path.write_bytes(path.read_bytes()[: rng.randrange(path.stat().st_size + 1)])


def add_bytes(case: Case, rng: random.Random) -> None:
    path = any_file(case, rng)
    data = path.read_bytes()
    at = rng.randrange(len(data) + 1)
    path.write_bytes(data[:at] + rng.choice([b"rider-0001", b"\n\n", b"\x00" * 9, b'"', b"," * 7]) + data[at:])


def odd_manifest(case: Case, rng: random.Random) -> None:
    """Replace a value somewhere in the manifest by nonsense, or take a key out."""
    path = case.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    place = manifest
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = rng.choice(keys) if keys else None
        if key is None:
            return
        inner = place[key]
        if isinstance(inner, (dict, list)) and inner and rng.random() < 0.7:
            place = inner
            continue
        if rng.random() < 0.3 and isinstance(place, dict):
            del place[key]
        else:
            place[key] = rng.choice(NONSENSE)
        break
    path.write_text(json.dumps(manifest))


def odd_line(case: Case, rng: random.Random) -> None:
    """Break a line of a text file of the folder."""
    texts = [path for path in case.folder.iterdir() if path.suffix in (".csv", ".md", ".json") and path.is_file()]
    path = rng.choice(sorted(texts))
    lines = path.read_text(errors="replace").splitlines()
    if lines:
        at = rng.randrange(len(lines))
        lines[at] = rng.choice(
            ["", "a,b,c,d,e", '"', "1" * 400, "1e999,nan,-inf", "\x00", lines[rng.randrange(len(lines))]]
        )
    path.write_text("\n".join(lines))


def odd_file(case: Case, rng: random.Random) -> None:
    """Put something else in the place of a file."""
    path = any_file(case, rng)
    path.unlink()
    kind = rng.choice(["fifo", "link", "folder", "device", "empty", "gone"])
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(path.name)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "empty":
        path.write_bytes(b"")


def swap_files(case: Case, rng: random.Random) -> None:
    one, other = any_file(case, rng), any_file(case, rng)
    mine, its = one.read_bytes(), other.read_bytes()
    one.write_bytes(its)
    other.write_bytes(mine)


def same_content(case: Case, honest: Case) -> bool:
    """Whether a damaged folder holds, byte by byte, what it held, or a manifest that says the same."""
    try:
        if {path.name for path in case.folder.iterdir()} != {path.name for path in honest.folder.iterdir()}:
            return False
        for path in honest.folder.iterdir():
            mine = case.folder / path.name
            if mine.is_symlink() or not mine.is_file():
                return False
            if path.name == "manifest.json":
                if json.loads(mine.read_text()) != json.loads(path.read_text()):
                    return False
            elif mine.read_bytes() != path.read_bytes():
                return False
    except (OSError, ValueError, RecursionError):
        return False
    return True


def rounds(seed: int, seconds: float, most: int | None = None) -> Counter:
    """Break, audit, count; raises on a crash, a hang or a pass of something broken."""
    rng = random.Random(seed)
    tally: Counter = Counter()
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as root:
        made: dict[str, Case] = {}
        while time.monotonic() < end and (most is None or tally["rounds"] < most):
            base = rng.choice(BASES)
            if base not in made:
                made[base] = make(base, Path(root) / base)
            case = copied(made[base], Path(root) / "broken")
            known = [m for m in MUTATIONS if base in m.bases]
            mutation = rng.choice(known) if rng.random() < 0.4 else None
            mutation.apply(case) if mutation else damage(case, rng)
            _audited(case, made[base], mutation, rng.choice(MODES), tally)
            shutil.rmtree(case.folder.parent)
    return tally


def _audited(case: Case, honest: Case, mutation, mode: str, tally: Counter) -> None:
    begun = time.monotonic()
    try:
        passed = check(case.folder, **modes(case)[mode], **(mutation.asked if mutation else {})).passed
    except IncrowdError:
        passed = False
    took = time.monotonic() - begun
    tally["rounds"] += 1
    tally["passed" if passed else "caught"] += 1
    assert took < LONGEST_S, f"{took:.0f} s"
    if mutation is not None and mutation.caught_by(mode):
        assert not passed, (mutation.what, mode)
    # Damage that changes bytes of the folder is seen by its digests; after a reseal only what they hold can tell.
    if mutation is None and passed:
        tally["passed although damaged"] += not same_content(case, honest)


if __name__ == "__main__":
    started = int(time.time())
    for number in range(10**9):
        left = float(sys.argv[1]) - (time.time() - started)
        if left <= 0:
            break
        seed = started + number
        sys.stdout.write(f"seed {seed}: {dict(rounds(seed, min(left, 30)))}\n")
        sys.stdout.flush()
