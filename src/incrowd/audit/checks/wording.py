"""Do guarantee and README say what the manifest states, and nothing else?"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import Check, failed, idle, judged
from incrowd.data.release_text import guarantee_of, readme_of

WORDING = "wording"
README = "README.md"
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_CLAIM = re.compile(
    r"differential\w*|\w*-anonym\w*|anonymi\w+|\w+-privacy|epsilon|safe|gdpr|cannot be|impossible|guarantee\w*",
    re.IGNORECASE,
)
_LARGEST = 1 << 20


def wording(release: Published) -> Check:
    """The guarantee and the README are those that the manifest's method, parameters, claims and counts make.

    For format 1, whose words are not made from the manifest, every number and every word of a claim in them must be one
    of the manifest's.
    """
    if release.manifest is None or release.folder is None or release.file is None:
        return idle(WORDING, "no manifest and no README state anything.")
    path = release.folder / README
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST:
        return failed(WORDING, f"cannot be checked, because {README} is not a readable file.")
    text = path.read_bytes().decode("utf-8", "replace")
    if release.format == 1:
        return judged(WORDING, list(_beside(release, text)), f"guarantee and {README} state no more than the manifest.")
    return judged(WORDING, list(_unlike(release, text, path)), f"guarantee and {README} are made from the manifest.")


def _unlike(release: Published, text: str, path: Path) -> Iterator[str]:
    manifest: dict[str, Any] = dict(release.manifest or {})
    try:
        if manifest.get("guarantee") != guarantee_of(manifest):
            yield "the guarantee is not the sentence of this method and these claims"
        if text != readme_of(manifest, str(release.file.suffix[1:]) if release.file else ""):
            yield f"{path.name} is not the page of this manifest"
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        yield f"{path.name} cannot be checked, because the manifest is damaged"


def _beside(release: Published, text: str) -> Iterator[str]:
    manifest = {key: value for key, value in (release.manifest or {}).items() if key not in ("files", "id")}
    guarantee = str(manifest.pop("guarantee", ""))
    known = {_plain(number) for number in _NUMBER.findall(repr(manifest))} | {"256", "2", "0", "1"}
    known |= {_plain(str(value)) for value in release.claims.values()}
    odd = [number for number in _NUMBER.findall(text) if _plain(number) not in known and number not in guarantee]
    if odd:
        yield f"{len(odd)} numbers of {README} are not in the manifest"
    words = {word.lower() for word in _CLAIM.findall(text.replace(guarantee, ""))} - {"guarantee"}
    if words:
        yield f"{README} claims more than the guarantee of the manifest"
    numbers = set(map(_plain, _NUMBER.findall(guarantee))) - known - {"2013"}
    if numbers:
        yield f"the guarantee states {len(numbers)} numbers that are not in the manifest"
    if "differential" in guarantee.lower() and "epsilon" not in release.claims:
        yield "the guarantee states differential privacy, which is not claimed"


def _plain(number: str) -> str:
    text = number.replace(",", "")
    return text.rstrip("0").rstrip(".") if "." in text else text
