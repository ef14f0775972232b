"""Is a hash of an original identifier in the release?"""

import hashlib
import re
from collections.abc import Iterable, Iterator

import numpy as np

from incrowd.audit.files import sha256
from incrowd.audit.origin import Original
from incrowd.audit.published import MANIFEST, Published, part_of
from incrowd.audit.texts import around, whole_numbers, words
from incrowd.audit.verdict import Check, failed, idle, passed
from incrowd.progress import track

HASHES = "hashed identifiers"
ALGORITHMS = ("md5", "sha1", "sha256")
SALTS = ("", "salt", "incrowd", "secret", "password", "1234", "pepper")
FEWEST_HEX = 15  # 60 bits: what fits a signed integer; no label meets one by chance
_HEX = re.compile(r"(?<![0-9a-zA-Z])[0-9a-fA-F]{16,64}(?![0-9a-zA-Z])")


def hashed_identifiers(release: Published, original: Original | None) -> Check:
    """No MD5, SHA-1 or SHA-256 of a label, plain or salted by an obvious word, whole or cut to 16 digits or more.

    Salts stand before or behind the label or its lower case; whole numbers count as the first 60 or 64 bits.
    """
    if original is None:
        return idle(HASHES, "no original is given.")
    seen = _published(release)
    if not seen:
        return passed(HASHES, "the release holds nothing that looks like a hash.")
    lengths = sorted({len(word) for word in seen})
    for position, label in enumerate(track(original.users.tolist(), "hashing labels", len(original))):
        for digest in digests(str(label)):
            if any(digest[:length] in seen for length in lengths):
                return failed(HASHES, f"a hash of the label at position {position} of the original is published.")
    return passed(HASHES, f"{len(seen):,} values look like hashes; none is one of {len(original):,} labels.")


def digests(label: str) -> Iterator[str]:
    """Hexadecimal digests of a label under every algorithm and obvious salt.

    >>> hashlib.md5(b"a").hexdigest() in set(digests("a")), len(set(digests("a"))), len(set(digests("A")))
    (True, 39, 78)
    """
    for text in {label, label.lower()}:
        for salted in {text, *(salt + text for salt in SALTS), *(text + salt for salt in SALTS)}:
            for name in ALGORITHMS:
                yield hashlib.new(name, salted.encode(), usedforsecurity=False).hexdigest()


def _published(release: Published) -> set[str]:
    """Whatever could be a digest, in lower case; the true digests that a manifest lists of its files are not."""
    found = {word.lower() for _, column in words(release) for word in _long_hex(column)}
    found |= {word.lower() for _, text in around(release) for word in _HEX.findall(text)}
    for _, value, _ in whole_numbers(release):
        found |= set(_as_hex(value[np.abs(value) >= 1 << 48]))
    return found - _true_digests(release)


def _long_hex(column: Iterable[str]) -> Iterator[str]:
    return (match for word in column for match in _HEX.findall(word))


def _as_hex(values: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Iterator[str]:
    for value in np.unique(values).tolist():
        yield f"{value % 2**64:016x}"
        if 0 <= value < 1 << 4 * FEWEST_HEX:
            yield f"{value:0{FEWEST_HEX}x}"


def _true_digests(release: Published) -> set[str]:
    if release.folder is None or release.manifest is None:
        return set()
    listed = part_of(release.manifest, "files")
    paths = (release.folder / name for name in listed if name != MANIFEST)
    return {sha256(path) for path in paths if path.is_file()}
