"""Print docs/gate.md with the keys of incrowd.toml as the code has them, between its two marks."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from incrowd.gate import TABLES, Key, keys
from incrowd.gate._draft import ABOUT, shown
from incrowd.gate.keys import METHODS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "gate.md"
MARKS = re.compile(r"(?<=<!-- keys -->\n).*(?=<!-- end of keys -->)", re.DOTALL)


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    sys.stdout.write(MARKS.sub(lambda _: "\n" + "\n".join(lines()) + "\n\n", text))


def lines() -> Iterator[str]:
    for table in TABLES:
        yield from (f"### [{table}]", "", ABOUT[table], "")
        yield from ("| key | default | what it means |", "| --- | --- | --- |")
        if table != "anonymize":
            yield from (*map(row, keys(table).values()), "")
            continue
        common = keys(table)
        yield from map(row, common.values())
        for method in METHODS:
            yield from (
                "",
                f'With `method = "{method}"`:',
                "",
                "| key | default | what it means |",
                "| --- | --- | --- |",
            )
            yield from (row(key) for name, key in keys(table, method).items() if name not in common)
        yield ""


def row(key: Key) -> str:
    words = key.words.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
    return f"| `{key.name}` | {default(key)} | {words} |"


def default(key: Key) -> str:
    if key.default is ...:
        return "must be given"
    text = shown(key.default)
    return "" if text is None else f"`{text}`"


if __name__ == "__main__":
    main()
