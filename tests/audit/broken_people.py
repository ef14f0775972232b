"""Pseudonyms and attributes that lead to people."""

import base64
import hashlib
import hmac
import uuid
import zlib
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from audit.breaking import (
    BOXES,
    PEOPLE,
    VISITS,
    breaks,
    change_row,
    grown,
    people_of,
    renamed,
)
from audit.cases import Case
from audit.honest import BASES


def label(index: int) -> str:
    return f"rider-{index:04d}"


DISGUISES: dict[str, Callable[[str], object]] = {
    "names": str,
    "names in upper case": str.upper,
    "names backwards": lambda name: name[::-1],
    "MD5": lambda name: hashlib.md5(name.encode()).hexdigest(),
    "SHA-1 in base 64": lambda name: base64.b64encode(hashlib.sha1(name.encode()).digest()).decode(),
    "SHA-256 in base 32": lambda name: base64.b32encode(hashlib.sha256(name.encode()).digest()).decode(),
    "SHA-512": lambda name: hashlib.sha512(name.encode()).hexdigest(),
    "SHA-3": lambda name: hashlib.sha3_256(name.encode()).hexdigest(),
    "BLAKE2": lambda name: hashlib.blake2b(name.encode()).hexdigest(),
    "CRC-32": lambda name: f"{zlib.crc32(name.encode()):08x}",
    "CRC-32 as a number": lambda name: zlib.crc32(name.encode()),
    "MD5 as a number": lambda name: int(hashlib.md5(name.encode()).hexdigest()[:15], 16),
    "SHA-256 with the salt incrowd": lambda name: hashlib.sha256(f"incrowd{name}".encode()).hexdigest(),
    "SHA-512 with the salt salt": lambda name: hashlib.sha512(f"salt:{name}".encode()).hexdigest(),
    "base 64": lambda name: base64.b64encode(name.encode()).decode(),
    "base 32": lambda name: base64.b32encode(name.encode()).decode(),
    "hexadecimal digits": lambda name: name.encode().hex(),
    "digits of the names": lambda name: int("".join(filter(str.isdigit, name))),
    "names within a text": lambda name: f"id={name};",
    "CRC-32 in base 64": lambda name: base64.b64encode(zlib.crc32(name.encode()).to_bytes(4, "big")).decode(),
    "MD5 in base 64 for addresses": lambda name: base64.urlsafe_b64encode(hashlib.md5(name.encode()).digest()).decode(),
    "SHA-3 in base 32 in small letters": lambda name: (
        base64.b32encode(hashlib.sha3_256(name.encode()).digest()).decode().lower()
    ),
    "SHA-512 in decimal digits": lambda name: str(int(hashlib.sha512(name.encode()).hexdigest(), 16)),
    "the last ten digits of SHA-256": lambda name: hashlib.sha256(name.encode()).hexdigest()[-10:],
    "BLAKE2 of 16 bytes": lambda name: hashlib.blake2b(name.encode(), digest_size=16).hexdigest(),
    "SHA-384 with the salt incrowd_": lambda name: hashlib.sha384(f"incrowd_{name}".encode()).hexdigest(),
    "MD5 of the names backwards": lambda name: hashlib.md5(name[::-1].encode()).hexdigest(),
    "MD5 of the digits": lambda name: hashlib.md5("".join(filter(str.isdigit, name)).encode()).hexdigest(),
    "MD5 with the end of a line": lambda name: hashlib.md5(f"{name}\n".encode()).hexdigest(),
    "MD5 as a UUID": lambda name: str(uuid.UUID(hashlib.md5(name.encode()).hexdigest())),
    "SHA-256 backwards": lambda name: hashlib.sha256(name.encode()).hexdigest()[::-1],
    "bytes in hexadecimal digits": lambda name: name.encode().hex(" ").upper(),
    "HMAC with the key incrowd": lambda name: hmac.new(b"incrowd", name.encode(), "sha256").hexdigest(),
}


def as_pseudonyms(disguise: Callable[[str], object]) -> Callable[[Case], None]:
    def apply(case: Case) -> None:
        people = people_of(case)
        renamed(case, {pseudonym: disguise(who) for pseudonym, who in people.items()})

    return apply


