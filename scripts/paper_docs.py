"""Print docs/papers.md from docs/papers.json.

--run [KEY...] reproduces papers on made-up data and keeps what they say; it takes minutes.
--full [KEY...] does so with as many people as the papers have, which takes hours; each of them in a process of its own.
What was done stays in build/papers, so that a run that was stopped goes on there; remove the folder to begin anew.
--real KEY FILE NAME does so for one paper on a file, which the page calls by that name.
--table2 FOLDER puts W4M-LC beside GLOVE, on made-up data and on the bikes and taxis of the folder.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

from incrowd.anonymize import LkcCost
from incrowd.cli.papers.reproducing import CACHING, noun_of
from incrowd.cli.reading import ReadingOptions
from incrowd.papers import PAPERS, Reproduction, reproduce
from incrowd.papers.gramaglia2015.table2 import Table2, table_2
from incrowd.papers.record import RULE
from incrowd.papers.together import in_row
from incrowd.plain import in_words, to_json
from incrowd.show import Lines, section_of

ROOT = Path(__file__).resolve().parents[1]
STORE = ROOT / "docs" / "papers.json"
DONE = ROOT / "build" / "papers"
SEED = 0
# At full size each city of xu2017 is a run of its own.
FULL = [("song2014", ""), ("tan2017", ""), ("mohammed2009", ""), ("xu2017", "application"), ("xu2017", "operator-calm")]
FULL += [("xu2017", "operator"), ("xu2017", "application-calm"), ("gramaglia2015", "")]
SHOWN = (LkcCost, Table2)  # further results of which the page shows the first table
HEAD = f"""# The papers

Each statement of a paper beside what other data say: theirs, ours, and a verdict. It agrees, differs (and why),
or cannot be compared (and why). {RULE}

