"""Is a hash of an original identifier in the release?"""

import hashlib
import hmac
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from incrowd.arrays import Ints
from incrowd.audit.checks.files import sha256
from incrowd.audit.checks.identity import poisson_tail
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import MANIFEST, Published, part_of
from incrowd.audit.reading.texts import around, decodings, stated, whole_numbers, words
from incrowd.audit.verdict import ALPHA, Check, failed, passed, unasked
from incrowd.progress import track

HASHES = "hashed identifiers"
USUAL = ("md5", "sha1", "sha256")
OTHERS = ("sha224", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512", "blake2b", "blake2s")
LENGTHS = (32, 40, 56, 64, 96, 128)
SALTS = ("salt", "incrowd", "secret", "password", "1234", "pepper")
PLAIN_SALTS = ("salt", "incrowd")  # for the other algorithms, beside those of the release itself
SEPARATORS = ("", ":", "_", "-")
WHOLE = 15  # hexadecimal digits, 60 bits: what fits a signed integer; no label meets one by chance
SHORTEST = 4
_FULL = 1 / 20  # short digests that fill more of their space than this are a count rather than hashes
_PEOPLE = 1000  # labels that short digests are tried on
_HEX = re.compile(r"(?<![0-9a-f])[0-9a-f]{4,200}(?![0-9a-f])")
_FRACTION = re.compile(r"(?<![0-9a-z])[0-9]+\.[0-9]+")
_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{16,180}={0,6}")
_NUMBER = re.compile(r"[1-9][0-9]{7,14}")
_JOINS = re.compile(r"(?<=[0-9A-Fa-f])[ :-](?=[0-9A-Fa-f])")  # between bytes that are written apart
_FOUR = re.compile(r"[A-Za-z0-9+/_-]{6,7}={0,2}")
_DECIMAL = re.compile(r"(?<![0-9])[0-9]{15,160}(?![0-9])")

Short = dict[int, set[str]]  # by length


def hashed_identifiers(release: Published, original: Original | None) -> Check:
    """No hash of a label: MD5, SHA-1, SHA-2, SHA-3, BLAKE2, CRC-32, as hexadecimal digits, base 64, base 32 or number.

    One of 15 digits or more is no chance; shorter ones may be there as often as by chance. The label is taken as it
    is, in lower and in upper case, alone or with an obvious word, the id of the release or a file name beside it.
    """
    if original is None:
        return unasked(HASHES, "no original is given.")
    salts = _salts(release)
    whole, short = _published(release)
    if not whole and not short:
        return passed(HASHES, "the release holds nothing that looks like a hash.")
    people = original.users.tolist()
    step = len(people) // _PEOPLE + 1
    if whole:
        for position, label in enumerate(track(people, "hashing labels", len(people))):
            ways = digests(str(label), salts, rare=position % step == 0)
            if any(digest[:WHOLE] in whole or digest[-WHOLE:] in whole for digest in ways):
                return failed(HASHES, f"a hash of the label at position {position} of the original is published.")
    sampled = people[::step]
    length, met = _met(short, sampled, salts)
    if met:
        return failed(HASHES, f"{met} of {len(sampled)} labels have a hash of which {length} digits are published.")
    seen = len(whole) + sum(map(len, short.values()))
    return passed(HASHES, f"{seen:,} values could be hashes; they are not of the {len(people):,} labels.")


def _salts(release: Published) -> tuple[str, ...]:
    """What a release itself offers as a salt: its id and the names of its folder and file."""
    stated = str((release.manifest or {}).get("id", ""))
    names = [release.folder.name] if release.folder else []
    names += [release.file.name, release.file.stem] if release.file else []
    return tuple(dict.fromkeys(filter(None, (stated, *names))))


def digests(label: str, salts: tuple[str, ...] = (), *, rare: bool = False) -> Iterator[str]:
    """Hexadecimal digests of a label under every algorithm and obvious salt, always in the same order.

    `rare` adds what takes longer and is seldom: more separators, the label backwards, its digits, the end of a line,
    other lengths of BLAKE2, keys.

    >>> hashlib.md5(b"a").hexdigest() in set(digests("a")), len(set(digests("a"))), len(set(digests("aB")))
    (True, 474, 711)
    """
    for text in dict.fromkeys((label, label.lower(), label.upper())):
        for salted in (text, *_salted(text, (*SALTS, *salts), SEPARATORS)):
            yield from _hashed(USUAL, salted.encode())
        for salted in (text, *_salted(text, (*PLAIN_SALTS, *salts), SEPARATORS[:2])):
            yield from _hashed(OTHERS, salted.encode())
            yield f"{zlib.crc32(salted.encode()):08x}"
    yield from _rare(label, salts) if rare else ()


def _rare(label: str, salts: tuple[str, ...]) -> Iterator[str]:
    backwards, digits = label[::-1], "".join(filter(str.isdigit, label))
    forms = [form.encode() for form in (backwards, digits, f"{label}\n") if form] + [label.encode("utf-16-le")]
    for form in forms:
        yield from _hashed((*USUAL, *OTHERS), form)
        yield f"{zlib.crc32(form):08x}"
    for salted in _salted(label, (*PLAIN_SALTS, *salts), SEPARATORS[2:]):
        yield from _hashed(OTHERS, salted.encode())
    for size in (8, 16, 20, 32):
        yield hashlib.blake2b(label.encode(), digest_size=size).hexdigest()
        yield hashlib.blake2s(label.encode(), digest_size=size).hexdigest()
    for key in (*SALTS, *salts):
        yield from (hmac.new(key.encode(), label.encode(), algorithm).hexdigest() for algorithm in USUAL)


def _hashed(algorithms: tuple[str, ...], data: bytes) -> Iterator[str]:
    return (hashlib.new(algorithm, data, usedforsecurity=False).hexdigest() for algorithm in algorithms)


def _salted(text: str, salts: tuple[str, ...], separators: tuple[str, ...]) -> Iterator[str]:
    for salt in salts:
        for separator in separators:
            yield f"{salt}{separator}{text}"
            yield f"{text}{separator}{salt}"


def _met(short: Short, labels: list[str], salts: tuple[str, ...]) -> tuple[int, int]:
    """Length and number of short digests that are met more often than chance would by one way of hashing, or 0, 0."""
    met: Counter[tuple[int, int]] = Counter()
    for label in labels if short else []:
        for way, digest in enumerate(digests(str(label), salts, rare=True)):
            met.update((way, length) for length, seen in short.items() if digest[:length] in seen)
            met.update((-1 - way, length) for length, seen in short.items() if digest[-length:] in seen)
    for (_, length), labels_met in met.items():
        expected = len(labels) * len(short[length]) / 16**length
        if poisson_tail(labels_met, expected) < ALPHA / 1000:  # there are some hundred ways
            return length, labels_met
    return 0, 0


def _published(release: Published) -> tuple[set[str], Short]:
    """Whatever could be a digest: both ends of long ones, and short ones by length.

    The true digests that a manifest lists of its files are none.
    """
    texts = [text for _, column in words(release) for text in column]
    texts += [text for text in stated(release) if any(map(str.isdigit, text)) or text.lower() != text]
    true = _true_digests(release)
    runs = {run for text in texts for run in (*_runs(text), *_runs(_JOINS.sub("", text)), *_encoded(text))}
    beside = {run for _, text in around(release) for run in _runs(text) if len(run) > WHOLE}
    whole = {end for run in (runs | beside) - true if len(run) >= WHOLE for end in (*_ends(run), *_ends(run[::-1]))}
    whole |= {end for text in texts for digits in _DECIMAL.findall(text) for end in _of_number(int(digits))}
    short = [{run for run in runs if len(run) == length} for length in range(SHORTEST, WHOLE)]
    numbers = [int(digits) for text in stated(release) for digits in _NUMBER.findall(text)]
    short.append(_padded(np.array(numbers, np.int64)))
    for _, value, _ in whole_numbers(release):
        whole |= {end for n in np.unique(value[np.abs(value) >= 1 << 48]).tolist() for end in _of_number(n)}
        short.append(_padded(value))
    return whole, _sparse(short)


def _encoded(text: str) -> Iterator[str]:
    """Hexadecimal digits of what is encoded in a text and long enough to be a digest, or four bytes and no more."""
    tokens = set(_TOKEN.findall(text))
    for token in tokens | {token[1:] for token in tokens}:  # behind a letter that is none of it
        yield from (data.hex() for data in decodings(token) if 12 <= len(data) <= 64)
    if _FOUR.fullmatch(text):
        yield from (data.hex() for data in decodings(text) if len(data) == 4)


def _runs(text: str) -> list[str]:
    """Hexadecimal digits that stand together; those of a decimal fraction are none."""
    return _HEX.findall(_FRACTION.sub(" ", text.lower()))


def _ends(run: str) -> Iterator[str]:
    """Where a digest could begin in a run of digits, behind a letter or two that are digits by chance, and its end."""
    starts = {0, 1, 2, *(len(run) - length for length in LENGTHS)}
    yield from (run[at : at + WHOLE] for at in starts if 0 <= at <= len(run) - WHOLE)
    yield run[-WHOLE:]


def _of_number(value: int) -> Iterator[str]:
    for length in (WHOLE, 16, *LENGTHS):
        if value < 0 and length == 16:
            value += 2**64
        if 0 <= value < 16**length:
            yield f"{value:0{length}x}"[:WHOLE]


def _padded(value: Ints) -> set[str]:
    """Numbers as the first digits of a hash: all as long as the largest."""
    if len(value) and -(2**31) <= value.min() < 0 and value.max() < 2**31:
        value = value % 2**32  # as 32 bits with a sign
    length = len(f"{int(value.max(initial=0)):x}")
    if not SHORTEST <= length < WHOLE or len(value) > _FULL * 16**length:
        return set()
    return {f"{n:0{length}x}" for n in value[value >= 0].tolist()}


def _sparse(texts: Iterable[set[str]]) -> Short:
    short: Short = {}
    for digits in texts:
        for length in {len(run) for run in digits}:
            short.setdefault(length, set()).update(run for run in digits if len(run) == length)
    return {length: seen for length, seen in short.items() if len(seen) <= _FULL * 16**length}


def _true_digests(release: Published) -> set[str]:
    if release.folder is None or release.manifest is None:
        return set()
    listed = part_of(release.manifest, "files")
    paths = (release.folder / name for name in listed if name != MANIFEST)
    return {sha256(path) for path in paths if path.is_file()}