def by_hand(case: Case) -> None:
    """No method of ours publishes such attributes; a release made by hand may."""
    case.say(method=None, parameters={}, claims={})


def as_attribute(disguise: Callable[[str], object]) -> Callable[[Case], None]:
    def apply(case: Case) -> None:
        by_hand(case)
        people = people_of(case)
        case.add("code", [disguise(people[user]) for user in case.table()["user"].to_pylist()])

    return apply


for _name, _disguise in DISGUISES.items():
    _least = "original" if _name == "digits of the names" else "alone"
    breaks(f"pseudonyms that are {_name}", "alone" if _least == "alone" else "original", "generalize", "w4m-csv")(
        as_pseudonyms(_disguise)
    )
    breaks(f"an attribute that is {_name}", "original", "generalize", "generalize-csv", "w4m")(as_attribute(_disguise))


@breaks("pseudonyms that are phone numbers", "alone", "generalize", "w4m")
def _(case):
    renamed(case, {pseudonym: 491_600_000_000 + 7919 * int(who[-4:]) for pseudonym, who in case.linked()})


@breaks("pseudonyms with a gap", "alone", *PEOPLE)
def _(case):
    last = max(case.table()["user"].to_pylist())
    renamed(case, {p: p if p < last else p + 1 for p, _ in case.linked()})


@breaks("pseudonyms in the order of the original", "link", "cut", "generalize", "w4m")
def _(case):
    linked = sorted(case.linked(), key=lambda pair: pair[1])
    renamed(case, {pseudonym: rank for rank, (pseudonym, _) in enumerate(linked)})


@breaks("rows in another order", "alone", *BASES)
def _(case):
    table = case.table()
    case.write(table.take(np.random.default_rng(0).permutation(table.num_rows)))


@breaks("a row twice", "alone", *VISITS, *BOXES, "counts")
def _(case):
    table = case.table()
    grown(case, pa.concat_tables([table.slice(0, 1), table]))


@breaks("sensitive values falsified", "original", "lkc", "lkc-csv")
def _(case):
    table = case.table()
    values = ["none"] * table.num_rows
    case.write(table.set_column(table.column_names.index("ill"), "ill", pa.array(values)))
    case.say(claims={**case.manifest()["claims"], "c": 1.0}, parameters={**case.manifest()["parameters"], "c": 1.0})


@breaks("sensitive values of two people exchanged", "original", "lkc")
def _(case):
    table = case.table()
    user, ill = table["user"].to_pylist(), table["ill"].to_pylist()
    first, last = user[0], next(u for u, v in zip(user, ill, strict=True) if v != ill[0])
    mine, theirs = ill[user.index(first)], ill[user.index(last)]
    fresh = [theirs if u == first else mine if u == last else v for u, v in zip(user, ill, strict=True)]
    case.write(table.set_column(table.column_names.index("ill"), "ill", pa.array(fresh)))


@breaks("the sensitive column renamed", "alone", "lkc", "lkc-csv")
def _(case):
    table = case.table()
    case.write(table.rename_columns([name if name != "ill" else "mood" for name in table.column_names]))


@breaks("an attribute that changes within a pseudonym", "alone", "generalize", "lkc")
def _(case):
    case.add("place", [f"v{i % 7}" for i in range(case.table().num_rows)])


@breaks("a column that is not declared", "alone", *BASES)
def _(case):
    case.add("note", ["x"] * case.table().num_rows, declared=False)


@breaks("times finer than the slots in a column", "alone", "generalize", "cut")
def _(case):
    case.add("seen", pa.array([61_000_000] * case.table().num_rows, pa.timestamp("us")))
    change_row(case, 0, seen=0)


@breaks("slots that are no whole numbers", "alone", "cut", "generalize")
def _(case):
    slot = case.table()["slot"].to_pylist()
    table = case.table()
    case.write(table.set_column(table.column_names.index("slot"), "slot", pa.array([s + 0.5 for s in slot])))