No paper publishes its data, so ours are made up unless a file is named. To see your own data beside the papers, run
`incrowd papers KEY --data FILE` or `ic.papers.reproduce(KEY, data)`. At full size there are as many made-up people as
in the paper (`incrowd papers KEY --full`). This page is made by `make docs` from `docs/papers.json`; `make papers`
computes the numbers of the made-up data again, and goes on where it was stopped.
"""


def main(words: list[str]) -> None:
    kind, rest = (words[0], words[1:]) if words else ("", [])
    if kind == "--run":
        for key in rest or list(PAPERS):
            run(key, f"incrowd papers {key} --seed {SEED}", lambda key=key: reproduce(key, seed=SEED))
    elif kind == "--full":
        for key, city in FULL:
            if not rest or key in rest:
                subprocess.run([sys.executable, __file__, "--one", key, city], check=True)  # noqa: S603
    elif kind == "--one":
        full(*rest)
    elif kind == "--real":
        key, file, name = rest
        command = f"incrowd papers {key} --data FILE --seed {SEED}"
        run(f"{key} on {name}", command, lambda: real(key, file, name))
    elif kind == "--table2":
        run(
            "Table 2 of gramaglia2015", "incrowd papers gramaglia2015 --table 2 --real FOLDER --seed 0", table2, rest[0]
        )
    else:
        results = stored()
        sys.stdout.write(
            HEAD + summary(results) + not_run(results) + "".join(chapter(title, one) for title, one in results.items())
        )


def full(key: str, city: str) -> None:
    """One paper, or one city of it, at the size of the paper; nothing if build/papers has it already."""
    title = full_title(key, city)
    done = DONE / f"{title}.json"
    if not done.exists():
        options: dict[str, Any] = {"cache": DONE / key} if key in CACHING else {}
        options |= {"cities": [city]} if city else {}
        run(
            title, f"incrowd papers {key} --full --seed {SEED}", lambda: reproduce(key, full=True, seed=SEED, **options)
        )
        DONE.mkdir(parents=True, exist_ok=True)
        done.write_text(json.dumps(stored()[title]), encoding="utf-8")


def full_title(key: str, city: str) -> str:
    """What the page calls a paper at its own size."""
    return f"{key} at full size" + (f", {city}" if city else "")


def real(key: str, file: str, name: str) -> Reproduction:
    """A paper on a file."""
    return reproduce(key, noun_of(PAPERS[key], [file], ReadingOptions()), name=name, seed=SEED)


def table2(folder: str) -> Reproduction:
    """W4M-LC beside GLOVE as a reproduction of its own."""
    table = table_2(real=folder, seed=SEED)
    each = {cell.data: cell for cell in table.cells}.values()
    users, records = (sum(getattr(cell, size) for cell in each) for size in ("users", "samples"))
    name = ", ".join(cell.data for cell in each)
    return Reproduction("gramaglia2015", "Table 2", name, users, records, (), (table,))


def run(title: str, command: str, make: Callable[..., Reproduction], *given: str) -> None:
    """Reproduce, and put what it says into the store with how long it took on which machine, in the order of papers."""
    sys.path.append(str(ROOT))
    from benchmarks.__main__ import machine

    wall, cpu = time.perf_counter(), time.process_time()
    made = make(*given)
    took = {"seconds": round(time.perf_counter() - wall), "cpu_seconds": round(time.process_time() - cpu)}
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 2**20  # KiB to GiB
    tables = [(other, section_of(other).tables[0]) for other in made.others if isinstance(other, SHOWN)]
    stated = [row for other in made.others for row in getattr(other, "statements", ())]
    results = stored() | {
        title: {
            "paper": made.paper,
            "command": command,
            "data": made.name,
            "users": made.users,
            "records": made.records,
            "took": {**took, "peak_gib": round(peak, 1), **machine()},
            "statements": json.loads(to_json([*made.statements, *stated])),
            "curves": [[panel.caption, *in_row(panel)] for panel in against(made)],
            "tables": [[f"{getattr(of, 'name', '')} {t.caption}".strip(), t.head, *t.rows] for of, t in tables],
        }
    }
    order = sorted(results, key=lambda one: (list(PAPERS).index(results[one]["paper"]), one))
    STORE.write_text(json.dumps({one: results[one] for one in order}, indent=1) + "\n", encoding="utf-8")


def against(made: Reproduction) -> list[Lines]:
    """The panels that show something against the number of people."""
    panels = [panel for figure in made.figures for panel in figure.panels]
    return [panel for panel in panels if isinstance(panel, Lines) and panel.x.startswith("people")]


def stored() -> dict[str, Any]:
    return json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}


def summary(results: dict[str, Any]) -> str:
    """One line per paper."""
    lines = ["", "| paper | data | agree | differ | cannot be compared |", "| --- | --- | --- | --- | --- |"]
    for title, one in results.items():
        verdicts = [row["verdict"] for row in one["statements"]]
        counts = " | ".join(str(verdicts.count(kind)) for kind in ("agrees", "differs", "cannot be compared"))
        lines.append(f"| [{title}](#{_anchor(title)}) | {one['data']}, {one['users']:,} users | {counts} |")
    return "\n".join(lines) + "\n"


def chapter(title: str, one: dict[str, Any]) -> str:
    """One paper: where its numbers came from, its statements, and what it shows against the number of people."""
    data = f"{one['data']} of {one['users']:,} users and {one['records']:,} records"
    columns = ("where", "what", "theirs", "ours", "verdict", "why")
    statements = [[row[name] for name in columns] for row in one["statements"]]
    lines = [
        f"\n## {title}\n",
        f"{PAPERS[one['paper']].title}. From `{one['command']}`, on {data}.{took(one)}\n",
        *table([columns, *statements]),
    ]
    for caption, *rows in (*one.get("tables", ()), *one.get("curves", ())):
        lines += ["", f"{caption}\n", *table(rows)]
    return "\n".join(lines) + "\n"


def took(one: dict[str, Any]) -> str:
    """How long it took, and on which machine, if that was recorded."""
    if "took" not in one:
        return ""
    of = one["took"]
    size = f"{of['peak_gib']} GiB on {of['cpu']}, {of['cores']} cores, Python {of['python']}"
    seconds = f"{in_words(of['seconds'])} ({in_words(of['cpu_seconds'])} of CPU time)"
    return f" It took {seconds} and {size}, at a load of {of['load']}."


def not_run(results: dict[str, Any]) -> str:
    """What has no numbers at full size."""
    missing = [full_title(key, city) for key, city in FULL if full_title(key, city) not in results]
    missing += ["Figures 4, 5, 8, 10 and 11 of gramaglia2015, and k above 2, at full size"]
    missing += ["hiding the 320,000 people of d4d-sen in gramaglia2015, which needs a GPU"]
    return f"\nNot run: {'; '.join(missing)}.\n"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of Markdown, the first of them the head."""
    head, *body = (["|" + "|".join(f" {_cell(cell)} " for cell in row) + "|"] for row in rows)
    return [*head, "|" + " --- |" * len(rows[0]), *(line for one in body for line in one)]


def _anchor(title: str) -> str:
    return title.lower().replace(",", "").replace(" ", "-")


def _cell(text: str) -> str:
    return text.replace("|", "\\|") or " "


if __name__ == "__main__":
    main(sys.argv[1:])
