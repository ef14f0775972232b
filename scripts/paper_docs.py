"""Print docs/papers.md from docs/papers.json.

--run [KEY...] reproduces papers on made-up data and keeps what they say; it takes minutes.
--real KEY FILE NAME does so for one paper on a file, which the page calls by that name.
"""

import json
import sys
from pathlib import Path
from typing import Any

from incrowd.cli.papers.reproducing import noun_of
from incrowd.cli.reading import ReadingOptions
from incrowd.papers import PAPERS, Reproduction, reproduce
from incrowd.papers.record import RULE
from incrowd.plain import to_json

STORE = Path(__file__).resolve().parents[1] / "docs" / "papers.json"
SEED = 0
HEAD = f"""# The papers

Each statement of a paper beside what other data say: theirs, ours, and a verdict. It agrees, differs (and why),
or cannot be compared (and why). {RULE}

No paper publishes its data, so ours are made up unless a file is named. To see your own data beside the papers, run
`incrowd papers KEY --data FILE` or `ic.papers.reproduce(KEY, data)`. This page is made by `make docs` from
`docs/papers.json`; `make papers` computes the numbers of the made-up data again.
"""


def main(words: list[str]) -> None:
    if words[:1] == ["--run"]:
        for key in words[1:] or list(PAPERS):
            keep(key, reproduce(key, seed=SEED), f"incrowd papers {key} --seed {SEED}")
    elif words[:1] == ["--real"]:
        key, file, name = words[1:]
        data = noun_of(PAPERS[key], [file], ReadingOptions())
        command = f"incrowd papers {key} --data FILE --seed {SEED}"
        keep(f"{key} on {name}", reproduce(key, data, name=name, seed=SEED), command)
    else:
        results = stored()
        sys.stdout.write(HEAD + summary(results) + "".join(chapter(title, one) for title, one in results.items()))


def keep(title: str, reproduction: Reproduction, command: str) -> None:
    """Put one reproduction into the store, in the order of the papers."""
    results = stored() | {
        title: {
            "paper": reproduction.paper,
            "command": command,
            "data": reproduction.name,
            "users": reproduction.users,
            "records": reproduction.records,
            "statements": json.loads(to_json(reproduction.statements)),
        }
    }
    order = sorted(results, key=lambda one: (list(PAPERS).index(results[one]["paper"]), one))
    STORE.write_text(json.dumps({one: results[one] for one in order}, indent=1) + "\n", encoding="utf-8")


def stored() -> dict[str, Any]:
    return json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}


def summary(results: dict[str, Any]) -> str:
    """One line per paper."""
    lines = ["", "| paper | data | agree | differ | cannot be compared |", "| --- | --- | --- | --- | --- |"]
    for title, one in results.items():
        verdicts = [row["verdict"] for row in one["statements"]]
        counts = " | ".join(str(verdicts.count(kind)) for kind in ("agrees", "differs", "cannot be compared"))
        lines.append(
            f"| [{title}](#{title.lower().replace(' ', '-')}) | {one['data']}, {one['users']:,} users | {counts} |"
        )
    return "\n".join(lines) + "\n"


def chapter(title: str, one: dict[str, Any]) -> str:
    """One paper: where its numbers came from, and its statements."""
    data = f"{one['data']} of {one['users']:,} users and {one['records']:,} records"
    lines = [
        f"\n## {title}\n",
        f"{PAPERS[one['paper']].title}. From `{one['command']}`, on {data}.\n",
        "| where | what | theirs | ours | verdict | why |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    columns = ("where", "what", "theirs", "ours", "verdict", "why")
    lines += ["| " + " | ".join(_cell(row[name]) for name in columns) + " |" for row in one["statements"]]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|") or " "


if __name__ == "__main__":
    main(sys.argv[1:])
